"""``import graphrag`` and ``import raptor``: real indexes' lineage."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lineage import BadInput
from lineage_cli.app import Json, app, opened
from lineage_cli.output import as_json, progress, say

group = typer.Typer(help="Register a real index's lineage.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(group, name="import")

if TYPE_CHECKING:
    from lineage.importers.report import ImportReport

Namespace = Annotated[str, typer.Option("--namespace", help="The namespace of its nodes.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with 1 where there are findings.")]
Rebuilt = Annotated[bool, typer.Option("--rebuilt", help="Its texts were made anew, not just read again.")]


@group.command("graphrag")
def graphrag(
    path: Annotated[Path, typer.Argument(help="The folder of its tables (parquet or CSV).", show_default=False)],
    namespace: Namespace,
    document: Annotated[list[str] | None, typer.Option("--document", help="TITLE=URI; repeatable.")] = None,
    settings: Annotated[Path | None, typer.Option("--settings", help="Its settings.yaml, for the model.")] = None,
    rebuilt: Rebuilt = False,
    strict: Strict = False,
    as_json_: Json = False,
) -> None:
    """Import a Microsoft GraphRAG index.

    Example: lineage import graphrag output --namespace help --document returns.md=handbook/returns.md
    """
    from lineage.importers.graphrag.importer import import_graphrag

    documents = {}
    for each in document or []:
        name, equals, uri = each.partition("=")
        if not equals:
            raise BadInput("--document", "value", found=each, expected="TITLE=URI")
        documents[name] = uri
    with opened() as graph, progress("importing") as bar:
        report = import_graphrag(
            graph, path, namespace=namespace, documents=documents, rebuilt=rebuilt, settings=settings, progress=bar
        )
        graph.propagate()
    _tell(report, strict, as_json_)


@group.command("raptor")
def raptor(
    path: Annotated[Path, typer.Argument(help="The pickled tree; nothing in it is run.", show_default=False)],
    namespace: Namespace,
    source: Annotated[list[Path] | None, typer.Option("--source", help="A source text, in order; repeatable.")] = None,
    document: Annotated[list[str] | None, typer.Option("--document", help="NAME=URI of a source; repeatable.")] = None,
    rebuilt: Rebuilt = False,
    strict: Strict = False,
    as_json_: Json = False,
) -> None:
    """Import a RAPTOR tree.

    Example: lineage import raptor tree.pkl --namespace help --source handbook.txt
    """
    from lineage.importers.raptor.importer import import_raptor

    documents = dict(each.split("=", 1) for each in document or [] if "=" in each)
    with opened() as graph, progress("importing") as bar:
        report = import_raptor(
            graph,
            path,
            namespace=namespace,
            sources=tuple(source or ()),
            documents=documents,
            rebuilt=rebuilt,
            progress=bar,
        )
        graph.propagate()
    _tell(report, strict, as_json_)


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
        kinds: dict[str, int] = {}
        for finding in body["findings"]:
            kinds[finding["kind"]] = kinds.get(finding["kind"], 0) + 1
        shown = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        say(f"findings  {shown or 'none'}" + ("   → --json for each" if shown else ""))
    if strict and body["findings"]:
        raise typer.Exit(1)
