"""``verify`` is clean on what the API writes, and finds and names what was changed by hand."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from lineage import Answer, Citation, Claim, Document, Extend, Input, LineageGraph, Node, NodeRef, Retrieved, SpanRef

TEXT = "Refunds take 30 days. Ask the desk.\n\nParcels leave on Monday. Trucks load at noon.\n\nVisitors sign.\n"

UNSEEN = {
    # Words and times that nothing else in the store is derived from.
    "run": {"body", "producer", "at", "finished", "complete", "derived", "begin"},
    "document": {"title", "url", "media_type"},
    "version": {"at", "purged"},
    "statement": {"seq", "at", "id"},
    "detail": {"title", "body", "reason"},
    "alias": {"alias", "namespace", "node"},
    "answer": {"cache_key", "question", "at", "searched", "cited", "asked"},
    "claim": {"label", "needs_evidence"},
    "citation": {"marker", "marker_start", "marker_stop", "start", "stop", "whole", "number", "run", "version"},
    "finding": {"id", "run", "kind", "place", "what"},
    "cause": {"at", "reason", "who", "run", "seq", "type", "edition", "id"},
    "decision": {"reason", "who", "at", "seq", "kind", "made", "severity"},
    "event": {"id", "seq", "at", "cause", "node", "was", "is_now", "resolution"},
    "migration": {"name", "at", "number"},
    # What is history: its ranges are checked, not its words.
    "past_derivation": {"run", "begin", "derived", "made", "lineage", "until", "node"},
    "past_edge": {"role", "origins", "version", "since", "ext", "run", "until", "src", "dst"},
    "past_mark": {"cause", "node", "severity", "via", "since", "until", "resolution"},
    "asking": {"node", "run", "asked"},
    "naming": {"run", "kind"},
    "retirement": {"begin", "run", "name"},
    "sweep": {"begin", "run", "namespace", "kind"},
    # One evidence role for another passes the same marks; roles of answers and claims are checked by kind.
    # Places in a queue, numbers of rows that mean nothing outside, and ranks that only order.
    "mark": {"seq", "since", "fell", "resolution"},
    "cursor": {"invalid", "other", "top"},
    "edge": {"since", "origins", "ext", "role"},
    "namespace_document": {"seq", "namespace", "document"},
    "namespace_input": {"namespace", "input"},
    "text": {"id"},
    "node": {"named_first", "unsettled", "begin", "run", "made", "derived"},
    "change": {"source"},
    "sequence": {"value"},
    "kind": {"id"},
    "namespace": {"id"},
    "name": {"id"},
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with something of everything in it."""
    path = tmp_path_factory.mktemp("verify") / "lineage.db"
    with LineageGraph.open(f"sqlite:///{path}", create=True) as graph:
        graph.register(
            [
                Document(
                    uri="terms.md", text=TEXT, namespace="n", valid_from="2020-01-01",
                    sections=({"heading": "Refunds", "start": 0, "end": 35},),
                ),
                Document(uri="gone.md", text="Old words.\n", namespace="n"),
            ]
        )  # fmt: skip
        run = graph.run("n", producer="p", key="one")
        answer = {"namespace": "n", "key": "q"}
        run.register(
            [
                chunk("a", 0, 21),
                chunk("b", 37, 61),
                note("s", "both", "a", "b"),
                note("s", "one of two", "a"),
                Node(
                    kind="entity", namespace="n", key="E", text="e", lineage="partial", lineage_reason="capped",
                    aliases=("x1",),
                ),
                Answer(namespace="n", key="q", question="?", text="30 days [1]", cache_key="k", searched=("n",)),
                Claim(answer=answer, ordinal=1, label="C1", text="30 days"),
                Citation(
                    claim={"answer": answer, "ordinal": 1}, order=1, marker="[1]",
                    target=NodeRef(kind="chunk", namespace="n", key="a"),
                ),
                Retrieved(answer=answer, target=NodeRef(kind="entity", namespace="n", key="E")),
            ]
        )  # fmt: skip
        graph.run("n", producer="p", key="two").register([note("s", "both", "b")])
        graph.register([Extend(node=NodeRef(kind="entity", namespace="n", key="E"), inputs=(by("a"),))])
        graph.correct({"terms.md": TEXT.replace("30", "14")}, reason="policy")
        graph.dismiss("answer:n/q", reason="fine")
        graph.correct({"terms.md": TEXT.replace("30", "14").replace("noon", "dawn")}, reason="again")
        graph.correct(
            {"terms.md": TEXT.replace("30", "10")},
            reason="edition",
            kind="edition",
            valid_from="2027-01-01",
            force=True,
        )
        graph.withdraw(["gone.md"], reason="gone")
        graph.propagate()
    return path


def by(key: str) -> Input:
    return Input(ref=NodeRef(kind="chunk", namespace="n", key=key))


def chunk(key: str, start: int, end: int) -> Node:
    read = SpanRef(uri="terms.md", start=start, end=end, quote=TEXT[start:end])
    return Node(kind="chunk", namespace="n", key=key, text=TEXT[start:end], inputs=(Input(ref=read),))


def note(key: str, text: str, *inputs: str) -> Node:
    return Node(kind="note", namespace="n", key=key, text=text, inputs=tuple(by(each) for each in inputs))


def columns(path: Path) -> Iterator[tuple[str, str]]:
    connection = sqlite3.connect(path)
    tables = connection.execute("select name from sqlite_schema where type = 'table' and name not like 'sqlite%'")
    for (table,) in tables.fetchall():
        for row in connection.execute(f"pragma table_info({table})").fetchall():
            yield table, row[1]
    connection.close()


def change(path: Path, table: str, column: str) -> bool:
    """Changes one value by hand; whether there was one to change, and the schema let it pass."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        row = connection.execute(f"select {column} from {table} where {column} is not null limit 1").fetchone()
        if row is None:
            return False
        value = row[0]
        if isinstance(value, bytes):
            other: object = bytes([value[0] ^ 1]) + value[1:]
        elif isinstance(value, int):
            other = value + 1
        else:
            other = ("y" if value[:1] == "x" else "x") + value[1:]
        try:
            connection.execute(f"update {table} set {column} = ? where {column} = ? limit 1", (other, value))
        except sqlite3.OperationalError:
            connection.execute(f"update {table} set {column} = ? where {column} = ?", (other, value))
        return True
    except sqlite3.IntegrityError:
        return False
    finally:
        connection.close()


def test_what_the_api_writes_is_clean(base: Path) -> None:
    with LineageGraph.open(f"sqlite:///{base}", read_only=True) as graph:
        report = graph.verify()
    assert not report.faults
    assert {"texts", "versions", "spans", "nodes", "runs", "corrections", "marks"} <= report.checked.keys()


def test_each_column_that_carries_meaning(base: Path, tmp_path: Path) -> None:
    missed = []
    seen = 0
    for table, column in columns(base):
        if column in UNSEEN.get(table, ()):
            continue
        path = tmp_path / f"{table}-{column}.db"
        shutil.copy(base, path)
        if change(path, table, column):
            seen += 1
            if not found(path):
                missed.append((table, column))
        path.unlink()
    assert not missed, missed
    assert seen > 40


def found(path: Path) -> bool:
    try:
        with LineageGraph.open(f"sqlite:///{path}", read_only=True) as graph:
            return bool(graph.verify().faults)
    except Exception:
        return True
