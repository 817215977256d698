"""``doctor`` tells what a store holds and what is to be done, without reading it whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lineage import Answer, Citation, Claim, Document, Input, LineageGraph, Node, NodeRef, SpanRef
from lineage.urls import init_store

TEXT = "Refunds take 30 days. Ask the desk.\n"
MINUTE = 60_000_000
ANSWER = {"namespace": "n", "key": "q"}


@pytest.fixture
def graph(store_url: str) -> Iterator[LineageGraph]:
    times = iter(range(MINUTE, 10**12, MINUTE))
    with LineageGraph.open(store_url, create=True, clock=lambda: next(times)) as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Iterator[LineageGraph]:
    with LineageGraph.open(f"sqlite:///{tmp_path}/lineage.db", create=True) as opened:
        yield opened


def fill(graph: LineageGraph) -> None:
    graph.register([Document(uri="terms.md", text=TEXT, namespace="n")])
    with graph.run("n", producer="p", key="one") as run:
        read = SpanRef(uri="terms.md", start=0, end=21, quote=TEXT[:21])
        run.register(
            [
                Node(kind="chunk", namespace="n", key="c", text=TEXT[:21], inputs=(Input(ref=read),)),
                Answer(namespace="n", key="q", question="?", text="30 days [1] [2]"),
                Claim(answer=ANSWER, ordinal=1, text="30 days"),
                Citation(
                    claim={"answer": ANSWER, "ordinal": 1}, order=1, marker="[1]",
                    target=NodeRef(kind="chunk", namespace="n", key="c"),
                ),
                Citation(claim={"answer": ANSWER, "ordinal": 1}, order=2, marker="[2]"),
            ]
        )  # fmt: skip


def test_an_empty_store(graph: LineageGraph) -> None:
    report = graph.doctor()
    assert report.url == graph.url
    assert report.counts["nodes"] == {}
    assert report.counts["store"]["document"] == 0
    assert (report.pending, report.unsettled, report.corrections, report.unfinished) == (0, 0, {}, ())


def test_the_schema_is_that_of_the_last_step(store_url: str) -> None:
    *_, last = init_store(store_url, lambda: 0)
    with LineageGraph.open(store_url) as graph:
        assert graph.doctor().schema == int(last.partition("_")[0])


def test_counts_findings_and_corrections_by_state(graph: LineageGraph) -> None:
    fill(graph)
    said = graph.doctor().to_json()
    assert said["counts"]["nodes"] == {"answer": 1, "chunk": 1, "claim": 1, "span": 1}
    assert said["counts"]["edges"] == {"claim": 1, "cites": 1, "evidence": 1}
    assert said["findings"] == {"unknown_marker": 1}
    graph.correct({"terms.md": TEXT.replace("30", "14")}, reason="policy", propagate=False)
    assert graph.doctor().corrections == {"propagating": 1}
    assert graph.doctor().pending == graph.pending() > 0
    graph.propagate()
    assert graph.doctor().corrections == {"open": 1}
    graph.undo("last")
    after = graph.doctor().to_json()
    assert after["corrections"] == {"closed": 2}
    assert after["pending"] == 0
    assert json.loads(json.dumps(after)) == after


def test_runs_that_have_not_ended_with_their_age(graph: LineageGraph) -> None:
    fill(graph)
    run = graph.run("n", producer="p", key="two")
    (first,) = graph.doctor().to_json()["unfinished_runs"]
    assert (first["id"], first["namespace"], first["key"], first["begin"]) == (run.id, "n", "two", run.begin)
    assert first["age_seconds"] == 60
    (later,) = graph.doctor().to_json()["unfinished_runs"]
    assert later["age_seconds"] == 120
    assert f"unfinished   n/two since {run.begin} (3 min)" in graph.doctor().lines()
    run.finish()
    assert graph.doctor().unfinished == ()


def test_the_file_and_what_is_written_beside_it_count(file: LineageGraph) -> None:
    fill(file)
    path = file.url.removeprefix("sqlite:///")
    sizes = file.doctor().sizes
    assert sizes["file"] > 0
    assert sizes["log"] == Path(f"{path}-wal").stat().st_size > 0


def test_lines_say_what_to_do(graph: LineageGraph) -> None:
    fill(graph)
    assert graph.doctor().lines()[-1] == "pending      0 marks"
    graph.correct({"terms.md": TEXT.replace("30", "14")}, reason="policy", propagate=False)
    assert graph.doctor().lines()[-1].endswith("lineage propagate")
