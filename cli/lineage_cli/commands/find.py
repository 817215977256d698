"""``find`` and ``corrections``: looking things up."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from lineage_cli.app import command, opened
from lineage_cli.options import Json
from lineage_cli.output import STATUS_STYLE, Line, as_json, note, say, size, table, terminal

if TYPE_CHECKING:
    from lineage.graph import LineageGraph
    from lineage.stores.base import NodeView

FIRST = 80
"""Characters of a text that tell which one it is."""


@command("find", 'lineage find "30 days" --kind claim', "lineage find 'RETURN WINDOW' --json")
def find(
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="Part of a text, title, key or alias.", show_default=False)
    ],
    kind: Annotated[str | None, typer.Option("--kind", metavar="KIND", help="Only nodes of this kind.")] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, help="At most so many; says whether there are more.")
    ] = 50,
    as_json_: Json = False,
) -> None:
    """Find nodes by their text, title, key or alias."""
    from lineage.refs import describe
    from lineage.trace import status
    from lineage_cli.render.lines import fold, shorten

    with opened(read_only=True) as graph:
        found = graph.find(text, kind=kind, limit=limit + 1)
        shown = found[:limit]
        if as_json_:
            nodes = [{"name": describe(view), **asdict(view)} for view in shown]
            as_json({"nodes": nodes, "truncated": len(found) > limit})
            return
        bodies = [fold(view.title or view.text) or _passage(graph, view) for view in shown]
    rows = [(describe(view), status(view), shorten(body, FIRST)) for view, body in zip(shown, bodies, strict=True)]
    if terminal() and rows:
        # The name comes last: it may be long, and is to be copied whole.
        half = size()[0] // 2
        styled = [[Line(word, STATUS_STYLE[word]), Line(shorten(body, half)), Line(name)] for name, word, body in rows]
        table(("state", "text", "node"), styled)
    else:
        for name, word, body in rows:
            say(f"{name}   {word.upper()}   {body!r}")
    if len(found) > limit:
        note(f"more than {limit} match: --limit N shows more")
    elif not found:
        note("nothing matches")


def _passage(graph: LineageGraph, view: NodeView) -> str:
    """What a span says, and where: it has no text of its own."""
    passage = graph.trace(view.id, limit=1).nodes[view.id].passage
    if passage is None:
        return ""
    return " ".join(f"{passage.uri} [{passage.start}, {passage.end}) {passage.quote or ''}".split())


@command("corrections", "lineage corrections", "lineage corrections --json")
def corrections(as_json_: Json = False) -> None:
    """List all corrections with their state: propagating, open or closed."""
    with opened(read_only=True) as graph:
        found = [each.to_json() for each in graph.corrections()]
    if as_json_:
        as_json(found)
        return
    from lineage_cli.render.corrections import show

    show(found)
    if not found:
        note("no corrections yet")
