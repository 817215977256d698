"""Registration through the front door beside bare ``executemany`` of the rows that it wrote."""

from __future__ import annotations

import sqlite3
import statistics
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.generate import NAMESPACE, Form
from benchmarks.table import Table, ratio_of, timed
from lineage import LineageGraph
from lineage.stores.sqlite import connection as connections
from lineage.stores.sqlite import migrate

ROWS = {
    "document": "select * from document where id > :document",
    "text": "select * from text where id > :text",
    "version": "select * from version where document > :document",
    "edition": "select * from edition where document > :document",
    "namespace_document": "select * from namespace_document where document > :document",
    "name": "select * from name where id > :name",
    # As they were written: the order that SQLite likes best.
    "node": "select * from node where id > :node order by hash",
    "span": "select * from span where node > :node",
    "anchor": "select a.* from span s cross join anchor a on a.version = s.version and a.node = s.node"
    " where s.node > :node order by a.version, a.node",
    "detail": "select * from detail where node > :node",
    "answer": "select * from answer where node > :node",
    "asking": "select * from asking where node > :node",
    "claim": "select * from claim where node > :node",
    "citation": "select * from citation where claim > :node",
    "edge": "select * from edge where src > :node",
}
"""The rows of each table that came after those of the last batch."""


class Bare:
    """A file with the same schema and settings, into which nothing but rows go."""

    def __init__(self, source: Path, target: Path) -> None:
        self._source = sqlite3.connect(source)
        self._target = connections.create(target)
        migrate.upgrade(self._target, 0)
        self._last = dict.fromkeys(("document", "text", "name", "node"), 0)

    def follow(self) -> float:
        """Writes what the source got since the last call, in one transaction: the seconds that took."""
        rows = {table: self._source.execute(sql, self._last).fetchall() for table, sql in ROWS.items()}
        for table in self._last:
            (self._last[table],) = self._source.execute(f"select coalesce(max(id), 0) from {table}").fetchone()
        return timed(lambda: self._write(rows))

    def _write(self, rows: dict[str, list[Any]]) -> None:
        self._target.execute("begin immediate")
        for table, listed in rows.items():
            if listed:
                places = ",".join("?" * len(listed[0]))
                self._target.executemany(f"insert into {table} values ({places})", listed)
        self._target.execute("commit")

    def close(self) -> None:
        """Closes both files."""
        self._source.close()
        self._target.close()


def fill(path: Path, batches: Iterable[list[Form]], floor: Path | None = None) -> tuple[list[float], list[float]]:
    """Registers batches in a new store; the seconds of each, and those of the floor in turn where there is one."""
    mine: list[float] = []
    bare: list[float] = []
    with LineageGraph.open(f"sqlite:///{path}", create=True) as graph:
        follower = None if floor is None else Bare(path, floor)
        run = graph.run(NAMESPACE, producer="benchmark", key="fill")
        for batch in batches:
            mine.append(timed(lambda batch=batch: run.register(batch)))  # type: ignore[misc]
            if follower is not None:
                bare.append(follower.follow())
        run.finish()
        if follower is not None:
            follower.close()
    with sqlite3.connect(path) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    connection.close()
    return mine, bare


def size(path: Path) -> tuple[int, int]:
    """How many nodes and edges there are in the file."""
    connection = sqlite3.connect(path)
    found = tuple(connection.execute(f"select count(*) from {table}").fetchone()[0] for table in ("node", "edge"))
    connection.close()
    return found[0], found[1]


def registering(table: Table, path: Path, mine: list[float], bare: list[float]) -> None:
    """The rows about speed."""
    nodes, edges = size(path)
    items = nodes + edges
    table.fact(f"  bare executemany, items/s, {len(bare)} batches in turn", f"{items / sum(bare):,.0f}")
    table.row(
        "registration, items/s; to bare executemany",
        f"{items / sum(mine):,.0f}",
        ratio_of(bare, mine),
        0.25,
        least=True,
    )
    table.fact("  seconds a batch, median", f"{statistics.median(mine):.2f}")


def space(table: Table, path: Path) -> None:
    """The rows about space: all but texts, and what each table takes with its indexes."""
    nodes, edges = size(path)
    connection = sqlite3.connect(path)
    sizes: dict[str, int] = {}
    for name, taken in connection.execute(
        """select coalesce(s.tbl_name, d.name), sum(d.pgsize) from dbstat d
           left join sqlite_schema s on s.name = d.name group by 1"""
    ):
        sizes[name] = taken
    connection.close()
    texts = sizes.pop("text", 0)
    total = sum(sizes.values()) / nodes
    table.row(f"bytes a node with its {edges / nodes:.2f} edges, texts apart", f"{total:,.0f}", total, 300)
    for name, taken in sorted(sizes.items(), key=lambda item: -item[1]):
        if taken / nodes >= 1:
            table.fact(f"  {name}", f"{taken / nodes:,.1f}")
    table.fact("  text, not counted", f"{texts / nodes:,.1f}")
