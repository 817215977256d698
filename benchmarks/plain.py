"""What a plain script does on a Neo4j server: it merges rows, walks by one query, marks level by level.

It writes under labels and types of its own, in the database of the store that it is compared with.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import neo4j

from lineage.stores.neo4j.cypher import parts
from lineage.stores.neo4j.drawing import KEYS, Beside, Drawn, End, Thing
from lineage.stores.neo4j.model import PASSING

OWN = "Plain"


class Plain:
    """Statements in managed transactions of one session, 10,000 rows in each."""

    def __init__(self, session: neo4j.Session) -> None:
        self._session = session
        for label, names in KEYS.items():
            keys = ", ".join(f"n.{name}" for name in names)
            self._run(f"CREATE CONSTRAINT {OWN}_{label} IF NOT EXISTS FOR (n:{OWN}{label}) REQUIRE ({keys}) IS UNIQUE")
        self._run("CALL db.awaitIndexes(600)")

    def _run(self, statement: str, **parameters: Any) -> list[list[Any]]:
        text: Any = statement

        def work(tx: neo4j.ManagedTransaction) -> list[list[Any]]:
            return [record.values() for record in tx.run(text, parameters)]

        return self._session.execute_write(work)

    # registering

    def merge(self, drawn: Iterable[Drawn]) -> None:
        """Merges nodes by their keys, and relationships between them."""
        statements: dict[str, list[Any]] = {}
        for each in drawn:
            statement, row = _merging(each)
            statements.setdefault(statement, []).append(row)
        for statement in sorted(statements, key=lambda each: "MERGE (a)" in each):
            for part in parts(statements[statement]):
                self._run(statement, rows=part)

    # walking

    def some(self, label: str, count: int) -> list[str]:
        """Ids of a label, spread over the graph."""
        ids = [id_ for (id_,) in self._run(f"MATCH (n:{label}) RETURN n.id ORDER BY n.id")]
        return ids[:: max(1, len(ids) // count)][:count]

    def reached(self, id_: str, *, up: bool) -> list[str]:
        """The ids that one variable-length query gives."""
        arrow = f"<-[:{PASSING}*0..]-" if up else f"-[:{PASSING}*0..]->"
        rows = self._run(f"MATCH (s:LineageNode {{id: $id}}) MATCH (s){arrow}(n) RETURN DISTINCT n.id", id=id_)
        return [found for (found,) in rows]

    # marking

    def count_marks(self, correction: str) -> int:
        """How many nodes a correction of the store marks."""
        return int(self._run("MATCH (:Cause {id: $id})-[m:MARKS]->() RETURN count(m)", id=correction)[0][0])

    def seeds(self, correction: str) -> list[str]:
        """The spans at which it begins."""
        return [id_ for (id_,) in self._run("MATCH (:Cause {id: $id})-[:SEEDS]->(n) RETURN n.id", id=correction)]

    def mark(self, seeds: Sequence[str]) -> tuple[int, float]:
        """Marks all that rests on some nodes, level by level; how many marks that made, in how many seconds."""
        begin = time.perf_counter()
        ((cause,),) = self._run(f"CREATE (c:{OWN}Mark) RETURN elementId(c)")
        frontier: dict[str, str | None] = dict.fromkeys(seeds)
        seen = set(frontier)
        while frontier:
            for part in parts(sorted(map(list, frontier.items()))):
                self._run(MARK, rows=part, cause=cause)
            found: dict[str, str | None] = {}
            for part in parts(sorted(frontier)):
                for id_, via in self._run(DEPENDENTS, rows=part):
                    if id_ not in seen:
                        found[id_] = via
            seen.update(found)
            frontier = found
        return len(seen), time.perf_counter() - begin


MARK = f"""
MATCH (c:{OWN}Mark) WHERE elementId(c) = $cause UNWIND $rows AS row MATCH (n:LineageNode {{id: row[0]}})
CREATE (c)-[:PLAIN_MARKS {{severity: 2, via: row[1]}}]->(n)
"""
DEPENDENTS = f"""
UNWIND $rows AS id MATCH (n:LineageNode {{id: id}})<-[:{PASSING}]-(s:LineageNode) RETURN s.id, min(n.id)
"""


def _merging(drawn: Drawn) -> tuple[str, Any]:
    if isinstance(drawn, Thing):
        labels = "".join(f":{OWN}{label}" for label in drawn.labels[1:])
        also = f"SET n{labels} " if labels else ""
        found = _found("n", drawn.labels[0], "row.key")
        return f"UNWIND $rows AS row MERGE {found} {also}SET n += row.props", _row(key=drawn.end, props=drawn.props)
    if isinstance(drawn, Beside):
        if drawn.end is None:
            return f"UNWIND $rows AS row CREATE (n:{OWN}{drawn.label}) SET n = row.props", _row(props=drawn.props)
        arrow = f"(e)-[:{drawn.type}]->(n)" if drawn.inwards else f"(e)<-[:{drawn.type}]-(n)"
        statement = (
            f"UNWIND $rows AS row MATCH {_found('e', drawn.end.label, 'row.key')} "
            f"CREATE (n:{OWN}{drawn.label}) SET n = row.props MERGE {arrow}"
        )
        return statement, _row(key=drawn.end, props=drawn.props)
    statement = (
        f"UNWIND $rows AS row MATCH {_found('a', drawn.start.label, 'row.key')} "
        f"MATCH {_found('b', drawn.end.label, 'row.there')} MERGE (a)-[r:{OWN.upper()}_{drawn.type}]->(b) "
        "SET r += row.props"
    )
    return statement, _row(key=drawn.start, there=drawn.end, props=drawn.props)


def _row(**row: Any) -> dict[str, Any]:
    return {name: list(value.key) if isinstance(value, End) else value for name, value in row.items()}


def _found(variable: str, label: str, names: str) -> str:
    keys = ", ".join(f"{name}: {names}[{at}]" for at, name in enumerate(KEYS[label]))
    return f"({variable}:{OWN}{label} {{{keys}}})"
