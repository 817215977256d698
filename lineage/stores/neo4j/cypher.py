"""One transaction's way to run Cypher, and the numbers that it gives out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, TypeVar

import neo4j

T = TypeVar("T")
BATCH = 10_000
"""Rows in one ``UNWIND``."""


def parts(rows: Collection[T], size: int = BATCH) -> Iterator[Sequence[T]]:
    """``rows`` in lists of at most ``size``."""
    whole = rows if isinstance(rows, (list, tuple)) else list(rows)
    for begin in range(0, len(whole), size):
        yield whole[begin : begin + size]


def as_row(row: list[Any]) -> Any:
    """A row as a tuple, which says by itself what its columns are."""
    return tuple(row)


class Changes(Exception):
    """A transaction that was to add changes what exists: it is to begin again under the change lock."""


class Cypher:
    """Runs statements in a transaction, and gives numbers of the store-wide sequence.

    ``reserve`` gives numbers to a transaction that takes no change lock, and so may only add: the first of so many.
    ``unsettled`` are the nodes that it adds, level by level.
    """

    def __init__(
        self,
        tx: neo4j.ManagedTransaction | neo4j.Transaction,
        clock: Callable[[], int],
        *,
        reserve: Callable[[int], int] | None = None,
        now: int | None = None,
    ) -> None:
        self._tx = tx
        self._clock = clock
        self._reserve = reserve
        self._now = now
        self._given: int | None = None
        self._counter = 0
        self._numbered = False
        self.unsettled: list[list[str]] = []

    def rows(self, statement: str, /, **parameters: Any) -> list[list[Any]]:
        """The rows that a statement returns."""
        # Statements are constants of this package, put together from its own words; values are parameters.
        text: Any = statement
        return [record.values() for record in self._tx.run(text, parameters)]

    def stream(self, statement: str, /, **parameters: Any) -> Iterator[list[Any]]:
        """The same, some at a time: what is not yet asked for stays on the server. Others may run in between."""
        text: Any = statement
        for record in self._tx.run(text, parameters):
            yield record.values()

    def records(self, statement: str, /, **parameters: Any) -> Iterator[dict[str, Any]]:
        """The same, by the names of the columns."""
        text: Any = statement
        for record in self._tx.run(text, parameters):
            yield record.data()

    def one(self, statement: str, /, **parameters: Any) -> Any:
        """The first column of the first row, or None."""
        found = self.rows(statement, **parameters)
        return found[0][0] if found else None

    def write(self, statement: str, rows: Collection[Any], /, **parameters: Any) -> list[list[Any]]:
        """Runs a statement over ``$rows``, part by part; what all parts return."""
        found: list[list[Any]] = []
        for part in parts(rows):
            found.extend(self.rows(statement, rows=list(part), **parameters))
        return found

    @property
    def adding(self) -> bool:
        """Whether the change lock was not taken, so that nothing that exists may be changed."""
        return self._reserve is not None

    def changing(self) -> None:
        """What follows changes what exists. Raises :class:`Changes` where the change lock was not taken."""
        if self.adding:
            raise Changes

    def lock(self, reserved: Sequence[int] = ()) -> None:
        """Takes the change lock, with the sequence, before anything is read.

        Numbers that were ``reserved`` for this work are given back, where nobody has taken others since.
        """
        self._given = self.one(LOCK, first=min(reserved, default=0), last=max(reserved, default=-1))

    def pretend(self) -> None:
        """Gives numbers as if the change lock were held. Nothing of the transaction may remain."""
        self._given = self.one("MATCH (s:LineageStore {id: 'store'}) RETURN s.sequence")

    def finish(self) -> None:
        """Keeps the numbers that were given out, and when."""
        if not self._numbered:
            return
        if not self.adding:
            self.rows("MATCH (s:LineageStore {id: 'store'}) SET s.sequence = $given", given=self._given)
        self.rows("MERGE (m:Moment {seq: $given}) SET m.at = $at", given=self._given, at=self.now())

    def now(self) -> int:
        """This transaction's time, UTC microseconds."""
        if self._now is None:
            self._now = self._clock()
        return self._now

    def next_seqs(self, count: int) -> list[int]:
        """The next numbers of the store-wide sequence."""
        if not count:
            return []
        if self._reserve is not None:
            first = self._reserve(count)
        else:
            assert self._given is not None, "a transaction that only reads gives no numbers"
            first = self._given + 1
        self._given = first + count - 1
        self._numbered = True
        return list(range(first, first + count))

    def next_seq(self) -> int:
        """The next number of the store-wide sequence."""
        return self.next_seqs(1)[0]

    def sequence(self) -> int:
        """The last number given."""
        if self._given is not None and not self.adding:
            return self._given
        return int(self.one("MATCH (s:LineageStore {id: 'store'}) RETURN s.sequence"))

    def counter(self) -> int:
        """Ascending within the transaction: the order of what has one number."""
        self._counter += 1
        return self._counter


LOCK = """
MATCH (s:LineageStore {id: 'store'}) SET s.writes = s.writes + 1
WITH s SET s.sequence = CASE WHEN s.sequence = $last THEN $first - 1 ELSE s.sequence END RETURN s.sequence
"""
