"""Which of several places is meant, from the order of the passages. See ``locate`` for the rule.

A place is a tuple of ranges; the first range's start is what the order is about.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise

from lineage.importers.source_text import Range

Place = tuple[Range, ...]
Candidates = list[Place]
Choice = tuple[Place | None, int]
"""A place, or None, and how many places are still possible."""

# The order of the passages says something about the rest only where it holds for most that are certain.
TRUST_NUMERATOR, TRUST_DENOMINATOR = 2, 3


def resolve(
    passages: Sequence[str], found: Sequence[Candidates], length: int, whole: Callable[[Place], bool]
) -> list[Choice]:
    """The choice for each passage; ``found`` are its candidates in the order of a text of ``length``.

    ``whole`` says of a place that it cuts no word: such are preferred where the order allows several.
    """
    fixed: dict[int, Place] = {i: places[0] for i, places in enumerate(found) if len(places) == 1}
    fixed.update(_equal_passages(passages, found))
    chosen: list[Choice] = [(None, len(places)) for places in found]
    for i, place in fixed.items():
        chosen[i] = (place, 1)
    backbone = _increasing(fixed)
    if len(backbone) * TRUST_DENOMINATOR < len(fixed) * TRUST_NUMERATOR:
        return chosen
    run: list[int] = []
    before: Place | None = None
    on_backbone = set(backbone)
    for i in range(len(found)):
        if i in on_backbone:
            _settle(run, before, fixed[i], found, length, whole, chosen)
            run, before = [], fixed[i]
        elif i not in fixed and found[i]:
            run.append(i)
    _settle(run, before, None, found, length, whole, chosen)
    return chosen


def _equal_passages(passages: Sequence[str], found: Sequence[Candidates]) -> dict[int, Place]:
    """Equal passages that are as many as their places: each has one, in order."""
    equal: defaultdict[str, list[int]] = defaultdict(list)
    for i, places in enumerate(found):
        if len(places) > 1:
            equal[passages[i]].append(i)
    return {
        i: place
        for indexes in equal.values()
        if len(indexes) == len(found[indexes[0]])
        for i, place in zip(indexes, found[indexes[0]], strict=True)
    }


def _increasing(fixed: dict[int, Place]) -> list[int]:
    """The longest run of certain passages whose places come in their order; those outside of it were moved."""
    starts: list[int] = []
    tails: list[int] = []
    previous: dict[int, int] = {}
    for i in sorted(fixed):
        start = fixed[i][0][0]
        at = bisect_right(starts, start)
        if at:
            previous[i] = tails[at - 1]
        starts[at : at + 1] = [start]
        tails[at : at + 1] = [i]
    backbone: list[int] = []
    i = tails[-1] if tails else -1
    while i >= 0:
        backbone.append(i)
        i = previous.get(i, -1)
    return backbone[::-1]


def _settle(
    run: list[int],
    before: Place | None,
    after: Place | None,
    found: Sequence[Candidates],
    length: int,
    whole: Callable[[Place], bool],
    chosen: list[Choice],
) -> None:
    """Choose for the open passages of ``run``, which stand between ``before`` and ``after``."""
    if not run:
        return
    low = before[0][0] if before else -1
    high = after[0][0] if after else length + 1
    inside = [[place for place in found[i] if low < place[0][0] < high] for i in run]
    feasible = _feasible(inside)
    if feasible is None:
        # They cannot all stand in order here: only what is certain by its neighbours alone.
        for i, places in zip(run, inside, strict=True):
            if len(places) == 1:
                chosen[i] = (places[0], 1)
        return
    if any(len(places) > 1 for places in feasible):
        words = [[place for place in places if whole(place)] or places for places in feasible]
        feasible = _feasible(words) or feasible
    if all(len(places) == 1 for places in feasible):
        for i, places in zip(run, feasible, strict=True):
            chosen[i] = (places[0], 1)
        return
    picked = _evenly(feasible, before[-1][1] if before else 0, after[0][0] if after else length)
    for i, places, place in zip(run, feasible, picked, strict=True):
        chosen[i] = (place, len(places))


def _feasible(inside: list[Candidates]) -> list[Candidates] | None:
    """For each passage its places in all assignments whose starts increase; None if there is no assignment."""
    starts = [[place[0][0] for place in places] for places in inside]
    first: list[int] = []
    last: list[int] = []
    at = -1
    for own in starts:
        i = bisect_right(own, at)
        if i == len(own):
            return None
        first.append(i)
        at = own[i]
    at = 1 << 62
    for own in reversed(starts):
        i = bisect_left(own, at) - 1
        last.append(i)
        at = own[i]
    # Between its first and its last place every one is possible: the others can stand at theirs.
    return [places[low : high + 1] for places, low, high in zip(inside, first, reversed(last), strict=True)]


def _evenly(runs: list[Candidates], begin: int, end: int) -> list[Place]:
    """One place for each passage, starts increasing, such that together they cover ``begin`` to ``end`` evenly.

    The cost of two neighbours is the square of the gap or overlap between them: windows of one
    size and stride over periodic text come out as they were cut. The squares make the best
    predecessor of a place move only forward, so each step needs n log n of them, not n * n.
    """
    cost = [float((place[0][0] - begin) ** 2) for place in runs[0]]
    came: list[list[int]] = []
    for earlier, later in pairwise(runs):
        ends = [place[-1][1] for place in earlier]
        limit = [bisect_left([place[0][0] for place in earlier], place[0][0]) for place in later]
        cost, back = _step(cost, ends, [place[0][0] for place in later], limit)
        came.append(back)
    best = min(range(len(cost)), key=lambda i: cost[i] + (end - runs[-1][i][-1][1]) ** 2)
    picked = [runs[-1][best]]
    for i in range(len(came) - 1, -1, -1):
        best = came[i][best]
        picked.append(runs[i][best])
    return picked[::-1]


def _step(cost: list[float], ends: list[int], starts: list[int], limit: list[int]) -> tuple[list[float], list[int]]:
    """For each of ``starts`` the cheapest predecessor among the first ``limit`` of ``ends``, and the cost with it."""
    total = [float("inf")] * len(starts)
    back = [0] * len(starts)
    work = [(0, len(starts), 0, len(ends))]
    while work:
        low, high, first, last = work.pop()
        if low >= high:
            continue
        middle = (low + high) // 2
        start = starts[middle]
        best, at = float("inf"), first
        for j in range(first, min(last, limit[middle])):
            value = cost[j] + (start - ends[j]) ** 2
            if value < best:
                best, at = value, j
        total[middle], back[middle] = best, at
        work.append((low, middle, first, at + 1))
        work.append((middle + 1, high, at, last))
    return total, back
