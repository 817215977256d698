"""How registering a node that exists changes its derivation: pure rules, no I/O.

A node has one current derivation. It is the one whose run began last; what is derived (or
imported as ``rebuilt``) outranks what is imported, whatever began last, since nobody
regenerated a text because its file was read again. Within one run, and among imports, inputs
add up. An extension is laid over whatever derivation is current, if its run began no earlier.
So the result does not depend on the order in which batches are committed.
"""

from __future__ import annotations

from collections.abc import Callable

from lineage.stores.base import Derivation, Edge, Edges, Outcome, RunState

Touched = Callable[[str, int, int], bool]
"""(span id, version read before, version read now) → whether a correction between them touched the span."""


def rederive(
    node: str, current: Derivation, run: RunState, edges: Edges, lineage: int, reason: str | None, touched: Touched
) -> Outcome | None:
    """What registering ``node`` again by ``run`` does; None where it changes nothing."""
    held = current.run
    own = {key: edge for key, edge in current.edges.items() if edge.ext is None}
    laid = {key: edge for key, edge in current.edges.items() if edge.ext is not None}
    if run.id == held.id:
        return _add(node, "add", run, current, edges, max(lineage, current.lineage), reason)
    if not run.derived and not held.derived:
        return _add(node, "unite", run, current, edges, max(lineage, current.lineage), reason)
    if (run.derived, run.begin) < (held.derived, held.begin):
        return Outcome(node, "past", run, edges, lineage, reason)
    outlived = any((edge.ext or 0) < run.begin for edge in laid.values())
    if own.keys() == edges.keys() and lineage == current.lineage and not outlived:
        seen_again = current.touched or any(
            edge.version is not None
            and own[key].version is not None
            and touched(key[1], own[key].version or 0, edge.version)
            for key, edge in edges.items()
        )
        if not (run.derived and seen_again):
            return Outcome(node, "begin", run, edges, lineage, reason)
    kept = {key: edge for key, edge in laid.items() if (edge.ext or 0) >= run.begin and key not in edges}
    return Outcome(node, "replace", run, {**edges, **kept}, lineage, reason)


def extend(node: str, current: Derivation, run: RunState, edges: Edges) -> Outcome | None:
    """What laying inputs over a node's derivation does; None where all are there already."""
    if run.begin < current.run.begin and run.id != current.run.id:
        return Outcome(node, "past", run, edges, current.lineage)
    new = {
        key: Edge(edge.origins, edge.version, None if run.id == current.run.id else run.begin)
        for key, edge in edges.items()
        if key not in current.edges
    }
    return Outcome(node, "extend", run, new, current.lineage) if new else None


def _add(
    node: str, action: str, run: RunState, current: Derivation, edges: Edges, lineage: int, reason: str | None
) -> Outcome | None:
    new: Edges = {}
    for key, edge in edges.items():
        before = current.edges.get(key)
        if before is None:
            new[key] = edge
            continue
        lowest = min((v for v in (before.version, edge.version) if v is not None), default=None)
        if edge.origins | before.origins != before.origins or lowest != before.version:
            new[key] = Edge(edge.origins | before.origins, lowest, before.ext)
    if not new and lineage == current.lineage and (action == "add" or run.begin <= current.run.begin):
        return None
    return Outcome(node, action, run, new, lineage, reason)
