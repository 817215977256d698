"""Processes register dependents of hot nodes while another corrects and propagates: nothing is missed."""

from __future__ import annotations

import mmap
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from worlds import URIS, build, edited, marks

from lineage import LineageGraph

ROUNDS = 200
FOLDER = Path(__file__).parent

pytestmark = pytest.mark.race


@contextmanager
def child(script: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A process of this folder that has said that it is ready; its input ends with the block."""
    process = subprocess.Popen(
        [sys.executable, str(FOLDER / script), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=FOLDER,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.stdin.close()
    assert process.returncode == 0


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store of each kind."""
    if request.param == "neo4j":
        return str(request.getfixturevalue("neo4j_url"))
    return f"sqlite:///{tmp_path}/lineage.db"


def test_what_is_registered_during_a_propagation_is_marked_too(url: str, tmp_path: Path) -> None:
    # A server takes longer for each of many small transactions.
    layers, pause, poll, parts = (3, "0.2", "0.05", 4) if url.startswith("neo4j") else (6, "0.05", "0", 12)
    shared = tmp_path / "page"
    shared.write_bytes(bytes(8))
    with (
        LineageGraph.open(url, create=True) as graph,
        shared.open("r+b") as file,
        mmap.mmap(file.fileno(), 8) as page,
    ):
        build(graph, layers=layers, width=4)
        with child("polling.py", url, str(shared), poll) as poller:
            with (
                child("registering.py", url, "one", str(layers), pause),
                child("registering.py", url, "two", str(layers), pause),
            ):
                met = sum(one_round(graph, page, turn, parts) for turn in range(ROUNDS))
            page[0] = 255
            assert poller.stdout is not None
            polls, wrong = poller.stdout.readline().rstrip("\n").split(" ", 1)
        assert wrong == "[]", f"an affected answer was called fresh in turns {wrong}"
        assert int(polls) > ROUNDS
        graph.correct({URIS[0]: edited(0)}, reason="at last")
        assert not graph.verify().faults
        found, expected = marks(graph)
        assert found == expected
        late = {node for _, node in found} & {view.id for view in graph.find("", kind="late", limit=100_000)}
        assert late
    print(f"in {met} of {ROUNDS} rounds a registration fell between the correction and its last mark; {polls} polls")
    assert met >= ROUNDS // 2, f"only in {met} of {ROUNDS} rounds a registration fell between correction and last mark"


def one_round(graph: LineageGraph, page: mmap.mmap, turn: int, parts: int) -> bool:
    """Corrects, propagates in small steps, and tells whether something was registered in between."""
    done = graph.correct({URIS[turn % len(URIS)]: edited(turn)}, reason="again", propagate=False)
    assert done.id is not None
    before = count(graph)
    page[:8] = bytes([turn % len(URIS) + 1, 0, 0, 0]) + turn.to_bytes(4, "big")
    met = False
    batch = max(6, before // parts)
    while True:
        met = met or count(graph) > before
        if not graph.store.write(lambda tx: tx.spread.step(batch)).pending:
            break
        # Others get a turn at the one write lock.
        time.sleep(0.02)
    page[0] = 0
    # Back to the first text: everything clears, and the next round marks it anew.
    graph.undo(done.id)
    return met


def count(graph: LineageGraph) -> int:
    """How many nodes there are."""
    return int(graph.store.read(lambda tx: tx.auditing.node_count()))
