"""A trace as one page that needs no script, no other file and no other host."""

from __future__ import annotations

from html import escape

from lineage.exporters.plain import CAVEAT, FATES, notes, visible
from lineage.networks import bottlenecks
from lineage.passages import Passage
from lineage.report.affected import iso
from lineage.stores.base import EdgeView
from lineage.trace import CAUSE_TYPES, Trace, TraceNode

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
    """The page: each node once, in order of its level, with links to its inputs (in an impact: its dependents)."""
    following: dict[str, list[EdgeView]] = {}
    for edge in trace.edges:
        following.setdefault(edge.dst if trace.up else edge.src, []).append(edge)
    title = "Impact" if trace.up else "Trace"
    first = trace.document or (trace.nodes[trace.roots[0]].label if trace.roots else "")
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{title}: {_text(first)}</title><style>{STYLE}</style></head><body>",
        f"<h1>{title}: {_text(first)}</h1>",
        f"<p>{len(trace.nodes)} nodes. {_text(CAVEAT)}</p>" if not trace.up else f"<p>{len(trace.nodes)} nodes.</p>",
    ]
    parts.extend(f"<p><strong>{_text(note)}</strong></p>" for note in notes(trace))
    parts.extend(_causes(trace))
    narrow = [] if trace.cut else bottlenecks(trace)
    if narrow:
        parts.append("<p>Bottlenecks, which every way to the sources passes:</p><ul>")
        parts.extend(f"<li>{_link(trace, id_)}</li>" for id_ in narrow)
        parts.append("</ul>")
    parts.extend(_article(trace, id_, node, following.get(id_, [])) for id_, node in trace.nodes.items())
    parts.append("</body></html>")
    return "\n".join(parts)


def _text(text: str) -> str:
    return escape(visible(text))


def _link(trace: Trace, id_: str) -> str:
    return f'<a href="#{escape(id_)}">{_text(trace.nodes[id_].label)}</a>'


def _causes(trace: Trace) -> list[str]:
    if not trace.causes:
        return []
    parts = ["<p>Marked by:</p><ul>"]
    for cause in trace.causes.values():
        reason = f' "{cause.reason}"' if cause.reason else ""
        by = f" by {cause.by}" if cause.by else ""
        parts.append(f"<li>{CAUSE_TYPES[cause.type]} <code>{escape(cause.id)}</code>{_text(reason + by)}, ")
        parts.append(f"{iso(cause.at)}</li>")
    return [*parts, "</ul>"]


def _article(trace: Trace, id_: str, node: TraceNode, edges: list[EdgeView]) -> str:
    view = node.view
    lineage = f"lineage {view.lineage}" + (f": {view.reason}" if view.reason else "")
    badges = [node.status, lineage, *([] if view.current else ["replaced"])]
    parts = [
        f'<article id="{escape(id_)}" class="{node.status}">',
        f"<h2>{escape(view.kind)}: {_text(node.label)}"
        + "".join(f'<span class="badge">{_text(badge)}</span>' for badge in badges)
        + "</h2>",
        f"<code>{_text(node.name)} · {escape(id_)}</code>",
    ]
    if node.causes:
        parts.append(f"<p>marked by {escape(', '.join(node.causes))}</p>")
    if node.passage is not None:
        parts.append(_passage(node.passage))
    elif view.text:
        parts.append(f"<blockquote>{_text(view.text)}</blockquote>")
    elif view.text is None:
        parts.append("<p>The text was removed.</p>")
    parts.extend(_citations(trace, node))
    if edges:
        word = "dependents" if trace.up else "inputs"
        parts.append(f"<p>{word}:</p><ul>")
        for edge in edges:
            other = edge.src if trace.up else edge.dst
            read = "" if edge.version is None else f", read in v{edge.version}"
            parts.append(
                f"<li>{escape(edge.role)} ({escape(', '.join(edge.origins))}{read}): {_link(trace, other)} "
                f"({trace.nodes[other].status})</li>"
            )
        parts.append("</ul>")
    parts.append("</article>")
    return "\n".join(parts)


def _citations(trace: Trace, node: TraceNode) -> list[str]:
    if not node.citations:
        return []
    parts = ["<p>citations as printed:</p><ul>"]
    for each in node.citations:
        if each.target is None:
            where = "points to nothing"
        else:
            where = _link(trace, each.target) if each.target in trace.nodes else escape(each.target)
        parts.append(f"<li>{_text(each.marker or '(no marker)')} {where}</li>")
    return [*parts, "</ul>"]


def _passage(passage: Passage) -> str:
    edition = f" edition {passage.edition}" if passage.edition > 1 else ""
    where = f"{passage.uri}{edition} v{passage.version} [{passage.start}, {passage.end})"
    for name, value in (("page", passage.page), ("section", passage.section)):
        if value:
            where += f", {name} {value}"
    parts = [f"<p>{_text(where)}: {_text(FATES.get(passage.cls, passage.cls))}</p>"]
    if passage.now is not None and passage.now[0] != passage.version:
        parts.append("<p>now v{} [{}, {})</p>".format(*passage.now))
    if passage.quote is None:
        return "\n".join([*parts, "<p>The text was removed.</p>"])
    parts.append(
        f"<blockquote>{_text(passage.before)}<mark>{_text(passage.quote)}</mark>{_text(passage.after)}</blockquote>"
    )
    fate = passage.fate
    if fate is not None and (fate.old is not None or fate.new is not None):
        old = f"<del>{_text(fate.old)}</del>" if fate.old is not None else "(nothing)"
        new = f"<ins>{_text(fate.new)}</ins>" if fate.new is not None else "(nothing)"
        parts.append(f"<blockquote>before: {old}<br>after: {new}</blockquote>")
    return "\n".join(parts)
