"""The test server is what it says, keeps what it was told through a kill, and forgets all when it is wiped."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from neo4j import Driver, GraphDatabase

from tests.neo4j_server.server import DATABASE, Server
from tests.neo4j_server.versions import VARIABLE, asked, belongs
from tests.neo4j_server.wipe import BATCH, wipe

pytestmark = pytest.mark.neo4j


@pytest.fixture
def driver(neo4j_url: str) -> Iterator[Driver]:
    """A driver made as users make theirs: from the URL and the environment."""
    address, _, _ = neo4j_url.rpartition("/")
    auth = (os.environ["LINEAGE_NEO4J_USER"], os.environ["LINEAGE_NEO4J_PASSWORD"])
    with GraphDatabase.driver(address, auth=auth) as driver:
        yield driver


def numbers(driver: Driver) -> list[int]:
    records, _, _ = driver.execute_query("MATCH (n:Kept) RETURN n.number AS number ORDER BY number", database_=DATABASE)
    return [record["number"] for record in records]


def schema(driver: Driver) -> list[tuple[str, str]]:
    records, _, _ = driver.execute_query("SHOW INDEXES YIELD name, type RETURN name, type", database_=DATABASE)
    return sorted((record["type"], record["name"]) for record in records)


def test_it_is_the_community_edition_of_the_version_asked_for(neo4j_server: Server, driver: Driver) -> None:
    records, _, _ = driver.execute_query("CALL dbms.components()", database_=DATABASE)
    kernel = next(record for record in records if record["name"] == "Neo4j Kernel")
    assert kernel["edition"] == "community"
    assert kernel["versions"] == [neo4j_server.version]
    if VARIABLE in os.environ or neo4j_server.can_be_killed:
        assert belongs(neo4j_server.version, asked(os.environ))


def test_it_has_the_memory_that_tests_give_it(neo4j_server: Server, driver: Driver) -> None:
    if not neo4j_server.can_be_killed:
        pytest.skip(f"{neo4j_server.uri} was not started by the tests")
    records, _, _ = driver.execute_query("SHOW SETTINGS 'server.memory.pagecache.size'", database_=DATABASE)
    assert [record["value"] for record in records] == ["128.00MiB"]


def test_the_url_names_a_database_that_routing_reaches(neo4j_url: str, driver: Driver) -> None:
    assert neo4j_url.startswith("neo4j")
    _, summary, _ = driver.execute_query("RETURN 1", database_=neo4j_url.rpartition("/")[2])
    assert summary.database == DATABASE


def test_what_was_committed_outlives_a_kill(neo4j_server: Server, driver: Driver) -> None:
    if not neo4j_server.can_be_killed:
        pytest.skip(f"{neo4j_server.uri} was not started by the tests")
    driver.execute_query("UNWIND range(1, 1000) AS number CREATE (:Kept {number: number})", database_=DATABASE)
    uri, pid = neo4j_server.uri, neo4j_server.pid
    neo4j_server.kill()
    assert not neo4j_server.running
    neo4j_server.kill()  # nothing to do
    neo4j_server.start_again()
    assert neo4j_server.uri == uri
    assert neo4j_server.pid not in (None, pid)
    assert numbers(driver) == list(range(1, 1001))


def test_a_wipe_leaves_what_a_new_database_has(driver: Driver) -> None:
    fresh = schema(driver)
    assert [kind for kind, _ in fresh] == ["LOOKUP", "LOOKUP"]
    for statement in (
        "CREATE CONSTRAINT unique_number FOR (n:Kept) REQUIRE n.number IS UNIQUE",
        "CREATE INDEX `a strange name` FOR (n:Kept) ON (n.other)",
        "CREATE FULLTEXT INDEX words FOR (n:Kept) ON EACH [n.text]",
        "CREATE INDEX roles FOR ()-[r:FROM]-() ON (r.role)",
    ):
        driver.execute_query(statement, database_=DATABASE)
    # More than a batch of nodes, one of them with more than a batch of relationships.
    driver.execute_query(
        "CREATE (hub:Kept {number: 0}) WITH hub UNWIND range(1, $many) AS number "
        "CREATE (:Kept {number: number, text: 'a word'})-[:FROM {role: 'source'}]->(hub)",
        many=BATCH + 1,
        database_=DATABASE,
    )
    assert len(numbers(driver)) == BATCH + 2
    wipe(driver, DATABASE)
    records, _, _ = driver.execute_query(
        "RETURN COUNT { MATCH (n) } AS nodes, COUNT { MATCH ()-->() } AS edges", database_=DATABASE
    )
    assert records[0].data() == {"nodes": 0, "edges": 0}
    records, _, _ = driver.execute_query("SHOW CONSTRAINTS", database_=DATABASE)
    assert records == []
    assert schema(driver) == fresh
