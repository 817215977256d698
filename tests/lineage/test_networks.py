"""A trace as a networkx graph, and its bottlenecks against brute force."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection, Iterable
from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage import BadInput
from lineage.networks import bottlenecks, to_networkx
from lineage.stores.base import EdgeView, NodeView
from lineage.trace import Trace, TraceNode
from lineage_schema.vocabulary import STRUCTURAL, Role

Arrow = tuple[str, str, str]
"""(dependent, role, input)"""


def node(name: str, kind: str) -> TraceNode:
    view = NodeView(
        id=name, kind=kind, namespace="n", key=name, text="t", sha256="", attributes={}, title=None, reason=None,
        details={}, lineage="complete", current=True, begin=1, run=None, producer=None, cache_key=None, question=None,
        at=None, searched=(), label=None, needs_evidence=None, made=1, marks=(), aliases=(),
    )  # fmt: skip
    return TraceNode(view, f"{kind}:n/{name}", name, 0, "fresh", None, ())


def traced(arrows: Iterable[Arrow], *, root: str = "0", spans: Collection[str] = (), cut: int = 0) -> Trace:
    listed = list(arrows)
    names = dict.fromkeys([root, *(end for src, _, dst in listed for end in (src, dst))])
    nodes = {name: node(name, "span" if name in spans else "note") for name in names}
    edges = tuple(EdgeView(src, role, dst, ("listed", "cited"), None, 1, None) for src, role, dst in listed)
    return Trace((root,), False, nodes, edges, cut)


def below(arrows: Iterable[Arrow], root: str, without: str | None) -> set[str]:
    found, stack = {root}, [root]
    while stack:
        here = stack.pop()
        for src, role, dst in arrows:
            if src == here and dst not in found and dst != without and Role(role) not in STRUCTURAL:
                found.add(dst)
                stack.append(dst)
    return found


@st.composite
def traces(draw: st.DrawFn) -> tuple[list[Arrow], set[str]]:
    size = draw(st.integers(1, 10))
    pairs = [(a, b) for a in range(size) for b in range(a + 1, size)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=18)) if pairs else []
    arrows = [(str(a), draw(st.sampled_from(list(Role))).value, str(b)) for a, b in chosen]
    ends = {str(number) for number in range(size)} - {src for src, _, _ in arrows}
    return arrows, {end for end in ends if draw(st.integers(0, 3))}


@given(traces())
def test_bottlenecks_are_the_nodes_without_which_no_source_is_reached(case: tuple[list[Arrow], set[str]]) -> None:
    arrows, spans = case
    everything = below(arrows, "0", None)
    wanted = {
        name
        for name in everything - {"0"}
        if everything & spans and not (below(arrows, "0", name) & spans) and "0" not in spans
    }
    found = bottlenecks(traced(arrows, spans=spans))
    assert set(found) == wanted
    assert len(found) == len(wanted)
    for nearer, farther in pairwise(found):
        assert farther in below(arrows, nearer, None)


def test_ways_over_structural_edges_are_no_ways() -> None:
    arrows = [("0", "evidence", "a"), ("a", "evidence", "s"), ("0", "about", "b"), ("b", "member", "s")]
    assert bottlenecks(traced(arrows, spans={"s"})) == ["a", "s"]
    assert bottlenecks(traced([("0", "about", "b"), ("b", "evidence", "s")], spans={"s"})) == []
    # What reaches no source at all is no way to one.
    assert bottlenecks(traced([*arrows, ("0", "evidence", "c")], spans={"s"})) == ["a", "s"]


def test_a_long_chain() -> None:
    arrows = [(str(number), "evidence", str(number + 1)) for number in range(3000)]
    assert len(bottlenecks(traced(arrows, spans={"3000"}))) == 3000


def test_a_trace_that_was_cut_has_no_certain_bottlenecks() -> None:
    with pytest.raises(BadInput, match="2 nodes"):
        bottlenecks(traced([("0", "evidence", "a")], spans={"a"}, cut=2))


def test_an_impact_has_no_sources() -> None:
    down = traced([("0", "evidence", "a")], spans={"a"})
    assert bottlenecks(Trace(("a",), True, down.nodes, down.edges, 0)) == []
    assert bottlenecks(Trace((), True, {}, (), 0)) == []


def test_the_graph_has_what_the_json_has() -> None:
    trace = traced([("0", "evidence", "a"), ("0", "retrieved", "a"), ("a", "child", "s")], spans={"s"})
    graph = to_networkx(trace)
    assert isinstance(graph, nx.DiGraph)
    assert sorted(graph.edges(keys=True)) == [("0", "a", "evidence"), ("0", "a", "retrieved"), ("a", "s", "child")]
    assert graph.edges["a", "s", "child"] == {"role": "child", "origins": ["listed", "cited"], "version": None}
    body = {each.pop("id"): each for each in trace.to_json()["nodes"]}
    assert {id_: graph.nodes[id_] for id_ in graph} == body
    assert nx.ancestors(graph, "s") == {"0", "a"}


def test_networkx_is_loaded_by_those_who_ask_for_a_graph() -> None:
    script = "import lineage, lineage.networks, lineage.exporters.tree, lineage.exporters.html, sys;"
    script += "sys.exit('networkx' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)
