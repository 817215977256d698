"""What to rebuild, in order: the work list of a pipeline after corrections.

A node is on the list if it is current and stale, or stands on a node that is no longer
current. Levels are topological among the listed nodes: a level can be rebuilt when those
below it are. A node that needs no rebuilding is never listed for another's sake: if a rebuilt
input turns out the same text, all above it clears by itself.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from lineage.register.order import levels
from lineage.report.labels import label, order
from lineage.stores.base import NodeView, SpanRow, Transaction
from lineage_schema.identity import parse_key
from lineage_schema.vocabulary import Kind


@dataclass(frozen=True, slots=True)
class PlanInput:
    """An input to use now. ``now`` is set for a span: where its words, or what answers to them, stand today."""

    id: str
    kind: str
    role: str
    label: str
    state: str
    now: dict[str, Any] | None

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind,
            "role": self.role,
            "label": self.label,
            "state": self.state,
            "now": self.now,
        }


@dataclass(frozen=True, slots=True)
class PlanNode:
    """One node to rebuild, or one key to retire. ``because`` lists the causes of its open marks."""

    id: str
    kind: str
    namespace: str
    key: Any
    label: str
    producer: str | None
    cache_key: str | None
    severity: str
    because: tuple[str, ...]
    inputs: tuple[PlanInput, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind,
            "namespace": self.namespace,
            "key": list(self.key) if isinstance(self.key, tuple) else self.key,
            "replaces": [list(self.key) if isinstance(self.key, tuple) else self.key],
            "label": self.label,
            "producer": self.producer,
            "cache_key": self.cache_key,
            "severity": self.severity,
            "because": list(self.because),
            "inputs": [each.to_json() for each in self.inputs],
        }


@dataclass(frozen=True, slots=True)
class Plan:
    """The levels, the lowest first; ``stay`` counts current nodes, spans left out, that need nothing."""

    levels: tuple[tuple[PlanNode, ...], ...]
    stay: int
    pending: bool

    def to_json(self) -> dict[str, Any]:
        counts = [dict(sorted(Counter(node.kind for node in level).items())) for level in self.levels]
        return {
            "schema": "plan/1",
            "levels": [[node.to_json() for node in level] for level in self.levels],
            "counts": counts,
            "rebuild": sum(len(level) for level in self.levels),
            "stay": self.stay,
            "pending": self.pending,
        }


def plan(tx: Transaction, cause: str | None = None) -> Plan:
    """What to rebuild for all causes that invalidate, or for one correction."""
    ids = tx.reading.to_rebuild(cause)
    inputs = tx.reading.inputs(ids)
    below = {id_: [edge.dst for edge in inputs.get(id_, ())] for id_ in ids}
    views: dict[str, NodeView] = tx.reading.views(set(ids).union(*below.values()))
    spans: dict[str, SpanRow] = tx.sources.spans([id_ for id_, view in views.items() if view.kind == Kind.SPAN])
    now = _now(tx, list(spans.values()))
    listed = []
    for level in levels(below) if below else []:
        nodes = []
        for id_ in sorted(level, key=lambda each: order(views[each])):
            view = views[id_]
            nodes.append(
                PlanNode(
                    id_,
                    view.kind,
                    view.namespace,
                    parse_key(view.key),
                    label(view, spans),
                    view.producer,
                    view.cache_key,
                    _worst(view),
                    tuple(mark.cause for mark in view.marks if mark.type < 2),
                    tuple(
                        PlanInput(
                            edge.dst,
                            views[edge.dst].kind,
                            edge.role,
                            label(views[edge.dst], spans),
                            _state(views[edge.dst]),
                            now.get(edge.dst),
                        )
                        for edge in sorted(inputs.get(id_, ()), key=lambda each: (each.role, order(views[each.dst])))
                    ),
                )
            )
        listed.append(tuple(nodes))
    total = tx.reading.current_count()
    return Plan(tuple(listed), total - len(ids), tx.spread.pending())


def _worst(view: NodeView) -> str:
    worst = max((mark.severity for mark in view.marks if mark.type < 2), default=0)
    return ("none", "review", "invalid")[worst]


def _state(view: NodeView) -> str:
    return "replaced" if not view.current else _worst(view) if view.marks else "fresh"


def _now(tx: Transaction, rows: list[SpanRow]) -> dict[str, dict[str, Any]]:
    """Where each span's text, or what answers to it, is in the current version of its edition."""
    documents = tx.sources.documents({row.uri for row in rows})
    seeds = tx.marks.seeds([row.id for row in rows])
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        state = next(each for each in documents[row.uri].editions if each.edition == row.edition)
        if state.withdrawn:
            continue
        place = row.anchors.get(state.current)
        if place is None:
            ended = [(seed.start, seed.end) for seed in seeds.get(row.id, ()) if seed.start is not None]
            start, end = ended[-1] if ended else (None, None)
            place = None if start is None or end is None else (start, end)
        if place is not None:
            found[row.id] = {"uri": row.uri, "version": state.current, "start": place[0], "end": place[1]}
    return found
