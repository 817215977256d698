"""A whole store as files for Neo4j's import tool, which fills a database that nobody serves yet.

A header file and a data file for each set of labels and each type between two of them. Texts are quoted and may hold
anything; a property that is not there is an empty field. What to run is written beside the files.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from lineage.stores.base import Store, Transaction
from lineage.stores.copying import SECTIONS
from lineage.stores.neo4j.drawing import DRAWINGS, KEYS, Beside, Drawn, End, Link, Thing, properties
from lineage_schema.canonical import canonical_json
from lineage_schema.errors import BadInput

Progress = Callable[[int, int], None]
EVERY: Final = 1000
BETWEEN: Final = "\x1f"
"""Between the members of a list: a character that no name has."""
READ_BUFFER: Final = 4 << 20
"""Bytes that the import tool reads at once unless told otherwise; a field must fit in."""
README: Final = "README.txt"


@dataclass(frozen=True, slots=True)
class Written:
    """How many nodes there are by their labels, and relationships by type."""

    nodes: dict[str, int]
    relationships: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        return {"nodes": self.nodes, "relationships": self.relationships}


def export(store: Store, folder: Path, on_progress: Progress | None = None) -> Written:
    """Writes a store's files to a folder that is new or empty. It has its name only once all is there.

    Raises :class:`BadInput` where the folder holds anything or cannot be written, and for a name that a list of the
    import tool cannot hold.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(str(folder), "folder", found="something in it", expected="a new or empty folder")
    part = folder.with_name(f".{folder.name}.part")
    try:
        written: Written = store.read(lambda tx: _write(tx, part, on_progress), whole=True)
        if folder.exists():
            folder.rmdir()
        part.rename(folder)
        return written
    except OSError as error:
        raise BadInput(
            str(folder), "folder", found=error.strerror or str(error), expected="a folder that can be written"
        ) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _write(tx: Transaction, folder: Path, on_progress: Progress | None) -> Written:
    # A server may ask for the work to begin again.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    done = 0
    with _Files(folder) as files:
        for section in SECTIONS:
            draw = DRAWINGS[section.name]
            for row in tx.copying.rows(section):
                for drawn in draw(section.back(row)):
                    files.write(drawn)
                done += 1
                if on_progress is not None and not done % EVERY:
                    on_progress(done, 0)
    return files.finish()


@dataclass
class _File:
    """One data file, its columns, and how many rows it has. ``given``: what the import tool is told of all its rows."""

    given: str
    header: list[str]
    columns: list[tuple[str, str]]
    data: IO[str]
    rows: int = 0
    widest: int = 0

    def put(self, ends: Sequence[str], props: dict[str, Any]) -> None:
        """Writes a row. Every property has its column."""
        left = dict(props)
        fields = [*map(_quoted, ends), *(_field(left.pop(name, None), kind) for name, kind in self.columns)]
        assert not left, f"{self.given} has no column for {sorted(left)}"
        self.widest = max(self.widest, *map(len, fields))
        self.data.write(",".join(fields) + "\n")
        self.rows += 1


