"""Text units as chunks: which documents each was cut from, in which order, and where it stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from lineage.importers.chunks import Passage, Placed, chunks, place
from lineage.importers.drafts import Draft
from lineage.importers.graphrag.lookup import Lookup, put
from lineage.importers.graphrag.rows import Index, UnitRow
from lineage.importers.report import Notes
from lineage.importers.sources import Corpus, Source


def chunk_drafts(
    index: Index, sources: Mapping[str, Source], namespace: str, lookup: Lookup, notes: Notes
) -> list[Draft]:
    """The chunks of all text units. ``sources`` are the documents that have a text, by GraphRAG's id."""
    documents = {row.id for row in index.documents}
    groups: defaultdict[tuple[str, ...], list[UnitRow]] = defaultdict(list)
    # The order of the cuts is what tells equal units apart; the order of the table's rows may be another.
    for row in sorted(index.units, key=lambda row: row.position):
        missing = [one for one in row.document_ids if one not in documents]
        notes.dangling(_where(row), "document", missing, len(row.document_ids))
        groups[tuple(one for one in row.document_ids if one in sources)].append(row)
    placed: list[Placed] = []
    rows: dict[Passage, UnitRow] = {}
    for document_ids, members in groups.items():
        own = [sources[one] for one in document_ids]
        home = min((source.uri for source in own), default=namespace)
        passages = [_passage(row, home) for row in members]
        rows.update(zip(passages, members, strict=True))
        placed.extend(place(passages, Corpus(own) if own else None, notes))
    found = chunks(placed, notes)
    for one in placed:
        lookup.placed[rows[one.passage].id].append(one)
        put(lookup.chunks, rows[one.passage].id, found[one.passage])
    _check_lists(index, lookup, notes)
    return list(dict.fromkeys(found.values()))


def _passage(row: UnitRow, home: str) -> Passage:
    aliases = (row.id, f"Sources ({row.position})") if row.id else (f"Sources ({row.position})",)
    return Passage(row.text, _where(row), home, aliases, {"tokens": row.tokens})


def _where(row: UnitRow) -> str:
    return f"text unit {row.position} ({row.id})"


def _check_lists(index: Index, lookup: Lookup, notes: Notes) -> None:
    """Findings for ids in text units and documents that name nothing. No lineage is read from these lists."""
    entities = {row.id for row in index.entities}
    relationships = {row.id for row in index.relationships}
    covariates = {row.id for row in index.covariates}
    for unit in index.units:
        for name, ids, known in (
            ("entity", unit.entity_ids, entities),
            ("relationship", unit.relationship_ids, relationships),
            ("extracted claim", unit.covariate_ids, covariates),
        ):
            notes.dangling(_where(unit), name, (one for one in ids if one not in known), len(ids))
    listed: defaultdict[str, set[str]] = defaultdict(set)
    for document in index.documents:
        missing = [one for one in document.unit_ids if one not in lookup.chunks]
        notes.dangling(f"document {document.title}", "text unit", missing, len(document.unit_ids))
        listed[document.id].update(document.unit_ids)
    naming: defaultdict[str, list[UnitRow]] = defaultdict(list)
    for unit in index.units:
        for one in unit.document_ids:
            naming[one].append(unit)
    for document in index.documents:
        own = naming[document.id]
        if unlisted := [unit for unit in own if unit.id not in listed[document.id]]:
            shown = ", ".join(str(unit.position) for unit in unlisted)
            what = f"it does not list {len(unlisted)} of the {len(own)} text units that name it: {shown}"
            notes.find("not_listed", f"document {document.title}", what)
