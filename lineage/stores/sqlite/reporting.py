"""What corrections reached, from SQLite."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from lineage.stores.sqlite.codes import (
    CURRENT,
    chunks,
    digest_of,
    id_of,
    key_digest,
    marks,
    one,
)
from lineage.stores.sqlite.walking import Walking


class Reporting(Walking):
    """What causes marked, for reports and for caches."""

    def quick(self, ref: str) -> list[tuple[str, str, str, str]] | None:
        """(id, namespace, key, sha256) of the current answers of a key or cache key, where all are plainly fresh.

        One statement: no pending work, no open mark, nothing searched. None where more must be looked at.
        """
        rows = self._connection.execute(QUICK, (ref, self._codes.code("kind", "answer"), key_digest(ref))).fetchall()
        if not rows or any(row[4] for row in rows):
            return None
        # An answer whose key is also its cache key is found twice.
        return [(id_of(digest), space, key, sha256.hex()) for digest, space, key, sha256, _ in sorted(set(rows))]

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
            """select exists (select 1 from edge c join edge e on e.src = c.dst and e.role = 1
                              where c.src = ? and c.role = 0)""",
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
        ends: dict[int, float] = {}
        for part in chunks(under):
            for row, cause, seq, begin, key, kind, reason in self._connection.execute(
                INCOMPLETE_UNDER.format(places=marks(len(part))), (*part, root, root)
            ):
                if begin > seq and begin > self._last_closed(row, ends):
                    continue
                why = f"{self._codes.word('kind', kind)} {key} has incomplete lineage" + (
                    f" ({reason})" if reason else ""
                )
                found.setdefault(cause, why)
        return sorted(found.items())

    def _last_closed(self, cause: int, known: dict[int, float]) -> float:
        """The sequence number at which a cause's last mark on a current node closed; infinite while one is open."""
        if cause not in known:
            known[cause] = one(
                self._connection,
                f"""select iif(
                    exists (select 1 from mark m join node n on n.id = m.node
                            where m.cause = ?1 and m.severity > 0 and {CURRENT}), 9e999,
                    (select coalesce(max(m.since), 0) from mark m where m.cause = ?1 and m.severity = 0))""",
                (cause,),
            )
        return known[cause]

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
        """How many nodes of each kind have an open mark of a cause, by severity; spans, which have no key, always."""
        where = f"and (n.name is null or {CURRENT})"
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
                    join node n on n.id = q.id where {CURRENT} order by n.hash""",
                {"cause": cause},
            )
        ]


QUICK = """
select n.hash, s.name, a.key, t.hash,
       case when x.searched is not null and not exists (
            select 1 from edge c join edge e on e.src = c.dst and e.role = 1 where c.src = n.id and c.role = 0) then 1
       when exists (select 1 from mark m where m.node = n.id and m.severity > 0) then 1
       when exists (select 1 from recheck) then 1
       when exists (select 1 from mark p where p.seq > (select invalid from cursor) and p.severity = 2) then 1
       else exists (select 1 from mark p where p.seq > (select other from cursor) and p.severity < 2) end
from (select current as id from name where digest = ?3 and key = ?1 and kind = ?2
      union all select node from answer where cache_key = ?1) q
join node n on n.id = q.id join name a on a.id = n.name and a.current = n.id join namespace s on s.id = a.namespace
join text t on t.id = n.text join answer x on x.node = n.id
"""

INCOMPLETE_UNDER = """
with recursive
    broken(node) as (select id from node where id in ({places}) and lineage > 0),
    space(node, namespace) as (
        select b.node, a.namespace from broken b join node n on n.id = b.node join name a on a.id = n.name
        union select s.node, i.input from space s join namespace_input i on i.namespace = s.namespace)
select distinct c.id, c.name, c.seq, n.begin, a.key, n.kind, d.reason
from space s join namespace_document g on g.namespace = s.namespace join change h on h.document = g.document
join cause c on c.id = h.cause join node n on n.id = s.node join name a on a.id = n.name
left join detail d on d.node = n.id
where not exists (select 1 from mark m where m.cause = c.id and m.node = ? and m.severity > 0)
  and not exists (select 1 from decision x where x.cause = c.id and x.node = ?)
order by c.seq, a.key
"""
