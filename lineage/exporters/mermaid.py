"""A trace as a Mermaid flowchart."""

from __future__ import annotations

from lineage.exporters.plain import notes, short
from lineage.trace import Trace

_ESCAPES = {ord(character): f"#{ord(character)};" for character in '"#&<>[](){}|;`\\%'}


def render(trace: Trace) -> str:
    """The flowchart, left to right: edges from dependents to inputs, classes by status."""
    names = {id_: f"n{number}" for number, id_ in enumerate(trace.nodes)}
    lines = ["flowchart LR"]
    for id_, node in trace.nodes.items():
        shape = ("([", "])") if node.passage is not None else ("[", "]")
        lines.append(f'  {names[id_]}{shape[0]}"{escape(short(node))}"{shape[1]}:::{node.status}')
    lines.extend(f'  {names[edge.src]} -->|"{escape(edge.role)}"| {names[edge.dst]}' for edge in trace.edges)
    lines.extend(f'  note{number}["{escape(note)}"]' for number, note in enumerate(notes(trace)))
    lines += [
        "  classDef fresh fill:#ffffff,stroke:#555555",
        "  classDef review fill:#fff3c4,stroke:#8a6d00,stroke-dasharray:4 2",
        "  classDef invalid fill:#ffd7d7,stroke:#a30000,stroke-width:3px",
    ]
    return "\n".join(lines)


def escape(text: str) -> str:
    """Text inside a quoted label: characters with a meaning of their own as numeric entities."""
    return " ".join(text.translate(_ESCAPES).split())
