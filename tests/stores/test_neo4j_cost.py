"""What statements cost on a server with over 100,000 nodes: work follows what is reached, never the graph's size."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from benchmarks.generate import HOT_REACH, HOT_URI, NAMESPACE, batches, document, edited, records, uri
from lineage import LineageGraph
from lineage.dump.reading import load
from lineage.dump.writing import dump_to
from lineage.stores.neo4j.cypher import BATCH, Cypher
from lineage.stores.neo4j.spread import TOGETHER
from tests.neo4j_server.counting import counted
from tests.neo4j_server.fixtures import logged_in
from tests.neo4j_server.server import DATABASE, Server
from tests.neo4j_server.wipe import wipe

pytestmark = pytest.mark.neo4j

DOCUMENTS = 840
EDITED = 31
"""A document that is corrected, and beside it others that are not."""


@pytest.fixture(scope="module")
def filled(neo4j_server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a store with over 100,000 nodes, one span of which 4,837 others rest on."""
    path = tmp_path_factory.mktemp("cost") / "source.db"
    with pytest.MonkeyPatch.context() as patch:
        url = logged_in(neo4j_server, patch)
        with neo4j_server.driver() as driver:
            wipe(driver, DATABASE)
        with LineageGraph.open(f"sqlite:///{path}", create=True) as source:
            run = source.run(NAMESPACE, producer="generator", key="fill")
            for batch in batches(DOCUMENTS, hot=True):
                run.register(batch)
            lines = io.BytesIO()
            dump_to(source.store, lines)
        with LineageGraph.open(url, create=True) as graph:
            load(graph.store, lines.getvalue().splitlines(keepends=True))
        yield url


