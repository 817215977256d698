"""``affected``: which answers a correction reached, and why."""

from __future__ import annotations

from typing import Annotated

import typer

from lineage_cli.app import Json, command, opened
from lineage_cli.commands.find import correction_line
from lineage_cli.output import as_json, as_ndjson, data, note, say
from lineage_cli.render.affected import render
from lineage_cli.render.exports import to_csv, to_html, to_markdown

FORMATS = ("table", "json", "csv", "ndjson", "md", "html")


@command("affected")
def affected(
    correction: Annotated[
        str | None,
        typer.Argument(help="Its id, a prefix of it, or last; without it all open ones.", show_default=False),
    ] = None,
    format_: Annotated[str, typer.Option("--format", help=f"One of {', '.join(FORMATS)}.")] = "table",
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="At most so many answers.")] = None,
    after: Annotated[str | None, typer.Option("--after", help="Go on after this answer's id.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Also answers that were asked again since.")] = False,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 where answers are affected.")] = False,
    as_json_: Json = False,
) -> None:
    """Show which answers a correction affected and why, what it spared, and what cannot be excluded.

    Example: lineage affected last
    """
    if format_ not in FORMATS:
        raise typer.BadParameter(f"{format_!r} is none of {', '.join(FORMATS)}", param_hint="--format")
    format_ = "json" if as_json_ else format_
    with opened(read_only=True) as graph:
        if correction is None:
            _open_ones([each.to_json() for each in graph.corrections() if each.state != "closed"], format_)
            return
        report = graph.affected(correction, limit=limit, after=after, all=all_)
    body = report.to_json()
    match format_:
        case "json":
            as_json(body)
        case "ndjson":
            as_ndjson(report.records())
        case "csv":
            data(to_csv(body))
        case "md":
            data(to_markdown(body))
        case "html":
            data(to_html(body))
        case _:
            render(body)
    if exit_code and body["answers"]:
        raise typer.Exit(1)


def _open_ones(found: list[dict[str, object]], format_: str) -> None:
    if format_ == "json":
        as_json(found)
    elif format_ == "ndjson":
        as_ndjson(found)
    else:
        for each in found:
            say(correction_line(each))
        note(f"{len(found)} open corrections" + (": lineage affected ID shows one" if found else ""))
