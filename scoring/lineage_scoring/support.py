"""The arithmetic of citations: pure functions on verdicts, no I/O.

ALCE, section 3.3 (Gao et al. 2023, arXiv 2305.14627): a statement is supported if the passages that it cites together
support it. A citation of a supported statement is precise if its passage supports the statement alone, or if the others
do not support it without it. Citations of an unsupported statement earn nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

Supports = Callable[[tuple[int, ...]], bool]
"""Places of citations, ascending → whether their passages together support the statement. Never asked of ``()``."""


class Citation(NamedTuple):
    """What one citation earns. For one alone, ``without`` is what the empty set supports: nothing."""

    alone: bool
    without: bool
    precise: bool


class Support(NamedTuple):
    """What a statement's citations do for it."""

    supported: bool
    citations: tuple[Citation, ...]

    @property
    def precise(self) -> int:
        return sum(citation.precise for citation in self.citations)


def support(count: int, supports: Supports) -> Support:
    """Scores a statement with ``count`` citations."""
    everything = tuple(range(count))
    whole = count > 0 and supports(everything)
    alone = [whole] if count == 1 else [supports((place,)) for place in everything]
    if count > 2:
        without = [supports(everything[:place] + everything[place + 1 :]) for place in everything]
    else:
        # Of two, what is left is the other alone; of one, nothing, which supports nothing.
        without = alone[::-1] if count == 2 else [False] * count
    return Support(
        whole,
        tuple(Citation(one, rest, whole and (one or not rest)) for one, rest in zip(alone, without, strict=True)),
    )


@dataclass(frozen=True, slots=True)
class Share:
    """A figure with what it is made of. ``value`` is None where there is nothing to count (N/A)."""

    numerator: int
    denominator: int

    @property
    def value(self) -> float | None:
        return self.numerator / self.denominator if self.denominator else None

    def to_json(self) -> dict[str, object]:
        return {"numerator": self.numerator, "denominator": self.denominator, "value": self.value}

    def __str__(self) -> str:
        return f"{self.numerator}/{self.denominator}" if self.denominator else "N/A"


@dataclass(frozen=True, slots=True)
class Means:
    """A figure over answers: ``micro`` counts all together; ``macro`` is the plain mean of the answers that have one.

    ``left_out`` counts the answers that have none (N/A).
    """

    micro: Share
    macro: float | None
    scored: int
    left_out: int

    def to_json(self) -> dict[str, object]:
        return {
            "micro": self.micro.to_json(),
            "macro": {"value": self.macro, "answers": self.scored, "left_out": self.left_out},
        }


def means(shares: Iterable[Share]) -> Means:
    """Micro and macro means of the answers' shares. Sums are exact, so no order of answers gives another figure."""
    listed = list(shares)
    counted = [share for share in listed if share.denominator]
    numerators: Counter[int] = Counter()
    for share in counted:
        numerators[share.denominator] += share.numerator
    total = sum((Fraction(numerator, denominator) for denominator, numerator in numerators.items()), Fraction(0))
    return Means(
        Share(sum(share.numerator for share in listed), sum(share.denominator for share in listed)),
        float(total / len(counted)) if counted else None,
        len(counted),
        len(listed) - len(counted),
    )


def minimal_sets(count: int, supports: Callable[[tuple[int, ...]], bool | None]) -> list[tuple[int, ...]]:
    """The minimal sufficient sets among the judged ones: sets that support, of which no judged subset does.

    ``supports`` gives None for a set that was not judged. Smaller sets come first.
    """
    found: list[tuple[int, ...]] = []
    for members in _subsets(range(count)):
        if supports(members) and not any(set(smaller) <= set(members) for smaller in found):
            found.append(members)
    return found


def _subsets(places: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for size in range(1, len(places) + 1):
        yield from combinations(places, size)
