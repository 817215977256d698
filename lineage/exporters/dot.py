"""A trace in Graphviz's language."""

from __future__ import annotations

from lineage.exporters.tree import fold
from lineage.trace import Trace

STYLE = {
    "fresh": "",
    "review": ', style="filled,dashed", fillcolor="#fff3c4"',
    "invalid": ', style="filled,bold", fillcolor="#ffd7d7"',
}


def render(trace: Trace) -> str:
    """The graph, left to right, edges from dependents to inputs."""
    lines = ["digraph lineage {", "  rankdir=LR;", '  node [shape=box, fontname="sans-serif"];']
    for id_, node in trace.nodes.items():
        text = f"{node.view.kind}: {fold(node.label, 80)}"
        if node.status != "fresh":
            text += f" ({node.status})"
        lines.append(f"  {quote(id_)} [label={quote(text)}{STYLE[node.status]}];")
    for edge in trace.edges:
        lines.append(f"  {quote(edge.src)} -> {quote(edge.dst)} [label={quote(edge.role)}];")
    if trace.cut:
        lines.append(f"  cut [label={quote(f'{trace.cut} more nodes were left out by the limit')}, shape=plaintext];")
    lines.append("}")
    return "\n".join(lines)


def quote(text: str) -> str:
    """A quoted string: only the quote and the backslash have a meaning inside."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "") + '"'
