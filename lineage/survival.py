"""Survival: a claim with an invalid citation that another citation still supports, as a stored judgment says.

It is decided when read, and lifts only what came over ``cites``: the claim, and through it the answer, count as
``review``. Marks stay as they are. Without such a judgment nothing is known, and the claim stays as it is marked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lineage.cited import Cited, cited_of
from lineage.judgments import holding
from lineage.stores.base import EdgeView, NodeView, Transaction
from lineage_schema.judgments import Judgment
from lineage_schema.vocabulary import Role, Severity, Verdict, passes

Marks = Mapping[str, Mapping[str, int]]
"""node id → cause id → severity of its open marks"""


@dataclass(frozen=True, slots=True)
class Survivor:
    """A claim that survives: on which citations, by a reader's names, and by which judgment."""

    names: tuple[str, ...]
    judgment: str

    def __str__(self) -> str:
        return f"{' + '.join(self.names)} (judgment {self.judgment})"


@dataclass(frozen=True, slots=True)
class Survival:
    """What is lifted to ``review``, by (cause, node)."""

    claims: Mapping[tuple[str, str], Survivor] = field(default_factory=dict)
    answers: frozenset[tuple[str, str]] = frozenset()


def survival(tx: Transaction, answers: Collection[str], marks: Callable[[Collection[str]], Marks]) -> Survival:
    """What of the answers' invalid marks, and of their claims', is lifted. ``marks`` tells open marks of nodes."""
    inputs: dict[str, list[EdgeView]] = tx.reading.inputs(answers)
    below = {edge.dst for edges in inputs.values() for edge in edges}
    open_ = marks([*answers, *below])
    claims = sorted(
        {
            edge.dst
            for edges in inputs.values()
            for edge in edges
            if edge.role == Role.CLAIM and Severity.INVALID in open_.get(edge.dst, {}).values()
        }
    )
    if not claims:
        return Survival()
    lifted = _lifted_claims(tx, claims, open_, marks)
    if not lifted:
        return Survival()
    return Survival(
        lifted,
        frozenset(
            (cause, answer)
            for answer in answers
            for cause, severity in open_.get(answer, {}).items()
            if severity == Severity.INVALID and _rests(cause, inputs.get(answer, ()), open_, lifted)
        ),
    )


def by_marks(tx: Transaction) -> Callable[[Collection[str]], Marks]:
    """Open marks as the store has them."""

    def told(nodes: Collection[str]) -> Marks:
        views: dict[str, NodeView] = tx.reading.views(nodes)
        return {id_: {mark.cause: mark.severity for mark in view.marks} for id_, view in views.items()}

    return told


def _rests(cause: str, edges: Iterable[EdgeView], open_: Marks, lifted: Mapping[tuple[str, str], Survivor]) -> bool:
    """Whether nothing invalid passes any more: what was invalid came through claims that survive."""
    for edge in edges:
        severity = Severity(open_.get(edge.dst, {}).get(cause, 0))
        if (cause, edge.dst) in lifted:
            severity = Severity.REVIEW
        if passes(Role(edge.role), severity) is Severity.INVALID:
            return False
    return True


def _lifted_claims(
    tx: Transaction, claims: Sequence[str], open_: Marks, marks: Callable[[Collection[str]], Marks]
) -> dict[tuple[str, str], Survivor]:
    views: dict[str, NodeView] = tx.reading.views(claims)
    texts = {views[claim].text for claim in claims}
    judgments: dict[str, list[Judgment]] = tx.judgments.of_statements([text for text in texts if text is not None])
    judged = [claim for claim in claims if views[claim].text in judgments]
    if not judged:
        return {}
    cited = cited_of(tx, judged)
    inputs: dict[str, list[EdgeView]] = tx.reading.inputs(judged)
    under = {edge.dst for edges in inputs.values() for edge in edges}
    below = marks([*under, *(each.material.id for listed in cited.values() for each in listed if each.material)])
    found: dict[tuple[str, str], Survivor] = {}
    for claim in judged:
        survivor = _survivor(cited[claim], below, judgments[views[claim].text or ""])
        if survivor is None:
            continue
        for cause, severity in open_[claim].items():
            # Survival lifts what came over citations, nothing else.
            others = (edge for edge in inputs.get(claim, ()) if edge.role != Role.CITES)
            if severity == Severity.INVALID and _rests(cause, others, below, {}):
                found[cause, claim] = survivor
    return found


def _survivor(cited: Sequence[Cited], below: Marks, judgments: Iterable[Judgment]) -> Survivor | None:
    """The first judgment, fewest passages first, that is of citations without an open invalid mark alone."""
    standing: dict[tuple[str, str], str] = {}
    for each in cited:
        material = each.material
        if material is None or material.passage is None or material.ended:
            continue
        if Severity.INVALID not in below.get(material.id, {}).values():
            standing[material.passage.sha256, material.passage.source] = each.name
    by_key: dict[str, list[Judgment]] = {}
    for row in judgments:
        by_key.setdefault(row.key, []).append(row)
    holds = [held for rows in by_key.values() if (held := holding(rows)) is not None]
    for row in sorted(holds, key=lambda row: (len(row.passages), row.key)):
        shown = [(passage.sha256, passage.source) for passage in row.passages]
        if row.verdict is Verdict.SUPPORTED and row.judge.gates and all(each in standing for each in shown):
            return Survivor(tuple(standing[each] for each in shown), row.key)
    return None
