"""How registering a node that exists changes its derivation: pure rules, no I/O.

A node has one current derivation. It is the one whose run began last; what is derived (or
imported as ``rebuilt``) outranks what is imported, whatever began last, since nobody
regenerated a text because its file was read again. Within one run, and among imports, inputs
add up. An extension is laid over whatever derivation is current, if its run began no earlier;
over imports it always is. So the result does not depend on the order in which batches are
committed.

An edge keeps both: whether the current making itself has it (``own``), and the begin of the
last run that laid it over (``ext``). A later making keeps what was laid over by a run that
began no earlier than its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lineage.stores.base import Derivation, Edge, Edges, Outcome, RunState

Touched = Callable[[str, int, int], bool]
"""(span id, version read before, version read now) → whether a correction between them touched the span."""


def rederive(
    node: str, current: Derivation, run: RunState, edges: Edges, lineage: int, reason: str | None, touched: Touched
) -> Outcome | None:
    """What registering ``node`` again by ``run`` does; None where it changes nothing."""
    held = current.run
    if run.id == held.id or not (run.derived or held.derived):
        after = united(current.edges, edges)
        worst = max(lineage, current.lineage)
        if after == current.edges and worst == current.lineage and (held.derived or run.begin <= held.begin):
            return None
        return Outcome(node, "unite", run, after, worst, reason)
    if (run.derived, run.begin) < (held.derived, held.begin):
        return Outcome(node, "past", run, edges, lineage, reason)
    kept = {
        key: Edge(edge.origins, edge.version, edge.ext, own=False)
        for key, edge in current.edges.items()
        if edge.ext is not None and edge.ext >= run.begin
    }
    after = united(kept, edges)
    same = after.keys() == current.edges.keys() and lineage == current.lineage
    if same and not (current.touched or _read_news(current.edges, after, touched)):
        return Outcome(node, "begin", run, after, lineage, reason)
    return Outcome(node, "replace", run, after, lineage, reason)


def extend(node: str, current: Derivation, run: RunState, edges: Edges) -> Outcome | None:
    """What laying inputs over a node's derivation does; None where all are there already."""
    if current.run.derived and run.begin < current.run.begin:
        return Outcome(node, "past", run, laid(edges, run), current.lineage)
    after = united(current.edges, laid(edges, run))
    return Outcome(node, "extend", run, after, current.lineage) if after != current.edges else None


def laid(edges: Edges, run: RunState) -> Edges:
    """Edges as ``run`` lays them over a derivation."""
    return {key: Edge(edge.origins, edge.version, run.begin, own=False) for key, edge in edges.items()}


def united(*all_: Mapping[tuple[int, str], Edge]) -> Edges:
    """All edges; one told several times has all origins, the lowest version read, and the last begin laid over."""
    found: Edges = {}
    for edges in all_:
        for key, edge in edges.items():
            before = found.get(key)
            if before is None:
                found[key] = edge
                continue
            found[key] = Edge(
                before.origins | edge.origins,
                min((v for v in (before.version, edge.version) if v is not None), default=None),
                max((begin for begin in (before.ext, edge.ext) if begin is not None), default=None),
                own=before.own or edge.own,
            )
    return found


def _read_news(before: Edges, after: Edges, touched: Touched) -> bool:
    """Whether some input is a span that a correction touched between the version read before and the one read now."""
    for key, edge in after.items():
        was = before[key].version
        if edge.version is not None and was is not None and touched(key[1], was, edge.version):
            return True
    return False
