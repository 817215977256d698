"""``verify`` is clean on what the API writes, and names what was changed by hand, whichever column it was."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lineage import (
    Answer,
    Citation,
    Claim,
    Document,
    Extend,
    Input,
    LineageGraph,
    Node,
    NodeRef,
    Retire,
    Retrieved,
    SpanRef,
    Version,
)
from lineage.stores.sqlite.spread import TEMPORARY
from lineage.stores.sqlite.store import SqliteTransaction
from lineage.verify import Fault, verify
from lineage_schema.errors import BadInput
from lineage_schema.judgments import Calibration, JudgeId, Judgment, Passage, Request, Splitting
from lineage_schema.vocabulary import Role, Verdict

TERMS = (
    "# Returns\n\nStandard items may be returned within 30 days. A receipt is needed. Boxes are kept.\n\n"
    "Parcels leave on Monday. Trucks load at noon.\n\nVisitors sign the book.\n"
)
CURRENT = TERMS.replace("30 days", "14 days")
ROWS = 2
"""Rows of a column that are changed, one at a time: the first and the last."""

SAID, TIME, ROW = "said, and nothing follows from it", "a time, and order is by the sequence", "a row's own number"
HISTORY = "of what is history nothing else is kept"
UNSEEN = {
    "alias": {"alias": SAID},
    "answer": {"cache_key": SAID, "searched": SAID, "at": TIME},
    "calibration": {"id": ROW, "judge": SAID, "labels": SAID, "seed": SAID, "kappa": SAID, "body": SAID, "at": TIME},
    "cause": {"reason": SAID, "who": SAID},
    "citation": {"marker_start": SAID, "marker_stop": SAID, "whole": SAID},
    "claim": {"label": SAID, "needs_evidence": SAID},
    "decision": {"reason": SAID, "who": SAID, "severity": "it may have been worse then", "at": TIME},
    "detail": {"title": SAID, "reason": SAID, "body": SAID},
    "document": {"title": SAID, "url": SAID, "media_type": SAID},
    "edge": {"origins": SAID},
    "event": {"at": TIME},
    "finding": {"id": ROW},
    "judgment": {"score": SAID, "reason": SAID, "latency": SAID, "cut": SAID, "who": SAID, "at": TIME},
    "judgment_choice": {"number": "any verdict may be chosen", "reason": SAID, "who": SAID, "at": TIME},
    "judgment_passage": {"place": "only the order is meant"},
    "mark": {"seq": "a place in a queue: further back, the mark is expanded once more"},
    "migration": {"at": TIME},
    "moment": {"at": TIME, "seq": "a number of the same transaction, which has the same time"},
    "past_derivation": {"lineage": HISTORY},
    "past_edge": {"role": HISTORY, "dst": HISTORY, "origins": SAID},
    "run": {"at": TIME, "finished": TIME},
    "score": {"id": ROW, "at": TIME},
    "splitting": {"judge": SAID, "parts": SAID, "who": SAID, "at": TIME},
    "statement": {"at": TIME, "body": SAID},
}
"""Columns whose values may be changed for other possible ones, and nobody can tell: why. Impossible ones are seen."""

CORRECTED = "exists (select 1 from change g where g.target = version.id)"
PARTLY = {
    ("alias", "node"): ("false", "another node of its namespace may be called so"),
    ("answer", "question"): (
        "not exists (select 1 from answer x where x.question = answer.question and x.node <> answer.node)",
        "a text that nothing uses is seen, and another answer uses this one",
    ),
    ("citation", "marker"): ("target is null", SAID),
    ("citation", "number"): ("target is null", "numbers may have gaps"),
    ("citation", "run"): ("target is null", "any run may cite for a claim"),
    ("decision", "cause"): (
        "(select count(*) from mark m where m.node = decision.node) < 2", "another cause that marked it may be meant",
    ),
    ("detail", "node"): ("reason is not null", "what stands beside a node may stand beside another"),
    ("edge", "dst"): ("role in (0, 1)", "no mark, citation or key tells which inputs a node had"),
    ("edge", "role"): ("role in (0, 1, 5)", "roles that any derived node may have"),
    ("edge", "src"): ("role in (0, 1)", "no mark, citation or key tells which inputs a node had"),
    ("event", "id"): ("seq < (select max(seq) from event)", "only the order is meant"),
    ("finding", "kind"): ("kind = 'unknown_marker'", "others' words are not repeated anywhere"),
    ("finding", "place"): ("kind = 'unknown_marker'", "others' words are not repeated anywhere"),
    ("finding", "run"): ("kind = 'unknown_marker'", "others' words are not repeated anywhere"),
    ("finding", "what"): ("kind = 'unknown_marker'", "others' words are not repeated anywhere"),
    ("mark", "fell"): ("seq <= (select min(invalid, other) from cursor)", "what is not expanded is to be looked at"),
    ("mark", "severity"): ("not exists (select 1 from recheck)", "it is to be read again"),
    ("past_edge", "src"): (
        "not exists (select 1 from past_derivation d where d.run = past_edge.run and d.node <> past_edge.src)",
        "another node that the same run made may have read it",
    ),
    ("past_mark", "severity"): (
        "exists (select 1 from answer a where a.node = past_mark.node)", "only answers' changes are events",
    ),
    ("recheck", "cause"): ("cause <> 1", "of a dismissal that changes nothing"),
    ("recheck", "node"): ("cause <> 1", "of a dismissal that changes nothing"),
    ("run", "id"): ("exists (select 1 from naming g where g.run = run.id)", "nothing refers to a run that did nothing"),
    ("run", "body"): ("true", "words on its model and configuration are said, and nothing follows from them"),
    ("run", "complete"): (
        "exists (select 1 from naming g join kind k on k.id = g.kind where g.run = run.id"
        " and k.name not in ('answer', 'claim'))",
        "it swept nothing",
    ),
    ("seed", "start"): ("not (select purged from node n where n.id = seed.node)", "its text is gone"),
    ("seed", "stop"): ("not (select purged from node n where n.id = seed.node)", "its text is gone"),
    ("splitting", "node"): ("false", "another claim may have been split so"),
    ("statement", "id"): ("false", "only the order is meant, and the sequence tells it"),
    ("statement", "version"): (
        "exists (select 1 from cause c where c.seq = statement.seq)", "it may have been said of another version",
    ),
    ("version", "at"): (CORRECTED, TIME),
}  # fmt: skip
"""Columns in which a change is seen in some rows only: which, and why not in the others."""

ORDER = {
    ("cursor", "invalid"), ("cursor", "other"), ("edge", "since"), ("mark", "since"), ("namespace_document", "seq"),
    ("calibration", "seq"), ("judgment", "seq"), ("judgment_choice", "seq"), ("past_edge", "since"),
    ("past_mark", "since"), ("score", "seq"), ("splitting", "seq"), ("sequence", "value"), ("statement", "seq"),
    ("decision", "seq"),
}  # fmt: skip
"""Numbers that may be others in the same order: they are moved out of the range that is left to them."""

ALSO = {
    # A column that says nothing by itself is named by what says otherwise.
    ("change", "cause"): "name",
    ("cause", "name"): "type|name",
    ("edge", "dst"): "target|answer|severity",
    ("edge", "role"): "target|answer",
    ("edge", "src"): "target|answer",
    ("namespace", "name"): "namespace",
    ("past_derivation", "node"): "src, run",
    ("past_mark", "cause"): "since|until",
    ("past_mark", "node"): "since|until",
    ("recheck", "cause"): "severity",
    ("recheck", "node"): "severity",
    ("retirement", "name"): "current|what replaced it",
    ("run", "body"): "producer",
    ("run", "begin"): "begin",
}
FLAGS = {"cut", "derived", "complete", "unsettled", "purged", "cited", "needs_evidence", "whole", "fell"}
"""Columns that are yes or no: the other one is what they are changed to."""

NODE = "'l1:' || lower(hex(hash)) from node where id = {0}"
REFERENCES = {
    **dict.fromkeys(("node", "src", "dst", "claim"), NODE),
    "cause": "name from cause where id = {0}",
    "document": "uri from document where id = {0}",
    "version": "d.uri from version v join document d on d.id = v.document where v.id = {0}",
    "target": "d.uri from version v join document d on d.id = v.document where v.id = {0}",
    "run": "'r1:' || lower(hex(hash)) from run where id = {0}",
    "name": "key from name where id = {0}",
    "namespace": "name from namespace where id = {0}",
    "judge": "name from judge where id = {0}",
    "judgment": "'j1:' || lower(hex(hash)) from judgment where id = {0}",
    "question": "lower(hex(hash)) from text where id = {0}",
}
"""The public names of what a row is of, by the column that says so."""
OWN = {
    "alias": ("alias",), "cause": ("name",), "document": ("uri",), "finding": ("place", "kind"), "event": ("id",),
    "migration": ("number",), "name": ("key",), "run": ("key", "hash"), "node": ("hash",), "text": ("hash",),
    "decision": ("seq",), "version": ("hash",), "judge": ("name",), "judgment": ("hash",), "judgment_choice": ("hash",),
}  # fmt: skip
"""Columns that are a row's own public name."""
ANYWHERE = {
    ("kind", "name"), ("namespace", "name"), ("document", "uri"), ("judge", "name"), ("judge", "version"),
    ("judge", "configuration"), ("judgment", "judge"),
}  # fmt: skip
"""A name of many things: all of them are named, by their other parts."""


