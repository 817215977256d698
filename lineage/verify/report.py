"""What verification found, and what its parts share."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lineage.stores.base import Transaction
from lineage_schema.canonical import canonical_json
from lineage_schema.errors import BadInput

MOST = 10_000
"""Faults that are listed: one broken thing can contradict everything, and who reads needs the first of them."""
SHOWN = 300


@dataclass(frozen=True, slots=True)
class Fault:
    """One place that contradicts the rest of the store."""

    item: str
    field: str
    found: Any
    expected: Any

    def to_json(self) -> dict[str, Any]:
        return {"item": self.item, "field": self.field, "found": self.found, "expected": self.expected}


@dataclass(slots=True)
class Verification:
    """What was looked at, and what was wrong with it. ``omitted`` counts faults beyond those listed."""

    checked: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    omitted: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "checked": self.checked,
            "faults": [fault.to_json() for fault in self.faults],
            "omitted": self.omitted,
        }


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the checks of others need to know of a run."""

    id: str
    begin: int
    derived: int
    named: frozenset[str]


class Audit:
    """One verification: the transaction, the report, and what is known of runs and causes."""

    def __init__(self, tx: Transaction, progress: Callable[[int, int], None] | None) -> None:
        self.tx = tx
        self.report = Verification()
        self.last = tx.auditing.last_number()
        self.runs: dict[int, RunFacts] = {}
        """By begin."""
        self.causes: dict[str, tuple[int, int, bool]] = {}
        """name → (type, seq, of an edition)"""
        self._progress = progress
        self._done = 0
        counts = tx.auditing.counts()
        # Nodes are passed twice: for themselves, and for their marks.
        self._total = counts["text"] + 2 * counts["node"] + counts["edge"] + counts["span"]

    def step(self, rows: int) -> None:
        """Tells how far it is."""
        self._done += rows
        if self._progress is not None:
            self._progress(min(self._done, self._total), self._total)

    def finish(self) -> None:
        """Tells that it is done."""
        self.step(self._total)

    def count(self, what: str, number: int = 1) -> None:
        """Notes that something was looked at."""
        self.report.checked[what] = self.report.checked.get(what, 0) + number

    def fault(self, item: str, field_: str, found: Any, expected: Any) -> None:
        """Notes a fault."""
        if len(self.report.faults) < MOST:
            self.report.faults.append(Fault(item, field_, _plain(found), _plain(expected)))
        else:
            self.report.omitted += 1

    def same(self, item: str, field_: str, found: Any, expected: Any) -> None:
        """Notes a fault where the two differ."""
        if found != expected:
            self.fault(item, field_, found, expected)

    def node(self, ok: bool, id_: str | None, field_: str, found: Any, expected: Any) -> None:
        """Notes a fault of a node unless ``ok``. Its name is looked up only then."""
        if not ok:
            self.fault(self.label(id_), field_, found, expected)

    def label(self, id_: str | None) -> str:
        """What people call a node."""
        return self.tx.auditing.label(id_)

    def number(self, item: str, field_: str, value: int | None, least: int = 1) -> None:
        """Notes a fault where a number was not given by the sequence, or not from ``least`` on."""
        if value is not None and not least <= value <= self.last:
            self.fault(item, field_, value, f"a number from {least} to {self.last}, the last one given")


def canonical(body: str) -> Any:
    """What canonical JSON says. Raises ValueError where ``body`` is anything else."""
    said = json.loads(body)
    try:
        again = canonical_json(said)
    except BadInput as error:
        raise ValueError(str(error)) from None
    if again != body:
        raise ValueError(f"not canonical, which would be {again}")
    return said


def _plain(value: Any) -> Any:
    """``value`` as JSON has it, long texts shortened in the middle."""
    if isinstance(value, bytes):
        value = value.hex()
    if isinstance(value, str) and len(value) > SHOWN:
        return f"{value[: SHOWN // 2]}…{value[-SHOWN // 2 :]}"
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, (set, frozenset)):
        return sorted(_plain(each) for each in value)
    return value
