"""Keys and what they name in Neo4j: naming, retiring, and the seeds of what was replaced."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from lineage.stores.base import Name, NodeRow, RunState
from lineage.stores.neo4j.model import again
from lineage.stores.neo4j.runs import Runs

NEVER_SWEPT = ("answer", "claim", "span")

SETTLING = """
UNWIND $rows AS row
MATCH (k:Key {kind: row[0], namespace: row[1], key: row[2]}) USING INDEX SEEK k:Key(key, kind, namespace)
RETURN k.kind, k.namespace, k.key, head([(k)-[:CURRENT]->(n) | n.id]),
       COLLECT { MATCH (k)-[t:NAMES]->(n:LineageNode) RETURN [n.id, t.first, t.last, n.run] },
       COLLECT { MATCH (r:Run)-[:RETIRED]->(k) RETURN [r.begin, r.id] },
       COLLECT { MATCH (r:Run {namespace: k.namespace}) WHERE r.complete AND k.kind IN r.kinds RETURN [r.begin, r.id] }
"""
"""All that was said of some keys: the nodes that each named, and the runs that retired it."""

SEEDED = """
UNWIND $rows AS id MATCH (n:LineageNode {id: id})<-[:SEEDS]-(c:Cause)
USING INDEX SEEK n:LineageNode(id) WHERE c.type = 1 RETURN n.id, c.id
"""
POINT = """
UNWIND $rows AS row MATCH (k:Key {kind: row[0], namespace: row[1], key: row[2]})
USING INDEX SEEK k:Key(key, kind, namespace)
OPTIONAL MATCH (k)-[before:CURRENT]->() DELETE before
WITH DISTINCT k, row
OPTIONAL MATCH (n:LineageNode {id: row[3]})
FOREACH (_ IN CASE WHEN n IS NULL THEN [] ELSE [1] END | CREATE (k)-[:CURRENT]->(n))
"""


class Keys(Runs):
    """Which node a key names, and what was replaced under it."""

    def finish_run(self, id_: str, at: int, complete: bool) -> None:
        """The run ended. ``complete``: keys of the kinds that it named and did not name are retired."""
        self._cypher.changing()
        self._cypher.rows(
            """MATCH (r:Run {id: $id}) SET r.finished = coalesce(r.finished, $at),
               r.complete = r.complete OR $complete""",
            id=id_, at=at, complete=complete,
        )  # fmt: skip
        if complete:
            self._sweep(id_)

    def _sweep(self, id_: str) -> None:
        # Only a key that was not named since can change.
        rows = self._cypher.rows(
            """MATCH (r:Run {id: $id}) UNWIND r.kinds AS kind WITH r, kind WHERE NOT kind IN $never
               MATCH (k:Key {namespace: r.namespace, kind: kind}) USING INDEX SEEK k:Key(namespace, kind)
               WHERE NOT EXISTS { (k)-[:CURRENT]->(n)<-[t:NAMES]-(k) WHERE t.last >= r.begin }
               RETURN k.kind, k.namespace, k.key""",
            id=id_, never=list(NEVER_SWEPT),
        )  # fmt: skip
        self._settle_keys([(kind, space, key) for kind, space, key in rows])

    def named(self, names: Collection[Name]) -> dict[Name, str | None]:
        """The node that each name names now, None where the key is retired; unknown names are left out."""
        rows = self._cypher.write(
            """UNWIND $rows AS row MATCH (k:Key {kind: row[0], namespace: row[1], key: row[2]})
               USING INDEX SEEK k:Key(key, kind, namespace)
               OPTIONAL MATCH (k)-[:CURRENT]->(n) RETURN k.kind, k.namespace, k.key, n.id""",
            [list(name) for name in names],
        )
        return {(kind, space, key): id_ for kind, space, key, id_ in rows}

    def retire(self, names: Collection[Name], run: RunState) -> list[Name]:
        """Retires keys as of the run's begin; returns the names that the store does not know."""
        if not names:
            return []
        self._cypher.changing()
        rows = self._cypher.write(
            """UNWIND $rows AS row MATCH (k:Key {kind: row[0], namespace: row[1], key: row[2]})
               USING INDEX SEEK k:Key(key, kind, namespace)
               MATCH (r:Run {id: $run}) MERGE (r)-[:RETIRED]->(k) RETURN k.kind, k.namespace, k.key""",
            [list(name) for name in names],
            run=run.id,
        )
        known = {(kind, space, key) for kind, space, key in rows}
        self._settle_keys(known)
        return [name for name in names if name not in known]

    def _settle_keys(self, names: Iterable[Name]) -> None:
        """Makes what each key names what its namings and retirements say, and seeds what was replaced.

        Order is by the begin of runs: naming wins over retiring at the same begin, the greater id among two texts of
        one begin. A node is replaced by the run that first named the node that is current now, or, where the key was
        retired, by the first run that did.
        """
        pointers: list[list[Any]] = []
        replaced: list[tuple[str, int | None, str | None]] = []
        for kind, space, key, held, nodes, retired, swept in self._cypher.write(
            SETTLING, sorted({tuple(name) for name in names})
        ):
            if not nodes:
                continue
            nodes.sort(key=lambda node: (node[2], node[0]), reverse=True)
            winner, first, last, made_by = nodes[0]
            sweeps = [] if kind in NEVER_SWEPT else swept
            after = sorted(each for each in (*retired, *sweeps) if each[0] > last)
            current = None if after else winner
            if current != held:
                pointers.append([kind, space, key, current, held])
            if kind in NEVER_SWEPT:
                # Nobody cites an answer: one that was asked again takes its claims with it.
                continue
            for node, *_ in nodes:
                if node == current:
                    replaced.append((node, None, None))
                elif node == winner:
                    replaced.append((node, None, after[0][1]))
                else:
                    replaced.append((node, first, made_by))
        if any(kept is not None for *_, kept in pointers):
            self._cypher.changing()
        if pointers:
            self._cypher.write(POINT, [pointer[:4] for pointer in pointers])
        self._seed_replacements(replaced)

    def _seed_replacements(self, replaced: Sequence[tuple[str, int | None, str | None]]) -> None:
        """(node, begin of the run that replaced it, or that run): None, None where it was not replaced."""
        begins = {begin for _, begin, _ in replaced if begin is not None}
        rows = self._cypher.write("MATCH (r:Run) WHERE r.begin IN $rows RETURN r.begin, r.id", begins)
        namers: dict[int, str] = {begin: id_ for begin, id_ in rows}  # noqa: C416
        wanted = {node: run if begin is None else namers.get(begin, run) for node, begin, run in replaced}
        held: dict[str, set[str]] = {}
        for node, cause in self._cypher.write(SEEDED, sorted(wanted)):
            held.setdefault(node, set()).add(cause)
        drop = [[cause, node] for node, causes in held.items() for cause in causes if cause != wanted[node]]
        add = [
            [cause, node] for node, cause in sorted(wanted.items())
            if cause is not None and cause not in held.get(node, set())
        ]  # fmt: skip
        if drop or add:
            self._cypher.changing()
        if drop:
            self._cypher.write(
                """UNWIND $rows AS row MATCH (c:Cause {id: row[0]})-[s:SEEDS]->(n:LineageNode {id: row[1]})
                   USING INDEX SEEK n:LineageNode(id) DELETE s
                   """
                + again("n"),
                drop,
            )
        if add:
            self._cypher.write(
                """UNWIND $rows AS id MATCH (r:Run {id: id}) MERGE (c:Cause {id: id})
                   ON CREATE SET c:Replacement, c.type = 1, c.seq = r.begin, c.at = r.at, c.edition = false""",
                sorted({cause for cause, _ in add}),
            )
            self._cypher.write(
                """UNWIND $rows AS row MATCH (c:Cause {id: row[0]})
                   CALL (row) { MATCH (n:LineageNode {id: row[1]}) RETURN n }
                   CREATE (c)-[:SEEDS {severity: 1}]->(n) """
                + again("n"),
                add,
            )

    def _name(self, rows: Sequence[NodeRow], run: RunState) -> None:
        """Notes that the run named these nodes, and settles their keys."""
        said = [
            [row.kind, row.namespace, row.key, row.id, run.begin if row.asked is None else row.asked] for row in rows
        ]
        changed = self._cypher.write(
            """UNWIND $rows AS row MERGE (k:Key {kind: row[0], namespace: row[1], key: row[2]})
               ON MATCH SET k.locked = true
               WITH k, row REMOVE k.locked
               WITH k, row MATCH (n:LineageNode {id: row[3]}) OPTIONAL MATCH (k)-[before:NAMES]->(n)
               WITH k, n, row, before.first AS first, before.last AS last
               WHERE first IS NULL OR row[4] < first OR row[4] > last
               MERGE (k)-[t:NAMES]->(n)
               ON CREATE SET t.first = row[4], t.last = row[4]
               ON MATCH SET t.first = CASE WHEN row[4] < t.first THEN row[4] ELSE t.first END,
                            t.last = CASE WHEN row[4] > t.last THEN row[4] ELSE t.last END
               RETURN k.kind, k.namespace, k.key""",
            sorted(said),
        )
        kinds = sorted({row.kind for row in rows})
        complete, known = self._cypher.rows("MATCH (r:Run {id: $id}) RETURN r.complete, r.kinds", id=run.id)[0]
        if not set(kinds) <= set(known):
            # Batches of one run may come at once: locked first, so that none overwrites what another wrote.
            self._cypher.rows(
                """MATCH (r:Run {id: $id}) SET r.locked = true WITH r REMOVE r.locked
                   WITH r SET r.kinds = r.kinds + [k IN $kinds WHERE NOT k IN r.kinds]""",
                id=run.id, kinds=kinds,
            )  # fmt: skip
        # What was said before is settled.
        self._settle_keys((kind, space, key) for kind, space, key in changed)
        if complete:
            self._sweep(run.id)
