"""``python -m benchmarks [--documents N]``: one table, each figure beside its bound."""

from __future__ import annotations

import argparse
import json
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx

from benchmarks import alignment
from benchmarks.generate import fill, texts
from lineage import LineageGraph

TABLES = (
    "text",
    "name",
    "node",
    "edge",
    "span",
    "anchor",
    "detail",
    "answer",
    "claim",
    "citation",
    "version",
    "document",
)
WALK = """with recursive r(n) as (
    select ? union select e.{there} from r join edge e on e.{here} = r.n and e.role <= 5) select n from r"""
DOWN, UP = WALK.format(here="src", there="dst"), WALK.format(here="dst", there="src")


def timed(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def median(work: Callable[[], Any], repeats: int) -> float:
    return statistics.median(timed(work) for _ in range(repeats))


class Table:
    """The rows of the result."""

    def __init__(self) -> None:
        self.missed = 0

    def row(
        self, name: str, value: str, ratio: float | None = None, bound: float | None = None, *, least: bool = False
    ) -> None:
        verdict = ""
        if ratio is not None and bound is not None:
            good = ratio >= bound if least else ratio <= bound
            self.missed += not good
            verdict = f"{ratio:8.3f}  {'≥' if least else '≤'} {bound:<7g} {'ok' if good else 'MISSED'}"
        print(f"{name:44} {value:>22}  {verdict}", flush=True)


def bare_insert(source: Path, target: Path) -> float:
    """The floor of registration: the same rows into the same tables and indexes with ``executemany``."""
    connection = sqlite3.connect(source)
    schema = [
        sql
        for (sql,) in connection.execute(
            "select sql from sqlite_schema where sql is not null and name not like 'sqlite%'"
        )
    ]
    rows = {table: connection.execute(f"select * from {table}").fetchall() for table in TABLES}
    connection.close()
    bare = sqlite3.connect(target, isolation_level=None)
    bare.execute("pragma page_size=8192")
    bare.execute("pragma journal_mode=wal")
    bare.execute("pragma synchronous=full")
    for sql in schema:
        bare.execute(sql)

    def insert() -> None:
        for table, listed in rows.items():
            if listed:
                places = ",".join("?" * len(listed[0]))
                for begin in range(0, len(listed), 50_000):
                    bare.execute("begin")
                    bare.executemany(f"insert into {table} values ({places})", listed[begin : begin + 50_000])
                    bare.execute("commit")

    needed = timed(insert)
    bare.close()
    return needed


def bare_marking(path: Path, seeds: list[int]) -> float:
    """The floor of propagation: level by level into one narrow table, with ``via``."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(
        "create table bare(seq integer primary key, cause integer, node integer, severity integer,"
        " via integer, unique (node, cause))"
    )

    def mark() -> None:
        connection.execute("begin")
        connection.executemany("insert into bare(cause, node, severity) values (1, ?, 2)", ((seed,) for seed in seeds))
        low = 0
        while True:
            high = connection.execute("select max(seq) from bare").fetchone()[0]
            if high == low:
                break
            connection.execute(
                """insert into bare(cause, node, severity, via) select 1, g.src, 2, g.via from (
                     select e.src as src, max(m.node) as via from bare m
                     cross join edge e on e.dst = m.node and e.role <= 5
                     where m.seq > ? and m.seq <= ? group by e.src) g
                   left join bare k on k.node = g.src and k.cause = 1 where k.seq is null""",
                (low, high),
            )
            low = high
        connection.execute("commit")

    needed = timed(mark)
    connection.execute("drop table bare")
    connection.close()
    return needed


def measure(folder: Path, documents: int, table: Table) -> None:
    path = folder / "graph.db"
    with LineageGraph.open(f"sqlite:///{path}", create=True) as graph:
        filling = timed(lambda: fill(graph, documents))
        counts = graph.store.read(lambda tx: tx.reading.counts())
        nodes, edges = sum(counts["nodes"].values()), sum(counts["edges"].values())
        table.row("nodes, edges", f"{nodes:,} / {edges:,}")
        graph.store._connection.execute("pragma wal_checkpoint(truncate)")  # type: ignore[attr-defined]
    floor = bare_insert(path, folder / "bare.db")
    table.row("registration, items/s", f"{(nodes + edges) / filling:,.0f}", floor / filling, 0.25, least=True)
    connection = sqlite3.connect(path)
    size = connection.execute(
        "select sum(pgsize) from dbstat where name not in ('text', 'sqlite_autoindex_text_1')"
    ).fetchone()[0]
    table.row("bytes a node with its edges, texts apart", f"{size / nodes:,.0f}", size / nodes, 300)
    walking(path, connection, table)
    connection.close()
    with LineageGraph.open(f"sqlite:///{path}") as graph:
        correcting(graph, path, documents, table)


def walking(path: Path, connection: sqlite3.Connection, table: Table) -> None:
    network: Any = nx.DiGraph(connection.execute("select src, dst from edge where role <= 5").fetchall())
    claims = [row for (row,) in connection.execute("select node from claim order by node limit 40")]
    spans = [row for (row,) in connection.execute("select node from span order by node limit 40")]
    with LineageGraph.open(f"sqlite:///{path}", read_only=True) as graph:

        def ours(rows: list[int], up: bool) -> None:
            graph.store.read(lambda tx: [tx.reading._reach([row], up=up, passing=True, limit=None) for row in rows])

        trace = median(lambda: ours(claims, False), 9)
        recursive = median(lambda: [connection.execute(DOWN, (row,)).fetchall() for row in claims], 9)
        table.row("trace of a claim (ids), µs; to recursive query", f"{trace / 40 * 1e6:,.0f}", trace / recursive, 1.3)
        impact = median(lambda: ours(spans, True), 9)
        recursive = median(lambda: [connection.execute(UP, (row,)).fetchall() for row in spans], 9)
        table.row(
            "impact of a span (ids), µs; to recursive query", f"{impact / 40 * 1e6:,.0f}", impact / recursive, 0.7
        )
        memory = median(lambda: [nx.ancestors(network, row) for row in spans], 9)
        table.row("  the same; to networkx in memory", "", impact / memory, 1.0)


def correcting(graph: LineageGraph, path: Path, documents: int, table: Table) -> None:
    keys = [f"k{number}-0" for number in range(min(documents, 200))]
    fresh = statistics.median(timed(lambda key=key: graph.check(key)) for key in keys for _ in range(10))  # type: ignore[misc]
    table.row("check, nothing pending, µs", f"{fresh * 1e6:,.1f}", fresh * 1e6, 40)
    changed = {uri: text.replace("holds for", "is kept for") for uri, text in texts(min(documents, 1000))}
    graph.correct(changed, reason="benchmark", propagate=False, force=True)
    pending = statistics.median(timed(lambda key=key: graph.check(key)) for key in keys[:40] for _ in range(5))  # type: ignore[misc]
    table.row("check, work pending, ms", f"{pending * 1e3:,.2f}", pending * 1e3, 3)
    needed = timed(graph.propagate)
    connection = sqlite3.connect(path)
    marked = connection.execute("select count(*) from mark").fetchone()[0]
    seeds = [row for (row,) in connection.execute("select node from seed")]
    connection.close()
    floor = bare_marking(path, seeds)
    table.row(f"propagation of {len(changed)} documents, {marked:,} marks, s", f"{needed:,.2f}", needed / floor, 1.5)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    table.row("peak memory of this whole process, MB", f"{peak:,.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=2000, help="about 70 nodes each (default 2000)")
    parser.add_argument("--strict", action="store_true", help="exit with 1 where a bound is missed")
    options = parser.parse_args()
    table = Table()
    for name, seconds in alignment.measure():
        table.row(f"align: {name}, s", f"{seconds:.3f}", seconds, 1.5)
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), options.documents, table)
    print(json.dumps({"missed": table.missed}))
    if options.strict and table.missed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
