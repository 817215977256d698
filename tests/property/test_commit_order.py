"""Batches of several runs, committed in any order, end the same: order is by the begin of runs, not by commits."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from lineage import Document, Extend, Input, LineageGraph, Node, NodeRef, SpanRef

TEXT = "Alpha holds. Bravo holds.\n\nCarol holds.\n"
PARTS = ((0, 12), (13, 25), (27, 39))
NUMBERS = itertools.count()

chunks = st.lists(st.integers(0, 2), min_size=1, max_size=2, unique=True)
making = st.tuples(st.just("node"), st.integers(0, 1), st.integers(0, 1), chunks)
laying = st.tuples(st.just("extend"), st.just(0), st.just(0), chunks)
batches = st.lists(st.tuples(st.integers(0, 3), st.one_of(making, making, laying)), min_size=2, max_size=6)


def ref(number: int) -> Input:
    return Input(ref=NodeRef(kind="chunk", namespace="n", key=f"c{number}"))


def form(what: tuple[str, int, int, list[int]]) -> Any:
    kind, key, text, below = what
    inputs = tuple(ref(number) for number in below)
    if kind == "extend":
        return Extend(node=NodeRef(kind="base", namespace="n", key="k"), inputs=inputs)
    return Node(kind="note", namespace="n", key=f"k{key}", text=f"t{text}", inputs=inputs)


def ended(folder: Path, order: list[tuple[int, Any]]) -> Any:
    path = folder / f"{next(NUMBERS)}.db"
    with LineageGraph.open(f"sqlite:///{path}", create=True) as graph:
        graph.register([Document(uri="d", text=TEXT, namespace="n")])
        first = graph.run("n", producer="p", key="first")
        for number, (start, end) in enumerate(PARTS):
            read = SpanRef(uri="d", start=start, end=end, quote=TEXT[start:end])
            chunk = Node(kind="chunk", namespace="n", key=f"c{number}", text=TEXT[start:end], inputs=(Input(ref=read),))
            first.register([chunk])
        first.register([Node(kind="base", namespace="n", key="k", text="base", inputs=(ref(0),))])
        modes = ("derived", "imported", "derived", "imported")
        runs = [graph.run("n", producer="p", key=f"r{number}", mode=mode) for number, mode in enumerate(modes)]
        graph.correct({"d": TEXT.replace("Bravo holds", "Bravo ends")}, reason="changed", force=True)
        for number, what in order:
            runs[number].register([form(what)])
        graph.propagate()
        views = [*graph.find("", kind="note"), *graph.find("", kind="base")]
        walk = graph.store.read(lambda tx: tx.reading.walk([view.id for view in views], up=False))
        nodes = sorted(
            (view.id, view.current, sorted((mark.cause, mark.severity) for mark in view.marks)) for view in views
        )
        assert not graph.verify().faults
        return nodes, sorted((edge.src, edge.role, edge.dst, edge.version) for edge in walk.edges)


@settings(max_examples=40)
@given(batches, st.randoms(use_true_random=False))
def test_the_order_of_commits_does_not_matter(order: list[tuple[int, Any]], chance: Any) -> None:
    other = list(order)
    chance.shuffle(other)
    with tempfile.TemporaryDirectory() as folder:
        assert ended(Path(folder), order) == ended(Path(folder), other)


def test_one_run_names_two_texts_and_another_comes_between() -> None:
    one, two, three = (0, ("node", 1, 1, [0])), (0, ("node", 1, 0, [0])), (1, ("node", 1, 1, [0]))
    with tempfile.TemporaryDirectory() as folder:
        results = [ended(Path(folder), list(order)) for order in itertools.permutations([one, two, three])]
    assert all(result == results[0] for result in results)
