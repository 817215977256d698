"""Reading a dump: every line is checked before it is written, and the last line before anything stays."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

from lineage.dump.form import END, FORM, end
from lineage.stores.base import Store, Transaction
from lineage.stores.copying import SECTIONS, Ref, Row, Section
from lineage_schema.canonical import canonical_bytes
from lineage_schema.errors import BadInput

Progress = Callable[[int, int], None]
ROWS = 5_000
"""Rows in a batch at most."""
BYTES = 8_000_000
"""Bytes of lines in a batch, but for the last of them."""

_PLACES = {section.name: place for place, section in enumerate(SECTIONS)}


class Batch(NamedTuple):
    """Rows of one section, checked by themselves, with the number of each one's line."""

    section: Section
    rows: list[Row]
    lines: list[int]


@dataclass(slots=True)
class Loaded:
    """What was loaded: rows by section."""

    counts: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"rows": self.counts}


def load(store: Store, lines: Iterable[bytes], on_progress: Progress | None = None) -> Loaded:
    """Fills an empty store from a dump's lines: with all of them, or none.

    Raises :class:`Conflict` where the store holds anything, and :class:`BadInput` with the number of the line.
    """
    reader = _Reader(lines, on_progress)
    store.load(reader.batches(), _put)
    return Loaded(reader.counts)


def _put(tx: Transaction, batch: Batch) -> None:
    _check_refs(tx, batch)
    tx.copying.put(batch.section, [batch.section.back(row) for row in batch.rows])


def _check_refs(tx: Transaction, batch: Batch) -> None:
    """All that the rows name stands in an earlier line."""
    for ref in batch.section.refs:
        target = "passage" if ref.target == "passages" else ref.target
        named = [(line, each) for line, row in zip(batch.lines, batch.rows, strict=True) for each in _named(row, ref)]
        wanted = {each for _, each in named}
        there = tx.copying.known(target, wanted) if wanted else set()
        earlier: set[tuple[Any, ...]] = set()
        if target == batch.section.name:
            earlier = {_own(batch.section, row) for row in batch.rows}
        for (line, each), row in zip(named, _naming(batch.rows, ref), strict=True):
            if each not in there and not (each in earlier and each < _own(batch.section, row)):
                what = "span and a version of its document" if target == "read" else target
                raise BadInput(
                    f"line {line}", ", ".join(ref.fields), found=each[0] if len(each) == 1 else list(each),
                    expected=f"a {what} of an earlier line",
                )  # fmt: skip


def _naming(rows: Iterable[Row], ref: Ref) -> Iterator[Row]:
    """The row of each name."""
    for row in rows:
        for _ in _named(row, ref):
            yield row


def _own(section: Section, row: Row) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in section.key)


def _named(row: Row, ref: Ref) -> Iterable[tuple[Any, ...]]:
    if ref.target == "passages":
        return [tuple(each) for each in row[ref.fields[0]]]
    if all(name in row for name in ref.fields):
        return [tuple(row[name] for name in ref.fields)]
    return []


class _Reader:
    """Checks lines one after the other, and hands them on in batches."""

    def __init__(self, lines: Iterable[bytes], on_progress: Progress | None) -> None:
        self._lines = enumerate(lines, 1)
        self._progress = on_progress
        self._hashed = sha256()
        self._number = 0
        self._place: tuple[Any, ...] | None = None
        self._at = 0
        self.counts = {section.name: 0 for section in SECTIONS}

    def batches(self) -> Iterator[Batch]:
        """All rows. What follows the last line, or the lack of it, is known before this ends."""
        self._header()
        batch, size = Batch(SECTIONS[0], [], []), 0
        for line, said in self._said():
            if said["type"] == END:
                if batch.rows:
                    yield batch
                self._end(said)
                return
            section = self._section(said)
            if batch.rows and (section is not batch.section or len(batch.rows) >= ROWS or size >= BYTES):
                yield batch
                batch, size = Batch(section, [], []), 0
                if self._progress is not None:
                    self._progress(self._number, 0)
            if not batch.rows:
                batch = Batch(section, [], [])
            batch.rows.append(self._row(section, said))
            batch.lines.append(self._number)
            size += len(line)
            self._hashed.update(line)
        raise BadInput(
            f"line {self._number + 1}", "type", found="the end of the file", expected=f"{END!r}, a dump's last line",
            hint="the file was cut: make the dump again",
        )  # fmt: skip

    def _header(self) -> None:
        self._number, line = next(self._lines, (1, b""))
        said = self._object(line) if line else {}
        for name, expected in FORM.items():
            if said.get(name) != expected:
                raise BadInput("line 1", name, found=said.get(name), expected=f"{expected!r}, of this program's form")
        if said != FORM:
            raise BadInput("line 1", "fields", found=sorted(said), expected=", ".join(FORM))
        self._hashed.update(line)

    def _said(self) -> Iterator[tuple[bytes, Row]]:
        for number, line in self._lines:
            self._number = number
            said = self._object(line)
            if not isinstance(said.get("type"), str):
                raise BadInput(self._item, "type", found=said.get("type"), expected="the name of a section")
            yield line, said

    @property
    def _item(self) -> str:
        return f"line {self._number}"

    def _object(self, line: bytes) -> Row:
        try:
            said = json.loads(line)
        except ValueError as error:
            raise BadInput(self._item, "line", found=str(error), expected="JSON in UTF-8") from None
        if not isinstance(said, dict):
            raise BadInput(self._item, "line", found=type(said).__name__, expected="a JSON object")
        if canonical_bytes(said, item=self._item) + b"\n" != line:
            raise BadInput(self._item, "line", found=line[:80].decode("utf-8", "replace"), expected="canonical JSON")
        return said

    def _section(self, said: Row) -> Section:
        name = said["type"]
        if name not in _PLACES:
            raise BadInput(self._item, "type", found=name, expected="a section that this program knows")
        if _PLACES[name] < self._at:
            raise BadInput(self._item, "type", found=name, expected=f"a section behind {SECTIONS[self._at].name!r}")
        if _PLACES[name] > self._at:
            self._at, self._place = _PLACES[name], None
        return SECTIONS[self._at]

    def _row(self, section: Section, said: Row) -> Row:
        row = {name: value for name, value in said.items() if name != "type"}
        if unknown := sorted(set(row) - set(section.fields)):
            raise BadInput(self._item, unknown[0], found=row[unknown[0]], expected=f"a field of {section.name!r}")
        for name, kind in section.fields.items():
            if name in row:
                if not kind.fits(row[name]):
                    raise BadInput(self._item, name, found=row[name], expected=kind.expected)
            elif not kind.optional:
                raise BadInput(self._item, name, found=None, expected=kind.expected)
        place = section.place(row)
        if self._place is not None and not (self._place <= place if section.repeats else self._place < place):
            raise BadInput(
                self._item, ", ".join(section.key), found=list(_own(section, row)),
                expected="what comes behind the line before",
            )  # fmt: skip
        self._place = place
        self.counts[section.name] += 1
        return row

    def _end(self, said: Row) -> None:
        wanted = end(self.counts, self._hashed.hexdigest())
        for name, expected in wanted.items():
            if said.get(name) != expected:
                raise BadInput(
                    self._item, name, found=said.get(name), expected=f"{expected!r}, of the lines before",
                    hint="the file was changed or cut: make the dump again",
                )  # fmt: skip
        if said != wanted:
            raise BadInput(self._item, "fields", found=sorted(said), expected=", ".join(sorted(wanted)))
        if (more := next(self._lines, None)) is not None:
            raise BadInput(f"line {more[0]}", "line", found="a line", expected=f"nothing behind {END!r}")
