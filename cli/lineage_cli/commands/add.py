"""``add``: register documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lineage_cli.app import command, opened
from lineage_cli.options import Json
from lineage_cli.output import as_json, say
from lineage_cli.texts import STANDARD_INPUT, read_text
from lineage_schema.errors import BadInput


@command(
    "add",
    "lineage add handbook/returns.md handbook/shipping.md --namespace help",
    "lineage add returns.md --uri https://example.com/returns --valid-from 2026-01-01 --label internal",
    "pdftotext -layout lease.pdf - | lineage add - --uri lease.pdf",
)
def add(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="Files of UTF-8 text; - reads standard input.", show_default=False),
    ],
    uri: Annotated[
        str | None, typer.Option("--uri", metavar="URI", help="The document's uri; the path as given without it.")
    ] = None,
    namespace: Annotated[
        str | None, typer.Option("--namespace", metavar="NS", help="A namespace that derives from it.")
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="What people call it.")] = None,
    media_type: Annotated[str, typer.Option("--media-type", metavar="TYPE", help="Of the text.")] = "text/plain",
    valid_from: Annotated[
        str | None, typer.Option("--valid-from", metavar="DATE", help="ISO date from which the text holds.")
    ] = None,
    valid_to: Annotated[
        str | None, typer.Option("--valid-to", metavar="DATE", help="ISO date until which the text holds.")
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option("--label", metavar="LABEL", help="An access label; may be repeated.")
    ] = None,
    as_json_: Json = False,
) -> None:
    """Register documents: their first versions. All of them, or none.

    Equal bytes again are a no-op; other bytes under a known uri are a conflict. Texts are taken as
    they are: line ends and a leading U+FEFF are part of them.
    """
    if uri is not None and len(files) > 1:
        raise typer.BadParameter("it names one document, and several files are given", param_hint="--uri")
    if uri is None and any(str(path) == STANDARD_INPUT for path in files):
        raise typer.BadParameter("standard input has no name: say which document it is", param_hint="--uri")
    uris = [uri or str(path) for path in files]
    twice = next((each for number, each in enumerate(uris) if each in uris[:number]), None)
    if twice is not None:
        raise BadInput(twice, "FILE", found="named twice", expected="each document once")
    texts = [read_text(path) for path in files]
    from lineage_schema.records import Document

    records = [
        Document(
            uri=each,
            text=text,
            media_type=media_type,
            title=title,
            namespace=namespace,
            valid_from=valid_from,
            valid_to=valid_to,
            labels=tuple(label) if label else None,
        )
        for each, text in zip(uris, texts, strict=True)
    ]
    with opened() as graph:
        done = graph.register(records)
    if as_json_:
        as_json(done.to_json())
    else:
        say(f"{done.written['document']} registered, {done.existed['document']} were there already")
