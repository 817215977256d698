"""Random histories on the embedded store: a dump, loaded, dumps the same and answers the same."""

from __future__ import annotations

import itertools
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from lineage import LineageGraph
from lineage.testing.observe import observe
from tests.dump.histories import Ending, dumped, loaded

NUMBERS = itertools.count()


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="lineage-dump-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


def test_a_loaded_dump_is_the_same_store(folder: Path) -> None:
    seen: set[str] = set()

    def look(graph: LineageGraph) -> None:
        first = dumped(graph, folder / "first.jsonl")
        seen.update(section for section, rows in sections(first).items() if rows)
        path = folder / f"{next(NUMBERS)}.db"
        with LineageGraph.open(f"sqlite:///{path}", create=True) as copy:
            loaded(copy, first)
            assert dumped(copy, folder / "second.jsonl") == first
            assert observe(copy) == observe(graph)
            assert copy.pending() == graph.pending()
            assert copy.verify().faults == []
            # What is pending goes on there, and comes to the same.
            copy.propagate()
            graph.propagate()
            assert observe(copy) == observe(graph)
            assert copy.verify().faults == []
        path.unlink()

    class Sqlite(Ending):
        @classmethod
        def new_place(cls) -> str:
            return str(folder / f"{next(NUMBERS)}.db")

        @classmethod
        def open_graph(cls, place: str) -> LineageGraph:
            return LineageGraph.open(f"sqlite:///{place}", create=True)

    Sqlite.looking = (look,)
    # A history that fails is told as it was: the machine itself shrinks its own.
    found = settings(settings(), stateful_step_count=25, phases=[Phase.explicit, Phase.reuse, Phase.generate])
    run_state_machine_as_test(Sqlite, settings=found)
    # The histories said something of what is rarely there, too.
    assert {"past_edge", "making", "past_mark", "mark", "event", "retirement", "decision", "seed"} <= seen


def sections(lines: bytes) -> dict[str, int]:
    counts: dict[str, int] = json.loads(lines.splitlines()[-1])["counts"]
    return counts
