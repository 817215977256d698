"""The tables of any version as one set of rows. A column that a version lacks is empty; nothing is guessed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lineage.importers.graphrag import cells
from lineage.importers.graphrag.rows import (
    CommunityRow,
    CovariateRow,
    DocumentRow,
    EntityRow,
    Index,
    RelationshipRow,
    ReportRow,
    UnitRow,
)
from lineage.importers.graphrag.tables import Row, Table, Tables
from lineage.importers.report import Notes


def shape(tables: Tables) -> str:
    """The range of GraphRAG versions that write such tables."""
    units = tables.require("text_units")
    documents = tables.get("documents")
    communities = tables.get("communities")
    if "document_id" in units.columns:
        return "3.x"
    if documents is not None and ("raw_content" in documents.columns or "text_units" in documents.columns):
        return "0.1-0.4"
    if communities is not None and "children" in communities.columns:
        return "2.x"
    if units.path.name.startswith("create_"):
        return "0.5-1.x"
    return "2.x"


def read_index(tables: Tables, notes: Notes, *, partial: bool = False) -> Index:
    """The rows of ``tables``. ``partial``: a delta folder, which needs no texts."""
    documents = tables.get("documents") if partial else tables.require("documents")
    return Index(
        shape=shape(tables),
        documents=tuple(_documents(documents)) if documents else (),
        units=tuple(_units(tables.require("text_units"))),
        entities=tuple(_entities(tables, notes)),
        relationships=tuple(_relationships(tables.get("relationships"), notes)),
        covariates=tuple(_covariates(tables.get("covariates"))),
        communities=tuple(_communities(tables.get("communities"), notes)),
        reports=tuple(_reports(tables.get("community_reports"))),
        membership=_membership(tables.get("nodes")),
    )


class _Cells:
    """One row's cells by column; what a version lacks is missing."""

    def __init__(self, table: Table, number: int, row: Row) -> None:
        self.item = f"{table.path.name} row {number}"
        self._row = row

    def get(self, *columns: str) -> Any:
        return next((self._row[column] for column in columns if column in self._row), None)

    def text(self, *columns: str) -> str:
        return cells.text(self.get(*columns))

    def optional(self, column: str) -> str | None:
        return cells.optional(self.get(column))

    def number(self, *columns: str) -> str | None:
        return cells.number(self.get(*columns))

    def integer(self, column: str) -> int:
        return cells.integer(self.get(column), item=self.item, column=column)

    def names(self, *columns: str) -> tuple[str, ...]:
        return self.list(*columns)[0]

    def list(self, *columns: str) -> tuple[tuple[str, ...], bool]:
        return cells.names(self.get(*columns), item=self.item, column=columns[0])

    def figures(self, *columns: str) -> Mapping[str, Any]:
        return {column: cells.figure(self.get(column)) for column in columns}

    def capped(self, notes: Notes, *columns: str) -> bool:
        """Whether one of the list cells was cut by whatever wrote it; then a finding says so."""
        cut = [column for column in columns if self.list(column)[1]]
        for column in cut:
            notes.find("capped_list", self.item, f"{column} was cut ('...'): the rest of the list is not in the file")
        return bool(cut)


def _each(table: Table | None) -> list[_Cells]:
    return [_Cells(table, i, row) for i, row in enumerate(table.rows)] if table else []


def _documents(table: Table) -> list[DocumentRow]:
    table.require("id")
    content = table.require("text", "raw_content")
    return [
        DocumentRow(
            id=row.text("id"),
            title=row.text("title") or row.text("id"),
            text=row.optional(content),
            unit_ids=row.names("text_unit_ids", "text_units"),
        )
        for row in _each(table)
    ]


def _units(table: Table) -> list[UnitRow]:
    name = table.require("id", "chunk_id")
    content = table.require("text", "chunk")
    rows = _each(table)
    positions = _positions([row.number("human_readable_id") for row in rows])
    return [
        UnitRow(
            id=row.text(name),
            position=position,
            text=row.text(content),
            document_ids=row.names("document_ids", "document_id"),
            entity_ids=row.names("entity_ids"),
            relationship_ids=row.names("relationship_ids"),
            covariate_ids=row.names("covariate_ids"),
            tokens=None if row.number("n_tokens") is None else row.integer("n_tokens"),
        )
        for row, position in zip(rows, positions, strict=True)
    ]


