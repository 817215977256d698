"""How well a judge does on labelled examples: pure arithmetic, and the split that keeps it honest.

The threshold is chosen on one half of the examples, and every figure is of the other half. *Positive* is ``supported``;
every other label is negative. A score counts a judge's own verdicts and applies no threshold to them, so what a judge
says itself has its own kappa beside the threshold's. Intervals are at 95 %: Wilson's for shares (Wilson 1927), the
percentile bootstrap with a printed seed for Cohen's kappa (Cohen 1960) and for the area under the ROC curve, which is
the chance that a positive example has a higher score than a negative one, ties counting half.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from lineage_schema.errors import BadInput
from lineage_scoring.support import Share

Z: Final = 1.959963984540054
RESAMPLES: Final = 1000


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled example with what the judge said: ``said`` is its own word, ``score`` from 0 to 1 where it has one."""

    name: str
    label: bool
    said: bool
    score: float | None
    category: str | None = None
    statement: str = ""
    passages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of true and false positives and negatives."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def total(self) -> int:
        return self.tp + self.fp + self.fn + self.tn

    @property
    def accuracy(self) -> Share:
        return Share(self.tp + self.tn, self.total)

    @property
    def precision(self) -> Share:
        return Share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Share:
        return Share(self.tp, self.tp + self.fn)

    @property
    def base_rate(self) -> Share:
        """How many are positive: what a judge that always says so would get right."""
        return Share(self.tp + self.fn, self.total)

    @property
    def kappa(self) -> float | None:
        """Agreement beyond chance; None where one of the two always says the same, and chance explains all."""
        total = self.total
        if not total:
            return None
        chance = (self.tp + self.fp) * (self.tp + self.fn) + (self.fn + self.tn) * (self.fp + self.tn)
        if chance == total * total:
            return None
        return ((self.tp + self.tn) * total - chance) / (total * total - chance)


def confusion(labels: Iterable[bool], said: Iterable[bool]) -> Confusion:
    """Counts what was said against the labels."""
    pairs = list(zip(labels, said, strict=True))
    return Confusion(
        sum(label and word for label, word in pairs),
        sum(not label and word for label, word in pairs),
        sum(label and not word for label, word in pairs),
        sum(not label and not word for label, word in pairs),
    )


def auc(labels: Sequence[bool], scores: Sequence[float]) -> float | None:
    """The area under the ROC curve by ranks; None where all labels are the same."""
    positives = sum(labels)
    negatives = len(labels) - positives
    if not positives or not negatives:
        return None
    ordered = sorted(zip(scores, labels, strict=True))
    above = 0.0
    seen = at = 0
    while at < len(ordered):
        end = at
        while end < len(ordered) and ordered[end][0] == ordered[at][0]:
            end += 1
        tied = sum(label for _, label in ordered[at:end])
        lower = end - at - tied
        above += tied * (seen + lower / 2)
        seen += lower
        at = end
    return above / (positives * negatives)


def wilson(share: Share) -> tuple[float, float] | None:
    """Wilson's score interval of a share."""
    if not share.denominator:
        return None
    n, p = share.denominator, share.numerator / share.denominator
    center = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
    # Exactly, where rounding would leave a trace.
    return 0.0 if not share.numerator else center - half, 1.0 if share.numerator == n else center + half


def bootstrap(
    examples: Sequence[Example], figure: Callable[[Sequence[Example]], float | None], seed: int
) -> tuple[float, float] | None:
    """The percentile interval of a figure over resamples of the examples; those without the figure are left out."""
    if not examples:
        return None
    chance = random.Random(seed)
    found = sorted(
        value for _ in range(RESAMPLES) if (value := figure(chance.choices(examples, k=len(examples)))) is not None
    )
    if not found:
        return None
    return found[int(0.025 * len(found))], found[min(int(0.975 * len(found)), len(found) - 1)]


def halves(examples: Sequence[Example], seed: int) -> tuple[list[Example], list[Example]]:
    """Two halves with like shares of each label and category; which example is in which is drawn by the seed.

    Examples on the same passages are in the same half: evidence that chose the threshold is not measured on. One
    passage in common does not join them, since boilerplate would join nearly all.
    """
    units = _units(sorted(examples, key=lambda each: each.name))
    random.Random(seed).shuffle(units)
    # Large units first, so that single examples can even out what they leave.
    units.sort(key=lambda unit: (-len(unit), [_group(each) for each in unit]))
    found: tuple[list[Example], list[Example]] = ([], [])
    groups: tuple[Counter[tuple[bool, str]], Counter[tuple[bool, str]]] = (Counter(), Counter())
    labels: tuple[Counter[bool], Counter[bool]] = (Counter(), Counter())
    for unit in units:

        def load(half: int, unit: list[Example] = unit) -> tuple[int, int, int]:
            return (
                sum(groups[half][_group(each)] for each in unit),
                sum(labels[half][each.label] for each in unit),
                len(found[half]),
            )

        half = 0 if load(0) <= load(1) else 1
        found[half].extend(unit)
        groups[half].update(map(_group, unit))
        labels[half].update(each.label for each in unit)
    return found


