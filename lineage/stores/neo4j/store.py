"""Transactions on a Neo4j server, each retried by the driver where the server asks for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property, partial
from typing import Any, TypeVar, cast

import neo4j
from neo4j import exceptions

from lineage.stores.neo4j import connection as connections
from lineage.stores.neo4j import migrations
from lineage.stores.neo4j.auditing import Auditing
from lineage.stores.neo4j.copying import Copying
from lineage.stores.neo4j.cypher import Changes, Cypher
from lineage.stores.neo4j.drawing import LABELS
from lineage.stores.neo4j.graph import Graph
from lineage.stores.neo4j.judgments import Judgments
from lineage.stores.neo4j.marks import Marks
from lineage.stores.neo4j.purge import Purge
from lineage.stores.neo4j.reading import Reading
from lineage.stores.neo4j.sources import Sources
from lineage.stores.neo4j.spread import Spread
from lineage_schema.errors import Conflict, StoreUnavailable

T = TypeVar("T")
TRIES = 5
"""How often work begins again where another writer was first."""
LOOKS = 5
"""How often a read is tried on what does not change meanwhile, before it takes the change lock."""


class Neo4jTransaction:
    """What a piece of work sees."""

    def __init__(self, cypher: Cypher) -> None:
        self.cypher = cypher
        self.now = self.cypher.now
        self.next_seq = self.cypher.next_seq
        self.next_seqs = self.cypher.next_seqs
        self.sequence = self.cypher.sequence

    @cached_property
    def sources(self) -> Sources:
        """Documents, versions, spans."""
        return Sources(self.cypher)

    @cached_property
    def spread(self) -> Spread:
        """Marks: settled, spread, cleared."""
        return Spread(self.cypher)

    @cached_property
    def graph(self) -> Graph:
        """Runs, keys, nodes, derivations."""
        return Graph(self.cypher)

    @cached_property
    def marks(self) -> Marks:
        """Causes, seeds, decisions."""
        return Marks(self.cypher, self.spread)

    @cached_property
    def purge(self) -> Purge:
        """Texts that must not be kept."""
        return Purge(self.cypher)

    @cached_property
    def auditing(self) -> Auditing:
        """What verification asks."""
        return Auditing(self.cypher)

    @cached_property
    def reading(self) -> Reading:
        """Look-ups and walks."""
        return Reading(self.cypher)

    @cached_property
    def judgments(self) -> Judgments:
        """Verdicts, calibrations and scores that are kept."""
        return Judgments(self.cypher)

    @cached_property
    def copying(self) -> Copying:
        """The whole store, out and in."""
        return Copying(self.cypher)


class Neo4jStore:
    """A lineage graph in a database of a Neo4j server.

    Who changes what exists takes the change lock before its first read, so such writers come one after the other; who
    only adds takes none. A read sees one state: it is made again where something was changed meanwhile, and in the end
    under the lock.
    """

    def __init__(self, url: str, clock: Callable[[], int], *, read_only: bool = False, filling: bool = False) -> None:
        """``filling``: a store whose load was cut is emptied, to be loaded again, and not refused."""
        self.read_only = read_only
        self._clock = clock
        self._at = connections.address(url)
        self._driver = connections.driver(self._at)
        self._bookmarks = neo4j.GraphDatabase.bookmark_manager()
        try:
            with connections.translated(self._at), self._session() as session:
                migrations.check(session, self._at.shown)
                cut = session.execute_read(lambda tx: Cypher(tx, clock).one(LOADING)) is not None
            if cut and filling:
                self.wipe()
            elif cut:
                raise StoreUnavailable(
                    f"{self._at.shown} is being loaded, or its load was cut", hint="lineage load --again begins it anew"
                )
        except BaseException:
            self._driver.close()
            raise

    def _session(self) -> neo4j.Session:
        # Reads, too, go to the leader: what was just committed must be seen.
        return self._driver.session(
            database=self._at.database,
            default_access_mode=neo4j.WRITE_ACCESS,
            bookmark_manager=self._bookmarks,
        )

    @classmethod
    def init(cls, url: str, clock: Callable[[], int], *, again: bool = False) -> list[str]:
        """Makes an empty store; returns the schema steps applied.

        Raises :class:`Conflict` where there is one, unless ``again`` says that it may be there.
        """
        at = connections.address(url)
        with connections.translated(at), connections.driver(at) as driver, driver.session(database=at.database) as s:
            if again and migrations.applied(s):
                return []
            return migrations.init(s, at.shown, clock())

    @classmethod
    def migrate(cls, url: str, clock: Callable[[], int]) -> list[str]:
        """Upgrades a store's schema; returns the steps applied."""
        at = connections.address(url)
        with connections.translated(at), connections.driver(at) as driver, driver.session(database=at.database) as s:
            if not migrations.applied(s) and not migrations.imported(s):
                raise StoreUnavailable(f"no store at {at.shown}", hint="create it with: lineage init")
            return migrations.upgrade(s, clock())

    def write(self, work: Callable[[Any], T]) -> T:
        """Runs ``work`` in a writing transaction, under the change lock: all of it, or none."""
        return self._change(work, Numbers(self, 0))

    def _change(self, work: Callable[[Any], T], numbers: Numbers) -> T:
        self._writable()

        def job(tx: neo4j.ManagedTransaction) -> T:
            transaction = Neo4jTransaction(Cypher(tx, self._clock))
            transaction.cypher.lock(numbers.reserved)
            result = work(transaction)
            transaction.cypher.finish()
            return result

        with connections.translated(self._at), self._session() as session:
            return _until_first(lambda: session.execute_write(_timed(job)))

    def add(self, work: Callable[[Any], T], numbers: int = 0) -> T:
        """Runs ``work`` without the change lock, and settles what it added once that is committed.

        Where it turns out to change what exists, or to need more ``numbers``, it runs again under the lock.
        """
        self._writable()
        reserved = Numbers(self, numbers)

        def job(tx: neo4j.ManagedTransaction) -> tuple[T, Cypher]:
            reserved.again()
            transaction = Neo4jTransaction(Cypher(tx, self._clock, reserve=reserved.take))
            result = work(transaction)
            transaction.cypher.finish()
            return result, transaction.cypher

        try:
            with connections.translated(self._at), self._session() as session:
                result, cypher = _until_first(lambda: session.execute_write(_timed(job)))
        except Changes:
            return self._change(work, reserved)
        reserved.give_back()
        self._settle(cypher.unsettled, cypher.now())
        return result

    def _settle(self, levels: Sequence[Collection[str]], now: int) -> None:
        """The second transaction of who added; it reads what was committed by then."""
        if not any(levels):
            return

        def quietly(tx: neo4j.ManagedTransaction) -> bool:
            cypher = Cypher(tx, self._clock)
            return Spread(cypher).settling.quietly(levels)

        def locked(tx: neo4j.ManagedTransaction) -> None:
            cypher = Cypher(tx, self._clock, now=now)
            cypher.lock()
            spread = Spread(cypher)
            spread.settling.new([sorted(spread.unsettled(level)) for level in levels])
            cypher.finish()

        with connections.translated(self._at), self._session() as session:
            if not session.execute_write(_timed(quietly)):
                session.execute_write(_timed(locked))

    def _writable(self) -> None:
        if self.read_only:
            raise StoreUnavailable(f"{self._at.shown} was opened read-only", hint="open it without read_only")

    def numbered(self, statement: str, **parameters: int) -> int:
        """Changes the sequence in a transaction of its own; nothing else may be held meanwhile. Returns its value."""

        def job(tx: neo4j.ManagedTransaction) -> int:
            return int(Cypher(tx, self._clock).one(statement, **parameters) or 0)

        with connections.translated(self._at), self._session() as session:
            return session.execute_write(_timed(job))

    def read(self, work: Callable[[Any], T], *, whole: bool = False) -> T:
        """Runs ``work`` on one state of the store, again where something was changed meanwhile.

        ``whole``: also where something was added, which nothing holds up. Raises :class:`StoreUnavailable` where that
        did not end.
        """

        def state(cypher: Cypher) -> list[Any]:
            # Who only adds leaves the number of writes as it is, and there are more nodes or relationships then.
            return [cypher.one(each) for each in ((WRITES, *SIZES) if whole else (WRITES,))]

        def looking(tx: neo4j.ManagedTransaction) -> tuple[T, bool]:
            transaction = Neo4jTransaction(Cypher(tx, self._clock))
            before = state(transaction.cypher)
            result = work(transaction)
            return result, before == state(transaction.cypher)

        def locked(tx: neo4j.ManagedTransaction) -> tuple[T, bool]:
            transaction = Neo4jTransaction(Cypher(tx, self._clock))
            transaction.cypher.one("MATCH (s:LineageStore {id: 'store'}) SET s.reads = coalesce(s.reads, 0)")
            before = state(transaction.cypher)
            result = work(transaction)
            return result, not whole or before == state(transaction.cypher)

        # A look at everything takes as long as it takes.
        seconds = None if whole else connections.TRANSACTION_SECONDS
        with connections.translated(self._at), self._session() as session:
            for _ in range(LOOKS):
                result, steady = session.execute_read(_timed(looking, seconds))
                if steady:
                    return result
            result, steady = session.execute_write(_timed(locked, seconds))
            if not steady:
                raise StoreUnavailable(
                    f"{self._at.shown} was added to all the while", hint="try again when nothing is registered"
                )
            return result

    def load(self, batches: Iterable[T], put: Callable[[Any, T], None]) -> None:
        """Fills an empty store, a transaction a batch. Until its end nobody else opens the store.

        An error empties the store again; a process that was killed leaves it to be begun again (``filling``). Raises
        :class:`Conflict` where the store holds anything.
        """
        self._writable()

        def begin(tx: neo4j.ManagedTransaction) -> bool:
            transaction = Neo4jTransaction(Cypher(tx, self._clock))
            transaction.cypher.lock()
            empty = transaction.copying.empty()
            if empty:
                transaction.cypher.rows("MATCH (s:LineageStore {id: 'store'}) SET s.loading = 0")
            return empty

        def one(tx: neo4j.ManagedTransaction, number: int, batch: T) -> None:
            transaction = Neo4jTransaction(Cypher(tx, self._clock))
            done = transaction.cypher.one(LOADED, number=number)
            if done == number - 1:
                put(transaction, batch)
            elif done != number:
                raise Conflict(f"{self._at.shown} was begun to be loaded again meanwhile", hint="let one load finish")
            # Else the server's word that it was committed was lost, and the driver runs the work again.

        def end(tx: neo4j.ManagedTransaction) -> None:
            transaction = Neo4jTransaction(Cypher(tx, self._clock))
            transaction.copying.finish()
            transaction.cypher.rows("MATCH (s:LineageStore {id: 'store'}) SET s.writes = s.writes + 1 REMOVE s.loading")

        with connections.translated(self._at), self._session() as session:
            if not session.execute_write(_timed(begin)):
                raise Conflict(f"{self._at.shown} holds something already", hint="load into a database of its own")
            try:
                for number, batch in enumerate(batches, 1):
                    session.execute_write(_timed(partial(one, number=number, batch=batch)))
                session.execute_write(_timed(end))
            except BaseException:
                self.wipe()
                raise

    def wipe(self) -> None:
        """Takes away all of a load that did not come to its end. Raises :class:`Conflict` where there is none."""
        keep = "NOT n:Incomplete AND NOT n:LineageStore"
        with connections.translated(self._at), self._session() as session:
            if session.execute_read(lambda tx: Cypher(tx, self._clock).one(LOADING)) is None:
                raise Conflict(f"{self._at.shown} is not being loaded", hint="nothing is taken away")
            for label in LABELS:
                # Relationships first: one node may have more of them than a transaction can hold.
                for statement in (
                    f"MATCH (:{label})-[r]-() WITH DISTINCT r LIMIT $limit DELETE r RETURN count(*)",
                    f"MATCH (n:{label}) WHERE {keep} WITH n LIMIT $limit DELETE n RETURN count(*)",
                ):
                    while session.execute_write(partial(self._some, statement)):
                        pass
            session.execute_write(
                lambda tx: Cypher(tx, self._clock).rows(
                    "MATCH (s:LineageStore {id: 'store'}) SET s.sequence = 0 REMOVE s.loading"
                )
            )

    def _some(self, statement: str, tx: neo4j.ManagedTransaction) -> int:
        return int(Cypher(tx, self._clock).one(statement, limit=WIPED))

    def peek(self, work: Callable[[Any], T]) -> T:
        """Runs ``work``, which makes one statement."""
        with connections.translated(self._at), self._session() as session:
            return session.execute_read(lambda tx: work(Neo4jTransaction(Cypher(tx, self._clock))))

    def simulate(self, work: Callable[[Any], T]) -> T:
        """Runs ``work``, which may write, in a transaction that is rolled back; other writers go on meanwhile.

        It runs again where something was changed meanwhile, at last under the change lock. Only who writes to the same
        nodes waits until it is rolled back.
        """

        def pretended(tx: neo4j.ManagedTransaction, locked: bool) -> None:
            transaction = Neo4jTransaction(Cypher(tx, self._clock))
            if locked:
                transaction.cypher.lock()
            else:
                transaction.cypher.pretend()
            before = transaction.cypher.one(WRITES)
            raise _Simulated(work(transaction), before == transaction.cypher.one(WRITES))

        with connections.translated(self._at), self._session() as session:
            for left in reversed(range(LOOKS)):
                try:
                    job = _timed(partial(pretended, locked=not left))
                    _until_first(lambda job=job: session.execute_write(job))  # type: ignore[misc]
                except _Simulated as simulated:
                    if simulated.steady or not left:
                        return cast(T, simulated.result)
        raise AssertionError("the last try always ends")

    def close(self) -> None:
        """Closes all connections. A second call does nothing."""
        self._driver.close()

    def __enter__(self) -> Neo4jStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Simulated(Exception):
    """Ends a transaction of which nothing is to remain: what its work came to, and whether it saw one state."""

    def __init__(self, result: Any, steady: bool) -> None:
        super().__init__()
        self.result = result
        self.steady = steady


