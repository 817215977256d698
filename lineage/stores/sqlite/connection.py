"""Connections, their settings, and the one place where SQLite's errors become ours."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from lineage_schema.errors import Integrity, LineageError, StoreUnavailable

BUSY_SECONDS = 30.0
PAGE_SIZE = 8192
APPLICATION_ID = 0x6C696E31  # "lin1"


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """A connection to an existing file. It changes nothing in the file by being opened.

    Raises :class:`StoreUnavailable` where the file is missing, unreadable or no database.
    """
    if not path.is_file():
        raise StoreUnavailable(f"no store at {path}", hint="create it with: lineage init")
    mode = "ro" if read_only else "rw"
    with translated(path):
        try:
            connection = _open(path, mode)
            connection.execute("select 1 from sqlite_schema limit 1").fetchone()
        except sqlite3.OperationalError:
            if not read_only:
                raise
            # A WAL database in a directory that cannot be written has no place for its shared
            # memory file. Nobody can be writing there either, so the file may be taken as it stands.
            connection = _open(path, "ro&immutable=1")
            connection.execute("select 1 from sqlite_schema limit 1").fetchone()
        return connection


def create(path: Path) -> sqlite3.Connection:
    """A connection to a new, empty file in WAL mode. ``path`` must not exist."""
    with translated(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = _open(path, "rwc")
        connection.execute(f"pragma page_size={PAGE_SIZE}")
        connection.execute("pragma journal_mode=wal")
        connection.execute(f"pragma application_id={APPLICATION_ID}")
        return connection


def _open(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode={mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=512,
    )
    # FULL costs about 5 % of a propagation and nothing else, and keeps a correction through a power cut.
    connection.execute("pragma synchronous=full")
    connection.execute("pragma temp_store=file")
    connection.execute("pragma cache_size=-16000")
    return connection


@contextmanager
def translated(path: Path) -> Generator[None]:
    """Turns the driver's errors into ours."""
    try:
        yield
    except LineageError:
        raise
    except sqlite3.OperationalError as error:
        text = str(error)
        if "readonly" in text or "read-only" in text:
            raise StoreUnavailable(f"{path} was opened read-only", hint="open it without read_only") from error
        if "locked" in text or "busy" in text:
            raise StoreUnavailable(
                f"{path} is locked by another writer for over {BUSY_SECONDS:g} s", hint="try again"
            ) from error
        if "no such table" in text or "no such column" in text:
            raise Integrity(f"{path} lacks a part of its schema: {text}") from error
        raise StoreUnavailable(f"{path}: {text}") from error
    except sqlite3.DatabaseError as error:
        raise Integrity(f"{path}: {error}") from error
    except OSError as error:
        raise StoreUnavailable(f"{path}: {error.strerror or error}") from error
