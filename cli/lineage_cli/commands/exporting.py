"""``export``: what the store holds, in other forms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lineage_cli.app import app, command, opened
from lineage_cli.options import Json
from lineage_cli.output import as_json, progress, say

export = typer.Typer(name="export", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(export, name="export", help="Write what the store holds in other forms.")


@command("neo4j-csv", "lineage export neo4j-csv import", group=export)
def neo4j_csv(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.", show_default=False)],
    as_json_: Json = False,
) -> None:
    """Write the whole store as files for 'neo4j-admin database import', for loads too big for 'load'.

    The command to run, with all its options, is in README.txt beside the files; after it, 'lineage migrate' makes the
    constraints and indexes.
    """
    with opened(read_only=True) as graph, progress("exporting") as bar:
        done = graph.export_neo4j_csv(folder, bar)
    if as_json_:
        as_json(done.to_json())
        return
    say(f"nodes          {sum(done.nodes.values())}")
    say(f"relationships  {sum(done.relationships.values())}")
    say(f"Next: run what {folder / 'README.txt'} says")
