"""The scope rule of editions, as a function that SQL statements call."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from lineage.scope import lies_in, merged
from lineage.stores.sqlite.codes import Codes


class Scopes:
    """``scope_excludes(cause, node)``: whether an edition's correction does not pass to an answer or claim."""

    def __init__(self, connection: sqlite3.Connection, codes: Codes) -> None:
        self._connection = connection
        self._codes = codes
        self._validities: dict[int, list[tuple[dict[str, Any], dict[str, Any]]]] = {}
        connection.create_function("scope_excludes", 2, self.excludes)

    def forget(self) -> None:
        """Drops what was read: statements about versions may have changed."""
        self._validities.clear()

    def excludes(self, cause: int, node: int) -> int:
        """1 where the node's own scope lies in the old text's validity for each document of the correction."""
        kind, attributes = self._connection.execute(
            "select kind, attributes from node where id = ?", (node,)
        ).fetchone()
        if attributes is None or self._codes.word("kind", kind) not in ("answer", "claim"):
            return 0
        scope = json.loads(attributes)
        if cause not in self._validities:
            self._validities[cause] = [
                (self._said(source), self._said(target))
                for source, target in self._connection.execute(
                    "select source, target from change where cause = ?", (cause,)
                ).fetchall()
            ]
        return int(all(lies_in(scope, old, new) for old, new in self._validities[cause]))

    def _said(self, version: int) -> dict[str, Any]:
        rows = self._connection.execute("select body from statement where version = ? order by id", (version,))
        return merged([json.loads(body) for (body,) in rows])
