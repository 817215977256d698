"""An empty store of each kind, for the indexes of real pipelines."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from lineage import LineageGraph


@pytest.fixture
def graph(opening: Callable[[], LineageGraph]) -> Iterator[LineageGraph]:
    with opening() as graph:
        yield graph
