"""The conformance suite on a Neo4j server."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from lineage import LineageGraph
from lineage.testing.conformance import Conformance
from tests.neo4j_server.fixtures import without_nodes
from tests.neo4j_server.server import Server


@pytest.mark.neo4j
class TestNeo4j(Conformance):
    # A server plans verification's many statements anew for each small graph, which takes longer than the examples.
    verifying = os.environ.get("HYPOTHESIS_PROFILE") == "soak"

    @pytest.fixture
    def opening(self, neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> Callable[[], LineageGraph]:
        url = without_nodes(neo4j_server, monkeypatch)
        return lambda: LineageGraph.open(url, create=True)
