"""``record``: recorded forms from JSON Lines, in batches that are all or nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from lineage import BadInput, LineageError, LineageGraph, Run
from lineage.register import Registered
from lineage.register.forms import parse_one
from lineage.runs import RunHandle
from lineage_cli.app import Enqueue, Json, command, opened
from lineage_cli.output import as_json, note, progress, say
from lineage_schema.records import Record

BATCH = 1000


@command("record")
def record(
    file: Annotated[Path, typer.Argument(help="JSON Lines; - reads standard input.", show_default=False)],
    batch: Annotated[int, typer.Option("--batch", min=1, help="Lines in a batch: each is all or nothing.")] = BATCH,
    from_line: Annotated[int, typer.Option("--from-line", min=1, help="Begin at this line.")] = 1,
    enqueue: Enqueue = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 where there are findings.")] = False,
    as_json_: Json = False,
) -> None:
    """Register nodes, answers, claims and citations from JSON Lines.

    A 'run' line sets the run of what follows; without one a run begins at line 1. The forms are
    printed by 'lineage schema'.

    Example: lineage record answers.jsonl
    """
    with opened() as graph:
        result = Recorder(graph, batch, from_line).run(file)
        if not enqueue:
            graph.propagate()
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


class Recorder:
    """Streams a file into a graph. Memory holds one batch."""

    def __init__(self, graph: LineageGraph, batch: int, from_line: int) -> None:
        self._graph = graph
        self._batch = batch
        self._from = from_line
        self._run: RunHandle | None = None
        self._result: Registered | None = None
        self._committed = from_line - 1

    def run(self, file: Path) -> Registered:
        """Registers the whole file; on an error says where it stopped and how to go on."""
        size = 0 if str(file) == "-" else _size(file)
        try:
            with _open(file) as lines, progress("recording") as bar:
                for first, batch, done in self._batches(lines):
                    self._register(first, batch)
                    bar(done, size)
        except LineageError as error:
            note(f"stopped in the batch that begins at line {self._committed + 1}; lines before it are committed")
            note(f"go on with: lineage record {file} --from-line {self._committed + 1}")
            raise error
        return self._result or Registered("")

    def _batches(self, lines: IO[bytes]) -> Iterator[tuple[int, list[tuple[int, Record]], int]]:
        batch: list[tuple[int, Record]] = []
        done = first = 0
        for number, raw in enumerate(lines, 1):
            done += len(raw)
            form = self._form(raw, number)
            if number < self._from:
                # Lines before are committed, but a run among them is the run of what follows.
                if isinstance(form, Run):
                    self._begin(form)
                continue
            if form is None:
                continue
            first = first or number
            batch.append((number, form))
            if len(batch) >= self._batch:
                yield first, batch, done
                batch, first = [], 0
        if batch:
            yield first, batch, done

    def _form(self, raw: bytes, number: int) -> Record | None:
        if not raw.strip():
            return None
        item = f"line {number}"
        try:
            value: Any = json.loads(raw)
        except ValueError as error:
            raise BadInput(
                item, "line", found=raw[:80].decode("utf-8", "replace"), expected=f"JSON ({error})"
            ) from None
        if not isinstance(value, dict):
            raise BadInput(item, "line", found=value, expected="a JSON object with a type")
        return parse_one(value, item=f"{item} ({value.get('type')})")

    def _begin(self, form: Run) -> None:
        self._run = self._graph.begin(form)

    def _register(self, first: int, batch: list[tuple[int, Record]]) -> None:
        part: list[tuple[int, Record]] = []
        for number, form in batch:
            if isinstance(form, Run):
                self._send(part)
                part = []
                self._begin(form)
            else:
                part.append((number, form))
        self._send(part)
        self._committed = batch[-1][0]

    def _send(self, part: list[tuple[int, Record]]) -> None:
        if not part:
            return
        if self._run is None:
            namespace = next((space for _, form in part if (space := getattr(form, "namespace", None))), "default")
            self._run = self._graph.run(namespace, producer="lineage record")
        items = [f"line {number} ({form.type})" for number, form in part]
        done = self._graph.register([form for _, form in part], run=self._run, items=items)
        self._committed = part[-1][0]
        if self._result is None:
            self._result = done
        else:
            self._result.add(done)


def _open(file: Path) -> Any:
    if str(file) == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return file.open("rb")
    except OSError as error:
        raise BadInput(str(file), "path", found=error.strerror, expected="a file that can be read") from None


def _size(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0