@dataclass
class Profiles:
    """The plans of all statements that were run, with what each step of them did."""

    plans: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def steps(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """(statement, operator, figures) of every step of every plan."""
        for statement, plan in self.plans:
            waiting = [plan]
            while waiting:
                step = waiting.pop()
                waiting.extend(step.get("children", ()))
                yield statement, step["operatorType"].partition("@")[0], step["args"]

    def hits(self) -> int:
        """Look-ups in the store's files, as the server counts them."""
        return sum(args.get("DbHits", 0) for _, _, args in self.steps())

    def each(self, *, batch: int = BATCH) -> list[str]:
        """Steps that read all of something, multiply rows, or hold more rows than a batch."""
        return [
            f"{operator} ({args.get('Rows')} rows, {args.get('Details')}) in {' '.join(statement.split())}"
            for statement, operator, args in self.steps()
            if ("Scan" in operator and not _small(args))
            or operator == "CartesianProduct"
            or (operator == "Eager" and args["Rows"] > batch)
        ]

    @contextmanager
    def cost(self, most: float, *, of: Callable[[], int] = lambda: 1, batch: int = BATCH) -> Iterator[None]:
        """What runs within looks up at most so much for each of those that ``of`` counts afterwards, by good plans."""
        self.plans.clear()
        yield
        plans, hits, unwanted = len(self.plans), self.hits(), self.each(batch=batch)
        count = of()
        assert plans
        assert not unwanted
        assert hits <= most * count, f"{hits} look-ups for {count}"


def _small(args: Mapping[str, Any]) -> bool:
    """Whether all of a label is read of which there is one node for each judge."""
    return re.fullmatch(r"\w+:Judge", args.get("Details", "")) is not None


@pytest.fixture
def profiles(filled: str, neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> Profiles:
    """Profiles every statement of the test."""
    logged_in(neo4j_server, monkeypatch)
    found = Profiles()

    def rows(self: Cypher, statement: str, /, **parameters: Any) -> list[list[Any]]:
        text: Any = f"PROFILE {statement}"
        result = self._tx.run(text, parameters)
        listed = [record.values() for record in result]
        plan: Any = result.consume().profile
        found.plans.append((statement, plan))
        return listed

    monkeypatch.setattr(Cypher, "rows", rows)
    return found


def span_of(graph: LineageGraph, place: str) -> str:
    """The first span of a document."""
    anchored: list[tuple[str, int, int]] = graph.store.read(lambda tx: tx.sources.anchored(place, 1, 1))
    return anchored[0][0]


def marks_of(graph: LineageGraph, correction: str) -> int:
    """How many open marks a correction has."""
    counts = graph.store.read(lambda tx: tx.reading.marked_counts(correction, current=False))
    return sum(count for each in counts.values() for count in each.values())


def test_the_graph_is_large(filled: str, profiles: Profiles) -> None:
    with LineageGraph.open(filled) as graph:
        nodes = graph.store.read(lambda tx: tx.reading.counts())["nodes"]
    assert sum(nodes.values()) > 100_000
    assert any(operator == "NodeByLabelScan" for _, operator, _ in profiles.steps()), "counting all reads all"
    assert profiles.each()


def test_registering_looks_up_what_it_names(filled: str, profiles: Profiles) -> None:
    forms = [document(DOCUMENTS), *records(DOCUMENTS)]
    with LineageGraph.open(filled) as graph:
        run = graph.run(NAMESPACE, producer="generator", key="later")
        for _ in ("new", "again"):
            with profiles.cost(300, of=lambda: len(forms)):
                run.register(forms)


@pytest.mark.parametrize("up", [True, False])
def test_walks_cost_what_they_reach_and_enumerate_no_paths(filled: str, profiles: Profiles, up: bool) -> None:
    with LineageGraph.open(filled) as graph:
        top: list[str] = graph.store.read(lambda tx: tx.reading.answers_by_key("hot answer 0"))
        ids = [span_of(graph, HOT_URI)] if up else top
        reached: list[str] = []
        with profiles.cost(40, of=reached.__len__):
            reached += graph.store.read(lambda tx: tx.reading.reach(ids, up=up))
        assert any(operator == "VarLengthExpand(Pruning,BFS,All)" for _, operator, _ in profiles.steps())
        with profiles.cost(120, of=reached.__len__):
            graph.store.read(lambda tx: tx.reading.walk(ids, up=up))
        assert len(reached) > 900


def test_serving_looks_at_one_answer(filled: str, profiles: Profiles) -> None:
    with LineageGraph.open(filled) as graph, profiles.cost(100):
        assert graph.check("answer 5-1").status == "fresh"


def test_a_correction_costs_what_it_reaches(filled: str, profiles: Profiles) -> None:
    with LineageGraph.open(filled) as graph:
        said: list[str] = []
        span = span_of(graph, uri(EDITED))
        spans = len(graph.store.read(lambda tx: tx.sources.anchored(uri(EDITED), 1, 1)))
        with profiles.cost(300, of=lambda: spans):
            said.append(graph.correct({uri(EDITED): edited(EDITED)}, reason="r", propagate=False).id or "")
        (correction,) = said

        def marks() -> int:
            return marks_of(graph, correction)

        key = f"answer {EDITED}-1"
        under = len(graph.store.read(lambda tx: tx.reading.reach(tx.reading.answers_by_key(key), up=False)))
        with profiles.cost(300, of=lambda: under):
            assert graph.check(key).status == "stale"
        with profiles.cost(150, of=marks, batch=TOGETHER):
            graph.propagate()
        assert marks() > 5_000
        with profiles.cost(40, of=lambda: under):
            assert graph.check(key).status == "stale"
        with profiles.cost(2_000, of=marks):
            graph.affected(correction)
        with profiles.cost(100, of=marks):
            graph.corrections()
        with profiles.cost(400, of=marks):
            graph.plan(correction=correction)
        with profiles.cost(400, of=lambda: under):
            graph.trace(f"answer:{NAMESPACE}/{key}")
        above = len(graph.store.read(lambda tx: tx.reading.reach([span], up=True)))
        with profiles.cost(400, of=lambda: above):
            graph.impact(span)
        before = marks()
        with profiles.cost(600, of=lambda: before, batch=TOGETHER):
            graph.undo(correction)
        assert marks() == 0


def test_while_4838_nodes_are_marked_the_client_receives_little(
    filled: str, neo4j_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged_in(neo4j_server, monkeypatch)
    # No spans are marked that the text before the correction had not.
    text = "Whoever returns an item pays nothing. Nothing else is said here."
    with counted(neo4j_server.uri) as way, LineageGraph.open(f"bolt://127.0.0.1:{way.port}/{DATABASE}") as graph:
        correction = graph.correct({HOT_URI: text}, reason="r", propagate=False).id
        assert correction is not None
        before = way.received
        graph.propagate()
        received = way.received - before
        assert marks_of(graph, correction) == HOT_REACH
        assert 0 < received < 50_000