@dataclass
class _Files:
    """All files of a folder, each opened when the first of its rows comes."""

    folder: Path
    nodes: dict[str, _File] = field(default_factory=dict)
    links: dict[str, _File] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._stack = ExitStack()
        self._seen: set[End] = set()
        self._last: End | None = None

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def write(self, drawn: Drawn) -> None:
        """Writes what was drawn, once."""
        if isinstance(drawn, Thing):
            if not drawn.again or self._first(drawn.end):
                self._thing(drawn)
        elif isinstance(drawn, Beside):
            self._beside(drawn)
        else:
            self._link(drawn)

    def _first(self, end: End) -> bool:
        """Whether it is met for the first time. Aliases are many, and come one behind the other."""
        if end.label == "Alias":
            known, self._last = self._last == end, end
            return not known
        known = end in self._seen
        self._seen.add(end)
        return not known

    def _thing(self, thing: Thing) -> None:
        space, *_ = thing.labels
        mine = KEYS[space]
        name = "-".join(thing.labels)
        columns = properties(*thing.labels)
        first = f":ID({space})"
        if len(mine) == 1:
            # The id is a property as well.
            first = f"{mine[0]}{first}"
            columns.pop(mine[0])
        file = self._file(self.nodes, name, ":".join(thing.labels), [first], columns)
        props = {key: value for key, value in thing.props.items() if key in columns or key not in mine}
        file.put([_id(thing.end)], props)

    def _beside(self, beside: Beside) -> None:
        file = self._file(self.nodes, beside.label, beside.label, [f":ID({beside.label})"], properties(beside.label))
        id_ = str(file.rows + 1)
        file.put([id_], beside.props)
        if beside.end is not None:
            here, there = (beside.label, id_), (beside.end.label, _id(beside.end))
            self._between(beside.type, *((there, here) if beside.inwards else (here, there)), {})

    def _link(self, link: Link) -> None:
        self._between(link.type, (link.start.label, _id(link.start)), (link.end.label, _id(link.end)), link.props)

    def _between(self, type_: str, start: tuple[str, str], end: tuple[str, str], props: dict[str, Any]) -> None:
        ends = [f":START_ID({start[0]})", f":END_ID({end[0]})"]
        file = self._file(self.links, f"{type_}-{start[0]}-{end[0]}", type_, ends, properties(type_))
        file.put([start[1], end[1]], props)

    def _file(self, files: dict[str, _File], name: str, given: str, ends: list[str], columns: dict[str, str]) -> _File:
        if name not in files:
            data = (self.folder / f"{name}.csv").open("w", encoding="utf-8", newline="")
            self._stack.enter_context(data)
            header = [*ends, *(f"{column}:{kind}" for column, kind in columns.items())]
            (self.folder / f"{name}-header.csv").write_text(",".join(header) + "\n", encoding="utf-8")
            files[name] = _File(given, header, list(columns.items()), data)
        return files[name]

    def finish(self) -> Written:
        """Writes what is to be run."""
        options = [
            "--id-type=string", "--multiline-fields=true", "--legacy-style-quoting=false",
            "--ignore-empty-strings=false", "--trim-strings=false", "--array-delimiter=U+001F",
            f"--read-buffer-size={_buffer([*self.nodes.values(), *self.links.values()])}",
            *(f"--nodes={file.given}=./{name}-header.csv,./{name}.csv" for name, file in self.nodes.items()),
            *(f"--relationships={file.given}=./{name}-header.csv,./{name}.csv" for name, file in self.links.items()),
        ]  # fmt: skip
        command = " \\\n    ".join(["neo4j-admin database import full neo4j", *options])
        (self.folder / README).write_text(TEXT.format(command=command), encoding="utf-8")
        relationships: dict[str, int] = {}
        for file in self.links.values():
            relationships[file.given] = relationships.get(file.given, 0) + file.rows
        return Written({file.given: file.rows for file in self.nodes.values()}, relationships)


TEXT: Final = """\
A lineage store, for Neo4j's import tool (5.26 or later). The database must not be there yet.
In this folder, on the machine of the server, run

{command}

where the word behind 'full' is the name of the database, and start the server; one that runs already and has several
databases takes it by CREATE DATABASE. Constraints and indexes are made by

lineage migrate --store neo4j://HOST:7687/neo4j

and until then no command opens the store. The import must tell as many nodes and relationships as the export did.
"""


def _buffer(files: Iterable[_File]) -> int:
    # A character has four bytes at most.
    return max([READ_BUFFER, *(4 * file.widest for file in files)])


def _id(end: End) -> str:
    (first, *more) = end.key
    return canonical_json(end.key) if more else str(first)


def _field(value: Any, kind: str) -> str:
    if value is None:
        return ""
    if kind.endswith("[]"):
        return _list(value)
    if kind == "boolean":
        return "true" if value else "false"
    if kind == "double":
        return repr(float(value))
    return _quoted(value) if kind == "string" else str(value)


def _list(values: Any) -> str:
    if isinstance(values, bytes):
        # Java's bytes have a sign.
        return BETWEEN.join(str(value - 256 if value > 127 else value) for value in values)
    listed = [str(value) for value in values]
    for value in listed:
        if BETWEEN in value:
            raise BadInput(
                value, "list", found="U+001F", expected="a name without it: it stands between the members of a list"
            )
    return _quoted(BETWEEN.join(listed)) if listed else ""


def _quoted(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'
