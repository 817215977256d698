"""Judgments: kept once, side by side where they differ; they lose their texts with what they were made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from lineage.graph import LineageGraph
from lineage.judgments import holding
from lineage.testing.suite import Suite
from lineage_schema.errors import BadInput, NotFound
from lineage_schema.judgments import Calibration, JudgeId, Judgment, Passage, Request, Splitting
from lineage_schema.vocabulary import Verdict

JUDGE = JudgeId.of("desk", "1", {"prompt": "p1"})
ASKED = Request("Returns take 30 days.", (Passage("Items return within 30 days.", "v1:" + "0" * 40),))
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


def said(verdict: Verdict, request: Request = ASKED, judge: JudgeId = JUDGE, reason: str | None = None) -> Judgment:
    """A verdict, with all that stands beside one."""
    return Judgment.of(request, judge, verdict, score=0.75, reason=reason, latency=12, by="reader")


def cited(graph: LineageGraph, answer: str) -> list[tuple[Passage | None, tuple[str, ...]]]:
    """What the only statement of an answer cites: each passage, and the corrections that ended it."""
    (loaded,) = graph.cited([answer])
    found = [each.material for each in loaded.claims[0].cited]
    return [(each.passage, each.ended) for each in found if each is not None]


class Judging(Suite):
    """Examples of what judges said."""

    @pytest.fixture
    def graph(self, opening: Callable[[], LineageGraph]) -> Iterator[LineageGraph]:
        with opening() as graph:
            yield graph
            if self.verifying:
                assert not graph.verify().faults

    def test_what_is_kept_is_read_back_whole(self, graph: LineageGraph) -> None:
        assert graph.judgments.keep([said(Verdict.SUPPORTED, reason="it says so")]) == (1, 0, [])
        assert graph.judgments.keep([said(Verdict.SUPPORTED)]) == (0, 1, [])
        (row,) = graph.judgments.find([JUDGE.key(ASKED)])[JUDGE.key(ASKED)]
        assert row.statement == ASKED.statement
        assert [(shown.text, shown.source) for shown in row.passages] == [(p.text, p.source) for p in ASKED.passages]
        assert (row.judge, row.verdict, row.score, row.reason, row.latency, row.by, row.cut) == (
            JUDGE, Verdict.SUPPORTED, 0.75, "it says so", 12, "reader", False,
        )  # fmt: skip
        assert graph.judgments.of_statements([ASKED.statement, "another"]) == {ASKED.statement: [row]}
        assert graph.judgments.judges() == [(JUDGE, 1)]

    def test_differing_verdicts_are_both_kept_until_one_is_chosen(self, graph: LineageGraph) -> None:
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

    def test_a_batch_with_a_fault_keeps_nothing(self, graph: LineageGraph) -> None:
        with pytest.raises(BadInput, match="at least one passage"):
            graph.judgments.keep([said(Verdict.SUPPORTED), said(Verdict.SUPPORTED, Request("s", ()))])
        assert graph.judgments.judges() == []

    def test_a_purge_takes_texts_and_reasons_of_judgments_and_keeps_verdicts(self, graph: LineageGraph) -> None:
        graph.register(RECORDS)
        answer = graph.resolve("answer:n/a")
        first, second = (passage for passage, _ in cited(graph, answer))
        assert first is not None
        assert second is not None
        requests = [Request("30 days", shown) for shown in ((first,), (second,), (first, second))]
        graph.judgments.keep(
            [said(Verdict.SUPPORTED, request, reason=request.passages[0].text) for request in requests]
        )
        graph.withdraw(["a.md"], reason="asked for", purge=True)
        rows = [graph.judgments.find([JUDGE.key(request)])[JUDGE.key(request)][0] for request in requests]
        assert [[shown.text for shown in row.passages] for row in rows] == [[None], [second.text], [None, second.text]]
        assert [row.reason for row in rows] == [None, second.text, None]
        assert [row.verdict for row in rows] == [Verdict.SUPPORTED] * 3
        assert [passage for passage, _ in cited(graph, answer)] == [None, second]

    def test_a_purge_takes_a_statement_that_stood_on_nothing_else(self, graph: LineageGraph) -> None:
        graph.register(RECORDS[:5])
        ((passage, _),) = cited(graph, graph.resolve("answer:n/a"))
        assert passage is not None
        request = Request("30 days", (passage,))
        graph.judgments.keep([said(Verdict.SUPPORTED, request)])
        graph.withdraw(["a.md"], reason="asked for", purge=True)
        (row,) = graph.judgments.find([JUDGE.key(request)])[JUDGE.key(request)]
        assert (row.statement, row.verdict) == (None, Verdict.SUPPORTED)
        assert graph.judgments.of_statements(["30 days"]) == {}

    def test_the_spans_under_several_nodes_are_those_under_each(self, graph: LineageGraph) -> None:
        graph.register(RECORDS[:2])

        def node(key: str, *inputs: dict[str, object], kind: str = "chunk") -> dict[str, object]:
            listed = [{"ref": ref, "role": "evidence"} for ref in inputs]
            return {"type": "node", "kind": kind, "namespace": "n", "key": key, "text": key, "inputs": listed}

        def chunk(key: str) -> dict[str, object]:
            return {"kind": "chunk", "namespace": "n", "key": key}

        graph.register([node("old", {"uri": "a.md", "start": 0, "end": 28})])
        graph.correct({"a.md": RECORDS[0]["text"] + " Or not."}, reason="more")
        graph.register(
            [
                node("new", {"uri": "a.md", "version": 2, "start": 0, "end": 28}),
                node("other", {"uri": "b.md", "start": 0, "end": 17}),
                node("both", chunk("new"), chunk("other"), kind="report"),
                node("all", chunk("old"), chunk("new"), kind="report"),
            ]
        )
        names = ["chunk:n/old", "chunk:n/new", "report:n/both", "report:n/all"]
        ids = [graph.resolve(name) for name in names]
        found = graph.spans_under(ids)
        # The span is one, and each shows the version that was read on the way to it.
        places = [[(each.place.uri, each.place.version) for each in found[id_] if each.place] for id_ in ids]
        assert places == [[("a.md", 1)], [("a.md", 2)], [("a.md", 2), ("b.md", 1)], [("a.md", 1)]]
        assert found == {id_: spans for id_ in ids for spans in graph.spans_under([id_]).values()}

    def test_what_a_correction_changed_is_told_and_comes_back_with_its_undo(self, graph: LineageGraph) -> None:
        graph.register(RECORDS)
        answer = graph.resolve("answer:n/a")

        def ended() -> list[tuple[str, ...]]:
            return [causes for _, causes in cited(graph, answer)]

        text = graph.text("a.md").replace("30", "14")
        done = graph.correct({"a.md": text}, reason="policy")
        assert done.id is not None
        assert ended() == [(done.id,), ()]
        graph.undo(done.id)
        assert ended() == [(), ()]
        graph.correct({"a.md": text}, reason="new", kind="edition", valid_from="2027-01-01")
        # The old edition stays citable for its period.
        assert ended() == [(), ()]

    def test_calibrations_and_scores_are_kept_in_order(self, graph: LineageGraph) -> None:
        graph.register(RECORDS)
        answer = graph.resolve("answer:n/a")
        rows = [Calibration(JUDGE, "0" * 64, seed, seed * 1000, '{"accuracy":"0.5"}') for seed in (7, 8)]
        for row in rows:
            graph.judgments.keep_calibration(row)
        other = JudgeId.of("desk", "2", {})
        graph.judgments.keep_calibration(Calibration(other, "1" * 64, 9, None, "{}"))
        found = graph.judgments.calibrations(JUDGE)
        assert [(row.judge, row.labels, row.seed, row.kappa, row.body) for row in found] == [
            (row.judge, row.labels, row.seed, row.kappa, row.body) for row in rows
        ]
        assert [row.judge for row in graph.judgments.calibrations()] == [JUDGE, JUDGE, other]
        bodies = [f'{{"id":"{answer}","recall":{number}}}' for number in (1, 2)]
        for body in bodies:
            graph.judgments.keep_scores([(answer, body)])
        assert [body for _, _, body in graph.judgments.scores(answer)] == bodies

    def test_what_claims_were_split_into_is_kept_in_order_under_them(self, graph: LineageGraph) -> None:
        graph.register(RECORDS)
        claim = graph.resolve("claim:n/a/1")
        rule, person = JudgeId.of("rule", "1", {}), JudgeId.of("recorded", "1", {})
        rows = [Splitting(claim, ("30 days", "a; \u00e4"), rule), Splitting(claim, ("30", "days", "30"), person, "ann")]
        for row in rows:
            graph.judgments.keep_splittings([row])
        found = graph.judgments.splittings([claim, graph.resolve("answer:n/a")])
        assert list(found) == [claim]
        assert [(row.parts, row.splitter, row.by) for row in found[claim]] == [
            (row.parts, row.splitter, row.by) for row in rows
        ]
        assert found[claim][0].seq < found[claim][1].seq
        # A splitter is no judge until it gives a verdict.
        assert graph.judgments.judges() == []
        for bad, field in (
            (Splitting(claim, (), rule), "parts"),
            (Splitting(claim, ("x", " "), rule), "parts"),
            (Splitting(graph.resolve("answer:n/a"), ("x",), rule), "claim"),
        ):
            with pytest.raises(BadInput, match=field):
                graph.judgments.keep_splittings([rows[0], bad] if bad.claim != claim else [bad])
        with pytest.raises(BadInput, match="each claim once"):
            graph.judgments.keep_splittings(rows)
        with pytest.raises(NotFound):
            graph.judgments.keep_splittings([Splitting("l1:" + "0" * 40, ("x",), rule)])
        assert len(graph.judgments.splittings([claim])[claim]) == 2

    def test_a_purged_claim_s_parts_lose_their_texts_and_what_was_judged_of_them(self, graph: LineageGraph) -> None:
        graph.register(RECORDS[:5])
        # Another claim, of what stays, has one part in common.
        other = {"namespace": "n", "key": "b"}
        claim = {"answer": other, "ordinal": 1}
        graph.register(
            [
                {"type": "answer", **other, "question": "?", "text": "free [1]"},
                {"type": "claim", "answer": other, "ordinal": 1, "text": "free"},
                {"type": "citation", "claim": claim, "order": 1, "target": {"uri": "b.md", "start": 0, "end": 17}},
            ]
        )
        gone, stays = graph.resolve("claim:n/a/1"), graph.resolve("claim:n/b/1")
        rule = JudgeId.of("rule", "1", {})
        common, alone = 'with "quotes"', "thirty"
        graph.judgments.keep_splittings(
            [Splitting(gone, (alone, common), rule), Splitting(stays, (common, "free"), rule)]
        )
        ((passage, _),) = cited(graph, graph.resolve("answer:n/b"))
        assert passage is not None
        asked = {part: Request(part, (passage,)) for part in (alone, common)}
        graph.judgments.keep([said(Verdict.SUPPORTED, request) for request in asked.values()])
        graph.withdraw(["a.md"], reason="asked for", purge=True)
        assert [row.parts for row in graph.judgments.splittings([gone])[gone]] == [None]
        assert [row.parts for row in graph.judgments.splittings([stays])[stays]] == [(common, "free")]
        kept = {part: graph.judgments.find([JUDGE.key(request)])[JUDGE.key(request)][0].statement
                for part, request in asked.items()}  # fmt: skip
        assert kept == {alone: None, common: common}
        with pytest.raises(BadInput, match="a purged one"):
            graph.judgments.keep_splittings([Splitting(gone, ("x",), rule)])
