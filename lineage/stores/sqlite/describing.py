"""Nodes as readers see them, from SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import replace

from lineage.stores.base import CitationRow, EdgeView, MarkView, NodeView
from lineage.stores.sqlite.codes import (
    LINEAGES,
    ROLES,
    Codes,
    chunks,
    digest_of,
    id_of,
    marks,
    one,
    origins_of,
)


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
                           d.reason, d.body, n.lineage, a.current is n.id, n.begin, r.hash, r.producer,
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

    def citations(self, claims: Collection[str]) -> dict[str, list[CitationRow]]:
        """The citations of claims' current derivations as printed, in order."""
        rows = self._codes.rows(claims)
        found: dict[str, list[CitationRow]] = {id_: [] for id_ in claims}
        for part in chunks(list(rows.items())):
            by_row = {row: id_ for id_, row in part}
            for row in self._connection.execute(
                f"""select c.claim, c.number, c.marker, c.marker_start, c.marker_stop, t.hash, v.number, c.start,
                           c.stop, c.whole from citation c join node n on n.id = c.claim
                    left join node t on t.id = c.target left join version v on v.id = c.version
                    where c.claim in ({marks(len(by_row))}) and c.run = n.run order by c.claim, c.number""",
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
                    EdgeView(
                        by_row[src], ROLES[role].value, id_of(digest), tuple(origins_of(mask)), number, since, None
                    )
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
                ROLES[role].value: count
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

    def sequence_at(self, at: int) -> int:
        """The last sequence number given at or before a time (UTC microseconds)."""
        return int(
            one(
                self._connection,
                """select coalesce(max(seq), 0) from (
                     select max(begin) as seq from run where at <= ?1
                     union all select max(seq) from version where at <= ?1
                     union all select max(seq) from cause where at <= ?1
                     union all select max(seq) from event where at <= ?1
                     union all select max(seq) from decision where at <= ?1)""",
                (at,),
            )
        )

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

    def mark_history(self, id_: str) -> list[tuple[str, int, int, int | None, str | None]]:
        """(cause, severity, since, until, resolution) of a node's marks, past ones included; severity 0 is closed."""
        return self._connection.execute(
            """select c.name, q.severity, q.since, q.until, q.resolution from (
                 select m.node, m.cause, m.severity, m.since, null as until, m.resolution from mark m
                 union all select p.node, p.cause, p.severity, p.since, p.until, p.resolution from past_mark p) q
               join node n on n.id = q.node join cause c on c.id = q.cause where n.hash = ? order by q.since""",
            (digest_of(id_),),
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
