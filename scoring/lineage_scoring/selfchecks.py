"""What a judge's own verdicts tell of it: they are not monotone, depend on the order of passages, or were cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from lineage_schema.judgments import Judgment
from lineage_schema.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class SelfChecks:
    """Findings by kind. Each of ``not_monotone`` and ``order`` is a pair of judgment keys that disagree."""

    not_monotone: tuple[tuple[str, str], ...]
    order: tuple[tuple[str, str], ...]
    cut: tuple[str, ...]
    unresolved: tuple[str, ...]

    @property
    def clean(self) -> bool:
        return not (self.not_monotone or self.order or self.cut)

    def to_json(self) -> dict[str, Any]:
        return {
            "not_monotone": [list(pair) for pair in self.not_monotone],
            "order": [list(pair) for pair in self.order],
            "cut": list(self.cut),
            "unresolved": list(self.unresolved),
        }


def self_checks(judgments: Iterable[Judgment]) -> SelfChecks:
    """Looks at one judge's verdicts, statement by statement.

    *Not monotone*: a set supports a statement, and a larger set that contains it does not (a pair smaller, larger).
    Where the larger set contradicts, a member of it does: that is a conflict of sources, and no fault of the judge.
    *Order*: the same passages in another order got another verdict.
    """
    rows = sorted({row.key: row for row in judgments if row.statement is not None}.values(), key=_statement)
    monotone: list[tuple[str, str]] = []
    order: list[tuple[str, str]] = []
    for _, listed in groupby(rows, key=lambda row: row.statement):
        mine = list(listed)
        monotone += _not_monotone(mine)
        order += _order(mine)
    return SelfChecks(
        tuple(monotone),
        tuple(order),
        tuple(row.key for row in rows if row.cut),
        tuple(row.key for row in rows if row.verdict is Verdict.UNRESOLVED),
    )


def _statement(row: Judgment) -> tuple[str, str]:
    return row.statement or "", row.key


def _not_monotone(rows: Sequence[Judgment]) -> list[tuple[str, str]]:
    shown = [(frozenset((each.sha256, each.source) for each in row.passages), row) for row in rows]
    supporting = [(members, row) for members, row in shown if row.verdict is Verdict.SUPPORTED]
    against = [(members, row) for members, row in shown if row.verdict is Verdict.NOT_SUPPORTED]
    return sorted((small.key, large.key) for few, small in supporting for more, large in against if few < more)


def _order(rows: Sequence[Judgment]) -> list[tuple[str, str]]:
    by_set: dict[tuple[tuple[str, str], ...], list[Judgment]] = {}
    for row in rows:
        by_set.setdefault(tuple(sorted((each.sha256, each.source) for each in row.passages)), []).append(row)
    return sorted(
        (first.key, other.key)
        for listed in by_set.values()
        for first, other in pairwise(listed)
        if first.verdict is not other.verdict
    )
