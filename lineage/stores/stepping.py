"""One step of propagation, as every store makes it."""

from __future__ import annotations

from collections.abc import Callable

from lineage.stores.base import Step

Recheck = Callable[[int], tuple[int, int, int] | None]
"""At most so many marks are read again: how many were, how many were set and closed; None where none waits."""
Expand = Callable[[int], tuple[int, int]]
"""At most so many marks are expanded: how many were, and how many marks that made."""


def step(batch: int, recheck: Recheck, expand: Expand, pending: Callable[[], bool]) -> Step:
    """A piece of pending work, about ``batch`` marks: first what is to be read again, then invalid marks.

    A step goes on to the next level while its batch has room, so that a long chain takes few transactions.
    """
    expanded = marked = closed = 0
    left = batch
    while left > 0:
        checked = recheck(left)
        if checked is not None:
            done, opened, ended = checked
            marked, closed, left = marked + opened, closed + ended, left - done
            continue
        count, opened = expand(left)
        if not count:
            return Step(expanded, marked, closed, False)
        expanded, marked, left = expanded + count, marked + opened, left - count
    return Step(expanded, marked, closed, pending())
