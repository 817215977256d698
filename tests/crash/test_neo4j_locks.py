"""Writers of one Neo4j store at the same time: who waits for whom, and what a cut leaves."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event
from typing import Any

import pytest
from worlds import URIS, build, edited, marks

from lineage import Conflict, Document, Input, LineageGraph, Node, NodeRef
from lineage import correct as correcting
from lineage.register import register
from lineage.stores.base import CORRECTION
from lineage_schema.vocabulary import ChangeKind

FOLDER = Path(__file__).parent
HOT = NodeRef(kind="chunk", namespace="n", key="c0")
SECONDS = 30

pytestmark = [pytest.mark.neo4j, pytest.mark.race]


def late(key: str, on: NodeRef = HOT) -> Node:
    return Node(kind="late", namespace="n", key=key, text=key, inputs=(Input(ref=on),))


def severity(graph: LineageGraph, ref: str) -> list[int]:
    return [mark.severity for mark in graph.node(ref).marks]


@pytest.fixture
def graphs(neo4j_url: str):
    """Two openings of one store."""
    with LineageGraph.open(neo4j_url, create=True) as one, LineageGraph.open(neo4j_url) as two:
        build(one, layers=2, width=4)
        yield one, two


def test_a_registration_that_is_held_open_keeps_nobody_waiting(graphs) -> None:
    one, two = graphs
    run, other = one.run("n", producer="one"), two.run("n", producer="two")
    written, go = Event(), Event()

    def held(tx: Any) -> None:
        register(tx, run.state, [("1", late("held"))])
        written.set()
        assert go.wait(SECONDS)

    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(one.store.add, held)
        try:
            assert written.wait(SECONDS)
            # Neither another registration on the same node waits for it, nor a correction of what lies under both.
            other.register([late("other")])
            two.correct({URIS[0]: edited(0)}, reason="policy")
            assert severity(two, "late:n/other") == [2]
            assert not two.find("held")
        finally:
            go.set()
        waiting.result(SECONDS)
    # It was committed after all marks were in: it looked, and found them.
    assert severity(two, "late:n/held") == [2]
    found, expected = marks(two)
    assert found == expected


def test_a_dry_run_neither_waits_for_a_writer_nor_keeps_one_waiting(graphs) -> None:
    one, two = graphs
    locked, go = Event(), Event()

    def held(_: Any) -> None:
        locked.set()
        assert go.wait(SECONDS)

    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(one.store.write, held)
        try:
            assert locked.wait(SECONDS)
            dry = two.correct({URIS[0]: edited(0)}, reason="policy", dry_run=True)
        finally:
            go.set()
        waiting.result(SECONDS)
    seen: list[int] = []

    def looked(tx: Any) -> None:
        if not seen:
            one.correct({URIS[1]: edited(1)}, reason="policy")
        seen.append(len(tx.marks.causes(type_=CORRECTION)))

    two.store.simulate(looked)
    assert len(seen) == 2, "what was seen while another wrote is looked at again"
    assert len(two.corrections()) == 1
    wet = two.correct({URIS[0]: edited(0)}, reason="policy")
    assert dry.report is not None
    assert {each["key"] for each in dry.report.to_json()["answers"]} == {
        each["key"] for each in two.affected(wet.id).to_json()["answers"]
    }


def test_cut_between_its_two_transactions_a_registration_is_settled_by_the_next_propagation(graphs, neo4j_url) -> None:
    graph, _ = graphs
    graph.correct({URIS[0]: edited(0)}, reason="policy")
    done = subprocess.run([sys.executable, str(FOLDER / "unsettling.py"), neo4j_url], cwd=FOLDER, check=False)
    assert done.returncode == -signal.SIGKILL
    assert graph.doctor().unsettled == 2
    assert graph.node("answer:n/cut").marks == ()
    # It answers for itself until then.
    assert graph.check("cut").status == "stale"
    # Who adds above it settles it first.
    run = graph.run("n", producer="above")
    run.register([late("above", NodeRef(kind="answer", namespace="n", key="cut"))])
    assert severity(graph, "late:n/above") == [2]
    assert graph.doctor().unsettled == 0
    subprocess.run([sys.executable, str(FOLDER / "unsettling.py"), neo4j_url], cwd=FOLDER, check=False)
    graph.correct({URIS[1]: edited(1)}, reason="policy", propagate=False)
    graph.propagate()
    assert graph.doctor().unsettled == 0
    found, expected = marks(graph)
    assert found == expected


def test_of_two_correctors_of_one_document_one_wins(graphs) -> None:
    def prepared(graph: LineageGraph, text: str) -> Any:
        return graph.store.read(
            lambda tx: correcting.prepare(tx, {URIS[0]: text}, kind=ChangeKind.CORRECT, reason="policy", by=None)
        )

    for turn in range(5):
        both = [(graph, prepared(graph, edited(10 * turn + at))) for at, graph in enumerate(graphs)]
        begin = Barrier(2)

        def commit(graph: LineageGraph, ready: Any, begin: Barrier = begin) -> str | None:
            begin.wait(SECONDS)
            return graph.store.write(lambda tx: correcting.commit(tx, ready))

        with ThreadPoolExecutor() as pool:
            outcomes = [pool.submit(commit, *each) for each in both]
        errors = [outcome.exception() for outcome in outcomes]
        assert [type(error) for error in errors if error] == [Conflict]
        assert len({outcome.result() for outcome, error in zip(outcomes, errors, strict=True) if not error}) == 1
        graphs[0].propagate()
    found, expected = marks(graphs[0])
    assert found == expected


def test_a_deadlock_is_tried_again_and_nothing_doubles(graphs) -> None:
    runs = [graph.run("n", producer=f"p{at}") for at, graph in enumerate(graphs)]
    met = Barrier(2)
    tries = [0, 0]

    def crossing(mine: int) -> Callable[[Any], None]:
        order = URIS[:2] if mine == 0 else URIS[1::-1]

        def work(tx: Any) -> None:
            tries[mine] += 1
            register(tx, runs[mine].state, [("1", late(f"crossed{mine}"))])
            tx.sources.lock(order[:1])
            if tries[mine] == 1:
                met.wait(SECONDS)
            tx.sources.lock(order[1:])

        return work

    with ThreadPoolExecutor() as pool:
        done = [pool.submit(graph.store.add, crossing(at)) for at, graph in enumerate(graphs)]
    for each in done:
        each.result(SECONDS)
    assert sum(tries) > 2, "there was no deadlock"
    for at in (0, 1):
        (view,) = graphs[0].find(f"crossed{at}")
        id_ = view.id
        assert len(graphs[0].store.read(lambda tx, id_=id_: tx.reading.makings(id_))) == 1


def test_the_same_node_registered_twice_at_once_is_one_node(graphs) -> None:
    runs = [graph.run("n", producer=f"p{at}") for at, graph in enumerate(graphs)]
    for turn in range(5):
        begin = Barrier(2)

        def same(at: int, begin: Barrier = begin, turn: int = turn) -> Any:
            begin.wait(SECONDS)
            document = Document(uri=f"new{turn}.md", text="New.\n", namespace="n")
            return runs[at].register([document, late(f"same{turn}"), late(f"both{turn}")])

        with ThreadPoolExecutor() as pool:
            done = [pool.submit(same, at) for at in (0, 1)]
        results = [each.result(SECONDS) for each in done]
        assert sum(each.written["late"] for each in results) == 2
        assert sum(each.written["document"] for each in results) == 1
    found, expected = marks(graphs[0])
    assert found == expected
