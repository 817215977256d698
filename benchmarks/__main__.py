"""``python -m benchmarks``: one table, each figure beside its bound.

Times are medians, and ratios are taken against a floor that ran in turn in the same process: the machine's own speed
falls out. ``--scale 1`` is the graph of 1.2 million nodes and 3.1 million edges; a small scale tells most ratios too.
"""

from __future__ import annotations

import argparse
import shutil
import sqlite3
import tempfile
from pathlib import Path

from benchmarks import alignment, corrections, registration, scoring, server, walks
from benchmarks.generate import DOCUMENTS, HOT_DOCUMENTS, batches
from benchmarks.table import Table

GROUPS = ("alignment", "scoring", "registration", "space", "hot", "walks", "check", "propagation", "growth", "server")
OF_THEIR_OWN = {"alignment", "scoring", "hot", "server"}
"""They need no whole graph."""
SERVER_PART = 4
"""The graph on a server is the whole one's fourth part."""


class Graphs:
    """The generated stores, each made when it is first asked for."""

    def __init__(self, folder: Path, documents: int, table: Table) -> None:
        self.folder = folder
        self.documents = documents
        self._table = table
        self.times: tuple[list[float], list[float]] | None = None

    def whole(self, *, floor: bool = False) -> Path:
        """The graph itself. ``floor`` times its making beside bare insertion."""
        path = self.folder / "whole.db"
        if floor or not path.exists():
            _remove(path)
            bare = self.folder / "bare.db" if floor else None
            self.times = registration.fill(path, batches(self.documents), bare)
            if bare is not None:
                _remove(bare)
        return path

    def tenth(self) -> Path:
        """A graph of a tenth."""
        path = self.folder / "tenth.db"
        if not path.exists():
            registration.fill(path, batches(self.documents // 10))
        return path

    def hot(self) -> Path:
        """The graph with the hot passage."""
        path = self.folder / "hot.db"
        if not path.exists():
            registration.fill(path, batches(HOT_DOCUMENTS, hot=True))
        return path

    def pending(self, path: Path, documents: int) -> Path:
        """The same with a tenth of its documents corrected, and nothing propagated."""
        target = path.with_suffix(".pending")
        if not target.exists():
            seconds = corrections.enqueue(path, target, documents)
            self._table.fact(f"  correction of {documents // 10:,} documents committed, s", f"{seconds:.2f}")
        return target


def _remove(path: Path) -> None:
    for end in ("", "-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)


def measure(graphs: Graphs, table: Table, groups: list[str], repeats: int) -> None:
    """The groups asked for, in order."""
    documents = graphs.documents
    if "alignment" in groups:
        for name, seconds in alignment.measure():
            table.row(f"alignment, {name}, s", f"{seconds:.2f}", seconds, 1.5)
    if "scoring" in groups:
        scoring.measure(table, graphs.folder)
    if "hot" in groups:
        walks.hot(table, graphs.hot(), 15)
    if "server" in groups:
        server.measure(table, graphs.folder, documents // SERVER_PART, repeats * 3)
    if OF_THEIR_OWN.issuperset(groups):
        return
    path = graphs.whole(floor="registration" in groups)
    nodes, edges = registration.size(path)
    table.fact("whole graph: nodes / edges", f"{nodes:,} / {edges:,}")
    if "registration" in groups and graphs.times is not None:
        registration.registering(table, path, *graphs.times)
    if "space" in groups:
        registration.space(table, path)
    if "walks" in groups:
        walks.large(table, path, 9)
    if "check" in groups:
        corrections.checks(table, path, documents)
        corrections.pending_checks(table, graphs.pending(path, documents), documents)
    if "propagation" in groups:
        done = corrections.propagated(graphs.pending(path, documents), repeats)
        corrections.propagation(table, done, documents // 10)
    if "growth" in groups:
        _growth(graphs, table, repeats)


def _growth(graphs: Graphs, table: Table, repeats: int) -> None:
    documents = graphs.documents
    whole, tenth = graphs.whole(), graphs.tenth()
    pending = [graphs.pending(whole, documents), graphs.pending(tenth, documents // 10)]
    for analyze, note in ((False, ""), (True, ", analyzed")):
        if analyze:
            whole, tenth = (_analyzed(path) for path in (whole, tenth))
        walks.growth(table, tenth, whole, 9, note)
        many = corrections.propagated(pending[0], repeats, analyze=analyze)
        few = corrections.propagated(pending[1], max(repeats, 5), analyze=analyze)
        ratio = many.cost / few.cost
        table.row(f"propagation, µs a mark, ten times the graph{note}", f"{many.cost * 1e6:.2f}", ratio, 1.3)
        floors = (many.floor, few.floor)
        bare = sum(floors[0]) / len(floors[0]) / many.marks / (sum(floors[1]) / len(floors[1]) / few.marks)
        table.fact("  the bare marking's own growth", f"{bare:.2f}")


def _analyzed(path: Path) -> Path:
    target = path.with_suffix(".analyzed")
    shutil.copyfile(path, target)
    connection = sqlite3.connect(target)
    connection.execute("analyze")
    connection.close()
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="1: about 1.2 million nodes (default 1)")
    parser.add_argument("--only", action="append", choices=GROUPS, help="a group of figures; may be repeated")
    parser.add_argument("--repeats", type=int, default=3, help="propagations of each kind (default 3)")
    parser.add_argument("--folder", type=Path, help="keep the graphs there, and use those that are there")
    parser.add_argument("--strict", action="store_true", help="exit with 1 where a bound is missed")
    options = parser.parse_args()
    table = Table()
    table.head()
    with tempfile.TemporaryDirectory(prefix="lineage-benchmark-") as scratch:
        folder = options.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        graphs = Graphs(folder, max(20, round(DOCUMENTS * options.scale)), table)
        measure(graphs, table, options.only or list(GROUPS), options.repeats)
    print(f"{len(table.missed)} missed" + "".join(f"\n  {name}" for name in table.missed))
    if options.strict and table.missed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
