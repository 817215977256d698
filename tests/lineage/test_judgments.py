"""Judgments are kept once, side by side where they differ, and lose their texts with what they were made of."""

from __future__ import annotations

import pytest

from lineage import LineageGraph
from lineage.judgments import holding
from lineage_schema.errors import BadInput, NotFound
from lineage_schema.judgments import JudgeId, Judgment, Passage, Request
from lineage_schema.vocabulary import Verdict

JUDGE = JudgeId.of("desk", "1", {"prompt": "p1"})
ASKED = Request("Returns take 30 days.", (Passage("Items return within 30 days.", "v1:" + "0" * 40),))


def said(verdict: Verdict, request: Request = ASKED, judge: JudgeId = JUDGE, reason: str | None = None) -> Judgment:
    return Judgment.of(request, judge, verdict, score=0.75, reason=reason, latency=12, by="reader")


@pytest.fixture
def graph(tmp_path):
    with LineageGraph.open(f"sqlite:///{tmp_path}/a.db", create=True, clock=lambda: 7) as graph:
        yield graph


def test_a_key_holds_all_that_may_change_a_verdict_and_nothing_else() -> None:
    first, second = Passage("one", "v1:a"), Passage("two", "v1:b")
    keys = [
        JUDGE.key(Request("s", (first, second))),
        JUDGE.key(Request("s", (second, first))),
        JUDGE.key(Request("s.", (first, second))),
        JUDGE.key(Request("s", (Passage("one", "v1:c"), second))),
        JudgeId.of("desk", "2", {"prompt": "p1"}).key(Request("s", (first, second))),
        JudgeId.of("desk", "1", {"prompt": "p2"}).key(Request("s", (first, second))),
    ]
    assert len(set(keys)) == len(keys)
    assert JudgeId.of("desk", "1", {"prompt": "p1"}).key(Request("s", (first, second))) == keys[0]


def test_what_is_kept_is_read_back_whole(graph: LineageGraph) -> None:
    assert graph.judgments.keep([said(Verdict.SUPPORTED, reason="it says so")]) == (1, 0, [])
    assert graph.judgments.keep([said(Verdict.SUPPORTED)]) == (0, 1, [])
    (row,) = graph.judgments.find([JUDGE.key(ASKED)])[JUDGE.key(ASKED)]
    assert row.statement == ASKED.statement
    assert [(shown.text, shown.source) for shown in row.passages] == [(p.text, p.source) for p in ASKED.passages]
    assert (row.judge, row.verdict, row.score, row.reason, row.latency, row.by, row.at) == (
        JUDGE, Verdict.SUPPORTED, 0.75, "it says so", 12, "reader", 7,
    )  # fmt: skip
    assert graph.judgments.of_statements([ASKED.statement, "another"]) == {ASKED.statement: [row]}
    assert graph.judgments.judges() == [(JUDGE, 1)]


def test_differing_verdicts_are_both_kept_until_one_is_chosen(graph: LineageGraph) -> None:
    key = JUDGE.key(ASKED)
    kept = graph.judgments.keep([said(Verdict.SUPPORTED), said(Verdict.NOT_SUPPORTED), said(Verdict.SUPPORTED)])
    assert kept == (2, 1, [key])
    assert [row.verdict for row in graph.judgments.conflicts()] == [Verdict.SUPPORTED, Verdict.NOT_SUPPORTED]
    assert holding(graph.judgments.find([key])[key]) is None
    with pytest.raises(BadInput, match="one that was given: supported, not_supported"):
        graph.judgments.resolve(key, Verdict.CONTRADICTED, reason="read again")
    with pytest.raises(NotFound):
        graph.judgments.resolve("j1:ffff", Verdict.SUPPORTED, reason="read again")
    graph.judgments.resolve(key[:9], Verdict.NOT_SUPPORTED, reason="read again")
    assert graph.judgments.conflicts() == []
    held = holding(graph.judgments.find([key])[key])
    assert held is not None
    assert held.verdict is Verdict.NOT_SUPPORTED
    # The last word counts.
    graph.judgments.resolve(key, Verdict.SUPPORTED, reason="read a third time")
    held = holding(graph.judgments.find([key])[key])
    assert held is not None
    assert held.verdict is Verdict.SUPPORTED


def test_a_batch_with_a_fault_keeps_nothing(graph: LineageGraph) -> None:
    with pytest.raises(BadInput, match="at least one passage"):
        graph.judgments.keep([said(Verdict.SUPPORTED), said(Verdict.SUPPORTED, Request("s", ()))])
    assert graph.judgments.judges() == []


RECORDS = (
    {"type": "document", "uri": "a.md", "text": "Items return within 30 days. Keep the receipt."},
    {"type": "document", "uri": "b.md", "text": "Shipping is free. Keep the receipt."},
    {"type": "answer", "namespace": "n", "key": "a", "question": "?", "text": "30 days [1]"},
    {"type": "claim", "answer": {"namespace": "n", "key": "a"}, "ordinal": 1, "text": "30 days"},
    {
        "type": "citation",
        "claim": {"answer": {"namespace": "n", "key": "a"}, "ordinal": 1},
        "order": 1,
        "target": {"uri": "a.md", "start": 0, "end": 28},
    },
    {
        "type": "citation",
        "claim": {"answer": {"namespace": "n", "key": "a"}, "ordinal": 1},
        "order": 2,
        "target": {"uri": "b.md", "start": 0, "end": 17},
    },
)


def test_a_purge_takes_texts_and_reasons_of_judgments_and_keeps_verdicts(graph):
    graph.register(RECORDS)
    (answer,) = graph.cited([graph.resolve("answer:n/a")])
    (claim,) = answer.claims
    first, second = (each.material.passage for each in claim.cited)
    requests = [Request(claim.text, shown) for shown in ((first,), (second,), (first, second))]
    graph.judgments.keep([said(Verdict.SUPPORTED, request, reason=request.passages[0].text) for request in requests])
    graph.withdraw(["a.md"], reason="asked for", purge=True)
    rows = [graph.judgments.find([JUDGE.key(request)])[JUDGE.key(request)][0] for request in requests]
    assert [[shown.text for shown in row.passages] for row in rows] == [[None], [second.text], [None, second.text]]
    assert [row.reason for row in rows] == [None, second.text, None]
    assert [row.verdict for row in rows] == [Verdict.SUPPORTED] * 3
    (answer,) = graph.cited([answer.id])
    assert [each.material.passage for each in answer.claims[0].cited] == [None, second]


def test_what_a_correction_changed_is_told_and_comes_back_with_its_undo(graph):
    graph.register(RECORDS)
    answer = graph.resolve("answer:n/a")

    def ended():
        (loaded,) = graph.cited([answer])
        return [each.material.ended for each in loaded.claims[0].cited]

    done = graph.correct({"a.md": graph.text("a.md").replace("30", "14")}, reason="policy")
    assert ended() == [(done.id,), ()]
    graph.undo(done.id)
    assert ended() == [(), ()]
    graph.correct(
        {"a.md": graph.text("a.md").replace("30", "14")}, reason="new", kind="edition", valid_from="2027-01-01"
    )
    # The old edition stays citable for its period.
    assert ended() == [(), ()]
