"""What ``verify`` reads of seeds, marks and decisions in Neo4j."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from lineage.stores.auditing import DecisionAudit, HeldMark, HistoryAudit, Passing, SeedAudit
from lineage.stores.neo4j.cypher import Cypher
from lineage.stores.neo4j.model import EDGES, PASSING

Page = tuple[str, str]
LINES: Final = ("then", "now", "event")
SIZE: Final = 2000


class MarkAuditing:
    """Reads what causes begin and what came of it."""

    _cypher: Cypher

    def pages(self, size: int) -> Iterator[Page]:
        """Pages that together hold all nodes."""
        raise NotImplementedError

    def _page(self, statement: str, page: Page, **parameters: Any) -> Iterator[list[Any]]:
        raise NotImplementedError

    def seeds(self) -> Iterator[SeedAudit]:
        """All seeds."""
        for row in self._cypher.stream(
            """MATCH (c)-[s:SEEDS]->(n) RETURN CASE WHEN c:Cause THEN c.id END, c.type,
                 CASE WHEN n:LineageNode THEN n.id END, n.kind, s.severity, s.class, s.start, s.end"""
        ):
            yield SeedAudit._make(row)

    def decisions(self) -> Iterator[DecisionAudit]:
        """All decisions."""
        for *said, inputs, makings, bears in self._cypher.stream(DECISIONS):
            cause, node = said[0], said[1]
            if not bears and cause is not None and node is not None:
                bears = self._stands_on(node, cause)
            yield DecisionAudit._make((*said, frozenset(inputs), frozenset(makings), bears))

    def _stands_on(self, node: str, cause: str) -> bool:
        """Whether a node stands, or stood, on what a cause seeds or marked; a decision below may have stopped it."""
        seen, frontier = {node}, [node]
        while frontier:
            found = self._cypher.write(UNDER, frontier, cause=cause)
            if any(marked for _, marked in found):
                return True
            frontier = sorted({id_ for id_, _ in found} - seen)
            seen.update(frontier)
        return False

    def held(self, page: Page) -> list[HeldMark]:
        """The marks of a page's nodes."""
        return [HeldMark._make(row) for row in self._page(HELD, page)]

    def seeded(self, page: Page) -> list[tuple[str | None, str | None, int]]:
        """(node, cause, severity) of the seeds of a page's nodes."""
        rows = self._page("MATCH (n)<-[s:SEEDS]-(c:Cause) RETURN n.id, c.id, s.severity", page)
        return [(node, cause, severity) for node, cause, severity in rows]

    def passing(self, page: Page) -> list[Passing]:
        """The marks of inputs of a page's nodes over passing roles."""
        return [Passing._make(row) for row in self._page(PASSED, page)]

    def waits(self, node: str, cause: str) -> bool:
        """Whether a mark is to be read again, or the node has not yet read what its inputs have."""
        return bool(
            self._cypher.one(
                """MATCH (n:LineageNode {id: $node}) RETURN coalesce(n.unsettled, false)
                     OR EXISTS { (:Cause {id: $cause})-[:RECHECK]->(n) }""",
                node=node, cause=cause,
            )
        )  # fmt: skip

    def decided(self, page: Page) -> dict[tuple[str, str], tuple[int, frozenset[str]]]:
        """(node, cause) → (severity, inputs) of the last decision on each current derivation of a page's nodes."""
        rows = self._page(
            """MATCH (n)<-[:DECIDES_ON]-(d:Decision) WHERE d.made = n.made
               RETURN n.id, d.cause, d.severity, d.inputs ORDER BY d.seq""",
            page,
        )
        return {(node, cause): (severity, _inputs(inputs)) for node, cause, severity, inputs in rows}

    def histories(self) -> Iterator[HistoryAudit]:
        """All marks, what they were, and the events of answers."""
        for page in self.pages(SIZE):
            rows = [_line(row) for statement in HISTORIES for (row,) in self._page(statement, page)]
            yield from sorted(rows, key=_place)
        for (row,) in self._cypher.stream(NO_NODE):
            yield _line(row)


def _line(row: list[Any]) -> HistoryAudit:
    node, kind, cause, line, *rest = row
    return HistoryAudit(node, kind, cause, LINES[line], *rest)


