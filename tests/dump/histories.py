"""The state machine, with a look at each history's store before it is closed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from lineage import LineageGraph
from lineage.dump import dump, load
from lineage.testing.machine import Machine


class Ending(Machine):
    """A store's tests give the hooks of :class:`Machine`, and ``looking``: what is called with the graph at the end."""

    looking: ClassVar[tuple[Callable[[LineageGraph], None]]]

    def look(self, graph: LineageGraph) -> None:
        """Looks at a graph."""
        self.looking[0](graph)

    def teardown(self) -> None:
        try:
            # As it was left, and once more when nothing is pending.
            self.look(self.driver.graph)
            self.driver.finish()
            self.look(self.driver.graph)
        finally:
            self.driver.close()


def dumped(graph: LineageGraph, path: Path) -> bytes:
    """The bytes of a graph's dump."""
    dump(graph.store, path)
    return path.read_bytes()


def loaded(graph: LineageGraph, lines: bytes) -> LineageGraph:
    """The graph, after it was filled from a dump's bytes."""
    load(graph.store, lines.splitlines(keepends=True))
    return graph
