"""A trace as one page that needs no script, no other file and no other host."""

from __future__ import annotations

from html import escape

from lineage.exporters.tree import CAVEAT
from lineage.stores.base import EdgeView
from lineage.trace import Passage, Trace, TraceNode

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
article { border: 1px solid #bbb; border-left-width: 6px; border-radius: 4px; padding: .5rem 1rem; margin: .75rem 0; }
article.review { border-left: 6px dashed #8a6d00; }
article.invalid { border-left: 6px solid #a30000; }
.badge { font-size: .8rem; border: 1px solid currentColor; border-radius: 3px; padding: 0 .4rem; margin-left: .4rem; }
blockquote { margin: .5rem 0; padding-left: 1rem; border-left: 3px solid #ddd; white-space: pre-wrap; }
mark { background: #fff3a0; } del { background: #ffd7d7; } ins { background: #d3f5d3; text-decoration: none; }
h2 { font-size: 1rem; margin: 0; } ul { margin: .3rem 0; } code { font-size: .8rem; color: #555; }
"""


def render(trace: Trace) -> str:
    """The page: each node once, in order of its level, with links to its inputs and dependents."""
    inputs: dict[str, list[EdgeView]] = {}
    for edge in trace.edges:
        inputs.setdefault(edge.dst if trace.up else edge.src, []).append(edge)
    title = "Impact" if trace.up else "Trace"
    first = trace.nodes[trace.roots[0]].label if trace.roots else ""
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}: {escape(first)}</title><style>{STYLE}</style></head><body>",
        f"<h1>{title}: {escape(first)}</h1>",
        f"<p>{len(trace.nodes)} nodes. {escape(CAVEAT)}</p>",
    ]
    if trace.cut:
        parts.append(f"<p><strong>{trace.cut} more nodes were met and left out by the limit.</strong></p>")
    for id_, node in trace.nodes.items():
        parts.append(_article(trace, id_, node, inputs.get(id_, [])))
    parts.append("</body></html>")
    return "\n".join(parts)


def _article(trace: Trace, id_: str, node: TraceNode, edges: list[EdgeView]) -> str:
    view = node.view
    badges = [node.status, view.lineage, *([] if view.current else ["replaced"])]
    parts = [
        f'<article id="{escape(id_)}" class="{node.status}">',
        f"<h2>{escape(view.kind)}: {escape(node.label)}"
        + "".join(f'<span class="badge">{escape(badge)}</span>' for badge in badges)
        + "</h2>",
        f"<code>{escape(node.name)} · {escape(id_)}</code>",
    ]
    if node.passage is not None:
        parts.append(_passage(node.passage))
    elif view.text:
        parts.append(f"<blockquote>{escape(view.text)}</blockquote>")
    if edges:
        word = "dependents" if trace.up else "inputs"
        parts.append(f"<p>{word}:</p><ul>")
        for edge in edges:
            other = edge.src if trace.up else edge.dst
            label = trace.nodes[other].label
            parts.append(
                f"<li>{escape(edge.role)} ({escape(', '.join(edge.origins))}): "
                f'<a href="#{escape(other)}">{escape(label)}</a></li>'
            )
        parts.append("</ul>")
    parts.append("</article>")
    return "\n".join(parts)


def _passage(passage: Passage) -> str:
    where = f"{passage.uri} v{passage.version} [{passage.start}, {passage.end})"
    for name, value in (("page", passage.page), ("section", passage.section)):
        if value:
            where += f", {name} {value}"
    if passage.quote is None:
        return f"<p>{escape(where)}: the text was removed.</p>"
    parts = [
        f"<p>{escape(where)}</p>",
        f"<blockquote>{escape(passage.before)}<mark>{escape(passage.quote)}</mark>{escape(passage.after)}</blockquote>",
    ]
    if passage.old is not None:
        now = passage.new or passage.cls
        parts.append(f"<blockquote><del>{escape(passage.old)}</del><br><ins>{escape(now)}</ins></blockquote>")
    return "\n".join(parts)
