"""Timing, and the table of results."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Work = Callable[[], Any]


def timed(work: Work) -> float:
    """Seconds that ``work`` takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def median_of(work: Work, repeats: int) -> float:
    """The median of seconds."""
    return statistics.median(timed(work) for _ in range(repeats))


def alternated(works: Sequence[Work], repeats: int) -> list[list[float]]:
    """Seconds of each work, taken in turn: what else the machine does meanwhile falls on all of them alike."""
    return list(map(list, zip(*([timed(work) for work in works] for _ in range(repeats)), strict=True)))


def ratio_of(mine: Sequence[float], floor: Sequence[float]) -> float:
    """The median of the ratios of runs that were taken in turn."""
    return statistics.median(a / b for a, b in zip(mine, floor, strict=True))


@dataclass
class Table:
    """The results, printed as they come."""

    missed: list[str] = field(default_factory=list)

    def head(self) -> None:
        """The line above."""
        print(f"{'figure':58} {'value':>20} {'ratio':>9}   bound", flush=True)

    def fact(self, name: str, value: str) -> None:
        """What has no bound."""
        print(f"{name:58} {value:>20}", flush=True)

    def row(self, name: str, value: str, ratio: float, bound: float, *, least: bool = False) -> None:
        """A figure with its ratio and the bound: at most, or with ``least`` at least."""
        good = ratio >= bound if least else ratio <= bound
        if not good:
            self.missed.append(name)
        sign = "≥" if least else "≤"
        print(f"{name:58} {value:>20} {ratio:9.3f}   {sign} {bound:<5g} {'ok' if good else 'MISSED'}", flush=True)
