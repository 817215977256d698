"""Which nodes a row, a title or a printed number of an index names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from lineage.importers.chunks import Placed
from lineage.importers.drafts import Draft
from lineage.importers.graphrag.rows import CovariateRow, EntityRow, Index, RelationshipRow, UnitRow

Drafts = list[Draft]


@dataclass
class Lookup:
    """The nodes made so far. An id may name several: one text unit of version 3 stands in several documents."""

    chunks: defaultdict[str, Drafts] = field(default_factory=lambda: defaultdict(list))
    """By text unit id."""
    placed: defaultdict[str, list[Placed]] = field(default_factory=lambda: defaultdict(list))
    """By text unit id, where its rows stand."""
    entities: defaultdict[str, Drafts] = field(default_factory=lambda: defaultdict(list))
    titles: defaultdict[str, Drafts] = field(default_factory=lambda: defaultdict(list))
    relationships: defaultdict[str, Drafts] = field(default_factory=lambda: defaultdict(list))
    ends: defaultdict[tuple[str, str], Drafts] = field(default_factory=lambda: defaultdict(list))
    claims: defaultdict[str, Drafts] = field(default_factory=lambda: defaultdict(list))
    subjects: defaultdict[str, Drafts] = field(default_factory=lambda: defaultdict(list))
    """Extracted claims by the title that they speak of."""
    reports: defaultdict[str, Drafts] = field(default_factory=lambda: defaultdict(list))
    """By report id."""

    def chunks_of(self, unit_ids: Iterable[str]) -> tuple[Drafts, list[str]]:
        """The chunks of text units, and the ids that name none."""
        return _resolve(self.chunks, unit_ids)

    def entities_of(self, entity_ids: Iterable[str]) -> tuple[Drafts, list[str]]:
        return _resolve(self.entities, entity_ids)

    def relationships_of(self, relationship_ids: Iterable[str]) -> tuple[Drafts, list[str]]:
        return _resolve(self.relationships, relationship_ids)


def put(table: defaultdict[str, Drafts] | defaultdict[tuple[str, str], Drafts], key: object, draft: Draft) -> None:
    """Note that ``key`` names ``draft``, once."""
    drafts = table[key]  # type: ignore[index]
    if draft not in drafts:
        drafts.append(draft)


def _resolve(table: defaultdict[str, Drafts], ids: Iterable[str]) -> tuple[Drafts, list[str]]:
    found: dict[Draft, None] = {}
    missing: list[str] = []
    for one in ids:
        drafts = table.get(one)
        if drafts:
            found.update(dict.fromkeys(drafts))
        else:
            missing.append(one)
    return list(found), missing


class Numbers:
    """What the numbers in ``[Data: …]`` mean in one index: its tables' own human-readable ids."""

    def __init__(self, index: Index) -> None:
        self._entities = _by_number(index.entities)
        self._relationships = _by_number(index.relationships)
        self._covariates = _by_number(index.covariates)
        self._units: dict[str, list[UnitRow]] = {str(row.position): [row] for row in index.units}
        self._reports: defaultdict[str, list[str]] = defaultdict(list)
        for row in index.reports:
            self._reports[row.number].append(row.id)

    def nodes(self, dataset: str, number: str, lookup: Lookup) -> Drafts:
        """The nodes that ``dataset (number)`` cites; of a merged index's delta, what its rows became."""
        found: dict[Draft, None] = {}
        if dataset == "Entities":
            for entity in self._entities.get(number, ()):
                found.update(dict.fromkeys(lookup.entities.get(entity.id) or lookup.titles.get(entity.title, ())))
        elif dataset == "Relationships":
            for row in self._relationships.get(number, ()):
                known = lookup.relationships.get(row.id) or lookup.ends.get((row.source, row.target), ())
                found.update(dict.fromkeys(known))
        elif dataset == "Claims":
            for covariate in self._covariates.get(number, ()):
                found.update(dict.fromkeys(lookup.claims.get(covariate.id, ())))
        elif dataset == "Sources":
            for unit in self._units.get(number, ()):
                found.update(dict.fromkeys(lookup.chunks.get(unit.id, ())))
        else:
            for report in self._reports.get(number, ()):
                found.update(dict.fromkeys(lookup.reports.get(report, ())))
        return list(found)

    def has(self, dataset: str, number: str) -> bool:
        """Whether the table has a row of that number, even one that no node was made of."""
        return number in {
            "Entities": self._entities,
            "Relationships": self._relationships,
            "Claims": self._covariates,
            "Sources": self._units,
        }.get(dataset, self._reports)


def _by_number[Row: (EntityRow, RelationshipRow, CovariateRow)](rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.number is not None:
            found.setdefault(row.number, []).append(row)
    return found
