"""A trace as a networkx graph, and the bottlenecks of what it traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.trace import Trace
from lineage_schema.vocabulary import PASSING, Kind

if TYPE_CHECKING:
    import networkx

SINK = ""
"""Stands for all sources together. No node has an empty id."""


def to_networkx(trace: Trace) -> networkx.MultiDiGraph[str]:
    """The graph of a trace, edges from dependents to inputs; attributes are those of its JSON. Keys are roles."""
    import networkx as nx

    graph: networkx.MultiDiGraph[str] = nx.MultiDiGraph()
    for id_, node in trace.nodes.items():
        graph.add_node(id_, **{key: value for key, value in node.to_json().items() if key != "id"})
    for edge in trace.edges:
        graph.add_edge(edge.src, edge.dst, key=edge.role, origins=list(edge.origins), version=edge.version)
    return graph


def bottlenecks(trace: Trace) -> list[str]:
    """The nodes that every way from the root to its sources passes, nearest first.

    They are the dominators of a sink that is joined to all spans, over the roles that carry
    evidence. Where one of them falls, everything above it falls. Empty for an impact, and where no
    span is reached.
    """
    import networkx as nx

    if trace.up or len(trace.roots) != 1:
        return []
    graph: Any = nx.DiGraph()
    root = trace.roots[0]
    graph.add_node(root)
    graph.add_edges_from((edge.src, edge.dst) for edge in trace.edges if edge.role in PASSING)
    spans = [id_ for id_, node in trace.nodes.items() if node.view.kind == Kind.SPAN and id_ in graph]
    graph.add_edges_from((span, SINK) for span in spans)
    if SINK not in graph:
        return []
    above = nx.immediate_dominators(graph, root)
    found: list[str] = []
    node = above[SINK]
    while node != root:
        found.append(node)
        node = above[node]
    return found[::-1]
