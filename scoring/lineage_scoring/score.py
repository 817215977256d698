"""A score: loads what answers cite, looks up kept verdicts, and counts. It calls no judge and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from lineage.cited import AnswerMaterial
from lineage.graph import LineageGraph
from lineage_schema.errors import BadInput
from lineage_schema.judgments import JudgeId
from lineage_scoring import desk
from lineage_scoring.selfchecks import SelfChecks, self_checks
from lineage_scoring.support import Means, means
from lineage_scoring.verdicts import gather, missing

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

    def answer_json(self, each: desk.AnswerScore) -> dict[str, Any]:
        """One answer's part of the report."""
        return {
            "id": each.answer.id,
            "key": each.answer.key,
            "namespace": each.answer.namespace,
            "question": each.answer.question,
            "profile": self.profile,
            **each.to_json(),
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


def judge_json(judge: JudgeId) -> dict[str, str]:
    """A judge as reports print it."""
    return {"name": judge.name, "version": judge.version, "configuration": judge.configuration}


def score(graph: LineageGraph, answers: Sequence[str], judge: JudgeId, *, rules: str = desk.DESK) -> Score:
    """Scores answers (ids) by the ``desk`` profile from kept verdicts.

    Raises :class:`MissingJudgment` with every request that has no answer, and :class:`BadInput` for citations that the
    rules refuse.
    """
    if rules not in RULES:
        raise BadInput("score", "rules", found=rules, expected=f"one of {', '.join(RULES)}")
    loaded = graph.cited(answers)
    if rules == desk.DESK:
        desk.checked(loaded)
    verdicts = gather(graph.judgments, judge, (each.request for each in desk.asked(loaded, rules)))
    lacks = desk.lacking(loaded, verdicts, rules)
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
