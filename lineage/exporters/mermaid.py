"""A trace as a Mermaid flowchart."""

from __future__ import annotations

from lineage.exporters.tree import fold
from lineage.trace import Trace

_ESCAPES = {ord(character): f"#{ord(character)};" for character in '"#&<>[](){}|;`\\'}


def render(trace: Trace) -> str:
    """The flowchart: edges from dependents to inputs, one shape a kind of node, classes by status."""
    names = {id_: f"n{number}" for number, id_ in enumerate(trace.nodes)}
    lines = ["flowchart LR"]
    for id_, node in trace.nodes.items():
        text = f"{node.view.kind}: {fold(node.label, 80)}"
        if node.status != "fresh":
            text += f" ({node.status})"
        lines.append(f'  {names[id_]}["{escape(text)}"]:::{node.status}')
    lines.extend(f'  {names[edge.src]} -->|"{escape(edge.role)}"| {names[edge.dst]}' for edge in trace.edges)
    if trace.cut:
        lines.append(f'  cut["{trace.cut} more nodes were left out by the limit"]')
    lines += [
        "  classDef fresh fill:#ffffff,stroke:#555555",
        "  classDef review fill:#fff3c4,stroke:#8a6d00,stroke-dasharray:4 2",
        "  classDef invalid fill:#ffd7d7,stroke:#a30000,stroke-width:3px",
    ]
    return "\n".join(lines)


def escape(text: str) -> str:
    """Text inside a quoted label: characters with a meaning of their own as numeric entities."""
    return " ".join(text.translate(_ESCAPES).split())
