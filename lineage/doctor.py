"""The state of a store: what is in it, what is pending, what is open."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from lineage.report.corrections import corrections
from lineage.stores.auditing import Unfinished
from lineage.stores.base import Transaction

SECONDS = 1_000_000


@dataclass(frozen=True, slots=True)
class Doctor:
    """Counts and sizes.

    ``pending`` is marks unexpanded or to be read again; ``unsettled`` is nodes that have not read their inputs' marks.
    ``sizes`` are bytes: of the file, free inside it, and waiting in its log. ``at`` is now, in UTC microseconds like
    the times of runs.
    """

    url: str
    schema: int
    counts: dict[str, dict[str, int]]
    pending: int
    unsettled: int
    corrections: dict[str, int]
    findings: dict[str, int]
    unfinished: tuple[Unfinished, ...]
    sequence: int
    sizes: dict[str, int]
    at: int

    def to_json(self) -> dict[str, Any]:
        return {
            "url": self.url,
            "schema": self.schema,
            "counts": self.counts,
            "pending": self.pending,
            "unsettled": self.unsettled,
            "corrections": self.corrections,
            "findings": self.findings,
            "unfinished_runs": [
                {
                    "id": run.id,
                    "namespace": run.namespace,
                    "key": run.key,
                    "begin": run.begin,
                    "at": run.at,
                    "age_seconds": self.age(run),
                }
                for run in self.unfinished
            ],
            "sequence": self.sequence,
            "bytes": self.sizes,
        }

    def age(self, run: Unfinished) -> int:
        """For how many seconds a run has been going on."""
        return max(0, self.at - run.at) // SECONDS

    def lines(self) -> list[str]:
        """The same for people."""

        def listed(numbers: dict[str, int]) -> str:
            return ", ".join(f"{count} {name}" for name, count in numbers.items()) or "none"

        runs = (f"{run.namespace}/{run.key} since {run.begin} ({_duration(self.age(run))})" for run in self.unfinished)
        waits = f"{self.pending} marks" + (f", {self.unsettled} nodes" if self.unsettled else "")
        return [
            f"nodes        {listed(self.counts['nodes'])}",
            f"edges        {listed(self.counts['edges'])}",
            f"store        {listed(self.counts['store'])}, sequence {self.sequence}",
            f"bytes        {listed({name: size for name, size in self.sizes.items() if size or name != 'log'})}",
            f"corrections  {listed(self.corrections)}",
            f"findings     {listed(self.findings)}",
            f"unfinished   {', '.join(runs) or 'none'}",
            f"pending      {waits}" + (": lineage propagate" if self.pending or self.unsettled else ""),
        ]


def doctor(tx: Transaction, url: str) -> Doctor:
    """Looks at the store without a scan beyond counting."""
    return Doctor(
        url=url,
        schema=tx.auditing.schema(),
        counts=tx.reading.counts(),
        pending=tx.spread.amount(),
        unsettled=tx.auditing.unsettled(),
        corrections=dict(sorted(Counter(each.state.value for each in corrections(tx)).items())),
        findings=tx.reading.finding_counts(),
        unfinished=tuple(tx.auditing.unfinished()),
        sequence=tx.sequence(),
        sizes={**tx.reading.sizes(), "log": tx.auditing.log_size()},
        at=tx.now(),
    )


def _duration(seconds: int) -> str:
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
