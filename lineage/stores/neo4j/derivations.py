"""Derivations and their edges in Neo4j."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from lineage.stores.base import Derivation, Edge, Edges, Outcome, RunState
from lineage.stores.neo4j.cypher import parts
from lineage.stores.neo4j.model import EDGES, again, edge_type
from lineage.stores.neo4j.runs import Runs

HELD = f"""
MATCH (n:LineageNode) WHERE n.id IN $ids AND n.run IS NOT NULL MATCH (r:Run {{id: n.run}})
RETURN n.id, r.id, r.key, r.namespace, n.derived, n.begin, n.made, n.lineage,
       EXISTS {{ (n)<-[m:MARKS]-() WHERE m.severity > 0 }},
       COLLECT {{ MATCH (n)-[e:{EDGES}]->(d)
                  RETURN [e.role, d.id, e.origins, e.version, e.ext, e.own] }}
"""
ARCHIVE = f"""
UNWIND $rows AS id MATCH (n:LineageNode {{id: id}})
CREATE (n)-[:WAS_MADE]->(:Making {{run: n.run, begin: n.begin, derived: n.derived, made: n.made, lineage: n.lineage,
    until: $seq}})
WITH n MATCH (n)-[e:{EDGES}]->(d)
CREATE (n)-[f:FORMERLY]->(d) SET f = properties(e), f.until = $seq, f.run = n.run
DELETE e
"""


class Derivations(Runs):
    """The makings of nodes: current ones, and what became history."""

    def _spans_among(self, ids: Collection[str]) -> set[str]:
        rows = self._cypher.write("MATCH (n:LineageNode) WHERE n.id IN $rows AND n:Span RETURN n.id", list(ids))
        return {id_ for (id_,) in rows}

    def _put_edges(self, edges: Iterable[tuple[str, Edges]], since: int) -> None:
        listed = list(edges)
        spans = self._spans_among({dst for _, inputs in listed for _, dst in inputs})
        by_type: dict[str, list[list[Any]]] = {}
        for src, inputs in listed:
            for (role, dst), edge in inputs.items():
                by_type.setdefault(edge_type(role, dst in spans), []).append(
                    [src, dst, role, edge.origins, edge.version, edge.ext, edge.own]
                )
        for type_ in sorted(by_type):
            self._cypher.write(
                f"""UNWIND $rows AS row MATCH (s:LineageNode {{id: row[0]}})
                    CALL (row) {{ MATCH (d:LineageNode {{id: row[1]}}) RETURN d }}
                    CREATE (s)-[:{type_} {{role: row[2], origins: row[3], version: row[4], ext: row[5], own: row[6],
                    since: $since}}]->(d)""",
                sorted(by_type[type_], key=lambda row: (row[0], row[1])),
                since=since,
            )

    def derivations(self, ids: Collection[str]) -> dict[str, Derivation]:
        """The current derivations of nodes that exist, with all edges."""
        found: dict[str, Derivation] = {}
        for part in parts(list(ids)):
            for id_, run, key, space, derived, begin, made, lineage, touched, edges in self._cypher.rows(
                HELD, ids=list(part)
            ):
                found[id_] = Derivation(
                    RunState(run, key, space, derived, begin),
                    made,
                    {(role, dst): Edge(origins, version, ext, own) for role, dst, origins, version, ext, own in edges},
                    lineage,
                    touched,
                )
        return found

    def apply(self, outcomes: Sequence[Outcome], seq: int) -> None:
        """Changes derivations of nodes that exist, each as its outcome says."""
        self._cypher.changing()
        past = [outcome for outcome in outcomes if outcome.action == "past"]
        mine = [outcome for outcome in outcomes if outcome.action != "past"]
        held = self.derivations([outcome.node for outcome in mine if outcome.action != "replace"])
        replaced = [outcome for outcome in mine if outcome.action == "replace"]
        self._file(past, seq)
        self._cypher.write(ARCHIVE, sorted(outcome.node for outcome in replaced), seq=seq)
        self._set_rows([self._after(outcome, held.get(outcome.node), seq) for outcome in mine])
        new: list[tuple[str, Edges]] = []
        changed: list[list[Any]] = []
        for outcome in mine:
            before = {} if outcome.action == "replace" else held[outcome.node].edges
            new.append((outcome.node, {key: edge for key, edge in outcome.edges.items() if key not in before}))
            changed.extend(
                [outcome.node, dst, role, edge.origins, edge.version, edge.ext, edge.own]
                for (role, dst), edge in outcome.edges.items()
                if (role, dst) in before and before[role, dst] != edge
            )
        self._put_edges(new, seq)
        if changed:
            self._cypher.write(
                f"""UNWIND $rows AS row MATCH (s:LineageNode {{id: row[0]}})-[e:{EDGES}]->(d:LineageNode {{id: row[1]}})
                    USING INDEX SEEK s:LineageNode(id)
                    WHERE e.role = row[2] SET e.origins = row[3], e.version = row[4], e.ext = row[5], e.own = row[6]""",
                sorted(changed, key=lambda row: (row[0], row[1])),
            )
        self._set_lineage([outcome for outcome in mine if outcome.action != "begin"])

    @staticmethod
    def _after(outcome: Outcome, held: Derivation | None, seq: int) -> dict[str, Any]:
        """The node's properties, where its derivation was replaced, stays, or begins later."""
        run = outcome.run
        if held is None:
            return {"id": outcome.node, "run": run.id, "begin": run.begin, "derived": run.derived, "made": seq}
        after = {
            "id": outcome.node, "run": held.run.id, "begin": held.run.begin, "derived": held.run.derived,
            "made": held.made,
        }  # fmt: skip
        if outcome.action == "begin":
            # What is derived outranks an import, also one that began later: then that one's begin counts no more.
            outranked = run.derived and not held.run.derived
            after |= {
                "run": run.id,
                "begin": run.begin if outranked else max(held.run.begin, run.begin),
                "derived": held.run.derived or run.derived,
            }
        elif outcome.action == "unite":
            after["begin"] = max(held.run.begin, run.begin)
        elif not outcome.edges.keys() <= held.edges.keys():
            after["made"] = seq
        return after

    def _set_rows(self, rows: Sequence[dict[str, Any]]) -> None:
        if rows:
            self._cypher.write(
                "UNWIND $rows AS row MATCH (n:LineageNode {id: row.id}) SET n += row",
                sorted(rows, key=lambda row: str(row["id"])),
            )

    def _set_lineage(self, outcomes: Sequence[Outcome]) -> None:
        if not outcomes:
            return
        rows = sorted([outcome.node, outcome.lineage, outcome.reason or ""] for outcome in outcomes)
        self._cypher.write(
            """MATCH (c:Cause {id: 'incomplete'}) UNWIND $rows AS row MATCH (n:LineageNode {id: row[0]})
               SET n.lineage = row[1], n.reason = CASE WHEN row[2] = '' THEN n.reason ELSE row[2] END
               """
            + again("n")
            + """
               WITH c, n, row
               OPTIONAL MATCH (c)-[s:SEEDS]->(n)
               FOREACH (_ IN CASE WHEN s IS NULL AND row[1] > 0 THEN [1] ELSE [] END |
                   CREATE (c)-[:SEEDS {severity: 1}]->(n))
               FOREACH (gone IN CASE WHEN s IS NOT NULL AND row[1] = 0 THEN [s] ELSE [] END | DELETE gone)""",
            rows,
        )

    def _file(self, outcomes: Sequence[Outcome], seq: int) -> None:
        """Derivations that were outranked when they came: history with an empty range of sequence numbers."""
        for outcome in outcomes:
            run = outcome.run
            known = self._cypher.one(
                """MATCH (n:LineageNode {id: $id}) MERGE (n)-[:WAS_MADE]->(m:Making {run: $run, made: $begin})
                   ON CREATE SET m.begin = $begin, m.derived = $derived, m.lineage = $lineage, m.until = $seq
                   RETURN COLLECT { MATCH (n)-[f:FORMERLY {run: $run}]->(d) WHERE f.since = f.until
                                    RETURN [f.role, d.id] }""",
                id=outcome.node, run=run.id, begin=run.begin, derived=run.derived, lineage=outcome.lineage, seq=seq,
            )  # fmt: skip
            there = {(role, dst) for role, dst in known or ()}
            self._cypher.write(
                """UNWIND $rows AS row MATCH (s:LineageNode {id: row[0]})
                   CALL (row) { MATCH (d:LineageNode {id: row[1]}) RETURN d }
                   CREATE (s)-[:FORMERLY {role: row[2], origins: row[3], version: row[4], ext: row[5], own: row[6],
                   since: $seq, until: $seq, run: $run}]->(d)""",
                [
                    [outcome.node, dst, role, edge.origins, edge.version, edge.ext, edge.own]
                    for (role, dst), edge in sorted(outcome.edges.items())
                    if (role, dst) not in there
                ],
                seq=seq,
                run=run.id,
            )

    def cycle(self, edges: Collection[tuple[str, str]]) -> list[str] | None:
        """A path from an input back to its dependent, where one of these (dependent, input) would close one."""
        for dependent, target in edges:
            path = self._path(target, dependent)
            if path is not None:
                return [dependent, *path]
        return None

    def _path(self, start: str, goal: str) -> list[str] | None:
        parents: dict[str, str | None] = {start: None}
        frontier = [start]
        while frontier:
            if goal in parents:
                path: list[str] = []
                node: str | None = goal
                while node is not None:
                    path.append(node)
                    node = parents[node]
                return path[::-1]
            following = []
            for src, dst in self._cypher.write(
                f"MATCH (s:LineageNode)-[:{EDGES}]->(d:LineageNode) WHERE s.id IN $rows RETURN s.id, d.id", frontier
            ):
                if dst not in parents:
                    parents[dst] = src
                    following.append(dst)
            frontier = following
        return None

    def inputs_of(self, ids: Collection[str], role: int) -> dict[str, list[str]]:
        """The current inputs of nodes over one role, by id."""
        found: dict[str, list[str]] = {}
        for src, dst in self._cypher.write(
            f"""MATCH (s:LineageNode)-[e:{EDGES}]->(d:LineageNode) WHERE s.id IN $rows AND e.role = $role
                RETURN s.id, d.id ORDER BY s.id, d.id""",
            list(ids),
            role=role,
        ):
            found.setdefault(src, []).append(dst)
        return found
