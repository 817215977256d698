"""Causes, seeds and decisions in Neo4j: where marks begin and what people said of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from lineage.stores.base import CORRECTION, CauseState, ChangeRow, Decision, Seed, Source
from lineage.stores.neo4j.cypher import Cypher
from lineage.stores.neo4j.model import CURRENT, PASSING, again
from lineage.stores.neo4j.spread import Spread
from lineage_schema.vocabulary import Severity

CHANGE = "d.uri, g.edition, g.kind, g.source, g.target, g.target_edition"


class Marks:
    """Operations on causes and on what they seed; the marks themselves are kept by :class:`Spread`."""

    def __init__(self, cypher: Cypher, spread: Spread) -> None:
        self._cypher = cypher
        self._spread = spread

    # causes

    def add_correction(
        self, id_: str, changes: Sequence[ChangeRow], reason: str, by: str | None, seq: int, at: int
    ) -> None:
        """A new correction. Its versions are in the store."""
        self._cypher.rows(
            """CREATE (c:Cause:Correction {id: $id, type: 0, seq: $seq, at: $at, reason: $reason, by: $by,
               edition: $edition}) WITH c UNWIND $changes AS row MATCH (d:Document {uri: row[0]})
               CREATE (c)-[:CHANGED {edition: row[1], kind: row[2], source: row[3], target: row[4],
               target_edition: row[5]}]->(d)""",
            id=id_, seq=seq, at=at, reason=reason, by=by, edition=any(c.kind == "edition" for c in changes),
            changes=[[c.uri, c.edition, c.kind, c.source, c.target, c.target_edition] for c in changes],
        )  # fmt: skip

    def causes(
        self, ids: Collection[str] | None = None, *, type_: int | None = None, changes: int = -1
    ) -> list[CauseState]:
        """Causes by id (all of a type without ids), in the order of the sequence.

        ``changes`` bounds how many of each one's documents are read; ``total`` counts all, where any are.
        """
        where = "c.id IN $ids" if ids is not None else "c.type = $type" if type_ is not None else "true"
        first = f"""COLLECT {{ MATCH (c)-[g:CHANGED]->(d) RETURN [{CHANGE}] ORDER BY d.uri, g.edition LIMIT $limit }},
                     COUNT {{ (c)-[:CHANGED]->() }}""" if changes else "[], 0"  # fmt: skip
        rows = self._cypher.rows(
            f"MATCH (c:Cause) WHERE {where} RETURN c.id, c.type, c.seq, c.at, c.reason, c.by, {first} "
            "ORDER BY c.seq, c.id",
            ids=None if ids is None else list(ids), type=type_, limit=changes if changes >= 0 else 2**31,
        )  # fmt: skip
        return [
            CauseState(id_, kind, seq, at, reason, by, tuple(ChangeRow(*each) for each in listed), total)
            for id_, kind, seq, at, reason, by, listed, total in rows
        ]

    def corrections_of(self, uri: str, edition: int) -> list[tuple[str, ChangeRow]]:
        """(correction, change) of all corrections whose source lies in an edition, in order."""
        rows = self._cypher.rows(
            f"""MATCH (d:Document {{uri: $uri}})<-[g:CHANGED]-(c:Cause) WHERE g.edition = $edition
                RETURN c.id, {CHANGE} ORDER BY c.seq""",
            uri=uri, edition=edition,
        )  # fmt: skip
        return [(cause, ChangeRow(*change)) for cause, *change in rows]

    # seeds of spans

    def seeds(self, spans: Collection[str]) -> dict[str, list[Seed]]:
        """What corrections seed at spans."""
        found: dict[str, list[Seed]] = {}
        for cause, node, severity, cls, start, end, readers in self._cypher.write(
            """UNWIND $rows AS id MATCH (n:LineageNode {id: id})<-[s:SEEDS]-(c:Cause)
               USING INDEX SEEK n:LineageNode(id) WHERE c.type = 0
               RETURN c.id, n.id, s.severity, s.class, s.start, s.end, s.readers ORDER BY c.seq""",
            list(spans),
        ):
            found.setdefault(node, []).append(
                Seed(cause, node, Severity(severity), cls, start, end, frozenset(readers or ()))
            )
        return found

    def seeded(self, uri: str, edition: int) -> list[str]:
        """The spans of an edition that some correction seeds."""
        rows = self._cypher.rows(
            """MATCH (:Document {uri: $uri})<-[g:CHANGED]-(c:Cause) WHERE g.edition = $edition
               MATCH (c)-[:SEEDS]->(n:Span) WHERE n.uri = $uri AND n.edition = $edition
               RETURN DISTINCT n.id ORDER BY n.id""",
            uri=uri, edition=edition,
        )  # fmt: skip
        return [id_ for (id_,) in rows]

    def put_seeds(self, add: Sequence[Seed], drop: Sequence[Seed], *, fresh: bool = False) -> None:
        """Writes and removes seeds of spans, and lets the spans' marks follow."""
        if not add and not drop:
            return
        if not fresh:
            self._cypher.changing()
        self._cypher.write(
            "UNWIND $rows AS row MATCH (:Cause {id: row[0]})-[s:SEEDS]->(n:LineageNode {id: row[1]}) "
            "USING INDEX SEEK n:LineageNode(id) DELETE s",
            [[seed.cause, seed.node] for seed in drop],
        )
        self._cypher.write(
            """UNWIND $rows AS row MATCH (c:Cause {id: row.cause})
               CALL (row) { MATCH (n:LineageNode {id: row.node}) RETURN n }
               MERGE (c)-[s:SEEDS]->(n) SET s.severity = row.severity, s.class = row.class, s.start = row.start,
               s.end = row.end, s.readers = row.readers""",
            [
                {
                    "cause": seed.cause, "node": seed.node, "severity": int(seed.severity), "class": seed.cls,
                    "start": seed.start, "end": seed.end, "readers": sorted(seed.readers),
                }
                for seed in sorted(add, key=lambda each: (each.cause, each.node))
            ],
        )  # fmt: skip
        self._spread.follow_seeds({(seed.cause, seed.node) for seed in (*add, *drop)})

    def sources(self, nodes: Collection[str]) -> dict[str, Source]:
        """What causes of every type seed at nodes, by cause in the order of the sequence."""
        found: dict[str, Source] = {}
        for cause, type_, edition, node, severity, readers in self._cypher.write(
            """UNWIND $rows AS id MATCH (n:LineageNode {id: id})<-[s:SEEDS]-(c:Cause) USING INDEX SEEK n:LineageNode(id)
               RETURN c.id, c.type, c.edition, n.id, s.severity, s.readers ORDER BY c.seq, c.id""",
            list(nodes),
        ):
            source = found.setdefault(cause, Source(type_, edition, {}))
            seeds: Any = source.seeds
            seeds[node] = (severity, frozenset(readers or () if type_ == CORRECTION else ()))
        return found

    def scope_excludes(self, cause: str, node: str) -> bool:
        """Whether an edition's correction does not pass to a node by the node's own scope."""
        rows = self._cypher.rows("MATCH (n:LineageNode {id: $id}) RETURN n.kind, n.attributes", id=node)
        return bool(rows) and self._spread.scopes.excludes(cause, *rows[0])

    # decisions

    def decide(self, decision: Decision, seq: int, at: int) -> None:
        """Records a decision and lets the node's mark follow it."""
        self._cypher.changing()
        self._cypher.rows(
            """MATCH (c:Cause {id: $cause}) CALL () { MATCH (n:LineageNode {id: $node}) RETURN n }
               CREATE (d:Decision {cause: $cause, node: $node, made: n.made, kind: $kind, severity: $severity,
                   inputs: $inputs, reason: $reason, by: $by, seq: $seq, at: $at})-[:DECIDES_ON]->(n)
               """
            + again("n"),
            cause=decision.cause, node=decision.node, kind=decision.kind, severity=int(decision.severity),
            inputs=json.dumps(sorted(decision.inputs)), reason=decision.reason, by=decision.by, seq=seq, at=at,
        )  # fmt: skip

    def decisions(self, nodes: Collection[str]) -> dict[tuple[str, str], Decision]:
        """The standing candidates: the last decision of each (cause, node) about the current derivation."""
        found: dict[tuple[str, str], Decision] = {}
        for cause, node, kind, severity, inputs, reason, by in self._cypher.write(
            """UNWIND $rows AS id MATCH (n:LineageNode {id: id})<-[:DECIDES_ON]-(d:Decision)
               USING INDEX SEEK n:LineageNode(id) WHERE d.made = n.made
               RETURN d.cause, d.node, d.kind, d.severity, d.inputs, d.reason, d.by ORDER BY d.seq""",
            list(nodes),
        ):
            found[cause, node] = Decision(cause, node, kind, Severity(severity), tuple(json.loads(inputs)), reason, by)
        return found

    def recheck(self, nodes: Collection[str]) -> None:
        """Reads again all marks that nodes have or that their inputs could pass: their derivations changed."""
        if not nodes:
            return
        self._cypher.changing()
        self._spread.settling.under(nodes)
        self._cypher.write(
            "UNWIND $rows AS id MATCH (n:LineageNode {id: id})<-[:MARKS]-(c:Cause) "
            "USING INDEX SEEK n:LineageNode(id) " + again("n"),
            sorted(nodes),
        )
        self._cypher.write(
            f"""UNWIND $rows AS id MATCH (n:LineageNode {{id: id}})-[:{PASSING}]->(i)<-[m:MARKS]-(c:Cause)
                USING INDEX SEEK n:LineageNode(id)
                WHERE m.severity > 0 WITH DISTINCT c, n {again("n")}""",
            sorted(nodes),
        )

    def restate(self, uri: str, edition: int, number: int) -> None:
        """A version's validity was said anew: what an edition's correction passes to answers is read again."""
        self._cypher.changing()
        self._cypher.rows(
            f"""MATCH (d:Document {{uri: $uri}})<-[g:CHANGED]-(c:Cause) WHERE c.edition AND (
                  (g.edition = $edition AND g.source = $number) OR
                  (g.target_edition = $edition AND g.target = $number))
                WITH DISTINCT c MATCH (c)-[m:MARKS]->(i) WHERE m.severity > 0
                MATCH (n:Answer|Claim)-[:{PASSING}]->(i) WITH DISTINCT c, n {again("n")}""",
            uri=uri, edition=edition, number=number,
        )  # fmt: skip

    def amount(self, cause: str) -> int:
        """How many marks of a cause are unexpanded or to be read again."""
        return self._spread.amount(cause)

    def state(self, cause: str) -> tuple[bool, bool, int | None]:
        """(pending, open on a current node, the sequence at which its last mark closed) of a cause."""
        open_ = self._cypher.one(
            f"""MATCH (c:Cause {{id: $cause}})
                RETURN EXISTS {{ (c)-[m:MARKS]->(n:LineageNode) WHERE m.severity > 0 AND {CURRENT} }}""",
            cause=cause,
        )
        closed = self._cypher.one(
            "MATCH (:Cause {id: $cause})-[m:MARKS]->() WHERE m.severity = 0 RETURN max(m.since)", cause=cause
        )
        return self._spread.pending(cause), bool(open_), closed
