"""Each query of the page on Neo4j runs on the demo, and finds something where there is something."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lineage import LineageGraph
from lineage.demo.loading import corrected_text, load
from lineage_schema.records import Node
from tests.neo4j_server.fixtures import without_nodes
from tests.neo4j_server.server import DATABASE, Server

PAGE = Path(__file__).parents[2] / "docs" / "neo4j.md"
QUERIES = re.findall(r"^```cypher\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.M | re.S)
EMPTY = "WHERE mark.queue > 0"
"""The query that finds nothing once all is propagated."""


@pytest.mark.neo4j
def test_the_queries(neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(QUERIES) == 10
    url = without_nodes(neo4j_server, monkeypatch)
    with neo4j_server.driver() as driver:
        with LineageGraph.open(url, create=True) as graph:
            load(graph)
            cut = Node(kind="note", namespace="demo", key="cut", text="x", lineage="partial", lineage_reason="capped")
            graph.register([cut])
            uri, text, reason = corrected_text()
            correction = graph.correct({uri: text}, reason=reason).id
            graph.dismiss("answer:demo/shipping", reason="fine", by="desk")
            graph.propagate()
        for query in QUERIES:
            records, _, _ = driver.execute_query(
                query, namespace="demo", claim='["returns","1"]', correction=correction, uri=uri, database_=DATABASE
            )
            assert bool(records) == (EMPTY not in query), query