WRITES = "MATCH (s:LineageStore {id: 'store'}) RETURN s.writes"
SIZES = ("MATCH (n) RETURN count(n)", "MATCH ()-[r]->() RETURN count(r)")
LOADING = "MATCH (s:LineageStore {id: 'store'}) RETURN s.loading"
LOADED = """
MATCH (s:LineageStore {id: 'store'}) SET s.locked = true REMOVE s.locked
WITH s, s.loading AS done SET s.loading = CASE WHEN done = $number - 1 THEN $number ELSE done END RETURN done
"""
"""How many batches were loaded, noted with this one where it is the next."""
WIPED = 20_000
"""Nodes or relationships that one transaction takes away."""
RESERVE = "MATCH (s:LineageStore {id: 'store'}) SET s.sequence = s.sequence + $count RETURN s.sequence"
GIVE_BACK = "MATCH (s:LineageStore {id: 'store'}) WHERE s.sequence = $last SET s.sequence = $used RETURN s.sequence"


class Numbers:
    """Numbers that are reserved for a piece of work before it begins. Where it begins again, it gets the same ones.

    They are not taken while it runs: whoever waits for the sequence must hold nothing that others wait for.
    """

    def __init__(self, store: Neo4jStore, count: int) -> None:
        self._store = store
        self.reserved: list[int] = []
        if count:
            last = store.numbered(RESERVE, count=count)
            self.reserved = list(range(last - count + 1, last + 1))
        self._next = 0

    def again(self) -> None:
        """The work begins, or begins again."""
        self._next = 0

    def take(self, count: int) -> int:
        """The first of ``count`` numbers in a row. Raises :class:`Changes` where there are not so many."""
        mine = self.reserved[self._next : self._next + count]
        if len(mine) < count:
            raise Changes
        self._next += count
        return mine[0]

    def give_back(self) -> None:
        """Numbers that were not needed, where nobody has taken others since: so one writer leaves no gap."""
        unused = self.reserved[self._next :]
        if unused:
            self._store.numbered(GIVE_BACK, last=unused[-1], used=unused[0] - 1)


def _timed(
    work: Callable[[neo4j.ManagedTransaction], T], seconds: float | None = connections.TRANSACTION_SECONDS
) -> Callable[[neo4j.ManagedTransaction], T]:
    """The work, with a time after which the server ends its transaction; None: as the server is set."""
    return neo4j.unit_of_work(timeout=seconds)(work)


def _until_first(work: Callable[[], T]) -> T:
    """Runs ``work`` again where another writer added the same thing first: now it is there."""
    for _ in range(TRIES):
        try:
            return work()
        except exceptions.ConstraintError:
            continue
    return work()
