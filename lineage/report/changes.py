"""What a correction changed in its documents, as a reader of the report is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lineage.align import Alignment, align
from lineage.chains import Chains
from lineage.said import locate, said_of
from lineage.standing import changes as edits
from lineage.stores.base import ChangeRow, SpanRow, Transaction, VersionState
from lineage_schema.text import TextIndex
from lineage_schema.vocabulary import ChangeKind


@dataclass(frozen=True, slots=True)
class Edit:
    """One edited group of sentences of one document: ``start``/``end`` in the version before, in code points."""

    n: int
    cls: str
    uri: str
    edition: int
    version: int
    start: int
    end: int
    page: str | None
    section: str | None
    old: str | None
    new: str | None

    def to_json(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "class": self.cls,
            "uri": self.uri,
            "version": self.version,
            "start": self.start,
            "end": self.end,
            "page": self.page,
            "section": self.section,
            "old": self.old,
            "new": self.new,
        }


def edits_of(tx: Transaction, chains: Chains, rows: tuple[ChangeRow, ...]) -> list[Edit]:
    """The edits of a correction's documents, numbered from 1 in the order of uri and place.

    A withdrawal is one edit over the whole version, without its text.
    """
    found: list[Edit] = []
    for row in rows:
        said = said_of(tx, row.uri, row.edition, row.source)
        source = chains.version(row.uri, row.edition, row.source)
        old = chains.text(source)
        if row.kind == ChangeKind.WITHDRAW or old is None:
            length = 0 if old is None else len(old)
            cls = "withdrawn" if row.kind == ChangeKind.WITHDRAW else "purged" if _purged(source) else "restored"
            found.append(Edit(len(found) + 1, cls, row.uri, row.edition, row.source, 0, length, None, None, None, None))
            continue
        target = chains.version(row.uri, row.target_edition, row.target)
        new = chains.text(target)
        if target is None or new is None:
            cls = "purged"
            found.append(
                Edit(len(found) + 1, cls, row.uri, row.edition, row.source, 0, len(old), None, None, None, None)
            )
            continue
        for change in edits(_alignment(row, target.base, target.alignment, old, new), old, new):
            page, section = locate(said, change.start, change.end)
            found.append(
                Edit(
                    len(found) + 1,
                    change.cls.value,
                    row.uri,
                    row.edition,
                    row.source,
                    change.start,
                    change.end,
                    page,
                    section,
                    change.old,
                    change.new,
                )
            )
    return found


def _purged(version: VersionState | None) -> bool:
    return version is not None and version.purged


def _alignment(row: ChangeRow, base: int | None, stored: bytes | None, old: TextIndex, new: TextIndex) -> Alignment:
    """From the version before: the stored one, unless the base was another version (an undo)."""
    if stored is not None and (base == row.source or row.kind == ChangeKind.EDITION):
        return Alignment.from_bytes(stored)
    return align(old.text, new.text)


def touching(chains: Chains, edits_here: list[Edit], row: SpanRow, version: int, cls: str | None) -> list[int]:
    """The numbers of the edits that bear on a span: those that meet it, or, for ``context``, its neighbours."""
    place = row.anchors.get(version)
    if place is None:
        return []
    start, end = place
    if cls == "context":
        source = chains.version(row.uri, row.edition, version)
        text = chains.text(source)
        if text is not None:
            near = text.sentences_touching(start, end)
            listed = text.sentences
            if near:
                start = min(start, listed[max(near.start - 1, 0)][0])
                end = max(end, listed[min(near.stop, len(listed) - 1)][1])
    met = [
        edit.n
        for edit in edits_here
        if (edit.start < end and start < edit.end) or (edit.start == edit.end and start <= edit.start <= end)
    ]
    if met or not edits_here:
        return met
    # An edit of white space alone touches no sentence: the span is still told the edit that is nearest.
    return [min(edits_here, key=lambda edit: (max(edit.start - end, start - edit.end, 0), edit.n)).n]
