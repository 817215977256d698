"""Causes, seeds and decisions in SQLite: where marks begin and what people said of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from lineage.stores.base import CORRECTION, CauseState, ChangeRow, Decision, Seed, Source
from lineage.stores.sqlite.codes import CURRENT, Codes, chunks, id_of, marks, one
from lineage.stores.sqlite.scopes import Scopes
from lineage.stores.sqlite.sources import Sources
from lineage.stores.sqlite.spread import Spread
from lineage_schema.vocabulary import Severity

FEW = 16
"""Changes of a correction that are remembered."""


class Marks:
    """Operations on causes and on what they seed; the marks themselves are kept by :class:`Spread`."""

    def __init__(
        self, connection: sqlite3.Connection, codes: Codes, sources: Sources, spread: Spread, scopes: Scopes
    ) -> None:
        self._connection = connection
        self._scopes = scopes
        self._codes = codes
        self._sources = sources
        self._spread = spread
        self.forget()

    def forget(self) -> None:
        """Drops what is remembered: after a rollback it may be of a correction that never came to be."""
        self._listed: dict[tuple[int, int], tuple[tuple[ChangeRow, ...], int]] = {}

    # causes

    def add_correction(
        self, id_: str, changes: Sequence[ChangeRow], reason: str, by: str | None, seq: int, at: int
    ) -> None:
        """A new correction. Its versions are in the store."""
        edition = int(any(change.kind == "edition" for change in changes))
        (cause,) = self._connection.execute(
            "insert into cause(name, type, seq, at, reason, who, edition) values (?, ?, ?, ?, ?, ?, ?) returning id",
            (id_, CORRECTION, seq, at, reason, by, edition),
        ).fetchone()
        self._connection.executemany(
            "insert into change values (?, ?, ?, ?, ?, ?)",
            (
                (
                    cause,
                    self._sources.document_row(change.uri),
                    change.edition,
                    change.kind,
                    self._sources.version_row(change.uri, change.edition, change.source),
                    self._sources.version_row(change.uri, change.target_edition, change.target),
                )
                for change in changes
            ),
        )

    def causes(
        self, ids: Collection[str] | None = None, *, type_: int | None = None, changes: int = -1
    ) -> list[CauseState]:
        """Causes by id (all of a type without ids), in the order of the sequence.

        ``changes`` bounds how many of each one's documents are read; ``total`` counts all, where any are.
        """
        if ids is None:
            where, parameters = ("where type = ?", [type_]) if type_ is not None else ("", list[Any]())
        else:
            where, parameters = f"where name in ({marks(len(ids))})", list[Any](ids)
        rows = self._connection.execute(
            f"select id, name, type, seq, at, reason, who from cause {where} order by seq, name", parameters
        ).fetchall()
        return [
            CauseState(
                name,
                kind,
                seq,
                at,
                reason,
                who,
                *self._changes(row, changes),
            )
            for row, name, kind, seq, at, reason, who in rows
        ]

    def _changes(self, cause: int, limit: int) -> tuple[tuple[ChangeRow, ...], int]:
        """The first changes of a correction, and how many there are."""
        if not limit:
            return (), 0
        found = self._listed.get((cause, limit))
        if found is None:
            count: int = one(self._connection, "select count(*) from change where cause = ?", (cause,))
            found = tuple(self._read_changes(cause, limit)), count
            if 0 < limit <= FEW:
                # They never change; ``check`` names them again and again.
                if len(self._listed) > FEW**2:
                    self._listed.clear()
                self._listed[cause, limit] = found
        return found

    def _read_changes(self, cause: int, limit: int) -> Iterable[ChangeRow]:
        for row in self._connection.execute(
            # The first few are found before the rest is looked up.
            """select c.uri, c.edition, c.kind, s.number, t.number, t.edition from (
                   select d.uri as uri, g.edition as edition, g.kind as kind, g.source as source, g.target as target
                   from change g join document d on d.id = g.document
                   where g.cause = ? order by d.uri, g.edition limit ?) c
               join version s on s.id = c.source join version t on t.id = c.target order by c.uri, c.edition""",
            (cause, limit),
        ):
            yield ChangeRow(*row)

    def corrections_of(self, uri: str, edition: int) -> list[tuple[str, ChangeRow]]:
        """(correction, change) of all corrections whose source lies in an edition, in order."""
        return [
            (name, ChangeRow(*row))
            for name, *row in self._connection.execute(
                """select x.name, d.uri, c.edition, c.kind, s.number, t.number, t.edition from document d
                   join change c on c.document = d.id join cause x on x.id = c.cause
                   join version s on s.id = c.source join version t on t.id = c.target
                   where d.uri = ? and c.edition = ? order by x.seq""",
                (uri, edition),
            )
        ]

    def _cause_rows(self, ids: Collection[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for part in chunks(list(ids)):
            found.update(
                self._connection.execute(f"select name, id from cause where name in ({marks(len(part))})", list(part))
            )
        return found

    # seeds of spans

    def seeds(self, spans: Collection[str]) -> dict[str, list[Seed]]:
        """What corrections seed at spans."""
        rows = self._codes.rows(spans)
        found: dict[str, list[Seed]] = {}
        for part in chunks(list(rows.items())):
            by_row = {row: id_ for id_, row in part}
            places = marks(len(by_row))
            readers: dict[tuple[str, int], set[int]] = {}
            for cause, node, number in self._connection.execute(
                f"""select c.name, r.node, v.number from reader r join cause c on c.id = r.cause
                    join version v on v.id = r.version where r.node in ({places})""",
                list(by_row),
            ):
                readers.setdefault((cause, node), set()).add(number)
            for cause, node, severity, cls, start, stop in self._connection.execute(
                f"""select c.name, s.node, s.severity, s.class, s.start, s.stop from seed s
                    join cause c on c.id = s.cause where s.node in ({places}) and c.type = 0 order by c.seq""",
                list(by_row),
            ):
                found.setdefault(by_row[node], []).append(
                    Seed(
                        cause,
                        by_row[node],
                        Severity(severity),
                        cls,
                        start,
                        stop,
                        frozenset(readers.get((cause, node), ())),
                    )
                )
        return found

    def seeded(self, uri: str, edition: int) -> list[str]:
        """The spans of an edition that some correction seeds."""
        return [
            id_of(digest)
            for (digest,) in self._connection.execute(
                """select distinct n.hash from document d join change g on g.document = d.id and g.edition = ?
                   join seed s on s.cause = g.cause join span p on p.node = s.node and p.document = d.id
                   and p.edition = g.edition join node n on n.id = s.node where d.uri = ?""",
                (edition, uri),
            )
        ]

    def put_seeds(self, add: Sequence[Seed], drop: Sequence[Seed], *, fresh: bool = False) -> None:
        """Writes and removes seeds of spans, and lets the spans' marks follow.

        ``fresh``: the spans are new in this transaction, and nothing depends on them yet.
        """
        if not add and not drop:
            return
        causes = self._cause_rows({seed.cause for seed in (*add, *drop)})
        nodes = self._codes.rows({seed.node for seed in (*add, *drop)})
        pairs = {(causes[seed.cause], nodes[seed.node]) for seed in (*add, *drop)}
        self._connection.executemany(
            "delete from seed where cause = ? and node = ?", ((causes[s.cause], nodes[s.node]) for s in drop)
        )
        if drop or not fresh:
            self._connection.executemany("delete from reader where cause = ? and node = ?", pairs)
        self._connection.executemany(
            """insert into seed values (?, ?, ?, ?, ?, ?) on conflict(cause, node) do update set
               severity = excluded.severity, class = excluded.class, start = excluded.start, stop = excluded.stop""",
            sorted((causes[s.cause], nodes[s.node], int(s.severity), s.cls, s.start, s.end) for s in add),
        )
        self._connection.executemany(
            """insert into reader select ?1, s.node, v.id from span s join version v
               on v.document = s.document and v.edition = s.edition and v.number = ?3 where s.node = ?2""",
            ((causes[s.cause], nodes[s.node], number) for s in add for number in sorted(s.readers)),
        )
        self._spread.follow_seeds(pairs)

    def sources(self, nodes: Collection[str]) -> dict[str, Source]:
        """What causes of every type seed at nodes, by cause in the order of the sequence."""
        rows = self._codes.rows(nodes)
        by_row = {row: id_ for id_, row in rows.items()}
        readers: dict[tuple[str, int], set[int]] = {}
        seeds: dict[str, dict[str, tuple[int, frozenset[int]]]] = {}
        about: dict[str, tuple[int, int, bool]] = {}
        found: list[tuple[str, int, int, int, int, int]] = []
        for part in chunks(list(by_row)):
            found.extend(
                self._connection.execute(
                    f"""select c.name, c.type, c.seq, c.edition, s.node, s.severity from seed s
                        join cause c on c.id = s.cause where s.node in ({marks(len(part))})""",
                    list(part),
                )
            )
        seeded = [row[4] for row in found if row[1] == CORRECTION]
        for part in chunks(seeded):
            for cause, node, number in self._connection.execute(
                f"""select c.name, r.node, v.number from seed s join reader r on r.cause = s.cause and r.node = s.node
                    join cause c on c.id = r.cause join version v on v.id = r.version
                    where s.node in ({marks(len(part))})""",
                list(part),
            ):
                readers.setdefault((cause, node), set()).add(number)
        for cause, type_, seq, edition, node, severity in found:
            about[cause] = (seq, type_, bool(edition))
            seeds.setdefault(cause, {})[by_row[node]] = (severity, frozenset(readers.get((cause, node), ())))
        return {
            cause: Source(about[cause][1], about[cause][2], seeds[cause])
            for cause in sorted(about, key=lambda name: (about[name][0], name))
        }

    def scope_excludes(self, cause: str, node: str) -> bool:
        """Whether an edition's correction does not pass to a node by the node's own scope."""
        rows = self._cause_rows([cause]), self._codes.rows([node])
        return bool(self._scopes.excludes(rows[0][cause], rows[1][node]))

    # decisions

    def decide(self, decision: Decision, seq: int, at: int) -> None:
        """Records a decision and lets the node's mark follow it."""
        cause = self._cause_rows([decision.cause])[decision.cause]
        node = self._codes.rows([decision.node])[decision.node]
        self._connection.execute(
            """insert into decision select ?1, id, made, ?3, ?4, ?5, ?6, ?7, ?8, ?9 from node where id = ?2""",
            (
                cause,
                node,
                decision.kind,
                int(decision.severity),
                json.dumps(sorted(decision.inputs)),
                decision.reason,
                decision.by,
                seq,
                at,
            ),
        )
        self._spread.put_rechecks([(cause, node)])

    def decisions(self, nodes: Collection[str]) -> dict[tuple[str, str], Decision]:
        """The standing candidates: the last decision of each (cause, node) about the current derivation."""
        rows = self._codes.rows(nodes)
        by_row = {row: id_ for id_, row in rows.items()}
        found: dict[tuple[str, str], Decision] = {}
        for part in chunks(list(by_row)):
            for cause, node, kind, severity, inputs, reason, who in self._connection.execute(
                f"""select c.name, d.node, d.kind, d.severity, d.inputs, d.reason, d.who from decision d
                    join cause c on c.id = d.cause join node n on n.id = d.node and n.made = d.made
                    where d.node in ({marks(len(part))}) order by d.seq""",
                list(part),
            ):
                found[cause, by_row[node]] = Decision(
                    cause, by_row[node], kind, Severity(severity), tuple(json.loads(inputs)), reason, who
                )
        return found

    def recheck(self, nodes: Collection[str]) -> None:
        """Reads again all marks that nodes have or that their inputs could pass: their derivations changed."""
        rows = list(self._codes.rows(nodes).values())
        for part in chunks(rows):
            self._connection.execute(
                f"""insert into recheck select m.cause, m.node from mark m where m.node in ({marks(len(part))})
                    on conflict do nothing""",
                list(part),
            )
            self._connection.execute(
                f"""insert into recheck select m.cause, e.src from edge e
                    join mark m on m.node = e.dst and m.severity > 0
                    where e.src in ({marks(len(part))}) on conflict do nothing""",
                list(part),
            )

    def restate(self, uri: str, edition: int, number: int) -> None:
        """A version's validity was said anew: what an edition's correction passes to answers is read again."""
        for (cause,) in self._connection.execute(
            """select c.cause from change c join cause x on x.id = c.cause and x.edition = 1
               where ? in (c.source, c.target)""",
            (self._sources.version_row(uri, edition, number),),
        ).fetchall():
            kinds = [self._codes.kind("answer"), self._codes.kind("claim")]
            self._connection.execute(
                """insert into recheck select m.cause, e.src from mark m join edge e on e.dst = m.node
                   join node n on n.id = e.src and n.kind in (?, ?) where m.cause = ? and m.severity > 0
                   on conflict do nothing""",
                (*kinds, cause),
            )

    def amount(self, cause: str) -> int:
        """How many marks of a cause are unexpanded or to be read again."""
        return self._spread.amount(self._cause_rows([cause])[cause])

    def state(self, cause: str) -> tuple[bool, bool, int | None]:
        """(pending, open on a current node, the sequence at which its last mark closed) of a cause."""
        row = self._cause_rows([cause])[cause]
        open_ = one(
            self._connection,
            f"""select exists (select 1 from mark m join node n on n.id = m.node
                               where m.cause = ? and m.severity > 0 and {CURRENT})""",
            (row,),
        )
        closed = one(self._connection, "select max(since) from mark where cause = ? and severity = 0", (row,))
        return self._spread.pending(row), bool(open_), closed
