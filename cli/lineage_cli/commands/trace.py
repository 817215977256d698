"""``trace``, ``impact``, ``history``: what a node stands on, what stands on it, what happened to it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from importlib import import_module
from typing import Annotated

import typer

from lineage import BadInput, LineageGraph
from lineage.trace import Trace
from lineage_cli.app import Json, command, opened
from lineage_cli.output import as_json, data, say

FORMATS = ("tree", "json", "mermaid", "dot", "html")
Format = Annotated[str, typer.Option("--format", help=f"One of {', '.join(FORMATS)}.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="At most so many nodes; says how many it cut.")]
AsOf = Annotated[str | None, typer.Option("--as-of", metavar="SEQ|TIME", help="As it was then.")]


@command("trace")
def trace(
    node: Annotated[str, typer.Argument(help="An id, kind:namespace/key, id prefix or alias.", show_default=False)],
    format_: Format = "tree",
    limit: Limit = None,
    as_of: AsOf = None,
    as_json_: Json = False,
) -> None:
    """Show what a node stands on, down to exact source characters.

    Example: lineage trace claim:demo/returns/C1
    """
    with opened(read_only=True) as graph:
        found = graph.trace(node, limit=limit, as_of=_sequence(graph, as_of))
    _print(found, "json" if as_json_ else format_)


@command("impact")
def impact(
    node: Annotated[str, typer.Argument(help="A node, or a document's uri.", show_default=False)],
    format_: Format = "tree",
    limit: Limit = None,
    as_of: AsOf = None,
    as_json_: Json = False,
) -> None:
    """Show all that rests on a node or a document. It writes nothing.

    The impact of a document is that of all its spans. What one correction would reach, that is the
    changed spans only, is shown by 'lineage correct --dry-run'.

    Example: lineage impact returns.md
    """
    with opened(read_only=True) as graph:
        found = graph.impact(node, limit=limit, as_of=_sequence(graph, as_of))
    _print(found, "json" if as_json_ else format_)


@command("history")
def history(
    node: Annotated[str, typer.Argument(help="A node, or a document's uri.", show_default=False)],
    as_json_: Json = False,
) -> None:
    """Show what happened to a node or a document, in order.

    Example: lineage history claim:demo/returns/C1
    """
    with opened(read_only=True) as graph:
        found = graph.history(node)
    if as_json_:
        as_json(found.to_json())
        return
    say(found.name)
    for event in found.events:
        say(f"{event.seq:>8}  {event.time}  {event.text}")


def _print(found: Trace, format_: str) -> None:
    if format_ not in FORMATS:
        raise typer.BadParameter(f"{format_!r} is none of {', '.join(FORMATS)}", param_hint="--format")
    if format_ == "json":
        data(json.dumps(found.to_json(), ensure_ascii=False, indent=2))
        return
    # Each form is loaded when it is asked for.
    data(import_module(f"lineage.exporters.{format_}").render(found))


def _sequence(graph: LineageGraph, value: str | None) -> int | None:
    """A sequence number as given, or the last one at a time (ISO 8601; UTC where no zone is named)."""
    if value is None or value.isdigit():
        return None if value is None else int(value)
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        raise BadInput("--as-of", "value", found=value, expected="a sequence number or an ISO 8601 time") from None
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return graph.sequence_at(int(time.timestamp() * 1_000_000))
