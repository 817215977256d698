"""Documents, versions, statements and spans in Neo4j."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from lineage.stores.base import DocumentState, EditionKey, EditionState, NewVersion, SpanRow, VersionState
from lineage.stores.neo4j.cypher import Cypher, parts


class Sources:
    """Operations on what nodes are derived from."""

    def __init__(self, cypher: Cypher) -> None:
        self._cypher = cypher

    # documents and versions

    def documents(self, uris: Collection[str]) -> dict[str, DocumentState]:
        """Those of the documents that exist."""
        found: dict[str, DocumentState] = {}
        rows = self._cypher.write(
            """MATCH (d:Document) WHERE d.uri IN $rows MATCH (d)<-[:VERSION_OF]-(v:DocumentVersion)
               WHERE v.current RETURN d.uri, d.title, d.url, d.media_type, v.edition, v.number, v.sha256 IS NULL,
               v.edition_seq ORDER BY d.uri, v.edition_seq, v.edition""",
            list(uris),
        )
        for uri, title, url, media_type, edition, number, withdrawn, seq in rows:
            state = EditionState(edition, number, withdrawn, seq)
            before = found[uri].editions if uri in found else ()
            found[uri] = DocumentState(uri, title, url, media_type, (*before, state))
        return found

    def uris(self, *, after: str = "", limit: int) -> list[str]:
        """Document uris in order, a page of them."""
        rows = self._cypher.rows(
            "MATCH (d:Document) WHERE d.uri > $after RETURN d.uri ORDER BY d.uri LIMIT $limit", after=after, limit=limit
        )
        return [uri for (uri,) in rows]

    def lock(self, uris: Collection[str]) -> None:
        """Takes the write locks of those of the documents that exist, in uri order, until the transaction ends."""
        self._cypher.write(
            "UNWIND $rows AS uri MATCH (d:Document {uri: uri}) SET d.locked = true REMOVE d.locked", sorted(set(uris))
        )

    def versions(self, editions: Collection[EditionKey]) -> dict[EditionKey, list[VersionState]]:
        """All versions of the editions, by number."""
        found: dict[EditionKey, list[VersionState]] = {key: [] for key in editions}
        for uri, edition, *rest in self._cypher.write(
            """UNWIND $rows AS row MATCH (v:DocumentVersion {uri: row[0], edition: row[1]}) WHERE v.number IS NOT NULL
               RETURN v.uri, v.edition, v.number, v.sha256, v.base, v.source_edition, v.source_number, v.alignment,
               v.seq, v.at, v.purged ORDER BY v.uri, v.edition, v.number""",
            [list(key) for key in editions],
        ):
            number, sha256, base, source_edition, source_number, alignment, seq, at, purged = rest
            source = None if source_edition is None else (source_edition, source_number)
            found[uri, edition].append(VersionState(number, sha256, base, source, alignment, seq, at, purged))
        return found

    def texts(self, hashes: Collection[str]) -> dict[str, str]:
        """The texts by content hash; a purged or unknown one is left out."""
        rows = self._cypher.write(
            """MATCH (v:DocumentVersion) WHERE v.sha256 IN $rows AND v.text IS NOT NULL
               RETURN v.sha256, head(collect(v.text))""",
            list(hashes),
        )
        return {sha256: text for sha256, text in rows}  # noqa: C416

    def versions_with_hash(self, sha256: str) -> list[tuple[str, int, int]]:
        """(uri, edition, number) of all versions with that text, the latest last."""
        rows = self._cypher.rows(
            "MATCH (v:DocumentVersion {sha256: $sha256}) RETURN v.uri, v.edition, v.number ORDER BY v.seq, v.uri",
            sha256=sha256,
        )
        return [(uri, edition, number) for uri, edition, number in rows]

    def add_document(self, uri: str, title: str | None, url: str | None, media_type: str) -> None:
        """A new document, still without an edition."""
        self._cypher.rows(
            "CREATE (:Document {uri: $uri, title: $title, url: $url, media_type: $media_type})",
            uri=uri, title=title, url=url, media_type=media_type,
        )  # fmt: skip

    def add_versions(self, rows: Sequence[NewVersion], seq: int, at: int) -> None:
        """New versions; each becomes the current one of its edition, which is made where it is new."""
        self._cypher.write(
            """UNWIND $rows AS row MATCH (d:Document {uri: row.uri})
               OPTIONAL MATCH (d)<-[:VERSION_OF]-(o:DocumentVersion {edition: row.edition}) WHERE o.current
               SET o.current = false
               CREATE (v:DocumentVersion)-[:VERSION_OF]->(d)
               SET v = row, v.current = true, v.seq = $seq, v.at = $at, v.purged = false,
                   v.edition_seq = coalesce(o.edition_seq, $seq)""",
            [
                {
                    "uri": row.uri,
                    "edition": row.edition,
                    "number": row.number,
                    "id": row.id,
                    "sha256": row.sha256,
                    "text": row.text,
                    "base": row.base,
                    "source_edition": None if row.source is None else row.source[0],
                    "source_number": None if row.source is None else row.source[1],
                    "alignment": None if row.alignment is None else bytearray(row.alignment),
                }
                for row in rows
            ],
            seq=seq,
            at=at,
        )

    def add_statement(self, uri: str, edition: int, number: int, body: str, seq: int, at: int) -> None:
        """A dated statement about a version (canonical JSON of what it says)."""
        self._cypher.rows(
            """MATCH (v:DocumentVersion {uri: $uri, edition: $edition, number: $number})
               CREATE (:Statement {seq: $seq, n: $n, at: $at, body: $body})-[:SAID_OF]->(v)""",
            uri=uri, edition=edition, number=number, seq=seq, n=self._cypher.counter(), at=at, body=body,
        )  # fmt: skip

    def statements(self, uri: str, edition: int, number: int) -> list[tuple[int, int, str]]:
        """(seq, at, body) of the statements about a version, the oldest first."""
        rows = self._cypher.rows(
            """MATCH (v:DocumentVersion {uri: $uri, edition: $edition, number: $number})<-[:SAID_OF]-(s:Statement)
               RETURN s.seq, s.at, s.body ORDER BY s.seq, s.n""",
            uri=uri, edition=edition, number=number,
        )  # fmt: skip
        return [(seq, at, body) for seq, at, body in rows]

    # spans

    def add_spans(self, rows: Sequence[SpanRow]) -> list[SpanRow]:
        """Writes spans and their anchors; returns those that were new."""
        known = {
            id_
            for (id_,) in self._cypher.write(
                "MATCH (n:LineageNode) WHERE n.id IN $rows RETURN n.id", [row.id for row in rows]
            )
        }
        new = [row for row in rows if row.id not in known]
        self._cypher.write(
            "UNWIND $rows AS row CREATE (n:LineageNode:Span) SET n = row, n.kind = 'span', n.purged = false",
            [
                {
                    "id": row.id, "uri": row.uri, "edition": row.edition, "version": row.version, "start": row.start,
                    "end": row.end,
                }
                for row in sorted(new, key=lambda each: each.id)
            ],
        )  # fmt: skip
        self.add_anchors(
            (row.id, row.uri, row.edition, number, start, end)
            for row in new
            for number, (start, end) in row.anchors.items()
        )
        return new

    def add_anchors(self, rows: Iterable[tuple[str, str, int, int, int, int]]) -> None:
        """(span id, uri, edition, version number, start, end): places where spans stand in a new version."""
        self._cypher.write(
            """UNWIND $rows AS row MATCH (n:LineageNode {id: row[0]}) CALL (row) {
                   MATCH (v:DocumentVersion {uri: row[1], edition: row[2], number: row[3]}) RETURN v
               }
               MERGE (n)-[a:ANCHORED_IN]->(v) ON CREATE SET a.start = row[4], a.end = row[5]""",
            sorted([list(row) for row in rows]),
        )

    def spans(self, ids: Collection[str]) -> dict[str, SpanRow]:
        """Those of the ids that are spans, with all their anchors."""
        found: dict[str, SpanRow] = {}
        for part in parts(list(ids)):
            for id_, uri, edition, version, start, end, anchors in self._cypher.rows(
                """MATCH (n:LineageNode) WHERE n.id IN $ids AND n:Span
                   RETURN n.id, n.uri, n.edition, n.version, n.start, n.end,
                          COLLECT { MATCH (n)-[a:ANCHORED_IN]->(v) RETURN [v.number, a.start, a.end] ORDER BY v.number }
                """,
                ids=list(part),
            ):
                places = {number: (low, high) for number, low, high in anchors}
                found[id_] = SpanRow(id_, uri, edition, version, start, end, places)
        return found

    def anchored(self, uri: str, edition: int, number: int) -> list[tuple[str, int, int]]:
        """(span id, start, end) of all spans that stand in a version, by place."""
        rows = self._cypher.rows(
            """MATCH (v:DocumentVersion {uri: $uri, edition: $edition, number: $number})<-[a:ANCHORED_IN]-(n)
               RETURN n.id, a.start, a.end ORDER BY a.start, a.end, n.id""",
            uri=uri, edition=edition, number=number,
        )  # fmt: skip
        return [(id_, start, end) for id_, start, end in rows]

    def of_edition(self, uri: str, edition: int) -> list[str]:
        """The ids of all spans that were registered of an edition."""
        rows = self._cypher.rows(
            """MATCH (v:DocumentVersion {uri: $uri, edition: $edition}) WHERE v.number IS NOT NULL
               MATCH (v)<-[:ANCHORED_IN]-(n) RETURN DISTINCT n.id ORDER BY n.id""",
            uri=uri, edition=edition,
        )  # fmt: skip
        return [id_ for (id_,) in rows]

    # which documents a namespace derives from

    def derive_from(self, namespace: str, uris: Collection[str], seq: int) -> None:
        """A namespace derives from these documents, first said at ``seq``."""
        self._cypher.write(
            """MERGE (s:Namespace {name: $namespace}) WITH s UNWIND $rows AS uri MATCH (d:Document {uri: uri})
               MERGE (s)-[r:DERIVES_FROM]->(d) ON CREATE SET r.seq = $seq""",
            sorted(uris),
            namespace=namespace,
            seq=seq,
        )
