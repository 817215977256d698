"""How rule ``a1`` finds the blocks of an alignment: lines, then sentences, then words, then edges.

1. Lines that are not blank are paired in order, without their ends. Lines left over on both sides that are equal and
   hold a letter or digit have moved; they are paired in order too. Where equal lines would cross, they are
   paired anew in order, unless that would take a line out of its place.
   A moved line takes the equal white space behind it along.
2. What lies between two paired lines, without what moved, is a *hunk*. In it whole sentences are paired in order,
   between these words and other characters; white space is neither. A longer word is worth more.
3. What then lies between two pairs, the ends of the hunk included, keeps its equal edges: the characters with
   which both sides begin, then those with which both end. This gives line ends, blank lines and blanks to their
   neighbours, the one before first, and finds the unchanged edges of a replaced word.
4. A moved line also takes equal white space before it along, if nothing else has.

``\\r\\n`` is one line end: its halves never map alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from lineage._diff import match
from lineage_schema.sentences import split
from lineage_schema.text import lines, paragraphs
from lineage_schema.words import UNSPACED, is_mark

Block = tuple[int, int, int]
"""(start in a, start in b, length in code points)"""

Range = tuple[int, int]

# Every mark is written as this one, so that the pattern knows them all.
_MARK: Final = "\u0300"
_TOKEN: Final = re.compile(rf"[{UNSPACED}]{_MARK}*|(?:[^\W_{UNSPACED}]|{_MARK})+|\S")
_LETTER_OR_DIGIT: Final = re.compile(r"[^\W_]")


def blocks(a: str, b: str) -> list[Block]:
    """The blocks of equal text, sorted by start in ``a``, maximal, one to one."""
    if a == b:
        return [(0, 0, len(a))] if a else []
    lines_a, lines_b = _filled_lines(a), _filled_lines(b)
    ids = _Ids()
    items_a = [ids[a[start:end]] for start, end in lines_a]
    items_b = [ids[b[start:end]] for start, end in lines_b]
    paired = match(items_a, items_b)
    placed = [(i + at, j + at) for i, j, length in paired for at in range(length)]
    placed, moved = _with_moved(items_a, items_b, placed, lambda i: bool(_LETTER_OR_DIGIT.search(a, *lines_a[i])))
    carried = [_with_white_space_behind(a, lines_a, i, b, lines_b, j) for i, j in moved]
    moved_a, moved_b = sorted(in_a for in_a, _ in carried), sorted(in_b for _, in_b in carried)
    hunks = _Hunks(a, b)
    last_a = last_b = 0
    for run_a, run_b in _stretches(a, b, lines_a, lines_b, placed):
        hunks.hunk(_without(moved_a, last_a, run_a[0]), _without(moved_b, last_b, run_b[0]))
        hunks.equal(run_a, run_b)
        last_a, last_b = run_a[1], run_b[1]
    hunks.hunk(_without(moved_a, last_a, len(a)), _without(moved_b, last_b, len(b)))
    for in_a, in_b in carried:
        hunks.equal(in_a, in_b)
    hunks.white_space_before(carried)
    return _merged(hunks.found)


def _with_white_space_behind(
    a: str, lines_a: Sequence[Range], i: int, b: str, lines_b: Sequence[Range], j: int
) -> tuple[Range, Range]:
    """A moved line with the equal white space behind it, its line end first of all."""
    (start_a, end_a), (start_b, end_b) = lines_a[i], lines_b[j]
    next_a = lines_a[i + 1][0] if i + 1 < len(lines_a) else len(a)
    next_b = lines_b[j + 1][0] if j + 1 < len(lines_b) else len(b)
    length = _common(a, end_a, next_a, b, end_b, next_b, 1)
    return (start_a, end_a + length), (start_b, end_b + length)


class _Ids(dict[str, int]):
    """Numbers texts in the order in which they are first asked for."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number


def _filled_lines(text: str) -> list[Range]:
    return [(line.start, line.end) for line in lines(text) if text[line.start : line.end].strip()]


def _stretches(
    a: str, b: str, units_a: Sequence[Range], units_b: Sequence[Range], pairs: Sequence[tuple[int, int]]
) -> Iterator[tuple[Range, Range]]:
    """Ranges of equal text that hold the paired units: those in a row in one, if what parts them is equal.

    A text has far fewer such ranges than units.
    """
    at = 0
    while at < len(pairs):
        i, j = pairs[at]
        end = at + 1
        while end < len(pairs) and pairs[end] == (i + end - at, j + end - at):
            end += 1
        start_a, start_b = units_a[i][0], units_b[j][0]
        stop_a, stop_b = units_a[pairs[end - 1][0]][1], units_b[pairs[end - 1][1]][1]
        if a[start_a:stop_a] == b[start_b:stop_b]:
            yield (start_a, stop_a), (start_b, stop_b)
        else:
            for one, other in pairs[at:end]:
                yield units_a[one], units_b[other]
        at = end


