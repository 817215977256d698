"""Propagation as commands run it: with a bar on a terminal, and with an answer to an interrupt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage_cli.app import COMMON
from lineage_cli.output import progress

if TYPE_CHECKING:
    from lineage.graph import LineageGraph
    from lineage.stores.base import Step


def spread(graph: LineageGraph, steps: int | None = None) -> int:
    """Propagates, with a bar on a terminal; returns the number of steps made."""
    before = COMMON.interrupted
    COMMON.interrupted = lambda: "interrupted: all steps made so far stay; lineage propagate goes on"
    done = 0
    with progress("propagating") as bar:

        def on_step(step: Step) -> None:
            nonlocal done
            done += step.expanded
            bar(done, 0)

        made = graph.propagate(steps=steps, on_step=on_step)
    COMMON.interrupted = before
    return made
