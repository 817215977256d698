"""``import graphrag`` and ``import raptor``: real indexes' lineage."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lineage_cli.app import app, command, opened
from lineage_cli.options import Json, Strict
from lineage_cli.output import as_json, progress, say
from lineage_cli.spreading import spread
from lineage_schema.errors import BadInput

if TYPE_CHECKING:
    from lineage.importers.report import ImportReport

group = typer.Typer(help="Register a real index's lineage.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(group, name="import")


class Tables(StrEnum):
    """In which files an index's tables are."""

    AUTO = "auto"
    PARQUET = "parquet"
    CSV = "csv"


Namespace = Annotated[str, typer.Option("--namespace", metavar="NS", help="The namespace of its nodes.")]
Rebuilt = Annotated[
    bool, typer.Option("--rebuilt", help="It was made anew, not just read again: it replaces what is known.")
]
Complete = Annotated[
    bool, typer.Option("--complete", help="The namespace holds this index only: retire what it no longer has.")
]
Names = Annotated[
    list[str] | None, typer.Option("--document", metavar="TITLE=URI", help="The uri of a document; repeatable.")
]


@command(
    "graphrag",
    "lineage import graphrag output --namespace help",
    "lineage import graphrag output --namespace help --document returns.md=handbook/returns.md --rebuilt",
    group=group,
)
def graphrag(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="The folder of its tables (parquet or CSV).", show_default=False)
    ],
    namespace: Namespace,
    document: Names = None,
    settings: Annotated[
        Path | None, typer.Option("--settings", metavar="FILE", help="Its settings.yaml, for the model.")
    ] = None,
    tables: Annotated[
        Tables, typer.Option("--tables", metavar="|".join(Tables), help="Which files to read.")
    ] = Tables.AUTO,
    rebuilt: Rebuilt = False,
    complete: Complete = False,
    strict: Strict = False,
    as_json_: Json = False,
) -> None:
    """Import a Microsoft GraphRAG index.

    A document is the one named with --document, else the one that has a version with the same text,
    else NAMESPACE/TITLE.
    """
    documents = _documents(document)
    from lineage.importers.graphrag.importer import import_graphrag

    with opened() as graph:
        with progress("importing") as bar:
            report = import_graphrag(
                graph,
                path,
                namespace=namespace,
                documents=documents,
                rebuilt=rebuilt,
                complete=complete,
                settings=settings,
                format=tables.value,
                progress=bar,
            )
        spread(graph)
    _tell(report, strict, as_json_)


@command(
    "raptor",
    "lineage import raptor tree.pkl --namespace help --source handbook.txt",
    "lineage import raptor tree.pkl --namespace help --source a.txt --source b.txt --document a.txt=docs/a.txt",
    group=group,
)
def raptor(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="The pickled tree; nothing in it is run.", show_default=False)
    ],
    namespace: Namespace,
    source: Annotated[
        list[Path] | None,
        typer.Option("--source", metavar="FILE", help="A text it was made from, in order; repeatable."),
    ] = None,
    document: Names = None,
    allow_numpy: Annotated[
        bool, typer.Option("--allow-numpy", help="Take embeddings that were pickled as numpy arrays.")
    ] = False,
    rebuilt: Rebuilt = False,
    complete: Complete = False,
    strict: Strict = False,
    as_json_: Json = False,
) -> None:
    """Import a RAPTOR tree.

    A tree does not say what it was made from: name its texts with --source, or its leaves stay unlocated.
    """
    documents = _documents(document)
    from lineage.importers.raptor.importer import import_raptor

    with opened() as graph:
        with progress("importing") as bar:
            report = import_raptor(
                graph,
                path,
                namespace=namespace,
                sources=tuple(source or ()),
                documents=documents,
                allow_numpy=allow_numpy,
                rebuilt=rebuilt,
                complete=complete,
                progress=bar,
            )
        spread(graph)
    _tell(report, strict, as_json_)


def _documents(given: list[str] | None) -> dict[str, str]:
    documents: dict[str, str] = {}
    for each in given or []:
        title, equals, uri = each.partition("=")
        if not (title and equals and uri):
            raise BadInput("--document", "value", found=each, expected="TITLE=URI")
        if title in documents:
            raise BadInput("--document", "title", found=title, expected="each title once")
        documents[title] = uri
    return documents


def _tell(report: ImportReport, strict: bool, as_json_: bool) -> None:
    body = report.to_json()
    if as_json_:
        as_json(body)
    else:
        say(f"{body['pipeline']} → namespace {body['namespace']}, run {body['run']}")
        for name in ("read", "written", "existed", "located", "quotes"):
            counts = {str(kind): count for kind, count in (body.get(name) or {}).items() if count}
            if counts:
                say(f"{name:9} " + ", ".join(f"{count} {kind}" for kind, count in counts.items()))
        say(f"partial   {body['partial']} nodes have incomplete lineage")
        kinds = Counter(finding["kind"] for finding in body["findings"])
        shown = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        say(f"findings  {shown or 'none'}" + ("   → --json for each" if shown else ""))
    if strict and body["findings"]:
        raise typer.Exit(1)
