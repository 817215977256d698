"""A store goes to a Neo4j server and back, and every dump of it is the same, byte for byte."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from lineage import LineageGraph
from lineage.demo.loading import corrected_text
from lineage.demo.loading import load as load_demo
from lineage.testing.observe import observe
from lineage_schema.errors import BadInput, Conflict, StoreUnavailable
from tests.dump.histories import Ending, dumped, loaded
from tests.neo4j_server.fixtures import emptied, without_nodes
from tests.neo4j_server.server import Server

NUMBERS = itertools.count()
NO_SHRINKING = [Phase.explicit, Phase.reuse, Phase.generate]


@pytest.fixture
def url(neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database without nodes; its schema may be there."""
    return without_nodes(neo4j_server, monkeypatch)


def sqlite(folder: Path) -> LineageGraph:
    return LineageGraph.open(f"sqlite:///{folder}/{next(NUMBERS)}.db", create=True)


def demo(graph: LineageGraph) -> None:
    """The demo, with a correction half spread, a decision, and verdicts."""
    load_demo(graph)
    uri, text, reason = corrected_text()
    graph.correct({uri: text}, reason=reason)
    graph.dismiss("answer:demo/returns", reason="told by phone", by="ann")
    graph.correct({uri: text + "\nAs of March.\n"}, reason="again", propagate=False)
    graph.propagate(steps=1, batch=3)


@pytest.mark.neo4j
def test_the_demo_goes_there_and_back(url: str, tmp_path: Path) -> None:
    with sqlite(tmp_path) as first:
        demo(first)
        lines = dumped(first, tmp_path / "first")
        with LineageGraph.open(url, create=True) as server, sqlite(tmp_path) as third:
            assert dumped(loaded(server, lines), tmp_path / "second") == lines
            assert dumped(loaded(third, lines), tmp_path / "third") == lines
            for graph in (server, first, third):
                graph.propagate()
            for graph in (server, third):
                assert observe(graph) == observe(first)
                assert graph.affected().to_json() == first.affected().to_json()
                assert graph.history("answer:demo/returns") == first.history("answer:demo/returns")
            # And what came to be there, back.
            lines = dumped(server, tmp_path / "fourth")
            with sqlite(tmp_path) as fifth:
                assert dumped(loaded(fifth, lines), tmp_path / "fifth") == lines
                assert fifth.verify().faults == []


@pytest.mark.neo4j
@pytest.mark.parametrize("made_on", ["sqlite", "neo4j"])
def test_random_histories_go_there_and_back(url: str, neo4j_server: Server, tmp_path: Path, made_on: str) -> None:
    def there(graph: LineageGraph) -> None:
        lines = dumped(graph, tmp_path / "first")
        emptied(neo4j_server)
        with LineageGraph.open(url, create=True) as server, sqlite(tmp_path) as back:
            assert dumped(loaded(server, lines), tmp_path / "second") == lines
            assert dumped(loaded(back, lines), tmp_path / "third") == lines
            assert server.verify().faults == []
            server.propagate()
            back.propagate()
            assert observe(server) == observe(back)
        quotes_end_in_spans(neo4j_server)

    def back(graph: LineageGraph) -> None:
        lines = dumped(graph, tmp_path / "first")
        assert graph.verify().faults == []
        quotes_end_in_spans(neo4j_server)
        with sqlite(tmp_path) as copy:
            assert dumped(loaded(copy, lines), tmp_path / "second") == lines
            assert copy.verify().faults == []
            assert observe(copy) == observe(graph)

    class Made(Ending):
        looking = (there if made_on == "sqlite" else back,)

        @classmethod
        def new_place(cls) -> str:
            emptied(neo4j_server)
            return url if made_on == "neo4j" else f"sqlite:///{tmp_path}/{next(NUMBERS)}.db"

        @classmethod
        def open_graph(cls, place: str) -> LineageGraph:
            return LineageGraph.open(place, create=True)

    # Each takes seconds: what many histories find is found on the embedded store.
    few = max(6, settings().max_examples // 500)
    run_state_machine_as_test(
        Made,
        settings=settings(
            max_examples=few, stateful_step_count=20, deadline=None, phases=NO_SHRINKING,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        ),
    )  # fmt: skip


def quotes_end_in_spans(server: Server) -> None:
    """An edge is drawn by what its input is, whoever drew it."""
    with server.driver() as driver:
        rows = driver.execute_query(
            """MATCH (n)-[e:QUOTES|DERIVED_FROM]->(i) WHERE (type(e) = 'QUOTES') <> (i:Span)
               RETURN n.id, type(e), i.id"""
        ).records
    assert not rows


@pytest.mark.neo4j
def test_what_cannot_be_loaded_leaves_the_server_empty(url: str, tmp_path: Path) -> None:
    with sqlite(tmp_path) as first:
        load_demo(first)
        lines = dumped(first, tmp_path / "first").splitlines(keepends=True)
    with LineageGraph.open(url, create=True) as server:
        with pytest.raises(BadInput, match="the end of the file"):
            loaded(server, b"".join(lines[:-1]))
        # Emptied again, it takes the whole.
        assert dumped(loaded(server, b"".join(lines)), tmp_path / "second") == b"".join(lines)
        with pytest.raises(Conflict):
            loaded(server, b"".join(lines))
        assert dumped(server, tmp_path / "second") == b"".join(lines)


@pytest.mark.neo4j
def test_a_load_that_was_cut_is_begun_again(
    url: str, neo4j_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite(tmp_path) as first:
        load_demo(first)
        lines = dumped(first, tmp_path / "first")
    cut(url, lines, monkeypatch)
    with neo4j_server.driver() as driver:
        assert driver.execute_query("MATCH (n:LineageNode) RETURN count(n) AS n").records[0]["n"] > 0
    with pytest.raises(StoreUnavailable, match="its load was cut") as refused:
        LineageGraph.open(url)
    assert "--again" in (refused.value.hint or "")
    with LineageGraph.open(url, filling=True) as server:
        assert dumped(loaded(server, lines), tmp_path / "second") == lines


def cut(url: str, lines: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the process is killed in the midst of the rows: nothing can be tidied up."""
    from lineage.stores.neo4j import Neo4jStore

    class Killed(BaseException):
        pass

    def killed(self: Neo4jStore) -> None:
        raise Killed

    listed = lines.splitlines(keepends=True)
    with monkeypatch.context() as patched, LineageGraph.open(url, create=True) as server:
        patched.setattr(Neo4jStore, "wipe", killed)
        with pytest.raises(Killed):
            loaded(server, b"".join(listed[: len(listed) // 2]))
