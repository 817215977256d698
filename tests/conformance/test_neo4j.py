"""The conformance suite on a Neo4j server."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from lineage import LineageGraph
from lineage.testing.conformance import Conformance
from tests.neo4j_server.fixtures import logged_in
from tests.neo4j_server.server import Server


@pytest.mark.neo4j
class TestNeo4j(Conformance):
    # A server plans verification's many statements anew for each small graph, which takes longer than the examples.
    verifying = os.environ.get("HYPOTHESIS_PROFILE") == "soak"

    @pytest.fixture
    def opening(self, neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> Callable[[], LineageGraph]:
        url = logged_in(neo4j_server, monkeypatch)
        # Only what is stored goes: constraints, indexes and plans stay, which is most of a small test's time.
        with neo4j_server.driver() as driver:
            driver.execute_query("MATCH (n) DETACH DELETE n")
        return lambda: LineageGraph.open(url, create=True)
