"""Putting the demo into a store: the pages, both indexes, the answers and the citation desk."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lineage.demo import files
from lineage.importers.graphrag.importer import import_graphrag
from lineage.importers.raptor.importer import import_raptor
from lineage.importers.report import ImportReport
from lineage_schema.records import Document

if TYPE_CHECKING:
    from lineage.graph import LineageGraph
    from lineage.register import Registered


@dataclass(frozen=True, slots=True)
class Loaded:
    """What loading wrote."""

    documents: int
    graphrag: ImportReport
    raptor: ImportReport
    answers: Registered
    desk: Registered


def load(graph: LineageGraph) -> Loaded:
    """Registers the whole demo. Loading it again writes nothing."""
    pages = [
        Document(uri=page.name, text=page.read_bytes().decode("utf-8"), namespace=files.GRAPHRAG_NAMESPACE)
        for page in files.handbook()
    ]
    graph.register(pages)
    return Loaded(
        len(pages),
        import_graphrag(graph, files.graphrag(), namespace=files.GRAPHRAG_NAMESPACE),
        import_raptor(graph, files.raptor(), namespace=files.RAPTOR_NAMESPACE, sources=files.raptor_sources()),
        graph.register(_lines(files.answers())),
        graph.register(_lines(files.desk())),
    )


def corrected_text() -> tuple[str, str, str]:
    """(uri, text after the demo's correction, reason)."""
    change = files.correction()
    page = next(page for page in files.handbook() if page.name == change.uri)
    return change.uri, page.read_bytes().decode("utf-8").replace(change.old, change.new), change.reason


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
