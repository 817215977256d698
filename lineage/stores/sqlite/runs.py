"""Runs in SQLite."""

from __future__ import annotations

import sqlite3

from lineage.stores.base import RunState
from lineage.stores.sqlite.codes import Codes, one
from lineage.stores.sqlite.sources import Sources


class Runs:
    """Runs: begun, found, ended."""

    def __init__(self, connection: sqlite3.Connection, codes: Codes, sources: Sources) -> None:
        self._connection = connection
        self._codes = codes
        self._sources = sources
        self._runs: dict[int, RunState] = {}

    def forget(self) -> None:
        """Drops remembered rows after a rollback."""
        self._runs.clear()

    def begin_run(
        self, id_: str, key: str, namespace: str, producer: str, body: str, derived: bool, seq: int, at: int
    ) -> tuple[RunState, bool]:
        """The run of that id, begun at ``seq`` if it is new; and whether it was there already."""
        before = self.run(id_)
        if before is not None:
            return before, True
        self._connection.execute(
            """insert into run(hash, namespace, key, producer, body, derived, begin, at)
               values (?, ?, ?, ?, ?, ?, ?, ?)""",
            (bytes.fromhex(id_[3:]), self._codes.namespace(namespace), key, producer, body, int(derived), seq, at),
        )
        return RunState(id_, key, namespace, derived, seq), False

    def run(self, id_: str) -> RunState | None:
        """A run by its id."""
        row = one(self._connection, "select id from run where hash = ?", (bytes.fromhex(id_[3:]),))
        return None if row is None else self._run(row)

    def run_body(self, id_: str) -> str:
        """What a run said of itself, as canonical JSON."""
        return str(one(self._connection, "select body from run where hash = ?", (bytes.fromhex(id_[3:]),)))

    def runs_of_key(self, key: str) -> list[RunState]:
        """The runs of a key in all namespaces, in order of their begin."""
        return [
            self._run(row)
            for (row,) in self._connection.execute("select id from run where key = ? order by begin", (key,)).fetchall()
        ]

    def _run(self, row: int) -> RunState:
        if row not in self._runs:
            hash_, key, namespace, derived, begin = self._connection.execute(
                "select r.hash, r.key, n.name, r.derived, r.begin from run r join namespace n on n.id = r.namespace "
                "where r.id = ?",
                (row,),
            ).fetchone()
            self._runs[row] = RunState("r1:" + hash_.hex(), key, namespace, bool(derived), begin)
        return self._runs[row]

    def _run_row(self, id_: str) -> int:
        row: int = one(self._connection, "select id from run where hash = ?", (bytes.fromhex(id_[3:]),))
        return row
