"""Resolving passages: range and quote checked, identity by the first version where the passage stands."""

from __future__ import annotations

from dataclasses import dataclass

from lineage.chains import Chains
from lineage.stores.base import RunState, SpanRow, VersionState
from lineage_schema.errors import BadInput
from lineage_schema.identity import span_id
from lineage_schema.records import SpanRef


@dataclass(frozen=True, slots=True)
class Read:
    """A span, and the number of the version of its edition that was read."""

    id: str
    version: int


class SpanResolver:
    """Resolves span references of one batch; what it met is in :attr:`rows`."""

    def __init__(self, chains: Chains, run: RunState) -> None:
        self._chains = chains
        self._run = run
        self._known: dict[tuple[str, int, int, int, int], Read] = {}
        self.rows: dict[str, SpanRow] = {}

    def resolve(self, ref: SpanRef, item: object) -> Read:
        """The span that ``ref`` means.

        Raises :class:`BadInput` for an unknown document or version, a range outside the text, an
        empty range, half a surrogate, and a quote that is not the slice.
        """
        edition, version = self._version(ref, item)
        text = self._chains.text(version)
        if text is None:
            gone = "a withdrawal" if version.sha256 is None else "purged: its text was removed for good"
            found = f"{ref.uri} v{version.number}, which is {gone}"
            raise BadInput(item, "version", found=found, expected="a version that has a text")
        start = 0 if ref.start is None else ref.start
        end = len(text.text) if ref.end is None else ref.end
        if not 0 <= start < end <= len(text.text):
            raise BadInput(
                item, "start, end", found=[start, end], expected=f"0 <= start < end <= {len(text.text)} (code points)"
            )
        if ref.quote is not None and ref.quote != text.text[start:end]:
            raise BadInput(
                item, "quote", found=ref.quote, expected=f"the slice [{start}, {end}): {text.text[start:end]!r}"
            )
        key = (ref.uri, edition, version.number, start, end)
        if key not in self._known:
            row = self._row(ref.uri, edition, version.number, start, end)
            self.rows.setdefault(row.id, row)
            self._known[key] = Read(row.id, version.number)
        return self._known[key]

    def _row(self, uri: str, edition: int, number: int, start: int, end: int) -> SpanRow:
        if len(self._chains.versions(uri, edition)) == 1:
            # One version has no history to look for the span in.
            return SpanRow(
                span_id(uri, edition, number, start, end), uri, edition, number, start, end, {number: (start, end)}
            )
        chain = self._chains.chain(uri, edition)
        first = chain.first(number, start, end)
        return SpanRow(span_id(uri, edition, *first), uri, edition, *first, chain.anchors(*first))

    def _version(self, ref: SpanRef, item: object) -> tuple[int, VersionState]:
        document = self._chains.document(ref.uri)
        if document is None:
            raise BadInput(
                item, "uri", found=ref.uri, expected="a registered document", hint="register it first: lineage add"
            )
        edition = ref.edition if ref.edition is not None else self.edition_at_begin(ref.uri)
        versions = self._chains.versions(ref.uri, edition)
        if not versions:
            known = [state.edition for state in document.editions]
            raise BadInput(item, "edition", found=edition, expected=f"one of {known}")
        if ref.version is None:
            return edition, self.read_at_begin(versions)
        found = next((version for version in versions if version.number == ref.version), None)
        if found is None:
            raise BadInput(
                item, "version", found=ref.version, expected=f"one of {[version.number for version in versions]}"
            )
        return edition, found

    def edition_at_begin(self, uri: str) -> int:
        """The latest edition when the run began; the first where the document came later."""
        document = self._chains.document(uri)
        assert document is not None
        alive = [state for state in document.editions if state.seq <= self._run.begin and not state.withdrawn]
        return (alive or list(document.editions))[-1].edition if alive else document.editions[0].edition

    def read_at_begin(self, versions: list[VersionState]) -> VersionState:
        """The latest version with a text when the run began; the first where the document came later."""
        before = [version for version in versions if version.seq <= self._run.begin and version.sha256 is not None]
        return before[-1] if before else versions[0]

    def by_id(self, id_: str, row: SpanRow, number: int | None, item: object) -> Read:
        """A span named by id: the version stated, else the latest when the run began, where it stands."""
        if number is None:
            versions = self._chains.versions(row.uri, row.edition)
            read = self.read_at_begin(versions)
            standing = [n for n in row.anchors if n <= read.number]
            return Read(id_, max(standing, default=row.version))
        if number not in row.anchors:
            raise BadInput(
                item, "version", found=number, expected=f"a version where the span stands: {sorted(row.anchors)}"
            )
        return Read(id_, number)
