"""What the report says of each affected answer: its claims, a path to the change, and the share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from lineage.chains import Chains
from lineage.evaluate import bottom_up
from lineage.report.changes import Edit, touching
from lineage.report.labels import label, order
from lineage.stores.base import CauseState, EdgeView, NodeView, Seed, SpanRow, Transaction
from lineage.survival import Survivor, by_marks, survival
from lineage_schema.vocabulary import Completeness, Kind, Role, Severity, passes

FIRST = 64
"""Answers that are walked together at first. Their lineage overlaps, so more at once are less work."""
NODES = 50_000
"""About how many nodes the walk of a later group reads: memory stays bounded."""
LINEAGES = tuple(word.value for word in Completeness)


def answer_reports(
    tx: Transaction, chains: Chains, cause: CauseState, ids: Sequence[str], edits: Sequence[Edit]
) -> list[dict[str, Any]]:
    """The reports of answers that the correction marks, in the order given."""
    found: list[dict[str, Any]] = []
    size = FIRST
    while len(found) < len(ids):
        group = ids[len(found) : len(found) + size]
        under = _Under(tx, chains, cause, group, edits)
        found.extend(under.answer(id_) for id_ in group)
        size = min(max(len(group) * NODES // under.size, 1), size * 8)
    return found


class _Under:
    """All that lies under a group of answers."""

    def __init__(
        self, tx: Transaction, chains: Chains, cause: CauseState, ids: Sequence[str], edits: Sequence[Edit]
    ) -> None:
        self._chains = chains
        self._cause = cause
        walk = tx.reading.walk(ids, up=False, passing=True)
        self._views: dict[str, NodeView] = tx.reading.views(walk.levels)
        self._inputs: dict[str, list[EdgeView]] = {}
        for edge in walk.edges:
            self._inputs.setdefault(edge.src, []).append(edge)
        for edges in self._inputs.values():
            edges.sort(key=lambda edge: (order(self._views[edge.dst]), edge.role))
        spans = [id_ for id_, view in self._views.items() if view.kind == Kind.SPAN]
        self._spans: dict[str, SpanRow] = tx.sources.spans(spans)
        self._severity: dict[str, int] = tx.reading.severities(cause.id, list(walk.levels))
        self._seeds: dict[str, Seed] = {
            id_: seed for id_, seeds in tx.marks.seeds(spans).items() for seed in seeds if seed.cause == cause.id
        }
        self._survival = survival(tx, ids, by_marks(tx))
        self._others: dict[str, list[str]] = tx.reading.open_corrections(ids, but=cause.id)
        self._from = {(change.uri, change.edition): change.source for change in cause.changes}
        self._edits: dict[tuple[str, int], list[Edit]] = {}
        for edit in edits:
            self._edits.setdefault((edit.uri, edit.edition), []).append(edit)
        self._carrying = {
            src: carrying
            for src, edges in self._inputs.items()
            if (carrying := [(edge, passed) for edge in edges if (passed := self._passed(edge))])
        }
        self._spans_under: dict[str, int] = {}
        self._edits_under: dict[str, int] = {}
        self._lineage_under: dict[str, int] = {}
        self._gather(walk.levels)
        self._ended = self._bits(each for each in spans if self._ends(each))

    @property
    def size(self) -> int:
        """How many nodes were read."""
        return len(self._views)

    def _gather(self, nodes: Collection[str]) -> None:
        """What lies under each node, itself included, each from what lies under its inputs.

        A set of spans or of edits is a number, a bit for each: thousands of nodes with hundreds each stay small.
        """
        self._bit = {span: 1 << number for number, span in enumerate(self._spans)}
        for node in bottom_up(nodes, self._inputs):
            spans, lineage = self._bit.get(node, 0), LINEAGES.index(self._views[node].lineage)
            for edge in self._inputs.get(node, ()):
                spans |= self._spans_under[edge.dst]
                lineage = max(lineage, self._lineage_under[edge.dst])
            touched = sum(1 << number for number in self._touched(node))
            for edge, _ in self._carrying.get(node, ()):
                touched |= self._edits_under[edge.dst]
            self._spans_under[node], self._edits_under[node], self._lineage_under[node] = spans, touched, lineage

    def _touched(self, node: str) -> list[int]:
        """The numbers of the edits that bear on a span that the correction seeds."""
        seed = self._seeds.get(node)
        if seed is None:
            return []
        row = self._spans[node]
        here = self._edits.get((row.uri, row.edition), [])
        return touching(self._chains, here, row, self._from[row.uri, row.edition], seed.cls)

    def _ends(self, span: str) -> bool:
        return span in self._seeds and self._seeds[span].severity is Severity.INVALID

    def _bits(self, spans: Iterable[str]) -> int:
        return sum(self._bit[span] for span in spans)

    def answer(self, id_: str) -> dict[str, Any]:
        view = self._views[id_]
        inputs = self._inputs.get(id_, [])
        claims = sorted(
            (self._views[edge.dst] for edge in inputs if edge.role == Role.CLAIM and self._severity.get(edge.dst)),
            key=lambda claim: (-self._after(claim.id, self._lifted(claim.id) is not None), order(claim)),
        )
        spans = self._spans_under[id_]
        return {
            "id": id_,
            "key": view.key,
            "namespace": view.namespace,
            "question": view.question,
            "cache_key": view.cache_key,
            "severity": self._after(id_, (self._cause.id, id_) in self._survival.answers).word,
            "also": self._others.get(id_, []),
            "lineage": LINEAGES[self._lineage_under[id_]],
            "share": [(spans & self._ended).bit_count(), spans.bit_count()],
            "reached_by": "cites" if claims else "retrieved",
            "claims": [self._claim(claim) for claim in claims],
        }

    def _after(self, id_: str, lifted: bool) -> Severity:
        """The severity after survival."""
        return Severity.REVIEW if lifted else Severity(self._severity[id_])

    def _lifted(self, claim: str) -> Survivor | None:
        return self._survival.claims.get((self._cause.id, claim))

    def _claim(self, claim: NodeView) -> dict[str, Any]:
        severity = Severity(self._severity[claim.id])
        path = self._path(claim.id, severity)
        carrying = {edge.dst for edge, _ in self._carrying.get(claim.id, ())}
        return {
            "id": claim.id,
            "text": claim.text,
            "severity": self._after(claim.id, self._lifted(claim.id) is not None).word,
            "level": len(path),
            "changes": _numbers(self._edits_under[claim.id]),
            "path": [
                {
                    "id": edge.dst,
                    "kind": self._views[edge.dst].kind,
                    "label": label(self._views[edge.dst], self._spans),
                    "role": edge.role,
                    "origins": list(edge.origins),
                }
                for edge in path
            ],
            "more_paths": max(len(carrying) - 1, 0),
            "survives_on": None if (lifted := self._lifted(claim.id)) is None else str(lifted),
        }

    def _passed(self, edge: EdgeView) -> Severity:
        """What passes over an edge from its input's mark."""
        severity = Severity(self._severity.get(edge.dst, 0))
        if severity is Severity.REVIEW and edge.version is not None:
            seed = self._seeds.get(edge.dst)
            if seed is None or edge.version not in seed.readers:
                return Severity.NONE
        return passes(Role(edge.role), severity)

    def _path(self, start: str, severity: Severity) -> list[EdgeView]:
        """The shortest way down over which the severity came; ties by kind, namespace, key, id."""
        distance: dict[str, int] = {start: 0}
        frontier, goals = [start], set[str]()
        parents: dict[str, list[EdgeView]] = {}
        while frontier and not goals:
            following: list[str] = []
            for node in frontier:
                for edge, passed in self._carrying.get(node, ()):
                    if passed < severity:
                        continue
                    if edge.dst not in distance:
                        distance[edge.dst] = distance[node] + 1
                        following.append(edge.dst)
                    if distance[edge.dst] == distance[node] + 1:
                        parents.setdefault(edge.dst, []).append(edge)
            goals = {node for node in following if node in self._seeds}
            frontier = following
        return self._best(start, goals, parents) if goals else []

    def _best(self, start: str, goals: set[str], parents: Mapping[str, list[EdgeView]]) -> list[EdgeView]:
        """Of all shortest ways, the one whose nodes come first, from the top down."""
        onto: dict[str, list[EdgeView]] = {}
        frontier = goals
        while frontier and start not in frontier:
            above: set[str] = set()
            for node in frontier:
                for edge in parents[node]:
                    onto.setdefault(edge.src, []).append(edge)
                    above.add(edge.src)
            frontier = above
        path: list[EdgeView] = []
        node = start
        while node in onto and node not in goals:
            edge = min(onto[node], key=lambda each: (order(self._views[each.dst]), each.role))
            path.append(edge)
            node = edge.dst
        return path


def _numbers(bits: int) -> list[int]:
    """Which bits are set, lowest first."""
    found = []
    while bits:
        found.append((bits & -bits).bit_length() - 1)
        bits &= bits - 1
    return found
