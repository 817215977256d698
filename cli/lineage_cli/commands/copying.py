"""``dump`` and ``load``: a whole store as JSON Lines, and from them again."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from lineage_cli.app import command, opened, url
from lineage_cli.options import Json
from lineage_cli.output import as_json, note, progress, say
from lineage_cli.texts import opened_bytes


@command("dump", "lineage dump store.jsonl", "lineage dump - --store neo4j://localhost:7687/neo4j")
def dump(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to write; - is standard output.")],
    as_json_: Json = False,
) -> None:
    """Write the whole store, with its history, as JSON Lines: the same bytes from every store that holds the same.

    It is of one moment; the last line has the counts and a sha256 of all before it.
    """
    from lineage.dump.writing import dump_to

    with opened(read_only=True) as graph, progress("dumping") as tell:
        if file == "-":
            # A server may ask for the work to begin again, and what went through a pipe cannot be taken back.
            with tempfile.TemporaryFile() as whole:
                done = dump_to(graph.store, whole, tell)
                whole.seek(0)
                shutil.copyfileobj(whole, sys.stdout.buffer)
            sys.stdout.buffer.flush()
            note(f"{sum(done.counts.values())} rows")
            return
        done = graph.dump(Path(file), tell)
    if as_json_:
        as_json(done.to_json())
    else:
        say(f"{sum(done.counts.values())} rows in {file}")


@command("load", "lineage load store.jsonl --store sqlite:///copy.db")
def load(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A dump; - reads standard input.")],
    again: Annotated[
        bool, typer.Option("--again", help="A load into this server was cut: what it left goes, and all is loaded.")
    ] = False,
    as_json_: Json = False,
) -> None:
    """Fill an empty store from a dump; where there is no store, one is made.

    Every line is checked, and the last one tells whether all came through. An embedded store takes all in one
    transaction. A server takes many, and is refused to everyone else until the last; if the process is killed before,
    it stays so until a load is begun --again.
    """
    from lineage.graph import LineageGraph

    with (
        opened_bytes(Path(file)) as lines,
        LineageGraph.open(url(), create=True, filling=again) as graph,
        progress("loading") as tell,
    ):
        done = graph.load(lines, tell)
    if as_json_:
        as_json(done.to_json())
    else:
        say(f"{sum(done.counts.values())} rows loaded")
