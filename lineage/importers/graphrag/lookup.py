"""Which nodes a row, a title or a printed number of an index names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from lineage.importers.chunks import Placed
from lineage.importers.drafts import Draft
from lineage.importers.graphrag.rows import CovariateRow, EntityRow, Index, RelationshipRow, ReportRow

Drafts = list[Draft]
Named = defaultdict[str, dict[Draft, None]]
"""Nodes by a name, each once and in order."""


@dataclass
class Lookup:
    """The nodes made so far. An id may name several: one text unit of version 3 stands in several documents."""

    chunks: Named = field(default_factory=lambda: defaultdict(dict))
    """By text unit id."""
    placed: defaultdict[str, list[Placed]] = field(default_factory=lambda: defaultdict(list))
    """By text unit id, where its rows stand."""
    entities: Named = field(default_factory=lambda: defaultdict(dict))
    titles: Named = field(default_factory=lambda: defaultdict(dict))
    relationships: Named = field(default_factory=lambda: defaultdict(dict))
    ends: defaultdict[tuple[str, str], dict[Draft, None]] = field(default_factory=lambda: defaultdict(dict))
    claims: Named = field(default_factory=lambda: defaultdict(dict))
    subjects: Named = field(default_factory=lambda: defaultdict(dict))
    """Extracted claims by the title that they speak of."""
    reports: Named = field(default_factory=lambda: defaultdict(dict))
    """By report id."""
    numbered_reports: Named = field(default_factory=lambda: defaultdict(dict))
    """By the number of their community."""

    def chunks_of(self, unit_ids: Iterable[str]) -> tuple[Drafts, list[str]]:
        """The chunks of text units, and the ids that name none."""
        return _resolve(self.chunks, unit_ids)

    def entities_of(self, entity_ids: Iterable[str]) -> tuple[Drafts, list[str]]:
        return _resolve(self.entities, entity_ids)

    def relationships_of(self, relationship_ids: Iterable[str]) -> tuple[Drafts, list[str]]:
        return _resolve(self.relationships, relationship_ids)

    def named(self, names: tuple[str, ...]) -> Drafts:
        """The entities of one title, or the relationships of two ends."""
        if len(names) == 2:
            return list(self.ends.get((names[0], names[1]), ()))
        return list(self.titles.get(names[0], ())) if names else []


_Key = TypeVar("_Key")


def put(table: defaultdict[_Key, dict[Draft, None]], key: _Key, draft: Draft) -> None:
    """Note that ``key`` names ``draft``."""
    table[key][draft] = None


def _resolve(table: Named, ids: Iterable[str]) -> tuple[Drafts, list[str]]:
    found: dict[Draft, None] = {}
    missing: list[str] = []
    for one in ids:
        drafts = table.get(one)
        if drafts:
            found.update(drafts)
        else:
            missing.append(one)
    return list(found), missing


class Numbers:
    """What the numbers in ``[Data: …]`` mean in one index: its tables' own human-readable ids.

    ``merged``: the index is a delta, and what its rows became in the merged index is meant.
    """

    def __init__(self, index: Index, *, merged: bool = False) -> None:
        self._merged = merged
        self._entities = _by_number(index.entities)
        self._relationships = _by_number(index.relationships)
        self._covariates = _by_number(index.covariates)
        self._units = {str(row.position): row for row in index.units}
        self._reports: defaultdict[str, list[ReportRow]] = defaultdict(list)
        for row in index.reports:
            self._reports[row.number].append(row)

    def nodes(self, dataset: str, number: str, lookup: Lookup) -> Drafts:
        """The nodes that ``dataset (number)`` cites."""
        found: dict[Draft, None] = {}
        if dataset == "Entities":
            for entity in self._entities.get(number, ()):
                found.update(lookup.entities.get(entity.id) or lookup.titles.get(entity.title, {}))
        elif dataset == "Relationships":
            for row in self._relationships.get(number, ()):
                found.update(lookup.relationships.get(row.id) or lookup.ends.get((row.source, row.target), {}))
        elif dataset == "Claims":
            for covariate in self._covariates.get(number, ()):
                found.update(lookup.claims.get(covariate.id, {}))
        elif dataset == "Sources":
            unit = self._units.get(number)
            found.update(lookup.chunks.get(unit.id, {}) if unit else {})
        elif self._merged:
            for report in self._reports.get(number, ()):
                found.update(lookup.reports.get(report.id, {}))
        else:
            found.update(lookup.numbered_reports.get(number, {}))
        return list(found)


_Numbered = TypeVar("_Numbered", EntityRow, RelationshipRow, CovariateRow)


def _by_number(rows: Iterable[_Numbered]) -> dict[str, list[_Numbered]]:
    found: dict[str, list[_Numbered]] = {}
    for row in rows:
        if row.number is not None:
            found.setdefault(row.number, []).append(row)
    return found
