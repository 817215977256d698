"""The desk profile on the citation desk: the lesson's figures, objects, refusals and stops."""

from __future__ import annotations

import pytest

from lineage_schema.errors import BadInput, MissingJudgment
from lineage_schema.judgments import JudgeId, Judgment, Request
from lineage_schema.vocabulary import Verdict
from lineage_scoring.desk import UNSUPPORTED, objects
from lineage_scoring.score import score
from lineage_scoring.verdicts import judge_of
from tests.scoring.conftest import RECORDED, passages

FIGURES = {
    "Original": ("2/4", "2/3"),
    "Repaired": ("4/4", "4/4"),
    "Padded": ("4/4", "4/6"),
    "Joint support": ("1/1", "2/2"),
    "Two full supports": ("1/1", "2/2"),
    "Overbroad claim": ("0/1", "0/2"),
}
ANSWER = {"namespace": "desk", "key": "tried"}


def answer(*cited: str | None, label: str = "C1", text: str | None = None, needs: bool = True) -> list[dict]:
    """An answer of one statement that cites sources by name; None is a marker that resolves to nothing."""
    said = text or "Standard items may be returned within 30 days of delivery."
    records: list[dict] = [
        {"type": "answer", **ANSWER, "question": "?", "text": said},
        {"type": "claim", "answer": ANSWER, "ordinal": 1, "label": label, "text": said, "needs_evidence": needs},
    ]
    for order, name in enumerate(cited, 1):
        target = {} if name is None else {"target": {"uri": f"desk/{name}"}}
        marker = f"[{name or 'S99'}]"
        records.append(
            {
                "type": "citation", "claim": {"answer": ANSWER, "ordinal": 1}, "order": order, "marker": marker,
                **target,
            }
        )  # fmt: skip
    return records


def one(graph, rules: str = "desk"):
    (found,) = score(graph, graph.answers("tried"), RECORDED, rules=rules).answers
    return found


@pytest.mark.parametrize("rules", ["desk", "alce"])
def test_the_lesson_s_figures(judged_desk, rules: str) -> None:
    result = score(judged_desk, judged_desk.answers(*FIGURES), judge_of(judged_desk.judgments, "recorded"), rules=rules)
    assert {each.answer.key: (str(each.recall), str(each.precision)) for each in result.answers} == FIGURES
    assert result.checks.clean


def test_the_lesson_s_objects(judged_desk) -> None:
    (original,) = score(judged_desk, judged_desk.answers("Original"), RECORDED).answers
    first, second, third = objects(original.statements[0], original)
    checks = [{"id": "S2", "alone": False, "without": False, "precise": False, "reason": UNSUPPORTED}]
    assert first == {"statementId": "C1", "citations": ["S2"], "citedSetSupports": False, "citationChecks": checks}
    assert second == {
        "statement": {
            "id": "C1",
            "text": "Standard items may be returned within 30 days of delivery.",
            "citations": ["S2"],
        },
        "citedPassages": [
            {
                "id": "S2",
                "text": "A receipt is required for standard-item returns.",
                "version": "sachin-demo-v1",
                "span": {"start": 0, "end": 48},
            }
        ],
    }
    assert third == {
        "wholeSetSupports": False,
        "citationChecks": checks,
        "answerRecall": {"numerator": 2, "denominator": 4, "value": 0.5},
        "answerPrecision": {"numerator": 2, "denominator": 3, "value": 2 / 3},
    }


def test_the_lesson_s_trials(judged_desk) -> None:
    judged_desk.register(answer("S1", "S6"))
    assert (str(one(judged_desk).recall), str(one(judged_desk).precision)) == ("1/1", "2/2")
    judged_desk.register(answer("S2"))
    assert (str(one(judged_desk).recall), str(one(judged_desk).precision)) == ("0/1", "0/1")


