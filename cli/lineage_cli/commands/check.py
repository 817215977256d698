"""``check``: may this answer be served?"""

from __future__ import annotations

from typing import Annotated

import typer

from lineage_cli.app import command, opened
from lineage_cli.options import Json
from lineage_cli.output import STATUS_STYLE, as_json, say


@command("check", "lineage check returns", "lineage check 15a194ecd03873d5 --json")
def check(
    answer: Annotated[
        str, typer.Argument(metavar="ANSWER", help="An answer's key, cache key or id.", show_default=False)
    ],
    as_json_: Json = False,
) -> None:
    """Tell whether an answer may be served. Exit code 0 only when it is fresh, 1 otherwise.

    A cache key that names several answers gives the worst, and lists all.
    """
    with opened(read_only=True) as graph:
        result = graph.check(answer)
    if as_json_:
        as_json(result.to_json())
    else:
        for each in result.answers:
            why = "; ".join(reason.text for reason in each.reasons)
            line = f"{each.status.value:<8} answer:{each.namespace}/{each.key}" + (f"  {why}" if why else "")
            say(line, STATUS_STYLE[each.status.value])
    if result.status.value != "fresh":
        raise typer.Exit(1)
