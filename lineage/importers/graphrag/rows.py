"""GraphRAG's tables in one shape, whatever version wrote them. Numbers are human-readable ids, as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Figures = Mapping[str, Any]
"""What stands beside a row: ranks, weights, degrees."""


@dataclass(frozen=True, eq=False)
class DocumentRow:
    id: str
    title: str
    text: str | None
    unit_ids: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class UnitRow:
    """A text unit. ``position`` is its place in the table, counted from 0: what ``Sources (n)`` means."""

    id: str
    position: int
    text: str
    document_ids: tuple[str, ...]
    entity_ids: tuple[str, ...]
    relationship_ids: tuple[str, ...]
    covariate_ids: tuple[str, ...]
    tokens: int | None


@dataclass(frozen=True, eq=False)
class EntityRow:
    id: str
    number: str | None
    title: str
    type: str | None
    description: str
    unit_ids: tuple[str, ...]
    figures: Figures
    capped: bool = False


@dataclass(frozen=True, eq=False)
class RelationshipRow:
    """``source`` and ``target`` are titles, not ids."""

    id: str
    number: str | None
    source: str
    target: str
    description: str
    unit_ids: tuple[str, ...]
    figures: Figures
    capped: bool = False


@dataclass(frozen=True, eq=False)
class CovariateRow:
    """An extracted claim. ``subject`` and ``object`` are titles, not ids."""

    id: str
    number: str | None
    covariate_type: str | None
    type: str | None
    description: str
    subject: str | None
    object: str | None
    status: str | None
    start_date: str | None
    end_date: str | None
    source_text: str | None
    unit_id: str | None


@dataclass(frozen=True, eq=False)
class CommunityRow:
    """``entity_ids`` and ``parent`` are None where the version has no such column; a root's parent is ``-1``."""

    id: str
    number: str
    level: int
    title: str | None
    entity_ids: tuple[str, ...] | None
    relationship_ids: tuple[str, ...]
    unit_ids: tuple[str, ...]
    parent: str | None
    children: tuple[str, ...]
    figures: Figures
    capped: bool = False


@dataclass(frozen=True, eq=False)
class ReportRow:
    id: str
    number: str
    """Its community's number; ``-1`` for the entities that are in none."""
    level: int
    title: str | None
    text: str
    figures: Figures


@dataclass(frozen=True)
class Index:
    """All tables of one index. ``shape`` is the range of versions that write such tables."""

    shape: str
    documents: tuple[DocumentRow, ...] = ()
    units: tuple[UnitRow, ...] = ()
    entities: tuple[EntityRow, ...] = ()
    relationships: tuple[RelationshipRow, ...] = ()
    covariates: tuple[CovariateRow, ...] = ()
    communities: tuple[CommunityRow, ...] = ()
    reports: tuple[ReportRow, ...] = ()
    membership: Mapping[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    """Titles by community number and level, as the nodes table of versions before 2 tells them."""