def by(key: str, kind: str = "chunk") -> Input:
    return Input(ref=NodeRef(kind=kind, namespace="n", key=key))


def passage(words: str, text: str = TERMS, uri: str = "terms.md", **said: Any) -> SpanRef:
    start = text.index(words)
    return SpanRef(uri=uri, start=start, end=start + len(words), quote=words, **said)


def chunk(key: str, words: str, text: str = TERMS, **said: Any) -> Node:
    return Node(kind="chunk", namespace="n", key=key, text=words, inputs=(Input(ref=passage(words, text)),), **said)


def note(key: str, text: str, *inputs: Input, **said: Any) -> Node:
    return Node(kind="note", namespace="n", key=key, text=text, inputs=inputs, **said)


def ask(run: Any, key: str, text: str, target: NodeRef | SpanRef, **said: Any) -> None:
    answer = {"namespace": "n", "key": key}
    claim = {"answer": answer, "ordinal": 1}
    run.register(
        [
            Answer(namespace="n", key=key, question=f"{key}?", text=text, cache_key=f"cache {key}", **said),
            Claim(answer=answer, ordinal=1, label="C1", text=text),
            Citation(claim=claim, order=1, marker="[1]", marker_start=0, marker_end=3, target=target),
            Citation(claim=claim, order=2, marker="[7]"),
            Retrieved(answer=answer, target=NodeRef(kind="chunk", namespace="n", key="parcels")),
        ]
    )


