"""Processes register dependents of hot nodes while another corrects and propagates: nothing is missed."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from worlds import URIS, build, edited

from lineage import LineageGraph

ROUNDS = 200
FOLDER = Path(__file__).parent

pytestmark = pytest.mark.race


def test_what_is_registered_during_a_propagation_is_marked_too(tmp_path: Path) -> None:
    path = tmp_path / "lineage.db"
    with LineageGraph.open(f"sqlite:///{path}", create=True) as graph:
        build(graph, layers=6, width=4)
        workers = [
            subprocess.Popen(
                [sys.executable, str(FOLDER / "registering.py"), str(path), name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=FOLDER,
            )
            for name in ("one", "two")
        ]
        try:
            for worker in workers:
                assert worker.stdout is not None
                assert worker.stdout.readline() == "ready\n"
            met = sum(one_round(graph, path, turn) for turn in range(ROUNDS))
        finally:
            for worker in workers:
                assert worker.stdin is not None
                worker.stdin.close()
            for worker in workers:
                assert worker.stdout is not None
                assert worker.wait(60) == 0
                worker.stdout.close()
        graph.propagate()
        assert not graph.verify().faults
        late = graph.find("", kind="late", limit=100_000)
        assert all(late_is_marked(graph, id_) for id_ in [view.id for view in late[:50]])
    print(f"in {met} of {ROUNDS} rounds a registration fell between the correction and its last mark")
    assert met >= ROUNDS // 2, f"only in {met} of {ROUNDS} rounds a registration fell between correction and last mark"


def one_round(graph: LineageGraph, path: Path, turn: int) -> bool:
    """Corrects, propagates in small steps, and tells whether something was registered in between."""
    done = graph.correct({URIS[turn % len(URIS)]: edited(turn)}, reason="again", propagate=False)
    assert done.id is not None
    before = count(graph)
    met = False
    batch = max(6, before // 12)
    answer = f"q{turn % len(URIS)}"
    with LineageGraph.open(f"sqlite:///{path}", read_only=True) as cache:
        while True:
            assert cache.check(answer).status == "stale"
            met = met or count(graph) > before
            if not graph.store.write(lambda tx: tx.spread.step(batch)).pending:
                break
            # Others get a turn at the one write lock.
            time.sleep(0.02)
    # Back to the first text: everything clears, and the next round marks it anew.
    graph.undo(done.id)
    return met


def count(graph: LineageGraph) -> int:
    """How many nodes there are."""
    return int(graph.store.read(lambda tx: tx.auditing.node_count()))


def late_is_marked(graph: LineageGraph, id_: str) -> bool:
    """By the definition, not by the marks: it stands on the first rule exactly if the definition says so."""
    from lineage.evaluate import evaluate

    def work(tx: object) -> bool:
        effects = evaluate(tx, [id_]) or {}  # type: ignore[arg-type]
        wanted = {cause for cause, nodes in effects.items() if id_ in nodes}
        held = {mark.cause for mark in tx.reading.views([id_])[id_].marks}  # type: ignore[attr-defined]
        return wanted == held

    return graph.store.read(work)
