"""Documents, editions, versions, statements, spans and anchors in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from lineage.stores.base import DocumentState, EditionKey, EditionState, NewVersion, SpanRow, VersionState
from lineage.stores.sqlite.codes import Codes, chunks, digest_of, id_of, marks, one


class Sources:
    """Operations on what nodes are derived from."""

    def __init__(self, connection: sqlite3.Connection, codes: Codes) -> None:
        self._connection = connection
        self._codes = codes
        self.into = {"text": "text", "anchor": "anchor"}
        """The tables that new texts and anchors go to: a simulation puts them beside the store's."""
        self._version_rows: dict[tuple[str, int, int], int] = {}

    def forget(self) -> None:
        """Drops remembered rows after a rollback."""
        self._version_rows.clear()

    # documents and versions

    def documents(self, uris: Collection[str]) -> dict[str, DocumentState]:
        """Those of the documents that exist."""
        found: dict[str, DocumentState] = {}
        for part in chunks(uris):
            rows = self._connection.execute(
                f"""select d.uri, d.title, d.url, d.media_type, e.edition, v.number, v.text is null, e.seq
                    from document d join edition e on e.document = d.id join version v on v.id = e.current
                    where d.uri in ({marks(len(part))}) order by d.id, e.seq, e.edition""",
                list(part),
            )
            for uri, title, url, media_type, edition, number, withdrawn, seq in rows:
                state = EditionState(edition, number, bool(withdrawn), seq)
                before = found[uri].editions if uri in found else ()
                found[uri] = DocumentState(uri, title, url, media_type, (*before, state))
        return found

    def uris(self, *, after: str = "", limit: int) -> list[str]:
        """Document uris in order, a page of them."""
        return [
            uri
            for (uri,) in self._connection.execute(
                "select uri from document where uri > ? order by uri limit ?", (after, limit)
            )
        ]

    def lock(self, uris: Collection[str]) -> None:
        """Nothing: whoever writes holds the one write lock."""

    def versions(self, editions: Collection[EditionKey]) -> dict[EditionKey, list[VersionState]]:
        """All versions of the editions, by number."""
        found: dict[EditionKey, list[VersionState]] = {key: [] for key in editions}
        for uri, edition in editions:
            rows = self._connection.execute(
                """select v.number, t.hash, b.edition, b.number, v.alignment, v.seq, v.at,
                          v.purged
                   from document d join version v on v.document = d.id and v.edition = ?
                   left join text t on t.id = v.text left join version b on b.id = v.base
                   where d.uri = ? order by v.number""",
                (edition, uri),
            )
            for number, digest, base_edition, base, alignment, seq, at, purged in rows:
                inside = base_edition == edition
                found[uri, edition].append(
                    VersionState(
                        number=number,
                        sha256=None if digest is None else digest.hex(),
                        base=base if inside else None,
                        source=None if inside or base is None else (base_edition, base),
                        alignment=alignment,
                        seq=seq,
                        at=at,
                        purged=bool(purged),
                    )
                )
        return found

    def texts(self, hashes: Collection[str]) -> dict[str, str]:
        """The texts by content hash; a purged or unknown one is left out."""
        found: dict[str, str] = {}
        for part in chunks(hashes):
            found.update(
                (digest.hex(), body)
                for digest, body in self._connection.execute(
                    f"select hash, body from text where hash in ({marks(len(part))}) and body is not null",
                    [bytes.fromhex(hash_) for hash_ in part],
                )
            )
        return found

    def put_texts(self, texts: dict[str, str]) -> dict[str, int]:
        """Writes texts by content hash, once each, and returns their rows."""
        if not texts:
            return {}
        first = (one(self._connection, "select max(id) from text") or 0) + 1
        hashes = sorted(texts)
        rows = {hash_: first + index for index, hash_ in enumerate(hashes)}
        if self.into["text"] == "text" and one(
            self._connection, "select exists (select 1 from text where body is null)"
        ):
            # A text that was purged elsewhere is this source's own: readers of the tombstone still get nothing.
            self._connection.executemany(
                "update main.text set body = ? where hash = ? and body is null",
                ((texts[hash_], bytes.fromhex(hash_)) for hash_ in hashes),
            )
        before = self._connection.total_changes
        self._connection.executemany(
            f"insert into {self.into['text']} values (?, ?, ?) on conflict(hash) do nothing",
            ((rows[hash_], bytes.fromhex(hash_), texts[hash_]) for hash_ in hashes),
        )
        if self._connection.total_changes - before < len(hashes):
            for part in chunks(hashes):
                rows.update(
                    (digest.hex(), row)
                    for digest, row in self._connection.execute(
                        f"select hash, id from text where hash in ({marks(len(part))})",
                        [bytes.fromhex(hash_) for hash_ in part],
                    )
                )
        return rows

    def versions_with_hash(self, sha256: str) -> list[tuple[str, int, int]]:
        """(uri, edition, number) of all versions with that text, the latest last."""
        return self._connection.execute(
            """select d.uri, v.edition, v.number from text t join version v on v.text = t.id
               join document d on d.id = v.document where t.hash = ? order by v.seq, d.uri""",
            (bytes.fromhex(sha256),),
        ).fetchall()

    def add_document(self, uri: str, title: str | None, url: str | None, media_type: str) -> None:
        """A new document, still without an edition."""
        self._connection.execute(
            "insert into document(uri, title, url, media_type) values (?, ?, ?, ?)", (uri, title, url, media_type)
        )

    def add_versions(self, rows: Sequence[NewVersion], seq: int, at: int) -> None:
        """New versions; each becomes the current one of its edition, which is made where it is new."""
        texts = self.put_texts(
            {row.sha256: row.text for row in rows if row.sha256 is not None and row.text is not None}
        )
        for row in rows:
            document = self.document_row(row.uri)
            base = None
            if row.base is not None:
                base = self.version_row(row.uri, row.edition, row.base)
            elif row.source is not None:
                base = self.version_row(row.uri, *row.source)
            (version,) = self._connection.execute(
                """insert into version(hash, document, edition, number, text, base, alignment, seq, at)
                   values (?, ?, ?, ?, ?, ?, ?, ?, ?) returning id""",
                (
                    bytes.fromhex(row.id[3:]),
                    document,
                    row.edition,
                    row.number,
                    None if row.sha256 is None else texts[row.sha256],
                    base,
                    row.alignment,
                    seq,
                    at,
                ),
            ).fetchone()
            self._connection.execute(
                """insert into edition(document, edition, seq, current) values (?, ?, ?, ?)
                   on conflict(document, edition) do update set current = excluded.current""",
                (document, row.edition, seq, version),
            )
            self._version_rows[row.uri, row.edition, row.number] = version

    def add_statement(self, uri: str, edition: int, number: int, body: str, seq: int, at: int) -> None:
        """A dated statement about a version (canonical JSON of what it says)."""
        self._connection.execute(
            "insert into statement(version, seq, at, body) values (?, ?, ?, ?)",
            (self.version_row(uri, edition, number), seq, at, body),
        )

    def statements(self, uri: str, edition: int, number: int) -> list[tuple[int, int, str]]:
        """(seq, at, body) of the statements about a version, the oldest first."""
        return self._connection.execute(
            "select seq, at, body from statement where version = ? order by id",
            (self.version_row(uri, edition, number),),
        ).fetchall()

    def document_row(self, uri: str) -> int:
        """The row of a document that exists."""
        row: int = one(self._connection, "select id from document where uri = ?", (uri,))
        return row

    def version_row(self, uri: str, edition: int, number: int) -> int:
        """The row of a version that exists."""
        key = (uri, edition, number)
        if key not in self._version_rows:
            row = one(
                self._connection,
                """select v.id from document d join version v on v.document = d.id
                   where d.uri = ? and v.edition = ? and v.number = ?""",
                key[:1] + key[1:],
            )
            assert row is not None, key
            self._version_rows[key] = row
        return self._version_rows[key]

    # spans

    def add_spans(self, rows: Sequence[SpanRow]) -> list[SpanRow]:
        """Writes spans and their anchors; returns those that were new."""
        known = self._codes.rows([row.id for row in rows])
        new = [row for row in rows if row.id not in known]
        if not new:
            return []
        first = (one(self._connection, "select max(id) from node") or 0) + 1
        kind = self._codes.kind("span")
        nodes: list[tuple[bytes, int, int]] = []
        spans: list[tuple[int, int, int, int, int, int]] = []
        anchors: list[tuple[int, int, int, int]] = []
        documents: dict[str, int] = {}
        for index, row in enumerate(new):
            node = first + index
            document = documents.get(row.uri)
            if document is None:
                document = documents[row.uri] = self.document_row(row.uri)
            nodes.append((digest_of(row.id), node, kind))
            version = self.version_row(row.uri, row.edition, row.version)
            spans.append((node, document, row.edition, version, row.start, row.end))
            anchors.extend(
                (self.version_row(row.uri, row.edition, number), node, start, end)
                for number, (start, end) in row.anchors.items()
            )
        self._connection.executemany("insert into node(hash, id, kind) values (?, ?, ?)", sorted(nodes))
        self._connection.executemany("insert into span values (?, ?, ?, ?, ?, ?)", spans)
        self._connection.executemany(f"insert into {self.into['anchor']} values (?, ?, ?, ?)", sorted(anchors))
        self._codes.remember((row.id, first + index) for index, row in enumerate(new))
        return new

    def add_anchors(self, rows: Iterable[tuple[str, str, int, int, int, int]]) -> None:
        """(span id, uri, edition, version number, start, end): places where spans stand in a new version."""
        rows = list(rows)
        nodes = self._codes.rows({row[0] for row in rows})
        self._connection.executemany(
            f"insert into {self.into['anchor']} values (?, ?, ?, ?) on conflict do nothing",
            sorted(
                (self.version_row(uri, edition, number), nodes[id_], start, end)
                for id_, uri, edition, number, start, end in rows
            ),
        )

    def spans(self, ids: Collection[str]) -> dict[str, SpanRow]:
        """Those of the ids that are spans, with all their anchors."""
        rows = self._codes.rows(ids)
        found: dict[str, SpanRow] = {}
        for part in chunks(list(rows.items()), 400):
            by_row = {row: id_ for id_, row in part}
            anchors: dict[int, dict[int, tuple[int, int]]] = {row: {} for row in by_row}
            places = marks(len(by_row))
            for node, number, start, stop in self._connection.execute(
                f"""select s.node, v.number, a.start, a.stop from span s
                    join version v on v.document = s.document and v.edition = s.edition
                    join anchor a on a.version = v.id and a.node = s.node
                    where s.node in ({places}) order by v.number""",
                list(by_row),
            ):
                anchors[node][number] = (start, stop)
            for node, uri, edition, number, start, stop in self._connection.execute(
                f"""select s.node, d.uri, s.edition, v.number, s.start, s.stop from span s
                    join document d on d.id = s.document join version v on v.id = s.version
                    where s.node in ({places})""",
                list(by_row),
            ):
                id_ = by_row[node]
                found[id_] = SpanRow(id_, uri, edition, number, start, stop, anchors[node])
        return found

    def anchored(self, uri: str, edition: int, number: int) -> list[tuple[str, int, int]]:
        """(span id, start, end) of all spans that stand in a version, by place."""
        return [
            (id_of(digest), start, stop)
            for digest, start, stop in self._connection.execute(
                """select n.hash, a.start, a.stop from anchor a join node n on n.id = a.node
                   where a.version = ? order by a.start, a.stop, a.node""",
                (self.version_row(uri, edition, number),),
            )
        ]

    def of_edition(self, uri: str, edition: int) -> list[str]:
        """The ids of all spans that were registered of an edition."""
        return [
            id_of(digest)
            for (digest,) in self._connection.execute(
                """select distinct n.hash from document d join version v on v.document = d.id and v.edition = ?
                   join anchor a on a.version = v.id join node n on n.id = a.node where d.uri = ?""",
                (edition, uri),
            )
        ]

    # which documents a namespace derives from

    def derive_from(self, namespace: str, uris: Collection[str], seq: int) -> None:
        """A namespace derives from these documents, first said at ``seq``."""
        code = self._codes.namespace(namespace)
        self._connection.executemany(
            "insert into namespace_document values (?, ?, ?) on conflict do nothing",
            sorted((code, self.document_row(uri), seq) for uri in uris),
        )

    def state_of(self, uri: str) -> Any:
        """Title, url and media type of a document."""
        return self._connection.execute("select title, url, media_type from document where uri = ?", (uri,)).fetchone()
