"""``dump``, ``load``: a whole store out and in; ``export neo4j-csv``: files for Neo4j's import tool."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from lineage_cli.app import app, command, opened
from lineage_cli.options import Json
from lineage_cli.output import as_json, data, note, progress, say
from lineage_schema.errors import BadInput

Counts = dict[str, int]

export = typer.Typer(name="export", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(export, name="export", help="Write what the store holds in other forms.")


@command("dump", "lineage dump store.jsonl", "lineage dump - > store.jsonl")
def dump(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to; - is standard output.")] = Path("-"),
    as_json_: Json = False,
) -> None:
    """Write the whole store as JSON Lines: all it holds, with its history and pending work.

    Every store writes the same bytes for the same content. A file has its name only once it is complete; its last line
    holds the counts and a checksum of the lines before it.
    """
    with opened(read_only=True) as graph, progress("dumping") as bar:
        if str(file) != "-":
            done = graph.dump(file, bar)
        else:
            with tempfile.TemporaryDirectory(prefix="lineage-dump-") as folder:
                # A server may ask for the work to begin again: what was printed could not be taken back.
                path = Path(folder) / "dump.jsonl"
                done = graph.dump(path, bar)
                with path.open(encoding="utf-8", newline="") as lines:
                    for line in lines:
                        data(line)
    if str(file) == "-":
        note(f"dumped    {_said(done.counts)}")
    elif as_json_:
        as_json({"file": str(file), **done.to_json()})
    else:
        say(f"dumped    {_said(done.counts)}")


@command("load", "lineage load store.jsonl --store sqlite:///copy.db")
def load(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What dump wrote; - reads standard input.")],
    again: Annotated[
        bool, typer.Option("--again", help="A load into this store was cut: take away what it left, and load anew.")
    ] = False,
    as_json_: Json = False,
) -> None:
    """Fill an empty store from a dump: with all of it, or nothing.

    'lineage init' makes an empty one. Every line is checked, and the checksum of all. A server takes the rows in many
    transactions and is not opened by others meanwhile; where the process was killed, that stays so until the load is
    begun --again. An embedded store takes them in one.
    """
    with opened(filling=again) as graph, _lines(file) as lines, progress("loading") as bar:
        done = graph.load(lines, bar)
    if as_json_:
        as_json(done.to_json())
    else:
        say(f"loaded    {_said(done.counts)}")


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


@contextmanager
def _lines(file: Path) -> Generator[Iterable[bytes]]:
    if str(file) == "-":
        yield sys.stdin.buffer
        return
    try:
        opened_file = file.open("rb")
    except OSError as error:
        raise BadInput(str(file), "file", found=error.strerror, expected="a file that can be read") from None
    with opened_file:
        yield opened_file


def _said(counts: Counts) -> str:
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count)
