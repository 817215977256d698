"""Where words go: data to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

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


def out() -> Console:
    """Standard output. Rich leaves colours out where it is no terminal or ``NO_COLOR`` is set."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def err() -> Console:
    """Standard error."""
    return Console(stderr=True, highlight=False, soft_wrap=not sys.stderr.isatty())


def data(text: str) -> None:
    """Pure data, as it is."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def as_json(value: Any) -> None:
    """One JSON document."""
    data(json.dumps(value, indent=2 if sys.stdout.isatty() else None, ensure_ascii=False))


def as_ndjson(values: Iterable[Any]) -> None:
    """One JSON object a line."""
    for value in values:
        data(json.dumps(value, ensure_ascii=False))


def say(text: str) -> None:
    """A line for people."""
    out().print(text, markup=False)


def note(text: str) -> None:
    """A line for people that is no data."""
    err().print(text, markup=False)


def styled(text: str, style: str) -> None:
    """A line for people, in a style where the terminal has any."""
    out().print(text, style=style, markup=False)


@contextmanager
def progress(what: str) -> Generator[Callable[[int, int], None]]:
    """A progress bar on a terminal, nothing elsewhere. Call it with what is done and the total (0: unknown)."""
    console = err()
    if not console.is_terminal:
        yield lambda done, total: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)