def _group(example: Example) -> tuple[bool, str]:
    return example.label, example.category or ""


def _units(examples: Sequence[Example]) -> list[list[Example]]:
    """What stays together: examples on the same passages, in any order; one without passages is alone."""
    units: dict[object, list[Example]] = {}
    for example in examples:
        units.setdefault(frozenset(example.passages) or example.name, []).append(example)
    return list(units.values())


def best_threshold(examples: Sequence[Example]) -> float | None:
    """The score from which on "supported" agrees best with the labels, by kappa; the lowest of equals.

    None where some example has no score: then the judge's own word counts.
    """
    scores = sorted({example.score for example in examples if example.score is not None})
    if not scores or any(example.score is None for example in examples):
        return None

    def agreement(threshold: float) -> float:
        found = confusion((e.label for e in examples), ((e.score or 0.0) >= threshold for e in examples))
        return -1.0 if found.kappa is None else found.kappa

    return max(scores, key=lambda threshold: (agreement(threshold), -threshold))


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of a calibration; those of ``test`` examples alone are reported.

    ``test`` counts what the threshold says, ``own`` what the judge said itself: without a threshold they are equal.
    """

    seed: int
    threshold: float | None
    chosen_on: int
    test: Confusion
    own: Confusion
    auc: float | None
    kappa_interval: tuple[float, float] | None
    own_interval: tuple[float, float] | None
    auc_interval: tuple[float, float] | None
    by_category: dict[str, Confusion]
    misses: tuple[Example, ...]
    unresolved: int

    def to_json(self) -> dict[str, Any]:
        test = self.test
        return {
            "seed": self.seed,
            "threshold": self.threshold,
            "chosen_on": self.chosen_on,
            "examples": test.total,
            "unresolved": self.unresolved,
            "confusion": _counts(test),
            "base_rate": _share(test.base_rate),
            "accuracy": _share(test.accuracy),
            "precision": _share(test.precision),
            "recall": _share(test.recall),
            "kappa": {"value": test.kappa, "interval": self.kappa_interval},
            "own": {"confusion": _counts(self.own), "kappa": {"value": self.own.kappa, "interval": self.own_interval}},
            "auc": {"value": self.auc, "interval": self.auc_interval},
            "by_category": {
                name: {"accuracy": _share(found.accuracy), "base_rate": _share(found.base_rate)}
                for name, found in self.by_category.items()
            },
            "misses": [
                {
                    "name": miss.name, "label": miss.label, "said": miss.said, "score": miss.score,
                    "category": miss.category, "statement": miss.statement, "passages": list(miss.passages),
                }
                for miss in self.misses
            ],
        }  # fmt: skip


def calibrate(examples: Sequence[Example], seed: int, *, unresolved: int = 0, misses: int = 5) -> Figures:
    """Chooses the threshold on one half, and counts on the other.

    Raises :class:`BadInput` where a half lacks supported examples or others: nothing could be told of the judge.
    """
    first, second = halves(examples, seed)
    for half in (first, second):
        positive = sum(example.label for example in half)
        if positive in (0, len(half)):
            raise BadInput(
                "labels", "label", found=f"a half with {positive} supported of {len(half)} judged",
                expected="supported examples and others in both halves (those on the same passages stay in one)",
            )  # fmt: skip
    threshold = best_threshold(first)

    def said(example: Example) -> bool:
        return example.said if threshold is None or example.score is None else example.score >= threshold

    def kappa(listed: Sequence[Example]) -> float | None:
        return confusion((e.label for e in listed), map(said, listed)).kappa

    def own(listed: Sequence[Example]) -> Confusion:
        return confusion((e.label for e in listed), (e.said for e in listed))

    def area(listed: Sequence[Example]) -> float | None:
        if any(example.score is None for example in listed):
            return None
        return auc([e.label for e in listed], [e.score or 0.0 for e in listed])

    wrong = [example for example in second if said(example) != example.label]
    cut = 0.5 if threshold is None else threshold
    wrong.sort(key=lambda e: (-abs((cut if e.score is None else e.score) - cut), e.name))
    categories = sorted({example.category for example in second if example.category is not None})
    return Figures(
        seed,
        threshold,
        len(first),
        confusion((e.label for e in second), map(said, second)),
        own(second),
        area(second),
        bootstrap(second, kappa, seed),
        bootstrap(second, lambda listed: own(listed).kappa, seed),
        bootstrap(second, area, seed),
        {
            name: confusion(
                (e.label for e in second if e.category == name), (said(e) for e in second if e.category == name)
            )
            for name in categories
        },
        tuple(wrong[:misses]),
        unresolved,
    )


def _counts(found: Confusion) -> dict[str, int]:
    return {"tp": found.tp, "fp": found.fp, "fn": found.fn, "tn": found.tn}


def _share(share: Share) -> dict[str, Any]:
    return {**share.to_json(), "interval": wilson(share)}
