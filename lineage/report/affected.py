"""The report that an operator lives by. Nothing in it is random: two stores print the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lineage.chains import Chains
from lineage.report.answers import answer_reports
from lineage.report.changes import edits_of
from lineage.report.labels import order
from lineage.report.spared import cannot_exclude, spared
from lineage.stores.base import CauseState, Transaction
from lineage.survival import by_marks, survival
from lineage_schema.errors import BadInput
from lineage_schema.vocabulary import CorrectionState, Severity

GROUP = 500
"""Answers that are looked at together."""


@dataclass(frozen=True, slots=True)
class Affected:
    """The report, in the shape that programs read (``affected/1``)."""

    body: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """The report as one object."""
        return self.body

    def records(self) -> Iterator[dict[str, Any]]:
        """The report as typed records: ``correction`` first, ``end`` with the counts last."""
        body = self.body
        yield {"type": "correction", "schema": body["schema"], **body["correction"]}
        for plural, type_ in (
            ("changes", "change"),
            ("answers", "answer"),
            ("spared", "spared"),
            ("cannot_exclude", "cannot_exclude"),
        ):
            for each in body[plural]:
                yield {"type": type_, **each}
        yield {"type": "end", "counts": body["counts"], "page": body["page"]}


def affected(
    tx: Transaction, cause: CauseState, *, limit: int | None = None, after: str | None = None, replaced: bool = False
) -> Affected:
    """The report of one correction.

    ``limit`` bounds the answers and ``after`` is the id of the last one of the page before; counts are
    always of all. ``replaced`` also reports answers that were asked again since.
    """
    if limit is not None and limit < 1:
        raise BadInput("affected", "limit", found=limit, expected="at least 1")
    chains = Chains(tx)
    chains.prefetch(change.uri for change in cause.changes)
    edits = edits_of(tx, chains, cause.changes)
    pending, open_, _ = tx.marks.state(cause.id)
    state = CorrectionState.PROPAGATING if pending else CorrectionState.OPEN if open_ else CorrectionState.CLOSED
    lifted = _Lifted(tx, cause.id, tx.reading.marked_answers(cause.id, current=not replaced))
    ids = lifted.order
    start = 0
    if after is not None:
        if after not in ids:
            raise BadInput("affected", "after", found=after, expected="the id of an answer of this report")
        start = ids.index(after) + 1
    page = ids[start:] if limit is None else ids[start : start + limit]
    more = limit is not None and start + limit < len(ids)
    rest = spared(tx, cause, set(ids), pending=pending, replaced=replaced)
    unknown = cannot_exclude(tx, cause, set(ids), replaced=replaced)
    counts = tx.reading.marked_counts(cause.id, current=not replaced)
    by_reason: dict[str, int] = {}
    for each in rest:
        by_reason[each.reason] = by_reason.get(each.reason, 0) + 1
    body: dict[str, Any] = {
        "schema": "affected/1",
        "correction": correction_json(cause, state.value, tx.marks.amount(cause.id)),
        "changes": [edit.to_json() for edit in edits],
        "answers": answer_reports(tx, chains, cause, page, edits),
        "spared": [each.to_json() for each in rest],
        "cannot_exclude": unknown,
        "counts": {
            "answers": _severities(lifted.moved(counts.get("answer", {}), lifted.answers)),
            "claims": _severities(lifted.moved(counts.get("claim", {}), lifted.claims)),
            "nodes": {
                kind: sum(numbers.values())
                for kind, numbers in sorted(counts.items())
                if kind not in ("answer", "claim")
            },
            "spared": dict(sorted(by_reason.items())),
            "cannot_exclude": len(unknown),
        },
        "page": {"limit": limit, "next": page[-1] if more and page else None},
    }
    return Affected(body)


class _Lifted:
    """The answers that a correction marks, those that survive among those to be reviewed."""

    def __init__(self, tx: Transaction, cause: str, ids: list[str]) -> None:
        answers: set[str] = set()
        claims: set[str] = set()
        # Most stores with nothing judged pay one look for it.
        judged = bool(tx.judgments.judges())
        for begin in range(0, len(ids) if judged else 0, GROUP):
            found = survival(tx, ids[begin : begin + GROUP], by_marks(tx))
            answers.update(answer for of, answer in found.answers if of == cause)
            claims.update(claim for of, claim in found.claims if of == cause)
        self.answers, self.claims = len(answers), len(claims)
        self.order = ids
        if answers:
            severity = tx.reading.severities(cause, ids)
            views = tx.reading.views(ids)
            self.order = sorted(
                ids, key=lambda id_: (id_ in answers or severity[id_] < Severity.INVALID, order(views[id_]))
            )

    @staticmethod
    def moved(numbers: dict[int, int], count: int) -> dict[int, int]:
        """Counts by severity, with so many of the invalid ones counted as to be reviewed."""
        if not count:
            return numbers
        after = dict(numbers)
        after[Severity.INVALID] -= count
        after[Severity.REVIEW] = after.get(Severity.REVIEW, 0) + count
        return {severity: number for severity, number in after.items() if number}


def correction_json(cause: CauseState, state: str, pending: int) -> dict[str, Any]:
    """A correction as reports print it. ``at`` is ISO 8601 in UTC."""
    return {
        "id": cause.id,
        "documents": [
            {
                "uri": change.uri,
                "kind": change.kind,
                "from_version": change.source,
                "to_version": None if change.kind == "withdraw" else change.target,
            }
            for change in cause.changes
        ],
        "reason": cause.reason,
        "by": cause.by,
        "at": iso(cause.at),
        "state": state,
        "pending": pending,
    }


def iso(at: int) -> str:
    """UTC microseconds as ISO 8601."""
    return datetime.fromtimestamp(at / 1_000_000, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _severities(numbers: dict[int, int]) -> dict[str, int]:
    return {Severity(severity).word: numbers[severity] for severity in sorted(numbers, reverse=True)}
