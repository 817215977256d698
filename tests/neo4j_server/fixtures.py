"""Fixtures for tests that need a real Neo4j: one server a test session, an empty database a test."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lineage import LineageGraph
from tests.neo4j_server.choice import PASSWORD, USER, obtain
from tests.neo4j_server.server import DATABASE, Server
from tests.neo4j_server.tools import Missing
from tests.neo4j_server.wipe import wipe

_USED = pytest.StashKey[str]()


@pytest.fixture(scope="session")
def neo4j_server(pytestconfig: pytest.Config) -> Iterator[Server]:
    """The server of this test session. Without a way to one, tests are skipped; where ``CI=true`` they fail."""
    server = _obtained()
    pytestconfig.stash[_USED] = f"Neo4j {server.version} {server.edition}, by {server.how}"
    try:
        yield server
        if not server.can_be_killed:
            # It stays when the tests are gone; the next run wants to find it empty.
            _wipe(server)
    finally:
        server.stop()


@pytest.fixture
def neo4j_url(neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an empty database; the environment variables hold who logs in."""
    url = logged_in(neo4j_server, monkeypatch)
    _wipe(neo4j_server)
    return url


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def store_url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an empty store of each kind; of Neo4j's, constraints, indexes and plans may be there."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/lineage.db"
    return without_nodes(request.getfixturevalue("neo4j_server"), monkeypatch)


@pytest.fixture
def opening(store_url: str) -> Callable[[], LineageGraph]:
    """Makes an empty store, or opens it again: a test that asks for it runs once with each kind."""
    return lambda: LineageGraph.open(store_url, create=True)


def logged_in(neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a running server's database; the environment variables hold who logs in."""
    if not neo4j_server.running:
        # Killed by a test that did not come so far as to start it again.
        neo4j_server.start_again()
    monkeypatch.setenv(USER, neo4j_server.user)
    monkeypatch.setenv(PASSWORD, neo4j_server.password)
    scheme, _, address = neo4j_server.uri.partition("://")
    return f"{scheme.replace('bolt', 'neo4j')}://{address}/{DATABASE}"


def without_nodes(neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a running server's database that no node is in; its schema may be there."""
    url = logged_in(neo4j_server, monkeypatch)
    emptied(neo4j_server)
    return url


def emptied(neo4j_server: Server) -> None:
    """Deletes what is stored. Constraints, indexes and plans stay, which is most of a small test's time."""
    with neo4j_server.driver() as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n", database_=DATABASE)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Says on which server the tests ran, in the server's words."""
    if used := config.stash.get(_USED, None):
        terminalreporter.write_line(used)


def _obtained() -> Server:
    try:
        return obtain(os.environ)
    except Missing as missing:
        reason = str(missing)
    if os.environ.get("CI") == "true":
        # Skipped there, the tests against a real server would be lost without anyone seeing it.
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def _wipe(server: Server) -> None:
    with server.driver() as driver:
        wipe(driver, DATABASE)
