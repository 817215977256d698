"""Where the sentences of one paragraph end.

- A sentence ends behind a run of ``. ! ? …`` (and their like in other scripts) with the closing quotes,
  brackets and bracketed reference numbers behind it, if white space or the end of the paragraph
  follows. Behind the full-width ``。！？｡`` nothing needs to follow.
- A single full stop does not end it behind
  - a number or letter that stands alone since the sentence began (``1. Scope``);
  - a title or another abbreviation that always goes on (``Dr. Roe``, ``e.g. tea``);
  - an abbreviation that counts something, before a number (``Art. 5``; but ``He said no. We left.``);
  - initials (``J. Roe``, ``U.S. law``). ``I`` is a word.
- Behind an ellipsis, a closing quote or bracket, or an abbreviation that may end a sentence (``etc.``, ``9 a.m.``),
  a lower-case letter carries the sentence on.

White space inside a paragraph is white space, line wraps too. In doubt two sentences stay one: then an
edit of the one still counts as an edit beside the other.
"""

from __future__ import annotations

import re
from typing import Final

_WESTERN: Final = ".!?…‼⁇⁈⁉؟۔।"
_FULL_WIDTH: Final = "。！？｡"
_CLOSING: Final = re.escape("\"'”’»›)]}＂＇）】」』》〉〕〗］｝")

# Only the start of a run is tried, and nothing is given back: linear also over a page of dots.
_END: Final = re.compile(
    rf"(?<![{_WESTERN}{_FULL_WIDTH}])([{_WESTERN}{_FULL_WIDTH}]++)"
    # French sets a narrow blank before its closing quotation mark.
    rf"((?:[{_CLOSING}]|[\u00a0\u202f]»|\[[0-9]{{1,4}}\])*+)"
)
_FULL_WIDTH_RUN: Final = re.compile(f"[{_FULL_WIDTH}]")
_NON_BLANK: Final = re.compile(r"\S")
_LIST_MARK: Final = re.compile(r"[\W_]*(?:[0-9]+(?:\.[0-9]+)*|[^\W\d_])")
_INITIALS: Final = re.compile(r"[^\W\d_](?:\.[^\W\d_])*")

_LONGEST: Final = 16
"""No abbreviation and no list mark is longer (code points)."""

_ALWAYS: Final = frozenset(
    (
        "mr mrs ms mx dr prof rev hon gen col capt lt sgt messrs st mt e.g i.e cf vs viz resp approx ca "
        "z.b d.h u.a bzw p.ex hr fr"
    ).split()
)
_BEFORE_NUMBER: Final = frozenset(
    (
        "no nos nr art arts sec secs sect fig figs eq eqs ch chap vol vols p pp par para paras cl app annex tab "
        "ref refs ver v ed abs ziff lit jan feb mar apr jun jul aug sep sept oct nov dec"
    ).split()
)
_MAY_END: Final = frozenset(("etc al inc ltd co corp jr sr bros dept est usw").split())


def split(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The sentences of the paragraph ``text[start:end]``: half-open ranges of code points in ``text``.

    They are trimmed of white space, in order, and together hold every other character.
    """
    found: list[tuple[int, int]] = []
    begin = _skip_blank(text, start, end)
    for match in _END.finditer(text, begin, end):
        stop = match.end()
        if stop < end and not _ends(text, begin, match, end):
            continue
        found.append((begin, stop))
        begin = _skip_blank(text, stop, end)
    if begin < end:
        while text[end - 1].isspace():
            end -= 1
        found.append((begin, end))
    return found


def _skip_blank(text: str, start: int, end: int) -> int:
    match = _NON_BLANK.search(text, start, end)
    return match.start() if match else end


def _ends(text: str, begin: int, match: re.Match[str], end: int) -> bool:
    """Whether the sentence that began at ``begin`` ends with this run of terminators; text follows."""
    run, closing = match.group(1), match.group(2)
    if _FULL_WIDTH_RUN.search(run):
        return True
    stop = match.end()
    if not text[stop].isspace():
        return False
    first = _skip_blank(text, stop, end)
    follows = text[first : first + 1] if first < end else ""
    may_go_on = bool(closing) or len(run) > 1 or "…" in run
    if run == ".":
        dot = match.start()
        if dot - begin <= _LONGEST and _LIST_MARK.fullmatch(text, begin, dot):
            return False
        word = _word_before(text, begin, dot)
        if not closing and _goes_on(word, follows):
            return False
        may_go_on = may_go_on or "." in word or word.lower() in _MAY_END
    return not (may_go_on and follows.islower())


def _goes_on(word: str, follows: str) -> bool:
    """Whether the full stop behind ``word`` belongs to the word alone."""
    if _INITIALS.fullmatch(word) and word.isupper() and word != "I":
        return True
    lower = word.lower()
    return lower in _ALWAYS or (lower in _BEFORE_NUMBER and follows.isdigit())


def _word_before(text: str, begin: int, dot: int) -> str:
    """The letters, and dots between them, directly before a full stop; empty where they are too many."""
    at = dot
    while at > begin and (text[at - 1].isalpha() or text[at - 1] == "."):
        at -= 1
        if dot - at > _LONGEST:
            return ""
    return text[at:dot]