def build(path: Path) -> None:
    """A store with something of everything in it, and with work that is pending."""
    ticks = iter(range(1_000_000, 2_000_000))
    with LineageGraph.open(f"sqlite:///{path}", create=True, clock=lambda: next(ticks)) as graph:
        sources(graph)
        first_runs(graph)
        changes(graph)
        later_runs(graph)
        judge(graph)
        last_changes(graph)


def sources(graph: LineageGraph) -> None:
    graph.register(
        [
            Document(
                uri="terms.md", text=TERMS, namespace="n", title="Terms", url="http://terms", valid_from="2020-01-01",
                pages=({"label": "1", "start": 0, "end": 20}, {"label": "2", "start": 20, "end": 90}),
                sections=({"heading": "Returns", "start": 0, "end": 90},),
            ),
            Document(uri="gone.md", text="Old words.\n", namespace="n",
                     sections=({"heading": "Old", "start": 0, "end": 3},)),
            Document(uri="secret.md", text="Private words.\n", namespace="n"),
            Document(uri="other.md", text="Other words.\n", namespace="other"),
        ]
    )  # fmt: skip
    graph.register([Version(uri="gone.md", applicability={"variant": "red"})])


def first_runs(graph: LineageGraph) -> None:
    run = graph.run("n", producer="p", key="one", version="1", model="m")
    run.register(
        [
            chunk("days", "Standard items may be returned within 30 days."),
            chunk("receipt", "A receipt is needed.", title="Receipt", details={"rank": 3}),
            chunk("parcels", "Parcels leave on Monday."),
            chunk("visitors", "Visitors sign the book.", aliases=("unit-7",)),
            Node(kind="chunk", namespace="n", key=["secret.md", "1"], text="Private", inputs=(
                Input(ref=passage("Private", "Private words.\n", "secret.md")),)),
            Node(kind="chunk", namespace="n", key="old", text="Old", inputs=(
                Input(ref=passage("Old", "Old words.\n", "gone.md")),)),
            note("secret", "of it", Input(ref=NodeRef(kind="chunk", namespace="n", key=("secret.md", "1"))),
                 title="Secret"),
            Node(kind="summary", namespace="n", key="s", text="days and receipt", attributes={"level": 1}, inputs=(
                by("days").model_copy(update={"role": "child"}), by("receipt"))),
            note("n", "first", by("days"), by("visitors")),
            Node(kind="entity", namespace="n", key="E", text="e", lineage="partial", lineage_reason="capped",
                 inputs=(by("visitors"),), aliases=("ent-1", "ent-2")),
            Node(kind="entity", namespace="n", key="F", text="f", lineage="unknown", lineage_reason="lost"),
            note("swept", "to go", by("visitors")),
            note("retired", "to go too", by("visitors")),
        ]
    )  # fmt: skip
    ask(run, "days", "30 days [1]", NodeRef(kind="summary", namespace="n", key="s"), searched=("n", "other"))
    ask(run, "entity", "E is [1]", NodeRef(kind="entity", namespace="n", key="E"), as_of="2021-05-01")
    ask(run, "note", "see [1]", NodeRef(kind="note", namespace="n", key="n"))
    ask(run, "direct", "Monday [1]", passage("Parcels leave on Monday."))
    run.finish()
    other = graph.run("other", producer="p", key="one", mode="imported")
    other.register(
        [
            Node(kind="chunk", namespace="other", key="o", text="Other", inputs=(
                Input(ref=passage("Other", "Other words.\n", "other.md")), by("receipt"))),
            Node(kind="note", namespace="other", key="x", text="x", inputs=(
                Input(ref=NodeRef(kind="chunk", namespace="other", key="o")),)),
        ]
    )  # fmt: skip
    other = graph.run("other", producer="p", key="two", mode="imported")
    other.register([Node(kind="note", namespace="other", key="x", text="x", inputs=(by("receipt"),))])
    claim = {"answer": {"namespace": "n", "key": "note"}, "ordinal": 1}
    run = graph.run("n", producer="p", key="cites")
    target = NodeRef(kind="note", namespace="other", key="x")
    run.register([Citation(claim=claim, order=3, marker="[3]", target=target, start=0, end=1, quote="x")])


