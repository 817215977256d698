"""``dismiss``: a person's word that a correction does not affect a node."""

from __future__ import annotations

from typing import Annotated

import typer

from lineage_cli.app import command, opened
from lineage_cli.options import By, Json, Reason
from lineage_cli.output import as_json, say
from lineage_cli.spreading import spread


@command(
    "dismiss",
    'lineage dismiss claim:demo/returns/C1 --reason "it speaks of 2025"',
    'lineage dismiss answer:demo/shipping --correction c1:7be0 --by desk --reason "the claims hold"',
)
def dismiss(
    node: Annotated[str, typer.Argument(metavar="NODE", help="A claim, answer or derived node.", show_default=False)],
    reason: Reason,
    correction: Annotated[
        str | None, typer.Option("--correction", metavar="ID", help="Needed where several are open.")
    ] = None,
    by: By = None,
    as_json_: Json = False,
) -> None:
    """Decide that a correction does not affect a node as it was made.

    It stands until the node is made anew, or something new or worse passes to it.
    """
    with opened() as graph:
        decision = graph.dismiss(node, reason=reason, by=by, correction=correction)
        spread(graph)
    if as_json_:
        as_json({"correction": decision.cause, "node": decision.node, "severity": decision.severity.word})
    else:
        say(f"dismissed {decision.cause} for {node}: it stands until the node, or what passes to it, changes")
