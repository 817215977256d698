"""A provenance graph store for derived evidence: what answers stand on, and what a correction affects.

``from lineage import LineageGraph`` is the front door; what users need beside it is here too.
"""

from lineage.graph import LineageGraph
from lineage_schema.errors import (
    Ambiguous,
    BadInput,
    Conflict,
    Integrity,
    LineageError,
    MissingDependency,
    MissingJudgment,
    NotFound,
    SchemaMismatch,
    StoreUnavailable,
)
from lineage_schema.records import (
    Answer,
    Citation,
    Claim,
    Document,
    Extend,
    Finish,
    Input,
    Node,
    NodeRef,
    Retire,
    Retrieved,
    Run,
    Span,
    SpanRef,
    Version,
)

__all__ = [
    "Ambiguous",
    "Answer",
    "BadInput",
    "Citation",
    "Claim",
    "Conflict",
    "Document",
    "Extend",
    "Finish",
    "Input",
    "Integrity",
    "LineageError",
    "LineageGraph",
    "MissingDependency",
    "MissingJudgment",
    "Node",
    "NodeRef",
    "NotFound",
    "Retire",
    "Retrieved",
    "Run",
    "SchemaMismatch",
    "Span",
    "SpanRef",
    "StoreUnavailable",
    "Version",
]
