"""A Neo4j store beside the embedded one: the same output, clear errors, nothing that tells the password."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import re
import traceback
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from lineage import LineageGraph
from lineage.demo.loading import corrected_text, load
from lineage.testing.machine import Machine
from lineage_cli.main import call
from lineage_schema.errors import BadInput, Conflict, LineageError, SchemaMismatch, StoreUnavailable
from tests.neo4j_server.fixtures import emptied, without_nodes
from tests.neo4j_server.server import DATABASE, Server

CANARY = "canary-5b1e9f"


@pytest.fixture
def url(neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database without nodes; its schema may be there."""
    return without_nodes(neo4j_server, monkeypatch)


def told(url: str) -> dict[str, Any]:
    """What the demo prints as JSON, with a clock that stands still."""
    with LineageGraph.open(url, create=True, clock=lambda: 1_700_000_000_000_000) as graph:
        load(graph)
        uri, text, reason = corrected_text()
        dry = graph.correct({uri: text}, reason=reason, dry_run=True)
        assert dry.report is not None
        graph.correct({uri: text}, reason=reason)
        return {
            "dry": dry.report.to_json(),
            "affected": graph.affected().to_json(),
            "trace": graph.trace("claim:demo/returns/C1").to_json(),
            "impact": graph.impact("returns.md").to_json(),
            "plan": graph.plan().to_json(),
            "checks": [graph.check(key).to_json() for key in ("returns", "shipping", "receipts", "clearance")],
            "found": [view.id for view in graph.find("30 days")],
            "history": graph.history("claim:demo/returns/C1").to_json(),
        }


@pytest.mark.neo4j
def test_the_demo_prints_the_same_on_both_stores(url: str, tmp_path: Path) -> None:
    mine, theirs = told(url), told(f"sqlite:///{tmp_path}/lineage.db")
    for name, printed in theirs.items():
        # As text: an order that differs is a difference.
        assert json.dumps(mine[name]) == json.dumps(printed), name
    for form in ("table", "json", "ndjson", "csv", "md", "html"):
        arguments = ["affected", "last", "--format", form, "--store"]
        assert said(*arguments, url) == said(*arguments, f"sqlite:///{tmp_path}/lineage.db"), form


def said(*arguments: str) -> str:
    """What a command prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert call(list(arguments)) == 0
    return out.getvalue()


@pytest.mark.neo4j
def test_the_demo_again_writes_nothing(url: str) -> None:
    with LineageGraph.open(url, create=True) as graph:
        load(graph)
        before = graph.doctor().counts
        load(graph)
        after = graph.doctor().counts
        # Records without a run get one of their own each time.
        before["store"]["run"] = after["store"]["run"]
        assert after == before


@pytest.mark.neo4j
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("LINEAGE_NEO4J_PASSWORD", CANARY), "refuses the user"),
        (("database", "nowhere"), "no database 'nowhere'"),
        (("port", "1"), "cannot be reached"),
    ],
)
def test_what_is_wrong_is_one_line_without_the_password(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, change: tuple[str, str], says: str
) -> None:
    with LineageGraph.open(url, create=True):
        pass
    caplog.set_level(logging.DEBUG)
    what, value = change
    if what == "database":
        url = url.replace(f"/{DATABASE}", f"/{value}")
    elif what == "port":
        url = re.sub(r":\d+/", f":{value}/", url)
        monkeypatch.setenv("LINEAGE_NEO4J_PASSWORD", CANARY)
    else:
        monkeypatch.setenv(what, value)
    with pytest.raises(StoreUnavailable, match=says) as raised:
        LineageGraph.open(url)
    shown = "".join(traceback.format_exception(raised.value))
    assert CANARY not in shown + repr(raised.value) + caplog.text
    assert "\n" not in str(raised.value)


@pytest.mark.neo4j
def test_a_store_is_made_once_and_a_newer_one_is_refused(url: str, neo4j_server: Server) -> None:
    from lineage.urls import init_store, migrate_store

    with pytest.raises(StoreUnavailable, match="no store"):
        LineageGraph.open(url)
    assert init_store(url, lambda: 0) == [
        "0001_graph",
        "0002_judgments",
        "0003_adding",
        "0004_splittings",
        "0005_looking",
    ]
    with pytest.raises(Conflict, match="there is a store"):
        init_store(url, lambda: 0)
    assert migrate_store(url, lambda: 0) == []
    with neo4j_server.driver() as driver:
        driver.execute_query("CREATE (:LineageMigration {number: 99, name: 'later', checksum: 'x'})")
    with pytest.raises(SchemaMismatch, match="schema 99"):
        LineageGraph.open(url)


@pytest.mark.neo4j
def test_a_store_opened_to_be_read_is_not_written(url: str) -> None:
    with LineageGraph.open(url, create=True):
        pass
    with LineageGraph.open(url, read_only=True) as graph, pytest.raises(StoreUnavailable, match="read-only"):
        graph.run("n", producer="p")


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("neo4j://ann:secret@localhost/neo4j", "LINEAGE_NEO4J_USER"),
        ("neo4j://localhost:7687", "DATABASE"),
        ("neo4j://localhost:7687/a/b", "DATABASE"),
        ("postgres://localhost/x", "neo4j://HOST"),
    ],
)
def test_urls(url: str, says: str) -> None:
    with pytest.raises(BadInput, match=says) as raised:
        LineageGraph.open(url)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("missing", ["LINEAGE_NEO4J_USER", "LINEAGE_NEO4J_PASSWORD"])
def test_who_logs_in_must_be_said(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setenv("LINEAGE_NEO4J_USER", "ann")
    monkeypatch.setenv("LINEAGE_NEO4J_PASSWORD", "x")
    monkeypatch.delenv(missing)
    with pytest.raises(LineageError, match=missing):
        LineageGraph.open("neo4j://localhost:7687/neo4j")


class Neo4j(Machine):
    """Random histories; the database is emptied before each."""

    server: Server
    url: str

    @classmethod
    def new_place(cls) -> str:
        emptied(cls.server)
        return cls.url

    @classmethod
    def open_graph(cls, place: str) -> LineageGraph:
        return LineageGraph.open(place, create=True)

    def __init__(self) -> None:
        super().__init__()
        self.driver.verifying = os.environ.get("HYPOTHESIS_PROFILE") == "soak"


@pytest.mark.neo4j
class TestHistories:
    def test_random_histories(self, url: str, neo4j_server: Server) -> None:
        Neo4j.server, Neo4j.url = neo4j_server, url
        chosen = settings(
            settings(),
            max_examples=6,
            stateful_step_count=12,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        )
        run_state_machine_as_test(Neo4j, settings=chosen)
