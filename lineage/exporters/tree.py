"""A trace as an indented tree for a terminal. Each node is written out once, and referred to where it comes again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from lineage.exporters.plain import CAVEAT, FATES, fold, line, notes, plural
from lineage.networks import bottlenecks
from lineage.passages import Passage
from lineage.report.affected import iso
from lineage.report.labels import order
from lineage.stores.base import EdgeView
from lineage.trace import CAUSE_TYPES, Trace, TraceNode
from lineage_schema.vocabulary import STRUCTURAL, Kind, Role

__all__ = ["CAVEAT", "fold", "render"]

ROLE_ORDER = {role.value: number for number, role in enumerate(Role)}
GROUPED = 3
"""So many dependents or inputs of one role and kind get a line of their own that counts them."""
NAMED = 6
"""So many nodes that were written out already are named on one line."""


def render(trace: Trace) -> str:
    """The tree, with quotes under spans, and closing lines that count and explain the marks."""
    return "\n".join([*_Tree(trace).lines(), *_closing(trace)])


@dataclass(frozen=True, slots=True)
class _Branch:
    """What is still to be written: an edge's far end, or a group of edges under one heading."""

    edges: tuple[EdgeView, ...]
    prefix: str
    last: bool
    grouped: bool = False


class _Tree:
    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._following: dict[str, list[EdgeView]] = {}
        for edge in trace.edges:
            self._following.setdefault(edge.dst if trace.up else edge.src, []).append(edge)
        self._written: set[str] = set()
        self._under = {} if trace.up else _spans_under(trace)

    def lines(self) -> list[str]:
        """The lines of all roots."""
        lines: list[str] = []
        if not self._trace.roots:
            lines.append(f"{line(self._trace.document or '')}: no span of it is registered, nothing rests on it")
        for root in self._trace.roots:
            lines.append(_node(self._trace, self._trace.nodes[root]))
            # What is to be written lies on a stack of our own: a chain may be longer than Python's recursion.
            stack = self._below(root, "", lines)
            while stack:
                branch = stack.pop()
                stack.extend(self._heading(branch, lines) if len(branch.edges) > 1 else self._edge(branch, lines))
        return lines

    def _edge(self, branch: _Branch, lines: list[str]) -> list[_Branch]:
        (edge,) = branch.edges
        node = self._trace.nodes[self._other(edge)]
        how = ", ".join(edge.origins) if edge.origins != ("declared",) else ""
        words = [*([] if branch.grouped else [edge.role]), *self._markers(edge)]
        words += [f"({how})"] if how else []
        start = branch.prefix + ("└─ " if branch.last else "├─ ")
        if node.view.id in self._written:
            lines.append(start + " ".join([*words, _title(node), "(above)"]))
            return []
        lines.append(start + " ".join([*words, _node(self._trace, node)]))
        return self._below(node.view.id, branch.prefix + ("   " if branch.last else "│  "), lines)

    def _below(self, id_: str, prefix: str, lines: list[str]) -> list[_Branch]:
        """Writes what is told under a node, and gives its branches, the first one last."""
        self._written.add(id_)
        following = self._following.get(id_, [])
        groups = [list(group) for _, group in groupby(sorted(following, key=self._order), key=self._kind)]
        # What carries evidence comes first: a node that is met both ways is written out where it counts.
        groups.sort(key=lambda group: (group[0].role in STRUCTURAL, self._level(group[0]), self._kind(group[0])))
        lines.extend(prefix + ("│  " if groups else "   ") + text for text in _details(self._trace.nodes[id_]))
        parts: list[tuple[EdgeView, ...]] = []
        for group in groups:
            # What a claim cites is shown one by one, as it was printed.
            alone = len(group) < GROUPED or (group[0].role == Role.CITES and not self._trace.up)
            parts.extend([(edge,) for edge in group] if alone else [tuple(group)])
        return [_Branch(part, prefix, number == len(parts) - 1) for number, part in enumerate(parts)][::-1]

    def _heading(self, branch: _Branch, lines: list[str]) -> list[_Branch]:
        """One line for all edges of a role to nodes of a kind: the nearest first, those above only named."""
        nodes = [self._trace.nodes[self._other(edge)] for edge in branch.edges]
        start = branch.prefix + ("└─ " if branch.last else "├─ ")
        marked = [f"{sum(node.status == word for node in nodes)} {word}" for word in ("invalid", "review")]
        told = [text for text in marked if not text.startswith("0 ")]
        if branch.edges[0].role == Role.CHILD and not self._trace.up:
            spans = 0
            for node in nodes:
                spans |= self._under[node.view.id]
            told.append(f"{plural(spans.bit_count(), 'span')} under them")
        counts = f" ({', '.join(told)})" if told else ""
        new = [edge for edge in branch.edges if self._other(edge) not in self._written]
        old = [node for node in nodes if node.view.id in self._written]
        more = f" and {len(old) - NAMED} more" if len(old) > NAMED else ""
        named = ", ".join(_title(node, kind=False) for node in old[:NAMED]) + more
        heading = f"{start}{branch.edges[0].role}: {plural(len(nodes), nodes[0].view.kind)}"
        if not new:
            lines.append(f"{heading} above{counts}: {named}")
            return []
        lines.append(heading + counts)
        prefix = branch.prefix + ("   " if branch.last else "│  ")
        if old:
            lines.append(f"{prefix}├─ {len(old)} of them above: {named}")
        return [_Branch((edge,), prefix, number == len(new) - 1, True) for number, edge in enumerate(new)][::-1]

    def _other(self, edge: EdgeView) -> str:
        return edge.src if self._trace.up else edge.dst

    def _level(self, edge: EdgeView) -> int:
        return self._trace.nodes[self._other(edge)].level

    def _kind(self, edge: EdgeView) -> tuple[int, str]:
        return ROLE_ORDER[edge.role], self._trace.nodes[self._other(edge)].view.kind

    def _order(self, edge: EdgeView) -> tuple[object, ...]:
        node = self._trace.nodes[self._other(edge)]
        return *self._kind(edge), node.level, order(node.view)

    def _markers(self, edge: EdgeView) -> list[str]:
        """The markers that were printed for a citation, in order."""
        if edge.role != Role.CITES:
            return []
        printed = [each for each in self._trace.nodes[edge.src].citations if each.target == edge.dst]
        return [line(each.marker) for each in printed if each.marker is not None]


