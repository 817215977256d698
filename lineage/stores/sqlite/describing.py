"""Nodes as readers see them, from SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import replace

from lineage.stores.base import CitationRow, EdgeView, MarkView, NodeView
from lineage.stores.sqlite.codes import (
    CURRENT,
    LINEAGES,
    ROLE_WORDS,
    Codes,
    chunks,
    digest_of,
    id_of,
    marks,
    one,
    origins_of,
)

RUN_THEN = """iif(n.made <= {as_of}, n.run, coalesce((
    select p.run from past_derivation p where p.node = n.id and p.made <= {as_of} and p.until > {as_of}
    order by p.derived desc, p.begin desc limit 1), n.run))"""
"""The run whose derivation node ``n`` had after a sequence number."""


class Describing:
    """What readers see of nodes."""

    def __init__(self, connection: sqlite3.Connection, codes: Codes) -> None:
        self._connection = connection
        self._codes = codes

    def views(self, ids: Collection[str]) -> dict[str, NodeView]:
        """What readers see of nodes, texts included; marks are those that are open."""
        rows = self._codes.rows(ids)
        found: dict[str, NodeView] = {}
        for part in chunks(list(rows.items())):
            by_row = {row: id_ for id_, row in part}
            places, parameters = marks(len(by_row)), list(by_row)
            open_: dict[int, list[MarkView]] = {row: [] for row in by_row}
            for node, cause, type_, severity, via, since in self._connection.execute(
                f"""select m.node, c.name, c.type, m.severity, v.hash, m.since from mark m
                    join cause c on c.id = m.cause left join node v on v.id = m.via
                    where m.node in ({places}) and m.severity > 0 order by c.seq, c.name""",
                parameters,
            ):
                open_[node].append(MarkView(cause, type_, severity, None if via is None else id_of(via), since))
            aliases: dict[int, list[str]] = {}
            for node, alias in self._connection.execute(
                f"select node, alias from alias where node in ({places}) order by alias", parameters
            ):
                aliases.setdefault(node, []).append(alias)
            for row in self._connection.execute(
                f"""select n.id, k.name, s.name, a.key, iif(n.purged, null, t.body), t.hash, n.attributes, d.title,
                           d.reason, d.body, n.lineage, {CURRENT}, n.begin, r.hash, r.producer,
                           x.cache_key, q.body, x.at, x.searched, c.label, c.needs_evidence, n.made
                    from node n join kind k on k.id = n.kind left join name a on a.id = n.name
                    left join namespace s on s.id = a.namespace left join text t on t.id = n.text
                    left join detail d on d.node = n.id left join run r on r.id = n.run
                    left join answer x on x.node = n.id left join text q on q.id = x.question
                    left join claim c on c.node = n.id where n.id in ({places})""",
                parameters,
            ):
                id_ = by_row[row[0]]
                found[id_] = NodeView(
                    id=id_,
                    kind=row[1],
                    namespace=row[2] or "",
                    key=row[3] or "",
                    text=row[4],
                    sha256=None if row[5] is None else row[5].hex(),
                    attributes={} if row[6] is None else json.loads(row[6]),
                    title=row[7],
                    reason=row[8],
                    details={} if row[9] is None else json.loads(row[9]),
                    lineage=LINEAGES[row[10]].value,
                    current=bool(row[11]) or row[1] == "span",
                    begin=row[12],
                    run=None if row[13] is None else "r1:" + row[13].hex(),
                    producer=row[14],
                    cache_key=row[15],
                    question=row[16],
                    at=row[17],
                    searched=tuple(json.loads(row[18])) if row[18] else (),
                    label=row[19],
                    needs_evidence=None if row[20] is None else bool(row[20]),
                    made=row[21],
                    marks=tuple(open_[row[0]]),
                    aliases=tuple(aliases.get(row[0], ())),
                )
        return found

    def citations(self, claims: Collection[str], *, as_of: int | None = None) -> dict[str, list[CitationRow]]:
        """The citations of claims' derivations as printed, in order: of the current ones, or of those made then."""
        rows = self._codes.rows(claims)
        run = "n.run" if as_of is None else RUN_THEN.format(as_of=int(as_of))
        found: dict[str, list[CitationRow]] = {id_: [] for id_ in claims}
        for part in chunks(list(rows.items())):
            by_row = {row: id_ for id_, row in part}
            for row in self._connection.execute(
                f"""select c.claim, c.number, c.marker, c.marker_start, c.marker_stop, t.hash, v.number, c.start,
                           c.stop, c.whole from citation c join node n on n.id = c.claim
                    left join node t on t.id = c.target left join version v on v.id = c.version
                    where c.claim in ({marks(len(by_row))}) and c.run = {run} order by c.claim, c.number""",
                list(by_row),
            ):
                found[by_row[row[0]]].append(
                    CitationRow(
                        claim=by_row[row[0]],
                        order=row[1],
                        marker=row[2],
                        marker_start=row[3],
                        marker_end=row[4],
                        target=None if row[5] is None else id_of(row[5]),
                        version=row[6],
                        start=row[7],
                        end=row[8],
                        whole=bool(row[9]),
                    )
                )
        return found

    def inputs(self, ids: Collection[str]) -> dict[str, list[EdgeView]]:
        """The current edges of nodes to their inputs."""
        rows = self._codes.rows(ids)
        by_row = {row: id_ for id_, row in rows.items()}
        found: dict[str, list[EdgeView]] = {}
        for part in chunks(list(by_row)):
            for src, role, digest, mask, number, since in self._connection.execute(
                f"""select e.src, e.role, n.hash, e.origins, v.number, e.since from edge e join node n on n.id = e.dst
                    left join version v on v.id = e.version where e.src in ({marks(len(part))})""",
                list(part),
            ):
                found.setdefault(by_row[src], []).append(
                    EdgeView(by_row[src], ROLE_WORDS[role], id_of(digest), origins_of(mask), number, since, None)
                )
        return found

    def counts(self) -> dict[str, dict[str, int]]:
        """How many nodes of each kind, edges of each role, and so on."""
        connection = self._connection
        return {
            "nodes": dict(
                connection.execute(
                    "select k.name, count(*) from node n join kind k on k.id = n.kind group by k.id order by k.name"
                )
            ),
            "edges": {
                ROLE_WORDS[role]: count
                for role, count in connection.execute("select role, count(*) from edge group by role order by role")
            },
            "store": {
                table: one(connection, f"select count(*) from {table}")
                for table in ("document", "version", "run", "cause", "mark", "decision", "event", "finding")
            },
        }

    def current_count(self) -> int:
        """How many keys name a current node."""
        return int(one(self._connection, "select count(*) from name where current is not null"))

    def run_begins(self) -> dict[str, int]:
        """Begin by run id of the runs that have not finished."""
        return {
            "r1:" + digest.hex(): begin
            for digest, begin in self._connection.execute("select hash, begin from run where finished is null")
        }

    def marks_then(self, views: Mapping[str, NodeView], as_of: int) -> dict[str, NodeView]:
        """The same nodes with the marks that were open after a sequence number."""
        rows = self._codes.rows(views)
        by_row = {row: id_ for id_, row in rows.items()}
        open_: dict[str, list[MarkView]] = {id_: [] for id_ in views}
        for part in chunks(list(by_row), 400):
            places = marks(len(part))
            for node, cause, type_, severity, via, since in self._connection.execute(
                f"""select m.node, c.name, c.type, m.severity, v.hash, m.since from (
                        select node, cause, severity, via, since, null as until from mark where node in ({places})
                        union all
                        select node, cause, severity, via, since, until from past_mark where node in ({places})) m
                    join cause c on c.id = m.cause left join node v on v.id = m.via
                    where m.severity > 0 and m.since <= ? and (m.until is null or m.until > ?)
                    order by c.seq, c.name""",
                (*part, *part, as_of, as_of),
            ):
                open_[by_row[node]].append(MarkView(cause, type_, severity, None if via is None else id_of(via), since))
        return {id_: replace(view, marks=tuple(open_[id_])) for id_, view in views.items()}

    def made_then(self, views: Mapping[str, NodeView], as_of: int) -> dict[str, NodeView]:
        """The same nodes with the derivation that they had after a sequence number: run, producer, lineage.

        Why a past derivation's lineage was not complete is not kept: ``reason`` is None there.
        """
        later = [id_ for id_, view in views.items() if view.made is not None and view.made > as_of]
        by_row = {row: id_ for id_, row in self._codes.rows(later).items()}
        then: dict[str, NodeView] = {}
        for part in chunks(list(by_row)):
            # What outranks comes last, and stays.
            for node, lineage, begin, made, digest, producer in self._connection.execute(
                f"""select p.node, p.lineage, p.begin, p.made, r.hash, r.producer from past_derivation p
                    join run r on r.id = p.run where p.node in ({marks(len(part))}) and p.made <= ? and p.until > ?
                    order by p.derived, p.begin""",
                (*part, as_of, as_of),
            ):
                then[by_row[node]] = replace(
                    views[by_row[node]],
                    lineage=LINEAGES[lineage].value,
                    reason=None,
                    begin=begin,
                    made=made,
                    run="r1:" + digest.hex(),
                    producer=producer,
                )
        return {id_: then.get(id_, view) for id_, view in views.items()}

    def sequence_at(self, at: int) -> int:
        """The last sequence number given at or before a time (UTC microseconds).

        Not every number has a time of its own (a new derivation has that of none): those behind one
        that was given by then, up to the first that is known to be later, count as given.
        """
        timed = """select begin as seq, at from run union all select seq, at from version
                   union all select seq, at from cause union all select seq, at from event
                   union all select seq, at from decision union all select seq, at from statement"""
        reached = int(one(self._connection, f"select coalesce(max(seq), 0) from ({timed}) where at <= ?", (at,)))
        if not reached:
            return 0
        following = one(self._connection, f"select min(seq) from ({timed}) where seq > ?", (reached,))
        return int(one(self._connection, "select value from sequence")) if following is None else int(following) - 1

    def times(self, numbers: Collection[int]) -> dict[int, int]:
        """When numbers of the sequence were given, UTC microseconds."""
        rows = self._connection.execute(
            """select j.value, (select m.at from moment m where m.seq >= j.value order by m.seq limit 1)
               from json_each(?) j""",
            (json.dumps(sorted(numbers)),),
        )
        return {number: at for number, at in rows if at is not None}

    # history and state

    def makings(self, id_: str) -> list[tuple[str, str, int, int, int | None, int | None]]:
        """(run, producer, begin, made, time, until) of a node's derivations, past ones included."""
        return [
            ("r1:" + digest.hex(), producer, begin, made, at, until)
            for digest, producer, begin, made, at, until in self._connection.execute(
                """select r.hash, r.producer, q.begin, q.made, r.at, q.until from (
                     select n.run, n.begin, n.made, null as until from node n where n.hash = ?1 and n.run is not null
                     union all select p.run, p.begin, p.made, p.until from past_derivation p
                     join node n on n.id = p.node where n.hash = ?1) q
                   join run r on r.id = q.run order by q.made, q.begin""",
                (digest_of(id_),),
            )
        ]

    def namings(self, id_: str) -> tuple[list[tuple[str, int, int]], list[tuple[str, int]]]:
        """What was said of a node's key: all nodes that it named, and all that retired it, in order.

        First (node, first and last naming) by the sequence numbers at which runs that named it
        began (or at which an answer was asked); then (run, begin). Both are empty for a span.
        """
        name = one(self._connection, "select name from node where hash = ?", (digest_of(id_),))
        if name is None:
            return [], []
        nodes = [
            (id_of(digest), first, last)
            for digest, first, last in self._connection.execute(
                "select hash, named_first, named_last from node where name = ? order by named_first, hash", (name,)
            )
        ]
        retired = [
            ("r1:" + digest.hex(), begin)
            for digest, begin in self._connection.execute(
                """select r.hash, q.begin from (
                     select begin, run from retirement where name = ?1 union
                     select s.begin, s.run from name n join sweep s on s.namespace = n.namespace and s.kind = n.kind
                     where n.id = ?1) q join run r on r.id = q.run order by q.begin""",
                (name,),
            )
        ]
        return nodes, retired

    def mark_history(self, id_: str) -> list[tuple[str, int, int, int | None, str | None, int | None]]:
        """(cause, severity, since, until, resolution, time) of a node's marks, past ones included, in order.

        Severity 0 is closed. Only answers' changes have a time (UTC microseconds); ``until`` is None for what holds.
        """
        # The node is asked for inside: SQLite would read all marks and events before it looked at the outer condition.
        return self._connection.execute(
            """select c.name, q.severity, q.since, q.until, q.resolution, e.at from (
                 select cause, severity, since, null as until, resolution from mark where node = ?1
                 union all select cause, severity, since, until, resolution from past_mark where node = ?1) q
               join cause c on c.id = q.cause
               left join (select seq, cause, at from event where node = ?1) e on e.seq = q.since and e.cause = q.cause
               order by c.seq, c.name, q.since""",
            (self._codes.rows([id_]).get(id_),),
        ).fetchall()

    def decision_history(self, id_: str) -> list[tuple[str, str, str, str | None, int, int]]:
        """(cause, kind, reason, who, seq, time) of decisions about a node."""
        return self._connection.execute(
            """select c.name, d.kind, d.reason, d.who, d.seq, d.at from decision d join node n on n.id = d.node
               join cause c on c.id = d.cause where n.hash = ? order by d.seq""",
            (digest_of(id_),),
        ).fetchall()

    def finding_counts(self) -> dict[str, int]:
        """How many findings of each kind were kept."""
        return dict(self._connection.execute("select kind, count(*) from finding group by kind order by kind"))

    def sizes(self) -> dict[str, int]:
        """Bytes of the database file: used, and free inside it."""
        page, total, free = (
            one(self._connection, f"pragma {name}") for name in ("page_size", "page_count", "freelist_count")
        )
        return {"file": page * total, "free": page * free}
