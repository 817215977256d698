"""Where a word or number goes on across an offset.

A letter, mark, digit, hyphen or sign is joined to a neighbour that is one too; so is one of ``. , ' : /``
between two digits ("30.5", "2,500", "10:45").

- *hyphen*: dash punctuation but for the long dashes, which part clauses; the minus sign; the soft hyphen.
- *sign*: what gives a number its value and unit: currency symbols, ``+ ± ∓ % ‰ ‱ °`` and their full-width forms.
  Comparisons, operators and markup (``< = | # *``) are words of their own.

Scripts that are written without blanks have no words that an edge could cut. There, the letter directly
beside the edge, with its marks, stands for the word.
"""

from __future__ import annotations

import unicodedata
from typing import Final, Literal

Side = Literal["before", "after"]

_LONG_DASHES: Final = frozenset("—―⸺⸻︱﹘")
_HYPHENS: Final = frozenset("−\u00ad")
_SIGNS: Final = frozenset("+±∓%‰‱°＋％﹢﹪٪")
# Without these two, Persian and Indic words would fall apart: they shape letters, and part nothing.
_JOINERS: Final = frozenset("\u200c\u200d")
# The typographic apostrophe groups digits as the plain one does (12’500).
_BETWEEN_DIGITS: Final = frozenset(".,':/’")

UNSPACED: Final = (
    "\u0e01-\u0eff"  # Thai and Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese and Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303c"  # Han: radicals and marks
    "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
"""Scripts written without blanks, as the inside of a regular expression's character class."""

_UNSPACED_RANGES: Final = tuple((UNSPACED[at], UNSPACED[at + 2]) for at in range(0, len(UNSPACED), 3))

REACH: Final = 256
"""So many code points of a word are looked at: what is longer is data, not a word that anyone reads."""


def joined(text: str, offset: int) -> bool:
    """Whether a word or number goes on across ``offset`` (code points; at the text's ends it never does)."""
    return 0 < offset < len(text) and _in_word(text, offset - 1) and _in_word(text, offset)


def edge_word(text: str, offset: int, side: Side) -> str:
    """What stands beyond ``offset`` of the word or number that goes on across it; empty where none does.

    ``before`` gives the part that ends at ``offset``, ``after`` the part that begins there, at most
    :data:`REACH` code points. Two places with equal text on one side of the edge belong to the same word
    exactly where this is equal on the other side.
    """
    step = -1 if side == "before" else 1
    at = offset
    while abs(at - offset) < REACH and joined(text, at):
        character = text[at - 1] if step < 0 else text[at]
        at += step
        if _unspaced(character):
            # Its marks stand behind it: on the way back they are taken already.
            while step > 0 and at < len(text) and is_mark(text[at]) and at - offset < REACH:
                at += 1
            break
    return text[at:offset] if step < 0 else text[offset:at]


def is_mark(character: str) -> bool:
    """Whether the character is drawn on the one before it (combining marks), or only shapes its neighbours."""
    return character in _JOINERS or unicodedata.category(character)[0] == "M"


def _in_word(text: str, at: int) -> bool:
    character = text[at]
    if character.isalnum():
        return True
    if character.isspace():
        return False
    if character in _BETWEEN_DIGITS:
        return 0 < at < len(text) - 1 and text[at - 1].isdigit() and text[at + 1].isdigit()
    if character in _SIGNS or character in _HYPHENS:
        return True
    category = unicodedata.category(character)
    if category == "Pd":
        return character not in _LONG_DASHES
    return category == "Sc" or is_mark(character)


def _unspaced(character: str) -> bool:
    return (
        character >= _UNSPACED_RANGES[0][0]
        and character.isalpha()
        and any(low <= character <= high for low, high in _UNSPACED_RANGES)
    )
