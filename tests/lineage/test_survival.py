"""A claim with two citations, one of them reached: what is known of the other decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lineage import LineageGraph
from lineage_schema.judgments import JudgeId, Judgment, Request
from lineage_schema.vocabulary import Verdict

JUDGE = JudgeId.of("reader", "1", {})
BASELINE = JudgeId.of("words", "1", {"gates": False})
ANSWER = {"namespace": "n", "key": "a"}
CLAIM = {"answer": ANSWER, "ordinal": 1}


def cites(order: int, uri: str, text: str) -> dict:
    target = {"uri": uri, "start": 0, "end": len(text)}
    return {"type": "citation", "claim": CLAIM, "order": order, "marker": f"[S{order}]", "target": target}


A, B = "Items return within 30 days.", "The window is 30 days."
RECORDS: list[Any] = [
    {"type": "document", "uri": "a.md", "text": A},
    {"type": "document", "uri": "b.md", "text": B},
    {"type": "answer", **ANSWER, "question": "?", "text": "30 days [S1][S2]", "cache_key": "k"},
    {"type": "claim", **CLAIM, "label": "C1", "text": "30 days"},
    cites(1, "a.md", A),
    cites(2, "b.md", B),
]


@pytest.fixture
def graph(opening: Callable[[], LineageGraph]) -> Iterator[LineageGraph]:
    with opening() as graph:
        graph.register(RECORDS)
        yield graph


def said(graph, *names: str, verdict: Verdict = Verdict.SUPPORTED, judge: JudgeId = JUDGE) -> str:
    (answer,) = graph.cited(graph.answers("a"))
    named = {each.name: each.material.passage for each in answer.claims[0].cited}
    judgment = Judgment.of(Request("30 days", tuple(named[name] for name in names)), judge, verdict)
    graph.judgments.keep([judgment])
    return judgment.key


def state(graph) -> tuple[str, str, str, str | None]:
    """The state of the answer by ``check`` (while pending and after), and of answer and claim in the report."""
    pending = graph.check("k").status.value
    graph.propagate()
    assert graph.check("a").status.value == pending
    (answer,) = graph.affected().to_json()["answers"]
    (claim,) = answer["claims"]
    counts = graph.affected().to_json()["counts"]
    assert counts["answers"] == {answer["severity"]: 1}
    assert counts["claims"] == {claim["severity"]: 1}
    # Marks are before survival.
    assert {mark.severity for mark in graph.node("answer:n/a").marks} == {2}
    return pending, answer["severity"], claim["severity"], claim["survives_on"]


def corrected(graph) -> None:
    graph.correct({"a.md": A.replace("30", "14")}, reason="policy", propagate=False)


def test_a_stored_verdict_on_the_other_makes_it_review(graph) -> None:
    key = said(graph, "S2")
    corrected(graph)
    assert state(graph) == ("review", "review", "review", f"S2 (judgment {key})")
    assert f"survives on S2 (judgment {key})" in graph.check("a").answers[0].reasons[0].text


def test_without_one_it_is_stale(graph) -> None:
    said(graph, "S1")
    corrected(graph)
    assert state(graph) == ("stale", "invalid", "invalid", None)


def test_a_verdict_for_the_pair_does_not_tell(graph) -> None:
    said(graph, "S1", "S2")
    corrected(graph)
    assert state(graph) == ("stale", "invalid", "invalid", None)


@pytest.mark.parametrize(
    "told",
    [{"verdict": Verdict.NOT_SUPPORTED}, {"verdict": Verdict.UNRESOLVED}, {"judge": BASELINE}],
    ids=["not supported", "unresolved", "a baseline"],
)
def test_what_does_not_count_does_not_lift(graph, told: dict) -> None:
    said(graph, "S2", **told)
    corrected(graph)
    assert state(graph) == ("stale", "invalid", "invalid", None)


def test_differing_verdicts_lift_nothing_until_somebody_decides(graph) -> None:
    key = said(graph, "S2")
    said(graph, "S2", verdict=Verdict.NOT_SUPPORTED)
    corrected(graph)
    assert state(graph)[0] == "stale"
    graph.judgments.resolve(key, "supported", reason="read again")
    assert state(graph)[0] == "review"


def test_an_invalid_mark_of_another_correction_is_in_the_way(graph) -> None:
    said(graph, "S2")
    corrected(graph)
    graph.correct({"b.md": B.replace("30", "14")}, reason="policy too")
    assert graph.check("a").status == "stale"
    assert {each["severity"] for each in graph.affected("last").to_json()["answers"]} == {"invalid"}


def test_what_came_over_a_qualifier_is_not_lifted(opening: Callable[[], LineageGraph]) -> None:
    with opening() as graph:
        graph.register(RECORDS[:2])
        qualified = {
            **RECORDS[3],
            "qualifiers": [{"ref": {"uri": "a.md", "start": 0, "end": len(A)}, "role": "qualifier"}],
        }
        graph.register([RECORDS[2], qualified, *RECORDS[4:]])
        said(graph, "S2")
        corrected(graph)
        assert state(graph) == ("stale", "invalid", "invalid", None)


def test_an_answer_with_another_claim_that_does_not_survive_is_stale(graph) -> None:
    other = {"answer": ANSWER, "ordinal": 2}
    target = {"uri": "a.md", "start": 0, "end": len(A)}
    graph.register(
        [
            {"type": "claim", **other, "text": "by rule"},
            {"type": "citation", "claim": other, "order": 1, "marker": "[S1]", "target": target},
        ]
    )
    said(graph, "S2")
    corrected(graph)
    graph.propagate()
    assert graph.check("a").status == "stale"
    (answer,) = graph.affected().to_json()["answers"]
    assert (answer["severity"], [claim["severity"] for claim in answer["claims"]]) == (
        "invalid",
        ["invalid", "review"],
    )


def test_a_claim_that_the_new_text_supports_is_decided_and_clears(graph) -> None:
    corrected(graph)
    graph.propagate()
    (claim,) = graph.stale_claims()
    assert claim.request is not None
    assert [passage.text for passage in claim.request.passages] == [A.replace("30", "14"), B]
    graph.reverified(claim.id, claim.causes[0], reason="a judgment")
    graph.propagate()
    assert graph.check("a").status == "fresh"
    assert [each["resolution"] for each in graph.history("claim:n/a/C1").to_json()["events"] if "resolution" in each]


def test_of_a_withdrawn_source_nothing_is_left_to_be_judged(graph) -> None:
    graph.withdraw(["a.md"], reason="gone")
    (claim,) = graph.stale_claims("last")
    assert claim.request is not None
    assert [passage.text for passage in claim.request.passages] == [B]
    graph.withdraw(["b.md"], reason="gone")
    (claim,) = graph.stale_claims()
    assert claim.request is None
