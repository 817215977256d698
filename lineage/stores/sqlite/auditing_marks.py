"""What ``verify`` reads of seeds, marks and decisions in SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

from lineage.stores.auditing import DecisionAudit, HeldMark, HistoryAudit, Passing, SeedAudit
from lineage.stores.sqlite.codes import LAST_PASSING, digest_of, id_of, one

Page = tuple[int, int]
LINES = ("then", "now", "event")


class MarkAuditing:
    """Reads what causes begin and what came of it."""

    _connection: sqlite3.Connection

    def seeds(self) -> Iterator[SeedAudit]:
        """All seeds."""
        for cause, type_, digest, kind, *rest in self._connection.execute(
            """select c.name, c.type, n.hash, k.name, s.severity, s.class, s.start, s.stop from seed s
               left join cause c on c.id = s.cause left join node n on n.id = s.node
               left join kind k on k.id = n.kind"""
        ):
            yield SeedAudit(cause, type_, digest and id_of(digest), kind, *rest)

    def decisions(self) -> Iterator[DecisionAudit]:
        """All decisions."""
        for row, cause_row, cause, digest, kind, *rest in self._connection.execute(
            """select d.node, d.cause, c.name, n.hash, k.name, d.made, n.made, d.kind, d.severity, d.inputs, d.seq
               from decision d left join cause c on c.id = d.cause left join node n on n.id = d.node
               left join kind k on k.id = n.kind"""
        ):
            found = self._connection.execute(
                """select n.hash, exists (select 1 from mark m where m.node = n.id and m.cause = ?2)
                          or exists (select 1 from seed s where s.node = n.id and s.cause = ?2)
                   from (select ?1 as id union select dst from edge where src = ?1
                         union select dst from past_edge where src = ?1) q join node n on n.id = q.id""",
                (row, cause_row),
            ).fetchall()
            inputs = frozenset(id_of(each) for each, _ in found if each != digest)
            makings = frozenset(
                made
                for (made,) in self._connection.execute(
                    """select made from node where id = ?1 union select made from past_derivation where node = ?1
                       union select since from edge where src = ?1 union select since from past_edge where src = ?1""",
                    (row,),
                )
            )
            bears = any(marked for _, marked in found) or self._stands_on(row, cause_row)
            yield DecisionAudit._make((cause, digest and id_of(digest), kind, *rest, inputs, makings, bears))

    def _stands_on(self, node: int, cause: int) -> bool:
        """Whether a node stands, or stood, on what a cause seeds or marked; a decision below may have stopped it."""
        return bool(
            one(
                self._connection,
                """with recursive under(id) as (
                     select ?1 union select e.dst from under u join edge e on e.src = u.id
                     union select e.dst from under u join past_edge e on e.src = u.id)
                   select exists (select 1 from under u join seed s on s.node = u.id and s.cause = ?2)
                       or exists (select 1 from under u join mark m on m.node = u.id and m.cause = ?2)""",
                (node, cause),
            )
        )

    def _cursors(self) -> dict[str, int]:
        row = self._connection.execute("select invalid, other from cursor").fetchone() or (0, 0)
        return {"invalid": row[0], "other": row[1]}

    def held(self, page: Page) -> list[HeldMark]:
        """The marks of a page's nodes."""
        return [
            HeldMark(digest and id_of(digest), cause, severity, bool(waiting), fell)
            for digest, cause, severity, waiting, fell in self._connection.execute(
                f"""select n.hash, c.name, m.severity, {WAITING}, m.fell from mark m left join node n on n.id = m.node
                    left join cause c on c.id = m.cause where m.node > :low and m.node <= :high""",
                {**self._cursors(), "low": page[0], "high": page[1]},
            )
        ]

    def seeded(self, page: Page) -> list[tuple[str | None, str | None, int]]:
        """(node, cause, severity) of the seeds of a page's nodes."""
        return [
            (digest and id_of(digest), cause, severity)
            for digest, cause, severity in self._connection.execute(
                """select n.hash, c.name, s.severity from seed s left join node n on n.id = s.node
                   left join cause c on c.id = s.cause where s.node > ? and s.node <= ?""",
                page,
            )
        ]

    def passing(self, page: Page) -> list[Passing]:
        """The marks of inputs of a page's nodes over passing roles."""
        return [
            Passing(id_of(src), id_of(dst), role, bool(given), cause, severity, bool(waiting), fell, bool(told))
            for src, dst, role, given, cause, severity, waiting, fell, told in self._connection.execute(
                f"""select s.hash, d.hash, e.role, e.version is not null, c.name, m.severity, {WAITING}, m.fell,
                        exists (select 1 from reader r where r.cause = m.cause and r.node = e.dst
                                and r.version = e.version)
                    from edge e cross join mark m on m.node = e.dst and (m.severity > 0 or {WAITING})
                    join cause c on c.id = m.cause join node s on s.id = e.src join node d on d.id = e.dst
                    where e.src > :low and e.src <= :high and e.role <= {LAST_PASSING}""",
                {**self._cursors(), "low": page[0], "high": page[1]},
            )
        ]

    def waits(self, node: str, cause: str) -> bool:
        """Whether a mark is to be read again."""
        return bool(
            one(
                self._connection,
                """select exists (select 1 from node n join cause c on c.name = ?
                   join recheck k on k.cause = c.id and k.node = n.id where n.hash = ?)""",
                (cause, digest_of(node)),
            )
        )

    def decided(self, page: Page) -> dict[tuple[str, str], tuple[int, frozenset[str]]]:
        """(node, cause) → (severity, inputs) of the last decision on each current derivation of a page's nodes."""
        return {
            (id_of(digest), cause): (severity, _inputs(inputs))
            for digest, cause, severity, inputs in self._connection.execute(
                """select n.hash, c.name, d.severity, d.inputs from decision d join node n on n.id = d.node
                   and n.made = d.made join cause c on c.id = d.cause
                   where d.node > ? and d.node <= ? order by d.seq""",
                page,
            )
        }

    def histories(self) -> Iterator[HistoryAudit]:
        """All marks, what they were, and the events of answers."""
        for digest, kind, cause, line, severity, was, since, until, via, given, by, *rest in self._connection.execute(
            HISTORIES, self._cursors()
        ):
            resolution, waiting, fell, number, at = rest
            yield HistoryAudit(
                digest and id_of(digest), kind, cause, LINES[line], severity, was, since, until, via and id_of(via),
                bool(given), bool(by), resolution, bool(waiting), fell, number, at,
            )  # fmt: skip


