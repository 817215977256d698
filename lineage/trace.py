"""Tracing: from a node down to source characters, or up to all that rests on it. A graph, each node once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from lineage.chains import Chains
from lineage.refs import describe, resolve
from lineage.report.changes import locate, said_of
from lineage.report.labels import label, order
from lineage.stores.base import CitationRow, EdgeView, NodeView, Seed, SpanRow, Transaction
from lineage_schema.errors import BadInput, NotFound
from lineage_schema.vocabulary import Kind, Severity

BESIDE = 40
"""Code points of the source shown on each side of a quote."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Where a span is, and what became of it. Offsets are code points in ``version``.

    ``old``/``new`` are set where a correction ended the span: the sentences then and now.
    """

    uri: str
    edition: int
    version: int
    start: int
    end: int
    page: str | None
    section: str | None
    quote: str | None
    before: str
    after: str
    now: tuple[int, int, int] | None
    cls: str
    old: str | None = None
    new: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "uri": self.uri,
            "edition": self.edition,
            "version": self.version,
            "start": self.start,
            "end": self.end,
            "page": self.page,
            "section": self.section,
            "quote": self.quote,
            "before": self.before,
            "after": self.after,
            "now": None if self.now is None else dict(zip(("version", "start", "end"), self.now, strict=True)),
            "class": self.cls,
            "old": self.old,
            "new": self.new,
        }


@dataclass(frozen=True, slots=True)
class TraceNode:
    """One node of a trace. ``status`` is the worst open mark: fresh, review or invalid."""

    view: NodeView
    name: str
    label: str
    level: int
    status: str
    passage: Passage | None
    citations: tuple[CitationRow, ...]

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
            "producer": view.producer,
            "marks": [
                {"cause": mark.cause, "severity": Severity(mark.severity).word, "since": mark.since}
                for mark in view.marks
                if mark.type < 2
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
    """A part of the graph. ``up`` is an impact. ``cut`` counts nodes that a limit left out.

    ``as_of`` is the sequence number that was read; ``final`` tells whether nothing can still come
    before it (no run that began earlier is unfinished).
    """

    roots: tuple[str, ...]
    up: bool
    nodes: Mapping[str, TraceNode]
    edges: tuple[EdgeView, ...]
    cut: int
    as_of: int | None = None
    final: bool = True
    counts: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": "impact/1" if self.up else "trace/1",
            "roots": list(self.roots),
            "as_of": self.as_of,
            "final": self.final,
            "nodes": [node.to_json() for node in self.nodes.values()],
            "edges": [
                {
                    "from": edge.src,
                    "to": edge.dst,
                    "role": edge.role,
                    "origins": list(edge.origins),
                    "version": edge.version,
                }
                for edge in self.edges
            ],
            "counts": dict(self.counts),
            "truncated": self.cut > 0,
            "cut": self.cut,
        }


def trace(tx: Transaction, ref: str, *, limit: int | None = None, as_of: int | None = None) -> Trace:
    """Down from a node to source characters, over all roles."""
    return _walk(tx, [resolve(tx, ref, answers=True)], up=False, limit=limit, as_of=as_of)


def impact(tx: Transaction, ref: str, *, limit: int | None = None, as_of: int | None = None) -> Trace:
    """Up from a node, or from all spans of a document, over the roles that marks pass."""
    documents = tx.sources.documents([ref])
    if ref in documents:
        roots = sorted({id_ for state in documents[ref].editions for id_ in tx.sources.of_edition(ref, state.edition)})
        if not roots:
            raise NotFound(f"nothing was read from {ref} yet: no span of it is registered")
    else:
        roots = [resolve(tx, ref, answers=True)]
    return _walk(tx, roots, up=True, limit=limit, as_of=as_of)


def _walk(tx: Transaction, roots: list[str], *, up: bool, limit: int | None, as_of: int | None) -> Trace:
    if limit is not None and limit < len(roots):
        raise BadInput("trace", "limit", found=limit, expected=f"at least the {len(roots)} nodes that it begins at")
    walk = tx.reading.walk(roots, up=up, passing=up, limit=limit, as_of=as_of)
    views: dict[str, NodeView] = tx.reading.views(walk.levels)
    if as_of is not None:
        views = tx.reading.marks_then(views, as_of)
    spans: dict[str, SpanRow] = tx.sources.spans([id_ for id_, view in views.items() if view.kind == Kind.SPAN])
    citations = tx.reading.citations([id_ for id_, view in views.items() if view.kind == Kind.CLAIM])
    read = _versions_read(walk.edges)
    passages = _passages(tx, spans, read)
    ordered = sorted(views, key=lambda id_: (walk.levels[id_], order(views[id_])))
    nodes = {
        id_: TraceNode(
            view=views[id_],
            name=describe(views[id_]),
            label=label(views[id_], spans),
            level=walk.levels[id_],
            status=status(views[id_]),
            passage=passages.get(id_),
            citations=tuple(citations.get(id_, ())),
        )
        for id_ in ordered
    }
    edges = sorted(walk.edges, key=lambda edge: (order(views[edge.src]), edge.role, order(views[edge.dst])))
    begins = tx.reading.run_begins()
    final = as_of is None or as_of < min(begins.values(), default=as_of + 1)
    counts: dict[str, int] = {}
    for view in views.values():
        counts[view.kind] = counts.get(view.kind, 0) + 1
    return Trace(tuple(roots), up, nodes, tuple(edges), walk.cut, as_of, final, dict(sorted(counts.items())))


def status(view: NodeView) -> str:
    """The worst open mark of corrections and replacements: ``fresh``, ``review`` or ``invalid``."""
    worst = max((mark.severity for mark in view.marks if mark.type < 2), default=0)
    return ("fresh", "review", "invalid")[worst]


def _versions_read(edges: Collection[EdgeView]) -> dict[str, int]:
    """The lowest version in which each span was read: what its oldest reader saw."""
    read: dict[str, int] = {}
    for edge in edges:
        if edge.version is not None:
            read[edge.dst] = min(edge.version, read.get(edge.dst, edge.version))
    return read


def _passages(tx: Transaction, spans: Mapping[str, SpanRow], read: Mapping[str, int]) -> dict[str, Passage]:
    chains = Chains(tx)
    chains.prefetch(row.uri for row in spans.values())
    seeds: dict[str, list[Seed]] = tx.marks.seeds(list(spans))
    causes = {cause.id: cause for cause in tx.marks.causes(list({s.cause for each in seeds.values() for s in each}))}
    said: dict[tuple[str, int, int], dict[str, Any]] = {}
    found: dict[str, Passage] = {}
    for id_, row in spans.items():
        number = read.get(id_, row.version)
        start, end = row.anchors[number]
        place = (row.uri, row.edition, number)
        if place not in said:
            said[place] = said_of(tx, *place)
        page, section = locate(said[place], start, end)
        text = chains.text(chains.version(*place))
        document = chains.document(row.uri)
        current = next((e.current for e in document.editions if e.edition == row.edition), None) if document else None
        now = None if current is None or current not in row.anchors else (current, *row.anchors[current])
        ended = [seed for seed in seeds.get(id_, ()) if seed.severity is Severity.INVALID]
        beside = [seed for seed in seeds.get(id_, ()) if seed.severity is Severity.REVIEW]
        cls = (ended or beside)[-1].cls if ended or beside else "stands"
        old = new = None
        if ended:
            old, new = _old_and_new(chains, row, ended[-1], causes[ended[-1].cause].changes)
        found[id_] = Passage(
            uri=row.uri,
            edition=row.edition,
            version=number,
            start=start,
            end=end,
            page=page,
            section=section,
            quote=None if text is None else text.text[start:end],
            before="" if text is None else text.text[max(start - BESIDE, 0) : start],
            after="" if text is None else text.text[end : end + BESIDE],
            now=now,
            cls=cls or "stands",
            old=old,
            new=new,
        )
    return found


def _old_and_new(chains: Chains, row: SpanRow, seed: Seed, changes: Collection[Any]) -> tuple[str | None, str | None]:
    """The span's words in the version that the correction changed, and what answers to them in the one it left."""
    change = next((c for c in changes if c.uri == row.uri and c.edition == row.edition), None)
    if change is None or change.source not in row.anchors:
        return None, None
    source = chains.text(chains.version(row.uri, row.edition, change.source))
    target = chains.text(chains.version(row.uri, change.target_edition, change.target))
    start, end = row.anchors[change.source]
    old = None if source is None else source.text[start:end]
    new = None
    if target is not None and seed.start is not None and seed.end is not None:
        new = target.text[seed.start : seed.end]
    return old, new