def _positions(numbers: list[str | None]) -> list[int]:
    """Each unit's place in the table as GraphRAG wrote it.

    Its own numbers are in that order, from 0 or from 1, and stay when rows are sorted otherwise;
    where they are missing or not unique, the place is the one found.
    """
    try:
        order = [int(number) for number in numbers if number is not None]
    except ValueError:
        order = []
    if len(set(order)) != len(numbers):
        return list(range(len(numbers)))
    rank = {number: i for i, number in enumerate(sorted(order))}
    return [rank[number] for number in order]


def _entities(tables: Tables, notes: Notes) -> list[EntityRow]:
    table = tables.get("entities")
    nodes = _each(tables.get("nodes"))
    if table is None:
        # The nodes table has a row for each level of an entity's community; the entity is the same in all.
        first: dict[str, _Cells] = {}
        for row in nodes:
            first.setdefault(row.text("id"), row)
        return [_entity(row, "source_id", notes) for row in first.values()]
    table.require("title", "name")
    degrees = {row.text("id"): row.figures("degree") for row in nodes}
    entities = [_entity(row, "text_unit_ids", notes) for row in _each(table)]
    return [
        replace(row, figures={**degrees[row.id], **{k: v for k, v in row.figures.items() if v is not None}})
        if row.id in degrees
        else row
        for row in entities
    ]


def _entity(row: _Cells, units: str, notes: Notes) -> EntityRow:
    return EntityRow(
        id=row.text("id"),
        number=row.number("human_readable_id"),
        title=row.text("title", "name"),
        type=row.optional("type"),
        description=row.text("description"),
        unit_ids=row.names(units),
        figures=row.figures("degree", "frequency"),
        capped=row.capped(notes, units),
    )


def _membership(table: Table | None) -> dict[tuple[str, int], tuple[str, ...]]:
    members: defaultdict[tuple[str, int], dict[str, None]] = defaultdict(dict)
    for row in _each(table):
        community = row.number("community")
        if community is not None:
            members[community, row.integer("level")][row.text("title")] = None
    return {key: tuple(titles) for key, titles in members.items()}


def _relationships(table: Table | None, notes: Notes) -> list[RelationshipRow]:
    return [
        RelationshipRow(
            id=row.text("id"),
            number=row.number("human_readable_id"),
            source=row.text("source"),
            target=row.text("target"),
            description=row.text("description"),
            unit_ids=row.names("text_unit_ids"),
            figures=row.figures("weight", "combined_degree", "rank"),
            capped=row.capped(notes, "text_unit_ids"),
        )
        for row in _each(table)
    ]


def _covariates(table: Table | None) -> list[CovariateRow]:
    return [
        CovariateRow(
            id=row.text("id"),
            number=row.number("human_readable_id"),
            covariate_type=row.optional("covariate_type"),
            type=row.optional("type"),
            description=row.text("description"),
            subject=row.optional("subject_id"),
            object=row.optional("object_id"),
            status=row.optional("status"),
            start_date=row.optional("start_date"),
            end_date=row.optional("end_date"),
            source_text=row.optional("source_text"),
            unit_id=row.optional("text_unit_id"),
        )
        for row in _each(table)
    ]


def _communities(table: Table | None, notes: Notes) -> list[CommunityRow]:
    if table is None:
        return []
    # Before 0.4 the id is the community's number.
    number = table.require("community", "id")
    listed = "entity_ids" in table.columns
    found: list[CommunityRow] = []
    for row in _each(table):
        found.append(
            CommunityRow(
                id=row.text("id"),
                number=row.number(number) or row.text("id"),
                level=row.integer("level"),
                title=row.optional("title"),
                entity_ids=row.names("entity_ids") if listed else None,
                relationship_ids=row.names("relationship_ids"),
                unit_ids=row.names("text_unit_ids"),
                parent=row.number("parent"),
                children=tuple(cells.number(child) or child for child in row.names("children")),
                figures=row.figures("size", "period"),
                capped=row.capped(notes, "entity_ids", "relationship_ids", "text_unit_ids", "children"),
            )
        )
    return found


def _reports(table: Table | None) -> list[ReportRow]:
    if table is None:
        return []
    table.require("community")
    table.require("full_content")
    return [
        ReportRow(
            id=row.text("id"),
            number=row.number("community") or row.text("id"),
            level=row.integer("level"),
            title=row.optional("title"),
            text=row.text("full_content"),
            figures=row.figures("rank", "rank_explanation", "rating_explanation", "period"),
        )
        for row in _each(table)
    ]
