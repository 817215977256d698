"""``import raptor``: a pickled tree into a graph, in one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from lineage.importers.raptor.records import drafts_of
from lineage.importers.raptor.tree import read_tree
from lineage.importers.report import ImportReport, Notes
from lineage.importers.running import BATCH_SIZE, Progress, RunFacts, register
from lineage.importers.sink import GraphSink
from lineage.importers.sources import Given, identify
from lineage_schema.errors import BadInput

PIPELINE: Final = "raptor"
_NO_DOCUMENTS: Final[Mapping[str, str]] = MappingProxyType({})


def import_raptor(
    graph: GraphSink,
    path: str | Path,
    *,
    namespace: str,
    sources: Sequence[str | Path] = (),
    documents: Mapping[str, str] = _NO_DOCUMENTS,
    allow_numpy: bool = False,
    rebuilt: bool = False,
    complete: bool = False,
    batch_size: int = BATCH_SIZE,
    progress: Progress | None = None,
) -> ImportReport:
    """Register the lineage of the RAPTOR tree at ``path`` in ``namespace``.

    A tree does not say what it was made from: ``sources`` are the text files, in the order in
    which they were joined. ``documents`` gives uris for their names; others are found by their
    text, or become ``NAMESPACE/NAME``. ``rebuilt`` and ``complete`` are as for GraphRAG.
    """
    notes = Notes()
    tree_path = Path(path)
    tree = read_tree(tree_path, notes, allow_numpy=allow_numpy)
    paths = [Path(source) for source in sources]
    given = [Given(str(source), source.name, _text(source)) for source in paths]
    identified = identify(
        given, namespace=namespace, documents=documents, versions=graph.versions_with_hash, notes=notes
    )
    read = [identified[row.id] for row in given if row.id in identified]
    drafts = drafts_of(tree, read, namespace, notes)
    files = {"tree": tree_path, **{f"source {number}": source for number, source in enumerate(paths)}}
    return register(
        graph,
        RunFacts(producer=PIPELINE, version=None, model=None, config_hash=None, files=files),
        pipeline=PIPELINE,
        namespace=namespace,
        sources=read,
        drafts=drafts,
        notes=notes,
        rebuilt=rebuilt,
        complete=complete,
        batch_size=batch_size,
        progress=progress,
    )


def _text(path: Path) -> str:
    """The exact text: line ends and a leading U+FEFF are part of it."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise BadInput(str(path), "source", found=str(error), expected="a text file") from None
    except UnicodeDecodeError as error:
        raise BadInput(str(path), "source", found=str(error), expected="text in UTF-8") from None
