"""Walks that give ids: impact and trace beside one recursive query, and beside networkx in memory."""

from __future__ import annotations

import random
import sqlite3
import statistics
from functools import partial
from pathlib import Path
from typing import Any

import networkx as nx

from benchmarks.generate import HOT_URI
from benchmarks.table import Table, Work, alternated, ratio_of
from lineage import LineageGraph

PASSING = 5
"""The last role that a mark passes over, as the file numbers them."""

WALK = """with recursive r(n) as (
    select id from node where hash = ?
    union select e.{there} from r cross join edge e on e.{here} = r.n and e.role <= {passing})
    select 'l1:' || lower(hex(n.hash)) from r cross join node n on n.id = r.n"""
DOWN = WALK.format(here="src", there="dst", passing=PASSING)
UP = WALK.format(here="dst", there="src", passing=PASSING)
IDS = "select 'l1:' || lower(hex(hash)) from node where id in ({})"


class Reader:
    """A store opened to be read, and a bare connection to the same file."""

    def __init__(self, path: Path) -> None:
        self.graph = LineageGraph.open(f"sqlite:///{path}", read_only=True)
        self.bare = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        # What the store's own connection has.
        self.bare.execute("pragma cache_size=-16000")

    def ours(self, ids: list[str], *, up: bool) -> int:
        """Walks from each id through the store; how many ids all walks gave."""
        return sum(len(self.graph.store.read(lambda tx, id_=id_: tx.reading.reach([id_], up=up))) for id_ in ids)  # type: ignore[misc]

    def recursive(self, ids: list[str], *, up: bool) -> int:
        """The same by one recursive query each."""
        sql = UP if up else DOWN
        return sum(len(self.bare.execute(sql, (bytes.fromhex(id_[3:]),)).fetchall()) for id_ in ids)

    def chosen(self, kind: str, count: int) -> list[str]:
        """Ids of a kind, spread over the whole graph."""
        rows = [
            row
            for (row,) in self.bare.execute(
                "select n.id from node n join kind k on k.id = n.kind where k.name = ? order by n.id", (kind,)
            )
        ]
        step = max(1, len(rows) // count)
        picked = rows[random.Random(kind).randrange(step) :: step][:count]
        return [self.id_of(row) for row in picked]

    def id_of(self, row: int) -> str:
        """The id of a row."""
        return str(self.bare.execute(IDS.format("?"), (row,)).fetchone()[0])

    def close(self) -> None:
        """Closes both."""
        self.graph.close()
        self.bare.close()


def hot_span(reader: Reader) -> str:
    """The span of the hot passage."""
    (row,) = reader.bare.execute(
        "select s.node from span s join document d on d.id = s.document where d.uri = ?", (HOT_URI,)
    ).fetchone()
    return reader.id_of(row)


def hot(table: Table, path: Path, repeats: int) -> None:
    """Impact of the hot passage, and traces of claims."""
    reader = Reader(path)
    network: Any = nx.DiGraph()
    network.add_edges_from(
        reader.bare.execute(
            f"""select 'l1:' || lower(hex(s.hash)), 'l1:' || lower(hex(d.hash)) from edge e
                join node s on s.id = e.src join node d on d.id = e.dst where e.role <= {PASSING}"""
        )
    )
    nodes = reader.bare.execute("select count(*) from node").fetchone()[0]
    edges = reader.bare.execute("select count(*) from edge").fetchone()[0]
    table.fact("hot graph: nodes / edges", f"{nodes:,} / {edges:,}")
    span = [hot_span(reader)]
    reached = reader.ours(span, up=True)
    assert reached == reader.recursive(span, up=True) == len(nx.ancestors(network, span[0])) + 1
    ours, recursive, memory = alternated(
        [
            lambda: reader.ours(span, up=True),
            lambda: reader.recursive(span, up=True),
            lambda: nx.ancestors(network, span[0]),
        ],
        repeats,
    )
    ms = statistics.median(ours) * 1e3
    table.row(
        f"impact of the hot span, {reached:,} ids, ms; to recursive query",
        f"{ms:.2f}",
        ratio_of(ours, recursive),
        0.7,
    )
    table.row("  the same; to networkx in memory", f"{statistics.median(memory) * 1e3:.2f}", ratio_of(ours, memory), 1)
    tracing(table, reader, "hot graph", repeats)
    reader.close()


def tracing(table: Table, reader: Reader, where: str, repeats: int) -> None:
    """Traces of claims, down to spans."""
    claims = reader.chosen("claim", 40)
    ours, recursive = alternated(
        [lambda: reader.ours(claims, up=False), lambda: reader.recursive(claims, up=False)], repeats
    )
    reached = reader.ours(claims, up=False) / len(claims)
    table.row(
        f"trace of a claim, {where}, {reached:,.0f} ids, µs; to recursive query",
        f"{statistics.median(ours) / len(claims) * 1e6:,.0f}",
        ratio_of(ours, recursive),
        1.3,
    )


def large(table: Table, path: Path, repeats: int) -> None:
    """Impact of ordinary spans, and traces, in the whole graph."""
    reader = Reader(path)
    spans = reader.chosen("span", 20)
    ours, recursive = alternated(
        [lambda: reader.ours(spans, up=True), lambda: reader.recursive(spans, up=True)], repeats
    )
    reached = reader.ours(spans, up=True) / len(spans)
    table.row(
        f"impact of a span, whole graph, {reached:,.0f} ids, µs; to rec.",
        f"{statistics.median(ours) / len(spans) * 1e6:,.0f}",
        ratio_of(ours, recursive),
        0.7,
    )
    tracing(table, reader, "whole graph", repeats)
    reader.close()


def growth(table: Table, small: Path, whole: Path, repeats: int, note: str) -> None:
    """What a reached node costs in the whole graph, to what it costs in one of a tenth."""
    readers = [Reader(small), Reader(whole)]
    for kind, up, what in (("span", True, "impact"), ("claim", False, "trace")):
        sets = [reader.chosen(kind, 40) for reader in readers]
        both = list(zip(readers, sets, strict=True))
        works: list[Work] = [partial(reader.ours, ids, up=up) for reader, ids in both]
        floors: list[Work] = [partial(reader.recursive, ids, up=up) for reader, ids in both]
        counts = [reader.ours(ids, up=up) for reader, ids in both]
        few, many, bare_few, bare_many = alternated([*works, *floors], repeats)
        cost = [statistics.median(many) / counts[1], statistics.median(few) / counts[0]]
        table.row(f"{what}, µs a node, ten times the graph{note}", f"{cost[0] * 1e6:.2f}", cost[0] / cost[1], 1.3)
        bare = statistics.median(bare_many) / statistics.median(bare_few) * counts[0] / counts[1]
        table.fact("  the recursive query's own growth", f"{bare:.2f}")
    for reader in readers:
        reader.close()
