"""May this answer be served? The reading that a cache asks before each hit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lineage.evaluate import evaluate
from lineage.refs import named_answers
from lineage.stores.base import CORRECTION, INCOMPLETE, REPLACEMENT, NodeView, Transaction
from lineage.survival import Marks, by_marks, survival
from lineage_schema.vocabulary import Freshness, Severity

BUDGET = 50_000
"""Nodes under one answer that are looked at while work is pending; beyond it the word is ``unknown``."""

_ORDER = (Freshness.FRESH, Freshness.REVIEW, Freshness.UNKNOWN, Freshness.STALE)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an answer is not fresh. ``cause`` is a correction's or a run's id. ``since`` is UTC microseconds."""

    status: Freshness
    cause: str | None
    text: str
    since: int | None = None

    def to_json(self) -> dict[str, Any]:
        return {"status": self.status.value, "cause": self.cause, "text": self.text, "since": self.since}


@dataclass(frozen=True, slots=True)
class Checked:
    """One answer's state. ``sha256`` is the content hash of its text: a cache may hold a replaced one."""

    id: str
    namespace: str
    key: str
    status: Freshness
    sha256: str | None
    reasons: tuple[Reason, ...]
    pending: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "namespace": self.namespace,
            "key": self.key,
            "status": self.status.value,
            "sha256": self.sha256,
            "pending": self.pending,
            "reasons": [reason.to_json() for reason in self.reasons],
        }


@dataclass(frozen=True, slots=True)
class Check:
    """The worst of all answers that the argument names, and each of them."""

    status: Freshness
    answers: tuple[Checked, ...]

    def to_json(self) -> dict[str, Any]:
        return {"status": self.status.value, "answers": [answer.to_json() for answer in self.answers]}


def plainly_fresh(tx: Transaction, ref: str) -> Check | None:
    """The state of a key's or cache key's answers where one look tells that all are fresh, else None."""
    quick = tx.reading.quick(ref)
    if quick is None:
        return None
    answers = [Checked(id_, space, key, Freshness.FRESH, sha256, (), False) for id_, space, key, sha256 in quick]
    return Check(Freshness.FRESH, tuple(answers))


def check(tx: Transaction, ref: str) -> Check:
    """The state of the answer, or answers, that ``ref`` names. Raises :class:`NotFound`.

    Whoever asks often asks :func:`plainly_fresh` first.
    """
    ids = named_answers(tx, ref)
    views = tx.reading.views(ids)
    pending = tx.spread.pending()
    # What was added just now speaks for itself until it has read its inputs' marks.
    new = tx.spread.unsettled(ids)
    checked = tuple(_check(tx, views[id_], pending or id_ in new) for id_ in ids)
    return Check(max((each.status for each in checked), key=_ORDER.index), checked)


def _check(tx: Transaction, view: NodeView, pending: bool) -> Checked:
    reasons: list[Reason] = []
    marks: list[tuple[str, int, int, int | None]] | None
    if pending:
        marks = _now(tx, view)
        if marks is None:
            reasons.append(
                Reason(
                    Freshness.UNKNOWN, None, f"work is pending and over {BUDGET} nodes lie under it: lineage propagate"
                )
            )
    else:
        marks = [(mark.cause, mark.type, mark.severity, mark.since) for mark in view.marks]
    lifted = _lifted(tx, view, marks or (), pending)
    incomplete = False
    for cause, type_, severity, since in marks or ():
        if type_ == INCOMPLETE:
            incomplete = True
        elif type_ == REPLACEMENT:
            reasons.append(Reason(Freshness.REVIEW, cause, f"cites what run {cause} replaced", since))
        else:
            on = lifted.get(cause)
            status = Freshness.STALE if severity == Severity.INVALID and on is None else Freshness.REVIEW
            survives = "" if on is None else f"; {on}"
            reasons.append(Reason(status, cause, _because(tx, cause, severity) + survives, since))
    if incomplete:
        met = {reason.cause for reason in reasons}
        reasons.extend(
            Reason(Freshness.UNKNOWN, cause, f"cannot exclude {cause}: {why}")
            for cause, why in tx.reading.cannot_exclude(view.id)
            if cause not in met
        )
    if not view.current:
        reasons.append(Reason(Freshness.STALE, None, "replaced: the question was asked again"))
    if view.searched:
        newer = tx.reading.searched_since(view.id)
        if newer:
            shown = ", ".join(newer[:3]) + (f" and {len(newer) - 3} more" if len(newer) > 3 else "")
            reasons.append(Reason(Freshness.REVIEW, None, f"cites nothing, and what it searched has changed: {shown}"))
    reasons.sort(key=lambda reason: (-_ORDER.index(reason.status), reason.cause or "", reason.text))
    status = reasons[0].status if reasons else Freshness.FRESH
    return Checked(view.id, view.namespace, view.key, status, view.sha256, tuple(reasons), pending)


def _lifted(
    tx: Transaction, view: NodeView, marks: Iterable[tuple[str, int, int, int | None]], pending: bool
) -> dict[str, str]:
    """The corrections that the answer survives, and on what its claims do."""
    if not any(severity == Severity.INVALID for _, _, severity, _ in marks):
        return {}
    found = survival(tx, [view.id], _as_defined(tx, view.id) if pending else by_marks(tx))
    return {
        cause: "survives on " + ", ".join(sorted({str(on) for (of, _), on in found.claims.items() if of == cause}))
        for cause, _ in found.answers
    }


def _as_defined(tx: Transaction, answer: str) -> Callable[[Collection[str]], Marks]:
    """The marks of what lies under an answer as they are by definition: those in the store may lag behind."""
    effects = evaluate(tx, [answer], BUDGET) or {}

    def told(nodes: Collection[str]) -> Marks:
        return {
            node: {cause: int(under[node].severity) for cause, under in effects.items() if node in under}
            for node in nodes
        }

    return told


def _now(tx: Transaction, view: NodeView) -> list[tuple[str, int, int, int | None]] | None:
    effects = evaluate(tx, [view.id], BUDGET)
    if effects is None:
        return None
    types = {cause.id: cause.type for cause in tx.marks.causes(list(effects), changes=0)}
    return [
        (cause, types[cause], int(nodes[view.id].severity), None)
        for cause, nodes in effects.items()
        if view.id in nodes and types[cause] in (CORRECTION, REPLACEMENT, INCOMPLETE)
    ]


def _because(tx: Transaction, cause: str, severity: int) -> str:
    (state,) = tx.marks.causes([cause], changes=3)
    changes: Sequence[Any] = state.changes
    shown = ", ".join(f"{change.uri} v{change.source} → v{change.target}" for change in changes)
    more = f" and {state.total - len(changes)} more" if state.total > len(changes) else ""
    return f'{Severity(severity).word} by {cause} ({shown}{more}, "{state.reason}")'
