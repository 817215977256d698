"""Look-ups and walks in SQLite. Every walk visits a node once and never enumerates paths."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from typing import Any

from lineage.stores.base import CitationRow, EdgeView, MarkView, NodeView, Walk
from lineage.stores.sqlite.codes import (
    LAST_PASSING,
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


class Reading:
    """Operations that change nothing."""

    def __init__(self, connection: sqlite3.Connection, codes: Codes) -> None:
        self._connection = connection
        self._codes = codes

    # finding

    def by_prefix(self, prefix: str, limit: int) -> list[str]:
        """Node ids that begin with ``prefix`` (``l1:`` and at least one digit), in order."""
        digits = prefix[3:]
        low = bytes.fromhex(digits.ljust(40, "0"))
        high = bytes.fromhex(digits.ljust(40, "f"))
        return [
            id_of(digest)
            for (digest,) in self._connection.execute(
                "select hash from node where hash between ? and ? order by hash limit ?", (low, high, limit)
            )
        ]

    def by_alias(self, alias: str) -> list[str]:
        """The nodes that an alias names, in any namespace."""
        return [
            id_of(digest)
            for (digest,) in self._connection.execute(
                "select distinct n.hash from alias a join node n on n.id = a.node where a.alias = ? order by n.hash",
                (alias,),
            )
        ]

    def answers_by_key(self, key: str) -> list[str]:
        """Current answers with that key in any namespace, or with that cache key."""
        return [
            id_of(digest)
            for (digest,) in self._connection.execute(
                """select n.hash from name a join node n on n.id = a.current where a.key = ?1 and a.kind = ?2
                   union select n.hash from answer x join node n on n.id = x.node join name a on a.current = n.id
                   where x.cache_key = ?1 order by 1""",
                (key, self._codes.code("kind", "answer")),
            )
        ]

    def search(self, text: str, kind: str | None, limit: int) -> list[str]:
        """Nodes whose text, title, key or alias contains ``text``, letter case aside; by kind, namespace, key, id."""
        pattern = "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        kind_code = None if kind is None else self._codes.code("kind", kind)
        if kind is not None and kind_code is None:
            return []
        return [
            id_of(digest)
            for (digest,) in self._connection.execute(
                """select n.hash from node n join kind k on k.id = n.kind left join name a on a.id = n.name
                   left join namespace s on s.id = a.namespace left join text t on t.id = n.text
                   left join detail d on d.node = n.id
                   where (?2 is null or n.kind = ?2) and (iif(n.purged, null, t.body) like ?1 escape '\\' or d.title like ?1 escape '\\'
                     or a.key like ?1 escape '\\'
                     or exists (select 1 from alias x where x.node = n.id and x.alias like ?1 escape '\\')
                     or exists (select 1 from span p join version v on v.id = p.version join text b on b.id = v.text
                                where p.node = n.id and v.purged = 0 and substr(b.body, p.start + 1, p.stop - p.start) like ?1 escape '\\'))
                   order by k.name, s.name, a.key, n.hash limit ?3""",
                (pattern, kind_code, limit),
            )
        ]

    # describing

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
                f"""select n.id, k.name, s.name, a.key, iif(n.purged, null, t.body), t.hash, n.attributes, d.title, d.reason, d.body,
                           n.lineage, a.current is n.id, n.begin, r.hash, r.producer, x.cache_key, q.body, x.at,
                           x.searched, c.label, c.needs_evidence, n.made
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
                f"""select c.claim, c.number, c.marker, c.marker_start, c.marker_stop, t.hash, v.number, c.start, c.stop,
                           c.whole from citation c join node n on n.id = c.claim
                    left join node t on t.id = c.target left join version v on v.id = c.version
                    where c.claim in ({marks(len(by_row))}) and c.run = n.run order by c.claim, c.number""",
                list(by_row),
            ):
                found[by_row[row[0]]].append(
                    CitationRow(
                        by_row[row[0]],
                        *row[1:5],
                        None if row[5] is None else id_of(row[5]),
                        *row[6:9],
                        bool(row[9]),
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

    # walking

    def reach(self, ids: Collection[str], *, up: bool, passing: bool = True, limit: int | None = None) -> list[str]:
        """The ids of all nodes that the walk reaches, start included, nearest first and by row within a level.

        ``up`` goes to dependents. ``passing`` keeps to the roles over which marks pass.
        """
        rows = list(self._codes.rows(ids).values())
        reached = self._reach(rows, up=up, passing=passing, limit=limit)
        names = self._codes.ids(reached)
        return [names[row] for row in reached]

    def count_reach(self, ids: Collection[str], *, up: bool) -> int:
        """How many nodes the walk over passing roles reaches, start included."""
        return len(self._reach(list(self._codes.rows(ids).values()), up=up, passing=True, limit=None))

    def _reach(self, start: Sequence[int], *, up: bool, passing: bool, limit: int | None) -> list[int]:
        here, there = ("dst", "src") if up else ("src", "dst")
        roles = f"and e.role <= {LAST_PASSING}" if passing else ""
        # One text per level instead of a row per edge: the rows would cost more than the walk.
        statement = f"""select group_concat(e.{there}) from json_each(?) j
                        cross join edge e where e.{here} = j.value {roles}"""
        seen: dict[int, None] = dict.fromkeys(start)
        frontier = list(seen)
        while frontier and (limit is None or len(seen) < limit):
            (joined,) = self._connection.execute(statement, (json.dumps(frontier),)).fetchone()
            if joined is None:
                break
            following = set(map(int, joined.split(","))).difference(seen)
            frontier = sorted(following)
            seen.update(dict.fromkeys(frontier))
        return list(seen)[:limit] if limit is not None else list(seen)

    def walk(
        self,
        ids: Collection[str],
        *,
        up: bool,
        passing: bool = False,
        limit: int | None = None,
        as_of: int | None = None,
    ) -> Walk:
        """The part of the graph that the walk reaches: node ids by level, and every edge among them that it met.

        ``limit`` bounds the nodes; ``cut`` counts nodes that were met and left out.
        ``as_of`` reads the edges that held after that sequence number.
        """
        here, there = ("dst", "src") if up else ("src", "dst")
        roles = f"and role <= {LAST_PASSING}" if passing else ""
        now = f"""select e.src, e.role, e.dst, e.origins, v.number, e.since, null as until from edge e
                  left join version v on v.id = e.version where e.{here} in ({{places}}) {roles}"""
        then = f"""select p.src, p.role, p.dst, p.origins, v.number, p.since, p.until from past_edge p
                   left join version v on v.id = p.version where p.{here} in ({{places}}) {roles} and p.until > p.since"""
        level: dict[int, int] = dict.fromkeys(self._codes.rows(ids).values(), 0)
        frontier, depth = list(level), 0
        edges: dict[tuple[int, int, int], tuple[Any, ...]] = {}
        cut: set[int] = set()
        while frontier:
            depth += 1
            following: list[int] = []
            for part in chunks(frontier):
                places = marks(len(part))
                if as_of is None:
                    rows = self._connection.execute(now.format(places=places), list(part)).fetchall()
                else:
                    rows = self._connection.execute(
                        f"""select * from ({now.format(places=places)} union all {then.format(places=places)})
                            where since <= ? and (until is null or until > ?)""",
                        (*part, *part, as_of, as_of),
                    ).fetchall()
                for row in rows:
                    other = row[0] if there == "src" else row[2]
                    if other not in level:
                        if limit is not None and len(level) >= limit:
                            cut.add(other)
                            continue
                        level[other] = depth
                        following.append(other)
                    edges[row[0], row[1], row[2]] = row
            frontier = following
        names = self._codes.ids(list(level))
        return Walk(
            levels={names[row]: depth for row, depth in level.items()},
            edges=[
                EdgeView(names[src], ROLES[role].value, names[dst], tuple(origins_of(mask)), number, since, until)
                for (src, role, dst), (_, _, _, mask, number, since, until) in edges.items()
            ],
            cut=len(cut),
        )

    def run_begins(self) -> dict[str, int]:
        """Begin by run id of the runs that have not finished."""
        return {
            "r1:" + digest.hex(): begin
            for digest, begin in self._connection.execute("select hash, begin from run where finished is null")
        }

    def digest(self, id_: str) -> bytes:
        """The stored form of an id."""
        return digest_of(id_)

    # answers

    def quick(self, ref: str) -> list[tuple[str, str, str, str]] | None:
        """(id, namespace, key, sha256) of the current answers of a key or cache key, where all are plainly fresh.

        One statement: no pending work, no open mark, nothing searched. None where more must be looked at.
        """
        rows = self._connection.execute(QUICK, (ref, self._codes.code("kind", "answer"))).fetchall()
        if not rows or any(row[4] for row in rows):
            return None
        return [(id_of(digest), space, key, sha256.hex()) for digest, space, key, sha256, _ in rows]

    def past_of(self, name: tuple[str, str, str]) -> list[str]:
        """The nodes that a retired key named last."""
        kind, namespace, key = name
        return [
            id_of(digest)
            for (digest,) in self._connection.execute(
                """select n.hash from name a join node n on n.name = a.id
                   where a.key = ? and a.kind = ? and a.namespace = ? order by n.named_last desc, n.hash desc limit 1""",
                (key, self._codes.code("kind", kind), self._codes.code("namespace", namespace)),
            )
        ]

    def searched_since(self, answer: str) -> list[str]:
        """Documents that the namespaces an answer searched got, or got a version of, since it was asked.

        Empty where the answer cites something: then what it cites speaks for it.
        """
        node, asked, searched = self._connection.execute(
            "select n.id, n.named_last, x.searched from node n join answer x on x.node = n.id where n.hash = ?",
            (digest_of(answer),),
        ).fetchone()
        cites = one(
            self._connection,
            "select exists (select 1 from edge c join edge e on e.src = c.dst and e.role = 1 where c.src = ? and c.role = 0)",
            (node,),
        )
        if cites or not searched:
            return []
        names = json.loads(searched)
        return [
            uri
            for (uri,) in self._connection.execute(
                f"""select distinct d.uri from namespace s join namespace_document g on g.namespace = s.id
                    join document d on d.id = g.document join version v on v.document = d.id
                    where s.name in ({marks(len(names))}) and max(g.seq, v.seq) > ? order by d.uri""",
                (*names, asked),
            )
        ]

    def cannot_exclude(self, answer: str) -> list[tuple[str, str]]:
        """(correction, why) of corrections that may have reached the answer through lineage that is not known.

        They are of documents that the namespace of an incomplete node under the answer derives
        from, do not mark the answer, and that node was not rebuilt by a run that began after the
        correction's last mark closed; a decision about the answer settles it.
        """
        (root,) = self._codes.rows([answer]).values()
        under = self._reach([root], up=False, passing=True, limit=None)
        found: dict[str, str] = {}
        for part in chunks(under):
            for cause, seq, open_, closed, begin, key, kind, reason in self._connection.execute(
                INCOMPLETE_UNDER.format(places=marks(len(part))), (*part, root, root)
            ):
                if not open_ and begin > max(closed or 0, seq):
                    continue
                why = f"{self._codes.word('kind', kind)} {key} has incomplete lineage" + (
                    f" ({reason})" if reason else ""
                )
                found.setdefault(cause, why)
        return sorted(found.items())

    # what a cause marked

    def marked_answers(self, cause: str, *, current: bool) -> list[str]:
        """Answers with an open mark of a cause: by severity (the worst first), namespace, key, id."""
        where = "and a.current = n.id" if current else ""
        return [
            id_of(digest)
            for (digest,) in self._connection.execute(
                f"""select n.hash from cause c join mark m on m.cause = c.id and m.severity > 0
                    join node n on n.id = m.node and n.kind = ? join name a on a.id = n.name {where}
                    join namespace s on s.id = a.namespace where c.name = ?
                    order by m.severity desc, s.name, a.key, n.hash""",
                (self._codes.code("kind", "answer"), cause),
            )
        ]

    def marked_counts(self, cause: str, *, current: bool) -> dict[str, dict[int, int]]:
        """How many nodes of each kind have an open mark of a cause, by severity. Spans are always current."""
        where = "and (n.name is null or exists (select 1 from name a where a.current = n.id and a.id = n.name))"
        found: dict[str, dict[int, int]] = {}
        for kind, severity, count in self._connection.execute(
            f"""select k.name, m.severity, count(*) from cause c join mark m on m.cause = c.id and m.severity > 0
                join node n on n.id = m.node join kind k on k.id = n.kind
                where c.name = ? {where if current else ""} group by k.id, m.severity""",
            (cause,),
        ):
            found.setdefault(kind, {})[severity] = count
        return found

    def severities(self, cause: str, ids: Collection[str]) -> dict[str, int]:
        """The severity of a cause's open marks on nodes."""
        rows = self._codes.rows(ids)
        by_row = {row: id_ for id_, row in rows.items()}
        found: dict[str, int] = {}
        for part in chunks(list(by_row)):
            for node, severity in self._connection.execute(
                f"""select m.node, m.severity from mark m join cause c on c.id = m.cause
                    where m.node in ({marks(len(part))}) and c.name = ? and m.severity > 0""",
                (*part, cause),
            ):
                found[by_row[node]] = severity
        return found

    def open_corrections(self, ids: Collection[str], *, but: str) -> dict[str, list[str]]:
        """The other corrections that have open marks on nodes, in order of the sequence."""
        rows = self._codes.rows(ids)
        by_row = {row: id_ for id_, row in rows.items()}
        found: dict[str, list[str]] = {}
        for part in chunks(list(by_row)):
            for node, name in self._connection.execute(
                f"""select m.node, c.name from main.mark m join main.cause c on c.id = m.cause
                    where m.node in ({marks(len(part))}) and m.severity > 0 and c.type = 0 and c.name <> ?
                    order by c.seq, c.name""",
                (*part, but),
            ):
                found.setdefault(by_row[node], []).append(name)
        return found

    def answers_above(self, versions: Sequence[tuple[str, int, int]], *, current: bool) -> list[str]:
        """Answers that stand, over passing roles, on spans that stand in these (uri, edition, version)."""
        start: list[int] = []
        for uri, edition, number in versions:
            start.extend(
                node
                for (node,) in self._connection.execute(
                    """select a.node from document d join version v on v.document = d.id and v.edition = ?
                       and v.number = ? join anchor a on a.version = v.id where d.uri = ?""",
                    (edition, number, uri),
                )
            )
        reached = self._reach(list(dict.fromkeys(start)), up=True, passing=True, limit=None)
        found: list[tuple[str, str, str]] = []
        where = "and a.current = n.id" if current else ""
        for part in chunks(reached):
            found.extend(
                (space, key, id_of(digest))
                for digest, space, key in self._connection.execute(
                    f"""select n.hash, s.name, a.key from node n join name a on a.id = n.name {where}
                        join namespace s on s.id = a.namespace
                        where n.id in ({marks(len(part))}) and n.kind = ?""",
                    (*part, self._codes.code("kind", "answer")),
                )
            )
        return [id_ for _, _, id_ in sorted(found)]

    # rebuilding

    def to_rebuild(self, cause: str | None) -> list[str]:
        """Current derived nodes, claims and answers that are invalid, or stand on a node that is no longer current."""
        mine = "" if cause is None else "and c.name = :cause"
        replaced = (
            ""
            if cause is not None
            else """union select e.src from name a join node n on n.name = a.id
                and n.id is not a.current join edge e on e.dst = n.id"""
        )
        return [
            id_of(digest)
            for (digest,) in self._connection.execute(
                f"""select n.hash from (
                        select m.node as id from cause c join mark m on m.cause = c.id and m.severity = 2
                        where c.type = 0 {mine} {replaced}) q
                    join node n on n.id = q.id join name a on a.id = n.name and a.current = n.id order by n.hash""",
                {"cause": cause},
            )
        ]

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

    def current_count(self) -> int:
        """How many keys name a current node."""
        return int(one(self._connection, "select count(*) from name where current is not null"))


QUICK = """
select n.hash, s.name, a.key, t.hash,
       x.searched is not null or exists (select 1 from mark m where m.node = n.id and m.severity > 0)
       or exists (select 1 from recheck)
       or exists (select 1 from mark p where p.seq > (select invalid from cursor) and p.severity = 2)
       or exists (select 1 from mark p where p.seq > (select other from cursor) and p.severity < 2)
from (select id from name where key = ?1 and kind = ?2
      union select k.name from answer y join node k on k.id = y.node where y.cache_key = ?1) q
join name a on a.id = q.id join node n on n.id = a.current join namespace s on s.id = a.namespace
join text t on t.id = n.text join answer x on x.node = n.id
order by n.hash
"""

INCOMPLETE_UNDER = """
with recursive
    broken(node) as (select id from node where id in ({places}) and lineage > 0),
    space(node, namespace) as (
        select b.node, a.namespace from broken b join node n on n.id = b.node join name a on a.id = n.name
        union select s.node, i.input from space s join namespace_input i on i.namespace = s.namespace)
select distinct c.name, c.seq, exists (select 1 from mark m where m.cause = c.id and m.severity > 0),
       (select max(m.since) from mark m where m.cause = c.id and m.severity = 0), n.begin, a.key, n.kind, d.reason
from space s join namespace_document g on g.namespace = s.namespace join change h on h.document = g.document
join cause c on c.id = h.cause join node n on n.id = s.node join name a on a.id = n.name
left join detail d on d.node = n.id
where not exists (select 1 from mark m where m.cause = c.id and m.node = ? and m.severity > 0)
  and not exists (select 1 from decision x where x.cause = c.id and x.node = ?)
order by c.seq, a.key
"""
