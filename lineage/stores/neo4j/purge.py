"""Purging in Neo4j: text goes, ids, hashes and edges stay as a tombstone that no registration refills."""

from __future__ import annotations

import json
from collections.abc import Collection

from lineage.stores.neo4j.cypher import Cypher
from lineage.stores.neo4j.model import PASSING
from lineage_schema.canonical import canonical_json
from lineage_schema.identity import content_hash

SPEND = f"""
UNWIND $rows AS id MATCH (n:LineageNode {{id: id}}) WHERE NOT n.purged
AND EXISTS {{ (n)-[:{PASSING}]->(i) WHERE i.purged }} AND NOT EXISTS {{ (n)-[:{PASSING}]->(i) WHERE NOT i.purged }}
SET n.purged = true RETURN n.id
"""
"""Purges those nodes of which everything that they were read from was purged."""


class Purge:
    """Removes texts of editions, and of what was derived from nothing else."""

    def __init__(self, cypher: Cypher) -> None:
        self._cypher = cypher

    def edition(self, uri: str, edition: int) -> None:
        """Purges all versions of an edition and all nodes all of whose spans are purged."""
        for id_, body in self._cypher.rows(
            """MATCH (v:DocumentVersion {uri: $uri, edition: $edition}) WHERE v.number IS NOT NULL
               SET v.purged = true REMOVE v.text WITH v MATCH (v)<-[:SAID_OF]-(s) RETURN elementId(s), s.body""",
            uri=uri, edition=edition,
        ):  # fmt: skip
            said = json.loads(body)
            # Section headings are words of the source.
            if said.pop("sections", None) is not None:
                text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                self._cypher.rows("MATCH (s) WHERE elementId(s) = $id SET s.body = $body", id=id_, body=text)
        spans = self._cypher.rows(
            """MATCH (v:DocumentVersion {uri: $uri, edition: $edition}) WHERE v.number IS NOT NULL
               MATCH (v)<-[:ANCHORED_IN]-(n) WITH DISTINCT n
               SET n.purged = true RETURN n.id""",
            uri=uri, edition=edition,
        )  # fmt: skip
        versions = self._cypher.rows(
            "MATCH (v:DocumentVersion {uri: $uri, edition: $edition}) WHERE v.number IS NOT NULL RETURN v.id",
            uri=uri,
            edition=edition,
        )
        self._forget_judged([id_ for (id_,) in versions])
        self._forget([id_ for (id_,) in spans], self._above([id_ for (id_,) in spans]))

    def new(self, levels: Collection[Collection[str]]) -> None:
        """Purges those of nodes with new inputs, in topological order, that stand on purged spans alone.

        Nodes above them that were there before follow.
        """
        if not self._cypher.one("RETURN EXISTS { MATCH (v:DocumentVersion) WHERE v.purged = true }"):
            return
        spent: list[str] = []
        for level in levels:
            spent += [id_ for (id_,) in self._cypher.write(SPEND, sorted(level))]
        self._forget(spent, self._above(spent))

    def _above(self, nodes: list[str]) -> list[str]:
        """Purges what stands on these nodes and on nothing else that is left; returns it."""
        found: list[str] = []
        frontier = nodes
        while frontier:
            above = self._cypher.write(
                f"MATCH (s:LineageNode)-[:{PASSING}]->(n:LineageNode) WHERE n.id IN $rows RETURN DISTINCT s.id",
                frontier,
            )
            frontier = [id_ for (id_,) in self._cypher.write(SPEND, [id_ for (id_,) in above])]
            found += frontier
        return found

    def _forget(self, *nodes: list[str]) -> None:
        self._cypher.write(
            "UNWIND $rows AS id MATCH (n:LineageNode {id: id}) REMOVE n.text, n.title, n.details",
            [id_ for listed in nodes for id_ in listed],
        )
        self._forget_judged([id_ for listed in nodes for id_ in listed])
        self._forget_statements([id_ for listed in nodes for id_ in listed])

    def _forget_judged(self, sources: list[str]) -> None:
        """What judges were shown of these versions or nodes, and what they wrote of it."""
        self._cypher.write(
            """UNWIND $rows AS source MATCH (p:Passage {source: source}) REMOVE p.text
               WITH p MATCH (p)<-[:SHOWN]-(j) REMOVE j.reason""",
            sources,
        )

    def _forget_statements(self, nodes: list[str]) -> None:
        """What purged claims were split into, and what judges were asked: their texts, and those of their parts."""
        claims = self._cypher.write(
            "UNWIND $rows AS id MATCH (n:LineageNode {id: id}) WHERE n:Claim RETURN n.sha256", nodes
        )
        split = self._cypher.write(
            """UNWIND $rows AS id MATCH (:LineageNode {id: id})<-[:SPLITS]-(s:Splitting) WHERE s.parts IS NOT NULL
               WITH s, s.parts AS parts REMOVE s.parts RETURN parts""",
            nodes,
        )
        hashes = {sha256 for (sha256,) in claims}
        hashes.update(content_hash(part) for (parts,) in split for part in json.loads(parts))
        asked = self._cypher.write(
            """UNWIND $rows AS sha256 MATCH (j:Judgment {statement_sha256: sha256}) WHERE j.statement IS NOT NULL
               AND NOT EXISTS { MATCH (o:Claim {sha256: sha256}) WHERE NOT o.purged }
               RETURN DISTINCT sha256, j.statement""",
            sorted(hashes),
        )
        kept = self._still_split([statement for _, statement in asked])
        self._cypher.write(
            "UNWIND $rows AS sha256 MATCH (j:Judgment {statement_sha256: sha256}) REMOVE j.statement",
            [sha256 for sha256, statement in asked if statement not in kept],
        )

    def _still_split(self, texts: list[str]) -> set[str]:
        """Those of the texts that a claim was split into that was not purged."""
        found = self._cypher.write(
            "MATCH (s:Splitting) WHERE any(text IN $rows WHERE s.parts CONTAINS text) RETURN s.parts",
            [canonical_json(text) for text in texts],
        )
        return {part for (parts,) in found for part in json.loads(parts)}.intersection(texts)