def changes(graph: LineageGraph) -> None:
    early = graph.run("n", producer="p", key="early")
    graph.correct({"terms.md": TERMS.replace("needed", "wanted")}, reason="a slip", by="ann")
    graph.undo("last", by="ann")
    graph.correct({"terms.md": CURRENT, "other.md": "Other words. And more.\n"}, reason="policy", by="bob")
    graph.dismiss("answer:n/note", reason="fine", by="ann")
    graph.dismiss("summary:n/s", reason="fine here", by="ann")
    graph.propagate()
    graph.withdraw(["gone.md"], reason="gone")
    graph.withdraw(["secret.md"], reason="private", purge=True)
    # It began before the correction, and comes after it.
    early.register([note("late", "reads what held then", Input(ref=passage("A receipt is needed.")))])
    early.register([note("n", "first", by("visitors"))])


def later_runs(graph: LineageGraph) -> None:
    run = graph.run("n", producer="p", key="two")
    run.register(
        [
            chunk("days2", "Standard items may be returned within 14 days.", CURRENT, replaces=["days"]),
            Node(kind="summary", namespace="n", key="s", text="days and receipt", attributes={"level": 1}, inputs=(
                by("days2").model_copy(update={"role": "child"}), by("receipt"))),
            note("n", "second", by("receipt")),
            note("once", "named by two runs", by("receipt")),
        ]
    )  # fmt: skip
    ask(run, "days", "14 days [1]", NodeRef(kind="summary", namespace="n", key="s"))
    ask(run, "direct", "Monday [1]", passage("Parcels leave on Monday."))
    run.register([Retire(kind="note", namespace="n", key="retired")])
    run = graph.run("n", producer="p", key="three")
    run.register([Extend(node=NodeRef(kind="note", namespace="n", key="once"), inputs=(by("parcels"),))])
    run.register([note("n", "second", by("parcels")), note("once", "named by two runs", by("parcels"))])
    run.register([note("late", "reads what held then", by("receipt"))])
    run.finish(complete=True)
    graph.run("n", producer="p", key="unfinished")


def judge(graph: LineageGraph) -> None:
    (answer,) = graph.cited(graph.answers("entity"))
    material = answer.claims[0].cited[0].material
    assert material is not None
    assert material.passage is not None
    asked = Request("E is [1]", (material.passage, Passage("words from outside", "a file")))
    reader = JudgeId.of("reader", "1", {"prompt": "p"})
    graph.judgments.keep([Judgment.of(asked, reader, Verdict.SUPPORTED, score=0.5, reason="r", latency=3, by="ann")])
    graph.judgments.keep([Judgment.of(asked, reader, Verdict.CONTRADICTED)])
    graph.judgments.resolve(reader.key(asked), "supported", reason="read again", by="bob")
    graph.judgments.keep_calibration(Calibration(reader, "0" * 64, 7, 500_000, '{"accuracy":"0.5"}'))
    graph.judgments.keep_scores([(answer.id, json.dumps({"id": answer.id}))])
    graph.judgments.keep_splittings([Splitting(answer.claims[0].id, ("E is", "it is [1]"), reader, "ann")])