def _with_moved(
    items_a: Sequence[int], items_b: Sequence[int], placed: list[Range], may_move: Callable[[int], bool]
) -> tuple[list[Range], list[Range]]:
    """The pairs of lines that kept their order, and those that moved. Each ascends in ``a``."""
    used_a, used_b = {i for i, _ in placed}, {j for _, j in placed}
    left_b: dict[int, list[int]] = {}
    for j, item in enumerate(items_b):
        if j not in used_b:
            left_b.setdefault(item, []).append(j)
    moved: dict[int, list[Range]] = {}
    for i, item in enumerate(items_a):
        if i not in used_a and item in left_b and may_move(i):
            pairs = moved.setdefault(item, [])
            if len(pairs) < len(left_b[item]):
                pairs.append((i, left_b[item][len(pairs)]))
    if not moved:
        return placed, []
    of_item: dict[int, list[int]] = {item: [] for item in moved}
    for at, (i, _) in enumerate(placed):
        if items_a[i] in of_item:
            of_item[items_a[i]].append(at)
    for item, places in of_item.items():
        _uncross(placed, places, moved[item])
    return placed, sorted(pair for pairs in moved.values() for pair in pairs)


def _uncross(placed: list[Range], places: list[int], moved: list[Range]) -> None:
    """Pairs all occurrences of one line in order, if those that kept their place can still keep it."""
    before = [placed[at] for at in places]
    together = before + moved
    partner = dict(zip(sorted(i for i, _ in together), sorted(j for _, j in together), strict=True))
    for at in places:
        placed[at] = (placed[at][0], partner[placed[at][0]])
    for at in places:
        lower = placed[at - 1][1] if at else -1
        upper = placed[at + 1][1] if at + 1 < len(placed) else placed[at][1] + 1
        if not lower < placed[at][1] < upper:
            for back, pair in zip(places, before, strict=True):
                placed[back] = pair
            return
    moved[:] = [(i, partner[i]) for i, _ in moved]


def _without(cut: list[Range], start: int, end: int) -> list[Range]:
    """``[start, end)`` without the ranges cut out of it; what stays at either end may be empty."""
    left: list[Range] = []
    at = start
    for low, high in cut[bisect_left(cut, (start, start)) : bisect_left(cut, (end, end))]:
        left.append((at, low))
        at = high
    left.append((at, end))
    return left


