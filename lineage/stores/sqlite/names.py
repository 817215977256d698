"""Keys and what they name in SQLite: naming, retiring, and the seeds of what was replaced."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from lineage.stores.base import Name, NodeRow, RunState
from lineage.stores.sqlite.codes import chunks, id_of, key_digest, marks, one
from lineage.stores.sqlite.runs import Runs


class Names(Runs):
    """Which node a key names, and what was replaced under it."""

    def finish_run(self, id_: str, at: int, complete: bool) -> None:
        """The run ended. ``complete``: keys of the kinds that it named and did not name are retired."""
        row = self._run_row(id_)
        self._connection.execute(
            "update run set finished = coalesce(finished, ?), complete = max(complete, ?) where id = ?",
            (at, int(complete), row),
        )
        if not complete:
            return
        never = {self._codes.code("kind", word) for word in ("answer", "claim", "span")}
        for (kind,) in self._connection.execute("select kind from naming where run = ?", (row,)).fetchall():
            if kind not in never:
                self._sweep(row, kind)

    def named(self, names: Collection[Name]) -> dict[Name, str | None]:
        """The node that each name names now, None where the key is retired; unknown names are left out."""
        found: dict[Name, str | None] = {}
        for name in names:
            kind, namespace, key = name
            kind_code, namespace_code = self._codes.code("kind", kind), self._codes.code("namespace", namespace)
            if kind_code is None or namespace_code is None:
                continue
            row = self._connection.execute(
                """select n.hash from name a left join node n on n.id = a.current
                   where a.digest = ? and a.key = ? and a.kind = ? and a.namespace = ?""",
                (key_digest(key), key, kind_code, namespace_code),
            ).fetchone()
            if row is not None:
                found[name] = None if row[0] is None else id_of(row[0])
        return found

    def retire(self, names: Collection[Name], run: RunState) -> list[Name]:
        """Retires keys as of the run's begin; returns the names that the store does not know."""
        unknown, rows = [], []
        run_row = self._run_row(run.id)
        for name in names:
            kind, namespace, key = name
            row = one(
                self._connection,
                "select id from name where digest = ? and key = ? and kind = ? and namespace = ?",
                (key_digest(key), key, self._codes.kind(kind), self._codes.namespace(namespace)),
            )
            if row is None:
                unknown.append(name)
                continue
            self._connection.execute(
                "insert into retirement values (?, ?, ?) on conflict do nothing", (row, run.begin, run_row)
            )
            rows.append(row)
        self._settle(rows)
        return unknown

    def _settle(self, names: Sequence[int]) -> None:
        """Makes each name's ``current`` what its namings and retirements say, and seeds what was replaced.

        Order is by the begin of runs: naming wins over retiring at the same begin, the greater id
        among two texts of one begin. A node is replaced by the run that first named the node
        that is current now, or, where the key was retired, by the first run that did.
        """
        never = {self._codes.code("kind", word) for word in ("answer", "claim")}
        for name in names:
            nodes = self._connection.execute(
                """select id, hash, named_first, named_last, run, kind from node where name = ?
                   order by named_last desc, hash desc""",
                (name,),
            ).fetchall()
            if not nodes:
                continue
            winner, _, first, last, made_by, kind = nodes[0]
            retired = self._connection.execute(
                """select run from (
                     select begin, run from retirement where name = ?1 and begin > ?2
                     union all
                     select s.begin, s.run from name n join sweep s on s.namespace = n.namespace and s.kind = n.kind
                     where n.id = ?1 and s.begin > ?2) order by begin limit 1""",
                (name, last),
            ).fetchone()
            current = None if retired else winner
            self._connection.execute(
                "update name set current = ?1 where id = ?2 and current is not ?1", (current, name)
            )
            namer = one(self._connection, "select id from run where begin = ?", (first,)) or made_by
            if kind in never:
                # Nobody cites an answer: one that was asked again takes its claims with it.
                continue
            for node, *_ in nodes:
                replaced_by = None
                if node != current:
                    replaced_by = retired[0] if node == winner and retired else namer
                self._seed_replacement(node, replaced_by)

    def _seed_replacement(self, node: int, run: int | None) -> None:
        cause = None if run is None else self._replacement_cause(run)
        held = self._connection.execute(
            "select s.cause from seed s join cause c on c.id = s.cause where s.node = ? and c.type = 1", (node,)
        ).fetchall()
        for (other,) in held:
            if other != cause:
                self._connection.execute("delete from seed where cause = ? and node = ?", (other, node))
                self._connection.execute("insert into recheck values (?, ?) on conflict do nothing", (other, node))
        if cause is not None and (cause,) not in held:
            self._connection.execute("insert into seed(cause, node, severity) values (?, ?, 1)", (cause, node))
            self._connection.execute("insert into recheck values (?, ?) on conflict do nothing", (cause, node))

    def _replacement_cause(self, run: int) -> int:
        row = one(self._connection, "select id from cause where type = 1 and run = ?", (run,))
        if row is None:
            hash_, seq, at = self._connection.execute("select hash, begin, at from run where id = ?", (run,)).fetchone()
            (row,) = self._connection.execute(
                "insert into cause(name, type, seq, at, run) values (?, 1, ?, ?, ?) returning id",
                ("r1:" + hash_.hex(), seq, at, run),
            ).fetchone()
        return int(row)

    def _sweep(self, run_row: int, kind: int) -> None:
        begin, namespace = self._connection.execute(
            "select begin, namespace from run where id = ?", (run_row,)
        ).fetchone()
        done = self._connection.execute(
            "insert into sweep values (?, ?, ?, ?) on conflict do nothing", (namespace, kind, begin, run_row)
        ).rowcount
        if done:
            # Only a key that was not named since can change.
            names = self._connection.execute(
                """select a.id from name a where a.namespace = ?1 and a.kind = ?2 and not exists (
                     select 1 from node n where n.id = a.current and n.named_last >= ?3)""",
                (namespace, kind, begin),
            ).fetchall()
            self._settle([name for (name,) in names])

    def _put_names(
        self, rows: Sequence[NodeRow], nodes: Mapping[str, int]
    ) -> tuple[dict[tuple[str, int, int], int], set[int]]:
        """The rows of all names, new ones naming their node at once; and those names that must be settled."""
        wanted: dict[tuple[str, int, int], set[int]] = {}
        for row in rows:
            name = (row.key, self._codes.kind(row.kind), self._codes.namespace(row.namespace))
            wanted.setdefault(name, set()).add(nodes[row.id])
        first = (one(self._connection, "select max(id) from name") or 0) + 1
        # In the order of the index: pages are then filled one after the other.
        digests = {name: key_digest(name[0]) for name in wanted}
        ordered = sorted(wanted, key=digests.__getitem__)
        found = {name: first + index for index, name in enumerate(ordered)}
        before = self._connection.total_changes
        self._connection.executemany(
            """insert into name(key, kind, namespace, digest, id, current) values (?, ?, ?, ?, ?, ?)
               on conflict do nothing""",
            ((*name, digests[name], found[name], min(wanted[name])) for name in ordered),
        )
        unsettled = {found[name] for name in ordered if len(wanted[name]) > 1}
        if self._connection.total_changes - before < len(ordered):
            for name in ordered:
                row, current = self._connection.execute(
                    "select id, current from name where digest = ?4 and key = ?1 and kind = ?2 and namespace = ?3",
                    (*name, digests[name]),
                ).fetchone()
                found[name] = row
                if {current} != wanted[name]:
                    unsettled.add(row)
        return found, unsettled

    def _name(
        self,
        rows: Sequence[NodeRow],
        known: Mapping[str, int],
        names: Mapping[tuple[str, int, int], int],
        unsettled: set[int],
        run: RunState,
    ) -> None:
        """Notes that the run named these nodes, and settles the names that may have changed."""
        run_row = self._run_row(run.id)
        # Named by an earlier run than was known, a node replaced the others of its key earlier: they are told by whom.
        for part in chunks(list(known.values())):
            unsettled.update(
                name
                for (name,) in self._connection.execute(
                    f"select name from node where id in ({marks(len(part))}) and named_first > ?", (*part, run.begin)
                )
            )
        self._connection.executemany(
            """update node set named_first = min(named_first, ?1), named_last = max(named_last, ?1) where id = ?2
               and (?1 < named_first or ?1 > named_last)""",
            ((run.begin if row.asked is None else row.asked, known[row.id]) for row in rows if row.id in known),
        )
        swept = one(self._connection, "select max(begin) from sweep")
        if swept is not None and swept > run.begin:
            unsettled.update(names.values())
        self._connection.executemany(
            "insert into naming(run, kind) values (?, ?) on conflict do nothing",
            {(run_row, self._codes.kind(row.kind)) for row in rows},
        )
        if one(self._connection, "select complete from run where id = ?", (run_row,)):
            self.finish_run(run.id, 0, True)
        self._settle(sorted(unsettled))
