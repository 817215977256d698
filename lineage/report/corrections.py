"""All corrections, with their state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lineage.report.affected import correction_json
from lineage.stores.base import CORRECTION, CauseState, Transaction
from lineage_schema.vocabulary import CorrectionState, Severity


@dataclass(frozen=True, slots=True)
class CorrectionView:
    """One correction. ``answers`` counts its open marks on current answers by severity."""

    cause: CauseState
    state: CorrectionState
    pending: int
    answers: dict[str, int]

    @property
    def id(self) -> str:
        """The correction's id."""
        return self.cause.id

    def to_json(self) -> dict[str, Any]:
        return {**correction_json(self.cause, self.state.value, self.pending), "answers": self.answers}


def corrections(tx: Transaction) -> list[CorrectionView]:
    """All corrections in the order of the sequence."""
    found = []
    for cause in tx.marks.causes(type_=CORRECTION):
        pending, open_, _ = tx.marks.state(cause.id)
        state = CorrectionState.PROPAGATING if pending else CorrectionState.OPEN if open_ else CorrectionState.CLOSED
        counts = tx.reading.marked_counts(cause.id, current=True).get("answer", {})
        answers = {Severity(severity).word: counts[severity] for severity in sorted(counts, reverse=True)}
        found.append(CorrectionView(cause, state, tx.marks.amount(cause.id), answers))
    return found
