"""A correction of many documents: ``check`` before and while it is pending, and its propagation."""

from __future__ import annotations

import json
import shutil
import sqlite3
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.generate import ANSWERS, chosen, edited, uri
from benchmarks.table import Table, ratio_of, timed
from lineage import LineageGraph


def asked(documents: int, count: int) -> list[str]:
    """Keys of answers, spread over all documents."""
    return [f"answer {number}-{at % ANSWERS}" for at, number in enumerate(chosen(documents, count))]


def checking(graph: LineageGraph, keys: list[str], rounds: int) -> float:
    """The median of one check, in seconds."""
    return statistics.median(timed(lambda key=key: graph.check(key)) for _ in range(rounds) for key in keys)  # type: ignore[misc]


def checks(table: Table, path: Path, documents: int) -> None:
    """``check`` on an open store."""
    keys = asked(documents, 400)
    with LineageGraph.open(f"sqlite:///{path}") as graph:
        graph.check(keys[0])
        quick = checking(graph, keys, 5) * 1e6
        table.row("check, nothing pending, µs", f"{quick:.1f}", quick, 40)


def enqueue(source: Path, target: Path, documents: int) -> float:
    """A copy of the store in which a tenth of the documents is corrected and nothing is propagated."""
    shutil.copyfile(source, target)
    texts = {uri(number): edited(number) for number in chosen(documents, documents // 10)}
    with LineageGraph.open(f"sqlite:///{target}") as graph:
        # Closing the last connection writes the log back: then the file alone is the store.
        return timed(lambda: graph.correct(texts, reason="benchmark", propagate=False))


def pending_checks(table: Table, path: Path, documents: int) -> None:
    """``check`` while work is pending: it evaluates the definition itself."""
    keys = asked(documents, 100)
    with LineageGraph.open(f"sqlite:///{path}") as graph:
        under = statistics.median(
            len(graph.store.read(lambda tx, key=key: tx.reading.reach(tx.reading.answers_by_key(key), up=False)))  # type: ignore[misc]
            for key in keys
        )
        seconds = checking(graph, keys, 3) * 1e3
        table.row(f"check, work pending, {under:.0f} nodes under an answer, ms", f"{seconds:.2f}", seconds, 3)


@dataclass
class Propagation:
    """Repeated propagations of the same pending work, in turn with the floor."""

    seconds: list[float]
    floor: list[float]
    marks: int
    floor_marks: int
    steps: int
    peak: float

    @property
    def cost(self) -> float:
        """Seconds a mark."""
        return statistics.median(self.seconds) / self.marks


def propagated(path: Path, repeats: int, *, analyze: bool = False, floor: bool = True) -> Propagation:
    """Propagates copies of a store, each in a process of its own."""
    copy = path.with_suffix(".copy")
    mine: list[dict[str, Any]] = []
    bare: list[dict[str, Any]] = []
    for _ in range(repeats):
        mine.append(_run(path, copy, analyze))
        if floor:
            bare.append(_run(path, copy, analyze, "--bare"))
    for end in ("", "-wal", "-shm"):
        copy.with_name(copy.name + end).unlink(missing_ok=True)
    return Propagation(
        [each["seconds"] for each in mine],
        [each["seconds"] for each in bare],
        mine[0]["marks"],
        bare[0]["marks"] if bare else 0,
        mine[0]["steps"],
        max(each["peak"] for each in mine),
    )


def _run(path: Path, copy: Path, analyze: bool, *options: str) -> dict[str, Any]:
    for end in ("-wal", "-shm"):
        copy.with_name(copy.name + end).unlink(missing_ok=True)
    shutil.copyfile(path, copy)
    if analyze:
        connection = sqlite3.connect(copy)
        connection.execute("analyze")
        connection.close()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.propagating", str(copy), *options],
        check=True,
        capture_output=True,
        text=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def propagation(table: Table, done: Propagation, documents: int) -> None:
    """The rows about one propagation."""
    table.fact("  bare marking level by level with via, s", f"{statistics.median(done.floor):.2f}")
    if done.marks != done.floor_marks:
        table.fact("  marks of the floor", f"{done.floor_marks:,}")
    table.row(
        f"propagation of {documents:,} documents, {done.marks:,} marks, s; to bare",
        f"{statistics.median(done.seconds):.2f}",
        ratio_of(done.seconds, done.floor),
        1.5,
    )
    table.fact("  marks a second; transactions", f"{1 / done.cost:,.0f}; {done.steps}")
    table.row("peak memory of the propagating process, MB", f"{done.peak:.0f}", done.peak, 150)
