"""Nodes, and what stands beside them, in Neo4j."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from lineage.stores.base import CitationRow, NodeRow, RunState
from lineage.stores.neo4j.derivations import Derivations
from lineage.stores.neo4j.keys import Keys
from lineage.stores.neo4j.model import label


class Graph(Keys, Derivations):
    """Operations on what is derived. Whoever calls has checked the input."""

    def kinds(self, ids: Collection[str]) -> dict[str, str]:
        """The kinds of those ids that the store has."""
        rows = self._cypher.write("MATCH (n:LineageNode) WHERE n.id IN $rows RETURN n.id, n.kind", list(ids))
        return {id_: kind for id_, kind in rows}  # noqa: C416

    def existing(self, ids: Collection[str]) -> set[str]:
        """Those of the ids that the store has."""
        return set(self.kinds(ids))

    def insert(self, rows: Sequence[NodeRow], existing: Collection[str], run: RunState) -> set[str]:
        """Writes those of the rows that do not exist, with their edges, and names all; returns the new ids.

        Inputs are in the store, or among the rows.
        """
        if not rows:
            return set()
        new = [row for row in rows if row.id not in existing]
        by_kind: dict[str, list[dict[str, Any]]] = {}
        for row in sorted(new, key=lambda each: each.id):
            by_kind.setdefault(row.kind, []).append(_properties(row, run, self._cypher.adding))
        for kind in sorted(by_kind):
            self._cypher.write(f"UNWIND $rows AS row CREATE (n:LineageNode:{label(kind)}) SET n = row", by_kind[kind])
        self._name(rows, run)
        self._put_edges(((row.id, row.edges) for row in new), run.begin)
        incomplete = [row.id for row in new if row.lineage]
        if incomplete:
            self._cypher.write(
                """MATCH (c:Cause {id: 'incomplete'}) UNWIND $rows AS id MATCH (n:LineageNode {id: id})
                   CREATE (c)-[:SEEDS {severity: 1}]->(n)""",
                incomplete,
            )
        asked = [[row.id, row.asked] for row in rows if row.answer is not None]
        if asked:
            self._cypher.write(
                """MATCH (r:Run {id: $run}) UNWIND $rows AS row MATCH (n:LineageNode {id: row[0]})
                   MERGE (r)-[a:ASKED]->(n) ON CREATE SET a.seq = row[1]""",
                asked,
                run=run.id,
            )
        return {row.id for row in new}

    def put_aliases(self, rows: Sequence[NodeRow]) -> int:
        """Native ids of nodes that are in the store; returns how many were new."""
        aliases = sorted({(alias, row.namespace, row.id) for row in rows for alias in row.aliases})
        found = self._cypher.write(
            """UNWIND $rows AS row MATCH (n:LineageNode {id: row[2]})
               MERGE (a:Alias {alias: row[0], namespace: row[1]})
               WITH a, n WHERE NOT EXISTS { (a)-[:IS_ALIAS_OF]->(n) }
               CREATE (a)-[:IS_ALIAS_OF]->(n) RETURN n.id""",
            [list(alias) for alias in aliases],
        )
        return len(found)

    def asked_by(self, answers: Collection[str], run: RunState) -> dict[str, int]:
        """The sequence numbers at which a run asked for answers, of those for which it did."""
        rows = self._cypher.write(
            """UNWIND $rows AS id MATCH (n:LineageNode {id: id})<-[a:ASKED]-(r:Run {id: $run})
               USING INDEX SEEK n:LineageNode(id) RETURN n.id, a.seq""",
            list(answers),
            run=run.id,
        )
        return {id_: number for id_, number in rows}  # noqa: C416

    def asked(self, answer: str) -> int:
        """The sequence number at which an answer was asked last."""
        return int(
            self._cypher.one("MATCH (:LineageNode {id: $answer})<-[t:NAMES]-(:Key) RETURN t.last", answer=answer)
        )

    def derive_from(self, namespace: str, inputs: Collection[str]) -> None:
        """A namespace derives from the namespaces of these nodes, and from the documents of these spans."""
        self._cypher.write(
            """MERGE (s:Namespace {name: $namespace}) WITH s MATCH (n:LineageNode) WHERE n.id IN $rows
               AND n.namespace IS NOT NULL AND n.namespace <> $namespace
               WITH DISTINCT s, n.namespace AS other MERGE (o:Namespace {name: other}) MERGE (s)-[:READS]->(o)""",
            sorted(inputs),
            namespace=namespace,
        )
        self._cypher.write(
            """MATCH (n:LineageNode) WHERE n.id IN $rows AND n:Span WITH DISTINCT n.uri AS uri
               MATCH (s:Namespace {name: $namespace}) CALL (uri) { MATCH (d:Document {uri: uri}) RETURN d }
               MERGE (s)-[r:DERIVES_FROM]->(d) ON CREATE SET r.seq = 0""",
            sorted(inputs),
            namespace=namespace,
        )

    def put_citations(self, rows: Sequence[CitationRow], run: RunState) -> None:
        """Citations as printed, of claims that are in the store."""
        self._cypher.write(
            """UNWIND $rows AS row MATCH (n:LineageNode {id: row.claim})
               MERGE (c:Citation {claim: row.claim, run: row.run, number: row.number})-[:PRINTED_IN]->(n)
               ON CREATE SET c = row""",
            [
                {
                    "claim": row.claim, "run": run.id, "number": row.order, "marker": row.marker,
                    "marker_start": row.marker_start, "marker_end": row.marker_end, "target": row.target,
                    "version": row.version, "start": row.start, "end": row.end, "whole": row.whole,
                }
                for row in sorted(rows, key=lambda each: (each.claim, each.order))
            ],
        )  # fmt: skip

    def put_findings(self, findings: Iterable[tuple[str, str, str]], run: RunState) -> None:
        """(kind, where, what) that a run met and kept."""
        self._cypher.write(
            """UNWIND $rows AS row MATCH (r:Run {id: $run})
               MERGE (r)-[:FOUND]->(f:Finding {kind: row[0], place: row[1], what: row[2]})""",
            [list(finding) for finding in dict.fromkeys(findings)],
            run=run.id,
        )


def _properties(row: NodeRow, run: RunState, unsettled: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": row.id, "kind": row.kind, "namespace": row.namespace, "key": row.key, "sha256": row.sha256,
        "text": row.text, "attributes": row.attributes, "title": row.title, "reason": row.reason,
        "details": row.details, "run": run.id, "begin": run.begin, "derived": run.derived, "made": run.begin,
        "lineage": row.lineage, "purged": False,
    }  # fmt: skip
    if unsettled:
        # Committed, then looked at: what passes from its inputs is read once others can see it.
        found["unsettled"] = True
    if row.answer is not None:
        found |= {
            "question": row.answer.question, "cache_key": row.answer.cache_key, "at": row.answer.at,
            "searched": sorted(row.answer.searched),
        }  # fmt: skip
    if row.claim is not None:
        found |= {"label": row.claim.label, "needs_evidence": row.claim.needs_evidence}
    return found
