"""What ``graphrag update`` broke, read from the folders that it left.

An update merges a delta index into the old one: entities by title, relationships by their ends.
The merged tables keep the old ids and renumber the delta's rows, but communities still name the
delta's ids (microsoft/graphrag #2540), and the delta's report texts still cite its numbers. The
``delta`` folder beside the merged tables says what those ids and numbers meant.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lineage.importers.graphrag.index import read_index
from lineage.importers.graphrag.rows import Index, ReportRow
from lineage.importers.graphrag.tables import Format, find_folder, read_tables
from lineage.importers.report import Notes
from lineage_schema.errors import BadInput


@dataclass(frozen=True)
class Delta:
    """One delta index and its files."""

    folder: Path
    index: Index
    files: dict[str, Path]

    @cached_property
    def _names(self) -> dict[str, tuple[str, ...]]:
        ends = {row.id: (row.source, row.target) for row in self.index.relationships}
        return {**ends, **{row.id: (row.title,) for row in self.index.entities}}

    def names_of(self, one: str) -> tuple[str, ...] | None:
        """The title of the entity with this id, or the two ends of the relationship."""
        return self._names.get(one)


def find_deltas(folder: Path, index: Index, wanted: Format) -> list[Delta]:
    """The deltas that went into ``index``: they hold one of its reports, or an id that it names and does not have."""
    candidates = [folder / "delta", folder.parent / "delta", *sorted(folder.parent.glob("update_output/*/delta"))]
    named = set(unknown_ids(index))
    reports = {(row.id, row.text): row for row in index.reports}
    found: list[Delta] = []
    for candidate in candidates:
        if not candidate.is_dir():
            continue
        try:
            tables = read_tables(find_folder(candidate), wanted)
            delta = Delta(candidate, read_index(tables, Notes(), partial=True), tables.files())
        except BadInput:
            # A folder of that name that holds no index repairs nothing; what dangles stays a finding.
            continue
        ids = {row.id for row in delta.index.entities} | {row.id for row in delta.index.relationships}
        if ids & named or any(_renumbered(reports.get((row.id, row.text)), row) for row in delta.index.reports):
            found.append(delta)
    return found


def unknown_ids(index: Index) -> Iterable[str]:
    """The ids of entities and relationships that communities name and the index does not have."""
    entities = {row.id for row in index.entities}
    relationships = {row.id for row in index.relationships}
    for row in index.communities:
        yield from (i for i in row.entity_ids or () if i not in entities)
        yield from (i for i in row.relationship_ids if i not in relationships)


def delta_of(report: ReportRow, deltas: Iterable[Delta]) -> Delta | None:
    """The delta that ``report`` was written in, whose numbers its text cites; None for a report of a full run."""
    for delta in deltas:
        if any(_renumbered(report, row) and row.text == report.text for row in delta.index.reports):
            return delta
    return None


def _renumbered(merged: ReportRow | None, row: ReportRow) -> bool:
    """Whether ``row`` of a delta became ``merged``: the merge shifts the number of its community, which shows it."""
    return merged is not None and merged.id == row.id and merged.number != row.number
