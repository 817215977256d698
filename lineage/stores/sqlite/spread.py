"""Keeping marks true in SQLite: settle, spread, clear.

The mark table is its own queue: every change of a mark gives it a new ``seq``, and a mark
whose ``seq`` lies past its cursor is unexpanded. Marks that are invalid have one cursor, all
others another, so that what is invalid spreads first.

One rule says what a node's mark of a cause is: the worst of its own seed and of what passes
from its inputs (``PASSED``), unless a decision stands. Whatever changes a mark applies that
rule, so the order of changes does not matter, and any step may be the last before a crash.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable

from lineage.stores.base import Step
from lineage.stores.sqlite.codes import LAST_PASSING, ROLE_CODE, Codes, chunks, marks, one
from lineage.stores.stepping import step
from lineage_schema.vocabulary import Resolution

BATCH = 60_000
"""Marks in one step: with fewer, each step's commit shows; this many hold the write lock for a third of a second."""

PASSED = f"""case
    when c.type = 1 and e.role > {ROLE_CODE["cites"]} then 0
    when m.severity = 1 and c.type = 0 and exists (select 1 from span s where s.node = e.dst) and not exists (
        select 1 from edge x join reader r on r.cause = m.cause and r.node = x.dst and r.version = x.version
        where x.src = e.src and x.role = e.role and x.dst = e.dst) then 0
    when c.edition = 1 and scope_excludes(m.cause, e.src) then 0
    when e.role = {ROLE_CODE["retrieved"]} then 1
    else m.severity end"""
"""What a mark ``m`` of cause ``c`` passes over edge ``e`` (its input is marked).

Of ``e`` only what the index holds is read; the version read, which it does not hold, matters for a span's review alone.
"""

INVALID = "severity = 2"
INVALID_PASSED = f"case when e.role = {ROLE_CODE['retrieved']} then 1 else 2 end"
INVALID_PASSED_IN_SCOPE = f"case when scope_excludes(m.cause, e.src) then 0 else {INVALID_PASSED} end"
"""The same of a mark that is invalid: text that is gone is news to every reader."""

ANSWERING = f"{ROLE_CODE['claim']}, {ROLE_CODE['retrieved']}"
"""Roles that answers' edges have, and no other node's: what is hit over them is an answer."""

TEMPORARY = """
create temp table if not exists hit(
    id integer primary key, cause integer, node integer, severity integer, via integer, was_seq integer, was integer,
    answer integer);
create temp table if not exists fresh(node integer primary key, level integer);
create temp table if not exists want(cause integer, node integer, primary key (cause, node)) without rowid;
"""


