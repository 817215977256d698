"""Each of the driver's errors is one of ours: one line, an exit code, and never the password."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from typing import Any

import neo4j
import pytest
from neo4j import exceptions

from lineage import LineageGraph
from lineage.stores.neo4j import connection as connections
from lineage.stores.neo4j.connection import Address, check_version, translated
from lineage_schema.errors import Conflict, Integrity, LineageError, StoreUnavailable
from tests.neo4j_server.fixtures import logged_in
from tests.neo4j_server.server import DATABASE, Server

CANARY = "canary-77aa10"


def told(error: LineageError) -> str:
    """All that anybody could be shown of an error."""
    return "".join(traceback.format_exception(error)) + repr(error) + str(error.to_json())


def hydrated(code: str) -> exceptions.Neo4jError:
    """The driver's own error for a code that a server sends."""
    return exceptions.Neo4jError._hydrate_neo4j(code=code, message="told by the server")


CODES: list[tuple[str, type[LineageError], str]] = [
    ("Neo.ClientError.Security.Unauthorized", StoreUnavailable, "refuses the user"),
    ("Neo.ClientError.Security.AuthenticationRateLimit", StoreUnavailable, "too many wrong passwords"),
    ("Neo.ClientError.Security.TokenExpired", StoreUnavailable, "refuses the user"),
    ("Neo.ClientError.Security.Forbidden", StoreUnavailable, "is read-only for"),
    ("Neo.ClientError.Database.DatabaseNotFound", StoreUnavailable, "no database"),
    ("Neo.ClientError.Statement.AccessMode", StoreUnavailable, "is read-only for"),
    ("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase", StoreUnavailable, "is read-only for"),
    ("Neo.ClientError.Cluster.NotALeader", StoreUnavailable, "is read-only for"),
    ("Neo.ClientError.Schema.ConstraintValidationFailed", Conflict, "another writer was there first"),
    ("Neo.ClientError.Transaction.TransactionTimedOut", StoreUnavailable, "took too long"),
    ("Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration", StoreUnavailable, "took too long"),
    ("Neo.TransientError.Transaction.LockAcquisitionTimeout", StoreUnavailable, "gave up after"),
    ("Neo.TransientError.Transaction.DeadlockDetected", StoreUnavailable, "gave up after"),
    ("Neo.TransientError.General.DatabaseUnavailable", StoreUnavailable, "gave up after"),
    ("Neo.DatabaseError.General.UnknownError", StoreUnavailable, "Neo.DatabaseError"),
    ("Neo.ClientError.Statement.SyntaxError", Integrity, "SyntaxError"),
]


@pytest.mark.parametrize(("code", "kind", "says"), CODES, ids=[code.rpartition(".")[2] for code, _, _ in CODES])
def test_every_code_is_one_of_ours(code: str, kind: type[LineageError], says: str) -> None:
    at = Address("neo4j://host:7687", "db", "ann", CANARY)
    with pytest.raises(kind, match=says) as raised, translated(at):
        raise hydrated(code)
    assert CANARY not in told(raised.value) + repr(at)
    assert "\n" not in str(raised.value)
    assert raised.value.exit_code in (4, 5, 6)


@pytest.mark.parametrize(
    "error", [exceptions.ServiceUnavailable("x"), exceptions.SessionExpired("x"), exceptions.ConfigurationError("x")]
)
def test_a_driver_that_does_not_get_through(error: Exception) -> None:
    at = Address("neo4j://host:7687", "db", "ann", CANARY)
    with pytest.raises(StoreUnavailable, match="cannot be reached"), translated(at):
        raise error


@pytest.mark.parametrize(
    ("agent", "fine"),
    [("Neo4j/5.25.1", False), ("Neo4j/4.4.38", False), ("Neo4j/5.26.0", True), ("Neo4j/2026.08.1", True)],
)
def test_a_server_that_is_too_old_is_refused(agent: str, fine: bool) -> None:
    if fine:
        check_version(agent, "neo4j://host/db")
        return
    with pytest.raises(StoreUnavailable, match=rf"is {agent}, this program needs Neo4j 5\.26 or later"):
        check_version(agent, "neo4j://host/db")


@pytest.fixture
def at(neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> Address:
    return connections.address(logged_in(neo4j_server, monkeypatch))


def slow(session: neo4j.Session) -> Any:
    work = neo4j.unit_of_work(timeout=0.3)(
        lambda tx: tx.run("UNWIND range(1, 1000000000) AS n RETURN sum(sin(n))").consume()
    )
    return session.execute_read(work)


def twice(session: neo4j.Session) -> Any:
    session.run("CREATE CONSTRAINT canary_once IF NOT EXISTS FOR (n:CanaryOnce) REQUIRE n.id IS UNIQUE").consume()
    try:
        return session.run("CREATE (:CanaryOnce {id: 1}) CREATE (:CanaryOnce {id: 1})").consume()
    finally:
        session.run("DROP CONSTRAINT canary_once").consume()


def writing_while_reading(session: neo4j.Session) -> Any:
    return session.execute_read(lambda tx: tx.run("CREATE (:Canary)").consume())


@pytest.mark.neo4j
@pytest.mark.parametrize(
    ("does", "kind", "says"),
    [
        (slow, StoreUnavailable, "took too long"),
        (twice, Conflict, "another writer was there first"),
        (writing_while_reading, StoreUnavailable, "is read-only for"),
    ],
    ids=["time-out", "constraint", "read-only"],
)
def test_what_a_real_server_says(
    at: Address, does: Callable[[neo4j.Session], Any], kind: type[LineageError], says: str
) -> None:
    with (
        pytest.raises(kind, match=says) as raised,
        translated(at),
        connections.driver(at) as driver,
        driver.session(database=at.database) as session,
    ):
        does(session)
    assert at.password not in told(raised.value)


@pytest.mark.neo4j
def test_a_password_that_is_wrong_again_and_again(
    neo4j_server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    url = logged_in(neo4j_server, monkeypatch)
    # Another user than the tests' own, who would be kept out for a while too.
    monkeypatch.setenv("LINEAGE_NEO4J_USER", "nobody")
    monkeypatch.setenv("LINEAGE_NEO4J_PASSWORD", CANARY)
    caplog.set_level(logging.DEBUG)
    said = []
    for _ in range(5):
        with pytest.raises(StoreUnavailable) as raised:
            LineageGraph.open(url)
        said.append(str(raised.value))
        assert CANARY not in told(raised.value) + caplog.text
    assert "refuses the user 'nobody'" in said[0]
    assert all("nobody" in each for each in said)


@pytest.mark.neo4j
def test_notifications_are_asked_for_only_where_somebody_listens(
    at: Address, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def remarked() -> int:
        with connections.driver(at) as driver, driver.session(database=DATABASE) as session:
            summary = session.run("MATCH (n:NoSuchLabelHere) RETURN n.nothing").consume()
            return sum(status.is_notification for status in summary.gql_status_objects)

    assert remarked() == 0
    logger = logging.getLogger(connections.NOTIFICATIONS)
    before = logger.level
    logger.setLevel(logging.INFO)
    try:
        assert remarked() > 0
    finally:
        logger.setLevel(before)
