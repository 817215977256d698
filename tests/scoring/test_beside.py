"""What is told beside citation quality, on the desk and on a drifted summary."""

from __future__ import annotations

import pytest

from lineage import LineageGraph
from lineage_schema.errors import MissingJudgment
from lineage_schema.judgments import Judgment, Request
from lineage_schema.vocabulary import Verdict
from lineage_scoring.asking import Asked
from lineage_scoring.beside import PARTS, Reference
from lineage_scoring.scope import Applicability, applies
from lineage_scoring.score import context_of, requests_of, score
from tests.scoring.conftest import RECORDED

ANSWER = {"namespace": "n", "key": "a"}
CLAIM = {"answer": ANSWER, "ordinal": 1}
TEXT = "Most items return within 30 days. Clearance items do not."
SUMMARY = {"kind": "summary", "namespace": "n", "key": "s"}


def say(graph: LineageGraph, asked: Asked, verdict: Verdict) -> None:
    graph.judgments.keep([Judgment.of(asked.request, RECORDED, verdict)])


def test_supported_by_what_was_retrieved_and_not_by_what_is_cited(judged_desk) -> None:
    (original,) = score(
        judged_desk, judged_desk.answers("Original"), RECORDED, beside=["faithfulness"]
    ).to_json()["answers"]  # fmt: skip
    beside = original["beside"]
    assert (beside["faithfulness"]["numerator"], beside["faithfulness"]["denominator"]) == (4, 4)
    # C1 cites S2; S1 says it. C3 cites nothing; S3 says it.
    assert beside["supported_but_not_by_what_is_cited"] == ["C1", "C3"]
    repairs = {each["label"]: each.get("repair") for each in beside["statements"]}
    assert repairs == {"C1": "cite S1 or S6", "C2": None, "C3": "cite S3", "C4": None}


def test_what_contradicts_what_is_decisive_and_what_suffices(judged_desk) -> None:
    answers = score(judged_desk, judged_desk.answers(), RECORDED).to_json()["answers"]
    told = {each["key"]: each["beside"]["statements"][0] for each in answers}
    assert told["Overbroad claim"]["contradicted_by"] == ["S5"]
    assert told["Two full supports"]["minimal_sets"] == [["S1"], ["S6"]]
    assert told["Two full supports"]["decisive"] == []
    assert told["Joint support"]["minimal_sets"] == [["S1", "S2"]]
    assert told["Joint support"]["decisive"] == ["S1", "S2"]
    assert told["Padded"]["decisive"] == ["S1"]


@pytest.fixture
def drifted(tmp_path):
    """An answer that cites a summary which says more than the span under it."""
    with LineageGraph.open(f"sqlite:///{tmp_path}/a.db", create=True) as graph:
        graph.register(
            [
                {"type": "document", "uri": "a.md", "text": TEXT, "valid_from": "2025-01-01", "valid_to": "2026-01-01"},
                {
                    "type": "node", **SUMMARY, "text": "All items return within 30 days.", "attributes": {"level": 1},
                    "inputs": [{"ref": {"uri": "a.md", "start": 0, "end": 33}}],
                },
                {"type": "answer", **ANSWER, "question": "?", "text": "All do [1]", "as_of": "2026-05-01"},
                {"type": "claim", **CLAIM, "label": "C1", "text": "All items return within 30 days."},
                {"type": "citation", "claim": CLAIM, "order": 1, "marker": "[1]", "target": SUMMARY},
            ]
        )  # fmt: skip
        yield graph


def test_a_summary_that_drifted_is_told_from_one_that_did_not(drifted) -> None:
    ids = drifted.answers("a")
    asked = [each for each in requests_of(drifted, ids, beside=["fidelity"]) if each.purpose != "full"]
    by_text = next(each for each in requests_of(drifted, ids) if each.purpose == "full")
    (by_spans,) = (each for each in asked if each.request != by_text.request)
    assert [passage.text for passage in by_spans.request.passages] == ["Most items return within 30 days."]
    say(drifted, by_text, Verdict.SUPPORTED)
    with pytest.raises(MissingJudgment) as stopped:
        score(drifted, ids, RECORDED, beside=["fidelity"])
    assert [each["purpose"] for each in stopped.value.requests] == ["fidelity"]
    say(drifted, by_spans, Verdict.NOT_SUPPORTED)
    (answer,) = score(drifted, ids, RECORDED, beside=["fidelity"]).to_json()["answers"]
    (told,) = answer["beside"]["statements"][0]["fidelity"]
    assert (told["word"], told["shown"], told["rule"]) == ("by_the_summary_only", 1, None)
    assert told["spans"] == [{"uri": "a.md", "version": 1, "start": 0, "end": 33}]
    # The source held until 2026, and the answer is about May of that year.
    (applicability,) = answer["beside"]["statements"][0]["applicability"]
    assert applicability["word"] == "not_applicable"


