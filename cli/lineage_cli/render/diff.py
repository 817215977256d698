"""An edit as a word diff: ``[-30-]{+14+}``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

_WORDS = re.compile(r"\w+|[^\w\s]|\s")
MOST = 1_000
"""Words of each side that are compared. Beyond, the comparison takes longer than a reader would look at it."""
LONGEST = 40
"""Words of one replaced piece that are shown before its middle is left out."""


def word_diff(old: str, new: str, around: int | None = 6) -> str:
    """The words of both texts in one line, with at most ``around`` unchanged words on each side of a change.

    White space is folded. What is left out is shown by an ellipsis. ``around`` None leaves nothing out.
    """
    before, after = _WORDS.findall(" ".join(old.split())), _WORDS.findall(" ".join(new.split()))
    parts: list[str] = []
    for tag, i1, i2, j1, j2 in _opcodes(before, after):
        if tag == "equal":
            parts.append(_unchanged(before[i1:i2], around, first=i1 == 0, last=i2 == len(before)))
            continue
        if i1 < i2:
            parts.append(f"[-{_piece(before[i1:i2], around)}-]")
        if j1 < j2:
            parts.append(f"{{+{_piece(after[j1:j2], around)}+}}")
    return "".join(parts)


def _opcodes(before: list[str], after: list[str]) -> list[tuple[str, int, int, int, int]]:
    # Equal ends are found first: what lies between is short for all edits that people make.
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    left, right = before[start : len(before) - end], after[start : len(after) - end]
    inner: Sequence[tuple[str, int, int, int, int]]
    if max(len(left), len(right)) > 2 * MOST:
        inner = [("replace", 0, len(left), 0, len(right))]
    else:
        inner = difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    found = [("equal", 0, start, 0, start)] if start else []
    found += [(tag, i1 + start, i2 + start, j1 + start, j2 + start) for tag, i1, i2, j1, j2 in inner]
    if end:
        found.append(("equal", len(before) - end, len(before), len(after) - end, len(after)))
    return found


def _unchanged(words: list[str], around: int | None, *, first: bool, last: bool) -> str:
    if around is None:
        return "".join(words)
    # Twice as many tokens as words: blanks are tokens too. Where nothing changed, both ends are shown.
    near = around * 2
    return _without_middle(words, near if last or not first else 0, near if first or not last else 0)


def _piece(words: list[str], around: int | None) -> str:
    return "".join(words) if around is None else _without_middle(words, LONGEST, LONGEST)


def _without_middle(words: list[str], head: int, tail: int) -> str:
    if len(words) <= head + tail + 1:
        return "".join(words)
    end = "".join(words[len(words) - tail :]) if tail else ""
    return f"{''.join(words[:head])}…{end}"
