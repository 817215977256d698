"""From what was raised to one line with a hint, or a JSON object, and an exit code."""

from __future__ import annotations

import json
import sys
import traceback
from typing import Any, cast

import typer

from lineage_cli.app import COMMON
from lineage_cli.output import flush, note
from lineage_schema.errors import Ambiguous, Integrity, LineageError

INTERRUPTED = 130
USAGE = 2
INTERNAL = 70
"""A fault of this program, as sysexits.h numbers it: it must not be taken for a predicate that is false."""
INPUT_OUTPUT = 74
"""Reading or writing failed outside the store, as sysexits.h numbers it."""
FAULTS = 20

UsageError = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[1])
"""What a wrong option, argument or command raises: the base of the one such error that Typer exports."""

as_json = False
"""Whether this command line asked for data, so that errors are data too."""


class Stopped(LineageError):
    """An error in the middle of a stream, with what was committed before it and how to go on."""

    def __init__(self, cause: LineageError, *, committed: int, go_on: str) -> None:
        super().__init__(cause.message, hint=cause.hint)
        self.code = cause.code
        self.exit_code = cause.exit_code
        self.cause = cause
        self.committed = committed
        self.go_on = go_on

    def to_json(self) -> dict[str, object]:
        return {
            **self.cause.to_json(),
            "committed": self.committed,
            "from_line": self.committed + 1,
            "go_on": self.go_on,
        }


def wants_json(arguments: list[str]) -> bool:
    """Whether a command line asks for JSON. It is asked of lines that cannot be parsed too."""
    before = ""
    for argument in arguments:
        if argument == "--":
            return False
        if argument == "--json" or (argument if before != "--format" else f"--format={argument}") in (
            "--format=json",
            "--format=ndjson",
        ):
            return True
        before = argument
    return False


def outcome(app: typer.Typer, arguments: list[str]) -> int:
    """Runs the application and returns its exit code. Raises what its commands raise."""
    result = typer.main.get_command(app)(args=arguments, prog_name="lineage", standalone_mode=False)
    if result == INTERRUPTED:
        # Typer turns an interrupt into this number before it gets here.
        raise KeyboardInterrupt
    return result if isinstance(result, int) else 0


def tell(error: BaseException) -> int:
    """Says what went wrong on standard error, and returns the exit code."""
    if COMMON.debug and not isinstance(error, (typer.Exit, SystemExit, UsageError)):
        traceback.print_exception(error)
    match error:
        case typer.Exit():
            return error.exit_code
        case SystemExit():
            return error.code if isinstance(error.code, int) else 1
        case LineageError():
            _say(error.to_json(), error.message, _lines(error), error.hint)
            return error.exit_code
        case KeyboardInterrupt() | typer.Abort():
            message = COMMON.interrupted()
            _say({"code": "interrupted", "message": message}, message, [], None, word="")
            return INTERRUPTED
        case UsageError():
            return _usage(error)
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            message = f"{where}{error.strerror or error}"
            _say({"code": "input_output", "message": message}, message, [], None)
            _abandon_output()
            return INPUT_OUTPUT
        case _:
            message = f"{type(error).__name__}: {error}"
            hint = "this is a fault of the program; run it with --debug for the traceback"
            _say({"code": "internal", "message": message, "hint": hint}, message, [], hint)
            return INTERNAL


def _lines(error: LineageError) -> list[str]:
    """What some errors list beside their message."""
    if isinstance(error, Stopped):
        return [f"lines up to {error.committed} are committed, nothing of what follows; go on with: {error.go_on}"]
    if isinstance(error, Ambiguous):
        return [f"  {candidate}" for candidate in error.candidates]
    if isinstance(error, Integrity):
        shown = [
            f"  {fault.get('item')}: {fault.get('field')}: expected {fault.get('expected')}, found {fault.get('found')}"
            for fault in error.faults[:FAULTS]
        ]
        more = len(error.faults) - len(shown)
        return [*shown, f"  and {more} more"] if more else shown
    return []


def _usage(error: typer.BadParameter) -> int:
    context = error.ctx
    message = error.format_message()
    if as_json or context is None:
        _say({"code": "usage", "message": message}, message, [], None)
        return error.exit_code
    error.show()
    return error.exit_code


def _say(body: dict[str, Any], message: str, lines: list[str], hint: str | None, *, word: str = "error: ") -> None:
    if as_json:
        sys.stderr.write(json.dumps({"error": body}, ensure_ascii=False) + "\n")
        return
    note(f"{word}{message}")
    for line in lines:
        note(line)
    if hint:
        note(f"hint: {hint}")


def _abandon_output() -> None:
    """What could not be written is not tried again when the interpreter ends."""
    try:
        flush()
    except OSError:
        flush(abandon=True)
