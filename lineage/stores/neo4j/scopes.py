"""The scope rule of editions: which answers and claims an edition's correction does not pass to."""

from __future__ import annotations

import json
from typing import Any

from lineage.scope import lies_in, merged
from lineage.stores.neo4j.cypher import Cypher


class Scopes:
    """What is said of the old and the new text of an edition's correction, read once in a transaction."""

    def __init__(self, cypher: Cypher) -> None:
        self._cypher = cypher
        self._validities: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {}

    def excludes(self, cause: str, kind: str, attributes: str | None) -> bool:
        """Whether a node's own scope lies in the old text's validity, for each document of the correction."""
        if attributes is None or kind not in ("answer", "claim"):
            return False
        scope = json.loads(attributes)
        if cause not in self._validities:
            self._validities[cause] = [
                (merged([json.loads(body) for body in old]), merged([json.loads(body) for body in new]))
                for old, new in self._cypher.rows(STATED, cause=cause)
            ]
        return all(lies_in(scope, old, new) for old, new in self._validities[cause])


def _said(edition: str, number: str) -> str:
    return f"""COLLECT {{ MATCH (d)<-[:VERSION_OF]-(v)<-[:SAID_OF]-(s) WHERE v.edition = g.{edition}
        AND v.number = g.{number} RETURN s.body ORDER BY s.seq, s.n }}"""


STATED = f"""MATCH (:Cause {{id: $cause}})-[g:CHANGED]->(d)
    RETURN {_said("edition", "source")}, {_said("target_edition", "target")}"""
"""What is said of the text before and of the text after, for each document of a correction."""
