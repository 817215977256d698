"""Where a test's commands work, untold: a file in the working folder, or a database of a server."""

from __future__ import annotations

import shutil
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from lineage_cli.main import call
from lineage_cli.settings import DEFAULT
from tests.neo4j_server.server import DATABASE, Server


class Place(ABC):
    """Where a store may be made. ``url`` is what commands call it."""

    url: str

    @abstractmethod
    def contents(self) -> object:
        """All that is stored: equal where nothing was written in between."""

    @abstractmethod
    def holds(self, words: str) -> bool:
        """Whether these words are stored, wherever."""

    @abstractmethod
    def change_texts(self, old: str, new: str) -> None:
        """Changes the texts of sources behind the store's back."""

    @abstractmethod
    def keep(self, copy: Path) -> None:
        """Copies the store to a file of its own."""

    @abstractmethod
    def restore(self, copy: Path) -> None:
        """Makes the store from a copy, where there is none."""

    def made(self, copies: Path, name: str, make: Callable[[], None]) -> None:
        """Makes a store; from its copy, where one of this name was kept."""
        copy = copies / f"{type(self).__name__}-{name}"
        if copy.exists():
            self.restore(copy)
        else:
            make()
            self.keep(copy)


class File(Place):
    """A file in the working folder, where commands look by default."""

    url = DEFAULT

    def __init__(self, folder: Path) -> None:
        self.path = folder / "lineage.db"

    def contents(self) -> object:
        return self.path.read_bytes()

    def holds(self, words: str) -> bool:
        return words.encode() in self.path.read_bytes()

    def change_texts(self, old: str, new: str) -> None:
        connection = sqlite3.connect(self.path)
        connection.execute("update text set body = replace(body, ?, ?)", (old, new))
        connection.commit()
        connection.close()

    def keep(self, copy: Path) -> None:
        shutil.copy(self.path, copy)

    def restore(self, copy: Path) -> None:
        shutil.copy(copy, self.path)


class Database(Place):
    """The test server's database, where no node is."""

    def __init__(self, server: Server, url: str) -> None:
        self.url = url
        self._server = server

    def contents(self) -> object:
        nodes = self._ask("MATCH (n) RETURN elementId(n), labels(n), properties(n)")
        return nodes, self._ask("MATCH (a)-[r]->(b) RETURN elementId(a), elementId(b), type(r), properties(r)")

    def holds(self, words: str) -> bool:
        return words in repr(self.contents())

    def change_texts(self, old: str, new: str) -> None:
        self._ask("MATCH (v:DocumentVersion) SET v.text = replace(v.text, $old, $new)", old=old, new=new)

    def keep(self, copy: Path) -> None:
        assert call(["dump", str(copy), "--store", self.url]) == 0

    def restore(self, copy: Path) -> None:
        assert call(["load", str(copy), "--store", self.url]) == 0

    def _ask(self, statement: str, **given: str) -> list[str]:
        with self._server.driver() as driver:
            return sorted(repr(row) for row in driver.execute_query(statement, given, database_=DATABASE).records)
