"""Store URLs: ``sqlite:///relative.db``, ``sqlite:////absolute.db``, ``neo4j://host:7687/database``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lineage.stores.base import Store
from lineage.stores.sqlite import SqliteStore
from lineage_schema.errors import BadInput

SERVERS = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
"""Schemes of a Neo4j server; the driver is imported only for these."""


def open_store(
    url: str, clock: Callable[[], int], *, create: bool = False, read_only: bool = False, filling: bool = False
) -> Store:
    """Opens the store at ``url``; ``create`` makes it where it does not exist.

    ``filling``: to load it again, where a load was cut; what that one left is taken away.

    Raises :class:`BadInput` for a URL that names no kind of store, and what the store raises.
    """
    if _is_server(url):
        from lineage.stores.neo4j import Neo4jStore

        if create:
            Neo4jStore.init(url, clock, again=True)
        return Neo4jStore(url, clock, read_only=read_only, filling=filling)
    path = sqlite_path(url)
    if create and not path.exists():
        SqliteStore.init(path, clock)
    return SqliteStore(path, clock, read_only=read_only)


def init_store(url: str, clock: Callable[[], int]) -> list[str]:
    """Creates an empty store; returns the schema steps applied. Raises :class:`Conflict` where there is one."""
    if _is_server(url):
        from lineage.stores.neo4j import Neo4jStore

        return Neo4jStore.init(url, clock)
    return SqliteStore.init(sqlite_path(url), clock)


def migrate_store(url: str, clock: Callable[[], int]) -> list[str]:
    """Upgrades a store's schema; returns the steps applied."""
    if _is_server(url):
        from lineage.stores.neo4j import Neo4jStore

        return Neo4jStore.migrate(url, clock)
    return SqliteStore.migrate(sqlite_path(url), clock)


def _is_server(url: str) -> bool:
    return urlsplit(url).scheme in SERVERS


def sqlite_path(url: str) -> Path:
    """The file that an ``sqlite://`` URL names."""
    parts = urlsplit(url)
    if parts.scheme != "sqlite" or parts.netloc or not parts.path.strip("/"):
        raise BadInput(
            "store",
            "url",
            found=url,
            expected="sqlite:///FILE (four slashes for an absolute path) or neo4j://HOST:7687/DATABASE",
        )
    return Path(unquote(parts.path[1:]))
