"""Writing a dump: section by section, each in its one order, in canonical JSON."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from lineage.dump.form import FORM, end
from lineage.stores.base import Store, Transaction
from lineage.stores.copying import SECTIONS
from lineage_schema.canonical import canonical_bytes
from lineage_schema.errors import BadInput

Progress = Callable[[int, int], None]
EVERY = 1000
"""Rows between two reports of progress."""


@dataclass(frozen=True, slots=True)
class Dumped:
    """What was written: rows by section, and the sha256 of all lines before the last."""

    counts: dict[str, int]
    sha256: str

    def to_json(self) -> dict[str, Any]:
        return {"rows": self.counts, "sha256": self.sha256}


def dump(store: Store, path: Path, on_progress: Progress | None = None) -> Dumped:
    """Writes the whole store to a file, of one state of it. The file has its name only once it is complete.

    Raises :class:`BadInput` where the file cannot be written.
    """
    with _replacing(path) as file:
        return dump_to(store, file, on_progress)


def dump_to(store: Store, file: IO[bytes], on_progress: Progress | None = None) -> Dumped:
    """Writes the whole store to a file that can be written anew: a server may ask for the work to begin again."""

    def work(tx: Transaction) -> Dumped:
        file.seek(0)
        file.truncate()
        return _write(tx, file, on_progress)

    return store.read(work, whole=True)


def _write(tx: Transaction, file: IO[bytes], on_progress: Progress | None) -> Dumped:
    hashed, counts, done = sha256(), dict[str, int](), 0

    def line(value: dict[str, Any]) -> None:
        written = canonical_bytes(value, item="row") + b"\n"
        hashed.update(written)
        file.write(written)

    line(FORM)
    for section in SECTIONS:
        counts[section.name] = 0
        for row in tx.copying.rows(section):
            line({"type": section.name, **row})
            counts[section.name] += 1
            done += 1
            if on_progress is not None and not done % EVERY:
                on_progress(done, 0)
    digest = hashed.hexdigest()
    line(end(counts, digest))
    return Dumped(counts, digest)


@contextmanager
def _replacing(path: Path) -> Generator[IO[bytes]]:
    """A file that takes the place of ``path`` at the end, and leaves it as it was if there is no such end."""
    if path.exists() and not path.is_file():
        raise BadInput(str(path), "file", found="something else", expected="a file, or none yet")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        file = part.open("xb")
    except OSError as error:
        raise BadInput(str(path), "file", found=error.strerror, expected="a place that can be written") from None
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
