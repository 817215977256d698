"""A trace as an indented tree for a terminal. Each node is written out once, and referred to where it comes again."""

from __future__ import annotations

from lineage.networks import bottlenecks
from lineage.stores.base import EdgeView
from lineage.trace import Passage, Trace, TraceNode
from lineage_schema.vocabulary import Kind

CAVEAT = "This shows what the claim rests on, not that the model read it."


def render(trace: Trace) -> str:
    """The tree, with quotes under spans, and a closing line that counts."""
    following: dict[str, list[EdgeView]] = {}
    for each in trace.edges:
        following.setdefault(each.dst if trace.up else each.src, []).append(each)
    for edges in following.values():
        edges.sort(key=lambda each: (trace.nodes[_other(trace, each)].level, each.role))
    lines: list[str] = []
    written: set[str] = set()
    for root in trace.roots:
        # Roots and their branches are kept on a stack of our own: a chain may be longer than Python's recursion.
        stack: list[tuple[str, str, str, str, EdgeView | None]] = [(root, "", "", "", None)]
        while stack:
            id_, prefix, branch, indent, edge = stack.pop()
            node = trace.nodes[id_]
            again = id_ in written
            lines.append(prefix + branch + _line(node, edge, again))
            if again:
                continue
            written.add(id_)
            below = following.get(id_, [])
            inner = prefix + indent
            lines.extend(inner + ("│  " if below else "   ") + text for text in _details(node))
            for number, beneath in reversed(list(enumerate(below))):
                last = number == len(below) - 1
                stack.append(
                    (_other(trace, beneath), inner, "└─ " if last else "├─ ", "   " if last else "│  ", beneath)
                )
    return "\n".join([*lines, _closing(trace)])


def _other(trace: Trace, edge: EdgeView) -> str:
    return edge.src if trace.up else edge.dst


def _line(node: TraceNode, edge: EdgeView | None, again: bool) -> str:
    how = ""
    if edge is not None:
        how = f"{edge.role} ({', '.join(edge.origins)}) " if edge.origins != ("declared",) else f"{edge.role} "
    title = _title(node)
    if again:
        return f"{how}{title} (above)"
    marks = [node.status]
    if node.view.lineage != "complete":
        marks.append(f"lineage {node.view.lineage}: {node.view.reason}")
    if not node.view.current:
        marks.append("replaced")
    return f"{how}{title}  [{'; '.join(marks)}]"


def _title(node: TraceNode) -> str:
    passage = node.passage
    if passage is not None:
        return f"span {passage.uri} v{passage.version} [{passage.start}, {passage.end}){_where(passage)}"
    text = node.label
    if node.view.kind == Kind.CLAIM:
        return f"{node.name} {text!r}"
    return f"{node.view.kind} {text!r}"


def _where(passage: Passage) -> str:
    parts = [f"p. {passage.page}" if passage.page else "", f"§ {passage.section}" if passage.section else ""]
    return "".join(f" {part}" for part in parts if part)


def _details(node: TraceNode) -> list[str]:
    lines = [
        f"cites {each.marker or '(no marker)'}: it points to nothing" for each in node.citations if each.target is None
    ]
    passage = node.passage
    if passage is None:
        return lines
    if passage.quote is None:
        return [*lines, "(the text was removed)"]
    before = "…" if passage.start > 0 else ""
    after = "…" if passage.after else ""
    lines.append(f'"{before}{fold(passage.quote)}{after}"')
    if passage.new is not None:
        lines.append(f'now: "{fold(passage.new)}"')
    elif passage.cls in ("deleted", "withdrawn"):
        lines.append(f"now: {passage.cls}")
    elif passage.now is not None and passage.now[0] != passage.version:
        lines.append(f"now: v{passage.now[0]} [{passage.now[1]}, {passage.now[2]})")
    return lines


def fold(text: str, longest: int = 160) -> str:
    """White space folded, and the middle of a long text left out with the number of code points that are missing."""
    folded = " ".join(text.split())
    if len(folded) <= longest:
        return folded
    half = longest // 2
    return f"{folded[:half]}…({len(folded) - 2 * half} more)…{folded[-half:]}"


def _closing(trace: Trace) -> str:
    documents = {node.passage.uri for node in trace.nodes.values() if node.passage is not None}
    parts = [f"{len(trace.nodes)} nodes", f"{len(documents)} documents"]
    if trace.cut:
        parts.append(f"{trace.cut} more nodes were met and left out by the limit")
    if trace.up:
        return ", ".join(parts)
    narrow = [trace.nodes[id_] for id_ in bottlenecks(trace)]
    if narrow:
        names = ", ".join(_title(node) for node in narrow)
        parts.append(f"{len(narrow)} bottleneck{'s' if len(narrow) > 1 else ''} ({names})")
    if not trace.final:
        parts.append("not final: a run that began earlier has not finished")
    return f"{', '.join(parts)}. {CAVEAT}"