def _place(row: HistoryAudit) -> tuple[str, str, int, int]:
    return row.node or "", row.cause or "", LINES.index(row.line), row.since or 0


def _inputs(body: Any) -> frozenset[str]:
    try:
        found: Any = json.loads(body)
    except (ValueError, TypeError):
        return frozenset()
    return frozenset(each for each in found if isinstance(each, str)) if isinstance(found, list) else frozenset()


def _bears(node: str, cause: str) -> str:
    return f"EXISTS {{ ({node})<-[:SEEDS|MARKS]-(:Cause {{id: {cause}}}) }}"


INPUT: Final = f"{EDGES}|FORMERLY"

DECISIONS: Final = f"""
MATCH (d:Decision) OPTIONAL MATCH (d)-[:DECIDES_ON]->(n:LineageNode) OPTIONAL MATCH (c:Cause {{id: d.cause}})
RETURN c.id, n.id, n.kind, d.made, n.made, d.kind, d.severity, d.inputs, d.seq,
    COLLECT {{ MATCH (n)-[:{INPUT}]->(i:LineageNode) RETURN DISTINCT i.id }},
    COLLECT {{ MATCH (n)-[e:{INPUT}]->() RETURN e.since AS made
               UNION MATCH (n)-[:WAS_MADE]->(m) RETURN m.made AS made
               UNION WITH n RETURN n.made AS made }},
    {_bears("n", "d.cause")} OR EXISTS {{ MATCH (n)-[:{INPUT}]->(i)<-[:SEEDS|MARKS]-(x:Cause) WHERE x.id = d.cause }}
"""
UNDER: Final = f"""
UNWIND $rows AS id MATCH (:LineageNode {{id: id}})-[:{INPUT}]->(i:LineageNode)
RETURN DISTINCT i.id, {_bears("i", "$cause")}
"""

HELD: Final = """
MATCH (n)<-[m:MARKS]-(c)
RETURN n.id, CASE WHEN c:Cause THEN c.id END, m.severity, coalesce(m.queue, 0) > 0, coalesce(m.fell, false)
"""
PASSED: Final = f"""
MATCH (n)-[e:{PASSING}]->(i:LineageNode)<-[m:MARKS]-(c:Cause) WHERE m.severity > 0 OR m.queue > 0
RETURN n.id, i.id, e.role, e.version IS NOT NULL, c.id, m.severity, coalesce(m.queue, 0) > 0, coalesce(m.fell, false),
    EXISTS {{ (i)<-[s:SEEDS]-(c) WHERE e.version IN s.readers }}
"""

VIA: Final = f"""m.via, m.via IS NOT NULL,
    m.via IS NULL OR EXISTS {{ (n)-[:{INPUT}]->(v:LineageNode) WHERE v.id = m.via }}"""
HISTORIES: Final = (
    f"""MATCH (n)<-[m:MARKED]-(c) RETURN [n.id, n.kind, CASE WHEN c:Cause THEN c.id END, 0, m.severity, null, m.since,
          m.until, {VIA}, m.resolution, false, false, 0, null]""",
    f"""MATCH (n)<-[m:MARKS]-(c) RETURN [n.id, n.kind, CASE WHEN c:Cause THEN c.id END, 1, m.severity, null, m.since,
          null, {VIA}, m.resolution, coalesce(m.queue, 0) > 0, coalesce(m.fell, false), 0, null]""",
    """MATCH (m:Event {node: n.id}) OPTIONAL MATCH (c:Cause {id: m.cause})
       RETURN [n.id, n.kind, c.id, 2, m.is_now, m.was, m.seq, null, null, false, true, m.resolution, false, false,
           m.seq, m.at]""",
)
"""What marks of a page's nodes were, what they are, and the events of those that are answers: each a list."""
NO_NODE: Final = """
MATCH (m:Event) WHERE NOT EXISTS { MATCH (:LineageNode {id: m.node}) } OPTIONAL MATCH (c:Cause {id: m.cause})
RETURN [null, null, c.id, 2, m.is_now, m.was, m.seq, null, null, false, true, m.resolution, false, false, m.seq, m.at]
"""
