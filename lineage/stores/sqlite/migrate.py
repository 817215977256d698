"""Creating and upgrading the schema: numbered files, each applied in one transaction with its record."""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass
from importlib import resources

from lineage.stores.sqlite.connection import APPLICATION_ID
from lineage_schema.errors import SchemaMismatch


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step of the schema."""

    number: int
    name: str
    script: str

    @property
    def checksum(self) -> str:
        """sha256 of the script."""
        return hashlib.sha256(self.script.encode()).hexdigest()


def migrations() -> list[Migration]:
    """All steps that this program knows, in order."""
    folder = resources.files("lineage.stores.sqlite.migrations")
    found = []
    for entry in folder.iterdir():
        if entry.name.endswith(".sql"):
            number, _, name = entry.name.removesuffix(".sql").partition("_")
            found.append(Migration(int(number), name, entry.read_text(encoding="utf-8")))
    return sorted(found, key=lambda step: step.number)


def upgrade(connection: sqlite3.Connection, at: int) -> list[str]:
    """Applies what is missing and returns the names of the steps applied. ``at`` in UTC microseconds."""
    applied: list[str] = []
    while True:
        connection.execute("begin immediate")
        try:
            connection.execute(
                "create table if not exists migration("
                "number integer primary key, name text not null, checksum text not null, at integer not null) strict"
            )
            done = _applied(connection)
            _compare(done, newer="migrate")
            step = next((step for step in migrations() if step.number not in done), None)
            if step is None:
                connection.execute("commit")
                return applied
            for statement in _statements(step.script):
                connection.execute(statement)
            connection.execute("insert into migration values (?, ?, ?, ?)", (step.number, step.name, step.checksum, at))
            connection.execute("commit")
            applied.append(f"{step.number:04d}_{step.name}")
        except BaseException:
            connection.execute("rollback")
            raise


def check(connection: sqlite3.Connection) -> None:
    """Raises :class:`SchemaMismatch` unless the schema is exactly this program's."""
    (application,) = connection.execute("pragma application_id").fetchone()
    if application != APPLICATION_ID:
        raise SchemaMismatch("the file is a database, but no lineage store", hint="give the path of a lineage store")
    done = _applied(connection)
    _compare(done, newer="open")
    missing = [step for step in migrations() if step.number not in done]
    if missing:
        raise SchemaMismatch(
            f"the store's schema is {max(done, default=0)}, this program needs {missing[-1].number}",
            hint="upgrade it with: lineage migrate",
        )


def _applied(connection: sqlite3.Connection) -> dict[int, str]:
    exists = connection.execute("select 1 from sqlite_schema where name = 'migration'").fetchone()
    return dict(connection.execute("select number, checksum from migration")) if exists else {}


def _compare(done: dict[int, str], *, newer: str) -> None:
    known = {step.number: step for step in migrations()}
    beyond = sorted(set(done) - set(known))
    if beyond:
        raise SchemaMismatch(
            f"the store's schema {beyond[-1]} is newer than this program's {max(known)}: it cannot {newer} it",
            hint="use the program's newer release",
        )
    for number, checksum in done.items():
        if known[number].checksum != checksum:
            raise SchemaMismatch(f"migration {number:04d}_{known[number].name} was applied with another content")


def _statements(script: str) -> list[str]:
    """The script's statements. ``executescript`` would commit the open transaction before it runs."""
    statements, current = [], ""
    for line in script.splitlines(keepends=True):
        current += line
        if sqlite3.complete_statement(current):
            statements.append(current)
            current = ""
    if current.strip():
        statements.append(current)
    return statements
