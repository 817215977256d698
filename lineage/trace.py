"""Tracing: from a node down to source characters, or up to all that rests on it. A graph, each node once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lineage.passages import Passage, passages
from lineage.refs import describe, resolve
from lineage.report.affected import iso
from lineage.report.labels import label, order
from lineage.stores.base import INCOMPLETE, CauseState, CitationRow, EdgeView, NodeView, SpanRow, Transaction, Walk
from lineage_schema.errors import BadInput, NotFound
from lineage_schema.vocabulary import Kind, Severity

CAUSE_TYPES = ("correction", "replacement", "incomplete")
STATUS = tuple(severity.word if severity else "fresh" for severity in Severity)


@dataclass(frozen=True, slots=True)
class TraceNode:
    """One node of a trace.

    ``level`` counts the edges from the nearest root. ``status`` is the worst open mark: fresh, review or invalid.
    ``passage`` is set for spans, ``citations`` (as printed, those that point to nothing too) for claims.
    """

    view: NodeView
    name: str
    label: str
    level: int
    status: str
    passage: Passage | None
    citations: tuple[CitationRow, ...]

    @property
    def causes(self) -> tuple[str, ...]:
        """The corrections and replacing runs that mark it."""
        return tuple(mark.cause for mark in self.view.marks if mark.type != INCOMPLETE)

    def to_json(self) -> dict[str, Any]:
        view = self.view
        body: dict[str, Any] = {
            "id": view.id,
            "kind": view.kind,
            "namespace": view.namespace,
            "key": view.key,
            "name": self.name,
            "label": self.label,
            "level": self.level,
            "text": view.text,
            "status": self.status,
            "lineage": view.lineage,
            "reason": view.reason,
            "current": view.current,
            "run": view.run,
            "producer": view.producer,
            "marks": [
                {
                    "cause": mark.cause,
                    "type": CAUSE_TYPES[mark.type],
                    "severity": Severity(mark.severity).word,
                    "since": mark.since,
                }
                for mark in view.marks
                if mark.type != INCOMPLETE
            ],
        }
        if self.passage is not None:
            body["span"] = self.passage.to_json()
        if view.kind == Kind.CLAIM:
            body["citations"] = [
                {
                    "order": each.order,
                    "marker": each.marker,
                    "marker_start": each.marker_start,
                    "marker_end": each.marker_end,
                    "target": each.target,
                    "start": each.start,
                    "end": each.end,
                    "whole": each.whole,
                }
                for each in self.citations
            ]
        return body


@dataclass(frozen=True, slots=True)
class Trace:
    """A part of the graph. ``up`` is an impact; ``document`` is the uri whose spans it begins at.

    ``nodes`` are ordered by level, kind, namespace, key, id. ``cut`` counts the nodes that were met and that a limit
    left out; what lies behind them was not looked at. ``as_of`` is the sequence number that was read (None: all);
    ``final`` tells whether nothing can still come before it. Nodes do not change, but ``current`` is as of now always.
    ``pending`` counts marks that propagation has still to carry on: until it is 0, a node may be worse than its
    ``status``. ``causes`` are the corrections and runs that the marks name.
    """

    roots: tuple[str, ...]
    up: bool
    nodes: Mapping[str, TraceNode]
    edges: tuple[EdgeView, ...]
    cut: int
    as_of: int | None = None
    final: bool = True
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    document: str | None = None
    pending: int = 0
    causes: Mapping[str, CauseState] = field(default_factory=dict[str, CauseState])

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": "impact/1" if self.up else "trace/1",
            "roots": list(self.roots),
            "document": self.document,
            "as_of": self.as_of,
            "final": self.final,
            "pending": self.pending,
            "causes": [
                {
                    "id": cause.id,
                    "type": CAUSE_TYPES[cause.type],
                    "seq": cause.seq,
                    "at": iso(cause.at),
                    "reason": cause.reason,
                    "by": cause.by,
                }
                for cause in self.causes.values()
            ],
            "nodes": [node.to_json() for node in self.nodes.values()],
            "edges": [
                {
                    "from": edge.src,
                    "to": edge.dst,
                    "role": edge.role,
                    "origins": list(edge.origins),
                    "version": edge.version,
                    "lineage": self.nodes[edge.src].view.lineage,
                }
                for edge in self.edges
            ],
            "counts": dict(self.counts),
            "truncated": self.cut > 0,
            "cut": self.cut,
        }


def trace(tx: Transaction, ref: str, *, limit: int | None = None, as_of: int | None = None) -> Trace:
    """Down from a node to source characters, over all roles.

    ``limit`` bounds the nodes, the nearest first. ``as_of`` reads edges, marks and what became of spans as they were
    after that sequence number. Raises :class:`NotFound` for what did not exist then.
    """
    _check(limit, as_of)
    root = resolve(tx, ref, answers=True)
    found = _walk(tx, [root], up=False, limit=limit, as_of=as_of)
    _check_existed(tx, found, root)
    return found


def impact(tx: Transaction, ref: str, *, limit: int | None = None, as_of: int | None = None) -> Trace:
    """Up from a node, or from all spans of all versions of a document, over the roles that marks pass.

    A document of which nothing was read yet has an empty impact. Otherwise as :func:`trace`.
    """
    _check(limit, as_of)
    documents = tx.sources.documents([ref])
    if ref not in documents:
        root = resolve(tx, ref, answers=True)
        found = _walk(tx, [root], up=True, limit=limit, as_of=as_of)
        _check_existed(tx, found, root)
        return found
    ids = {id_ for state in documents[ref].editions for id_ in tx.sources.of_edition(ref, state.edition)}
    spans: dict[str, SpanRow] = tx.sources.spans(ids)
    if as_of is not None:
        came = {
            (state.edition, version.number): version.seq
            for state in documents[ref].editions
            for version in tx.sources.versions([(ref, state.edition)])[ref, state.edition]
        }
        spans = {id_: row for id_, row in spans.items() if came[row.edition, row.version] <= as_of}
    roots = sorted(spans, key=lambda id_: _place(spans[id_]))
    kept = roots if limit is None else roots[:limit]
    found = _walk(tx, kept, up=True, limit=limit, as_of=as_of)
    return replace(found, document=ref, cut=found.cut + len(roots) - len(kept))


def status(view: NodeView) -> str:
    """The worst open mark of corrections and replacements: ``fresh``, ``review`` or ``invalid``."""
    return STATUS[max((mark.severity for mark in view.marks if mark.type != INCOMPLETE), default=0)]


def _check(limit: int | None, as_of: int | None) -> None:
    if limit is not None and limit < 1:
        raise BadInput("trace", "limit", found=limit, expected="at least 1")
    if as_of is not None and as_of < 0:
        raise BadInput("trace", "as_of", found=as_of, expected="a sequence number, from 0")


def _check_existed(tx: Transaction, found: Trace, root: str) -> None:
    """A node begins with its first making. Raises :class:`NotFound` where that was later."""
    if found.as_of is None or found.edges:
        return
    begins = [min(begin, made) for _, _, begin, made, _, _ in tx.reading.makings(root)]
    if begins and min(begins) > found.as_of:
        raise NotFound(
            f"{found.nodes[root].name} was made at sequence number {min(begins)}, after {found.as_of}",
            hint="lineage history NODE lists what happened and when",
        )


def _walk(tx: Transaction, roots: Sequence[str], *, up: bool, limit: int | None, as_of: int | None) -> Trace:
    walk: Walk = tx.reading.walk(roots, up=up, passing=up, limit=limit, as_of=as_of)
    views: dict[str, NodeView] = tx.reading.views(walk.levels)
    if as_of is not None:
        views = tx.reading.marks_then(tx.reading.made_then(views, as_of), as_of)
    spans: dict[str, SpanRow] = tx.sources.spans([id_ for id_, view in views.items() if view.kind == Kind.SPAN])
    claims = [id_ for id_, view in views.items() if view.kind == Kind.CLAIM]
    citations = tx.reading.citations(claims, as_of=as_of)
    places = passages(tx, spans, _versions_read(walk.edges), as_of)
    rank = {id_: order(view) for id_, view in views.items()}
    ordered = sorted(views, key=lambda id_: (walk.levels[id_], rank[id_]))
    nodes = {
        id_: TraceNode(
            view=views[id_],
            name=describe(views[id_]),
            label=label(views[id_], spans),
            level=walk.levels[id_],
            status=status(views[id_]),
            passage=places.get(id_),
            citations=tuple(citations.get(id_, ())),
        )
        for id_ in ordered
    }
    edges = sorted(walk.edges, key=lambda edge: (rank[edge.src], edge.role, rank[edge.dst]))
    marking = {cause for node in nodes.values() for cause in node.causes}
    marking |= {node.passage.fate.cause for node in nodes.values() if node.passage and node.passage.fate}
    counts: dict[str, int] = {}
    for view in views.values():
        counts[view.kind] = counts.get(view.kind, 0) + 1
    return Trace(
        roots=tuple(roots),
        up=up,
        nodes=nodes,
        edges=tuple(edges),
        cut=walk.cut,
        as_of=as_of,
        final=as_of is None or as_of <= _final_below(tx),
        counts=dict(sorted(counts.items())),
        pending=tx.spread.amount() if as_of is None else 0,
        causes={cause.id: cause for cause in tx.marks.causes(sorted(marking), changes=0)} if marking else {},
    )


def _final_below(tx: Transaction) -> int:
    """The last sequence number before which nothing can still come: a run's new nodes begin when the run did."""
    return min((begin - 1 for begin in tx.reading.run_begins().values()), default=tx.sequence())


def _place(row: SpanRow) -> tuple[int, int, int, int, str]:
    return row.edition, row.version, row.start, row.end, row.id


def _versions_read(edges: Collection[EdgeView]) -> dict[str, int]:
    """The lowest version in which each span was read: what its oldest reader saw."""
    read: dict[str, int] = {}
    for edge in edges:
        if edge.version is not None:
            read[edge.dst] = min(edge.version, read.get(edge.dst, edge.version))
    return read