class Spread:
    """The three jobs, each in bounded steps, each step in its caller's transaction."""

    def __init__(self, connection: sqlite3.Connection, codes: Codes, seq: Callable[[], int], at: Callable[[], int]):
        self._connection = connection
        self._codes = codes
        self._seq = seq
        self._at = at

    # pending work

    def pending(self, cause: int | None = None) -> bool:
        """Whether work is pending, of one cause or at all. A query, never a stored flag."""
        invalid, other = self._cursors()
        mine = "" if cause is None else " and cause = :cause"
        return bool(
            one(
                self._connection,
                # A case stops at the first that holds; ``or`` would look at all, and pass over marks that wait.
                f"""select case when exists (select 1 from recheck where true{mine}) then 1
                    when exists (select 1 from mark where seq > :invalid and severity = 2{mine}) then 1
                    else exists (select 1 from mark where seq > :other and severity < 2{mine}) end""",
                {"invalid": invalid, "other": other, "cause": cause},
            )
        )

    def amount(self, cause: int | None = None) -> int:
        """How many marks are unexpanded or to be read again."""
        invalid, other = self._cursors()
        mine = "" if cause is None else " and cause = :cause"
        return int(
            one(
                self._connection,
                f"""select (select count(*) from recheck where true{mine})
                    + (select count(*) from mark where seq > :invalid and severity = 2{mine})
                    + (select count(*) from mark where seq > :other and severity < 2{mine})""",
                {"invalid": invalid, "other": other, "cause": cause},
            )
        )

    def _cursors(self) -> tuple[int, int]:
        invalid, other = self._connection.execute("select invalid, other from cursor").fetchone()
        return invalid, other

    def _next(self) -> int:
        """The first free place in the queue: past every mark and both cursors."""
        place: int = one(
            self._connection,
            "select max(invalid, other, coalesce((select max(seq) from mark), 0)) + 1 from cursor",
        )
        return place

    # one step

    def unsettled(self, ids: Collection[str]) -> set[str]:
        """None: nodes are settled in the transaction that adds them."""
        return set()

    def step(self, batch: int = BATCH) -> Step:
        """A piece of pending work, about ``batch`` marks."""
        return step(batch, self._recheck_some, self._expand_some, self.pending)

    def _expand_some(self, limit: int) -> tuple[int, int]:
        """Expands the next marks of the first queue that has any: how many, and how many marks that made."""
        for queue, condition in (("invalid", INVALID), ("other", "severity < 2")):
            cursor = one(self._connection, f"select {queue} from cursor")
            last, count, fell, *causes = self._connection.execute(
                f"""select max(seq), count(*), max(fell), min(cause), max(cause) from (
                    select seq, fell, cause from mark where seq > ? and {condition} order by seq limit ?)""",
                (cursor, limit),
            ).fetchone()
            if count:
                marked = self._expand(cursor, last, condition, range(causes[0], causes[1] + 1))
                if fell:
                    self._unmark(cursor, last, condition)
                self._connection.execute(f"update cursor set {queue} = ?", (last,))
                return count, marked
            # Nothing of this queue is left: the next look need not pass over the marks of the other one.
            self._connection.execute(
                f"update cursor set {queue} = max({queue}, coalesce((select max(seq) from mark), 0))"
            )
        return 0, 0

    def _expand(self, cursor: int, last: int, condition: str, causes: range) -> int:
        self._connection.execute("delete from temp.hit")
        # Cause by cause: most steps have one, and grouping by one column is half the time.
        for cause, edition in self._causes_between(cursor, last, condition, causes):
            passed = PASSED
            if condition == INVALID:
                passed = INVALID_PASSED_IN_SCOPE if edition else INVALID_PASSED
            self._connection.execute(
                f"""insert into temp.hit(cause, node, severity, via, was_seq, was, answer)
                    select :cause, g.src, g.passed, g.via, k.seq, k.severity, g.role in ({ANSWERING}) from (
                        select e.src as src, max({passed}) as passed, m.node as via, e.role as role
                        from cause c cross join mark m
                        cross join edge e on e.dst = m.node and e.role <= {LAST_PASSING}
                        where c.id = :cause and m.seq > :cursor and m.seq <= :last and m.{condition}
                          and m.severity > 0 and m.cause = :cause
                        group by e.src) g
                    left join mark k on k.node = g.src and k.cause = :cause
                    where g.passed > coalesce(k.severity, 0)""",
                {"cause": cause, "cursor": cursor, "last": last},
            )
        return self._write_hits()

    def _causes_between(self, cursor: int, last: int, condition: str, known: range) -> list[tuple[int, int]]:
        """(cause, whether it brought an edition) of the marks of a piece of the queue; ``known`` holds them all."""
        if len(known) == 1:
            return [(known[0], one(self._connection, "select edition from cause where id = ?", (known[0],)))]
        return self._connection.execute(
            f"""select distinct c.id, c.edition from mark m join cause c on c.id = m.cause
                where m.seq > ? and m.seq <= ? and m.{condition} and m.severity > 0 order by c.id""",
            (cursor, last),
        ).fetchall()

    def _unmark(self, cursor: int, last: int, condition: str) -> None:
        """What fell may leave dependents worse than what passes now: they are read again."""
        span = (cursor, last)
        self._connection.execute(
            f"""insert into recheck select m.cause, k.node from mark m
                join edge e on e.dst = m.node and e.role <= {LAST_PASSING}
                join mark k on k.node = e.src and k.cause = m.cause and k.severity > 0
                where m.seq > ? and m.seq <= ? and m.{condition} and m.fell = 1 on conflict do nothing""",
            span,
        )
        self._connection.execute(
            f"update mark set fell = 0 where seq > ? and seq <= ? and {condition} and fell = 1", span
        )

    def _write_hits(self) -> int:
        """Marks what was hit. Where a decision was made, the rule is applied in full instead."""
        if one(self._connection, "select exists (select 1 from decision)"):
            self._connection.execute(
                """insert into recheck select h.cause, h.node from temp.hit h
                   where exists (select 1 from decision d where d.cause = h.cause and d.node = h.node)
                   on conflict do nothing"""
            )
            self._connection.execute(
                """delete from temp.hit where exists (
                   select 1 from decision d where d.cause = hit.cause and d.node = hit.node)"""
            )
        count: int = one(self._connection, "select count(*) from temp.hit")
        if not count:
            return 0
        seq, first = self._seq(), self._next() - one(self._connection, "select min(id) from temp.hit")
        self._events(seq)
        if one(self._connection, "select exists (select 1 from temp.hit where was_seq is not null)"):
            self._archive(seq)
            self._connection.execute(
                """delete from mark where seq in (select was_seq from temp.hit where was_seq is not null)"""
            )
        self._connection.execute(
            """insert into mark(seq, cause, node, severity, via, since)
               select id + ?, cause, node, severity, via, ? from temp.hit""",
            (first, seq),
        )
        return count

    def _archive(self, seq: int) -> None:
        self._connection.execute(
            """insert into past_mark select m.cause, m.node, m.severity, m.via, m.since, ?, m.resolution
               from temp.hit h join mark m on m.seq = h.was_seq where h.was_seq is not null""",
            (seq,),
        )

    def _events(self, seq: int) -> None:
        self._connection.execute(
            """insert into event(seq, at, cause, node, was, is_now)
               select ?, ?, h.cause, h.node, coalesce(h.was, 0), h.severity
               from temp.hit h where h.answer""",
            (seq, self._at()),
        )

    # reading again

    def put_rechecks(self, pairs: Iterable[tuple[int, int]]) -> None:
        """(cause, node) whose marks are to be read again."""
        self._connection.executemany("insert into recheck values (?, ?) on conflict do nothing", pairs)

    def recheck_all(self) -> None:
        """Reads again all that is to be read again, within this transaction."""
        while self._recheck_some(BATCH) is not None:
            pass

    def _recheck_some(self, batch: int) -> tuple[int, int, int] | None:
        pairs = self._connection.execute("select cause, node from recheck limit ?", (batch,)).fetchall()
        if not pairs:
            return None
        self._connection.executemany("delete from recheck where cause = ? and node = ?", pairs)
        return len(pairs), *self._reread(pairs)

    def _reread(self, pairs: Collection[tuple[int, int]]) -> tuple[int, int]:
        """Applies the rule to each (cause, node); returns how many marks were set and how many closed."""
        self._connection.execute("delete from temp.want")
        self._connection.executemany("insert into temp.want values (?, ?) on conflict do nothing", pairs)
        rows = self._connection.execute(
            f"""select w.cause, w.node, coalesce(s.severity, 0), coalesce(p.passed, 0), p.via,
                       k.seq, k.severity, k.fell, k.since, n.made, exists (select 1 from span x where x.node = w.node),
                       exists (select 1 from decision d where d.cause = w.cause and d.node = w.node), n.kind
                from temp.want w join node n on n.id = w.node
                left join seed s on s.cause = w.cause and s.node = w.node
                left join mark k on k.node = w.node and k.cause = w.cause
                left join (
                    select m.cause as cause, e.src as src, max({PASSED}) as passed, m.node as via
                    from temp.want w2 join edge e on e.src = w2.node and e.role <= {LAST_PASSING}
                    join mark m on m.node = e.dst and m.cause = w2.cause and m.severity > 0
                    join cause c on c.id = m.cause group by m.cause, e.src) p
                  on p.cause = w.cause and p.src = w.node"""
        ).fetchall()
        place, seq, at = self._next(), self._seq(), self._at()
        answer = self._codes.kind("answer")
        invalid, other = self._cursors()
        marked = closed = 0
        for cause, node, seed, passed, via, was_seq, was, fell, since, made, span, decided, kind in rows:
            resolution = None
            now = max(seed, passed)
            if decided and not span and now:
                resolution = self._decided(cause, node, made, passed)
                if resolution is not None and not seed:
                    now = 0
            if now == (was or 0):
                continue
            if not now and resolution is None:
                resolution = (
                    Resolution.RESTORED
                    if span
                    else (Resolution.REBUILT if made is not None and made > since else Resolution.CLEARED)
                )
            if was_seq is not None:
                self._connection.execute(
                    "insert into past_mark select cause, node, severity, via, since, ?, resolution from mark "
                    "where seq = ?",
                    (seq, was_seq),
                )
                self._connection.execute("delete from mark where seq = ?", (was_seq,))
            waiting = was_seq is not None and was_seq > (invalid if was == 2 else other)
            dropped = int(now < (was or 0) or bool(fell and waiting))
            self._connection.execute(
                "insert into mark(seq, cause, node, severity, via, since, fell, resolution) values (?,?,?,?,?,?,?,?)",
                (place, cause, node, now, via if passed >= seed else None, seq, dropped, None if now else resolution),
            )
            place += 1
            marked, closed = marked + bool(now), closed + (not now)
            if kind == answer:
                self._connection.execute(
                    "insert into event(seq, at, cause, node, was, is_now, resolution) values (?, ?, ?, ?, ?, ?, ?)",
                    (seq, at, cause, node, was or 0, now, None if now else resolution),
                )
        return marked, closed

    def _decided(self, cause: int, node: int, made: int, passed: int) -> str | None:
        """The kind of the decision that stands on (cause, node), or None.

        It stands while the derivation is the one decided on, and what passes comes only from
        inputs that passed then and is no worse.
        """
        row = self._connection.execute(
            """select kind, severity, inputs from decision where cause = ? and node = ? and made = ?
               order by seq desc limit 1""",
            (cause, node, made),
        ).fetchone()
        if row is None or passed > row[1]:
            return None
        seen = set(json.loads(row[2]))
        passing = self._codes.ids(
            [
                dst
                for (dst,) in self._connection.execute(
                    f"""select e.dst from edge e join mark m on m.node = e.dst and m.cause = ? and m.severity > 0
                        join cause c on c.id = m.cause where e.src = ? and e.role <= {LAST_PASSING} and {PASSED} > 0""",
                    (cause, node),
                )
            ]
        )
        return str(row[0]) if set(passing.values()) <= seen else None

    def follow_seeds(self, pairs: Collection[tuple[int, int]]) -> None:
        """Marks of spans whose seeds changed. What a reader inherits may have changed even where a mark did not."""
        self.put_rechecks(sorted(pairs))
        mine = sorted(pairs)
        for part in chunks(mine, BATCH):
            before = self._next()
            self._connection.executemany("delete from recheck where cause = ? and node = ?", part)
            self._reread(part)
            still = [
                row
                for cause, node in part
                for row in self._connection.execute(
                    "select seq from mark where node = ? and cause = ? and severity > 0 and seq < ?",
                    (node, cause, before),
                )
            ]
            place = self._next()
            for index, (old,) in enumerate(still):
                self._connection.execute("update mark set seq = ?, fell = 1 where seq = ?", (place + index, old))

    # settling new nodes

    def settle(self, levels: Iterable[Collection[str]], idle: bool) -> None:
        """Gives nodes that are new in this transaction what passes from their inputs, in topological order.

        ``idle``: no work was pending when the transaction began.
        """
        if not one(self._connection, "select exists (select 1 from mark) or exists (select 1 from seed)"):
            return
        for level in levels:
            rows = list(self._codes.rows(level).values())
            for part in chunks(rows):
                places = marks(len(part))
                self._connection.execute("delete from temp.hit")
                self._connection.execute(
                    f"""insert into temp.hit(cause, node, severity, via, answer)
                        select cause, node, max(severity), via, max(answer) from (
                            select m.cause as cause, e.src as node, {PASSED} as severity, m.node as via,
                                   e.role in ({ANSWERING}) as answer
                            from edge e join mark m on m.node = e.dst and m.severity > 0 join cause c on c.id = m.cause
                            where e.src in ({places}) and e.role <= {LAST_PASSING}
                            union all
                            select s.cause, s.node, s.severity, null, 0 from seed s where s.node in ({places}))
                        where severity > 0 group by cause, node""",
                    (*part, *part),
                )
                self._write_hits()
        # Nothing outside the batch depends on a new node or span, and the batch is settled in order: unless work
        # was pending before, these marks need not be expanded. What exists and changed is read again after this.
        if idle:
            self._connection.execute(
                "update cursor set invalid = max(invalid, coalesce((select max(seq) from mark), 0)),"
                " other = max(other, coalesce((select max(seq) from mark), 0))"
            )
