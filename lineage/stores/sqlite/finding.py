"""Finding nodes in SQLite: by prefix, alias, key and text."""

from __future__ import annotations

import sqlite3

from lineage.stores.sqlite.codes import (
    Codes,
    id_of,
    key_digest,
)


class Finding:
    """From what people type to ids."""

    def __init__(self, connection: sqlite3.Connection, codes: Codes) -> None:
        self._connection = connection
        self._codes = codes

    def by_prefix(self, prefix: str, limit: int) -> list[str]:
        """Node ids that begin with ``prefix`` (``l1:`` and at least one digit), in order."""
        digits = prefix[3:]
        low = bytes.fromhex(digits.ljust(40, "0"))
        high = bytes.fromhex(digits.ljust(40, "f"))
        return [
            id_of(digest)
            for (digest,) in self._connection.execute(
                "select hash from node where hash between ? and ? order by hash limit ?", (low, high, limit)
            )
        ]

    def by_alias(self, alias: str) -> list[str]:
        """The nodes that an alias names, in any namespace."""
        return [
            id_of(digest)
            for (digest,) in self._connection.execute(
                "select distinct n.hash from alias a join node n on n.id = a.node where a.alias = ? order by n.hash",
                (alias,),
            )
        ]

    def answers_by_key(self, key: str) -> list[str]:
        """Current answers with that key in any namespace, or with that cache key."""
        return [
            id_of(digest)
            for (digest,) in self._connection.execute(
                """select n.hash from name a join node n on n.id = a.current
                   where a.digest = ?3 and a.key = ?1 and a.kind = ?2
                   union select n.hash from answer x join node n on n.id = x.node
                   join name a on a.id = n.name and a.current = n.id where x.cache_key = ?1 order by 1""",
                (key, self._codes.code("kind", "answer"), key_digest(key)),
            )
        ]

    def answers(self, namespace: str | None) -> list[str]:
        """All current answers, of one namespace or of all, by namespace, key."""
        rows = self._connection.execute(
            """select n.hash from namespace s join name a on a.namespace = s.id and a.kind = ?1
               join node n on n.id = a.current where ?2 is null or s.name = ?2 order by s.name, a.key""",
            (self._codes.code("kind", "answer"), namespace),
        )
        return [id_of(digest) for (digest,) in rows]

    def search(self, text: str, kind: str | None, limit: int) -> list[str]:
        """Nodes whose text, title, key or alias contains ``text``, letter case aside; by kind, namespace, key, id."""
        pattern = "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        kind_code = None if kind is None else self._codes.code("kind", kind)
        if kind is not None and kind_code is None:
            return []
        return [
            id_of(digest)
            for (digest,) in self._connection.execute(
                """select n.hash from node n join kind k on k.id = n.kind left join name a on a.id = n.name
                   left join namespace s on s.id = a.namespace left join text t on t.id = n.text
                   left join detail d on d.node = n.id
                   where (?2 is null or n.kind = ?2) and (iif(n.purged, null, t.body) like ?1 escape '\\'
                     or d.title like ?1 escape '\\' or a.key like ?1 escape '\\'
                     or exists (select 1 from alias x where x.node = n.id and x.alias like ?1 escape '\\')
                     or exists (select 1 from span p join version v on v.id = p.version and v.purged = 0
                                join text b on b.id = v.text where p.node = n.id
                                and substr(b.body, p.start + 1, p.stop - p.start) like ?1 escape '\\'))
                   order by k.name, s.name, a.key, n.hash limit ?3""",
                (pattern, kind_code, limit),
            )
        ]

    def past_of(self, name: tuple[str, str, str]) -> list[str]:
        """The nodes that a retired key named last."""
        kind, namespace, key = name
        return [
            id_of(digest)
            for (digest,) in self._connection.execute(
                """select n.hash from name a join node n on n.name = a.id
                   where a.digest = ? and a.key = ? and a.kind = ? and a.namespace = ?
                   order by n.named_last desc, n.hash desc limit 1""",
                (key_digest(key), key, self._codes.code("kind", kind), self._codes.code("namespace", namespace)),
            )
        ]
