"""The rows of a GraphRAG index as drafts of nodes, inputs before what rests on them. Pure: no files, no graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lineage.importers.drafts import Draft
from lineage.importers.graphrag.communities import community_drafts, read_communities
from lineage.importers.graphrag.delta import Delta
from lineage.importers.graphrag.extracted import claim_drafts, counts, entity_drafts, relationship_drafts
from lineage.importers.graphrag.lookup import Lookup
from lineage.importers.graphrag.reports import report_drafts
from lineage.importers.graphrag.rows import Index
from lineage.importers.graphrag.units import chunk_drafts
from lineage.importers.report import Notes
from lineage.importers.sources import Source


def drafts_of(
    index: Index, sources: Mapping[str, Source], namespace: str, notes: Notes, deltas: Sequence[Delta] = ()
) -> list[Draft]:
    """The nodes of ``index``. ``sources`` are the documents that have a text, by GraphRAG's id."""
    notes.read.update(counts(index))
    lookup = Lookup()
    chunks = chunk_drafts(index, sources, namespace, lookup, notes)
    entities = entity_drafts(index, lookup, notes)
    relationships = relationship_drafts(index, lookup, notes)
    claims = claim_drafts(index, lookup, notes)
    communities = read_communities(index, lookup, deltas, notes)
    reports = report_drafts(index, communities, lookup, deltas, notes)
    return [*chunks, *entities, *relationships, *claims, *community_drafts(communities.values()), *reports]
