"""Registration: refused input names item and field and leaves the store as it was; the rest adds up in any order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lineage import (
    Answer,
    BadInput,
    Citation,
    Claim,
    Conflict,
    Document,
    Extend,
    Input,
    LineageGraph,
    Node,
    NodeRef,
    Retrieved,
    SpanRef,
)
from lineage_schema.records import Record

TEXT = "Refunds take 30 days. Ask the desk.\n\nParcels leave on Monday. Trucks load at noon.\n"


@pytest.fixture
def graph(opening: Callable[[], LineageGraph]) -> Iterator[LineageGraph]:
    with opening() as opened:
        opened.register([Document(uri="terms.md", text=TEXT, namespace="n")])
        yield opened


def span(start: int, end: int, **more: Any) -> SpanRef:
    return SpanRef(uri="terms.md", start=start, end=end, **more)


def chunk(key: str, start: int, end: int, text: str | None = None, **more: Any) -> Node:
    read = Input(ref=span(start, end, quote=TEXT[start:end]))
    return Node(kind="chunk", namespace="n", key=key, text=text or TEXT[start:end], inputs=(read,), **more)


def note(key: str, text: str, *inputs: str, kind: str = "note", **more: Any) -> Node:
    below = tuple(Input(ref=NodeRef(kind="chunk", namespace="n", key=each)) for each in inputs)
    return Node(kind=kind, namespace="n", key=key, text=text, inputs=below, **more)


def everything(graph: LineageGraph) -> dict[str, Any]:
    return graph.store.read(lambda tx: {**tx.reading.counts(), "sequence": tx.sequence()})


REFUSED: dict[str, tuple[list[Any], str]] = {
    "a quote that is not the slice": (
        [Node(kind="chunk", namespace="n", key="k", text="x", inputs=(Input(ref=span(0, 7, quote="Refund!")),))],
        r"quote.*Refunds.*Refund!",
    ),
    "a range outside the text": (
        [Node(kind="chunk", namespace="n", key="k", text="x", inputs=(Input(ref=span(0, 999)),))],
        "start, end",
    ),
    "an empty range": (
        [Node(kind="chunk", namespace="n", key="k", text="x", inputs=(Input(ref=span(3, 3)),))],
        "start, end",
    ),
    "an unknown document": (
        [
            Node(
                kind="chunk",
                namespace="n",
                key="k",
                text="x",
                inputs=(Input(ref=SpanRef(uri="no.md", start=0, end=1)),),
            )
        ],
        "uri.*no.md",
    ),
    "an unknown version": (
        [Node(kind="chunk", namespace="n", key="k", text="x", inputs=(Input(ref=span(0, 7, version=9)),))],
        r"version.*\[1\].*9",
    ),
    "an unknown input": ([note("k", "x", "nowhere")], "nowhere"),
    "an unknown id": (
        [Node(kind="note", namespace="n", key="k", text="x", inputs=(Input(ref="l1:" + "0" * 40),))],
        "l1:000",
    ),
    "half a surrogate": ([Node(kind="note", namespace="n", key="k", text="a\ud83d")], "half surrogates"),
    "an empty key": ([Node(kind="note", namespace="n", key="", text="x")], "key"),
    "a float where identity is made": (
        [Node(kind="note", namespace="n", key="k", text="x", attributes={"rank": 0.5})],
        r"attributes\.rank|rank.*float",
    ),
    "a meaning attribute that the kind does not have": (
        [Node(kind="summary", namespace="n", key="k", text="x", attributes={"rank": 1})],
        r"attributes\.rank.*level",
    ),
    "a claim of no answer": (
        [Claim(answer={"namespace": "n", "key": "none"}, ordinal=1, text="x")],
        "answer.*none",
    ),
    "incomplete lineage without a reason": (
        [Node(kind="note", namespace="n", key="k", text="x", lineage="partial")],
        "lineage_reason",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_input_names_itself_and_leaves_the_store_as_it_was(graph: LineageGraph, case: str) -> None:
    records, message = REFUSED[case]
    before = everything(graph)
    with pytest.raises(BadInput, match=message):
        graph.register([chunk("good", 0, 21), *records])
    assert everything(graph) == before


def test_a_cycle_is_refused_with_its_path(graph: LineageGraph) -> None:
    def node(key: str, below: str) -> Node:
        return Node(
            kind="note",
            namespace="n",
            key=key,
            text=key,
            inputs=(Input(ref=NodeRef(kind="note", namespace="n", key=below)),),
        )

    with pytest.raises(BadInput, match=r"note:n/[abc] → note:n/[abc] → note:n/[abc] → note:n/[abc]"):
        graph.register([node("a", "b"), node("b", "c"), node("c", "a")])
    graph.register([note("a", "a"), node("b", "a"), node("c", "b")])
    before = everything(graph)
    with pytest.raises(BadInput, match="→"):
        graph.register(
            [
                Extend(
                    node=NodeRef(kind="note", namespace="n", key="a"),
                    inputs=(Input(ref=NodeRef(kind="note", namespace="n", key="c")),),
                )
            ]
        )
    assert everything(graph) == before


def test_the_order_within_a_batch_is_free(tmp_path: Path) -> None:
    batch: list[Record] = [
        chunk("a", 0, 21),
        chunk("b", 37, 61),
        note("s", "both", "a", "b"),
        Answer(namespace="n", key="q", question="?", text="!"),
        Claim(answer={"namespace": "n", "key": "q"}, ordinal=1, text="!"),
        Citation(
            claim={"answer": {"namespace": "n", "key": "q"}, "ordinal": 1},
            order=1,
            target=NodeRef(kind="note", namespace="n", key="s"),
        ),
    ]
    seen = []
    for number, order in enumerate(itertools.islice(itertools.permutations(batch), 0, 720, 90)):
        with LineageGraph.open(f"sqlite:///{tmp_path / f'{number}.db'}", create=True) as graph:
            graph.register([Document(uri="terms.md", text=TEXT, namespace="n")])
            graph.register(list(order))
            answer = graph.resolve("answer:n/q")
            walk = walked(graph, answer)
            seen.append(sorted((edge.src, edge.role, edge.dst) for edge in walk.edges))
    assert len(seen[0]) == 6
    assert all(each == seen[0] for each in seen)


def walked(graph: LineageGraph, root: str) -> Any:
    return graph.store.read(lambda tx: tx.reading.walk([root], up=False))


def test_sent_twice_is_sent_once(graph: LineageGraph) -> None:
    batch = [chunk("a", 0, 21), note("s", "one", "a")]
    run = graph.run("n", producer="p", key="r")
    first = run.register(batch)
    before = everything(graph)["nodes"], everything(graph)["edges"]
    again = run.register(batch)
    assert first.written == {"chunk": 1, "note": 1, "span": 1}
    assert not again.written
    assert again.derived == 0
    assert (everything(graph)["nodes"], everything(graph)["edges"]) == before


def test_the_same_entity_from_three_chunks_keeps_all_three_inputs(graph: LineageGraph) -> None:
    # tteon/seocho #183: the last write won, and an entity kept one of its three chunks.
    graph.register([chunk("a", 0, 21), chunk("b", 22, 35), chunk("c", 37, 61)])
    run = graph.run("n", producer="p", key="r")
    for each in ("b", "a", "c"):
        run.register([note("e", "the desk", each, kind="entity")])
    walk = graph.store.read(lambda tx: tx.reading.walk([graph_id(graph)], up=False))
    assert sum(edge.src == graph_id(graph) for edge in walk.edges) == 3


def graph_id(graph: LineageGraph) -> str:
    return graph.find("the desk", kind="entity")[0].id


def test_other_bytes_under_a_known_uri_are_a_conflict_that_names_the_choices(graph: LineageGraph) -> None:
    with pytest.raises(Conflict) as caught:
        graph.register([Document(uri="terms.md", text=TEXT + "More.")])
    assert all(word in str(caught.value.hint) for word in ("correct", "edition", "uri"))
    assert graph.register([Document(uri="terms.md", text=TEXT)]).existed == {"document": 1}


def test_what_was_printed_is_kept_and_what_is_odd_is_a_finding(graph: LineageGraph) -> None:
    # onyx #1543, llama_index #7299: a marker without a source is a finding with its place.
    answer = {"namespace": "n", "key": "q"}
    claim = {"answer": answer, "ordinal": 1}
    target = NodeRef(kind="chunk", namespace="n", key="a")
    done = graph.register(
        [
            chunk("a", 0, 21),
            chunk("b", 37, 61),
            Answer(namespace="n", key="q", question="?", text="30 days [1][1][9]."),
            Claim(answer=answer, ordinal=1, label="C1", text="30 days"),
            Citation(claim=claim, order=1, marker="[1]", marker_start=8, marker_end=11, target=target),
            Citation(claim=claim, order=2, marker="[1]", marker_start=11, marker_end=14, target=target),
            Citation(claim=claim, order=3, marker="[9]", marker_start=14, marker_end=17),
            Retrieved(answer=answer, target=NodeRef(kind="chunk", namespace="n", key="b"), rank=1),
        ]
    )
    assert sorted(finding.kind for finding in done.findings) == [
        "cited_not_retrieved",
        "cited_not_retrieved",
        "duplicate_citation",
        "unknown_marker",
    ]
    id_ = graph.resolve("claim:n/q/C1")
    printed = graph.store.read(lambda tx: tx.reading.citations([id_]))[id_]
    assert [(each.order, each.marker, each.marker_start, each.target is None) for each in printed] == [
        (1, "[1]", 8, False),
        (2, "[1]", 11, False),
        (3, "[9]", 14, True),
    ]


def test_same_file_name_in_two_folders_is_two_documents(graph: LineageGraph) -> None:
    # LightRAG #3158
    graph.register([Document(uri="a/readme.md", text="One."), Document(uri="b/readme.md", text="One.")])
    documents = graph.store.read(lambda tx: tx.sources.documents(["a/readme.md", "b/readme.md"]))
    assert len(documents) == 2


def test_four_thousand_unchanged_chunks_write_nothing(graph: LineageGraph) -> None:
    # langchain #32612: nothing had changed, and 3,203 of 4,000 chunks were rewritten.
    chunks = [note(f"c{number}", f"text {number}", kind="piece") for number in range(4000)]
    graph.run("n", producer="p", key="r1").register(chunks)
    run = graph.run("n", producer="p", key="r2")
    for begin in range(0, 4000, 700):
        done = run.register(chunks[begin : begin + 700])
        assert not done.written
        assert done.derived == 0
