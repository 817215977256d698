"""What ``doctor`` and tests read of a Neo4j store. ``verify`` is not among it yet."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

from lineage.stores.auditing import Finding, Unfinished
from lineage.stores.neo4j.cypher import Cypher
from lineage_schema.errors import StoreUnavailable


class Auditing:
    """Reads the state of a store."""

    settles_at_once = False

    def __init__(self, cypher: Cypher) -> None:
        self._cypher = cypher

    @contextmanager
    def lenient(self) -> Generator[None]:
        """A server holds no bytes that are no text."""
        yield

    def storage(self) -> Iterator[Finding]:
        """Raises :class:`StoreUnavailable`: verification reads only SQLite stores so far."""
        raise StoreUnavailable("verify does not read Neo4j stores yet", hint="it reads sqlite:// stores")

    def schema(self) -> int:
        """The number of the last step of the schema that was applied."""
        return int(self._cypher.one("MATCH (m:LineageMigration) RETURN max(m.number)"))

    def unsettled(self) -> int:
        """How many nodes have not read their inputs' marks."""
        return int(self._cypher.one("MATCH (n:LineageNode) WHERE n.unsettled = true RETURN count(n)"))

    def unfinished(self) -> list[Unfinished]:
        """The runs that have not ended, in order."""
        rows = self._cypher.rows(
            """MATCH (r:Run) WHERE r.finished IS NULL
               RETURN r.id, r.namespace, r.key, r.begin, r.at ORDER BY r.begin"""
        )
        return [Unfinished(*row) for row in rows]

    def log_size(self) -> int:
        """Nothing: a server does not tell."""
        return 0

    def node_count(self) -> int:
        """How many nodes there are."""
        return int(self._cypher.one("MATCH (n:LineageNode) RETURN count(n)"))

    def node_ids(self, size: int) -> Iterator[list[str]]:
        """The ids of all nodes, in pages."""
        after = ""
        while True:
            rows = self._cypher.rows(
                "MATCH (n:LineageNode) WHERE n.id > $after RETURN n.id ORDER BY n.id LIMIT $size",
                after=after, size=size,
            )  # fmt: skip
            if not rows:
                return
            yield [id_ for (id_,) in rows]
            after = rows[-1][0]
