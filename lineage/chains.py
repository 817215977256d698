"""The versions of editions, loaded from a store as chains that re-anchor spans."""

from __future__ import annotations

from collections.abc import Iterable

from lineage.align import Alignment
from lineage.standing import Chain, ChainVersion
from lineage.stores.base import DocumentState, EditionKey, Transaction, VersionState
from lineage_schema.text import TextIndex


class Chains:
    """Editions' chains within one transaction, each loaded once, texts only where they are looked at."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._documents: dict[str, DocumentState | None] = {}
        self._versions: dict[EditionKey, list[VersionState]] = {}
        self._chains: dict[EditionKey, Chain] = {}
        self._texts: dict[str, TextIndex] = {}

    def document(self, uri: str) -> DocumentState | None:
        """A document, or None."""
        if uri not in self._documents:
            self._documents[uri] = self._tx.sources.documents([uri]).get(uri)
        return self._documents[uri]

    def prefetch(self, uris: Iterable[str]) -> None:
        """Loads many documents' states at once."""
        wanted = [uri for uri in dict.fromkeys(uris) if uri not in self._documents]
        found = self._tx.sources.documents(wanted)
        self._documents.update((uri, found.get(uri)) for uri in wanted)

    def versions(self, uri: str, edition: int) -> list[VersionState]:
        """All versions of an edition, by number."""
        key = (uri, edition)
        if key not in self._versions:
            self._versions[key] = self._tx.sources.versions([key])[key]
        return self._versions[key]

    def version(self, uri: str, edition: int, number: int) -> VersionState | None:
        """One version of an edition, or None."""
        return next((v for v in self.versions(uri, edition) if v.number == number), None)

    def text(self, version: VersionState | None) -> TextIndex | None:
        """A version's text; None where there is no such version, or it was withdrawn or purged."""
        if version is None or version.sha256 is None or version.purged:
            return None
        sha256 = version.sha256
        if sha256 not in self._texts:
            found = self._tx.sources.texts([sha256])
            if sha256 not in found:
                return None
            self._texts[sha256] = TextIndex(found[sha256])
        return self._texts[sha256]

    def chain(self, uri: str, edition: int) -> Chain:
        """The chain of an edition."""
        key = (uri, edition)
        if key not in self._chains:
            self._chains[key] = Chain(
                [
                    ChainVersion(
                        number=version.number,
                        text=self.text(version),
                        base=version.base,
                        alignment=None
                        if version.base is None or version.alignment is None
                        else Alignment.from_bytes(version.alignment),
                    )
                    for version in self.versions(uri, edition)
                ]
            )
        return self._chains[key]

    def forget(self, uri: str) -> None:
        """Drops what was loaded of a document: it has changed in this transaction."""
        self._documents.pop(uri, None)
        for key in [key for key in self._versions if key[0] == uri]:
            del self._versions[key]
            self._chains.pop(key, None)
