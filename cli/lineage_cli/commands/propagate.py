"""``propagate``: running, or resuming, what is pending."""

from __future__ import annotations

from typing import Annotated

import typer

from lineage_cli.app import command, opened
from lineage_cli.options import Json
from lineage_cli.output import as_json, say
from lineage_cli.spreading import spread


@command("propagate", "lineage propagate", "lineage propagate --steps 10 --json")
def propagate(
    steps: Annotated[int | None, typer.Option("--steps", metavar="N", min=1, help="At most so many steps.")] = None,
    as_json_: Json = False,
) -> None:
    """Run, or resume, what is pending. Each step is one short transaction."""
    with opened() as graph:
        made = spread(graph, steps)
        pending = graph.pending()
    if as_json_:
        as_json({"steps": made, "pending": pending})
    else:
        say(f"{made} steps" + (f", {pending} marks still pending" if pending else ", nothing is pending"))
