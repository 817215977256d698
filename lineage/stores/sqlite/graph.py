"""Runs, names, nodes, derivations and edges in SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence

from lineage_schema.identity import content_hash

from lineage.stores.base import CitationRow, Derivation, Edge, Edges, Name, NodeRow, Outcome, RunState
from lineage.stores.sqlite.codes import Codes, chunks, digest_of, id_of, marks, one
from lineage.stores.sqlite.sources import Sources


class Graph:
    """Operations on what is derived. Whoever calls has checked the input."""

    def __init__(self, connection: sqlite3.Connection, codes: Codes, sources: Sources) -> None:
        self._connection = connection
        self._codes = codes
        self._sources = sources
        self._runs: dict[int, RunState] = {}

    def forget(self) -> None:
        """Drops remembered rows after a rollback."""
        self._runs.clear()

    # runs

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

    # names

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
                   where a.key = ? and a.kind = ? and a.namespace = ?""",
                (key, kind_code, namespace_code),
            ).fetchone()
            if row is not None:
                found[name] = None if row[0] is None else id_of(row[0])
        return found

    def kinds(self, ids: Collection[str]) -> dict[str, str]:
        """The kinds of those ids that the store has."""
        rows = self._codes.rows(ids)
        found: dict[str, str] = {}
        for part in chunks(list(rows.items())):
            by_row = {row: id_ for id_, row in part}
            for row, kind in self._connection.execute(
                f"select id, kind from node where id in ({marks(len(by_row))})", list(by_row)
            ):
                found[by_row[row]] = self._codes.word("kind", kind)
        return found

    def existing(self, ids: Collection[str]) -> set[str]:
        """Those of the ids that the store has."""
        return set(self._codes.rows(ids))

    def retire(self, names: Collection[Name], run: RunState) -> list[Name]:
        """Retires keys as of the run's begin; returns the names that the store does not know."""
        unknown, rows = [], []
        run_row = self._run_row(run.id)
        for name in names:
            kind, namespace, key = name
            row = one(
                self._connection,
                "select id from name where key = ? and kind = ? and namespace = ?",
                (key, self._codes.kind(kind), self._codes.namespace(namespace)),
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
        for name in names:
            nodes = self._connection.execute(
                """select id, hash, named_first, named_last, run from node where name = ?
                   order by named_last desc, hash desc""",
                (name,),
            ).fetchall()
            if not nodes:
                continue
            winner, _, first, last, made_by = nodes[0]
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

    # nodes

    def insert(self, rows: Sequence[NodeRow], run: RunState, seq: int) -> set[str]:
        """Writes those of the rows that are new, with their edges, and names all; returns the new ids.

        Inputs are in the store, or among the rows.
        """
        known = self._codes.rows([row.id for row in rows])
        new = [row for row in rows if row.id not in known]
        run_row = self._run_row(run.id)
        names = self._put_names(rows)
        if new:
            self._insert_new(new, names, run, run_row)
        self._name(rows, known, names, run, run_row)
        return {row.id for row in new}

    def _put_names(self, rows: Sequence[NodeRow]) -> dict[Name, int]:
        wanted = {(row.key, self._codes.kind(row.kind), self._codes.namespace(row.namespace)) for row in rows}
        first = (one(self._connection, "select max(id) from name") or 0) + 1
        ordered = sorted(wanted)
        found = {name: first + index for index, name in enumerate(ordered)}
        before = self._connection.total_changes
        self._connection.executemany(
            "insert into name(key, kind, namespace, id) values (?, ?, ?, ?) on conflict do nothing",
            ((*name, found[name]) for name in ordered),
        )
        if self._connection.total_changes - before < len(ordered):
            for name in ordered:
                found[name] = one(
                    self._connection, "select id from name where key = ? and kind = ? and namespace = ?", name
                )
        return found

    def _insert_new(
        self, new: Sequence[NodeRow], names: Mapping[tuple[str, int, int], int], run: RunState, run_row: int
    ) -> None:
        first = (one(self._connection, "select max(id) from node") or 0) + 1
        texts = self._sources.put_texts({row.sha256: row.text for row in new})
        questions = {row.answer.question for row in new if row.answer}
        hashes = {question: content_hash(question) for question in questions}
        rows_of = self._sources.put_texts({hashes[question]: question for question in questions})
        self._codes.remember((row.id, first + index) for index, row in enumerate(new))
        nodes, details, answers, claims = [], [], [], []
        for index, row in enumerate(new):
            node = first + index
            named = run.begin if row.asked is None else row.asked
            name = names[row.key, self._codes.kind(row.kind), self._codes.namespace(row.namespace)]
            nodes.append(
                (
                    node,
                    digest_of(row.id),
                    self._codes.kind(row.kind),
                    name,
                    texts[row.sha256],
                    row.attributes,
                    named,
                    named,
                    run_row,
                    run.begin,
                    int(run.derived),
                    run.begin,
                    row.lineage,
                )
            )
            if row.title is not None or row.reason is not None or row.details is not None:
                details.append((node, row.title, row.reason, row.details))
            if row.answer is not None:
                searched = json.dumps(sorted(row.answer.searched)) if row.answer.searched else None
                answers.append(
                    (node, row.answer.cache_key, rows_of[hashes[row.answer.question]], named, row.answer.at, searched)
                )
            if row.claim is not None:
                claims.append((node, row.claim.label, int(row.claim.needs_evidence)))
        nodes.sort(key=lambda row: row[1])
        self._connection.executemany(
            """insert into node(id, hash, kind, name, text, attributes, named_first, named_last, run, begin, derived,
                 made, lineage) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            nodes,
        )
        self._connection.executemany("insert into detail values (?, ?, ?, ?)", details)
        self._connection.executemany(
            "insert into answer(node, cache_key, question, asked, at, searched) values (?, ?, ?, ?, ?, ?)", answers
        )
        self._connection.executemany("insert into claim values (?, ?, ?)", claims)
        self._put_edges(((row.id, row.edges) for row in new), run.begin)
        self._connection.executemany(
            "insert into seed(cause, node, severity) select id, ?, 1 from cause where type = 2",
            [(first + index,) for index, row in enumerate(new) if row.lineage],
        )

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
                out.append((source, role, rows[dst], edge.origins, version, since, edge.ext))
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

    def _name(
        self,
        rows: Sequence[NodeRow],
        known: Mapping[str, int],
        names: Mapping[tuple[str, int, int], int],
        run: RunState,
        run_row: int,
    ) -> None:
        """Notes that the run named these nodes, and settles the names that may have changed."""
        swept = one(
            self._connection,
            "select max(begin) from sweep where namespace = ?",
            (self._codes.namespace(run.namespace),),
        )
        existing = self._codes.rows([row.id for row in rows])
        unsettled: set[int] = set()
        seen: dict[int, int] = {}
        moved = []
        for row in rows:
            name = names[row.key, self._codes.kind(row.kind), self._codes.namespace(row.namespace)]
            node = existing[row.id]
            if row.id in known:
                moved.append((run.begin if row.asked is None else row.asked, node))
                unsettled.add(name)
            elif name in seen and seen[name] != node:
                unsettled.add(name)
            seen[name] = node
        self._connection.executemany(
            """update node set named_first = min(named_first, ?1), named_last = max(named_last, ?1) where id = ?2
               and (?1 < named_first or ?1 > named_last)""",
            moved,
        )
        # A new name has one node, and no run swept it: the common case needs no look at its history.
        fresh = [(node, name) for name, node in seen.items() if name not in unsettled]
        before = self._connection.total_changes
        if swept is None or swept <= run.begin:
            self._connection.executemany(
                "update name set current = ? where id = ? and current is null and not exists "
                "(select 1 from retirement r where r.name = name.id)",
                fresh,
            )
            if self._connection.total_changes - before < len(fresh):
                unsettled.update(name for _, name in fresh)
        else:
            unsettled.update(name for _, name in fresh)
        self._connection.executemany(
            "insert into naming(run, kind) values (?, ?) on conflict do nothing",
            {(run_row, self._codes.kind(row.kind)) for row in rows},
        )
        if one(self._connection, "select complete from run where id = ?", (run_row,)):
            self.finish_run(run.id, 0, True)
        self._settle(sorted(unsettled))

    def put_aliases(self, rows: Sequence[NodeRow]) -> int:
        """Native ids of nodes that are in the store; returns how many were new."""
        aliases = [(alias, row.namespace, row.id) for row in rows for alias in row.aliases]
        if not aliases:
            return 0
        nodes = self._codes.rows({id_ for _, _, id_ in aliases})
        before = self._connection.total_changes
        self._connection.executemany(
            "insert into alias values (?, ?, ?) on conflict do nothing",
            sorted((alias, self._codes.namespace(namespace), nodes[id_]) for alias, namespace, id_ in aliases),
        )
        return self._connection.total_changes - before

    # derivations

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
                found[by_row[src]].edges[role, id_of(digest)] = Edge(origins, number, ext)
        return found

    def apply(self, outcomes: Sequence[Outcome], seq: int) -> None:
        """Changes derivations of nodes that exist, each as its outcome says."""
        rows = self._codes.rows([outcome.node for outcome in outcomes])
        for outcome in outcomes:
            node, run_row = rows[outcome.node], self._run_row(outcome.run.id)
            if outcome.action == "past":
                self._file(node, run_row, outcome, seq)
                continue
            if outcome.action == "begin":
                self._connection.execute(
                    "update node set run = ?, begin = max(begin, ?), derived = max(derived, ?) where id = ?",
                    (run_row, outcome.run.begin, int(outcome.run.derived), node),
                )
                self._move_versions(node, outcome.edges)
                continue
            if outcome.action == "replace":
                self._archive(node, seq)
                self._connection.execute("delete from edge where src = ?", (node,))
                self._connection.execute(
                    "update node set run = ?, begin = ?, derived = ?, made = ? where id = ?",
                    (run_row, outcome.run.begin, int(outcome.run.derived), seq, node),
                )
            elif outcome.action == "unite":
                self._connection.execute("update node set begin = max(begin, ?) where id = ?", (outcome.run.begin, node))
                self._move_versions(node, outcome.edges)
            elif outcome.action == "extend":
                self._connection.execute("update node set made = ? where id = ?", (seq, node))
            held = {
                (role, id_of(digest))
                for role, digest in self._connection.execute(
                    "select e.role, n.hash from edge e join node n on n.id = e.dst where e.src = ?", (node,)
                )
            }
            self._put_edges([(outcome.node, {k: edge for k, edge in outcome.edges.items() if k not in held})], seq)
            for (role, dst), edge in outcome.edges.items():
                if (role, dst) in held:
                    self._connection.execute(
                        """update edge set origins = origins | ? where src = ? and role = ? and
                           dst = (select id from node where hash = ?)""",
                        (edge.origins, node, role, digest_of(dst)),
                    )
            self._set_lineage(node, outcome)

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

    def _move_versions(self, node: int, edges: Edges) -> None:
        rows = self._codes.rows({dst for _, dst in edges})
        wanted = {(dst, edge.version) for (_, dst), edge in edges.items() if edge.version}
        versions = self._version_lookup(wanted, rows)
        for (role, dst), edge in edges.items():
            if edge.version:
                self._connection.execute(
                    "update edge set version = ? where src = ? and role = ? and dst = ? and version is not ?",
                    (versions[dst, edge.version], node, role, rows[dst], versions[dst, edge.version]),
                )

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
                (node, role, rows[dst], edge.origins, version, seq, edge.ext, run_row),
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
                path, row = [], goal
                while row is not None:
                    path.append(row)
                    row = parents[row]  # type: ignore[assignment]
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

    # what stands beside

    def asked(self, answer: str) -> int:
        """The sequence number at which an answer was asked last."""
        return int(one(self._connection, "select named_last from node where hash = ?", (digest_of(answer),)))

    def derive_from(self, namespace: str, inputs: Collection[str]) -> None:
        """A namespace derives from the namespaces of these nodes, and from the documents of these spans."""
        code = self._codes.namespace(namespace)
        rows = list(self._codes.rows(inputs).values())
        for part in chunks(rows):
            places = marks(len(part))
            self._connection.execute(
                f"""insert into namespace_input select distinct ?, a.namespace from node n join name a on a.id = n.name
                    where n.id in ({places}) and a.namespace <> ? on conflict do nothing""",
                (code, *part, code),
            )
            self._connection.execute(
                f"""insert into namespace_document select distinct ?, s.document, 0 from span s
                    where s.node in ({places}) on conflict do nothing""",
                (code, *part),
            )

    def put_citations(self, rows: Sequence[CitationRow], run: RunState) -> None:
        """Citations as printed, of claims that are in the store."""
        nodes = self._codes.rows({id_ for row in rows for id_ in (row.claim, row.target) if id_ is not None})
        versions = self._version_lookup({(row.target, row.version) for row in rows if row.target and row.version}, nodes)
        run_row = self._run_row(run.id)
        self._connection.executemany(
            """insert into citation values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing""",
            (
                (
                    nodes[row.claim],
                    run_row,
                    row.order,
                    row.marker,
                    row.marker_start,
                    row.marker_end,
                    None if row.target is None else nodes[row.target],
                    versions[row.target, row.version] if row.target and row.version else None,
                    row.start,
                    row.end,
                    int(row.whole),
                )
                for row in rows
            ),
        )

    def put_findings(self, findings: Iterable[tuple[str, str, str]], run: RunState) -> None:
        """(kind, where, what) that a run met and kept."""
        run_row = self._run_row(run.id)
        self._connection.executemany(
            "insert into finding(run, kind, place, what) values (?, ?, ?, ?) on conflict do nothing",
            ((run_row, *finding) for finding in findings),
        )

    def put_searched(self, answers: Collection[str], cited: bool) -> None:
        """Notes of answers whether some claim of theirs has a citation."""
        rows = self._codes.rows(answers)
        self._connection.executemany(
            "update answer set cited = max(cited, ?) where node = ?", ((int(cited), row) for row in rows.values())
        )

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

    def _sweep(self, run_row: int, kind: int) -> None:
        begin, namespace = self._connection.execute("select begin, namespace from run where id = ?", (run_row,)).fetchone()
        done = self._connection.execute(
            "insert into sweep values (?, ?, ?, ?) on conflict do nothing", (namespace, kind, begin, run_row)
        ).rowcount
        if done:
            self._settle(self._names_of(namespace, kind))

    def _names_of(self, namespace: int, kind: int) -> list[int]:
        return [
            row
            for (row,) in self._connection.execute(
                "select id from name where namespace = ? and kind = ?", (namespace, kind)
            )
        ]

