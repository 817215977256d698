"""``record``: recorded forms from JSON Lines, in batches that are all or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lineage_cli.app import COMMON, command, opened
from lineage_cli.options import BATCH, Enqueue, Json, Strict
from lineage_cli.output import as_json, progress, say
from lineage_cli.spreading import spread


@command(
    "record",
    "lineage record answers.jsonl",
    "my-pipeline | lineage record - --batch 5000",
    "lineage record answers.jsonl --from-line 3001",
)
def record(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON Lines; - reads standard input.")],
    batch: Annotated[
        int, typer.Option("--batch", metavar="N", min=1, help="Records in a batch: each is all or nothing.")
    ] = BATCH,
    from_line: Annotated[int, typer.Option("--from-line", metavar="N", min=1, help="Begin at this line.")] = 1,
    enqueue: Enqueue = False,
    strict: Strict = False,
    as_json_: Json = False,
) -> None:
    """Register nodes, answers, claims and citations from JSON Lines.

    A 'run' line sets the run of what follows, and begins a batch; without one a run begins at line 1
    and ends with the file. The forms are printed by 'lineage schema'.
    """
    # Loaded here, for the forms of all records take a while.
    from lineage_cli.recording import Recorder

    with opened() as graph:
        recorder = Recorder(graph, file, batch, from_line)
        COMMON.interrupted = recorder.interrupted
        with progress("recording") as bar:
            result = recorder.run(bar)
        if not enqueue:
            spread(graph)
    if as_json_:
        as_json(result.to_json())
    else:
        written = ", ".join(f"{count} {kind}" for kind, count in sorted(result.written.items())) or "nothing new"
        existed = sum(result.existed.values())
        say(f"written   {written}" + (f"   ({existed} were there already)" if existed else ""))
        for finding in result.findings:
            say(f"finding   {finding.kind}: {finding.where}: {finding.what}")
    if strict and result.findings:
        raise typer.Exit(1)
