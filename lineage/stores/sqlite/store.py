"""The embedded store: opening, creating, upgrading, and transactions."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from lineage.stores.sqlite import connection as connections
from lineage.stores.sqlite import migrate
from lineage.stores.sqlite.auditing import Auditing
from lineage.stores.sqlite.codes import Codes, one
from lineage.stores.sqlite.copying import Copying
from lineage.stores.sqlite.graph import Graph
from lineage.stores.sqlite.judgments import Judgments
from lineage.stores.sqlite.marks import Marks
from lineage.stores.sqlite.purge import Purge
from lineage.stores.sqlite.reading import Reading
from lineage.stores.sqlite.scopes import Scopes
from lineage.stores.sqlite.simulation import shadow
from lineage.stores.sqlite.sources import Sources
from lineage.stores.sqlite.spread import TEMPORARY, Spread
from lineage_schema.errors import Conflict, StoreUnavailable

T = TypeVar("T")


class SqliteTransaction:
    """One transaction's view of the store. Valid only inside the function that it is given to."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], int]) -> None:
        self.connection = connection
        self._clock = clock
        self._now: int | None = None
        self._given: int | None = None
        self._codes = Codes(connection)
        self.sources = Sources(connection, self._codes)
        self.graph = Graph(connection, self._codes, self.sources)
        self.spread = Spread(connection, self._codes, self.next_seq, self.now)
        self._scopes = Scopes(connection, self._codes)
        self.marks = Marks(connection, self._codes, self.sources, self.spread, self._scopes)
        self.reading = Reading(connection, self._codes)
        self.purge = Purge(connection, self._codes)
        self.auditing = Auditing(connection, self._codes)
        self.judgments = Judgments(connection, self._codes, self.sources)
        self.copying = Copying(connection, self._codes)

    def begin(self) -> None:
        """A new transaction: its time is taken when first asked."""
        self._now = None
        self._given = None
        self._scopes.forget()

    def finish(self) -> None:
        """Notes when numbers were given, if any were."""
        if self._given is not None:
            self.connection.execute("insert into moment values (?, ?)", (self._given, self.now()))

    def forget(self) -> None:
        """Drops remembered rows, after a rollback or where another process may have written."""
        self._codes.forget()
        self.sources.forget()
        self.graph.forget()
        self.marks.forget()
        self.judgments.forget()

    def now(self) -> int:
        """This transaction's time, UTC microseconds."""
        if self._now is None:
            self._now = self._clock()
        return self._now

    def next_seq(self) -> int:
        """The next number of the store-wide sequence."""
        (value,) = self.connection.execute("update sequence set value = value + 1 returning value").fetchone()
        self._given = int(value)
        return self._given

    def next_seqs(self, count: int) -> list[int]:
        """The next numbers of the store-wide sequence, in order."""
        return [self.next_seq() for _ in range(count)]

    def sequence(self) -> int:
        """The last number given."""
        return int(one(self.connection, "select value from sequence"))


class SqliteStore:
    """A lineage store in one SQLite file. One writer at a time, any number of reading processes.

    Raises :class:`StoreUnavailable` and :class:`SchemaMismatch`; opening changes nothing.
    """

    def __init__(self, path: Path, clock: Callable[[], int], *, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self._clock = clock
        self._lock = threading.RLock()
        self._connection = connections.connect(path, read_only=read_only)
        try:
            with connections.translated(path):
                migrate.check(self._connection)
                self._connection.executescript(TEMPORARY)
        except BaseException:
            self._connection.close()
            raise
        self._transaction = SqliteTransaction(self._connection, clock)

    @classmethod
    def init(cls, path: Path, clock: Callable[[], int]) -> list[str]:
        """Creates an empty store. Raises :class:`Conflict` where the file is there."""
        if path.exists():
            raise Conflict(f"{path} exists already", hint="lineage migrate upgrades an older store")
        connection = connections.create(path)
        try:
            with connections.translated(path):
                return migrate.upgrade(connection, clock())
        finally:
            connection.close()

    @classmethod
    def migrate(cls, path: Path, clock: Callable[[], int]) -> list[str]:
        """Upgrades an existing store and returns the steps applied."""
        connection = connections.connect(path, read_only=False)
        try:
            with connections.translated(path):
                return migrate.upgrade(connection, clock())
        finally:
            connection.close()

    def write(self, work: Callable[[SqliteTransaction], T]) -> T:
        """Runs ``work`` in a writing transaction: all of it, or none. It holds the one write lock from its start."""
        if self.read_only:
            raise StoreUnavailable(f"{self.path} was opened read-only", hint="open it without read_only")
        with self._lock, connections.translated(self.path):
            self._connection.execute("begin immediate")
            return self._run(work)

    def add(self, work: Callable[[SqliteTransaction], T], numbers: int = 0) -> T:
        """The same as :meth:`write`: one writer at a time."""
        return self.write(work)

    def load(self, batches: Iterable[T], put: Callable[[SqliteTransaction, T], None]) -> None:
        """Fills an empty store, in one transaction. Raises :class:`Conflict` where the store holds anything."""

        def work(tx: SqliteTransaction) -> None:
            if not tx.copying.empty():
                raise Conflict(f"{self.path} holds something already", hint="lineage init makes an empty store")
            for batch in batches:
                put(tx, batch)
            tx.copying.finish()

        self.write(work)

    def read(self, work: Callable[[SqliteTransaction], T], *, whole: bool = False) -> T:
        """Runs ``work`` on one snapshot, which is whole in any case."""
        with self._lock, connections.translated(self.path):
            if self._connection.in_transaction:
                return work(self._transaction)
            self._connection.execute("begin")
            return self._run(work)

    def peek(self, work: Callable[[SqliteTransaction], T]) -> T:
        """Runs ``work``, which makes one statement: it needs no transaction to see one snapshot."""
        with self._lock:
            try:
                return work(self._transaction)
            except sqlite3.Error:
                # The way that tells what is wrong.
                return self.read(work)

    def simulate(self, work: Callable[[SqliteTransaction], T]) -> T:
        """Runs ``work``, which may write, on one snapshot of which nothing remains; no write lock is held."""
        with connections.translated(self.path):
            connection = connections.connect(self.path, read_only=True)
            try:
                connection.executescript(TEMPORARY)
                connection.execute("begin")
                into = shadow(connection)
                transaction = SqliteTransaction(connection, self._clock)
                transaction.sources.into = into
                transaction.begin()
                return work(transaction)
            finally:
                connection.close()

    def _run(self, work: Callable[[SqliteTransaction], T]) -> T:
        self._transaction.begin()
        try:
            result = work(self._transaction)
            self._transaction.finish()
            self._connection.execute("commit")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("rollback")
            self._transaction.forget()
            raise
        return result

    def close(self) -> None:
        """Closes the file. A second call does nothing."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> SqliteStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


__all__ = ["SqliteStore", "SqliteTransaction"]
