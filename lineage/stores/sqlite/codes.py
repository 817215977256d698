"""Between the ids that readers see and the integers that rows hold."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Any, Final, TypeVar

from lineage_schema.vocabulary import Completeness, Origin, Role

T = TypeVar("T")

ROLE_CODE: Final[dict[str, int]] = {role.value: code for code, role in enumerate(Role)}
ROLES: Final = tuple(Role)
ROLE_WORDS: Final = tuple(role.value for role in Role)
LAST_PASSING: Final = ROLE_CODE[Role.RETRIEVED.value]
"""Roles are numbered with those that pass marks first, so that a walk is one range of the index."""
ORIGIN_BIT: Final = {origin: 1 << bit for bit, origin in enumerate(Origin)}
LINEAGE_CODE: Final = {word: code for code, word in enumerate(Completeness)}
LINEAGES: Final = tuple(Completeness)

CHUNK: Final = 900
"""Parameters in one statement; SQLite's oldest limit is 999."""
CACHED: Final = 400_000
"""Ids remembered between batches: about 60 MB at most."""


@cache
def origins_of(mask: int) -> tuple[str, ...]:
    """The names in a bit mask of origins, in their order."""
    return tuple(origin.value for origin, bit in ORIGIN_BIT.items() if mask & bit)


def chunks(items: Collection[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    """``items`` in lists of at most ``size``."""
    whole = items if isinstance(items, (list, tuple)) else list(items)
    for begin in range(0, len(whole), size):
        yield whole[begin : begin + size]


def marks(count: int) -> str:
    """``?,?,?`` for ``count`` parameters."""
    return ",".join("?" * count)


class Codes:
    """Row numbers of kinds, namespaces and nodes, remembered within bounds."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.forget()

    def forget(self) -> None:
        """Drops what is remembered: after a rollback it may name rows that never came to be."""
        self._rows: dict[str, int] = {}
        self._tables: dict[str, dict[str, int]] = {"kind": {}, "namespace": {}}
        self._names: dict[str, dict[int, str]] = {"kind": {}, "namespace": {}}

    def code(self, table: str, name: str, *, create: bool = False) -> int | None:
        """The number of a kind or namespace; None where there is none and ``create`` is not asked."""
        known = self._tables[table]
        if name not in known:
            row = self._connection.execute(f"select id from {table} where name = ?", (name,)).fetchone()
            if row is None:
                if not create:
                    return None
                row = self._connection.execute(f"insert into {table}(name) values (?) returning id", (name,)).fetchone()
            known[name] = row[0]
        return known[name]

    def kind(self, name: str) -> int:
        """The number of a kind, made where it is new."""
        code = self.code("kind", name, create=True)
        assert code is not None
        return code

    def namespace(self, name: str) -> int:
        """The number of a namespace, made where it is new."""
        code = self.code("namespace", name, create=True)
        assert code is not None
        return code

    def word(self, table: str, code: int | None) -> str:
        """The name behind a kind's or namespace's number; empty for none (spans have no namespace)."""
        if code is None:
            return ""
        words = self._names[table]
        if code not in words:
            words.update(self._connection.execute(f"select id, name from {table}"))
        return words[code]

    def remember(self, rows: Iterable[tuple[str, int]]) -> None:
        """Keeps the row numbers of ids."""
        if len(self._rows) > CACHED:
            self._rows.clear()
        self._rows.update(rows)

    def rows(self, ids: Collection[str]) -> dict[str, int]:
        """The row numbers of those ids that the store has."""
        known = self._rows
        found = {id_: known[id_] for id_ in ids if id_ in known}
        missing = [id_ for id_ in ids if id_ not in found]
        for part in chunks(missing):
            for digest, row in self._connection.execute(
                f"select hash, id from node where hash in ({marks(len(part))})", [digest_of(id_) for id_ in part]
            ):
                found[id_of(digest)] = row
        if missing:
            self.remember((id_, found[id_]) for id_ in missing if id_ in found)
        return found

    def ids(self, rows: Collection[int]) -> dict[int, str]:
        """The ids behind row numbers."""
        ordered = sorted(rows)
        # One text instead of a row and an object for each: half the time where there are thousands.
        (joined,) = self._connection.execute(
            """select group_concat('l1:' || lower(hex(n.hash))) from json_each(?) j
               cross join node n where n.id = j.value""",
            (json.dumps(ordered),),
        ).fetchone()
        ids = joined.split(",") if joined else []
        if len(ids) == len(ordered):
            return dict(zip(ordered, ids, strict=True))
        # Some of the rows do not exist: only a damaged store has such.
        found = self._connection.execute(
            "select n.id, n.hash from json_each(?) j cross join node n where n.id = j.value", (json.dumps(ordered),)
        )
        return {row: id_of(digest) for row, digest in found}


CURRENT = """(
    exists (select 1 from name a where a.id = n.name and a.current = n.id) and (
        not exists (select 1 from claim c where c.node = n.id) or exists (
            select 1 from edge e join node p on p.id = e.src join name b on b.id = p.name and b.current = p.id
            where e.dst = n.id and e.role = 0)))"""
"""Whether a key names node ``n`` now; a claim is current only under its current answer, a span never."""


def key_digest(key: str) -> int:
    """Eight bytes of the SHA-256 of a key's written form: what the index of keys holds."""
    return bytes_digest(key.encode())


def bytes_digest(key: bytes) -> int:
    """The same of a key's UTF-8 bytes."""
    return int.from_bytes(sha256(key).digest()[:8], "big", signed=True)


def digest_of(id_: str) -> bytes:
    """The 20 bytes of an ``l1:`` id. Anything else has a digest that no row has."""
    try:
        return bytes.fromhex(id_[3:]) if id_.startswith("l1:") else b""
    except ValueError:
        return b""


def id_of(digest: bytes) -> str:
    """The ``l1:`` id of 20 bytes."""
    return "l1:" + digest.hex()


def one(connection: sqlite3.Connection, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Any:
    """The first column of the first row, or None."""
    row = connection.execute(sql, parameters).fetchone()
    return None if row is None else row[0]
