"""Reading files that commands are given: exact text, or a refusal that says what to do."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO

from lineage_schema.errors import BadInput

STANDARD_INPUT = "-"


def read_text(path: Path) -> str:
    """A file's exact text, ``-`` being standard input: line ends and a leading U+FEFF are part of it.

    Raises :class:`BadInput` for what is no file, or no UTF-8 text.
    """
    raw = sys.stdin.buffer.read() if str(path) == STANDARD_INPUT else _bytes(path)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(
            str(path),
            "content",
            found=f"byte 0x{raw[error.start]:02x} at {error.start}",
            expected="UTF-8 text",
            hint=f"extract its text first, or: iconv -f WINDOWS-1252 -t UTF-8 {path}",
        ) from None


def lines_of(file: Path | None) -> tuple[list[str], str | None]:
    """The lines of a file that was given, and its name for errors; none where none was.

    Not by ``splitlines``: JSON strings may hold what Python takes for an end of line.
    """
    return ([], None) if file is None else (read_text(file).split("\n"), str(file))


def opened_bytes(path: Path) -> AbstractContextManager[IO[bytes]]:
    """A file to be streamed, ``-`` being standard input, which stays open. Raises :class:`BadInput`."""
    if str(path) == STANDARD_INPUT:
        return nullcontext(sys.stdin.buffer)
    try:
        return path.open("rb")
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> BadInput:
    return BadInput(str(path), "path", found=error.strerror, expected="a file that can be read")


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except IsADirectoryError:
        # Which of its files are sources is not for this program to guess.
        raise BadInput(
            str(path), "path", found="a folder", expected="a file", hint=f"name its files: {path}/*"
        ) from None
    except OSError as error:
        raise _unreadable(path, error) from None
