"""What corrections affect, computed from the definition and the graph, without the marks.

Marks are this definition materialised. While work is pending they lag behind it; whoever must
know now (``check``, a dismissal) evaluates the definition itself, downward from a few nodes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from lineage.stores.base import CORRECTION, REPLACEMENT, Decision, EdgeView, Transaction
from lineage_schema.vocabulary import Role, Severity, passes

NEAR = frozenset({Role.CLAIM.value, Role.CITES.value})


@dataclass(frozen=True, slots=True)
class Effect:
    """How a cause bears on a node: the severity, and the inputs from which it passes."""

    severity: Severity
    inputs: tuple[str, ...]


def evaluate(tx: Transaction, roots: Collection[str], budget: int | None = None) -> dict[str, dict[str, Effect]] | None:
    """cause id → node id → effect, for the roots and all under them; None where the budget of nodes was exceeded."""
    walk = tx.reading.walk(roots, up=False, passing=True, limit=budget)
    if walk.cut:
        return None
    inputs: dict[str, list[EdgeView]] = {}
    for edge in walk.edges:
        inputs.setdefault(edge.src, []).append(edge)
    sources = tx.marks.sources(walk.levels)
    if not sources:
        return {}
    decisions = tx.marks.decisions(walk.levels)
    order = bottom_up(walk.levels, inputs)
    found: dict[str, dict[str, Effect]] = {}
    for cause, source in sources.items():
        effects: dict[str, Effect] = {}
        for node in order:
            edges = inputs.get(node, [])
            if node not in source.seeds and not any(edge.dst in effects for edge in edges):
                continue
            effect = _effect(tx, cause, source.type, source.edition, node, edges, effects, source.seeds)
            effect = _after_decision(effect, decisions.get((cause, node)), node in source.seeds)
            if effect.severity:
                effects[node] = effect
        if effects:
            found[cause] = effects
    return found


def _effect(
    tx: Transaction,
    cause: str,
    type_: int,
    edition: bool,
    node: str,
    edges: list[EdgeView],
    effects: Mapping[str, Effect],
    seeds: Mapping[str, tuple[int, frozenset[int]]],
) -> Effect:
    worst, passing = Severity.NONE, []
    for edge in edges:
        below = effects.get(edge.dst)
        if below is None or (type_ == REPLACEMENT and edge.role not in NEAR):
            continue
        if (
            type_ == CORRECTION
            and below.severity is Severity.REVIEW
            and edge.version is not None
            and edge.version not in seeds[edge.dst][1]
        ):
            continue
        if edition and tx.marks.scope_excludes(cause, node):
            continue
        what = passes(Role(edge.role), below.severity)
        if what:
            passing.append(edge.dst)
            worst = max(worst, what)
    if node in seeds:
        worst = max(worst, Severity(seeds[node][0]))
    return Effect(worst, tuple(sorted(set(passing))))


def _after_decision(effect: Effect, decision: Decision | None, seeded: bool) -> Effect:
    if decision is None or seeded or not effect.severity:
        return effect
    stands = effect.severity <= decision.severity and set(effect.inputs) <= set(decision.inputs)
    return Effect(Severity.NONE, ()) if stands else effect


def bottom_up(nodes: Collection[str], inputs: Mapping[str, list[EdgeView]]) -> list[str]:
    """The nodes, each after all its inputs."""
    waiting = {node: len(inputs.get(node, ())) for node in nodes}
    above: dict[str, list[str]] = {}
    for node, edges in inputs.items():
        for edge in edges:
            above.setdefault(edge.dst, []).append(node)
    order = [node for node, count in waiting.items() if not count]
    for node in order:
        for dependent in above.get(node, ()):
            waiting[dependent] -= 1
            if not waiting[dependent]:
                order.append(dependent)
    return order
