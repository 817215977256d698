"""An empty store of each kind, for the indexes of real pipelines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lineage import LineageGraph
from tests.neo4j_server.fixtures import without_nodes


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def store_url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where there is no store yet: a file, and a database of the test server."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/lineage.db"
    return without_nodes(request.getfixturevalue("neo4j_server"), monkeypatch)


@pytest.fixture
def graph(store_url: str) -> Iterator[LineageGraph]:
    with LineageGraph.open(store_url, create=True) as graph:
        yield graph
