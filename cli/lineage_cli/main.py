"""The entry point: options before the command, and the one place where errors become words and exit codes."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated, cast

import typer

from lineage_cli.app import COMMON, app
from lineage_cli.commands import load_all
from lineage_cli.output import data, note
from lineage_schema.errors import LineageError

INTERRUPTED = 130
UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[1])
"""What a wrong option, argument or command raises: the base of the one such error that Typer exports."""


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        data(f"lineage {version('evidence-lineage')}")
        raise typer.Exit


@app.callback()
def common(
    store: Annotated[str | None, typer.Option("--store", help="URL, such as sqlite:///lineage.db.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of known errors too.")] = False,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """What answers stand on, and which of them a source correction affected.

    The store is --store, else LINEAGE_STORE, else 'store' in lineage.toml, else sqlite:///lineage.db.
    """
    COMMON.store = store
    COMMON.debug = debug


load_all()


def run(arguments: list[str] | None = None) -> None:
    """Runs a command line and exits with its code."""
    sys.exit(call(sys.argv[1:] if arguments is None else arguments))


def call(arguments: list[str]) -> int:
    """Runs a command line and returns its exit code."""
    try:
        result = typer.main.get_command(app)(args=arguments, prog_name="lineage", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except typer.Exit as leaving:
        return leaving.exit_code
    except typer.Abort:
        return INTERRUPTED
    except UsageError as error:
        error.show()
        return error.exit_code
    except KeyboardInterrupt:
        note("interrupted: what was committed stays, nothing is half done")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader went away. Nothing can be told to it, and the interpreter must not try at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except LineageError as error:
        if COMMON.debug:
            raise
        _tell(error, arguments)
        return error.exit_code


def _tell(error: LineageError, arguments: list[str]) -> None:
    if "--json" in arguments or "ndjson" in arguments or ("json" in arguments and "--format" in arguments):
        sys.stderr.write(json.dumps({"error": error.to_json()}, ensure_ascii=False) + "\n")
        return
    note(f"error: {error.message}")
    if error.hint:
        note(f"hint: {error.hint}")
