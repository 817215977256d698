"""The documents that passages are located in: which uri and version each is, and several of them as one text."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from lineage.importers.report import Notes
from lineage.importers.source_text import Range, SourceText
from lineage_schema.errors import BadInput
from lineage_schema.identity import content_hash
from lineage_schema.records import Document, SpanRef

Versions = Callable[[str], Sequence[tuple[str, int, int]]]
"""The versions (uri, edition, number) that have a sha256."""

# Between documents that are searched as one text: a passage never has it, and it ends words.
_SEPARATOR = "\n\n"


@dataclass(frozen=True)
class Given:
    """A document as an index has it. ``id`` is the index's own; ``text`` is None where it was not kept."""

    id: str
    title: str
    text: str | None


@dataclass(frozen=True)
class Source:
    """A document version that was read. ``new``: the store does not have it yet."""

    uri: str
    edition: int
    version: int
    text: str
    title: str
    new: bool

    def span(self, start: int, end: int) -> SpanRef:
        return SpanRef(
            uri=self.uri,
            edition=self.edition,
            version=self.version,
            start=start,
            end=end,
            quote=self.text[start:end],
        )

    def record(self, namespace: str) -> Document:
        return Document(uri=self.uri, text=self.text, title=self.title, namespace=namespace)


Piece = tuple[Source, int, int]
"""A range of a document version."""


def identify(
    given: Sequence[Given], *, namespace: str, documents: Mapping[str, str], versions: Versions, notes: Notes
) -> dict[str, Source]:
    """The source of each document that has a text, by the index's id.

    The uri is the one that ``documents`` names for its title (or id); else the one document that
    has a version with the same text; else ``NAMESPACE/TITLE``. Of several versions with the text
    the latest is the one read. Titles do not join documents: other texts under one title get uris
    of their own.
    """
    for name in documents:
        if all(name not in (row.title, row.id) for row in given):
            titles = ", ".join(sorted(row.title for row in given))
            raise BadInput(name, "document", found=name, expected=f"one of the titles {titles}")
    texts: defaultdict[str, set[str]] = defaultdict(set)
    for row in given:
        if row.text is not None:
            texts[row.title].add(row.text)
    sources: dict[str, Source] = {}
    new: dict[str, Source] = {}
    for row in given:
        if row.text is None:
            notes.find("no_text", f"document {row.title}", "its text is not there, so nothing is located in it")
            continue
        sha256 = content_hash(row.text)
        known = sorted(versions(sha256))
        uri = documents.get(row.title, documents.get(row.id))
        if uri is None:
            uris = sorted({version[0] for version in known})
            if len(uris) == 1:
                uri = uris[0]
            else:
                uri = f"{namespace}/{row.title}"
                if len(texts[row.title]) > 1:
                    uri = f"{uri}~{sha256[:12]}"
                    notes.find("same_title", f"document {row.title}", f"other documents have this title: kept as {uri}")
                if uris:
                    notes.find("same_text", f"document {row.title}", f"{', '.join(uris)} have its text: kept as {uri}")
        own = [version for version in known if version[0] == uri]
        edition, number = own[-1][1:] if own else (1, 1)
        source = Source(uri, edition, number, row.text, row.title, new=not own)
        taken = new.setdefault(uri, source) if source.new else source
        if taken.text != source.text:
            both = f"{taken.title}, {source.title}"
            raise BadInput(both, "document", found=uri, expected="a uri for each, since their texts differ")
        sources[row.id] = source
    return sources


class Corpus:
    """One or more documents as one text to search: pipelines join documents before they cut them."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = tuple(sources)
        self._starts: list[int] = []
        at = 0
        for source in self.sources:
            self._starts.append(at)
            at += len(source.text) + len(_SEPARATOR)

    @cached_property
    def text(self) -> SourceText:
        return SourceText(_SEPARATOR.join(source.text for source in self.sources))

    def pieces(self, spans: Sequence[Range]) -> tuple[Piece, ...]:
        """``spans`` of the joined text as ranges of the documents; one that crosses a border becomes several."""
        found: list[Piece] = []
        for start, end in spans:
            i = bisect_right(self._starts, start) - 1
            while i < len(self.sources) and self._starts[i] < end:
                source, base = self.sources[i], self._starts[i]
                low, high = max(start - base, 0), min(end - base, len(source.text))
                if low < high:
                    found.append((source, low, high))
                i += 1
        return tuple(found)
