"""A score: loads what answers cite, looks up kept verdicts, and counts. It calls no judge and changes nothing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from lineage.cited import AnswerMaterial
from lineage.graph import LineageGraph
from lineage_schema.errors import BadInput
from lineage_schema.judgments import JudgeId
from lineage_scoring import audited, desk
from lineage_scoring.asking import Asked, about_citations
from lineage_scoring.audited import AnswerAudit
from lineage_scoring.beside import PARTS, Context, Reference, alone_of_context
from lineage_scoring.beside import asked as asked_beside
from lineage_scoring.beside import beside as about
from lineage_scoring.beside import lacking as lacking_beside
from lineage_scoring.parts import Given, parts_of_claims
from lineage_scoring.selfchecks import SelfChecks, self_checks
from lineage_scoring.support import Means, means
from lineage_scoring.verdicts import gather, judge_json, missing, names_of

CAVEAT: Final = "A score shows what the cited text says. It does not show that the model read it, nor that it is true."
RULES: Final = (desk.DESK, desk.ALCE)


@dataclass(frozen=True, slots=True)
class Score:
    """The score of some answers by one judge's verdicts. ``macro`` figures leave out answers without one (N/A)."""

    profile: str
    rules: str
    judge: JudgeId
    answers: tuple[desk.AnswerScore, ...]
    recall: Means
    precision: Means
    checks: SelfChecks
    beside: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def answer_json(self, each: desk.AnswerScore) -> dict[str, Any]:
        """One answer's part of the report."""
        return {
            "id": each.answer.id,
            "key": each.answer.key,
            "namespace": each.answer.namespace,
            "question": each.answer.question,
            "profile": self.profile,
            **each.to_json(),
            "beside": self.beside[each.answer.id],
        }

    def records(self) -> list[tuple[str, str]]:
        """(answer id, JSON) of each answer's score, to be kept."""
        about = {"schema": "score/1", "rules": self.rules, "judge": judge_json(self.judge)}
        return [
            (each.answer.id, json.dumps({**about, **self.answer_json(each)}, sort_keys=True, ensure_ascii=False))
            for each in self.answers
        ]

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": "score/1",
            "profile": self.profile,
            "rules": self.rules,
            "judge": judge_json(self.judge),
            "answers": [self.answer_json(each) for each in self.answers],
            "recall": self.recall.to_json(),
            "precision": self.precision.to_json(),
            "self_checks": self.checks.to_json(),
            "caveat": CAVEAT,
        }


@dataclass(frozen=True, slots=True)
class Audit:
    """The audit of some answers by one judge's verdicts. Of each claim its answer tells who split it."""

    judge: JudgeId
    answers: tuple[AnswerAudit, ...]
    coverage: Means
    precision: Means
    checks: SelfChecks

    def splitters(self) -> list[tuple[JudgeId, int]]:
        """Who split the claims, and how many."""
        found = Counter(splitter for each in self.answers for _, _, splitter in each.claims if splitter is not None)
        return sorted(found.items(), key=lambda each: names_of(each[0]))

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": "audit/1",
            "profile": "audit",
            "judge": judge_json(self.judge),
            "split_by": [{**judge_json(splitter), "claims": count} for splitter, count in self.splitters()],
            "answers": [each.to_json() for each in self.answers],
            "coverage": self.coverage.to_json(),
            "link_precision": self.precision.to_json(),
            "self_checks": self.checks.to_json(),
            "caveat": CAVEAT,
        }


def audit(graph: LineageGraph, answers: Sequence[str], judge: JudgeId, *, given: Given | None = None) -> Audit:
    """Audits answers (ids) from kept verdicts, over the parts that claims were last split into.

    ``given`` are parts of the caller, by the claim's text: they count for the claims that they name, and are not kept
    by this. Raises :class:`MissingJudgment` with every request that has no answer.
    """
    loaded = graph.cited(answers)
    parts = parts_of_claims(graph.judgments, loaded, given)
    verdicts = gather(graph.judgments, judge, (each.request for each in audited.asked(loaded, parts)))
    lacks = audited.lacking(loaded, verdicts, parts)
    if lacks:
        raise missing(lacks, judge)
    found = tuple(audited.audit(answer, verdicts, parts) for answer in loaded)
    return Audit(
        judge,
        found,
        means(each.coverage for each in found),
        means(each.precision for each in found),
        checks_of(graph, judge, loaded),
    )


