"""Where the passages that a pipeline stored stand in the exact text of their source.

Pipelines keep passages without offsets, and change them a little on the way. The ladder tries,
for each passage, the strictest comparison first:

==============  ===========================================================================
``exact``       as it stands, at one place
``ordered``     as it stands, at several places, one of which follows from the neighbours
``prefix``      after metadata lines (``key: value.``) that the pipeline put before the text
``edge``        without U+FFFD at its edges, where a token window cut a character
``whitespace``  with every run of white space as one space
``letters``     by its alphanumeric characters only, as one range
``multi``       the same in two or three ranges: the splitter moved pieces
``unlocated``   not found, or nothing tells its places apart
==============  ===========================================================================

A passage with several places is resolved by order: passages come in document order, so its place
lies between those of its uniquely located neighbours. Equal passages that are as many as their
places take them all. What is then still open has ``ambiguous`` > 1, the number of places that
remain: it gets the place at which the passages cover the text most evenly (windows over periodic
text), and whoever uses it must say that it is one of several. Where the order of the passages
itself is broken, nothing is chosen: ``unlocated``, with the number of places.

Where the order leaves several places, those that cut a word of the source count only if there is
no other.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from lineage.importers.order import Candidates, resolve
from lineage.importers.source_text import Form, Range, SourceText, folded, letters

Method = Literal["exact", "ordered", "prefix", "edge", "whitespace", "letters", "multi", "unlocated"]
METHODS: Final[tuple[Method, ...]] = (
    "exact",
    "ordered",
    "prefix",
    "edge",
    "whitespace",
    "letters",
    "multi",
    "unlocated",
)

CUT = "\N{REPLACEMENT CHARACTER}"
"""What decoding leaves where a token window cut a character."""

MAX_PIECES = 3
# Shorter pieces, or more of them for so few letters, are found in any text by chance.
MIN_PIECE = 3
MIN_MEAN_PIECE = 8
# Pieces of one passage stand near each other; farther apart they are a coincidence.
REACH_FACTOR, REACH_EXTRA = 4, 2_000
# How far a greedy piece may have run past the word where it really ends.
OVERRUN = 20
# A metadata line as pipelines prepend it: ``key: value.``; lines end in ".\n".
_METADATA_KEY = re.compile(r"[^\W\d][\w .\-]{0,60}: ")
_METADATA_LINE = re.compile(_METADATA_KEY.pattern + r"[^\n]*\.\n")


@dataclass(frozen=True)
class Location:
    """Where a passage stands: the ladder's rung, its ranges in code points, and how many places are still possible.

    ``ambiguous`` is 1 where the place is certain, 0 where there is none.
    """

    method: Method
    spans: tuple[Range, ...]
    ambiguous: int


NOWHERE = Location("unlocated", (), 0)


def locate(source: SourceText, passages: Sequence[str]) -> list[Location]:
    """The location of each of ``passages``, which come in the order of the document."""
    shared = _shared_prefix(passages)
    rungs: dict[str, tuple[Method, Candidates]] = {}
    for passage in passages:
        if passage not in rungs:
            rungs[passage] = _ladder(source, passage, shared)
    found = [rungs[passage][1] for passage in passages]
    chosen = resolve(passages, found, len(source.text), lambda place: not any(map(source.inside_word, place)))
    located: list[Location] = []
    for passage, (place, open_places) in zip(passages, chosen, strict=True):
        method, places = rungs[passage]
        if place is None:
            located.append(Location("unlocated", (), open_places))
        elif method == "exact" and len(places) > 1:
            located.append(Location("ordered", place, open_places))
        else:
            located.append(Location(method, place, open_places))
    return located


def locate_within(source: SourceText, passage: str, start: int, end: int) -> Location:
    """Where ``passage`` stands between ``start`` and ``end``: a quote inside the unit that it was taken from.

    Quotes have no order, so one with several places stays ``unlocated``, with their number.
    """
    part = source.part(start, end)
    method, places = _ladder(part, passage, None)
    places = [place for place in places if not any(map(part.inside_word, place))] or places
    if len(places) != 1:
        return Location("unlocated", (), len(places))
    return Location(method, tuple((start + s, start + e) for s, e in places[0]), 1)


def _ladder(source: SourceText, passage: str, shared: str | None) -> tuple[Method, Candidates]:
    """The first rung on which ``passage`` has a place, and its places there."""
    if places := _single(source.exact(passage)):
        return "exact", places
    bodies = [passage, *_without_prefix(passage, shared)]
    for body in bodies[1:]:
        if places := _single(source.exact(body)):
            return "prefix", places
    bodies = [body.strip(CUT) for body in bodies]
    for body in bodies:
        # A body that had nothing to strip was searched above.
        if body and (places := _single(source.exact(body))):
            return "edge", places
    for body in bodies:
        if places := _single(source.folded.places(folded(body))):
            return "whitespace", places
    for body in bodies:
        if places := _single(source.letters.places(letters(body))):
            return "letters", [tuple(_grown(source.text, body, place) for place in spans) for spans in places]
    for body in bodies:
        if places := _pieces(source, body):
            return "multi", places
    return "unlocated", []


def _single(places: list[Range]) -> Candidates:
    """``places`` as candidates of one range each."""
    return [(place,) for place in places]


def _grown(text: str, passage: str, place: Range) -> Range:
    """``place``, found by letters only, with the punctuation around it that the passage has too."""
    start, end = place
    lead = passage[: _first_alnum(passage)]
    tail = passage[len(passage) - _first_alnum(passage[::-1]) :]
    while lead and start > 0 and text[start - 1] == lead[-1] and not lead[-1].isspace():
        start, lead = start - 1, lead[:-1]
    while tail and end < len(text) and text[end] == tail[0] and not tail[0].isspace():
        end, tail = end + 1, tail[1:]
    return start, end


def _first_alnum(text: str) -> int:
    return next((i for i, character in enumerate(text) if character.isalnum()), len(text))


# Metadata before the text


def _shared_prefix(passages: Sequence[str]) -> str | None:
    """The metadata that all passages begin with, also where a value has several lines; None if there is none."""
    if len(passages) < 2 or not _METADATA_KEY.match(passages[0]):
        return None
    low, high = min(passages), max(passages)
    same = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))
    cut = low.rfind(".\n", 0, same)
    return low[: cut + 2] if cut >= 0 else None


def _without_prefix(passage: str, shared: str | None) -> Iterator[str]:
    """``passage`` without its first metadata line, its first two, …, and without the prefix that all share."""
    at = 0
    while match := _METADATA_LINE.match(passage, at):
        at = match.end()
        if at < len(passage):
            yield passage[at:]
    if shared and passage.startswith(shared) and len(shared) < len(passage):
        yield passage[len(shared) :]


# Several pieces


def _pieces(source: SourceText, passage: str) -> Candidates:
    """The places of ``passage`` as two or three pieces of the source, by letters; nothing if it takes more."""
    key = letters(passage)
    form = source.letters
    parts = _split(form, key, _Cuts(passage), 0, MAX_PIECES)
    if not parts or len(key) < MIN_MEAN_PIECE * len(parts):
        return []
    ranges = [form.places(part) for part in parts]
    seat = max(range(len(parts)), key=lambda i: len(parts[i]))
    reach = REACH_FACTOR * len(passage) + REACH_EXTRA
    candidates: Candidates = []
    for place in ranges[seat]:
        spans = [
            place if i == seat else min(around, key=lambda near: (abs(near[0] - place[0]), near))
            for i, around in enumerate(ranges)
        ]
        if max(end for _, end in spans) - min(start for start, _ in spans) <= reach:
            candidates.append(_merged(spans))
    return candidates


class _Cuts:
    """Where a passage may be cut, as positions in its letters: at words, and better after punctuation."""

    def __init__(self, passage: str) -> None:
        words: list[int] = []
        sentences: list[int] = []
        count, gap = 0, ""
        for character in passage:
            if not character.isalnum():
                gap += character
                continue
            if gap and count:
                words.append(count)
                if not gap.isspace():
                    sentences.append(count)
            count, gap = count + 1, ""
        self._kinds = (sentences, words)

    def before(self, at: int, longest: int) -> list[int]:
        """The cuts to try for a piece from ``at`` that could reach ``longest``, best first.

        A greedy piece runs on while the next piece happens to begin like the source goes on, so
        its true end lies a little before.
        """
        cuts: list[int] = []
        for starts in self._kinds:
            i = bisect_right(starts, longest) - 1
            if i >= 0 and starts[i] > max(at, longest - OVERRUN):
                cuts.append(starts[i])
        cuts.append(longest)
        return list(dict.fromkeys(cuts))


def _split(form: Form, key: str, cuts: _Cuts, at: int, left: int) -> tuple[str, ...] | None:
    """``key`` from ``at`` on as at most ``left`` pieces that occur in ``form``, each about as long as can be."""
    if at == len(key):
        return ()
    if left == 0:
        return None
    longest = at + form.longest_prefix(key[at:])
    for cut in [longest] if longest == len(key) else cuts.before(at, longest):
        if cut - at >= MIN_PIECE and (rest := _split(form, key, cuts, cut, left - 1)) is not None:
            return (key[at:cut], *rest)
    return None


def _merged(spans: list[Range]) -> tuple[Range, ...]:
    """``spans`` in the order of the text, those that overlap or touch as one."""
    merged: list[Range] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
