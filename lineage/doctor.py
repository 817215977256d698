"""The state of a store: what is in it, what is pending, what is open."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from lineage.report.corrections import corrections
from lineage.stores.base import Transaction


@dataclass(frozen=True, slots=True)
class Doctor:
    """Counts and sizes. ``pending`` is marks unexpanded or to be read again; sizes are bytes."""

    counts: dict[str, dict[str, int]]
    pending: int
    corrections: dict[str, int]
    findings: dict[str, int]
    unfinished: dict[str, int]
    sequence: int
    sizes: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        return {
            "counts": self.counts,
            "pending": self.pending,
            "corrections": self.corrections,
            "findings": self.findings,
            "unfinished_runs": self.unfinished,
            "sequence": self.sequence,
            "bytes": self.sizes,
        }

    def lines(self) -> list[str]:
        """The same for people."""

        def listed(numbers: dict[str, int]) -> str:
            return ", ".join(f"{count} {name}" for name, count in numbers.items()) or "none"

        return [
            f"nodes        {listed(self.counts['nodes'])}",
            f"edges        {listed(self.counts['edges'])}",
            f"store        {listed(self.counts['store'])}, sequence {self.sequence}",
            f"bytes        {listed(self.sizes)}",
            f"corrections  {listed(self.corrections)}",
            f"findings     {listed(self.findings)}",
            f"unfinished   {listed({f'run since {begin}': 1 for begin in self.unfinished.values()})}",
            f"pending      {self.pending} marks" + (": lineage propagate" if self.pending else ""),
        ]


def doctor(tx: Transaction) -> Doctor:
    """Looks at the store without a scan beyond counting."""
    return Doctor(
        counts=tx.reading.counts(),
        pending=tx.spread.amount(),
        corrections=dict(sorted(Counter(each.state.value for each in corrections(tx)).items())),
        findings=tx.reading.finding_counts(),
        unfinished=tx.reading.run_begins(),
        sequence=tx.sequence(),
        sizes=tx.reading.sizes(),
    )
