"""Texts, documents, editions, versions with their alignments and statements, and spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from lineage.align import Alignment, align, identity
from lineage.chains import Chains
from lineage.seeds import span_seeds
from lineage.standing import base_of
from lineage.stores.auditing import Place, VersionAudit
from lineage.stores.base import ChangeRow, Seed, SpanRow
from lineage.verify.report import Audit, canonical
from lineage_schema.identity import content_hash, span_id, version_id
from lineage_schema.records import Statement
from lineage_schema.text import TextIndex
from lineage_schema.vocabulary import Kind

PAGE = 1000


def verify_sources(audit: Audit) -> None:
    """Everything that is not derived."""
    _texts(audit)
    for document in audit.tx.auditing.documents():
        audit.count("documents")
        whole = tuple(range(1, len(document.editions) + 1))
        if not whole or document.editions != whole:
            audit.fault(document.uri, "editions (document, edition)", document.editions, whole or "at least one")
        audit.same(document.uri, "editions of its versions", document.of_versions, document.editions)
    for (uri, edition), rows in groupby(audit.tx.auditing.versions(), key=lambda row: (row.uri, row.edition)):
        versions = list(rows)
        audit.count("versions", len(versions))
        if uri is None:
            audit.fault(f"version {versions[0].id}", "document", None, "a document")
        else:
            _Edition(audit, uri, edition, versions).check()
    _all_spans(audit)


def _texts(audit: Audit) -> None:
    for text in audit.tx.auditing.texts():
        audit.count("texts")
        audit.step(1)
        item = f"text {text.sha256}" + (f" of {text.of}" if text.of is not None else "")
        if text.body is not None:
            audit.same(item, "hash, body", content_hash(text.body), text.sha256)
            if text.needed is False:
                audit.fault(item, "body", "a text", "none: all that used it was purged")
        elif text.needed:
            audit.fault(item, "body", None, "a text: something that was not purged uses it")
        if text.needed is None:
            audit.fault(
                item,
                "id (use by text of a node, version or judgment_passage, statement, question)",
                None,
                "a version, a node, a question or a judgment with this text",
            )


class _Edition:
    """The versions of one edition. Texts are loaded for it alone, and forgotten with it."""

    def __init__(self, audit: Audit, uri: str, edition: int, versions: Sequence[VersionAudit]) -> None:
        self._audit = audit
        self._uri = uri
        self._edition = edition
        self._versions = versions
        self._chains = Chains(audit.tx)
        self._item = uri if edition == 1 else f"{uri} edition {edition}"

    def check(self) -> None:
        audit, versions = self._audit, self._versions
        numbers = [version.number for version in versions]
        audit.same(self._item, "version numbers (number)", numbers, list(range(1, len(numbers) + 1)))
        audit.same(f"{self._item} edition", "current", versions[0].current, versions[-1].number)
        audit.same(f"{self._item} edition", "seq", versions[0].edition_seq, versions[0].seq)
        ends = max((at for at, version in enumerate(versions) if version.purged), default=-1)
        sound = numbers == list(range(1, len(numbers) + 1))
        for at, version in enumerate(versions):
            name = f"{self._item} v{version.number}"
            self._version(version, name, at, ends)
            sound &= self._alignment(version, name)
            self._statements(version, name)
        if sound:
            for version in versions:
                for ids in audit.tx.auditing.first_spans(self._uri, self._edition, version.number, PAGE):
                    self._spans(ids)

    def _version(self, version: VersionAudit, name: str, at: int, ends: int) -> None:
        audit = self._audit
        expected = version_id(self._uri, self._edition, version.number, version.sha256)
        audit.same(name, "id (hash, document uri, edition, number, text)", version.id, expected)
        least = self._versions[at - 1].seq + 1 if at else 1
        audit.number(name, "seq", version.seq, least)
        if (version.correction is None) != (version.number == 1 and self._edition == 1):
            audit.fault(name, "correction (change)", version.correction, "one, but for a document's first version")
        if version.correction is not None:
            audit.same(name, "seq", version.seq, version.correction_seq)
            audit.same(name, "at", version.at, version.correction_at)
        # A purge takes all versions there are, the last of which is a withdrawal.
        wrong = version.purged not in (0, 1) or (at <= ends) != bool(version.purged)
        if wrong or (at == ends and version.sha256 is not None):
            audit.fault(name, "purged", version.purged, "1 for all versions up to a withdrawal, or 0")

    def _alignment(self, version: VersionAudit, name: str) -> bool:
        """Whether the alignment can be used."""
        audit = self._audit
        if version.base is not None and version.base[1] != self._edition:
            first = version.number == 1 and version.base[0] == self._uri
            bases: Sequence[Place | None] = [version.base if first else None]
        else:
            bases = self._bases(version)
        if version.base not in bases:
            audit.fault(name, "base", version.base, bases)
            return False
        if version.base is None:
            audit.same(name, "alignment", version.alignment, None)
            return version.alignment is None
        try:
            alignment = Alignment.from_bytes(version.alignment or b"")
        except ValueError as error:
            audit.fault(name, "alignment", str(error), "an alignment with its base")
            return False
        base = self._chains.version(self._uri, version.base[1], version.base[2])
        a, b = self._chains.text(base), self._text(version)
        if a is None or b is None:
            return True
        lengths = (alignment.length_a, alignment.length_b)
        audit.same(name, "alignment (lengths of both texts)", lengths, (len(a), len(b)))
        wrong = [block for block in alignment.blocks if not _equal(block, a.text, b.text)]
        audit.same(name, "alignment (blocks of equal text)", wrong[:1], [])
        if wrong or lengths != (len(a), len(b)):
            return False
        expected = identity(len(b)) if a.text == b.text else align(a.text, b.text)
        if alignment.blocks != expected.blocks:
            found = next(
                (each for each in zip(alignment.blocks, expected.blocks, strict=False) if each[0] != each[1]),
                (len(alignment.blocks), len(expected.blocks)),
            )
            audit.fault(name, f"alignment (by rule {alignment.rule})", found[0], found[1])
        return True

    def _bases(self, version: VersionAudit) -> list[Place | None]:
        """What may be the base: for a text that was purged it is not known which texts were purged before it."""
        hashes = [each.sha256 for each in self._versions[: version.number]]
        gone = [each.number for each in self._versions if each.purged and each.number < version.number]
        if version.purged:
            cuts = [0, *(number for number in gone if hashes[number - 1] is None)]
        else:
            cuts = [gone[-1] if gone else 0]
        found: list[Place | None] = []
        for cut in cuts:
            base = base_of([None] * cut + hashes[cut:], version.number) if version.number <= len(hashes) else None
            found.append(None if base is None else (self._uri, self._edition, base))
        return found

    def _text(self, version: VersionAudit) -> TextIndex | None:
        return self._chains.text(self._chains.version(self._uri, self._edition, version.number))

    def _statements(self, version: VersionAudit, name: str) -> None:
        audit = self._audit
        before = version.seq - 1
        for seq, _, body in audit.tx.sources.statements(self._uri, self._edition, version.number):
            audit.count("statements")
            audit.number(f"{name} statement", "seq, id, version", seq, before + 1)
            before = seq
            try:
                said = canonical(body)
                Statement.model_validate(said)
            except ValueError as error:
                audit.fault(f"{name} statement", "body", str(error), "canonical JSON of what can be said of a version")
                continue
            text = self._text(version)
            for part in [*(said.get("pages") or ()), *(said.get("sections") or ())]:
                if text is not None and not 0 <= part["start"] <= part["end"] <= len(text):
                    found = [part["start"], part["end"]]
                    audit.fault(f"{name} statement", "body (range)", found, f"inside [0, {len(text)}]")
            if version.purged and said.get("sections"):
                audit.fault(f"{name} statement", "body (sections)", len(said["sections"]), "none: it was purged")

    def _spans(self, ids: Sequence[str]) -> None:
        audit = self._audit
        rows = audit.tx.sources.spans(ids)
        held = audit.tx.marks.seeds(ids)
        corrections = audit.tx.marks.corrections_of(self._uri, self._edition)
        audit.step(len(ids))
        for id_, row in rows.items():
            audit.count("spans")
            audit.count("anchors", len(row.anchors))
            expected = span_id(row.uri, row.edition, row.version, row.start, row.end)
            audit.node(id_ == expected, id_, "id (hash, document uri, edition, version, start, stop)", id_, expected)
            if (row.uri, row.edition) == (self._uri, self._edition):
                seeds = {seed.cause: seed for seed in held.get(id_, ())}
                try:
                    self._span(id_, row, corrections, seeds)
                except (ValueError, KeyError) as error:
                    audit.node(False, id_, "version, start, stop", str(error), "a range of its version")

    def _span(
        self, id_: str, row: SpanRow, corrections: Sequence[tuple[str, ChangeRow]], seeds: Mapping[str, Seed]
    ) -> None:
        audit = self._audit
        first = self._chains.version(row.uri, row.edition, row.version)
        if first is None or first.purged:
            return
        chain = self._chains.chain(row.uri, row.edition)
        place = (row.version, row.start, row.end)
        mapped = chain.first(*place)
        audit.node(mapped == place, id_, "first place (version, start, stop)", place, mapped)
        anchors = chain.anchors(*place)
        for number in sorted(anchors.keys() | row.anchors.keys()):
            here, there = row.anchors.get(number), anchors.get(number)
            if here != there:
                what = f"anchor in v{number} of {audit.label(id_)}"
                audit.fault(what, "version, node, start, stop", here, there)
        wanted = {seed.cause: seed for seed in span_seeds(self._chains, corrections, row)}
        for cause in sorted(wanted.keys() | seeds.keys()):
            if seeds.get(cause) != wanted.get(cause):
                what = f"what {cause} does to {audit.label(id_)}"
                fields = "seed (cause, node, severity, class, start, stop) or reader (cause, node, version)"
                audit.fault(what, fields, _shown(seeds.get(cause)), _shown(wanted.get(cause)))


def _shown(seed: Seed | None) -> str | None:
    if seed is None:
        return None
    readers = ", ".join(f"v{number}" for number in sorted(seed.readers))
    return f"{seed.severity.word} {seed.cls} [{seed.start}, {seed.end})" + (
        f" for readers of {readers}" if readers else ""
    )


def _equal(block: tuple[int, int, int], a: str, b: str) -> bool:
    return a[block[0] : block[0] + block[2]] == b[block[1] : block[1] + block[2]]


def _all_spans(audit: Audit) -> None:
    """Each span by itself, also one that no version leads to; and anchors that are of no span."""
    for span in audit.tx.auditing.spans():
        if span.id is None:
            item = f"span {span.uri} [{span.start}, {span.end})"
            audit.fault(item, "node", None, "a node")
            continue
        audit.node(span.kind == Kind.SPAN, span.id, "kind", span.kind, Kind.SPAN.value)
        place = span.first and span.first[:2]
        here = (span.uri, span.edition)
        audit.node(place == here, span.id, "document, edition, version", here, place)
        ok = span.anchor == (span.start, span.end)
        audit.node(
            ok, span.id, "anchor in its first version (version, start, stop)", span.anchor, [span.start, span.end]
        )
        purged = span.first_purged
        audit.node(purged is None or span.purged == purged, span.id, "purged", span.purged, purged)
    for id_, where, start, end in audit.tx.auditing.stray_anchors():
        shown = "a version that does not exist" if where is None else f"{where[0]} edition {where[1]} v{where[2]}"
        audit.fault(
            f"anchor in {shown} of {audit.label(id_)}", "version, node", [start, end], "a span, in its own edition"
        )
