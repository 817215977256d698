"""What answers cite, loaded: each citation to its exact text, or to the spans under a derived node.

This is the one place where texts leave the store to be judged, so the place where access to them is decided.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lineage.chains import Chains
from lineage.said import locate, said_of
from lineage.stores.base import CitationRow, NodeView, Seed, SpanRow, Transaction
from lineage_schema.identity import parse_key, version_id
from lineage_schema.judgments import Passage
from lineage_schema.vocabulary import SCOPE_ATTRIBUTES, ChangeKind, Kind, Role, Severity

Wanted = tuple[str, int | None, int | None, int | None]
"""A node's id; the version of a span that was read; a range of a derived node's own text (code points)."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a span was read: a half-open range of code points in a version, and what is stated of that version.

    ``title`` and ``url`` are what its document was registered with; ``length`` is the version's, in code points, and
    ``sections`` how many it has. ``cut``: the range begins or ends within a word.
    """

    uri: str
    edition: int
    version: int
    start: int
    end: int
    page: str | None
    heading: str | None
    title: str | None
    url: str | None
    length: int
    sections: int
    cut: bool
    said: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Material:
    """One thing that an answer cites, or had in its context: a span or a derived node.

    ``passage`` is None where the text was purged. ``place`` is a span's. ``ended`` are the corrections that ended a
    span and not since brought it back: what was judged of it is of no use for new scores. ``marks`` are the open
    corrections of a derived node, with their severity.
    """

    id: str
    kind: str
    title: str | None
    passage: Passage | None
    place: Place | None
    ended: tuple[str, ...]
    marks: tuple[tuple[str, Severity], ...]
    lineage: str


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation as printed. ``material`` is None where the marker resolves to nothing."""

    order: int
    marker: str | None
    marker_start: int | None
    marker_end: int | None
    whole: bool
    material: Material | None

    @property
    def name(self) -> str:
        """What a reader calls it: the marker without its brackets, else the title, else its number."""
        if self.marker:
            return self.marker.strip("[]【】()^ ") or self.marker
        if self.material is not None and self.material.title:
            return self.material.title
        return str(self.order)


@dataclass(frozen=True, slots=True)
class ClaimMaterial:
    """A statement of an answer, and what it cites, in order."""

    id: str
    ordinal: int
    label: str
    text: str | None
    needs_evidence: bool
    scope: Mapping[str, Any]
    invalid: tuple[str, ...]
    cited: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class AnswerMaterial:
    """An answer with its statements in order, and what was in its context: spans by place, then derived nodes."""

    id: str
    namespace: str
    key: str
    question: str | None
    text: str | None
    current: bool
    scope: Mapping[str, Any]
    searched: tuple[str, ...]
    claims: tuple[ClaimMaterial, ...]
    retrieved: tuple[Material, ...]


def answer_materials(tx: Transaction, answers: Collection[str]) -> list[AnswerMaterial]:
    """What answers cite and had in their context, in the order given. Look-ups are made for all of them together."""
    ids = list(dict.fromkeys(answers))
    views: dict[str, NodeView] = tx.reading.views(ids)
    inputs = tx.reading.inputs(ids)
    claims_of = {id_: [edge.dst for edge in inputs.get(id_, ()) if edge.role == Role.CLAIM] for id_ in ids}
    context = {id_: [edge for edge in inputs.get(id_, ()) if edge.role == Role.RETRIEVED] for id_ in ids}
    claims = [claim for listed in claims_of.values() for claim in listed]
    views.update(tx.reading.views(claims))
    citations: dict[str, list[CitationRow]] = tx.reading.citations(claims)
    found = materials(
        tx,
        [
            *(_wanted(row) for rows in citations.values() for row in rows if row.target is not None),
            *((edge.dst, edge.version, None, None) for edges in context.values() for edge in edges),
        ],
    )
    return [
        AnswerMaterial(
            id=id_,
            namespace=views[id_].namespace,
            key=views[id_].key,
            question=views[id_].question,
            text=views[id_].text,
            current=views[id_].current,
            scope=_scope(views[id_]),
            searched=views[id_].searched,
            claims=tuple(
                sorted(
                    (_claim(views[claim], citations.get(claim, []), found) for claim in claims_of[id_]),
                    key=lambda each: each.ordinal,
                )
            ),
            retrieved=tuple(
                sorted((found[edge.dst, edge.version, None, None] for edge in context[id_]), key=_in_order)
            ),
        )
        for id_ in ids
    ]


