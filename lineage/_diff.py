"""Pairs equal items of two sequences in order.

The result is a *common subsequence*: pairs (i, j), ascending in both, of equal items. What was only deleted or only
inserted among repeats is taken to be the later ones, so that repeats pair in order.

- A part with at most :data:`DENSE` pairs of equal items gets the heaviest common subsequence there is, exactly; of
  equally heavy ones, the one whose pairs stand earliest.
- Of a larger one, what is common at its start and end is paired. If at most :data:`FEW_EDITS` edits part the rest,
  the shortest script of them is taken. Else it is cut at items that are rare on both sides (the heaviest common
  subsequence of these alone). This can miss the heaviest pairing of the whole; it pairs what a reader would point at
  first.
- What has nothing rare (few distinct items, many times) is paired by a shortest edit script. After :data:`EDITS`
  edits the farthest point reached is kept, and the search begins anew there: past so many edits in one such part the
  script may be longer than need be, and never costs more than length times ``EDITS``.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence, Set
from typing import Final

Run = tuple[int, int, int]
"""(start in a, start in b, length) of items that pair one after the other"""

DENSE: Final = 4_096
FEW_EDITS: Final = 64
RARE: Final = 16
"""An item is rare where its occurrences on both sides make at most so many pairs."""
ANCHORS: Final = 65_536
"""At most so many pairs of rare items are looked at together."""
EDITS: Final = 256


def match(a: Sequence[int], b: Sequence[int], weights: Sequence[int] | None = None) -> list[Run]:
    """The pairs of equal items as maximal runs, in order.

    ``weights[item]`` (positive) is what pairing an item is worth; without it all are worth the same.
    """
    mates = [-1] * len(a)
    parts = [(0, len(a), 0, len(b))]
    while parts:
        parts.extend(_part(a, b, weights, mates, *parts.pop()))
    _settle(a, b, mates)
    return _runs(mates)


def heaviest_increasing(values: Sequence[int], weights: Sequence[int]) -> list[int]:
    """The indices of the heaviest strictly increasing subsequence of ``values`` (none negative); O(n log n).

    Of equally heavy ones, one whose members stand early.
    """
    if all(value < after for value, after in itertools.pairwise(values)):
        return list(range(len(values)))
    size = max(values, default=-1) + 2
    best = [0] * size  # a Fenwick tree of prefix maxima: the weight of the heaviest chain that ends there
    ends = [-1] * size
    before = [-1] * len(values)
    top, last = 0, -1
    for index, value in enumerate(values):
        weight, link = 0, -1
        at = value
        while at:
            if best[at] > weight:
                weight, link = best[at], ends[at]
            at &= at - 1
        weight += weights[index]
        before[index] = link
        at = value + 1
        while at < size:
            if best[at] < weight:
                best[at], ends[at] = weight, index
            at += at & -at
        if weight > top:
            top, last = weight, index
    chain: list[int] = []
    while last >= 0:
        chain.append(last)
        last = before[last]
    chain.reverse()
    return chain


Part = tuple[int, int, int, int]
"""(start in a, end in a, start in b, end in b)"""


def _part(
    a: Sequence[int],
    b: Sequence[int],
    weights: Sequence[int] | None,
    mates: list[int],
    a0: int,
    a1: int,
    b0: int,
    b1: int,
) -> list[Part]:
    """Pairs what it can of one part, and returns the parts that are left between those pairs."""
    while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
        mates[a0] = b0
        a0, b0 = a0 + 1, b0 + 1
    if a0 == a1 or b0 == b1:
        return []
    in_a, in_b = Counter(a[a0:a1]), Counter(b[b0:b1])
    products = {item: count * in_b[item] for item, count in in_a.items() if item in in_b}
    total = sum(products.values())
    if total <= DENSE:
        _pair_heaviest(a, b, weights, mates, (a0, a1, b0, b1), products.keys())
        return []
    if a[a1 - 1] == b[b1 - 1]:
        while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
            a1, b1 = a1 - 1, b1 - 1
            mates[a1] = b1
        return [(a0, a1, b0, b1)]
    part = (a0, a1, b0, b1)
    if _pair_by_edits(a, b, mates, part, products.keys(), FEW_EDITS, whole=True):
        return []
    rare, seen = set[int](), 0
    for item, product in sorted(products.items(), key=lambda entry: (entry[1], entry[0])):
        seen += product
        if product > RARE or seen > ANCHORS:
            break
        rare.add(item)
    if not rare:
        _pair_by_edits(a, b, mates, part, products.keys(), EDITS, whole=False)
        return []
    pairs = _pair_heaviest(a, b, weights, mates, part, rare)
    corners = [(a0 - 1, b0 - 1), *pairs, (a1, b1)]
    return [(i + 1, i2, j + 1, j2) for (i, j), (i2, j2) in itertools.pairwise(corners) if i + 1 < i2 and j + 1 < j2]


def _pair_heaviest(
    a: Sequence[int],
    b: Sequence[int],
    weights: Sequence[int] | None,
    mates: list[int],
    part: Part,
    items: Set[int],
) -> list[tuple[int, int]]:
    """Pairs a part by the heaviest common subsequence of the given items in it."""
    a0, a1, b0, b1 = part
    places: dict[int, list[int]] = {}
    for j in range(b1 - 1, b0 - 1, -1):
        if b[j] in items:
            places.setdefault(b[j], []).append(j)
    # The farther on a pair stands the less it is worth, but never so much less that a pair would be lost.
    unit = (a1 - a0 + b1 - b0) * (min(a1 - a0, b1 - b0) + 1)
    rows: list[int] = []
    columns: list[int] = []
    worth: list[int] = []
    for i in range(a0, a1):
        weight = unit if weights is None else unit * weights[a[i]]
        for j in places.get(a[i], ()):
            # Descending, so that one item of a is never chained to itself.
            rows.append(i)
            columns.append(j - b0)
            worth.append(weight - (i - a0) - (j - b0))
    pairs = [(rows[index], columns[index] + b0) for index in heaviest_increasing(columns, worth)]
    for i, j in pairs:
        mates[i] = j
    return pairs


def _pair_by_edits(
    a: Sequence[int], b: Sequence[int], mates: list[int], part: Part, items: Set[int], limit: int, *, whole: bool
) -> bool:
    """Pairs a part by the shortest edit script (Myers' greedy search), ``limit`` edits at a time.

    ``whole``: only if the whole script is no longer than that. Whether it was paired is returned.
    """
    a0, a1, b0, b1 = part
    rows = [i for i in range(a0, a1) if a[i] in items]
    columns = [j for j in range(b0, b1) if b[j] in items]
    kept_a, kept_b = [a[i] for i in rows], [b[j] for j in columns]
    row = column = 0
    while row < len(rows) and column < len(columns):
        trace, diagonal, x = _search(kept_a, kept_b, row, column, limit)
        reached = row + x, column + x - diagonal
        if whole and reached != (len(rows), len(columns)):
            return False
        for edits in range(len(trace) - 1, -1, -1):
            earlier, middle = trace[edits], edits + 1
            if _is_insertion(earlier, diagonal, edits, middle):
                start, previous = earlier[middle + diagonal + 1], diagonal + 1
            else:
                start, previous = earlier[middle + diagonal - 1] + 1, diagonal - 1
            for at in range(start, x):
                mates[rows[row + at]] = columns[column + at - diagonal]
            x, diagonal = earlier[middle + previous], previous
        row, column = reached
    return True


def _search(a: Sequence[int], b: Sequence[int], row: int, column: int, limit: int) -> tuple[list[list[int]], int, int]:
    """The edit graph from an item of each side on: what each number of edits began from, then where it ended.

    Rows and columns are counted from there. Entry ``d`` of the trace holds, for the diagonals -d-1 … d+1
    (diagonal = row - column), the farthest row before edit ``d``. The end is a diagonal and a row: the corner of the
    graph, or the farthest point that ``limit`` edits reach.
    """
    n, m = len(a) - row, len(b) - column
    middle = limit + 1
    reached = [0] * (2 * middle + 1)
    trace: list[list[int]] = []
    for edits in range(limit + 1):
        trace.append(reached[middle - edits - 1 : middle + edits + 2])
        # Diagonals that have left the graph are not followed.
        for diagonal in range(-edits + 2 * max(0, edits - m), edits - 2 * max(0, edits - n) + 1, 2):
            if _is_insertion(reached, diagonal, edits, middle):
                x = reached[middle + diagonal + 1]
            else:
                x = reached[middle + diagonal - 1] + 1
            y = x - diagonal
            while x < n and y < m and a[row + x] == b[column + y]:
                x, y = x + 1, y + 1
            reached[middle + diagonal] = x
            if x >= n and y >= m:
                return trace, diagonal, x
    inside = [
        (2 * reached[middle + diagonal] - diagonal, diagonal)
        for diagonal in range(-limit + 2 * max(0, limit - m), limit - 2 * max(0, limit - n) + 1, 2)
        if reached[middle + diagonal] <= n and 0 <= reached[middle + diagonal] - diagonal <= m
    ]
    _, diagonal = max(inside)
    return trace, diagonal, reached[middle + diagonal]


def _is_insertion(reached: Sequence[int], diagonal: int, edits: int, middle: int) -> bool:
    """Whether the farthest path comes to a diagonal from the one above it: by an item of b alone."""
    if diagonal in (-edits, edits):
        return diagonal == -edits
    return reached[middle + diagonal - 1] < reached[middle + diagonal + 1]


def _settle(a: Sequence[int], b: Sequence[int], mates: list[int]) -> None:
    """Moves pure deletions and insertions as far back as they go, so that repeats around them pair in order."""
    i = j = 0
    while i < len(a):
        # All before i and j is settled. The next change is a[i:p] against b[j:q].
        p = i
        while p < len(a) and mates[p] < 0:
            p += 1
        q = mates[p] if p < len(a) else len(b)
        moved = False
        if q == j and p > i:
            while p < len(a) and mates[p] == j and a[i] == a[p]:
                mates[i], mates[p] = j, -1
                i, j, p, moved = i + 1, j + 1, p + 1, True
        elif p == i and q > j:
            while p < len(a) and mates[p] == q and b[j] == b[q]:
                mates[p] = j
                i, j, p, q, moved = i + 1, j + 1, p + 1, q + 1, True
        if moved:
            # It may have met the next change.
            continue
        i, j = p + 1, q + 1


def _runs(mates: Sequence[int]) -> list[Run]:
    """The pairs as maximal runs."""
    runs: list[Run] = []
    start, length = (-1, -1), 0
    for i, j in enumerate(mates):
        if length and j == start[1] + length and i == start[0] + length:
            length += 1
        else:
            if length:
                runs.append((*start, length))
            start, length = (i, j), 1 if j >= 0 else 0
    if length:
        runs.append((*start, length))
    return runs
