"""``plan``: what to rebuild, in order."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import typer

from lineage_cli.app import command, opened
from lineage_cli.options import Json
from lineage_cli.output import STATUS_STYLE, as_json, note, say

FIRST = 3
"""Nodes of a level that are listed unless the level is asked for."""


@command("plan", "lineage plan", "lineage plan --correction last", "lineage plan --json --level 1")
def plan(
    correction: Annotated[
        str | None, typer.Option("--correction", metavar="ID", help="Only for this correction; or last.")
    ] = None,
    level: Annotated[
        int | None, typer.Option("--level", metavar="N", min=1, help="Only this level's work list.")
    ] = None,
    as_json_: Json = False,
) -> None:
    """List what to rebuild, level by level, with the inputs to use now.

    A level can be rebuilt when those below it are. Marks clear by themselves as nodes are made again.
    """
    with opened(read_only=True) as graph:
        found = graph.plan(correction)
    body = found.to_json()
    levels = body["levels"]
    if level is not None:
        body["levels"] = levels[level - 1 : level]
    if as_json_:
        as_json(body)
        return
    for number, nodes in enumerate(body["levels"], level or 1):
        kinds = Counter(node["kind"] for node in nodes)
        say(f"level {number}  " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
        for node in nodes if level is not None else nodes[:FIRST]:
            say(_node(node), STATUS_STYLE.get(node["severity"], ""))
        if level is None and len(nodes) > FIRST:
            say(f"   … {len(nodes) - FIRST} more: lineage plan --level {number}")
    if level is not None and level > len(levels):
        note(f"there is no level {level}")
    say(f"{body['rebuild']} to rebuild in {len(levels)} levels; {body['stay']} stay.")
    if body["pending"]:
        note("work is pending: lineage propagate first, or the list may grow")


def _node(node: dict[str, Any]) -> str:
    now = next((each["now"] for each in node["inputs"] if each["now"]), None)
    where = f"   re-read {now['uri']} v{now['version']} [{now['start']}, {now['end']})" if now else ""
    cache = f"   cache {node['cache_key']}" if node["cache_key"] else ""
    return f"   {node['severity']:<8} {node['kind']} {node['label']!r}{where}{cache}"
