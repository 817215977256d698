"""What the report says of each affected answer: its claims, a path to the change, and the share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lineage.chains import Chains
from lineage.report.changes import Edit, touching
from lineage.report.labels import label, order
from lineage.stores.base import CauseState, EdgeView, NodeView, Seed, SpanRow, Transaction
from lineage.survival import Survivor, by_marks, survival
from lineage_schema.vocabulary import Completeness, Kind, Role, Severity, passes

GROUP = 64
"""Answers that are walked together: their lineage overlaps, and memory stays bounded."""
LINEAGES = tuple(word.value for word in Completeness)


def answer_reports(
    tx: Transaction, chains: Chains, cause: CauseState, ids: Sequence[str], edits: Sequence[Edit]
) -> list[dict[str, Any]]:
    """The reports of answers that the correction marks, in the order given."""
    found: list[dict[str, Any]] = []
    for begin in range(0, len(ids), GROUP):
        under = _Under(tx, chains, cause, ids[begin : begin + GROUP], edits)
        found.extend(under.answer(id_) for id_ in ids[begin : begin + GROUP])
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
        self._distances: dict[str, tuple[int, str | None]] = {}

    def answer(self, id_: str) -> dict[str, Any]:
        view = self._views[id_]
        inputs = self._inputs.get(id_, [])
        claims = sorted(
            (self._views[edge.dst] for edge in inputs if edge.role == Role.CLAIM and self._severity.get(edge.dst)),
            key=lambda claim: (-self._after(claim.id, self._lifted(claim.id) is not None), order(claim)),
        )
        under = self._below(id_)
        spans = [each for each in under if each in self._spans]
        ended = [each for each in spans if each in self._seeds and self._seeds[each].severity is Severity.INVALID]
        worst = max((LINEAGES.index(self._views[each].lineage) for each in under), default=0)
        return {
            "id": id_,
            "key": view.key,
            "namespace": view.namespace,
            "question": view.question,
            "cache_key": view.cache_key,
            "severity": self._after(id_, (self._cause.id, id_) in self._survival.answers).word,
            "also": self._others.get(id_, []),
            "lineage": LINEAGES[worst],
            "share": [len(ended), len(spans)],
            "reached_by": "cites" if claims else "retrieved",
            "claims": [self._claim(claim) for claim in claims],
        }

    def _after(self, id_: str, lifted: bool) -> Severity:
        """The severity after survival."""
        return Severity.REVIEW if lifted else Severity(self._severity[id_])

    def _lifted(self, claim: str) -> Survivor | None:
        return self._survival.claims.get((self._cause.id, claim))

    def _below(self, id_: str) -> list[str]:
        seen, stack = {id_}, [id_]
        while stack:
            for edge in self._inputs.get(stack.pop(), ()):
                if edge.dst not in seen:
                    seen.add(edge.dst)
                    stack.append(edge.dst)
        return list(seen)

    def _claim(self, claim: NodeView) -> dict[str, Any]:
        severity = Severity(self._severity[claim.id])
        path = self._path(claim.id, severity)
        carrying = [edge for edge in self._inputs.get(claim.id, ()) if self._passed(edge) >= Severity.REVIEW]
        return {
            "id": claim.id,
            "text": claim.text,
            "severity": self._after(claim.id, self._lifted(claim.id) is not None).word,
            "level": len(path),
            "changes": self._changes(claim.id),
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
            "more_paths": max(len({edge.dst for edge in carrying}) - 1, 0),
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
                for edge in self._inputs.get(node, ()):
                    if self._passed(edge) < severity:
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

    def _changes(self, claim: str) -> list[int]:
        """The numbers of the edits that bear on the claim, over all ways that carry the mark."""
        seen, stack, numbers = {claim}, [claim], set[int]()
        while stack:
            for edge in self._inputs.get(stack.pop(), ()):
                if edge.dst in seen or not self._passed(edge):
                    continue
                seen.add(edge.dst)
                stack.append(edge.dst)
                seed = self._seeds.get(edge.dst)
                if seed is not None:
                    row = self._spans[edge.dst]
                    here = self._edits.get((row.uri, row.edition), [])
                    numbers.update(touching(self._chains, here, row, self._from[row.uri, row.edition], seed.cls))
        return sorted(numbers)