def cited_of(tx: Transaction, claims: Collection[str]) -> dict[str, tuple[Cited, ...]]:
    """What claims cite, in order. Look-ups are made for all of them together."""
    citations: dict[str, list[CitationRow]] = tx.reading.citations(claims)
    found = materials(tx, (_wanted(row) for rows in citations.values() for row in rows if row.target is not None))
    return {claim: _cited(citations.get(claim, []), found) for claim in claims}


def materials(tx: Transaction, wanted: Iterable[Wanted]) -> dict[Wanted, Material]:
    """The texts behind ids, each with where it stands. Costs a few look-ups a document and version, none a span."""
    asked = list(dict.fromkeys(wanted))
    ids = list(dict.fromkeys(id_ for id_, *_ in asked))
    views: dict[str, NodeView] = tx.reading.views(ids)
    spans: dict[str, SpanRow] = tx.sources.spans([id_ for id_ in ids if views[id_].kind == Kind.SPAN])
    ended = _ended(tx, spans)
    chains = Chains(tx)
    chains.prefetch(row.uri for row in spans.values())
    loader = _Loader(tx, chains)
    return {
        each: loader.span(views[each[0]], spans[each[0]], each[1], ended.get(each[0], ()))
        if each[0] in spans
        else _derived(views[each[0]], each[2], each[3])
        for each in asked
    }


def under(tx: Transaction, nodes: Collection[str]) -> dict[str, list[Material]]:
    """The spans under derived nodes, over passing roles, in the order of their documents and places.

    One walk for all of them. A span that was read in several versions on the way is shown as in the first of them.
    """
    wanted = list(dict.fromkeys(nodes))
    walk = tx.reading.walk(wanted, up=False, passing=True)
    inputs: dict[str, list[tuple[str, int | None]]] = {}
    for edge in walk.edges:
        inputs.setdefault(edge.src, []).append((edge.dst, edge.version))
    spans: dict[str, SpanRow] = tx.sources.spans(list(walk.levels))
    read = {node: _read_under(node, inputs) for node in wanted}
    asked = {
        node: [(id_, version, None, None) for id_, version in versions.items() if id_ in spans]
        for node, versions in read.items()
    }
    loaded = materials(tx, (each for listed in asked.values() for each in listed))
    return {node: sorted((loaded[each] for each in listed), key=_order) for node, listed in asked.items()}


def _read_under(node: str, inputs: Mapping[str, Sequence[tuple[str, int | None]]]) -> dict[str, int | None]:
    """All that a node rests on, itself included, each with the first of its versions that was read on the way."""
    found: dict[str, int | None] = {node: None}
    waiting = [node]
    while waiting:
        for below, version in inputs.get(waiting.pop(), ()):
            if below not in found:
                found[below] = version
                waiting.append(below)
                continue
            known = found[below]
            if version is not None and (known is None or version < known):
                found[below] = version
    return found


def _ended(tx: Transaction, spans: Mapping[str, SpanRow]) -> dict[str, tuple[str, ...]]:
    """The corrections that ended spans. A newer edition ends none: the old one stays citable for its period."""
    seeds: dict[str, list[Seed]] = tx.marks.seeds(list(spans))
    invalid = {id_: [s.cause for s in listed if s.severity is Severity.INVALID] for id_, listed in seeds.items()}
    causes = tx.marks.causes(sorted({cause for listed in invalid.values() for cause in listed}))
    editions = {
        (cause.id, change.uri, change.edition)
        for cause in causes
        for change in cause.changes
        if change.kind == ChangeKind.EDITION
    }
    return {
        id_: tuple(sorted(c for c in listed if (c, spans[id_].uri, spans[id_].edition) not in editions))
        for id_, listed in invalid.items()
    }