def test_correct_but_unsupported_and_what_is_not_covered(drifted) -> None:
    ids = drifted.answers("a")
    references = {"a": Reference("All items return within 30 days.", ("the window", "the receipt"))}
    for each in requests_of(drifted, ids, beside=PARTS, references=references):
        right = each.purpose == "correctness" or each.request.statement == "the window"
        say(drifted, each, Verdict.SUPPORTED if right else Verdict.NOT_SUPPORTED)
    result = score(drifted, ids, RECORDED, beside=PARTS, references=references)
    beside = result.to_json()["answers"][0]["beside"]
    assert beside["correct_but_unsupported"] == ["C1"]
    assert (beside["completeness"]["numerator"], beside["completeness"]["denominator"]) == (1, 2)
    assert not beside["completeness"]["refusal"]


def test_a_refusal_covers_nothing_and_has_no_citation_figures(drifted) -> None:
    refusal = {"namespace": "n", "key": "no"}
    drifted.register([{"type": "answer", **refusal, "question": "?", "text": "I do not know."}])
    references = {"no": Reference(points=("the window",))}
    result = score(drifted, drifted.answers("no"), RECORDED, beside=["completeness"], references=references)
    (answer,) = result.to_json()["answers"]
    assert (answer["recall"]["value"], answer["precision"]["value"]) == (None, None)
    assert answer["beside"]["completeness"]["value"] == 0.0
    assert answer["beside"]["completeness"]["refusal"]


def test_of_many_spans_those_that_share_most_words_are_shown(tmp_path) -> None:
    lines = [f"Rule {number} is about {'returns' if number % 3 else 'boxes'}." for number in range(40)]
    text = "\n".join(lines) + "\n"
    with LineageGraph.open(f"sqlite:///{tmp_path}/a.db", create=True) as graph:
        spans = [{"ref": {"uri": "a.md", "start": text.index(line), "end": text.index(line) + len(line)}}
                 for line in lines]  # fmt: skip
        graph.register(
            [
                {"type": "document", "uri": "a.md", "text": text},
                {"type": "node", **SUMMARY, "text": "Rules.", "attributes": {"level": 1}, "inputs": spans},
                {"type": "answer", **ANSWER, "question": "?", "text": "Rules [1]"},
                {"type": "claim", **CLAIM, "text": "is about returns."},
                {"type": "citation", "claim": CLAIM, "order": 1, "marker": "[1]", "target": SUMMARY},
            ]
        )
        ids = graph.answers("a")
        loaded = graph.cited(ids)
        (listed,) = context_of(graph, loaded, {}).spans.values()
        assert len(listed) == 40
        shown = max(requests_of(graph, ids, beside=["fidelity"]), key=lambda each: len(each.request.passages)).request
        assert len(shown.passages) == 24
        assert all("returns" in passage.text for passage in shown.passages)
        order = [lines.index(passage.text) for passage in shown.passages]
        assert order == sorted(order)
        assert isinstance(shown, Request)


@pytest.mark.parametrize(
    ("scope", "said", "word"),
    [
        ({}, {}, Applicability.UNKNOWN),
        ({"as_of": "2025-06-01"}, {"valid_from": "2025-01-01", "valid_to": "2026-01-01"}, Applicability.APPLICABLE),
        ({"as_of": "2026-01-01"}, {"valid_to": "2026-01-01"}, Applicability.NOT_APPLICABLE),
        ({"as_of": "2024-12-31"}, {"valid_from": "2025-01-01"}, Applicability.NOT_APPLICABLE),
        ({"as_of": "2025-06-01"}, {}, Applicability.UNKNOWN),
        ({"variant": "R7"}, {"applicability": {"variant": "R8"}}, Applicability.NOT_APPLICABLE),
        ({"variant": "R7"}, {"applicability": {"variant": "R7"}}, Applicability.APPLICABLE),
        ({"variant": "R7"}, {"applicability": {"jurisdiction": "EU"}}, Applicability.UNKNOWN),
        (
            {"variant": "R7", "as_of": "2025-06-01"},
            {"applicability": {"variant": "R7"}, "valid_to": "2025-01-01"},
            Applicability.NOT_APPLICABLE,
        ),
    ],
)
def test_applicability_is_what_both_sides_state(scope: dict, said: dict, word: Applicability) -> None:
    assert applies(scope, said).word is word