def last_changes(graph: LineageGraph) -> None:
    newer = CURRENT.replace("Monday", "Friday")
    graph.correct({"terms.md": newer}, reason="new terms", kind="edition", valid_from="2027-01-01")
    graph.correct({"terms.md": newer.replace("noon", "dawn")}, reason="trucks")
    graph.propagate()
    graph.correct({"other.md": "Else words. And more.\n"}, reason="pending", propagate=False)
    graph.propagate(steps=1, batch=1)
    graph.dismiss("entity:n/F", reason="it is known")
    graph.dismiss("answer:n/direct", reason="also on Fridays")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("verify") / "lineage.db"
    build(path)
    return path


class Bench:
    """A copy of the store in memory, in which one value after the other is changed and changed back."""

    def __init__(self, path: Path) -> None:
        source = sqlite3.connect(path)
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        source.backup(self.connection)
        source.close()
        self.connection.executescript(TEMPORARY)
        self.last = self.one("select value from sequence")

    def one(self, sql: str, parameters: Any = ()) -> Any:
        row = self.connection.execute(sql, parameters).fetchone()
        return None if row is None else row[0]

    def tables(self) -> dict[str, list[str]]:
        names = self.connection.execute(
            "select name from sqlite_schema where type = 'table' and name not like 'sqlite%' order by name"
        ).fetchall()
        return {name: [row[1] for row in self.connection.execute(f"pragma table_info({name})")] for (name,) in names}

    def keys(self, table: str) -> list[str]:
        info = self.connection.execute(f"pragma table_info({table})").fetchall()
        return [row[1] for row in sorted(info, key=lambda row: row[5]) if row[5]] or ["rowid"]

    def rows(self, table: str, column: str, condition: str = "true") -> list[dict[str, Any]]:
        """The keys of the rows that have a value there: some of them."""
        keys = self.keys(table)
        found = self.connection.execute(
            f"select {', '.join(keys)} from {table} where {column} is not null and {condition}"
            f" order by {', '.join(keys)}"
        ).fetchall()
        chosen = found if len(found) <= ROWS else [found[0], found[-1]]
        return [dict(zip(keys, row, strict=True)) for row in chosen]

    def faults(self) -> list[Fault]:
        transaction = SqliteTransaction(self.connection, lambda: 0)
        transaction.begin()
        return verify(transaction).faults

    def names(self, table: str, key: dict[str, Any]) -> set[str]:
        """What the row may be called by."""
        where = " and ".join(f"{name} = ?" for name in key)
        cursor = self.connection.execute(f"select * from {table} where {where}", tuple(key.values()))
        row = dict(zip([each[0] for each in cursor.description], cursor.fetchone(), strict=True))
        found = {table} if table in ("sequence", "cursor") else set()
        for column, query in REFERENCES.items():
            if isinstance(row.get(column), int):
                found.add(self.one("select " + query.format(row[column])))
        for column in OWN.get(table, ()):
            found.add(row[column].hex() if isinstance(row[column], bytes) else str(row[column]))
        return found - {None}

    def changed(self, table: str, column: str, key: dict[str, Any]) -> tuple[Any, Any, set[str], list[Fault]]:
        """The value, another one that the schema takes, what the row is called, and the faults that are then found."""
        where = " and ".join(f"{name} = ?" for name in key)
        value = self.one(f"select {column} from {table} where {where}", tuple(key.values()))
        for other in others(table, column, value, self.last):
            self.connection.execute("begin")
            try:
                names = self.names(table, key)
                self.connection.execute(f"update {table} set {column} = ? where {where}", (other, *key.values()))
                names |= self.names(table, {**key, column: other} if column in key else key)
                return value, other, names, self.faults()
            except sqlite3.IntegrityError:
                continue
            finally:
                self.connection.execute("rollback")
        raise AssertionError(f"{table}.{column} cannot be changed")


