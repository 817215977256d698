"""Where spans are in their documents, what they say, and what corrections did to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from lineage.chains import Chains
from lineage.said import locate, said_of
from lineage.seeds import span_seeds
from lineage.stores.base import (
    CauseState,
    ChangeRow,
    DocumentState,
    EditionKey,
    EditionState,
    Seed,
    SpanRow,
    Transaction,
    VersionState,
)
from lineage_schema.text import TextIndex
from lineage_schema.vocabulary import Severity

BESIDE = 40
"""Code points of the source shown on each side of a quote."""
STANDS = "stands"


@dataclass(frozen=True, slots=True)
class Fate:
    """What a correction did to a span.

    ``edition``/``version`` are those that the correction brought, ``start``/``end`` the range there that answers to
    the span (code points; None where nothing does). ``old`` and ``new`` are the sentences before and after that differ,
    None where there is no text.
    """

    cls: str
    cause: str
    edition: int
    version: int
    start: int | None
    end: int | None
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class Passage:
    """A span as it was read: offsets are code points in ``version``, the lowest one that the trace's edges name.

    ``now`` is its place (version, start, end) in the current version of its edition, None where it does not stand
    there. ``quote`` is None where the text was purged; ``before`` and ``after`` are up to :data:`BESIDE` code points.
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
    fate: Fate | None

    @property
    def cls(self) -> str:
        """``stands``, or the class of what a correction did to it."""
        return STANDS if self.fate is None else self.fate.cls

    def to_json(self) -> dict[str, Any]:
        fate = self.fate
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
            "cause": None if fate is None else fate.cause,
            "there": None
            if fate is None
            else {"edition": fate.edition, "version": fate.version, "start": fate.start, "end": fate.end},
            "old": None if fate is None else fate.old,
            "new": None if fate is None else fate.new,
        }


class PastChains(Chains):
    """The editions as they were after a sequence number."""

    def __init__(self, tx: Transaction, as_of: int) -> None:
        super().__init__(tx)
        self._as_of = as_of
        self._then: dict[str, DocumentState | None] = {}

    def versions(self, uri: str, edition: int) -> list[VersionState]:
        """The versions that had come."""
        return [version for version in super().versions(uri, edition) if version.seq <= self._as_of]

    def document(self, uri: str) -> DocumentState | None:
        """The document with the editions that had come, each at the version that held."""
        if uri not in self._then:
            now = super().document(uri)
            editions = []
            for state in () if now is None else now.editions:
                come = self.versions(uri, state.edition)
                if come:
                    last = come[-1]
                    editions.append(EditionState(state.edition, last.number, last.sha256 is None, state.seq))
            self._then[uri] = None if now is None or not editions else replace(now, editions=tuple(editions))
        return self._then[uri]


def passages(
    tx: Transaction, spans: Mapping[str, SpanRow], read: Mapping[str, int], as_of: int | None = None
) -> dict[str, Passage]:
    """The passages of spans by id. ``read`` is the version each was read in; a span that nobody read, its first.

    Costs a few look-ups for each document and version, none for a span. ``as_of`` leaves out what came after that
    sequence number.
    """
    past = None if as_of is None else PastChains(tx, as_of)
    chains = Chains(tx) if past is None else past
    chains.prefetch(row.uri for row in spans.values())
    seeds, causes = _seeds(tx, spans) if past is None else _seeds_then(tx, past, spans)
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
            now=_now(chains, row),
            fate=_fate(chains, row, seeds.get(id_, []), causes),
        )
    return found


def _now(chains: Chains, row: SpanRow) -> tuple[int, int, int] | None:
    document = chains.document(row.uri)
    editions = () if document is None else document.editions
    current = next((state.current for state in editions if state.edition == row.edition), None)
    return None if current is None or current not in row.anchors else (current, *row.anchors[current])


def _seeds(tx: Transaction, spans: Mapping[str, SpanRow]) -> tuple[dict[str, list[Seed]], dict[str, CauseState]]:
    seeds: dict[str, list[Seed]] = tx.marks.seeds(list(spans))
    return seeds, _causes(tx, {seed.cause for listed in seeds.values() for seed in listed})


