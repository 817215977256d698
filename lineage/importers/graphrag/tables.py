"""GraphRAG's table files, found and read as rows of plain values. What the columns mean is not known here."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final, Literal

from lineage_schema.errors import BadInput, MissingDependency

Format = Literal["auto", "parquet", "csv"]
Row = Mapping[str, Any]

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "documents": ("id", "title", "text", "raw_content", "text_unit_ids", "text_units"),
    "text_units": (
        "id",
        "chunk_id",
        "human_readable_id",
        "text",
        "chunk",
        "n_tokens",
        "document_ids",
        "document_id",
        "entity_ids",
        "relationship_ids",
        "covariate_ids",
    ),
    "entities": (
        "id",
        "human_readable_id",
        "title",
        "name",
        "type",
        "description",
        "text_unit_ids",
        "frequency",
        "degree",
    ),
    "nodes": (
        "id",
        "human_readable_id",
        "title",
        "type",
        "description",
        "source_id",
        "community",
        "level",
        "degree",
    ),
    "relationships": (
        "id",
        "human_readable_id",
        "source",
        "target",
        "description",
        "weight",
        "text_unit_ids",
        "combined_degree",
        "rank",
    ),
    "covariates": (
        "id",
        "human_readable_id",
        "covariate_type",
        "type",
        "description",
        "subject_id",
        "object_id",
        "status",
        "start_date",
        "end_date",
        "source_text",
        "text_unit_id",
    ),
    "communities": (
        "id",
        "human_readable_id",
        "community",
        "level",
        "title",
        "parent",
        "children",
        "entity_ids",
        "relationship_ids",
        "text_unit_ids",
        "period",
        "size",
    ),
    "community_reports": (
        "id",
        "community",
        "level",
        "title",
        "full_content",
        "rank",
        "rank_explanation",
        "rating_explanation",
        "period",
    ),
}
"""The tables that are read, and of each the columns that are: embeddings can be most of a file."""

# A table's file names, best first: since 2.0, before, and the intermediate table where only that was kept.
_NAMES: Final = ("{}", "create_final_{}", "create_base_{}")
_CSV_FIELD = 2**31 - 1


@dataclass(frozen=True)
class Table:
    """A table as it was read: ``columns`` are all that the file has."""

    path: Path
    columns: frozenset[str]
    rows: tuple[Row, ...]

    def require(self, column: str, *others: str) -> str:
        """The first of the columns that the table has, or BadInput."""
        for name in (column, *others):
            if name in self.columns:
                return name
        raise BadInput(
            str(self.path), "columns", found=sorted(self.columns), expected=f"a column {' or '.join((column, *others))}"
        )


@dataclass(frozen=True)
class Tables:
    """The tables of one folder, by GraphRAG's name for them."""

    folder: Path
    found: Mapping[str, Table] = field(default_factory=dict)

    def get(self, name: str) -> Table | None:
        return self.found.get(name)

    def require(self, name: str) -> Table:
        table = self.found.get(name)
        if table is None:
            raise BadInput(str(self.folder), name, found=sorted(self.found), expected=f"a table {name}.parquet or .csv")
        return table

    def files(self) -> dict[str, Path]:
        return {table.path.name: table.path for table in self.found.values()}


def find_folder(path: Path) -> Path:
    """The folder of the tables: ``path``, its ``output``, or the newest ``TIME/artifacts`` of versions before 0.5."""
    if not path.is_dir():
        raise BadInput(str(path), "path", found=path.name, expected="a folder with GraphRAG's output tables")
    artifacts = (sorted(parent.glob("*/artifacts"), reverse=True) for parent in (path / "output", path))
    for folder in (path, path / "output", *chain.from_iterable(artifacts)):
        if any(_file(folder, "text_units", extension) for extension in ("parquet", "csv")):
            return folder
    raise BadInput(
        str(path),
        "path",
        found=sorted(entry.name for entry in path.iterdir())[:20],
        expected="GraphRAG's output tables (text_units.parquet, entities.parquet, …)",
    )


def read_tables(folder: Path, wanted: Format = "auto") -> Tables:
    """The tables of ``folder``. Of a table in both formats parquet is read, unless ``wanted`` is ``csv``."""
    extensions = {"auto": ("parquet", "csv"), "csv": ("csv", "parquet"), "parquet": ("parquet",)}[wanted]
    found: dict[str, Table] = {}
    for name, columns in COLUMNS.items():
        paths = (_file(folder, name, extension) for extension in extensions)
        path = next((path for path in paths if path is not None), None)
        if path is not None:
            read = _read_csv if path.suffix == ".csv" else _read_parquet
            found[name] = read(path, columns)
    return Tables(folder, found)


def _file(folder: Path, name: str, extension: str) -> Path | None:
    for pattern in _NAMES:
        path = folder / f"{pattern.format(name)}.{extension}"
        if path.is_file():
            return path
    return None


def _read_parquet(path: Path, columns: tuple[str, ...]) -> Table:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingDependency("reading parquet", "graphrag") from None
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            present = file.schema_arrow.names
            rows = file.read(columns=[name for name in columns if name in present]).to_pylist()
    except (pyarrow.ArrowException, OSError) as error:
        raise BadInput(str(path), "file", found=str(error), expected="a parquet file") from None
    return Table(path, frozenset(present), tuple(rows))


def _read_csv(path: Path, columns: tuple[str, ...]) -> Table:
    # A document's text is one field, longer than the module allows by itself. The limit is the
    # process's, so it is put back.
    limit = csv.field_size_limit(_CSV_FIELD)
    try:
        # utf-8-sig: spreadsheet programs begin a file with U+FEFF. newline="": a text keeps its line ends.
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            present = frozenset(reader.fieldnames or ())
            rows: list[Row] = []
            for row in reader:
                if None in row or None in row.values():
                    line = f"line {reader.line_num}"
                    raise BadInput(str(path), line, found="another number", expected=f"{len(present)} fields")
                rows.append({name: row[name] for name in columns if name in present})
    except (csv.Error, UnicodeDecodeError) as error:
        raise BadInput(str(path), "file", found=str(error), expected="a CSV file in UTF-8") from None
    finally:
        csv.field_size_limit(limit)
    return Table(path, present, tuple(rows))
