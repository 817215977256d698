"""Derivations and their edges in SQLite."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from lineage.stores.base import Derivation, Edge, Edges, Outcome, RunState
from lineage.stores.sqlite.codes import chunks, id_of, marks, one
from lineage.stores.sqlite.runs import Runs


def ext_code(edge: Edge) -> int | None:
    """How ``ext`` is stored: the begin of the run that laid the edge over, below zero where the making has it too."""
    return -edge.ext if edge.own and edge.ext is not None else edge.ext


class Derivations(Runs):
    """The makings of nodes: current ones, and what became history."""

    def _put_edges(self, edges: Iterable[tuple[str, Edges]], since: int) -> None:
        listed = list(edges)
        targets = {dst for _, inputs in listed for _, dst in inputs}
        rows = self._codes.rows(targets | {src for src, _ in listed})
        versions = self._version_lookup(
            {(dst, edge.version) for _, inputs in listed for (_, dst), edge in inputs.items() if edge.version}, rows
        )
        out = []
        for src, inputs in listed:
            source = rows[src]
            for (role, dst), edge in inputs.items():
                version = versions[dst, edge.version] if edge.version else None
                out.append(
                    (
                        source,
                        role,
                        rows[dst],
                        edge.origins,
                        version,
                        since,
                        None if edge.ext is None else ext_code(edge),
                    )
                )
        out.sort()
        self._connection.executemany("insert into edge values (?, ?, ?, ?, ?, ?, ?)", out)

    def _version_lookup(
        self, wanted: Collection[tuple[str, int | None]], rows: Mapping[str, int]
    ) -> dict[tuple[str, int | None], int]:
        """Rows of (span id, version number of its edition)."""
        found: dict[tuple[str, int | None], int] = {}
        editions: dict[int, tuple[int, int]] = {}
        nodes = list({rows[id_] for id_, _ in wanted})
        for part in chunks(nodes):
            editions.update(
                (node, (document, edition))
                for node, document, edition in self._connection.execute(
                    f"select node, document, edition from span where node in ({marks(len(part))})", list(part)
                )
            )
        versions: dict[tuple[int, int, int | None], int] = {}
        for id_, number in wanted:
            key = (*editions[rows[id_]], number)
            if key not in versions:
                versions[key] = one(
                    self._connection,
                    "select id from version where document = ? and edition = ? and number = ?",
                    key,
                )
            found[id_, number] = versions[key]
        return found

    def derivations(self, ids: Collection[str]) -> dict[str, Derivation]:
        """The current derivations of nodes that exist, with all edges."""
        rows = self._codes.rows(ids)
        found: dict[str, Derivation] = {}
        for part in chunks(list(rows.items())):
            by_row = {row: id_ for id_, row in part}
            places = marks(len(by_row))
            for node, run, made, lineage, touched, derived, begin in self._connection.execute(
                f"""select n.id, n.run, n.made, n.lineage,
                           exists (select 1 from mark m where m.node = n.id and m.severity > 0), n.derived, n.begin
                    from node n where n.id in ({places}) and n.run is not null""",
                list(by_row),
            ):
                state = self._run(run)
                state = RunState(state.id, state.key, state.namespace, bool(derived), begin)
                found[by_row[node]] = Derivation(state, made, {}, lineage, bool(touched))
            for src, role, digest, origins, number, ext in self._connection.execute(
                f"""select e.src, e.role, n.hash, e.origins, v.number, e.ext from edge e
                    join node n on n.id = e.dst left join version v on v.id = e.version
                    where e.src in ({places})""",
                list(by_row),
            ):
                found[by_row[src]].edges[role, id_of(digest)] = Edge(
                    origins, number, None if ext is None else abs(ext), own=ext is None or ext < 0
                )
        return found

    def apply(self, outcomes: Sequence[Outcome], seq: int) -> None:
        """Changes derivations of nodes that exist, each as its outcome says."""
        rows = self._codes.rows([outcome.node for outcome in outcomes])
        held = self.derivations([outcome.node for outcome in outcomes if outcome.action not in ("past", "replace")])
        for outcome in outcomes:
            node, run_row = rows[outcome.node], self._run_row(outcome.run.id)
            if outcome.action == "past":
                self._file(node, run_row, outcome, seq)
                continue
            before: Edges = {}
            if outcome.action == "replace":
                self._archive(node, seq)
                self._connection.execute("delete from edge where src = ?", (node,))
                self._connection.execute(
                    "update node set run = ?, begin = ?, derived = ?, made = ? where id = ?",
                    (run_row, outcome.run.begin, int(outcome.run.derived), seq, node),
                )
            else:
                before = held[outcome.node].edges
                self._confirm(node, run_row, outcome, seq, grown=not outcome.edges.keys() <= before.keys())
            self._put_edges([(outcome.node, {k: e for k, e in outcome.edges.items() if k not in before})], seq)
            self._change_edges(node, {k: e for k, e in outcome.edges.items() if k in before and before[k] != e})
            if outcome.action != "begin":
                self._set_lineage(node, outcome)

    def _confirm(self, node: int, run_row: int, outcome: Outcome, seq: int, *, grown: bool) -> None:
        """The node's row, where its derivation stays and is added to, or begins later."""
        if outcome.action == "begin":
            # What is derived outranks an import, also one that began later: then that one's begin counts no more.
            self._connection.execute(
                """update node set run = ?1, begin = iif(derived < ?3, ?2, max(begin, ?2)),
                   derived = max(derived, ?3) where id = ?4""",
                (run_row, outcome.run.begin, int(outcome.run.derived), node),
            )
        elif outcome.action == "unite":
            self._connection.execute("update node set begin = max(begin, ?) where id = ?", (outcome.run.begin, node))
        elif grown:
            self._connection.execute("update node set made = ? where id = ?", (seq, node))

    def _change_edges(self, node: int, edges: Edges) -> None:
        """Edges that are there already: their origins, the version read, who laid them over."""
        rows = self._codes.rows({dst for _, dst in edges})
        versions = self._version_lookup({(dst, e.version) for (_, dst), e in edges.items() if e.version}, rows)
        self._connection.executemany(
            "update edge set origins = ?, version = ?, ext = ? where src = ? and role = ? and dst = ?",
            [
                (
                    edge.origins,
                    versions[dst, edge.version] if edge.version else None,
                    ext_code(edge),
                    node,
                    role,
                    rows[dst],
                )
                for (role, dst), edge in edges.items()
            ],
        )

    def _set_lineage(self, node: int, outcome: Outcome) -> None:
        self._connection.execute("update node set lineage = ? where id = ?", (outcome.lineage, node))
        if outcome.reason is not None:
            self._connection.execute(
                """insert into detail(node, reason) values (?, ?)
                   on conflict(node) do update set reason = excluded.reason""",
                (node, outcome.reason),
            )
        for (cause,) in self._connection.execute("select id from cause where type = 2").fetchall():
            if outcome.lineage:
                self._connection.execute(
                    "insert into seed(cause, node, severity) values (?, ?, 1) on conflict do nothing", (cause, node)
                )
            else:
                self._connection.execute("delete from seed where cause = ? and node = ?", (cause, node))
            self._connection.execute("insert into recheck values (?, ?) on conflict do nothing", (cause, node))

    def _archive(self, node: int, until: int) -> None:
        """The current derivation becomes history: its edges leave the table that walks follow."""
        self._connection.execute(
            """insert into past_derivation(node, run, begin, derived, made, lineage, until)
               select id, run, begin, derived, made, lineage, ? from node where id = ? on conflict do nothing""",
            (until, node),
        )
        self._connection.execute(
            """insert into past_edge(src, role, dst, origins, version, since, until, ext, run)
               select e.src, e.role, e.dst, e.origins, e.version, e.since, ?, e.ext, n.run
               from edge e join node n on n.id = e.src where e.src = ?""",
            (until, node),
        )

    def _file(self, node: int, run_row: int, outcome: Outcome, seq: int) -> None:
        """A derivation that was outranked when it came: history with an empty range of sequence numbers."""
        self._connection.execute(
            "insert into past_derivation values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
            (node, run_row, outcome.run.begin, int(outcome.run.derived), outcome.run.begin, outcome.lineage, seq),
        )
        rows = self._codes.rows({dst for _, dst in outcome.edges})
        versions = self._version_lookup(
            {(dst, edge.version) for (_, dst), edge in outcome.edges.items() if edge.version}, rows
        )
        for (role, dst), edge in outcome.edges.items():
            version = versions[dst, edge.version] if edge.version else None
            self._connection.execute(
                """insert into past_edge select ?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?8 where not exists
                   (select 1 from past_edge where src = ?1 and role = ?2 and dst = ?3 and run = ?8 and since = ?6)""",
                (node, role, rows[dst], edge.origins, version, seq, ext_code(edge), run_row),
            )

    def cycle(self, edges: Collection[tuple[str, str]]) -> list[str] | None:
        """A path from an input back to its dependent, where one of these (dependent, input) would close one."""
        rows = self._codes.rows({id_ for pair in edges for id_ in pair})
        for dependent, target in edges:
            if dependent not in rows or target not in rows:
                continue
            path = self._path(rows[target], rows[dependent])
            if path is not None:
                names = self._codes.ids(path)
                return [dependent, *(names[row] for row in path)]
        return None

    def _path(self, start: int, goal: int) -> list[int] | None:
        parents: dict[int, int | None] = {start: None}
        frontier = [start]
        while frontier:
            if goal in parents:
                path: list[int] = []
                row: int | None = goal
                while row is not None:
                    path.append(row)
                    row = parents[row]
                return path[::-1]
            following = []
            for part in chunks(frontier):
                for src, dst in self._connection.execute(
                    f"select src, dst from edge where src in ({marks(len(part))})", list(part)
                ):
                    if dst not in parents:
                        parents[dst] = src
                        following.append(dst)
            frontier = following
        return None

    def inputs_of(self, ids: Collection[str], role: int) -> dict[str, list[str]]:
        """The current inputs of nodes over one role, by id."""
        rows = self._codes.rows(ids)
        by_row = {row: id_ for id_, row in rows.items()}
        found: dict[str, list[str]] = {}
        for part in chunks(list(by_row)):
            for src, digest in self._connection.execute(
                f"""select e.src, n.hash from edge e join node n on n.id = e.dst
                    where e.src in ({marks(len(part))}) and e.role = ? order by e.src, n.hash""",
                (*part, role),
            ):
                found.setdefault(by_row[src], []).append(id_of(digest))
        return found
