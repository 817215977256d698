"""Settling in Neo4j: who adds, commits, then looks.

New nodes are committed ``unsettled``, without the change lock. Once they are committed, and all their inputs are
settled, they read their inputs' open marks. Where there is none, they are settled as they are: a mark that comes later
is expanded later, and finds them. Where there is one, the change lock is taken and everything is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from lineage.stores.neo4j.cypher import Cypher
from lineage.stores.neo4j.model import PASSING

READY: Final = f"""
UNWIND $rows AS id MATCH (n:LineageNode {{id: id}}) WHERE n.unsettled
AND NOT EXISTS {{ (n)-[:{PASSING}]->(i:LineageNode) WHERE i.unsettled }} RETURN n.id
"""
"""Those of new nodes whose inputs are all settled."""

QUIET: Final = f"""
UNWIND $rows AS id MATCH (n:LineageNode {{id: id}})
WHERE NOT EXISTS {{ (n)-[:{PASSING}]->(i:LineageNode)<-[m:MARKS]-() WHERE m.severity > 0 }}
AND NOT EXISTS {{ (n)<-[:SEEDS]-() }} REMOVE n.unsettled RETURN n.id
"""
"""Settles those that have nothing to inherit. It looks after READY has: inputs get marks, then lose the flag."""

INHERITED: Final = f"""
UNWIND $rows AS id MATCH (n:LineageNode {{id: id}})-[:{PASSING}]->(i:LineageNode)<-[m:MARKS]-(c:Cause)
USING INDEX SEEK n:LineageNode(id)
WHERE m.severity > 0 RETURN DISTINCT c.id, n.id
UNION
UNWIND $rows AS id MATCH (n:LineageNode {{id: id}})<-[:SEEDS]-(c:Cause)
USING INDEX SEEK n:LineageNode(id) RETURN DISTINCT c.id, n.id
"""
"""(cause, node) whose marks new nodes may have."""

BELOW: Final = f"""
UNWIND $rows AS id MATCH (n:LineageNode {{id: id}})-[:{PASSING}]->(i:LineageNode)
USING INDEX SEEK n:LineageNode(id) WHERE i.unsettled
RETURN DISTINCT i.id
"""
WAITING: Final = "MATCH (n:LineageNode) WHERE n.unsettled = true RETURN n.id ORDER BY n.id LIMIT $limit"
SETTLED: Final = """
UNWIND $rows AS id MATCH (n:LineageNode {id: id}) REMOVE n.unsettled
WITH n MATCH (n)<-[m:MARKS]-() WHERE m.queue > 0 AND $quiet REMOVE m.queue, m.fell
"""
"""Nobody read these nodes while they were unsettled, so nothing is left to be expanded from them."""

Reread = Callable[..., tuple[int, int]]


class Settling:
    """Gives new nodes the marks that pass from their inputs. ``reread`` applies the rule to (cause, node) pairs."""

    def __init__(self, cypher: Cypher, reread: Reread) -> None:
        self._cypher = cypher
        self._reread = reread

    # without the change lock

    def quietly(self, levels: Sequence[Collection[str]]) -> bool:
        """Settles nodes that have nothing to inherit, in topological order; returns whether all are settled.

        Their transaction was committed, and this one only reads and takes flags away.
        """
        whole = True
        for level in levels:
            ready = [id_ for (id_,) in self._cypher.write(READY, sorted(level))]
            quiet = self._cypher.write(QUIET, ready)
            whole = whole and len(quiet) == len(level)
        return whole

    # under the change lock

    def new(self, levels: Sequence[Collection[str]]) -> int:
        """Settles new nodes in topological order, and before them what they stand on; returns how many marks it set."""
        self.under([id_ for level in levels for id_ in level])
        return sum(self._level(level) for level in levels)

    def under(self, nodes: Collection[str]) -> int:
        """Settles what nodes stand on, as far as it is unsettled; returns how many marks it set."""
        levels: list[list[str]] = []
        frontier = sorted(nodes)
        while frontier:
            frontier = sorted({id_ for (id_,) in self._cypher.write(BELOW, frontier)})
            levels.append(frontier)
        marked = 0
        done: set[str] = set()
        # A node may lie at several depths: it is settled at its deepest, where all that it stands on is.
        for level in reversed(levels):
            marked += self._level([id_ for id_ in level if id_ not in done])
            done.update(level)
        return marked

    def some(self, limit: int) -> tuple[int, int]:
        """Settles what a crash left unsettled, some of it: how many nodes, and how many marks that set."""
        found = [id_ for (id_,) in self._cypher.rows(WAITING, limit=limit)]
        if not found:
            return 0, 0
        marked = self.under(found)
        left = [id_ for (id_,) in self._cypher.write(READY, found)]
        while left:
            marked += self._level(left)
            left = [id_ for (id_,) in self._cypher.write(READY, found)]
        return len(found), marked

    def _level(self, nodes: Collection[str]) -> int:
        if not nodes:
            return 0
        pairs = self._cypher.write(INHERITED, sorted(nodes))
        marked = self._reread([(cause, node) for cause, node in pairs], new=True)[0] if pairs else 0
        self._cypher.write(SETTLED, sorted(nodes), quiet=True)
        return marked

    # looking

    def waiting(self) -> bool:
        """Whether some node is unsettled."""
        return bool(self._cypher.rows(WAITING, limit=1))

    def among(self, ids: Collection[str]) -> set[str]:
        """Those of the ids that are unsettled."""
        rows = self._cypher.write("MATCH (n:LineageNode) WHERE n.id IN $rows AND n.unsettled RETURN n.id", list(ids))
        return {id_ for (id_,) in rows}
