"""The embedded store: one SQLite file, one writer, many reading processes."""

from lineage.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