def _spans_under(trace: Trace) -> dict[str, int]:
    """For each node of a trace, the spans under it as a set of bits."""
    under: dict[str, int] = {}
    following: dict[str, list[str]] = {}
    waiting: dict[str, int] = dict.fromkeys(trace.nodes, 0)
    above: dict[str, list[str]] = {}
    for edge in trace.edges:
        following.setdefault(edge.src, []).append(edge.dst)
        above.setdefault(edge.dst, []).append(edge.src)
        waiting[edge.src] += 1
    ready = [id_ for id_, count in waiting.items() if not count]
    spans = 0
    for id_ in ready:
        bits = 0
        if trace.nodes[id_].view.kind == Kind.SPAN:
            bits, spans = 1 << spans, spans + 1
        for below in following.get(id_, ()):
            bits |= under[below]
        under[id_] = bits
        for dependent in above.get(id_, ()):
            waiting[dependent] -= 1
            if not waiting[dependent]:
                ready.append(dependent)
    return under


def _node(trace: Trace, node: TraceNode) -> str:
    words = [node.status if node.passage is None else FATES.get(node.passage.cls, node.passage.cls)]
    if node.passage is not None and node.passage.fate is None and node.status != "fresh":
        words = [node.status]
    if len(trace.causes) > 1 and node.causes:
        numbers = {cause: number for number, cause in enumerate(trace.causes, 1)}
        words[0] += f" by {', '.join(str(numbers[cause]) for cause in node.causes)}"
    if node.view.lineage != "complete":
        why = f": {fold(node.view.reason)}" if node.view.reason else ""
        words.append(f"lineage {node.view.lineage}{why}")
    if not node.view.current:
        words.append("replaced")
    return f"{_title(node)}  [{'; '.join(words)}]"


