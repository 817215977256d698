"""Readers of what other pipelines wrote: their files become recorded forms, with every edge's origin."""

from lineage.importers.graphrag.importer import import_graphrag
from lineage.importers.raptor.importer import import_raptor
from lineage.importers.report import Finding, ImportReport

__all__ = ["Finding", "ImportReport", "import_graphrag", "import_raptor"]