def test_an_unknown_citation_is_refused_with_the_known_ones(judged_desk) -> None:
    judged_desk.register(answer("S1", None))
    judged_desk.register(
        [{"type": "retrieved", "answer": ANSWER, "target": {"uri": f"desk/{name}"}} for name in ("S1", "S2")]
    )
    with pytest.raises(BadInput, match=r"tried C1: citations: expected one of S1, S2, found 'S99'"):
        one(judged_desk)
    found = one(judged_desk, "alce")
    assert (str(found.recall), str(found.precision), found.precision_value) == ("0/1", "N/A", 0.0)


def test_a_duplicate_is_refused_by_the_desk_and_counts_twice_for_alce(judged_desk) -> None:
    judged_desk.register(answer("S1", "S1"))
    with pytest.raises(BadInput, match="each citation once in a statement"):
        one(judged_desk)
    assert str(one(judged_desk, "alce").precision) == "2/2"


def test_no_citations(judged_desk) -> None:
    judged_desk.register(answer())
    result = score(judged_desk, judged_desk.answers("tried"), RECORDED)
    assert (str(result.answers[0].recall), str(result.answers[0].precision)) == ("0/1", "N/A")
    assert (result.precision.macro, result.precision.left_out) == (None, 1)
    result = score(judged_desk, judged_desk.answers("tried"), RECORDED, rules="alce")
    assert (result.precision.macro, result.precision.left_out) == (0.0, 0)


def test_a_statement_that_needs_no_evidence_is_counted_by_alce_alone(judged_desk) -> None:
    judged_desk.register(answer(needs=False))
    assert (str(one(judged_desk).recall), one(judged_desk).uncounted) == ("N/A", 1)
    assert str(one(judged_desk, "alce").recall) == "0/1"


def test_a_score_stops_with_every_request_that_has_no_answer(judged_desk) -> None:
    judged_desk.register(answer("S4", "S2"))
    with pytest.raises(MissingJudgment) as stopped:
        one(judged_desk)
    # S2 and S4 alone were judged; the set of both was not, in this order or in the other.
    assert [(each["why"], each["purpose"], each["passages"]) for each in stopped.value.requests] == [
        ("missing", "full", ["S4", "S2"])
    ]
    named = passages(judged_desk)
    request = Request("Standard items may be returned within 30 days of delivery.", (named["S4"], named["S2"]))
    judged_desk.judgments.keep([Judgment.of(request, RECORDED, Verdict.UNRESOLVED)])
    with pytest.raises(MissingJudgment) as stopped:
        one(judged_desk)
    assert [each["why"] for each in stopped.value.requests] == ["unresolved"]
    judged_desk.judgments.keep([Judgment.of(request, RECORDED, Verdict.NOT_SUPPORTED)])
    with pytest.raises(MissingJudgment) as stopped:
        one(judged_desk)
    assert [each["why"] for each in stopped.value.requests] == ["conflict"]
    judged_desk.judgments.resolve(RECORDED.key(request), "not_supported", reason="read again")
    assert str(one(judged_desk).recall) == "0/1"


def test_a_correction_makes_judgments_of_its_words_unusable_and_keeps_old_scores(judged_desk) -> None:
    ids = judged_desk.answers("Repaired")
    before = score(judged_desk, ids, RECORDED)
    judged_desk.judgments.keep_scores(before.records())
    text = judged_desk.text("desk/S1").replace("30", "14")
    done = judged_desk.correct({"desk/S1": text}, reason="policy")
    with pytest.raises(MissingJudgment) as stopped:
        score(judged_desk, ids, RECORDED)
    assert [(each["claim"], each["why"], each["detail"]) for each in stopped.value.requests] == [
        ("C1", "changed", f"S1 by {done.id}")
    ]
    ((_, _, kept),) = judged_desk.judgments.scores(ids[0])
    assert kept == before.records()[0][1]
    # Other answers do not stand on it.
    assert str(score(judged_desk, judged_desk.answers("Original"), RECORDED).answers[0].recall) == "2/4"
    judged_desk.undo(done.id)
    assert score(judged_desk, ids, RECORDED) == before


def test_another_judge_s_verdicts_are_not_taken(judged_desk) -> None:
    with pytest.raises(MissingJudgment):
        score(judged_desk, judged_desk.answers("Original"), JudgeId.of("recorded", "2", {}))
