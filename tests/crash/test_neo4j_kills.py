"""SIGKILL of the client, and of the server, in the middle of the work: resumed, the marks are as defined."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from worlds import URIS, build, edited, marks

from lineage import LineageGraph, StoreUnavailable
from tests.neo4j_server.server import DATABASE, Server

KILLS = 10
FOLDER = Path(__file__).parent

pytestmark = [pytest.mark.neo4j, pytest.mark.crash]


def agrees(graph: LineageGraph) -> int:
    """Whether the marks are what the definition says, and everything else in its place; how many there are."""
    found, expected = marks(graph)
    assert found == expected
    assert not graph.verify().faults
    return len(found)


def test_a_client_that_is_killed_anywhere(neo4j_url: str) -> None:
    chance = random.Random(11)
    with LineageGraph.open(neo4j_url, create=True) as graph:
        build(graph, layers=3, width=4)
        between = 0
        for number in range(KILLS):
            child = subprocess.Popen(
                [sys.executable, str(FOLDER / "turning.py"), neo4j_url, f"client {number}"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=FOLDER,
            )
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
            time.sleep(chance.uniform(0.3, 3.0))
            child.send_signal(signal.SIGKILL)
            child.communicate()
            # What the server still has of the client's last transaction, it rolls back by itself.
            between += graph.pending() > 0 or graph.doctor().unsettled > 0
            graph.propagate()
            assert graph.doctor().unsettled == 0
            found, expected = marks(graph)
            assert found == expected
        agrees(graph)
    print(f"in {between} of {KILLS} rounds work was left to be resumed")
    assert between


def test_a_server_that_is_killed_while_marks_are_set(neo4j_server: Server, neo4j_url: str) -> None:
    if not neo4j_server.can_be_killed:
        pytest.skip("the server was given, and is not ours to kill")
    with LineageGraph.open(neo4j_url, create=True) as graph:
        build(graph, layers=40, width=10)
        done = graph.correct({URIS[0]: edited(0)}, reason="whole")
        whole = agrees(graph)
        assert done.id is not None
        graph.undo(done.id)

    def propagating() -> bool:
        try:
            with LineageGraph.open(neo4j_url) as graph:
                graph.correct({URIS[0]: edited(1)}, reason="cut", propagate=False)
                graph.propagate(batch=5)
        except StoreUnavailable:
            return False
        return True

    with ThreadPoolExecutor() as pool, neo4j_server.driver() as driver:
        working = pool.submit(propagating)
        count = "MATCH (c:Correction {reason: 'cut'})-[m:MARKS]->() WHERE m.severity > 0 RETURN count(m) AS marks"
        share = 0.0
        while share < 0.2:
            records, _, _ = driver.execute_query(count, database_=DATABASE)
            share = records[0]["marks"] / whole
        neo4j_server.kill()
        assert not working.result(120), "it was done before the server was killed"
    neo4j_server.start_again()
    with LineageGraph.open(neo4j_url) as graph, neo4j_server.driver() as driver:
        records, _, _ = driver.execute_query(count, database_=DATABASE)
        left = records[0]["marks"] / whole
        print(f"killed at {share:.0%} of the marks; {left:.0%} were there when it came back")
        assert 0.1 <= left <= 0.9
        assert graph.pending()
        graph.propagate()
        assert agrees(graph) == whole