class _Hunks:
    """Collects the blocks of hunks of two texts."""

    def __init__(self, a: str, b: str) -> None:
        self.a = a
        self.b = b
        self.found: list[Block] = []

    def equal(self, in_a: Range, in_b: Range) -> None:
        """Two equal ranges."""
        if in_a[0] < in_a[1]:
            self.found.append((in_a[0], in_b[0], in_a[1] - in_a[0]))

    def hunk(self, in_a: list[Range], in_b: list[Range]) -> None:
        """What lies between two paired lines: the parts of it that did not move, in order."""
        if len(in_a) == len(in_b) == 1:
            (start_a, end_a), (start_b, end_b) = in_a[0], in_b[0]
            if self.a[start_a:end_a] == self.b[start_b:end_b]:
                self.equal(in_a[0], in_b[0])
                return
        for part_a, part_b in self._pair(_sentences, in_a, in_b, weighted=False):
            for gap_a, gap_b in self._pair(_tokens, part_a, part_b, weighted=True):
                self._edges(gap_a, gap_b)

    def _pair(
        self, cut: Callable[[str, Range], Iterable[Range]], in_a: list[Range], in_b: list[Range], *, weighted: bool
    ) -> list[tuple[list[Range], list[Range]]]:
        """Pairs equal units in order, and returns what lies between the pairs."""
        if in_a[0][0] == in_a[-1][1] or in_b[0][0] == in_b[-1][1]:
            return [(in_a, in_b)]
        units_a = [unit for part in in_a for unit in cut(self.a, part)]
        units_b = [unit for part in in_b for unit in cut(self.b, part)]
        ids = _Ids()
        items_a = [ids[self.a[start:end]] for start, end in units_a]
        items_b = [ids[self.b[start:end]] for start, end in units_b]
        runs = match(items_a, items_b, [len(text) for text in ids] if weighted else None)
        pairs = [(i + at, j + at) for i, j, length in runs for at in range(length)]
        if len(in_a) == len(in_b) == 1:
            equal = _stretches(self.a, self.b, units_a, units_b, pairs)
        else:
            # A stretch could run over a moved line.
            equal = ((units_a[i], units_b[j]) for i, j in pairs)
        between: list[tuple[list[Range], list[Range]]] = []
        at_a, at_b = in_a[0][0], in_b[0][0]
        for (start_a, end_a), (start_b, end_b) in equal:
            self.equal((start_a, end_a), (start_b, end_b))
            between.append((_cut(in_a, at_a, start_a), _cut(in_b, at_b, start_b)))
            at_a, at_b = end_a, end_b
        between.append((_cut(in_a, at_a, in_a[-1][1]), _cut(in_b, at_b, in_b[-1][1])))
        return between

    def _edges(self, in_a: list[Range], in_b: list[Range]) -> None:
        """The equal edges of what lies between two pairs."""
        (low_a, end_a), (low_b, end_b) = in_a[0], in_b[0]
        head = _common(self.a, low_a, end_a, self.b, low_b, end_b, 1)
        self.equal((low_a, low_a + head), (low_b, low_b + head))
        start_a, high_a = in_a[-1]
        start_b, high_b = in_b[-1]
        if len(in_a) == 1:
            start_a += head
        if len(in_b) == 1:
            start_b += head
        tail = _common(self.a, start_a, high_a, self.b, start_b, high_b, -1)
        self.equal((high_a - tail, high_a), (high_b - tail, high_b))

    def white_space_before(self, moved: list[tuple[Range, Range]]) -> None:
        """The equal white space before moved lines that nothing has taken."""
        taken_a = sorted((start, start + length) for start, _, length in self.found)
        taken_b = sorted((start, start + length) for _, start, length in self.found)
        for (start_a, _), (start_b, _) in moved:
            free_a, free_b = _blank_before(self.a, taken_a, start_a), _blank_before(self.b, taken_b, start_b)
            length = _common(self.a, free_a, start_a, self.b, free_b, start_b, -1)
            if length:
                self.equal((start_a - length, start_a), (start_b - length, start_b))
                insort(taken_a, (start_a - length, start_a))
                insort(taken_b, (start_b - length, start_b))


def _sentences(text: str, part: Range) -> list[Range]:
    start, end = part
    found = paragraphs(text[start:end])
    return [unit for low, high in found for unit in split(text, start + low, start + high)]


def _tokens(text: str, part: Range) -> list[Range]:
    """Words, and every other character that is not white space. A letter of a script without blanks is a word."""
    start, end = part
    inner = text[start:end]
    if not inner.isascii():
        inner = inner.translate({ord(character): _MARK for character in set(inner) if is_mark(character)})
    return [(start + token.start(), start + token.end()) for token in _TOKEN.finditer(inner)]


def _cut(parts: list[Range], start: int, end: int) -> list[Range]:
    """The parts within ``[start, end)``; at least one, perhaps an empty one."""
    if len(parts) == 1:
        return [(start, end)]
    inside = [(max(low, start), min(high, end)) for low, high in parts if low <= end and high >= start]
    return inside or [(start, start)]


def _common(a: str, low_a: int, high_a: int, b: str, low_b: int, high_b: int, step: int) -> int:
    """How many characters two ranges have in common from their starts (``step`` 1) or back from their ends (-1)."""
    size = min(high_a - low_a, high_b - low_b)
    at_a, at_b = (low_a, low_b) if step > 0 else (high_a - 1, high_b - 1)
    count = 0
    while count < size and a[at_a + step * count] == b[at_b + step * count]:
        count += 1
    cut_a, cut_b = (low_a + count, low_b + count) if step > 0 else (high_a - count, high_b - count)
    if count and count < max(high_a - low_a, high_b - low_b) and (_in_line_end(a, cut_a) or _in_line_end(b, cut_b)):
        count -= 1
    return count


def _in_line_end(text: str, offset: int) -> bool:
    return text[offset - 1 : offset + 1] == "\r\n"


def _merged(found: list[Block]) -> list[Block]:
    """The blocks in order, as long as they can be."""
    merged: list[Block] = []
    for start_a, start_b, length in sorted(found):
        if merged:
            last_a, last_b, last = merged[-1]
            if last_a + last == start_a and last_b + last == start_b:
                merged[-1] = (last_a, last_b, last + length)
                continue
        merged.append((start_a, start_b, length))
    return merged


def _blank_before(text: str, taken: list[Range], offset: int) -> int:
    """The start of the white space back from ``offset`` that is not taken."""
    at = bisect_right(taken, (offset, -1)) - 1
    start = taken[at][1] if at >= 0 else 0
    while offset > start and text[offset - 1].isspace():
        offset -= 1
    return offset
