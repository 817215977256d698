"""Where words go: data to standard output, everything else to standard error.

What is written elsewhere than to a terminal is plain. Rich is loaded only for terminals.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

if TYPE_CHECKING:
    from rich.console import Console

STATUS_STYLE = {
    "fresh": "green",
    "review": "yellow",
    "stale": "red",
    "invalid": "red",
    "unknown": "magenta",
    "closed": "dim",
    "open": "red",
    "propagating": "yellow",
}
EMPHASIS = (
    (r"\[-.*?-\]", "red"),
    (r"\{\+.*?\+\}", "green"),
    (r"\[(?:invalid|CHANGED|DELETED|WITHDRAWN)[^\]]*\]", "red"),
    (r"\[(?:review|stands, text beside|a newer edition)[^\]]*\]", "yellow"),
)
"""What is coloured within lines: word diffs, and the states of a trace's nodes."""


class Line(NamedTuple):
    """A line for people; the style counts on terminals."""

    text: str
    style: str = ""


def terminal() -> bool:
    """Whether people read standard output. ``FORCE_COLOR`` makes no terminal of a pipe: nothing is cut there."""
    return sys.stdout.isatty()


def size() -> tuple[int, int]:
    """Columns and lines of the terminal."""
    found = shutil.get_terminal_size()
    return found.columns, found.lines


def data(text: str) -> None:
    """Pure data, as it is."""
    _write(sys.stdout, text if text.endswith("\n") else text + "\n")


def as_json(value: Any) -> None:
    """One JSON document."""
    data(json.dumps(value, indent=2 if terminal() else None, ensure_ascii=False))


def as_ndjson(values: Iterable[Any]) -> None:
    """One JSON object a line."""
    for value in values:
        data(json.dumps(value, ensure_ascii=False))


def say(text: str, style: str = "") -> None:
    """A line for people."""
    _line(sys.stdout, text, style)


def note(text: str) -> None:
    """A line for people that is no data."""
    _line(sys.stderr, text, "")


def table(columns: Sequence[str], rows: Sequence[Sequence[Line]]) -> None:
    """A table on a terminal. Cells are as wide as they need; the last column is left to the terminal to wrap."""
    from rich.text import Text

    widths = [max(map(len, [name, *(visible(row[n].text) for row in rows)])) for n, name in enumerate(columns)]
    widths[-1] = 0
    for row in ([Line(name, "dim") for name in columns], *rows):
        line = Text("  ").join(Text(visible(cell.text).ljust(widths[n]), cell.style) for n, cell in enumerate(row))
        _console(sys.stdout, _plain()).print(line, soft_wrap=True)


def visible(text: str) -> str:
    """The text with control and formatting characters written out: a source must not steer a terminal."""
    if all(character.isprintable() or character in "\n\t" for character in text):
        return text
    # Loaded only where it is needed, for it brings the whole library.
    from lineage.exporters import plain

    return plain.visible(text, "\n\t")


def flush(*, abandon: bool = False) -> None:
    """Writes out what is buffered, so that a fault in that is met here and not when the interpreter ends."""
    if abandon:
        _abandon(sys.stdout)
        return
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            _abandon(stream)


@contextmanager
def progress(what: str) -> Generator[Callable[[int, int], None]]:
    """A progress bar on a terminal, nothing elsewhere. Call it with what is done and the total (0: unknown)."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=_console(sys.stderr, _plain()), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)


def _line(stream: TextIO, text: str, style: str) -> None:
    if not stream.isatty():
        _write(stream, visible(text) + "\n")
        return
    from rich.text import Text

    shown = Text(visible(text), style=style)
    for pattern, emphasis in EMPHASIS:
        shown.highlight_regex(pattern, emphasis)
    _console(stream, _plain()).print(shown, soft_wrap=True)


def _plain() -> bool:
    """``NO_COLOR`` asks for no colour; bold and dim go with it, so that the output is plain text."""
    return bool(os.environ.get("NO_COLOR"))


@lru_cache(maxsize=4)
def _console(stream: TextIO, plain: bool) -> Console:
    from rich.console import Console

    return Console(file=stream, highlight=False, color_system=None if plain else "auto")


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
    except BrokenPipeError:
        _abandon(stream)


def _abandon(stream: TextIO) -> None:
    """The reader went away: what follows goes nowhere, and the command's own outcome is its exit code."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
