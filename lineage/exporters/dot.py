"""A trace in Graphviz's language."""

from __future__ import annotations

from lineage.exporters.plain import notes, short
from lineage.trace import Trace

STYLE = {
    "fresh": "",
    "review": ', style="filled,dashed", fillcolor="#fff3c4"',
    "invalid": ', style="filled,bold", fillcolor="#ffd7d7"',
}


def render(trace: Trace) -> str:
    """The graph, left to right, edges from dependents to inputs. Node names are ids."""
    lines = ["digraph lineage {", "  rankdir=LR;", '  node [shape=box, fontname="sans-serif"];']
    for id_, node in trace.nodes.items():
        lines.append(f"  {quote(id_)} [label={label(short(node))}{STYLE[node.status]}];")
    for edge in trace.edges:
        lines.append(f"  {quote(edge.src)} -> {quote(edge.dst)} [label={label(edge.role)}];")
    for number, note in enumerate(notes(trace)):
        lines.append(f"  note{number} [label={label(note)}, shape=plaintext];")
    lines.append("}")
    return "\n".join(lines)


def quote(text: str) -> str:
    """A quoted string: only the quote has a meaning inside, and the backslash before it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def label(text: str) -> str:
    """A quoted label: Graphviz also reads HTML's entities in it, and backslashes, which :func:`quote` doubles."""
    return quote(" ".join(text.split()).replace("&", "&amp;"))
