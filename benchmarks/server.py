"""The Neo4j store beside what a plain script does on the same server: registering, walking, marking.

The server is one that the tests would use (``tests/neo4j_server``), without what makes it start quickly.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import neo4j

from benchmarks import registration
from benchmarks.generate import NAMESPACE, batches, chosen, edited, uri
from benchmarks.plain import Plain
from benchmarks.table import Table, alternated, ratio_of, timed
from lineage import LineageGraph
from lineage.stores.copying import SECTIONS
from lineage.stores.neo4j.drawing import DRAWINGS, Drawn
from tests.neo4j_server.choice import PASSWORD, USER, obtain
from tests.neo4j_server.server import DATABASE, Server
from tests.neo4j_server.wipe import wipe

BATCH = 10_000
"""Forms in one registration: one transaction on the server."""
AGAIN = 5
"""Batches that are registered a second time."""
ROUNDS = 3
"""Corrections that are propagated, each of other documents."""


@contextmanager
def running() -> Iterator[tuple[Server, str]]:
    """A server, and the URL of its database, which is empty."""
    server = obtain(os.environ, quick=False)
    try:
        os.environ[USER], os.environ[PASSWORD] = server.user, server.password
        with server.driver() as driver:
            wipe(driver, DATABASE)
        yield server, f"{server.uri.replace('bolt', 'neo4j', 1)}/{DATABASE}"
        with server.driver() as driver:
            wipe(driver, DATABASE)
    finally:
        server.stop()


def measure(table: Table, folder: Path, documents: int, repeats: int) -> None:
    """All figures, one after the other, on one server."""
    with running() as (server, url), server.driver() as driver:
        table.fact("server", f"Neo4j {server.version}")
        with driver.session(database=DATABASE) as session, LineageGraph.open(url, create=True) as graph:
            plain = Plain(session)
            registering(table, graph, plain, folder / "twin.db", documents)
            walking(table, graph, session, repeats)
            propagating(table, graph, plain, documents)


def registering(table: Table, graph: LineageGraph, plain: Plain, twin: Path, documents: int) -> None:
    """Batch by batch, in turn with a plain script that merges as many of the rows that come of them all.

    The rows are those of a store of the same graph that was made before.
    """
    listed = list(batches(documents, size=BATCH))
    twin.unlink(missing_ok=True)
    registration.fill(twin, listed)
    nodes, edges = registration.size(twin)
    table.fact("graph on the server: nodes / edges", f"{nodes:,} / {edges:,}")
    run = graph.run(NAMESPACE, producer="benchmark", key="fill")
    mine: list[float] = []
    bare: list[float] = []
    with LineageGraph.open(f"sqlite:///{twin}", read_only=True) as source:
        total: int = source.store.read(lambda tx: sum(1 for _ in _drawn(tx)))

        def in_turn(tx: Any) -> None:
            rows = _drawn(tx)
            share = -(-total // len(listed))
            for batch in listed:
                mine.append(timed(lambda batch=batch: run.register(batch)))  # type: ignore[misc]
                some = list(islice(rows, share))
                bare.append(timed(lambda some=some: plain.merge(some)))  # type: ignore[misc]

        source.store.read(in_turn)
    table.fact("  plain UNWIND … MERGE of its rows, rows/s", f"{total / sum(bare):,.0f}")
    table.row(
        "registration on the server, nodes and edges/s; to plain MERGE",
        f"{(nodes + edges) / sum(mine):,.0f}",
        sum(bare) / sum(mine),
        0.7,
        least=True,
    )
    again = [timed(lambda batch=batch: run.register(batch)) for batch in listed[-AGAIN:]]  # type: ignore[misc]
    first = mine[-AGAIN:]
    table.row(
        "  registering again what is there, s; times as fast",
        f"{sum(again):.2f}",
        sum(first) / sum(again),
        3,
        least=True,
    )


def _drawn(tx: Any) -> Iterator[Drawn]:
    """What a store draws on a server, row by row."""
    for section in SECTIONS:
        for row in tx.copying.rows(section):
            yield from DRAWINGS[section.name](section.back(row))


def walking(table: Table, graph: LineageGraph, session: neo4j.Session, repeats: int) -> None:
    """Impact of spans and trace of claims, beside one variable-length query for each."""
    plain = Plain(session)
    for kind, up, name in (("Span", True, "impact of a span"), ("Claim", False, "trace of a claim")):
        ids = plain.some(kind, 20)

        def ours(ids: list[str] = ids, up: bool = up) -> int:
            return sum(len(graph.store.read(lambda tx, id_=id_: tx.reading.reach([id_], up=up))) for id_ in ids)  # type: ignore[misc]

        def paths(ids: list[str] = ids, up: bool = up) -> int:
            return sum(len(plain.reached(id_, up=up)) for id_ in ids)

        reached = ours()
        assert reached == paths()
        taken, floor = alternated([ours, paths], repeats)
        table.row(
            f"{name} on the server, {reached / len(ids):,.0f} ids, ms; to one query",
            f"{statistics.median(taken) / len(ids) * 1e3:.2f}",
            ratio_of(taken, floor),
            1,
        )


def propagating(table: Table, graph: LineageGraph, plain: Plain, documents: int) -> None:
    """Corrections of many documents, each beside a loop that holds its frontier in the client."""
    picked = chosen(documents, documents // 10)
    rates: list[float] = []
    floors: list[float] = []
    marked = 0
    for part in range(ROUNDS):
        texts = {uri(number): edited(number) for number in picked[part::ROUNDS]}
        correction = graph.correct(texts, reason="benchmark", propagate=False).id
        assert correction is not None
        seconds = timed(graph.propagate)
        marks = plain.count_marks(correction)
        rates.append(marks / seconds)
        marked += marks
        plain_marks, seconds = plain.mark(plain.seeds(correction))
        floors.append(plain_marks / seconds)
    table.fact("  a loop with its frontier in the client, marks/s", f"{statistics.median(floors):,.0f}")
    table.row(
        f"propagation on the server, {marked:,} marks, marks/s; to the loop",
        f"{statistics.median(rates):,.0f}",
        ratio_of(rates, floors),
        1.5,
        least=True,
    )