def _seeds_then(
    tx: Transaction, chains: PastChains, spans: Mapping[str, SpanRow]
) -> tuple[dict[str, list[Seed]], dict[str, CauseState]]:
    """What the corrections up to then did to the spans, worked out anew: later ones may have taken it back.

    A later correction does nothing here: the versions that it brought had not come.
    """
    editions: dict[EditionKey, list[tuple[str, ChangeRow]]] = {
        (uri, edition): tx.marks.corrections_of(uri, edition)
        for uri, edition in {(row.uri, row.edition) for row in spans.values()}
    }
    causes = _causes(tx, {cause for listed in editions.values() for cause, _ in listed})
    seeds: dict[str, list[Seed]] = {}
    for id_, row in spans.items():
        first = chains.version(row.uri, row.edition, row.version)
        if editions[row.uri, row.edition] and first is not None and not first.purged:
            held = {version.number for version in chains.versions(row.uri, row.edition)}
            then = replace(row, anchors={number: at for number, at in row.anchors.items() if number in held})
            seeds[id_] = span_seeds(chains, editions[row.uri, row.edition], then)
    return seeds, causes


def _causes(tx: Transaction, ids: set[str]) -> dict[str, CauseState]:
    return {cause.id: cause for cause in tx.marks.causes(sorted(ids))} if ids else {}


def _fate(chains: Chains, row: SpanRow, seeds: list[Seed], causes: Mapping[str, CauseState]) -> Fate | None:
    """What the worst of the corrections did to the span, the last one of equals."""
    if not seeds:
        return None
    seed = max(seeds, key=lambda each: (each.severity, causes[each.cause].seq, each.cause))
    change = next(c for c in causes[seed.cause].changes if (c.uri, c.edition) == (row.uri, row.edition))
    inside = change.target_edition == row.edition
    place = row.anchors.get(change.target) if inside and seed.severity is Severity.REVIEW else None
    start, end = place or (seed.start, seed.end)
    source = chains.text(chains.version(row.uri, row.edition, change.source))
    target = chains.text(chains.version(row.uri, change.target_edition, change.target))
    beside = seed.cls == "context"
    old = _Sentences(source, row.anchors.get(change.source), beside)
    new = _Sentences(target, None if start is None or end is None else (start, end), beside)
    was, is_ = old.unlike(new), new.unlike(old)
    return Fate(seed.cls or STANDS, seed.cause, change.target_edition, change.target, start, end, was, is_)


class _Sentences:
    """The sentences that a range touches; ``beside`` also takes the neighbouring ones of its paragraph."""

    def __init__(self, index: TextIndex | None, place: tuple[int, int] | None, beside: bool) -> None:
        self._text = "" if index is None else index.text
        self._ranges: list[tuple[int, int]] = []
        if index is None or place is None or place[0] >= place[1]:
            return
        touched = index.sentences_touching(*place)
        first, stop = touched.start, touched.stop
        if beside and first < stop:
            paragraphs = index.paragraph_of(first), index.paragraph_of(stop - 1)
            first -= int(first > 0 and index.paragraph_of(first - 1) == paragraphs[0])
            stop += int(stop < len(index.sentences) and index.paragraph_of(stop) == paragraphs[1])
        self._ranges = index.sentences[first:stop]

    def _texts(self) -> list[str]:
        return [self._text[start:end] for start, end in self._ranges]

    def unlike(self, other: _Sentences) -> str | None:
        """The text from the first sentence to the last that differs from the other's; all where none differs."""
        mine, others = self._texts(), other._texts()
        if not mine:
            return None
        head = tail = 0
        if mine != others:
            least = min(len(mine), len(others))
            while head < least and mine[head] == others[head]:
                head += 1
            while tail < least - head and mine[-1 - tail] == others[-1 - tail]:
                tail += 1
        kept = self._ranges[head : len(mine) - tail]
        return self._text[kept[0][0] : kept[-1][1]] if kept else None
