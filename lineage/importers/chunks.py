"""Passages of a pipeline as chunks: located, numbered among equals, with what is not known about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from lineage.importers.drafts import Draft
from lineage.importers.locate import NOWHERE, Location, locate
from lineage.importers.report import Notes
from lineage.importers.sources import Corpus, Piece
from lineage_schema.identity import content_hash
from lineage_schema.vocabulary import Kind, Origin, Role


@dataclass(frozen=True, eq=False)
class Passage:
    """A stored passage.

    ``where`` names its row in findings; ``home`` is the uri in its chunk's key where it has no place.
    """

    text: str
    where: str
    home: str
    aliases: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Placed:
    """A passage and where it stands. ``corpus`` is None where its document is not known."""

    passage: Passage
    corpus: Corpus | None
    location: Location
    pieces: tuple[Piece, ...]

    @property
    def uri(self) -> str:
        return self.pieces[0][0].uri if self.pieces else self.passage.home

    @property
    def order(self) -> tuple[bool, list[tuple[str, int, int]]]:
        """Its place, as something to sort and compare by: located ones first."""
        return not self.pieces, [(source.uri, start, end) for source, start, end in self.pieces]


def place(passages: Sequence[Passage], corpus: Corpus | None, notes: Notes) -> list[Placed]:
    """Where ``passages``, which are in document order, stand in ``corpus``."""
    if corpus is None:
        locations = [NOWHERE] * len(passages)
    else:
        locations = locate(corpus.text, [passage.text for passage in passages])
    placed: list[Placed] = []
    for passage, location in zip(passages, locations, strict=True):
        notes.located[location.method] += 1
        pieces = corpus.pieces(location.spans) if corpus is not None else ()
        placed.append(Placed(passage, corpus, location, pieces))
    return placed


def chunks(placed: Iterable[Placed], notes: Notes) -> dict[Passage, Draft]:
    """The chunk of each passage.

    Equal texts of one document are numbered by their places, so that neither ids nor the order of
    rows matter; equal texts at one place, or at none, are one chunk with several aliases.
    """
    equal: defaultdict[tuple[str, str], list[Placed]] = defaultdict(list)
    for one in placed:
        equal[one.uri, one.passage.text].append(one)
    found: dict[Passage, Draft] = {}
    for (uri, text), group in equal.items():
        group.sort(key=lambda one: one.order)
        occurrence = 0
        draft: Draft | None = None
        for before, one in zip([None, *group], group, strict=False):
            if draft is None or before is None or before.order != one.order:
                occurrence += 1
                draft = _chunk(one, (uri, content_hash(text), str(occurrence)), notes)
            else:
                notes.find("duplicate_row", one.passage.where, f"the same text at the same place as {draft.where}")
            draft.aliases.update(one.passage.aliases)
            found[one.passage] = draft
    return found


def _chunk(placed: Placed, key: tuple[str, str, str], notes: Notes) -> Draft:
    passage, location = placed.passage, placed.location
    draft = Draft(Kind.CHUNK, key, passage.text, passage.where, details={**passage.details, "located": location.method})
    for source, start, end in placed.pieces:
        draft.add(source.span(start, end), Role.EVIDENCE, Origin.LOCATED)
    if placed.corpus is None:
        draft.lacks("its document is not known")
    elif not placed.pieces:
        names = ", ".join(source.uri for source in placed.corpus.sources)
        if location.ambiguous:
            what = f"its text has {location.ambiguous} places in {names}, and nothing tells which"
        else:
            what = f"its text was not found in {names}"
        notes.find("unlocated", passage.where, what)
        draft.lacks(what)
    elif location.ambiguous > 1:
        what = f"its text stands at one of {location.ambiguous} places in {placed.uri}"
        notes.find("ambiguous_place", passage.where, what)
        draft.lacks(what)
    return draft
