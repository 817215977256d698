"""``trace``, ``impact``, ``history``: what a node stands on, what stands on it, what happened to it."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from lineage_cli.app import command, opened
from lineage_cli.options import AsOf, Json, Limit
from lineage_cli.output import as_json, data, say, terminal
from lineage_schema.errors import BadInput

if TYPE_CHECKING:
    from lineage.graph import LineageGraph
    from lineage.trace import Trace


class Format(StrEnum):
    """How a trace is printed."""

    TREE = "tree"
    JSON = "json"
    MERMAID = "mermaid"
    DOT = "dot"
    HTML = "html"


AsFormat = Annotated[Format, typer.Option("--format", metavar="|".join(Format), help="How to print it.")]


@command(
    "trace",
    "lineage trace claim:demo/returns/C1",
    'lineage trace \'relationship:demo/["CLEARANCE ITEM","REFUND"]\' --format mermaid',
    "lineage trace claim:demo/returns/C1 --as-of 2026-11-01 --json",
)
def trace(
    node: Annotated[
        str, typer.Argument(metavar="NODE", help="An id, kind:namespace/key, id prefix or alias.", show_default=False)
    ],
    format_: AsFormat = Format.TREE,
    limit: Limit = None,
    as_of: AsOf = None,
    as_json_: Json = False,
) -> None:
    """Show what a node stands on, down to exact source characters."""
    with opened(read_only=True) as graph:
        found = graph.trace(node, limit=limit, as_of=_sequence(graph, as_of))
    _print(found, Format.JSON if as_json_ else format_)


@command("impact", "lineage impact returns.md", "lineage impact 'entity:demo/RETURN WINDOW' --limit 100 --json")
def impact(
    node: Annotated[str, typer.Argument(metavar="NODE", help="A node, or a document's uri.", show_default=False)],
    format_: AsFormat = Format.TREE,
    limit: Limit = None,
    as_of: AsOf = None,
    as_json_: Json = False,
) -> None:
    """Show all that rests on a node or a document. It writes nothing.

    The impact of a document is that of all its spans. What one correction would reach, that is the
    changed spans only, is shown by a dry run of 'lineage correct'.
    """
    with opened(read_only=True) as graph:
        found = graph.impact(node, limit=limit, as_of=_sequence(graph, as_of))
    _print(found, Format.JSON if as_json_ else format_)


@command("history", "lineage history claim:demo/returns/C1", "lineage history returns.md --json")
def history(
    node: Annotated[str, typer.Argument(metavar="NODE", help="A node, or a document's uri.", show_default=False)],
    as_json_: Json = False,
) -> None:
    """Show what happened to a node or a document, in order."""
    with opened(read_only=True) as graph:
        found = graph.history(node)
    if as_json_:
        as_json(found.to_json())
        return
    say(found.name)
    for event in found.events:
        say(f"{event.seq:>8}  {event.time}  {event.text}")


def _print(found: Trace, format_: Format) -> None:
    if format_ is Format.JSON:
        as_json(found.to_json())
        return
    # Each form is loaded when it is asked for.
    text = import_module(f"lineage.exporters.{format_.value}").render(found)
    if format_ is Format.TREE and terminal():
        for line in text.split("\n"):
            say(line)
        return
    data(text)


def _sequence(graph: LineageGraph, value: str | None) -> int | None:
    """A sequence number as given, or the last one at a time (ISO 8601; UTC where no zone is named)."""
    if value is None:
        return None
    if value.isascii() and value.isdigit():
        return int(value)
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        raise BadInput("--as-of", "value", found=value, expected="a sequence number or an ISO 8601 time") from None
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return graph.sequence_at(int(time.timestamp() * 1_000_000))