def _title(node: TraceNode, *, kind: bool = True) -> str:
    word = f"{node.view.kind} " if kind else ""
    passage = node.passage
    if passage is not None:
        edition = f" edition {passage.edition}" if passage.edition > 1 else ""
        place = f"{line(passage.uri)}{edition} v{passage.version} [{passage.start}, {passage.end})"
        return f"{word}{place}{_where(passage)}"
    if node.view.kind == Kind.CLAIM:
        word = f"{line(node.name)} "
    text = fold(node.label)
    return f"{word}{text}" if node.view.text is None and node.view.title is None else f'{word}"{text}"'


def _where(passage: Passage) -> str:
    parts = [f"p. {passage.page}" if passage.page else "", f"§ {passage.section}" if passage.section else ""]
    return "".join(f" {line(part)}" for part in parts if part)


def _details(node: TraceNode) -> list[str]:
    lines = [
        f"cites {line(each.marker or '(no marker)')}: it points to nothing"
        for each in node.citations
        if each.target is None
    ]
    passage = node.passage
    if passage is None:
        return [*lines, "(the text was removed)"] if node.view.text is None else lines
    if passage.quote is None:
        return [*lines, "(the text was removed)"]
    before = "…" if passage.before else ""
    after = "…" if passage.after else ""
    lines.append(f'"{before}{fold(passage.quote)}{after}"')
    return [*lines, *_became(passage)]


def _became(passage: Passage) -> list[str]:
    fate = passage.fate
    if fate is None or fate.cls in ("context", "edition"):
        now = passage.now
        lines = [f"v{now[0]} [{now[1]}, {now[2]}) now"] if now is not None and now[0] != passage.version else []
        if fate is None:
            return lines
        if fate.cls == "edition":
            return [f"edition {fate.edition} v{fate.version} [{fate.start}, {fate.end})"]
        return [*lines, f"beside it: {_quoted(fate.old)}", f"now:       {_quoted(fate.new)}"]
    name = f"v{fate.version}" if fate.edition == passage.edition else f"edition {fate.edition} v{fate.version}"
    if fate.new is None and fate.cls != "changed":
        return [f"{name}: {FATES.get(fate.cls, fate.cls).lower()}"]
    old = [f"was:{' ' * (len(name) + 2)}{_quoted(fate.old)}"] if fate.old != passage.quote else []
    return [*old, f"{name} now: {_quoted(fate.new)}"]


def _quoted(text: str | None) -> str:
    return "(nothing)" if text is None else f'"{fold(text, 400)}"'


def _closing(trace: Trace) -> list[str]:
    lines: list[str] = []
    for number, cause in enumerate(trace.causes.values(), 1):
        mark = f"{number}: " if len(trace.causes) > 1 else ""
        reason = f' "{fold(cause.reason)}"' if cause.reason else ""
        by = f" by {line(cause.by)}" if cause.by else ""
        lines.append(f"{mark}{CAUSE_TYPES[cause.type]} {cause.id}{reason}{by} {iso(cause.at)[:19]}Z")
    lines.extend(notes(trace))
    documents = {node.passage.uri for node in trace.nodes.values() if node.passage is not None}
    parts = [plural(len(trace.nodes), "node"), plural(len(documents), "document")]
    if trace.up:
        return [*lines, f"{', '.join(parts)}."]
    narrow: Sequence[TraceNode] = [] if trace.cut else [trace.nodes[id_] for id_ in bottlenecks(trace)]
    if narrow:
        names = ", ".join(_title(node) for node in narrow)
        parts.append(f"{plural(len(narrow), 'bottleneck')} ({names})")
    return [*lines, f"{', '.join(parts)}. {CAVEAT}"]