def _inputs(body: str) -> frozenset[str]:
    try:
        found: Any = json.loads(body)
    except ValueError:
        return frozenset()
    return frozenset(each for each in found if isinstance(each, str)) if isinstance(found, list) else frozenset()


WAITING = "m.seq > iif(m.severity = 2, :invalid, :other)"

HISTORIES = f"""
select n.hash, k.name, c.name, q.line, q.severity, q.was, q.since, q.until, v.hash, q.via is not null,
       q.via is null or exists (select 1 from edge e where e.src = q.node and +e.dst = q.via)
       or exists (select 1 from past_edge e where e.src = q.node and +e.dst = q.via),
       q.resolution, q.waiting, q.fell, q.number, q.at
from (
    select node, cause, 0 as line, since as place, severity, null as was, since, until, via, resolution, 0 as waiting,
           0 as fell, 0 as number, null as at from past_mark
    union all select m.node, m.cause, 1, m.seq, m.severity, null, m.since, null, m.via, m.resolution, {WAITING}, m.fell,
           0, null from mark m
    union all select node, cause, 2, id, is_now, was, seq, null, null, resolution, 0, 0, id, at from event) q
left join node n on n.id = q.node left join kind k on k.id = n.kind left join cause c on c.id = q.cause
left join node v on v.id = q.via
order by q.node, q.cause, q.line, q.place
"""
