"""All examples that a store must satisfy, as one class to inherit from.

    class TestMine(Conformance):
        def open_graph(self, place: Path) -> LineageGraph:
            return LineageGraph.open(f"mine://{place}", create=True)

A store that passes these also runs the state machine, :class:`lineage.testing.machine.Machine`.
"""

from __future__ import annotations

from lineage.testing.correcting import Correcting
from lineage.testing.judging import Judging
from lineage.testing.registering import Registering


class Conformance(Registering, Correcting, Judging):
    """Registering, correcting and judging. Give it one hook, :meth:`open_graph`."""
