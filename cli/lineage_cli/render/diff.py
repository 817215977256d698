"""An edit as a word diff: ``[-30-]{+14+}``."""

from __future__ import annotations

import difflib
import re

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


def word_diff(old: str, new: str, around: int = 6) -> str:
    """The words of both texts in one line, with at most ``around`` unchanged words on each side of a change.

    White space is folded. What is left out is shown by an ellipsis.
    """
    before, after = _WORDS.findall(" ".join(old.split())), _WORDS.findall(" ".join(new.split()))
    parts: list[str] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            parts.append(_shortened(before[i1:i2], around * 2, first=i1 == 0, last=i2 == len(before)))
            continue
        if i1 < i2:
            parts.append(f"[-{''.join(before[i1:i2])}-]")
        if j1 < j2:
            parts.append(f"{{+{''.join(after[j1:j2])}+}}")
    return "".join(parts)


def _shortened(words: list[str], around: int, *, first: bool, last: bool) -> str:
    # Twice as many tokens as words: blanks are tokens too.
    head = 0 if first else around
    tail = 0 if last else around
    if len(words) <= head + tail + 1:
        return "".join(words)
    begin = "".join(words[:head])
    end = "".join(words[len(words) - tail :]) if tail else ""
    return f"{begin}…{end}"
