"""What statements cost on a server with over 100,000 nodes: work follows what is reached, never the graph's size."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
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
EDITED = 7
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
            nodes = graph.store.read(lambda tx: tx.reading.counts())["nodes"]
        assert sum(nodes.values()) > 100_000
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

    def check(self, *, batch: int = BATCH) -> None:
        """No statement reads all of anything, multiplies rows, or holds more rows than a batch."""
        for statement, operator, args in self.steps():
            if "Scan" in operator or operator == "CartesianProduct" or (operator == "Eager" and args["Rows"] > batch):
                print("   BAD", operator, args.get("Rows"), " ".join(statement.split())[:150])


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
    """The span of a document's only chunk, or of its first one."""
    return graph.store.read(lambda tx: tx.sources.anchored(place, 1, 1))[0][0]


def test_registering_looks_up_what_is_registered(filled: str, profiles: Profiles) -> None:
    forms = [document(DOCUMENTS), *records(DOCUMENTS)]
    with LineageGraph.open(filled) as graph:
        run = graph.run(NAMESPACE, producer="generator", key="later")
        for most in (0, 0):
            profiles.plans.clear()
            done = run.register(forms)
            print("register", profiles.hits() / len(forms), done.written)
            profiles.check()


def test_a_walk_costs_what_it_reaches(filled: str, profiles: Profiles) -> None:
    with LineageGraph.open(filled) as graph:
        span = span_of(graph, HOT_URI)
        for ids, up in (([span], True), (["answer"], False)):
            if not up:
                ids = graph.store.read(lambda tx: tx.reading.answers_by_key("hot answer 0"))
            profiles.plans.clear()
            reached = graph.store.read(lambda tx, ids=ids, up=up: tx.reading.reach(ids, up=up))
            print("reach", up, len(reached), profiles.hits() / len(reached))
            profiles.check()
            assert any(operator == "VarLengthExpand(Pruning,BFS,All)" for _, operator, _ in profiles.steps())
            profiles.plans.clear()
            walk = graph.store.read(lambda tx, ids=ids, up=up: tx.reading.walk(ids, up=up))
            print("walk", up, len(walk.levels) if hasattr(walk, "levels") else walk, profiles.hits() / len(reached))
            profiles.check()


def test_serving_is_cheap(filled: str, profiles: Profiles) -> None:
    with LineageGraph.open(filled) as graph:
        profiles.plans.clear()
        assert graph.check("answer 5-1").status == "fresh"
        print("check", profiles.hits(), len(profiles.plans))
        profiles.check()


def test_a_correction(filled: str, profiles: Profiles) -> None:
    with LineageGraph.open(filled) as graph:
        profiles.plans.clear()
        correction = graph.correct({uri(EDITED): edited(EDITED)}, reason="r", propagate=False).id
        assert correction is not None
        print("correct", profiles.hits(), len(profiles.plans))
        profiles.check()
        profiles.plans.clear()
        print(graph.check(f"answer {EDITED}-1").status, "check pending", profiles.hits(), len(profiles.plans))
        profiles.check()
        profiles.plans.clear()
        steps: list[Any] = []
        graph.propagate(on_step=steps.append)
        marks = sum(step.marked for step in steps)
        print("propagate", marks, profiles.hits() / marks)
        profiles.check(batch=TOGETHER)
        for name, work in (
            ("affected", lambda: graph.affected(correction).to_json()),
            ("corrections", lambda: graph.corrections()),
            ("check", lambda: graph.check(f"answer {EDITED}-1").status),
            ("trace", lambda: graph.trace(f"answer:{NAMESPACE}/answer {EDITED}-1")),
            ("impact", lambda: graph.impact(span_of(graph, uri(EDITED)))),
            ("plan", lambda: graph.plan(correction=correction)),
            ("doctor", lambda: graph.doctor()),
            ("undo", lambda: graph.undo(correction)),
        ):
            profiles.plans.clear()
            try:
                work()
            except Exception as error:
                print("ERR", name, repr(error)[:200])
            print(name, profiles.hits(), len(profiles.plans))
            for statement, operator, args in profiles.steps():
                if "Scan" in operator or operator == "CartesianProduct" or (operator == "Eager" and args["Rows"] > BATCH):
                    print("   BAD", operator, args.get("Rows"), " ".join(statement.split())[:150])


def test_while_4838_nodes_are_marked_the_client_receives_little(
    filled: str, neo4j_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged_in(neo4j_server, monkeypatch)
    with counted(neo4j_server.uri) as way, LineageGraph.open(f"bolt://127.0.0.1:{way.port}/{DATABASE}") as graph:
        correction = graph.correct({HOT_URI: "Whoever returns an item pays nothing. Nothing else is said here."},
                                   reason="r", propagate=False).id
        before = way.received
        graph.propagate()
        received = way.received - before
        marked = graph.store.read(lambda tx: tx.reading.marked_counts(correction, current=False))
        print(received, sum(n for kind in marked.values() for n in kind.values()), HOT_REACH)
        assert sum(count for each in marked.values() for count in each.values()) == HOT_REACH
        assert received < 50_000
