"""``import graphrag``: an index's tables into a graph, in one run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from lineage.importers.graphrag.delta import find_deltas
from lineage.importers.graphrag.index import read_index
from lineage.importers.graphrag.records import drafts_of
from lineage.importers.graphrag.settings import find_settings
from lineage.importers.graphrag.tables import Format, find_folder, read_tables
from lineage.importers.report import ImportReport, Notes
from lineage.importers.running import BATCH_SIZE, Progress, RunFacts, register
from lineage.importers.sink import GraphSink
from lineage.importers.sources import Given, identify

PIPELINE: Final = "graphrag"
_NO_DOCUMENTS: Final[Mapping[str, str]] = MappingProxyType({})


def import_graphrag(
    graph: GraphSink,
    path: str | Path,
    *,
    namespace: str,
    documents: Mapping[str, str] = _NO_DOCUMENTS,
    rebuilt: bool = False,
    complete: bool = False,
    settings: str | Path | None = None,
    format: Format = "auto",
    batch_size: int = BATCH_SIZE,
    progress: Progress | None = None,
) -> ImportReport:
    """Register the lineage of the GraphRAG index at ``path`` in ``namespace``.

    ``documents`` gives uris for titles; other documents are found by their text, or become
    ``NAMESPACE/TITLE``. ``rebuilt``: the index was made anew, and its derivations replace those
    known. ``complete``: ``namespace`` holds this index only, and what it no longer has is retired.
    Raises :class:`Conflict` where a document has another text than the one registered.
    """
    notes = Notes()
    folder = find_folder(Path(path))
    tables = read_tables(folder, format)
    index = read_index(tables, notes)
    deltas = find_deltas(folder, index, format)
    known = find_settings(folder, None if settings is None else Path(settings), notes)
    given = [Given(row.id, row.title, row.text) for row in index.documents]
    sources = identify(given, namespace=namespace, documents=documents, versions=graph.versions_with_hash, notes=notes)
    drafts = drafts_of(index, sources, namespace, notes, deltas)
    files = tables.files()
    for number, delta in enumerate(deltas):
        files.update({f"delta {number}/{name}": file for name, file in delta.files.items()})
    facts = RunFacts(
        producer=PIPELINE,
        version=index.shape,
        model=known.model if known else None,
        config_hash=known.config_hash if known else None,
        files=files,
    )
    return register(
        graph,
        facts,
        pipeline=PIPELINE,
        namespace=namespace,
        sources=sources.values(),
        drafts=drafts,
        notes=notes,
        rebuilt=rebuilt,
        complete=complete,
        batch_size=batch_size,
        progress=progress,
    )
