"""Reading citation markers in an answer: ``[1]``, ``[1, 2]``, ``[1-3]``, ``[S2]``, ``[^1]``, ``【4:0†source】`` and
GraphRAG's ``[Data: Reports (2); Entities (5, 7, +more)]``.

Markers are read first, and then blanked out, so that nothing else ever splits or reads them. Offsets are code points of
the answer. What stands in code is no marker; what merely looks like one (a year, an array index, a task box) is told
apart and reported, never read as a citation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from lineage_schema.sentences import split

_CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.S)
_LINK: Final = re.compile(r"!?\[[^\]\[\n]*\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
_DEFINITION: Final = re.compile(r"(?m)^[ ]{0,3}\[(\^?[A-Za-z]{0,8}\d{1,3})\]:[ \t]*(.*)$")
_FOOTNOTE: Final = re.compile(r"\[\^([^\]\s]{1,40})\]")
_SOURCE: Final = re.compile(r"【(\d+)(?::(\d+))?†[^】\n]*】")
_DATA: Final = re.compile(r"\[Data:\s*([^\]\n]+)\]")
_DATA_PART: Final = re.compile(r"([A-Za-z][A-Za-z ]*?)\s*\(([^()]*)\)")
_ITEM: Final = r"[A-Z]{0,3}\d{1,3}(?:\s*[-–]\s*[A-Z]{0,3}\d{1,3})?"
_NUMBERED: Final = re.compile(rf"\[\s*({_ITEM}(?:\s*[,;]\s*{_ITEM})*)\s*\]")
_RANGE: Final = re.compile(r"([A-Z]{0,3})(\d{1,3})\s*[-–]\s*([A-Z]{0,3})(\d{1,3})")
_SUSPECT: Final = re.compile(r"\[\s*(?:[A-Z]{0,3}\d{1,5}(?:\s*[,;–-]\s*\d{1,5})*|[xX ])\s*\]|\(\d{1,2}\)(?=[\s.,;]|\Z)")
_BREAK: Final = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t])")
WIDE: Final = 20
"""A range of more sources than this is no citation that anybody can check."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker in the answer. ``names`` are the sources that it points to, in order and as often as they are named.

    ``partial``: it says itself that there are more (``+more``). ``reversed`` and ``wide`` are its ranges that are so.
    """

    start: int
    end: int
    raw: str
    names: tuple[str, ...]
    partial: bool = False
    reversed: tuple[str, ...] = ()
    wide: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Definition:
    """A line at which the answer says what a marker stands for: ``[1]: title, url``."""

    start: int
    end: int
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Suspect:
    """What looks like a marker and is not read as one."""

    start: int
    end: int
    raw: str
    why: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the masked answer, with the markers that belong to it."""

    start: int
    end: int
    text: str
    markers: tuple[Marker, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it was read. Every marker is in exactly one sentence, or in ``loose`` where there is no sentence."""

    text: str
    sentences: tuple[Sentence, ...]
    loose: tuple[Marker, ...]
    definitions: tuple[Definition, ...]
    suspects: tuple[Suspect, ...]

    @property
    def markers(self) -> list[Marker]:
        found = [*self.loose, *(marker for sentence in self.sentences for marker in sentence.markers)]
        return sorted(found, key=lambda marker: marker.start)


def read(text: str) -> Answer:
    """Reads an answer. It never fails: what is no marker is text."""
    masked = list(text)
    definitions: list[Definition] = []
    markers: list[Marker] = []
    hidden = _hide(masked, _CODE)
    for match in _DEFINITION.finditer(text):
        if not _inside(match.start(), hidden):
            definitions.append(Definition(*match.span(), match.group(1).removeprefix("^"), match.group(2).strip()))
            _blank(masked, *match.span())
    hidden += [(each.start, each.end) for each in definitions] + _hide(masked, _LINK)
    for pattern, reading in (
        (_SOURCE, _of_source), (_DATA, _of_data), (_FOOTNOTE, _of_footnote), (_NUMBERED, _of_numbers),
    ):  # fmt: skip
        for match in pattern.finditer("".join(masked)):
            if _inside(match.start(), hidden):
                continue
            if pattern is _NUMBERED and _is_index(text, match.start()):
                continue
            marker = reading(match)
            if marker is not None:
                markers.append(marker)
                _blank(masked, *match.span())
    whole = "".join(masked)
    suspects = [
        Suspect(*match.span(), match.group(), _why(text, match))
        for match in _SUSPECT.finditer(whole)
        if not _inside(match.start(), hidden)
    ]
    for each in suspects:
        _blank(masked, each.start, each.end)
    markers.sort(key=lambda marker: marker.start)
    sentences, loose = _attached(text, "".join(masked), markers)
    return Answer(text, sentences, loose, tuple(definitions), tuple(suspects))


def _attached(text: str, masked: str, markers: list[Marker]) -> tuple[tuple[Sentence, ...], tuple[Marker, ...]]:
    """Gives each marker to one sentence.

    A marker within a sentence is that sentence's. One behind a sentence, on the same line and with nothing but blanks
    and markers between, is that sentence's too, also where it stands behind the full stop. One that begins a line is
    the next sentence's in that line; else it is the last one's before it.
    """
    ranges = [found for block in _blocks(masked) for found in split(masked, *block)]
    owned: dict[int, list[Marker]] = {}
    loose: list[Marker] = []
    for marker in markers:
        at = _owner(text, masked, ranges, marker)
        if at is None:
            loose.append(marker)
        else:
            owned.setdefault(at, []).append(marker)
    sentences = tuple(
        Sentence(start, end, masked[start:end], tuple(owned.get(at, ()))) for at, (start, end) in enumerate(ranges)
    )
    return sentences, tuple(loose)


def _blocks(masked: str) -> list[tuple[int, int]]:
    """Paragraphs, and the items of lists: no sentence goes on from one into the next."""
    begins = sorted({0, *(match.end() for match in _BREAK.finditer(masked))})
    return list(zip(begins, [*begins[1:], len(masked)], strict=True))


def _owner(text: str, masked: str, ranges: list[tuple[int, int]], marker: Marker) -> int | None:
    before = max((at for at, (start, _) in enumerate(ranges) if start <= marker.start), default=None)
    if before is not None and marker.start < ranges[before][1]:
        return before
    after = next((at for at, (start, _) in enumerate(ranges) if start >= marker.end), None)
    if before is not None and "\n" not in text[ranges[before][1] : marker.start]:
        return before
    if after is not None and "\n" not in masked[marker.end : ranges[after][0]]:
        return after
    return before if before is not None else after


def _of_numbers(match: re.Match[str]) -> Marker | None:
    names: list[str] = []
    reversed_: list[str] = []
    wide: list[str] = []
    for part in re.split(r"\s*[,;]\s*", match.group(1).strip()):
        span = _RANGE.fullmatch(part)
        if span is None:
            names.append(part)
            continue
        letters, low, others, high = span.group(1), int(span.group(2)), span.group(3), int(span.group(4))
        if (others and others != letters) or low > high:
            reversed_.append(part)
            names += [f"{letters}{low}", f"{others or letters}{high}"]
        elif high - low >= WIDE:
            wide.append(part)
            names += [f"{letters}{low}", f"{letters}{high}"]
        else:
            names += [f"{letters}{number}" for number in range(low, high + 1)]
    if names == ["0"]:
        return None
    return Marker(*match.span(), match.group(), tuple(names), False, tuple(reversed_), tuple(wide))


def _of_footnote(match: re.Match[str]) -> Marker:
    return Marker(*match.span(), match.group(), (match.group(1),))


def _of_source(match: re.Match[str]) -> Marker:
    name = match.group(1) if match.group(2) is None else f"{match.group(1)}:{match.group(2)}"
    return Marker(*match.span(), match.group(), (name,))


def _of_data(match: re.Match[str]) -> Marker | None:
    names: list[str] = []
    partial = False
    for kind, listed in _DATA_PART.findall(match.group(1)):
        for item in listed.split(","):
            word = item.strip()
            if word == "+more":
                partial = True
            elif word:
                names.append(f"{kind.strip()} {word}")
    return Marker(*match.span(), match.group(), tuple(names), partial) if names or partial else None


def _is_index(text: str, start: int) -> bool:
    """``a[0]``: directly behind a letter, an underscore or a closing bracket it indexes something."""
    return start > 0 and (text[start - 1] == "_" or (text[start - 1].isalnum() and _word(text, start)))


def _word(text: str, start: int) -> bool:
    """Whether the word before is one that programs use, rather than the last one of a sentence: ``a[0]``, ``x1[2]``."""
    at = start
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_"):
        at -= 1
    return start - at <= 2


def _why(text: str, match: re.Match[str]) -> str:
    inner = match.group().strip("[]() ")
    if inner in ("", "x", "X"):
        return "a task box"
    if match.group().startswith("("):
        return "a number in round brackets"
    if inner.isdigit() and len(inner) == 4:
        return "a year"
    if _is_index(text, match.start()):
        return "an index"
    if inner == "0":
        return "counting begins at 1"
    return "no form of marker that is known"


def _hide(masked: list[str], pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    """Where something stands in which nothing is a marker. Its text stays, but for brackets."""
    found = [match.span() for match in pattern.finditer("".join(masked))]
    for start, end in found:
        for at in range(start, end):
            if masked[at] in "[]【】":
                masked[at] = " "
    return found


def _inside(at: int, ranges: list[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in ranges)


def _blank(masked: list[str], start: int, end: int) -> None:
    masked[start:end] = ["\n" if character == "\n" else " " for character in masked[start:end]]
