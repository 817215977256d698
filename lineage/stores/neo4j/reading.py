"""Look-ups in Neo4j: finding nodes, what corrections reached, what may be served."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lineage.stores.base import Name
from lineage.stores.neo4j.describing import Describing
from lineage.stores.neo4j.model import CURRENT

QUICK = """
CALL () {
    MATCH (k:Key {kind: 'answer', key: $ref})
    USING INDEX SEEK k:Key(key, kind, namespace) WHERE k.namespace IS NOT NULL MATCH (k)-[:CURRENT]->(n:Answer) RETURN n
    UNION MATCH (n:Answer {cache_key: $ref}) WHERE EXISTS { (n)<-[:CURRENT]-(:Key) } RETURN n
}
RETURN n.id, n.namespace, n.key, n.sha256,
    coalesce(n.unsettled, false) OR (size(n.searched) > 0 AND NOT EXISTS { (n)-[:HAS_CLAIM]->()-[:CITES]->() })
    OR EXISTS { (n)<-[m:MARKS]-() WHERE m.severity > 0 }
    OR EXISTS { MATCH ()-[r:RECHECK]->() USING INDEX SEEK r:RECHECK(waits) WHERE r.waits = true }
    OR EXISTS { MATCH ()-[m:MARKS]->() USING INDEX SEEK m:MARKS(queue) WHERE m.queue > 0 }
ORDER BY n.id
"""
"""The current answers of a key or cache key, and whether more must be looked at than this."""

INCOMPLETE_UNDER = f"""
UNWIND $rows AS id MATCH (b:LineageNode {{id: id}}) WHERE b.lineage > 0
MATCH (:Namespace {{name: b.namespace}})-[:READS*0..]->(s:Namespace) WITH DISTINCT b, s
MATCH (s)-[:DERIVES_FROM]->(:Document)<-[:CHANGED]-(c:Correction) WITH DISTINCT b, c
MATCH (a:LineageNode {{id: $answer}})
WHERE NOT EXISTS {{ (c)-[m:MARKS]->(a) WHERE m.severity > 0 }}
  AND NOT EXISTS {{ (a)<-[:DECIDES_ON]-(d:Decision) WHERE d.cause = c.id }}
RETURN c.id, c.seq, b.begin, b.kind, b.key, b.reason,
    EXISTS {{ (c)-[m:MARKS]->(n:LineageNode) WHERE m.severity > 0 AND {CURRENT} }},
    COLLECT {{ MATCH (c)-[m:MARKS]->() WHERE m.severity = 0 RETURN m.since AS since ORDER BY since DESC LIMIT 1 }}[0]
