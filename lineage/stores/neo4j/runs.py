"""Runs in Neo4j."""

from __future__ import annotations

from lineage.stores.base import RunState
from lineage.stores.neo4j.cypher import Cypher

STATE = "r.id, r.key, r.namespace, r.derived, r.begin"


class Runs:
    """Runs: begun, found."""

    def __init__(self, cypher: Cypher) -> None:
        self._cypher = cypher

    def begin_run(
        self, id_: str, key: str, namespace: str, producer: str, body: str, derived: bool, seq: int, at: int
    ) -> tuple[RunState, bool]:
        """The run of that id, begun at ``seq`` if it is new; and whether it was there already."""
        before = self.run(id_)
        if before is not None:
            return before, True
        self._cypher.changing()
        self._cypher.rows(
            """CREATE (r:Run {id: $id, key: $key, namespace: $namespace, producer: $producer, body: $body,
               derived: $derived, begin: $seq, at: $at, complete: false, kinds: []})
               MERGE (:Namespace {name: $namespace})""",
            id=id_, key=key, namespace=namespace, producer=producer, body=body, derived=derived, seq=seq, at=at,
        )  # fmt: skip
        return RunState(id_, key, namespace, derived, seq), False

    def run(self, id_: str) -> RunState | None:
        """A run by its id."""
        found = self._cypher.rows(f"MATCH (r:Run {{id: $id}}) RETURN {STATE}", id=id_)
        return RunState(*found[0]) if found else None

    def run_body(self, id_: str) -> str:
        """What a run said of itself, as canonical JSON."""
        return str(self._cypher.one("MATCH (r:Run {id: $id}) RETURN r.body", id=id_))

    def runs_of_key(self, key: str) -> list[RunState]:
        """The runs of a key in all namespaces, in order of their begin."""
        rows = self._cypher.rows(f"MATCH (r:Run {{key: $key}}) RETURN {STATE} ORDER BY r.begin", key=key)
        return [RunState(*row) for row in rows]
