"""A trace as a networkx graph, and the bottlenecks of what it traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.trace import Trace
from lineage_schema.errors import BadInput
from lineage_schema.vocabulary import PASSING, Kind

if TYPE_CHECKING:
    import networkx

# networkx takes a third of a second to import: it is loaded by those who ask for a graph.

SINK = ""
"""Stands for all sources together. No node has an empty id."""


def to_networkx(trace: Trace) -> networkx.MultiDiGraph[str]:
    """The graph of a trace or an impact, edges from dependents to inputs.

    Node attributes are those of the node's JSON. An edge's key is its role (two nodes may be joined by several
    roles, so it is a directed graph with parallel edges), its attributes are role, origins, and the version read.
    """
    import networkx as nx

    graph: networkx.MultiDiGraph[str] = nx.MultiDiGraph()
    for id_, node in trace.nodes.items():
        graph.add_node(id_, **{key: value for key, value in node.to_json().items() if key != "id"})
    for edge in trace.edges:
        graph.add_edge(
            edge.src, edge.dst, key=edge.role, role=edge.role, origins=list(edge.origins), version=edge.version
        )
    return graph


def bottlenecks(trace: Trace) -> list[str]:
    """The ids of the nodes that every known way from the root to its sources passes, nearest first.

    A way goes over the roles that carry evidence and ends in a span. All spans are joined to one sink; a node that
    lies on every way from the root to that sink is a *dominator* of it, and the dominators of a node form a chain,
    its immediate dominator, that one's, and so on up to the root. Root and sink themselves are left out. Where a
    bottleneck falls, everything above it has lost its sources. Ways that incomplete lineage hides are not known.

    Empty where no span is reached, and for an impact, which has no sources. Raises :class:`BadInput` for a trace that
    a limit cut: the ways that were left out might go past.
    """
    import networkx as nx

    if trace.up or len(trace.roots) != 1:
        return []
    if trace.cut:
        raise BadInput("bottlenecks", "trace", found=f"{trace.cut} nodes cut by a limit", expected="a whole trace")
    graph: Any = nx.DiGraph()
    root = trace.roots[0]
    graph.add_node(root)
    graph.add_edges_from((edge.src, edge.dst) for edge in trace.edges if edge.role in PASSING)
    spans = [id_ for id_, node in trace.nodes.items() if node.view.kind == Kind.SPAN and id_ in graph]
    graph.add_edges_from((span, SINK) for span in spans)
    if SINK not in graph:
        return []
    above: dict[str, str] = nx.immediate_dominators(graph, root)
    if SINK not in above:
        # The spans are reached over structural edges only.
        return []
    found: list[str] = []
    node = above[SINK]
    while node != root:
        found.append(node)
        node = above[node]
    return found[::-1]
