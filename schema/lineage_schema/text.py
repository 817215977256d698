"""Lines, paragraphs, sentences and words of an exact text.

All offsets are Unicode code points, all ranges half-open, and no text is normalised.

- A *line* ends with ``\\n``, ``\\r\\n`` or ``\\r``, and with nothing else: U+2028, U+0085 and the form feed are
  characters of a line. A line of white space alone is blank.
- A *paragraph* is a maximal run of lines that are not blank.
- A *sentence* lies in one paragraph and ends behind ``. ! ? …`` before white space, or behind full-width
  ``。！？``, with the closing quotes and brackets. Numbers and common abbreviations do not end it; a line wrap is white
  space.
- A *word or number* goes on across an offset where a letter, mark, digit, hyphen or sign stands on both sides,
  or one of ``. , ' : /`` between digits.
- The *neighbourhood* of a span is the rest of its own sentence, and the neighbouring sentences of its
  paragraph whose nearest edge lies within 200 characters. White space between sentences is no part of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from lineage_schema.sentences import split
from lineage_schema.words import Side, edge_word, joined

__all__ = [
    "NEAR",
    "Line",
    "Neighbourhood",
    "Side",
    "TextIndex",
    "edge_word",
    "joined",
    "lines",
    "neighbours_changed",
    "paragraphs",
    "sentences",
]

Range = tuple[int, int]

NEAR: Final = 200
"""A neighbouring sentence counts where its nearest edge is at most so many code points from the span's."""

_LINE_END: Final = re.compile(r"\r\n|\n|\r")


class Line(NamedTuple):
    """One line: ``text[start:end]`` is without its line end, ``text[start:stop]`` is with it."""

    start: int
    end: int
    stop: int


def lines(text: str) -> list[Line]:
    """All lines in order. They cover the text; a text without a final line end has a last line all the same."""
    ends = [match.span() for match in _LINE_END.finditer(text)]
    starts = [0, *(stop for _, stop in ends)]
    found = [Line(start, end, stop) for start, (end, stop) in zip(starts, ends, strict=False)]
    if starts[-1] < len(text):
        found.append(Line(starts[-1], len(text), len(text)))
    return found


def paragraphs(text: str) -> list[Range]:
    """All paragraphs in order, each from its first line's start to its last line's end without the line end."""
    found: list[Range] = []
    first = last = -1
    for start, end, _ in lines(text):
        if start == end or text[start:end].isspace():
            if first >= 0:
                found.append((first, last))
            first = -1
        else:
            first = start if first < 0 else first
            last = end
    if first >= 0:
        found.append((first, last))
    return found


def sentences(text: str) -> list[Range]:
    """All sentences in order, trimmed of white space; what lies between them is white space."""
    return [sentence for start, end in paragraphs(text) for sentence in split(text, start, end)]


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What stands around a span, as exact text.

    ``head`` and ``tail`` are the rest of its own sentence before and after it (where it covers several, of the first
    and of the last). ``before`` and ``after`` are the neighbouring sentences of the same paragraph, None where there
    is none near. ``whole``: the span is the whole text.
    """

    head: str
    tail: str
    before: str | None
    after: str | None
    whole: bool

    @property
    def sentences(self) -> tuple[str, str, str | None, str | None]:
        """What is compared. Equal where no edit touched what stands around the span."""
        return self.head, self.tail, self.before, self.after


def neighbours_changed(old: Neighbourhood, new: Neighbourhood) -> bool:
    """Whether a reader of the span in ``old`` would find other text around it in ``new``.

    Beside a span that was the whole text, any text is new.
    """
    return old.sentences != new.sentences or (old.whole and not new.whole)


class TextIndex:
    """A text with tables of its paragraphs and sentences, made when first asked for; each query is O(log n)."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __len__(self) -> int:
        return len(self.text)

    @cached_property
    def paragraphs(self) -> list[Range]:
        """As :func:`paragraphs`."""
        return paragraphs(self.text)

    @cached_property
    def sentences(self) -> list[Range]:
        """As :func:`sentences`."""
        return [sentence for start, end in self.paragraphs for sentence in split(self.text, start, end)]

    @cached_property
    def _sentence_starts(self) -> list[int]:
        return [start for start, _ in self.sentences]

    @cached_property
    def _paragraph_starts(self) -> list[int]:
        return [start for start, _ in self.paragraphs]

    def sentences_touching(self, start: int, end: int) -> range:
        """The indices in :attr:`sentences` of those that share a character with the range."""
        starts = self._sentence_starts
        first = max(bisect_right(starts, start) - 1, 0)
        if first < len(starts) and self.sentences[first][1] <= start:
            first += 1
        return range(first, max(first, bisect_left(starts, end)))

    def paragraph_of(self, sentence: int) -> int:
        """The index in :attr:`paragraphs` of the paragraph that a sentence (by its index) lies in."""
        return bisect_right(self._paragraph_starts, self.sentences[sentence][0]) - 1

    def neighbourhood(self, start: int, end: int) -> Neighbourhood:
        """What stands around the span ``[start, end)``.

        White space at the span's edges does not reach into the sentence beyond it. A span of white space between two
        sentences has no sentence of its own; its neighbours are those two, if they share a paragraph.
        Raises ValueError where the range is empty or not in the text.
        """
        text = self.text
        check_range(start, end, len(text))
        inner = text[start:end]
        low = start + len(inner) - len(inner.lstrip())
        high = end - len(inner) + len(inner.rstrip())
        own = self.sentences_touching(low, high) if low < high else self.sentences_touching(start, end)
        head = tail = ""
        if own:
            head = text[self.sentences[own.start][0] : start]
            tail = text[end : self.sentences[own.stop - 1][1]]
        before, after = own.start - 1, own.stop
        if own:
            near_before = self._near(before, own.start, start)
            near_after = self._near(after, own.stop - 1, end)
        else:
            near_before, near_after = self._near(before, after, start), self._near(after, before, end)
        return Neighbourhood(head, tail, near_before, near_after, start == 0 and end == len(text))

    def _near(self, sentence: int, beside: int, edge: int) -> str | None:
        """A sentence's text, if it is in the paragraph of the sentence ``beside`` and near ``edge``."""
        last = len(self.sentences) - 1
        if not 0 <= sentence <= last or not 0 <= beside <= last:
            return None
        start, end = self.sentences[sentence]
        if max(edge - end, start - edge) > NEAR or self.paragraph_of(sentence) != self.paragraph_of(beside):
            return None
        return self.text[start:end]


def check_range(start: int, end: int, length: int) -> None:
    """Raises ValueError where ``[start, end)`` is empty or does not lie in a text of ``length`` code points."""
    if not 0 <= start < end <= length:
        raise ValueError(f"[{start}, {end}) is empty or not within 0 and {length}")
