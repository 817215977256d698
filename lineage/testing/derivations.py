"""Keys and derivations: what a name means now, and what a node was made from, from all that was ever said.

Nothing is replaced or archived here: every question goes through the whole list again, so that the order in which
things were committed cannot matter where it must not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lineage.testing.history import Completed, Extended, Inputs, Made, Name, Retired, Run

ALWAYS = -1
"""Before every run."""
NEVER_SWEPT = ("answer", "claim")


@dataclass(frozen=True, slots=True)
class Making:
    """A node's current derivation: its inputs, the worst completeness, and when the run that made it began."""

    inputs: Inputs
    lineage: int
    begin: int
    derived: bool
    runs: frozenset[str]


@dataclass(frozen=True, slots=True)
class Begun:
    """A run, and the place in the history where it began."""

    run: Run
    begin: int


def lowest(before: int | None, now: int | None) -> int | None:
    """The lower of two versions read, where both are of a span."""
    return now if before is None else before if now is None else min(before, now)


def united(told: Iterable[Inputs]) -> dict[tuple[str, str], int | None]:
    """All inputs, each at the lowest version read."""
    found: dict[tuple[str, str], int | None] = {}
    for inputs in told:
        for key, version in inputs.items():
            found[key] = lowest(found[key], version) if key in found else version
    return found


def making(node: str, runs: Mapping[str, Begun], made: Sequence[Made], extended: Sequence[Extended]) -> Making:
    """A node's current derivation.

    What is derived outranks what is imported; of the derived, the run that began last counts, and its inputs add up;
    imports add up all together. What a run laid over it counts if that run began no earlier; over imports it counts
    always, since reading a file again supersedes nothing.
    """
    mine = [each for each in made if each.node == node]
    derived = [each for each in mine if runs[each.run].run.derived]
    begin = max((runs[each.run].begin for each in derived), default=ALWAYS)
    chosen = [each for each in derived if runs[each.run].begin == begin] if derived else mine
    laid = [each for each in extended if each.node == node and runs[each.run].begin >= begin]
    return Making(
        united([*(each.inputs for each in chosen), *(each.inputs for each in laid)]),
        max(each.lineage for each in chosen),
        begin,
        bool(derived),
        frozenset(each.run for each in chosen),
    )


@dataclass(frozen=True, slots=True)
class Named:
    """What a key names. ``current`` is None where it is retired; ``last`` is the node that it named last.

    ``first_named`` is when the run began that first named ``last``, ``retired`` the run that first retired the key
    after it was named last.
    """

    current: str | None
    last: str
    first_named: int
    retired: str | None


class Names:
    """What was said of keys. ``named`` are (name, node) and when: runs' begins, or when a question was asked."""

    def __init__(self) -> None:
        self.named: dict[Name, dict[str, list[int]]] = {}
        self.retired: list[Retired] = []
        self.completed: list[Completed] = []
        self.kinds: dict[str, set[str]] = {}

    def name(self, name: Name, node: str, when: int, run: str) -> None:
        """A run named a node."""
        self.named.setdefault(name, {}).setdefault(node, []).append(when)
        self.kinds.setdefault(run, set()).add(name[0])

    def meaning(self, name: Name, runs: Mapping[str, Begun]) -> Named:
        """What a name means now: the greatest (begin, id) wins, a retirement wins over what began before it."""
        nodes = self.named[name]
        last = max(nodes, key=lambda node: (max(nodes[node]), node))
        when = max(nodes[last])
        after = [runs[each.run] for each in self.retired if each.name == name and runs[each.run].begin > when] + [
            runs[each.run]
            for each in self.completed
            if self._sweeps(each.run, name, runs) and runs[each.run].begin > when
        ]
        retired = min(after, key=lambda each: each.begin).run.id if after else None
        return Named(None if retired else last, last, min(nodes[last]), retired)

    def _sweeps(self, run: str, name: Name, runs: Mapping[str, Begun]) -> bool:
        """Whether a complete run would have named this key, had it still been there."""
        kind, namespace, _ = name
        return kind not in NEVER_SWEPT and kind in self.kinds.get(run, ()) and namespace == runs[run].run.namespace
