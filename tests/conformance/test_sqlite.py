"""The conformance suite on the embedded store."""

from __future__ import annotations

from pathlib import Path

from lineage import LineageGraph
from lineage.testing.conformance import Conformance


class TestSqlite(Conformance):
    def open_graph(self, place: Path) -> LineageGraph:
        return LineageGraph.open(f"sqlite:///{place}/lineage.db", create=True)
