"""The one hook of the conformance suite: a store's tests say how its graph is opened, and inherit the examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lineage.graph import LineageGraph
from lineage.testing.driver import Driver


class Suite:
    """Base of the examples. Each one is also judged by the oracle: what it did is worked out again at its end."""

    verifying = True
    """Whether the store can be verified, and is, at the end of each example."""

    def open_graph(self, place: Path) -> LineageGraph:
        """The hook: opens the graph of a place, a folder that is the example's own, made where there is none."""
        raise NotImplementedError

    @pytest.fixture
    def opening(self, tmp_path: Path) -> Callable[[], LineageGraph]:
        return lambda: self.open_graph(tmp_path)

    @pytest.fixture
    def driver(self, opening: Callable[[], LineageGraph]) -> Iterator[Driver]:
        driver = Driver(opening, verifying=self.verifying)
        try:
            yield driver
            driver.finish()
        finally:
            driver.close()