class _Loader:
    """Spans with their texts, within one transaction."""

    def __init__(self, tx: Transaction, chains: Chains) -> None:
        self._tx = tx
        self._chains = chains
        self._said: dict[tuple[str, int, int], dict[str, Any]] = {}

    def span(self, view: NodeView, row: SpanRow, read: int | None, ended: tuple[str, ...]) -> Material:
        number = row.version if read is None or read not in row.anchors else read
        start, end = row.anchors[number]
        at = (row.uri, row.edition, number)
        if at not in self._said:
            self._said[at] = said_of(self._tx, *at)
        said = self._said[at]
        page, heading = locate(said, start, end)
        version = self._chains.version(*at)
        first = self._chains.version(row.uri, row.edition, row.version)
        assert first is not None
        text = self._chains.text(version)
        document = self._chains.document(row.uri)
        title = None if document is None else document.title
        url = None if document is None else document.url
        whole = "" if text is None else text.text
        place = Place(
            *at,
            start,
            end,
            page=page,
            heading=heading,
            title=title,
            url=url,
            length=len(whole),
            sections=len(said.get("sections") or ()),
            cut=_cut(whole, start, end),
            said={name: value for name, value in said.items() if name not in ("pages", "sections")},
        )
        return Material(
            id=view.id,
            kind=view.kind,
            title=title,
            # The same words stand wherever the span stands; the key names the first version that has them.
            passage=None if text is None else Passage(text.text[start:end], _version_id(row, first.sha256)),
            place=place,
            ended=ended,
            marks=(),
            lineage=view.lineage,
        )


def _cut(text: str, start: int, end: int) -> bool:
    return any(0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum() for at in (start, end))


def _version_id(row: SpanRow, sha256: str | None) -> str:
    return version_id(row.uri, row.edition, row.version, sha256)


def _derived(view: NodeView, start: int | None, end: int | None) -> Material:
    text = view.text
    if text is not None and start is not None:
        text = text[start:end]
    return Material(
        id=view.id,
        kind=view.kind,
        title=view.title,
        passage=None if text is None else Passage(text, view.id),
        place=None,
        ended=(),
        marks=tuple((mark.cause, Severity(mark.severity)) for mark in view.marks),
        lineage=view.lineage,
    )


def _claim(view: NodeView, rows: Iterable[CitationRow], found: Mapping[Wanted, Material]) -> ClaimMaterial:
    key = parse_key(view.key)
    ordinal = int(key[-1]) if isinstance(key, tuple) else 0
    return ClaimMaterial(
        id=view.id,
        ordinal=ordinal,
        label=view.label or str(ordinal),
        text=view.text,
        needs_evidence=view.needs_evidence is not False,
        scope=_scope(view),
        invalid=tuple(mark.cause for mark in view.marks if mark.severity == Severity.INVALID),
        cited=_cited(rows, found),
    )


def _cited(rows: Iterable[CitationRow], found: Mapping[Wanted, Material]) -> tuple[Cited, ...]:
    return tuple(
        Cited(
            order=row.order,
            marker=row.marker,
            marker_start=row.marker_start,
            marker_end=row.marker_end,
            whole=row.whole,
            material=None if row.target is None else found[_wanted(row)],
        )
        for row in rows
    )


def _wanted(row: CitationRow) -> Wanted:
    assert row.target is not None
    return row.target, row.version, row.start, row.end


def _scope(view: NodeView) -> dict[str, Any]:
    return {name: view.attributes[name] for name in SCOPE_ATTRIBUTES if view.attributes.get(name) is not None}


def _in_order(material: Material) -> tuple[bool, tuple[str, int, int, int, str]]:
    """Spans by their places, then derived nodes by kind and id: an order that does not depend on the store."""
    if material.place is not None:
        return False, _order(material)
    return True, (material.kind, 0, 0, 0, material.id)


def _order(material: Material) -> tuple[str, int, int, int, str]:
    place = material.place
    assert place is not None
    return place.uri, place.edition, place.start, place.end, material.id
