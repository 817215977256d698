"""``plan``: what to rebuild, in order."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer

from lineage_cli.app import Json, command, opened
from lineage_cli.output import as_json, note, say


@command("plan")
def plan(
    correction: Annotated[str | None, typer.Option("--correction", help="Only for this correction.")] = None,
    level: Annotated[int | None, typer.Option("--level", min=1, help="Only this level's work list.")] = None,
    as_json_: Json = False,
) -> None:
    """List what to rebuild, level by level, with the inputs to use now.

    Example: lineage plan --json --level 1
    """
    with opened(read_only=True) as graph:
        found = graph.plan(correction)
    body = found.to_json()
    if level is not None:
        body["levels"] = body["levels"][level - 1 : level]
    if as_json_:
        as_json(body)
        return
    first = level or 1
    for number, nodes in enumerate(body["levels"], first):
        kinds = Counter(node["kind"] for node in nodes)
        say(f"level {number}  " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
        for node in nodes if level is not None else nodes[:3]:
            now = next((each["now"] for each in node["inputs"] if each["now"]), None)
            where = f"   re-read {now['uri']} v{now['version']} [{now['start']}, {now['end']})" if now else ""
            cache = f"   cache {node['cache_key']}" if node["cache_key"] else ""
            say(f"   {node['severity']:<8} {node['kind']} {node['label']!r}{where}{cache}")
        if level is None and len(nodes) > 3:
            say(f"   … {len(nodes) - 3} more: lineage plan --level {number}")
    say(f"{body['rebuild']} to rebuild in {len(found.levels)} levels; {body['stay']} stay.")
    if body["pending"]:
        note("work is pending: lineage propagate first, or the list may grow")
