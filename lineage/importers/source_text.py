"""A source text that is searched many times: its white-space-folded and letters-only forms, with maps back.

A *form* of the text is what is compared; every character of it knows the code point of the source
that it came from, so that a match in any form is a range of the exact text.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from functools import cached_property

Range = tuple[int, int]
"""A half-open range in code points of the exact text."""

_WORDS = re.compile(r"\S+")
_ALNUM = re.compile(r"[^\W_]+")


def folded(text: str) -> str:
    """``text`` without outer white space, every inner run of it as one space."""
    return " ".join(_WORDS.findall(text))


def letters(text: str) -> str:
    """Only the characters of ``text`` that are alphanumeric, as they are (case is kept)."""
    return "".join(_ALNUM.findall(text))


class Form:
    """A form of a text: ``text``, and ``at``, the position in the exact text of each of its characters."""

    def __init__(self, text: str, at: array[int]) -> None:
        self.text = text
        self.at = at

    def places(self, needle: str) -> list[Range]:
        """All ranges of the exact text whose form is ``needle``, overlapping ones included."""
        at, last = self.at, len(needle) - 1
        return [(at[i], at[i + last] + 1) for i in occurrences(self.text, needle)]

    def longest_prefix(self, needle: str) -> int:
        """How many leading characters of ``needle`` occur somewhere, as one piece."""
        low, high = 0, len(needle)
        while low < high:
            middle = (low + high + 1) // 2
            if needle[:middle] in self.text:
                low = middle
            else:
                high = middle - 1
        return low


def occurrences(text: str, needle: str) -> Iterator[int]:
    """Where ``needle`` begins in ``text``, overlapping occurrences included; nothing for an empty one."""
    if not needle:
        return
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + 1)


class SourceText:
    """The exact text of a document version, indexed once. Offsets are code points of ``text``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._parts: dict[Range, SourceText] = {}

    def exact(self, needle: str) -> list[Range]:
        """All places of ``needle`` as it stands."""
        return [(at, at + len(needle)) for at in occurrences(self.text, needle)]

    @cached_property
    def folded(self) -> Form:
        """The text with its white space folded."""
        pieces: list[str] = []
        at = array("L")
        for match in _WORDS.finditer(self.text):
            if pieces:
                # The space stands for the run before this word; no match begins or ends with it.
                at.append(match.start() - 1)
            pieces.append(match.group())
            at.extend(range(match.start(), match.end()))
        return Form(" ".join(pieces), at)

    @cached_property
    def letters(self) -> Form:
        """The text's alphanumeric characters."""
        pieces: list[str] = []
        at = array("L")
        for match in _ALNUM.finditer(self.text):
            pieces.append(match.group())
            at.extend(range(match.start(), match.end()))
        return Form("".join(pieces), at)

    def part(self, start: int, end: int) -> SourceText:
        """The text between ``start`` and ``end``, indexed by itself and kept: a unit holds several quotes."""
        known = self._parts.get((start, end))
        if known is None:
            known = self._parts[start, end] = SourceText(self.text[start:end])
        return known

    def inside_word(self, place: Range) -> bool:
        """Whether an edge of ``place`` cuts a word or number of the text."""
        start, end = place
        text = self.text
        return (0 < start < len(text) and text[start - 1].isalnum() and text[start].isalnum()) or (
            0 < end < len(text) and text[end - 1].isalnum() and text[end].isalnum()
        )
