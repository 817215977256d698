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


class Cypher:
    """Runs statements in a transaction, and gives numbers of the store-wide sequence."""

    def __init__(self, tx: neo4j.ManagedTransaction | neo4j.Transaction, clock: Callable[[], int]) -> None:
        self._tx = tx
        self._clock = clock
        self._now: int | None = None
        self._given: int | None = None
        self._counter = 0

    def rows(self, statement: str, /, **parameters: Any) -> list[list[Any]]:
        """The rows that a statement returns."""
        # Statements are constants of this package, put together from its own words; values are parameters.
        text: Any = statement
        return [record.values() for record in self._tx.run(text, parameters)]

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

    def lock(self) -> None:
        """Takes the change lock, with the sequence, before anything is read."""
        self._given = self.one("MATCH (s:LineageStore {id: 'store'}) SET s.writes = s.writes + 1 RETURN s.sequence")

    def finish(self) -> None:
        """Keeps the numbers that were given out."""
        if self._counter:
            self.rows(
                """MATCH (s:LineageStore {id: 'store'}) SET s.sequence = $given
                   MERGE (m:Moment {seq: $given}) SET m.at = $at""",
                given=self._given, at=self.now(),
            )  # fmt: skip

    def now(self) -> int:
        """This transaction's time, UTC microseconds."""
        if self._now is None:
            self._now = self._clock()
        return self._now

    def next_seq(self) -> int:
        """The next number of the store-wide sequence."""
        assert self._given is not None, "a transaction that only reads gives no numbers"
        self._given += 1
        self._counter += 1
        return self._given

    def sequence(self) -> int:
        """The last number given."""
        if self._given is not None:
            return self._given
        return int(self.one("MATCH (s:LineageStore {id: 'store'}) RETURN s.sequence"))

    def counter(self) -> int:
        """Ascending within the transaction: the order of what has one number."""
        self._counter += 1
        return self._counter
