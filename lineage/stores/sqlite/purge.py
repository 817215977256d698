"""Purging in SQLite: text goes, ids, hashes and edges stay as a tombstone that no registration refills."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence

from lineage.stores.sqlite.codes import LAST_PASSING, Codes, chunks, digest_of, marks, one
from lineage_schema.identity import NODE_TAG, VERSION_TAG, content_hash

SPENT = f"""exists (select 1 from edge e join node i on i.id = e.dst
        where e.src = n.id and e.role <= {LAST_PASSING} and i.purged = 1)
    and not exists (select 1 from edge e join node i on i.id = e.dst
        where e.src = n.id and e.role <= {LAST_PASSING} and i.purged = 0)"""
"""Whether everything that node ``n`` was read from was purged."""


class Purge:
    """Removes texts of editions, and of what was derived from nothing else."""

    def __init__(self, connection: sqlite3.Connection, codes: Codes) -> None:
        self._connection = connection
        self._codes = codes

    def edition(self, uri: str, edition: int) -> None:
        """Purges all versions of an edition and all nodes all of whose spans are purged."""
        versions = [
            row
            for (row,) in self._connection.execute(
                """select v.id from document d join version v on v.document = d.id and v.edition = ? where d.uri = ?""",
                (edition, uri),
            )
        ]
        self._connection.executemany("update version set purged = 1 where id = ?", ((row,) for row in versions))
        for version in versions:
            self._strip_statements(version)
        spans = [
            row
            for (row,) in self._connection.execute(
                """select s.node from document d join span s on s.document = d.id and s.edition = ? where d.uri = ?""",
                (edition, uri),
            )
        ]
        purged = self._mark_purged(spans)
        self._forget_texts(purged, versions)

    def new(self, levels: Collection[Collection[str]]) -> None:
        """Purges those of nodes with new inputs, in topological order, that stand on purged spans alone.

        Nodes above them that were there before follow.
        """
        if not one(self._connection, "select exists (select 1 from version where purged = 1)"):
            return
        spent: list[int] = []
        for level in levels:
            rows = list(self._codes.rows(level).values())
            for part in chunks(rows):
                spent += self._spend(part)
        self._forget_texts(self._mark_purged(spent), [])

    def _mark_purged(self, nodes: list[int]) -> list[int]:
        """Purges nodes, and all above them that stand on nothing else; returns all of these."""
        self._connection.executemany("update node set purged = 1 where id = ?", ((row,) for row in nodes))
        spent = list(nodes)
        frontier = nodes
        while frontier:
            above: set[int] = set()
            for part in chunks(frontier):
                above.update(
                    row
                    for (row,) in self._connection.execute(
                        f"select src from edge where dst in ({marks(len(part))}) and role <= {LAST_PASSING}", part
                    )
                )
            frontier = [row for part in chunks(sorted(above)) for row in self._spend(part)]
            spent += frontier
        return spent

    def _spend(self, rows: Collection[int]) -> list[int]:
        return [
            row
            for (row,) in self._connection.execute(
                f"update node as n set purged = 1 where n.id in ({marks(len(rows))}) and n.purged = 0 and {SPENT}"
                " returning id",
                list(rows),
            ).fetchall()
        ]

    def _forget_texts(self, nodes: list[int], versions: list[int]) -> None:
        """Removes bodies that nothing unpurged uses, and what stands beside the nodes."""
        texts: set[int] = set()
        for table, rows, tag in (("node", nodes, NODE_TAG), ("version", versions, VERSION_TAG)):
            for part in chunks(rows):
                texts.update(self._judged(table, part, tag))
                texts.update(
                    row
                    for (row,) in self._connection.execute(
                        f"select text from {table} where id in ({marks(len(part))}) and text is not null", list(part)
                    )
                )
        for part in chunks(nodes):
            texts.update(self._split(part))
            self._connection.execute(
                f"update detail set title = null, body = null where node in ({marks(len(part))})", list(part)
            )
        for part in chunks(sorted(texts)):
            places = marks(len(part))
            used = {
                row
                for table, column, condition in (
                    ("node", "text", "purged = 0"),
                    ("version", "text", "purged = 0"),
                    ("answer", "question", "true"),
                )
                for (row,) in self._connection.execute(
                    f"select {column} from {table} where {column} in ({places}) and {condition}", list(part)
                )
            }
            used |= self._still_judged(part) | self._still_split(part)
            self._connection.executemany(
                "update text set body = null where id = ?", ((row,) for row in part if row not in used)
            )

    def _judged(self, table: str, rows: Collection[int], tag: str) -> list[int]:
        """The texts that judges were shown of these nodes or versions; what the judges wrote of them goes at once."""
        sources = [
            tag + digest.hex()
            for (digest,) in self._connection.execute(
                f"select hash from {table} where id in ({marks(len(rows))})", list(rows)
            )
        ]
        places = marks(len(sources))
        shown = self._connection.execute(
            f"select judgment, text from judgment_passage where source in ({places})", sources
        ).fetchall()
        self._connection.executemany(
            "update judgment set reason = null where id = ?", {(judgment,) for judgment, _ in shown}
        )
        return [text for _, text in shown]

    def _still_judged(self, texts: Sequence[int]) -> set[int]:
        """Those of the texts that a judge was also shown of something that was not purged."""
        shown = self._connection.execute(
            f"select distinct text, source from judgment_passage where text in ({marks(len(texts))})", list(texts)
        ).fetchall()
        tables = {NODE_TAG: "node", VERSION_TAG: "version"}
        return {
            text
            for text, source in shown
            if source[:3] not in tables
            or not one(
                self._connection,
                f"select purged from {tables[source[:3]]} where hash = ?",
                (digest_of(NODE_TAG + source[3:]),),
            )
        }

    def _split(self, claims: Collection[int]) -> list[int]:
        """Removes what claims were split into; the texts of the parts, as judges were asked about them."""
        places = marks(len(claims))
        parts = {
            content_hash(part)
            for (body,) in self._connection.execute(
                f"select parts from splitting where node in ({places}) and parts is not null", list(claims)
            )
            for part in json.loads(body)
        }
        self._connection.execute(f"update splitting set parts = null where node in ({places})", list(claims))
        return [
            row
            for some in chunks(sorted(parts))
            for (row,) in self._connection.execute(
                f"select id from text where hash in ({marks(len(some))})", [bytes.fromhex(hash_) for hash_ in some]
            )
        ]

    def _still_split(self, texts: Sequence[int]) -> set[int]:
        """Those of the texts that a claim was split into that was not purged."""
        return {
            row
            for (row,) in self._connection.execute(
                f"""select t.id from text t where t.id in ({marks(len(texts))}) and t.body in (
                    select j.value from splitting s, json_each(s.parts) j where s.parts is not null)""",
                list(texts),
            )
        }

    def _strip_statements(self, version: int) -> None:
        """Section headings are words of the source."""
        for row, body in self._connection.execute(
            "select id, body from statement where version = ?", (version,)
        ).fetchall():
            said = json.loads(body)
            if said.pop("sections", None) is not None:
                text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                self._connection.execute("update statement set body = ? where id = ?", (text, row))