def context_of(graph: LineageGraph, loaded: Iterable[AnswerMaterial], references: Mapping[str, Reference]) -> Context:
    """The spans under cited derived nodes, and the references."""
    nodes = {
        each.material.id
        for answer in loaded
        for claim in answer.claims
        for each in claim.cited
        if each.material is not None and each.material.place is None
    }
    return Context(graph.spans_under(sorted(nodes)) if nodes else {}, references)


def requests_of(
    graph: LineageGraph,
    answers: Sequence[str],
    *,
    beside: Sequence[str] = (),
    given: Given | None = None,
    references: Mapping[str, Reference] | None = None,
) -> list[Asked]:
    """All that scoring asks of answers: about citations, about the parts of claims, and beside them.

    ``given`` are parts of the caller, by the claim's text; other claims have those that they were last split into.
    """
    loaded = graph.cited(answers)
    found = list(about_citations(loaded))
    parts = parts_of_claims(graph.judgments, loaded, given)
    if parts:
        found += audited.asked(loaded, parts)
    if beside:
        context = context_of(graph, loaded, references or {})
        found += [each for answer in loaded for each in asked_beside(answer, beside, context)]
    return found


def score(
    graph: LineageGraph,
    answers: Sequence[str],
    judge: JudgeId,
    *,
    rules: str = desk.DESK,
    beside: Sequence[str] = (),
    references: Mapping[str, Reference] | None = None,
) -> Score:
    """Scores answers (ids) by the ``desk`` profile from kept verdicts.

    ``beside`` names the parts of :mod:`lineage_scoring.beside` that are reported too, and need verdicts of their own.
    Raises :class:`MissingJudgment` with every request that has no answer, and :class:`BadInput` for citations that the
    rules refuse.
    """
    if rules not in RULES:
        raise BadInput("score", "rules", found=rules, expected=f"one of {', '.join(RULES)}")
    loaded = graph.cited(answers)
    if rules == desk.DESK:
        desk.checked(loaded)
    unknown = sorted(set(beside) - set(PARTS))
    if unknown:
        raise BadInput("score", "beside", found=unknown[0], expected=f"one of {', '.join(PARTS)}")
    context = context_of(graph, loaded, references or {})
    more = [each.request for answer in loaded for each in asked_beside(answer, beside, context)]
    more += [request for answer in loaded for request in alone_of_context(answer)]
    verdicts = gather(graph.judgments, judge, [*(each.request for each in desk.asked(loaded, rules)), *more])
    lacks = desk.lacking(loaded, verdicts, rules) + lacking_beside(loaded, beside, context, verdicts)
    if lacks:
        raise missing(lacks, judge)
    scores = tuple(desk.score(answer, verdicts, rules) for answer in loaded)
    return Score(
        desk.DESK,
        rules,
        judge,
        scores,
        means(each.recall for each in scores),
        means_of_precision(scores),
        checks_of(graph, judge, loaded),
        {answer.id: about(answer, beside, context, verdicts) for answer in loaded},
    )


def means_of_precision(scores: Sequence[desk.AnswerScore]) -> Means:
    """The means of the answers' precision; by ALCE's rules an answer without a counted citation has 0 in the mean."""
    found = means(each.precision for each in scores)
    zeros = sum(each.precision_value is not None and not each.precision.denominator for each in scores)
    if not zeros:
        return found
    counted = found.scored + zeros
    return Means(found.micro, (found.macro or 0.0) * found.scored / counted, counted, found.left_out - zeros)


def checks_of(graph: LineageGraph, judge: JudgeId, answers: Sequence[AnswerMaterial]) -> SelfChecks:
    """The judge's checks on itself: over all that it said of these answers' statements."""
    statements = {claim.text for answer in answers for claim in answer.claims if claim.text is not None}
    found = graph.judgments.of_statements(statements)
    return self_checks(row for rows in found.values() for row in rows if row.judge == judge)
