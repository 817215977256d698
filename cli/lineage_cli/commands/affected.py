"""``affected``: which answers a correction reached, and why."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lineage_cli.app import command, opened
from lineage_cli.options import Json
from lineage_cli.output import as_json, as_ndjson, data, note

if TYPE_CHECKING:
    from lineage.report import Affected


class Format(StrEnum):
    """How the report is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    NDJSON = "ndjson"
    MD = "md"
    HTML = "html"


@command(
    "affected",
    "lineage affected last",
    "lineage affected c1:7be0 --format csv",
    "lineage affected --exit-code",
)
def affected(
    correction: Annotated[
        str | None,
        typer.Argument(
            metavar="CORRECTION", help="Its id, a prefix of it, or last; without it all open ones.", show_default=False
        ),
    ] = None,
    format_: Annotated[
        Format, typer.Option("--format", metavar="|".join(Format), help="How to print it.")
    ] = Format.TABLE,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="At most so many answers.")] = None,
    after: Annotated[str | None, typer.Option("--after", metavar="ID", help="Go on after this answer's id.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Also answers that were asked again since.")] = False,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 where answers are affected.")] = False,
    as_json_: Json = False,
) -> None:
    """Show which answers a correction affected and why, what it spared, and what cannot be excluded.

    Without a correction it lists all that are not closed, a line each.
    """
    format_ = Format.JSON if as_json_ else format_
    if correction is None and (limit is not None or after is not None or all_):
        raise typer.BadParameter("--limit, --after and --all are of one correction: name it, or say last")
    with opened(read_only=True) as graph:
        if correction is None:
            views = [each.to_json() for each in graph.corrections() if each.state.value != "closed"]
            _open_ones(views, format_)
            found = any(each["answers"] for each in views)
        else:
            report = graph.affected(correction, limit=limit, after=after, all=all_)
            _report(report, format_)
            found = bool(report.to_json()["counts"]["answers"])
    if exit_code and found:
        raise typer.Exit(1)


def _report(report: Affected, format_: Format) -> None:
    body = report.to_json()
    match format_:
        case Format.JSON:
            as_json(body)
        case Format.NDJSON:
            as_ndjson(report.records())
        case Format.CSV:
            from lineage_cli.render import affected_csv

            data(affected_csv.render(body))
        case Format.MD:
            from lineage_cli.render import affected_md

            data(affected_md.render(body))
        case Format.HTML:
            from lineage_cli.render import affected_html

            data(affected_html.render(body))
        case Format.TABLE:
            from lineage_cli.render.affected import show

            show(body)


def _open_ones(found: list[dict[str, Any]], format_: Format) -> None:
    from lineage_cli.render import corrections

    match format_:
        case Format.JSON:
            as_json(found)
        case Format.NDJSON:
            as_ndjson(found)
        case Format.CSV:
            data(corrections.to_csv(found))
        case Format.MD:
            data(corrections.to_markdown(found))
        case Format.HTML:
            data(corrections.to_html(found))
        case Format.TABLE:
            from lineage_cli.render.lines import plural

            corrections.show(found)
            note(plural(len(found), "open correction") + (": lineage affected ID shows one" if found else ""))
