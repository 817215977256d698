"""The entry point: the one place where errors become words and exit codes.

Nothing but the standard library is imported before the work begins, so that an interrupt at any
moment, also while modules load, ends as it should.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def run(arguments: list[str] | None = None) -> None:
    """Runs a command line and exits with its code."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        _prepare()
        code = call(given)
    except KeyboardInterrupt:
        # Before there was anything that could be interrupted half-way.
        sys.stderr.write("interrupted before it began: nothing was changed\n")
        code = 130
    sys.exit(code)


def call(arguments: list[str]) -> int:
    """Runs a command line and returns its exit code."""
    from lineage_cli import failures
    from lineage_cli.app import COMMON, app
    from lineage_cli.commands import load_all
    from lineage_cli.output import flush

    COMMON.reset()
    failures.as_json = failures.wants_json(arguments)
    try:
        load_all()
        code = failures.outcome(app, arguments)
        flush()
    except BaseException as error:
        code = failures.tell(error)
    return code


def _prepare() -> None:
    """Data is UTF-8 wherever it goes; what a terminal cannot show is written out rather than refused."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            # Closed by whoever called: there is nobody to read it.
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open to the end
        elif not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        else:
            stream.reconfigure(errors="backslashreplace")
