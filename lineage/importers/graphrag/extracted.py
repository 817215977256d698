"""Entities, relationships and extracted claims: what GraphRAG read from text units."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from lineage.importers.drafts import Draft, plain_key, unify
from lineage.importers.graphrag.lookup import Drafts, Lookup, put
from lineage.importers.graphrag.rows import CovariateRow, EntityRow, Figures, Index, RelationshipRow
from lineage.importers.locate import NOWHERE, Location, locate_within
from lineage.importers.report import Notes
from lineage_schema.identity import content_hash, key_text
from lineage_schema.vocabulary import Kind, Origin, Role

NONE = "NONE"
"""GraphRAG's own word for a claim's missing object, also used in keys, which have no empty parts."""


def entity_drafts(index: Index, lookup: Lookup, notes: Notes) -> list[Draft]:
    """An entity rests on the text units that it lists; where it lists none, on those that list it."""
    listing: defaultdict[str, list[str]] = defaultdict(list)
    for unit in index.units:
        for one in unit.entity_ids:
            listing[one].append(unit.id)
    made: dict[EntityRow, Draft] = {}
    for row in index.entities:
        where = f"entity {row.number or row.id} ({row.title})"
        if not row.title:
            notes.find("empty_row", where, "it has no title, so nothing can name it")
            continue
        draft = Draft(
            Kind.ENTITY,
            plain_key(row.title),
            row.description,
            where,
            title=row.title,
            attributes={"type": row.type} if row.type else {},
            details=_figures(row.figures),
            aliases=_aliases(row.id, "Entities", row.number),
            tiebreaks=(row.type or NONE,),
        )
        _rest_on(draft, row.unit_ids or listing[row.id], row.capped, lookup, notes)
        made[row] = draft
    stands = unify(list(made.values()), notes)
    for row, draft in made.items():
        put(lookup.entities, row.id, stands[draft])
        put(lookup.titles, row.title, stands[draft])
    return list(dict.fromkeys(stands.values()))


def relationship_drafts(index: Index, lookup: Lookup, notes: Notes) -> list[Draft]:
    """A relationship rests on the text units that state it. Its ends are titles, and may name no entity."""
    made: dict[RelationshipRow, Draft] = {}
    for row in index.relationships:
        where = f"relationship {row.number or row.id} ({row.source} → {row.target})"
        if not row.source or not row.target:
            notes.find("empty_row", where, "an end has no title")
            continue
        draft = Draft(
            Kind.RELATIONSHIP,
            (row.source, row.target),
            row.description,
            where,
            title=f"{row.source} → {row.target}",
            details=_figures(row.figures),
            aliases=_aliases(row.id, "Relationships", row.number),
        )
        _rest_on(draft, row.unit_ids, row.capped, lookup, notes)
        for side, title in (("source", row.source), ("target", row.target)):
            ends = lookup.titles.get(title, ())
            if not ends:
                notes.find("unknown_endpoint", where, f"its {side} '{title}' names no entity")
            for entity in ends:
                draft.add(entity, Role.ENDPOINT, Origin.LISTED)
        made[row] = draft
    stands = unify(list(made.values()), notes)
    for row, draft in made.items():
        put(lookup.relationships, row.id, stands[draft])
        put(lookup.ends, (row.source, row.target), stands[draft])
    return list(dict.fromkeys(stands.values()))


def claim_drafts(index: Index, lookup: Lookup, notes: Notes) -> list[Draft]:
    """An extracted claim rests on its text unit, and on the passage in it that it quotes, where that is found."""
    made: dict[CovariateRow, Draft] = {}
    without_object = 0
    for row in index.covariates:
        where = f"extracted claim {row.number or row.id}"
        _check_subject(row, where, lookup, notes)
        without_object += row.object in (None, NONE)
        if not row.description and not row.source_text:
            notes.find("empty_row", where, "it says nothing: no description and no source text")
            continue
        units, missing = lookup.chunks_of([row.unit_id] if row.unit_id else [])
        draft = Draft(
            Kind.EXTRACTED_CLAIM,
            _claim_key(row, units),
            row.description,
            where,
            title=row.type,
            attributes=_meaning(row),
            details={"covariate_type": row.covariate_type, "source_text": row.source_text},
            aliases=_aliases(row.id, "Claims", row.number),
        )
        draft.lacks(notes.dangling(where, "text unit", missing, 1))
        for chunk in units:
            draft.add(chunk, Role.EVIDENCE, Origin.LISTED)
        _quote(row, draft, where, lookup, notes)
        for title in (row.subject, row.object):
            for entity in lookup.titles.get(title or "", ()):
                draft.add(entity, Role.ABOUT, Origin.LISTED)
        made[row] = draft
    if without_object:
        notes.find("no_object", "extracted claims", f"{without_object} of {len(index.covariates)} name no object")
    stands = unify(list(made.values()), notes)
    for row, draft in made.items():
        put(lookup.claims, row.id, stands[draft])
        if row.subject:
            put(lookup.subjects, row.subject, stands[draft])
    return list(dict.fromkeys(stands.values()))


def _rest_on(draft: Draft, unit_ids: Sequence[str], capped: bool, lookup: Lookup, notes: Notes) -> None:
    units, missing = lookup.chunks_of(unit_ids)
    for chunk in units:
        draft.add(chunk, Role.EVIDENCE, Origin.LISTED)
    draft.lacks(notes.dangling(draft.where, "text unit", missing, len(unit_ids)))
    if capped:
        draft.lacks("its list of text units was cut")
    if not unit_ids:
        notes.find("no_evidence", draft.where, "it lists no text unit")


def _aliases(native: str, dataset: str, number: str | None) -> set[str]:
    """The names by which GraphRAG knows a row: its id, and its number as ``[Data: …]`` prints it."""
    return {name for name in (native, f"{dataset} ({number})" if number is not None else "") if name}


def _figures(figures: Figures) -> dict[str, object]:
    return {name: value for name, value in figures.items() if value is not None}


# Extracted claims


def _claim_key(row: CovariateRow, units: Drafts) -> tuple[str, ...]:
    # Of a unit that stands in several documents the first by key: the order of rows must not matter.
    unit = min((key_text(chunk.key) for chunk in units), default=NONE)
    return (row.subject or NONE, row.object or NONE, row.type or NONE, unit, content_hash(row.description))


def _meaning(row: CovariateRow) -> dict[str, str]:
    values = {
        "subject": row.subject,
        "object": row.object,
        "type": row.type,
        "status": row.status,
        "start_date": row.start_date,
        "end_date": row.end_date,
    }
    return {name: value for name, value in values.items() if value is not None}


def _check_subject(row: CovariateRow, where: str, lookup: Lookup, notes: Notes) -> None:
    if not row.subject:
        notes.find("unknown_subject", where, "it names no subject")
    elif row.subject not in lookup.titles:
        notes.find("unknown_subject", where, f"its subject '{row.subject}' names no entity")


def _quote(row: CovariateRow, draft: Draft, where: str, lookup: Lookup, notes: Notes) -> None:
    """Add the passages that ``row`` quotes as inputs, in every place of its text unit that holds them."""
    if not row.source_text or row.source_text == NONE or not row.unit_id:
        return
    found: Location = NOWHERE
    for placed in lookup.placed.get(row.unit_id, ()):
        if placed.corpus is None or not placed.location.spans:
            continue
        start = min(span[0] for span in placed.location.spans)
        end = max(span[1] for span in placed.location.spans)
        location = locate_within(placed.corpus.text, row.source_text, start, end)
        for source, low, high in placed.corpus.pieces(location.spans):
            draft.add(source.span(low, high), Role.EVIDENCE, Origin.LOCATED)
        if found.method == "unlocated":
            found = location
    notes.quotes[found.method] += 1
    if found.ambiguous > 1:
        notes.find("ambiguous_quote", where, f"its source text stands at {found.ambiguous} places of its text unit")
    elif found.method == "unlocated":
        notes.find("unlocated_quote", where, "its source text was not found in its text unit")


def counts(index: Index) -> Mapping[str, int]:
    """How many rows of each kind there are to read."""
    return {
        "document": len(index.documents),
        Kind.CHUNK: len(index.units),
        Kind.ENTITY: len(index.entities),
        Kind.RELATIONSHIP: len(index.relationships),
        Kind.EXTRACTED_CLAIM: len(index.covariates),
        Kind.COMMUNITY: len(index.communities),
        Kind.REPORT: len(index.reports),
    }
