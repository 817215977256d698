"""Temporary twins of the tables that a correction writes.

SQLite finds a temporary table before one of the file with the same name, so that the same
statements work on the twins, and nothing of the file is locked or changed.
"""

from __future__ import annotations

import re
import sqlite3

COPIED = ("version", "edition", "statement", "cause", "change", "sequence")
"""Small tables that are read and written."""
EMPTY = ("seed", "reader", "mark", "past_mark", "recheck", "event", "cursor")
"""Tables of which one correction's own rows suffice."""
JOINED = ("text", "anchor")
"""Large tables: new rows go to a table beside, reading goes through both."""


def shadow(connection: sqlite3.Connection) -> dict[str, str]:
    """Makes the twins; returns where new texts and anchors go. The connection is in a transaction."""
    for table in (*COPIED, *EMPTY):
        _twin(connection, table, table)
    for table in COPIED:
        connection.execute(f"insert into temp.{table} select * from main.{table}")
    connection.execute("insert into temp.cursor values (0, 0, 0)")
    into = {}
    for table in JOINED:
        into[table] = f"new_{table}"
        _twin(connection, table, into[table])
        connection.execute(
            f"create temp view {table} as select * from main.{table} union all select * from temp.{into[table]}"
        )
    return into


def _twin(connection: sqlite3.Connection, table: str, name: str) -> None:
    for kind, sql in connection.execute(
        "select type, sql from main.sqlite_schema where tbl_name = ? and sql is not null order by type desc", (table,)
    ).fetchall():
        if kind == "table":
            connection.execute(re.sub(rf"^create table {table}\b", f"create temp table {name}", sql, flags=re.I))
        else:
            connection.execute(
                re.sub(r"^create index (\w+) on \w+", rf"create index temp.\1 on {name}", sql, flags=re.I)
            )
