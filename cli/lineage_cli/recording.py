"""Streaming a file of recorded forms into a graph. Memory holds one batch."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from lineage.graph import LineageGraph
from lineage.register import Registered
from lineage.register.forms import parse_one
from lineage.runs import RunHandle
from lineage_cli.failures import Stopped
from lineage_cli.options import BATCH
from lineage_cli.texts import opened_bytes
from lineage_schema.errors import BadInput, LineageError
from lineage_schema.records import Record, Run

Progress = Callable[[int, int], None]


class Numbered(NamedTuple):
    """A form, and the line it is on."""

    line: int
    form: Record


class Recorder:
    """One pass over a file."""

    def __init__(self, graph: LineageGraph, file: Path, batch: int, from_line: int) -> None:
        self._graph = graph
        self._file = file
        self._batch = batch
        self._from = from_line
        self._run: RunHandle | None = None
        self._own = False
        """Whether the run is one that began for this file alone, since no line began one."""
        self._result: Registered | None = None
        self._committed = from_line - 1

    def run(self, progress: Progress) -> Registered:
        """Registers the whole file. An error says which lines are committed and how to go on."""
        size = self._file.stat().st_size if self._file.is_file() else 0
        try:
            with opened_bytes(self._file) as lines:
                for batch, done in self._batches(lines):
                    self._register(batch)
                    progress(done, size)
        except LineageError as error:
            self._end(failed=True)
            raise Stopped(error, committed=self._committed, go_on=self._go_on()) from error
        except KeyboardInterrupt:
            self._end(failed=True)
            raise
        self._end()
        return self._result or Registered("")

    def interrupted(self) -> str:
        """What to tell whoever interrupts."""
        return (
            f"interrupted: lines up to {self._committed} are committed, nothing of what follows;"
            f" go on with: {self._go_on()}"
        )

    def _go_on(self) -> str:
        batch = "" if self._batch == BATCH else f" --batch {self._batch}"
        return f"lineage record {shlex.quote(str(self._file))}{batch} --from-line {self._committed + 1}"

    def _batches(self, lines: IO[bytes]) -> Iterator[tuple[list[Numbered], int]]:
        """The batches, each with the number of bytes read by its end. A run's line begins one."""
        batch: list[Numbered] = []
        done = 0
        for number, raw in enumerate(lines, 1):
            done += len(raw)
            # Lines before are committed, but a run among them is the run of what follows.
            if not raw.strip() or (number < self._from and b'"run"' not in raw):
                continue
            form = _form(raw, number)
            if number < self._from:
                if isinstance(form, Run):
                    self._begin(form)
                continue
            if batch and isinstance(form, Run):
                yield batch, done - len(raw)
                batch = []
            batch.append(Numbered(number, form))
            # At once, not with the next line: that may be wrong, or be long in coming.
            if len(batch) >= self._batch:
                yield batch, done
                batch = []
        if batch:
            yield batch, done

    def _register(self, batch: list[Numbered]) -> None:
        first = batch[0]
        if isinstance(first.form, Run):
            self._begin(first.form)
            self._committed = first.line
            batch = batch[1:]
        if not batch:
            return
        if self._run is None:
            space = next((found for each in batch if (found := getattr(each.form, "namespace", None))), "default")
            self._run = self._graph.run(space, producer="lineage record")
            self._own = True
        items = [f"line {each.line} ({each.form.type})" for each in batch]
        done = self._graph.register([each.form for each in batch], run=self._run, items=items)
        self._committed = batch[-1].line
        if self._result is None:
            self._result = done
        else:
            self._result.add(done)

    def _begin(self, form: Run) -> None:
        self._end()
        self._run = self._graph.begin(form)

    def _end(self, *, failed: bool = False) -> None:
        """Ends the file's own run: nothing more can come of it, and others wait for its end to call a past final."""
        if self._run is None or not self._own:
            return
        run, self._own = self._run, False
        # The first error is the one to be told; a run without an end is shown by doctor.
        with suppress(LineageError) if failed else nullcontext():
            run.finish()


def _form(raw: bytes, number: int) -> Record:
    item = f"line {number}"
    try:
        value: Any = json.loads(raw)
    except (ValueError, RecursionError) as error:
        shown = raw[:80].decode("utf-8", "replace")
        raise BadInput(item, "line", found=shown, expected=f"JSON ({error})") from None
    if not isinstance(value, dict):
        raise BadInput(item, "line", found=value, expected="a JSON object with a type")
    return parse_one(value, item=f"{item} ({value.get('type')})")