def others(table: str, column: str, value: Any, last: int) -> Iterator[Any]:
    """Other values, of which the schema may refuse some."""
    if isinstance(value, bytes):
        yield value[:-1] + bytes([value[-1] ^ 1])
    elif isinstance(value, str):
        # A letter in the middle, so that what is JSON stays JSON.
        letters = [at for at, each in enumerate(value) if each.isalnum()] or [0]
        at = letters[len(letters) // 2]
        yield value[:at] + ("y" if value[at : at + 1] == "x" else "x") + value[at + 1 :]
    elif column in FLAGS:
        yield 1 - value
    elif (table, column) in ORDER:
        yield 0 if table == "sequence" else last + 1000
    else:
        yield from (value + 1, value + 2, value + 1000)


def named(table: str, column: str, names: set[str], faults: list[Fault]) -> bool:
    """Whether some fault is of the row and the column. Row numbers are not public: what refers to them is named."""
    word = re.compile(rf"\b{column}\b|{ALSO.get((table, column), '$^')}")
    anywhere = (table, column) in ANYWHERE or column == "id"
    return any(
        (anywhere or any(name in fault.item for name in names)) and (column == "id" or word.search(fault.field))
        for fault in faults
    )


def test_what_the_api_writes_is_clean(base: Path) -> None:
    with LineageGraph.open(f"sqlite:///{base}", read_only=True) as graph:
        report = graph.verify()
        assert graph.pending()
    assert not report.faults
    assert min(report.checked.values()) > 0


def test_the_store_has_something_of_everything(base: Path) -> None:
    bench = Bench(base)
    empty = {(table, column) for table, columns in bench.tables().items() for column in columns
             if not bench.rows(table, column)}  # fmt: skip
    assert not empty


def test_a_change_by_hand_is_named_in_whichever_column(base: Path) -> None:
    bench = Bench(base)
    missed: list[Any] = []
    seen = 0
    for table, columns in bench.tables().items():
        for column in columns:
            if column in UNSEEN.get(table, ()):
                continue
            condition, _ = PARTLY.get((table, column), ("true", ""))
            for key in bench.rows(table, column, condition):
                value, other, names, faults = bench.changed(table, column, key)
                seen += 1
                if not named(table, column, names, faults):
                    missed.append((table, column, key, value, other, names, [(f.item, f.field) for f in faults[:4]]))
    assert not missed, "\n".join(map(str, missed))
    assert seen > 250


IMPOSSIBLE: list[tuple[str, str, Any]] = [
    ("answer", "searched", "n, other"),
    ("answer", "searched", '["n"]x'),
    ("citation", "whole", 2),
    ("claim", "needs_evidence", 2),
    ("decision", "severity", 3),
    ("decision", "inputs", "[]x"),
    ("detail", "body", "{rank: 3}"),
    ("edge", "origins", 64),
    ("edge", "role", 9),
    ("event", "id", -1),
    ("mark", "resolution", "forgotten"),
    ("node", "attributes", '{"level": 1}'),
    ("node", "lineage", 3),
    ("past_derivation", "lineage", 3),
    ("past_edge", "origins", 0),
    ("past_edge", "role", 9),
    ("past_mark", "severity", 3),
    ("run", "body", '{"producer":"p","size":7}'),
    ("run", "complete", 2),
    ("statement", "body", '{"valid_from":"2020-01-01","weather":"fine"}'),
    ("statement", "body", '{"pages":[{"end":9999,"label":"1","start":0}]}'),
    ("version", "purged", 2),
    ("splitting", "parts", "[]"),
    ("splitting", "parts", None),
    ("splitting", "parts", '["a", "b"]'),
]


@pytest.mark.parametrize(("table", "column", "value"), IMPOSSIBLE)
def test_what_cannot_be_is_named_also_where_other_values_may_be(
    base: Path, table: str, column: str, value: Any
) -> None:
    bench = Bench(base)
    key = bench.rows(table, column)[-1]
    names = bench.names(table, key)
    where = " and ".join(f"{name} = ?" for name in key)
    bench.connection.execute(f"update {table} set {column} = ? where {where}", (value, *key.values()))
    assert named(table, column, names | {"-1"}, bench.faults())


KEPT = {
    "alias": SAID,
    "calibration": SAID,
    "judgment_choice": SAID,
    "score": SAID,
    "splitting": SAID,
    "detail": "seen where it says why a lineage is incomplete",
    "finding": "seen where it is of a marker that points to nothing",
    "past_derivation": "seen where it had inputs",
    "past_edge": HISTORY,
    "statement": SAID,
    "namespace_input": "a namespace may be named by what was replaced since",
    "citation": SAID,
    "decision": "seen where a mark was closed by it",
    "past_mark": HISTORY,
    "recheck": "of a dismissal that changes nothing",
    "moment": TIME,
    "migration": "the file is refused before anything is verified",
}
"""Tables of which a row may be missing, and nobody can tell."""
MISSED = {
    "mark": "severity > 0 and not exists (select 1 from recheck k where k.node = mark.node and k.cause = mark.cause)",
    "run": PARTLY["run", "id"][0],
}
"""Rows whose absence is seen, where it is not seen of others: what is closed, what did nothing."""


def test_a_row_that_is_missing_is_seen(base: Path) -> None:
    bench = Bench(base)
    missed = []
    for table in bench.tables():
        if table in KEPT:
            continue
        for key in bench.rows(table, bench.keys(table)[0], MISSED.get(table, "true")):
            where = " and ".join(f"{name} = ?" for name in key)
            bench.connection.execute("begin")
            bench.connection.execute(f"delete from {table} where {where}", tuple(key.values()))
            if not bench.faults():
                missed.append((table, key))
            bench.connection.execute("rollback")
    assert not missed, "\n".join(map(str, missed))


EXTRA = {
    "anchor": ("select version, (select max(node) from span), 0, 1 from anchor where version = 1 limit 1", "anchor"),
    "mark": (
        """select 900, 4, max(node), 2, null, 60, 0, null from claim
           where node not in (select node from mark where cause = 4)""",
        "mark of c1:",
    ),
    "seed": ("select 4, (select max(node) from span), 2, 'changed', 0, 1", "what c1:"),
    "reader": ("select 4, (select max(node) from span), 1", "reader"),
    "retirement": ("select id, 4, 3 from name where key = 'E'", "retirement of entity:n/E"),
    "past_mark": ("select 4, (select min(node) from claim), 1, null, 61, 62, null", "past mark of c1:"),
    "text": ("select 900, x'00', 'a text that nothing uses'", "text 00"),
    "event": ("select 900, 100, 0, 4, (select max(node) from claim), 0, 1, null", "event 900 of c1:"),
}


@pytest.mark.parametrize("table", EXTRA)
def test_a_row_too_many_is_named(base: Path, table: str) -> None:
    bench = Bench(base)
    query, item = EXTRA[table]
    bench.connection.execute(f"insert into {table} {query}")
    assert any(fault.item.startswith(item) for fault in bench.faults())


def test_a_cycle_is_named_with_its_path(base: Path) -> None:
    bench = Bench(base)
    chunk_, summary = (bench.one("select id from name where key = ?", (key,)) for key in ("receipt", "s"))
    rows = [bench.one("select current from name where id = ?", (name,)) for name in (chunk_, summary)]
    bench.connection.execute("insert into edge values (?, 3, ?, 1, null, 10, null)", rows)
    (fault,) = [fault for fault in bench.faults() if fault.field == "inputs"]
    path = fault.found.split(" → ")
    assert path[0] == path[-1]
    assert len(path) == 3
    assert {"chunk:n/receipt", "summary:n/s"} == {step.split(" (")[0] for step in path}


def test_bytes_that_are_no_text_are_named(base: Path) -> None:
    bench = Bench(base)
    bench.connection.execute("update text set body = cast(x'66ff' as text) where id = 1")
    bench.connection.execute("update name set key = cast(x'66ff' as text) where key = 'receipt'")
    items = [fault.item for fault in bench.faults()]
    assert any(item.startswith("text ") for item in items)
    assert any(item.startswith("chunk:n/f\ufffd (l1:") for item in items)


def test_a_flood_of_faults_is_cut_and_counted(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lineage.verify.report.MOST", 3)
    bench = Bench(base)
    bench.connection.execute("update namespace set name = name || 'x'")
    transaction = SqliteTransaction(bench.connection, lambda: 0)
    report = verify(transaction)
    assert len(report.faults) == 3
    assert report.omitted > 10
    assert report.to_json()["omitted"] == report.omitted


def test_progress_ends_at_the_total(base: Path) -> None:
    told: list[tuple[int, int]] = []
    with LineageGraph.open(f"sqlite:///{base}", read_only=True) as graph:
        graph.verify(lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[0][0] < told[-1][0] == told[-1][1]


# What verification found in the store itself.


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[LineageGraph]:
    with LineageGraph.open(f"sqlite:///{tmp_path}/lineage.db", create=True) as opened:
        opened.register([Document(uri="terms.md", text=TERMS, namespace="n")])
        yield opened


def clean(graph: LineageGraph) -> bool:
    graph.propagate()
    return not graph.verify().faults


def test_a_later_run_that_read_an_earlier_version_gets_its_review(graph: LineageGraph) -> None:
    read = "A receipt is needed."
    graph.run("n", producer="p", key="old").register([note("other", "x", Input(ref=passage(read)))])
    graph.correct({"terms.md": TERMS.replace("Boxes are kept", "Boxes are burnt")}, reason="policy")
    graph.run("n", producer="p", key="one").register([note("k", "x", Input(ref=passage(read, version=2)))])
    assert not graph.node("note:n/k").marks
    graph.run("n", producer="p", key="two").register([note("k", "x", Input(ref=passage(read, version=1)))])
    assert clean(graph)
    assert [mark.severity for mark in graph.node("note:n/k").marks] == [1]


def test_what_is_derived_outranks_an_import_that_began_later(graph: LineageGraph) -> None:
    graph.run("n", producer="p").register([chunk("a", "Boxes are kept."), chunk("b", "A receipt is needed.")])
    first, second = graph.run("n", producer="p"), graph.run("n", producer="p")
    graph.run("n", producer="p", mode="imported").register([note("k", "x", by("a"))])
    first.register([note("k", "x", by("a"))])
    second.register([note("k", "x", by("b"))])
    assert clean(graph)
    traced = graph.trace("note:n/k").nodes
    assert [id_ for id_, step in traced.items() if step.view.kind == "chunk"] == [graph.resolve("chunk:n/b")]


def test_what_is_laid_over_a_node_counts_for_its_namespace(graph: LineageGraph) -> None:
    graph.register([Document(uri="else.md", text="Else.\n")])
    graph.run("n", producer="p").register([chunk("a", "Boxes are kept.")])
    target = NodeRef(kind="chunk", namespace="n", key="a")
    graph.register([Extend(node=target, inputs=(Input(ref=passage("Else.", "Else.\n", "else.md")),))])
    assert clean(graph)


def test_a_node_that_now_stands_on_purged_text_alone_is_purged_too(graph: LineageGraph) -> None:
    graph.register([Document(uri="gone.md", text="Gone.\n", namespace="n")])
    read = Input(ref=passage("Gone.", "Gone.\n", "gone.md"))
    graph.run("n", producer="p").register(
        [chunk("a", "Boxes are kept."), note("g", "g", read), note("k", "k", by("a"), by("g", "note")),
         note("above", "above", by("k", "note"))]
    )  # fmt: skip
    graph.withdraw(["gone.md"], reason="private", purge=True)
    assert graph.node("note:n/k").text == "k"
    graph.run("n", producer="p").register([note("k", "k", by("g", "note"))])
    assert clean(graph)
    assert graph.node("note:n/k").text is None
    assert graph.node("note:n/above").text is None


@pytest.mark.parametrize("role", ["claim", "retrieved", "cites"])
def test_roles_of_answers_and_claims_are_refused_elsewhere(graph: LineageGraph, role: Role) -> None:
    graph.run("n", producer="p").register([chunk("a", "Boxes are kept.")])
    given = Input(ref=NodeRef(kind="chunk", namespace="n", key="a"), role=role)
    with pytest.raises(BadInput, match=r"inputs\[0\].role"):
        graph.register([note("k", "x", given)])
    with pytest.raises(BadInput, match=r"inputs\[0\].role"):
        graph.register([Extend(node=NodeRef(kind="chunk", namespace="n", key="a"), inputs=(given,))])


def test_an_answer_rests_on_claims_and_context_alone(graph: LineageGraph) -> None:
    answer = Answer(namespace="n", key="q", question="?", text="t")
    graph.run("n", producer="p").register([chunk("a", "Boxes are kept."), answer])
    with pytest.raises(BadInput, match="claim, retrieved"):
        graph.register([Extend(node=NodeRef(kind="answer", namespace="n", key="q"), inputs=(by("a"),))])


def test_a_mark_that_was_closed_stays_in_the_history_when_it_opens_again(graph: LineageGraph) -> None:
    graph.run("n", producer="p").register([chunk("a", "Boxes are kept."), note("k", "x", by("a"))])
    cause = graph.correct({"terms.md": TERMS.replace("Boxes", "Bags")}, reason="policy").id
    graph.dismiss("note:n/k", reason="fine")
    graph.propagate()
    graph.run("n", producer="p").register([chunk("b", "A receipt is needed."), note("k", "x", by("a"), by("b"))])
    graph.propagate()
    node = graph.resolve("note:n/k")
    lines = graph.store.read(lambda tx: tx.reading.mark_history(node))
    told = [(severity, resolution) for name, severity, _, _, resolution, _ in lines if name == cause]
    assert told == [(2, None), (0, "dismissed"), (2, None)]
    assert clean(graph)
