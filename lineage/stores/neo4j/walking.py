"""Walks over edges in Neo4j, in which a node is met once and no path is enumerated.

From one node the server does all of it in one statement: asked for the least length of the paths to each node, it
searches breadth first and leaves out what it has met. From several, the walk goes level by level.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from lineage.stores.base import EdgeView, Walk
from lineage.stores.neo4j.cypher import Cypher
from lineage.stores.neo4j.model import EDGES, PASSING, ROLES, origins_of

REACHED = """
MATCH (s:LineageNode {{id: $id}}) MATCH p = {path} WITH n, min(length(p)) AS depth
RETURN depth, collect(n.id) ORDER BY depth
"""
"""All that a walk from one node reaches, by its distance."""
NEXT = """MATCH (s:LineageNode)-[:{types}]->(d:LineageNode) WHERE {here}.id IN $rows RETURN DISTINCT {there}.id"""
MET = """MATCH (s:LineageNode)-[e:{types}]->(d:LineageNode) WHERE {here}.id IN $rows
    RETURN s.id, e.role, d.id, e.origins, e.version, e.since, null AS until"""
MET_THEN = """
MATCH (s:LineageNode)-[e:{types}]->(d:LineageNode) WHERE {here}.id IN $rows AND e.since <= $as_of
RETURN s.id, e.role, d.id, e.origins, e.version, e.since, null AS until
UNION ALL
MATCH (s:LineageNode)-[e:FORMERLY]->(d:LineageNode) WHERE {here}.id IN $rows AND e.since <= $as_of AND e.until > $as_of
{passing} RETURN s.id, e.role, d.id, e.origins, e.version, e.since, e.until AS until"""


class Walking:
    """Every walk visits a node once."""

    def __init__(self, cypher: Cypher) -> None:
        self._cypher = cypher

    def reach(self, ids: Collection[str], *, up: bool, passing: bool = True, limit: int | None = None) -> list[str]:
        """The ids of all nodes that the walk reaches, start included, nearest first.

        ``up`` goes to dependents. ``passing`` keeps to the roles over which marks pass.
        """
        types = PASSING if passing else EDGES
        if len(ids) == 1 and limit is None:
            path = f"(s)<-[:{types}*0..]-(n)" if up else f"(s)-[:{types}*0..]->(n)"
            levels = self._cypher.rows(REACHED.format(path=path), id=next(iter(ids)))
            return [id_ for _, level in levels for id_ in sorted(level)]
        here, there = ("d", "s") if up else ("s", "d")
        statement = NEXT.format(types=types, here=here, there=there)
        known = self._cypher.write("MATCH (n:LineageNode) WHERE n.id IN $rows RETURN n.id ORDER BY n.id", list(ids))
        seen: dict[str, None] = {id_: None for (id_,) in known}
        frontier = list(seen)
        while frontier and (limit is None or len(seen) < limit):
            following = {id_ for (id_,) in self._cypher.write(statement, frontier)}.difference(seen)
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
        here = "d" if up else "s"
        statement = (MET if as_of is None else MET_THEN).format(
            types=PASSING if passing else EDGES, here=here, passing="AND e.role <= 5" if passing else ""
        )
        known = self._cypher.write("MATCH (n:LineageNode) WHERE n.id IN $rows RETURN n.id ORDER BY n.id", list(ids))
        level: dict[str, int] = {id_: 0 for (id_,) in known}
        frontier, depth = list(level), 0
        edges: dict[tuple[str, int, str], list[Any]] = {}
        cut: set[str] = set()
        while frontier:
            depth += 1
            following: list[str] = []
            for row in sorted(self._cypher.write(statement, frontier, as_of=as_of), key=lambda each: each[:3]):
                other = row[0] if up else row[2]
                if other not in level:
                    if limit is not None and len(level) >= limit:
                        cut.add(other)
                        continue
                    level[other] = depth
                    following.append(other)
                edges[row[0], row[1], row[2]] = row
            frontier = following
        return Walk(
            level,
            [
                EdgeView(src, ROLES[role].value, dst, origins_of(mask), version, since, until)
                for src, role, dst, mask, version, since, until in edges.values()
            ],
            len(cut),
        )