ORDER BY c.seq, b.key
"""


class Reading(Describing):
    """Operations that change nothing."""

    # finding

    def by_prefix(self, prefix: str, limit: int) -> list[str]:
        """Node ids that begin with ``prefix`` (``l1:`` and at least one digit), in order."""
        return self._ids(
            "MATCH (n:LineageNode) WHERE n.id STARTS WITH $prefix RETURN n.id ORDER BY n.id LIMIT $limit",
            prefix=prefix, limit=limit,
        )  # fmt: skip

    def _ids(self, statement: str, **parameters: object) -> list[str]:
        return [row[0] for row in self._cypher.rows(statement, **parameters)]

    def by_alias(self, alias: str) -> list[str]:
        """The nodes that an alias names, in any namespace."""
        return self._ids(
            "MATCH (a:Alias {alias: $alias})-[:IS_ALIAS_OF]->(n) RETURN DISTINCT n.id ORDER BY n.id", alias=alias
        )

    def answers_by_key(self, key: str) -> list[str]:
        """Current answers with that key in any namespace, or with that cache key."""
        return self._ids(
            """CALL () {
                 MATCH (k:Key {kind: 'answer', key: $key})
                 USING INDEX SEEK k:Key(key, kind, namespace) WHERE k.namespace IS NOT NULL
                 MATCH (k)-[:CURRENT]->(n) RETURN n.id AS id
                 UNION MATCH (n:Answer {cache_key: $key}) WHERE EXISTS { (n)<-[:CURRENT]-(:Key) } RETURN n.id AS id
               } RETURN id ORDER BY id""",
            key=key,
        )

    def answers(self, namespace: str | None) -> list[str]:
        """All current answers, of one namespace or of all, by namespace, key."""
        return self._ids(
            """MATCH (s:Namespace) WHERE $namespace IS NULL OR s.name = $namespace
               MATCH (k:Key {namespace: s.name, kind: 'answer'})-[:CURRENT]->(n)
               RETURN n.id ORDER BY s.name, k.key""",
            namespace=namespace,
        )

    def search(self, text: str, kind: str | None, limit: int) -> list[str]:
        """Nodes whose text, title, key or alias contains ``text``, letter case aside; by kind, namespace, key, id."""
        return self._ids(
            """MATCH (n:LineageNode) WHERE ($kind IS NULL OR n.kind = $kind) AND (
                 toLower(coalesce(n.text, '')) CONTAINS $text OR toLower(coalesce(n.title, '')) CONTAINS $text
                 OR toLower(coalesce(n.key, '')) CONTAINS $text
                 OR EXISTS { (n)<-[:IS_ALIAS_OF]-(a) WHERE toLower(a.alias) CONTAINS $text }
                 OR EXISTS { (n:Span)-[:ANCHORED_IN]->(v) WHERE v.number = n.version AND v.text IS NOT NULL
                             AND toLower(substring(v.text, n.start, n.end - n.start)) CONTAINS $text })
               RETURN n.id ORDER BY n.kind, coalesce(n.namespace, ''), coalesce(n.key, ''), n.id LIMIT $limit""",
            kind=kind, text=text.lower(), limit=limit,
        )  # fmt: skip

    def past_of(self, name: Name) -> list[str]:
        """The nodes that a retired key named last."""
        kind, namespace, key = name
        return self._ids(
            """MATCH (k:Key {kind: $kind, namespace: $namespace, key: $key})-[t:NAMES]->(n)
               USING INDEX SEEK k:Key(key, kind, namespace)
               RETURN n.id ORDER BY t.last DESC, n.id DESC LIMIT 1""",
            kind=kind, namespace=namespace, key=key,
        )  # fmt: skip

    # what may be served

    def quick(self, ref: str) -> list[tuple[str, str, str, str]] | None:
        """(id, namespace, key, sha256) of the current answers of a key or cache key, where all are plainly fresh.

        One statement: no pending work, no open mark, nothing searched. None where more must be looked at.
        """
        rows = self._cypher.rows(QUICK, ref=ref)
        if not rows or any(row[4] for row in rows):
            return None
        return sorted({(row[0], row[1], row[2], row[3]) for row in rows})

    def searched_since(self, answer: str) -> list[str]:
        """Documents that the namespaces an answer searched got, or got a version of, since it was asked.

        Empty where the answer cites something: then what it cites speaks for it.
        """
        return self._ids(
            """MATCH (n:Answer {id: $answer})<-[t:NAMES]-(:Key)
               WHERE NOT EXISTS { (n)-[:HAS_CLAIM]->()-[:CITES]->() }
               UNWIND n.searched AS name MATCH (:Namespace {name: name})-[r:DERIVES_FROM]->(d:Document)
               MATCH (d)<-[:VERSION_OF]-(v) WHERE r.seq > t.last OR v.seq > t.last
               RETURN DISTINCT d.uri ORDER BY d.uri""",
            answer=answer,
        )

    def cannot_exclude(self, answer: str) -> list[tuple[str, str]]:
        """(correction, why) of corrections that may have reached the answer through lineage that is not known.

        They are of documents that the namespace of an incomplete node under the answer derives
        from, do not mark the answer, and that node was not rebuilt by a run that began after the
        correction's last mark closed; a decision about the answer settles it.
        """
        found: dict[str, str] = {}
        under = self.reach([answer], up=False)
        for cause, seq, begin, kind, key, reason, open_, closed in self._cypher.write(
            INCOMPLETE_UNDER, under, answer=answer
        ):
            if not open_ and begin > max(closed or 0, seq):
                continue
            found.setdefault(cause, f"{kind} {key} has incomplete lineage" + (f" ({reason})" if reason else ""))
        return sorted(found.items())

    # what corrections reached

    def marked_answers(self, cause: str, *, current: bool) -> list[str]:
        """Answers with an open mark of a cause: by severity (the worst first), namespace, key, id."""
        where = f"AND {CURRENT}" if current else ""
        return self._ids(
            f"""MATCH (:Cause {{id: $cause}})-[m:MARKS]->(n:Answer) WHERE m.severity > 0 {where}
                RETURN n.id ORDER BY m.severity DESC, n.namespace, n.key, n.id""",
            cause=cause,
        )

    def marked_counts(self, cause: str, *, current: bool) -> dict[str, dict[int, int]]:
        """How many nodes of each kind have an open mark of a cause, by severity; spans, which have no key, always."""
        where = f"AND (n:Span OR {CURRENT})" if current else ""
        found: dict[str, dict[int, int]] = {}
        for kind, severity, count in self._cypher.rows(
            f"""MATCH (:Cause {{id: $cause}})-[m:MARKS]->(n:LineageNode) WHERE m.severity > 0 {where}
                RETURN n.kind, m.severity, count(*)""",
            cause=cause,
        ):
            found.setdefault(kind, {})[severity] = count
        return found

    def severities(self, cause: str, ids: Collection[str]) -> dict[str, int]:
        """The severity of a cause's open marks on nodes."""
        rows = self._cypher.write(
            """UNWIND $rows AS id MATCH (n:LineageNode {id: id}) WITH n
               MATCH (n)<-[m:MARKS]-(c) WHERE c.id = $cause AND m.severity > 0 RETURN n.id, m.severity""",
            list(ids),
            cause=cause,
        )
        return {id_: severity for id_, severity in rows}  # noqa: C416

    def open_corrections(self, ids: Collection[str], *, but: str) -> dict[str, list[str]]:
        """The other corrections that have open marks on nodes, in order of the sequence."""
        found: dict[str, list[str]] = {}
        for node, cause in self._cypher.write(
            """UNWIND $rows AS id MATCH (n:LineageNode {id: id})<-[m:MARKS]-(c:Correction)
               USING INDEX SEEK n:LineageNode(id)
               WHERE m.severity > 0 AND c.id <> $but RETURN n.id, c.id ORDER BY c.seq, c.id""",
            list(ids),
            but=but,
        ):
            found.setdefault(node, []).append(cause)
        return found

    def answers_above(self, versions: Sequence[tuple[str, int, int]], *, current: bool) -> list[str]:
        """Answers that stand, over passing roles, on spans that stand in these (uri, edition, version)."""
        start = self._cypher.write(
            """UNWIND $rows AS row MATCH (:DocumentVersion {uri: row[0], edition: row[1], number: row[2]})
               <-[:ANCHORED_IN]-(n) RETURN DISTINCT n.id""",
            [list(version) for version in versions],
        )
        reached = self.reach([id_ for (id_,) in start], up=True)
        where = f"AND {CURRENT}" if current else ""
        rows = self._cypher.write(
            f"MATCH (n:LineageNode) WHERE n.id IN $rows AND n:Answer {where} RETURN n.namespace, n.key, n.id", reached
        )
        return [id_ for _, _, id_ in sorted(tuple(row) for row in rows)]

    def to_rebuild(self, cause: str | None) -> list[str]:
        """Current derived nodes, claims and answers that are invalid, or stand on a node that is no longer current."""
        of = ":Correction" if cause is None else ":Cause:Correction {id: $cause}"
        rows = self._cypher.rows(
            f"""MATCH ({of})-[m:MARKS]->(n:LineageNode) WHERE m.severity = 2
                AND {CURRENT} RETURN DISTINCT n.id""",
            cause=cause,
        )
        found = {id_ for (id_,) in rows}
        if cause is None:
            from_replaced = f"""MATCH (k:Key)-[:NAMES]->(old:LineageNode) WHERE NOT EXISTS {{ (k)-[:CURRENT]->(old) }}
                MATCH (n:LineageNode)-[]->(old) WHERE {CURRENT} RETURN DISTINCT n.id"""
            found |= {id_ for (id_,) in self._cypher.rows(from_replaced)}
        return sorted(found)
