"""Random histories on the embedded store, judged by the oracle."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from lineage import LineageGraph
from lineage.testing.machine import Machine

FOLDER = Path(tempfile.mkdtemp(prefix="lineage-machine-"))
NUMBERS = itertools.count()


@pytest.fixture(autouse=True, scope="module")
def cleaned() -> Iterator[None]:
    yield
    shutil.rmtree(FOLDER, ignore_errors=True)


class Sqlite(Machine):
    """The embedded store."""

    @classmethod
    def new_place(cls) -> str:
        return str(FOLDER / f"{next(NUMBERS)}.db")

    @classmethod
    def open_graph(cls, place: str) -> LineageGraph:
        return LineageGraph.open(f"sqlite:///{place}", create=True)


TestSqlite = Sqlite.TestCase
TestSqlite.settings = settings(settings(), stateful_step_count=30)
