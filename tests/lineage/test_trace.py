"""Tracing and impact: each node once, complete, nearest first, and as it was at any time."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import neo4j
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineage import (
    Answer,
    BadInput,
    Citation,
    Claim,
    Document,
    Extend,
    Input,
    LineageGraph,
    Node,
    NodeRef,
    NotFound,
    Retrieved,
    SpanRef,
    Version,
)
from lineage.stores.sqlite import SqliteStore
from lineage.trace import Trace
from lineage_schema.vocabulary import STRUCTURAL, Role
from tests.neo4j_server.fixtures import emptied, logged_in
from tests.neo4j_server.server import Server

TEXT = (
    "# Returns\n\n"
    "Café goods go back to the café. Standard items may be returned within 30 days of delivery. "
    "A receipt 🧾 is needed. Gift cards are final.\n\n"
    "Shipping is free. Boats leave daily.\n"
)
CORRECTED = TEXT.replace("30 days", "14 days")
RETURNS, SHIPPING = "Standard items may be returned within 30 days of delivery.", "Shipping is free."
RECEIPT = "A receipt 🧾 is needed."
URI = "returns.md"
ANSWER = {"namespace": "n", "key": "q"}
CLAIM = {"answer": ANSWER, "ordinal": 1}


def opened(path: Path, clock: Callable[[], int] | None = None) -> LineageGraph:
    where = f"sqlite:///{path / 'lineage.db'}"
    return (
        LineageGraph.open(where, create=True) if clock is None else LineageGraph.open(where, create=True, clock=clock)
    )


class Clock:
    """A time that goes on by one second whenever it is asked for."""

    def __init__(self) -> None:
        self.now = 1_000_000_000_000_000

    def __call__(self) -> int:
        self.now += 1_000_000
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def graph(store_url: str, clock: Clock) -> Iterator[LineageGraph]:
    with LineageGraph.open(store_url, create=True, clock=clock) as found:
        found.register([Document(uri=URI, text=TEXT, namespace="n")])
        yield found


def span(words: str, text: str = TEXT, **more: Any) -> SpanRef:
    start = text.index(words)
    return SpanRef(uri=URI, start=start, end=start + len(words), quote=words, **more)


def ref(kind: str, key: str) -> NodeRef:
    return NodeRef(kind=kind, namespace="n", key=key)


def chunk(key: str, *words: str, text: str = TEXT, **more: Any) -> Node:
    inputs = tuple(Input(ref=span(each, text)) for each in words)
    return Node(kind="chunk", namespace="n", key=key, text=" ".join(words), inputs=inputs, **more)


def note(key: str, *below: tuple[str, str], role: Role = Role.EVIDENCE, text: str | None = None, **more: Any) -> Node:
    inputs = tuple(Input(ref=ref(*each), role=role) for each in below)
    return Node(kind="note", namespace="n", key=key, text=text or f"note {key}", inputs=inputs, **more)


def asked(*targets: NodeRef | SpanRef, text: str = "30 days.") -> list[Answer | Claim | Citation]:
    cited = [
        Citation(claim=CLAIM, order=number, marker=f"[{number}]", target=target)
        for number, target in enumerate(targets, 1)
    ]
    return [
        Answer(namespace="n", key="q", question="How long?", text=text),
        Claim(answer=ANSWER, ordinal=1, label="C1", text=text),
        *cited,
    ]


def names(trace: Trace) -> list[str]:
    return [node.name if node.passage is None else node.label for node in trace.nodes.values()]


def only(trace: Trace, kind: str) -> Any:
    (found,) = [node for node in trace.nodes.values() if node.view.kind == kind]
    return found


def statements(graph: LineageGraph, work: Callable[[], object]) -> int:
    """How many statements ``work`` runs in the file, or sends to the server."""
    ran: list[str] = []
    if isinstance(graph.store, SqliteStore):
        connection = graph.store._connection
        connection.set_trace_callback(ran.append)
        try:
            work()
        finally:
            connection.set_trace_callback(None)
        return len(ran)
    send = neo4j.ManagedTransaction.run

    def counted(tx: neo4j.ManagedTransaction, statement: Any, *given: Any, **more: Any) -> neo4j.Result:
        ran.append(statement)
        return send(tx, statement, *given, **more)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(neo4j.ManagedTransaction, "run", counted)
        work()
    return len(ran)


# the graph: every node once, complete, nearest first

ROLES = (Role.EVIDENCE, Role.CHILD, Role.QUALIFIER, Role.ABOUT, Role.MEMBER)
Dag = Sequence[Mapping[int, set[Role]]]


@st.composite
def dags(draw: st.DrawFn) -> Dag:
    """For each node the nodes before it that it stands on, by roles."""
    size = draw(st.integers(1, 9))
    return [
        draw(st.dictionaries(st.integers(0, number - 1), st.sets(st.sampled_from(ROLES), min_size=1), max_size=4))
        if number
        else {}
        for number in range(size)
    ]


def registered(graph: LineageGraph, dag: Dag) -> list[str]:
    """The graph's nodes; those that stand on nothing are read from the source."""
    nodes = []
    for number, below in enumerate(dag):
        inputs = [Input(ref=ref("note", str(b)), role=role) for b, roles in below.items() for role in sorted(roles)]
        read = () if below else (Input(ref=span(RETURNS)),)
        nodes.append(Node(kind="note", namespace="n", key=str(number), text=f"text {number}", inputs=(*inputs, *read)))
    graph.register(nodes)
    return [graph.resolve(f"note:n/{number}") for number in range(len(dag))]


def arrows(ids: Sequence[str], dag: Dag, source: str, *, passing: bool) -> set[tuple[str, str, str]]:
    found = {
        (ids[number], role.value, ids[below])
        for number, roles_by in enumerate(dag)
        for below, roles in roles_by.items()
        for role in roles
        if not passing or role not in STRUCTURAL
    }
    return found | {(ids[number], "evidence", source) for number, below in enumerate(dag) if not below}


def levels(edges: set[tuple[str, str, str]], root: str, *, up: bool) -> dict[str, int]:
    found, frontier, level = {root: 0}, [root], 0
    while frontier:
        level += 1
        pairs = [(dst, src) if up else (src, dst) for src, _, dst in edges]
        frontier = sorted({there for here, there in pairs if here in frontier and there not in found})
        found.update(dict.fromkeys(frontier, level))
    return found


def traced(graph: LineageGraph, dag: Dag, limit: int, data: st.DataObject) -> None:
    """In an empty store, what is told of the graph is what is reached."""
    graph.register([Document(uri=URI, text=TEXT, namespace="n")])
    ids = registered(graph, dag)
    (source,) = graph.impact(URI).roots
    root = data.draw(st.sampled_from([*ids, source]))
    for up, whole in ((False, graph.trace(root)), (True, graph.impact(root))):
        edges = arrows(ids, dag, source, passing=up)
        wanted = levels(edges, root, up=up)
        assert {id_: node.level for id_, node in whole.nodes.items()} == wanted
        met = {(src, role, dst) for src, role, dst in edges if (dst if up else src) in wanted}
        assert sorted((edge.src, edge.role, edge.dst) for edge in whole.edges) == sorted(met)
        body = whole.to_json()
        assert len({node["id"] for node in body["nodes"]}) == len(body["nodes"]) == len(wanted)
        assert [(n["level"], n["kind"], n["namespace"], n["key"], n["id"]) for n in body["nodes"]] == sorted(
            (n["level"], n["kind"], n["namespace"], n["key"], n["id"]) for n in body["nodes"]
        )
        assert (whole.cut, body["truncated"]) == (0, False)

        part = (graph.impact if up else graph.trace)(root, limit=limit)
        assert len(part.nodes) == min(limit, len(wanted))
        beside = {(src if up else dst) for src, _, dst in met if (dst if up else src) in part.nodes}
        assert part.cut == len(beside - part.nodes.keys())
        assert part.to_json()["truncated"] == (limit < len(wanted))
        left = [level for id_, level in wanted.items() if id_ not in part.nodes]
        assert max(node.level for node in part.nodes.values()) <= min(left, default=99)


@given(dags(), st.integers(1, 12), st.data())
def test_a_trace_is_what_is_reached_each_node_once(dag: Dag, limit: int, data: st.DataObject) -> None:
    with TemporaryDirectory() as folder, opened(Path(folder)) as graph:
        traced(graph, dag, limit, data)


@pytest.mark.neo4j
def test_so_it_is_on_a_server(neo4j_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    url = logged_in(neo4j_server, monkeypatch)

    @settings(max_examples=max(12, settings().max_examples // 100))
    @given(dags(), st.integers(1, 12), st.data())
    def each(dag: Dag, limit: int, data: st.DataObject) -> None:
        emptied(neo4j_server)
        with LineageGraph.open(url, create=True) as graph:
            traced(graph, dag, limit, data)

    each()


# kuzu, MLMD: a walk stopped at 30 or 50 hops without a word
def test_a_chain_of_two_hundred_is_whole(graph: LineageGraph) -> None:
    graph.register([chunk("c", RETURNS), note("0", ("chunk", "c"))])
    graph.register([note(str(number), ("note", str(number - 1))) for number in range(1, 200)])
    down, up = graph.trace("note:n/199"), graph.impact(URI)
    assert len(down.nodes) == len(up.nodes) == 202
    assert only(down, "span").level == 201
    assert up.nodes[graph.resolve("note:n/199")].level == 201


# typegraph #271: paths were enumerated, 44 s on 31 nodes
def test_a_fully_connected_layering_is_not_walked_by_paths(graph: LineageGraph) -> None:
    nodes = [chunk(f"c{at}", RETURNS) for at in range(8)]
    for layer in range(12):
        kind = ("chunk", "c") if layer == 0 else ("note", f"{layer - 1}-")
        nodes += [note(f"{layer}-{at}", *((kind[0], f"{kind[1]}{b}") for b in range(8))) for at in range(8)]
    graph.register(nodes)
    found: list[Trace] = []
    ran = statements(graph, lambda: found.append(graph.trace("note:n/11-0")))
    assert len(found[0].nodes) == 1 + 11 * 8 + 8 + 1
    assert len(found[0].edges) == 8 + 11 * 64 + 8
    assert ran < 60


def test_the_work_does_not_follow_the_number_of_nodes(graph: LineageGraph) -> None:
    text = " ".join(f"Rule {number} holds." for number in range(2000))
    graph.register([Document(uri="rules.md", text=text, namespace="n")])
    batch = []
    for number in range(2000):
        words = f"Rule {number} holds."
        read = SpanRef(uri="rules.md", start=text.index(words), end=text.index(words) + len(words), quote=words)
        batch.append(Node(kind="chunk", namespace="n", key=str(number), text=words, inputs=(Input(ref=read),)))
    graph.register(batch)
    graph.correct({"rules.md": text.replace("Rule 7 ", "Rules 7 ")}, reason="r")
    ran = statements(graph, lambda: graph.impact("rules.md"))
    assert ran < 80


def test_a_node_is_found_by_all_that_names_it(graph: LineageGraph) -> None:
    graph.register([chunk("a", RETURNS, aliases=("unit-7",)), *asked(ref("chunk", "a"))])
    root = graph.resolve("chunk:n/a")
    assert graph.trace(root).roots == graph.trace("chunk:n/a").roots == graph.trace("unit-7").roots == (root,)
    assert names(graph.trace("q"))[:2] == ["answer:n/q", "claim:n/q/C1"]
    with pytest.raises(NotFound):
        graph.trace("chunk:n/none")


@pytest.mark.parametrize("bad", [{"limit": 0}, {"as_of": -1}])
def test_senseless_bounds_are_refused(graph: LineageGraph, bad: dict[str, int]) -> None:
    graph.register([chunk("a", RETURNS)])
    with pytest.raises(BadInput):
        graph.trace("chunk:n/a", **bad)
    with pytest.raises(BadInput):
        graph.impact(URI, **bad)


# what is told of a node


def test_edges_tell_role_origins_version_and_completeness(graph: LineageGraph) -> None:
    entity = Node(
        kind="entity", namespace="n", key="e", text="E", inputs=(Input(ref=ref("chunk", "a"), origins=("listed",)),)
    )
    relationship = Node(
        kind="relationship",
        namespace="n",
        key=["e", "f"],
        text="knows",
        lineage="partial",
        lineage_reason="list cut at 2",
        inputs=(
            Input(ref=ref("entity", "e"), role=Role.ENDPOINT),
            Input(ref=ref("chunk", "a"), origins=("via_entity", "listed")),
        ),
    )
    graph.register([chunk("a", RETURNS), entity, relationship])
    found = graph.trace('relationship:n/["e","f"]')
    body = found.to_json()
    assert [
        (edge["role"], edge["origins"], edge["version"], edge["lineage"])
        for edge in body["edges"]
        if edge["from"] == found.roots[0]
    ] == [("endpoint", ["declared"], None, "partial"), ("evidence", ["listed", "via_entity"], None, "partial")]
    assert [edge["version"] for edge in body["edges"] if edge["to"] == only(found, "span").view.id] == [1]
    root = body["nodes"][0]
    assert (root["label"], root["lineage"], root["reason"]) == ("e → f", "partial", "list cut at 2")
    assert only(found, "entity").view.lineage == "complete"
    # An endpoint is shown going down, and carries nothing going up.
    assert found.roots[0] not in graph.impact("entity:n/e").nodes


def test_a_passage_is_located_and_quoted_by_code_points(graph: LineageGraph) -> None:
    start = TEXT.index(RECEIPT)
    graph.register(
        [
            Version(
                uri=URI,
                pages=[{"label": "iv", "start": 0, "end": start + 4}, {"label": "5", "start": start + 4, "end": 185}],
                sections=[
                    {"heading": "Returns", "level": 1, "start": 0, "end": 185},
                    {"heading": "Proof", "level": 2, "start": start - 3, "end": 180},
                ],
            ),
            chunk("a", RECEIPT),
        ]
    )
    found = only(graph.trace("chunk:n/a"), "span").passage
    assert (found.uri, found.edition, found.version) == (URI, 1, 1)
    assert (found.start, found.end) == (start, start + len(RECEIPT))
    assert (found.page, found.section) == ("iv–5", "Proof")
    assert (found.before, found.quote, found.after) == (
        TEXT[start - 40 : start],
        RECEIPT,
        TEXT[start + len(RECEIPT) :][:40],
    )
    assert (found.cls, found.fate, found.now) == ("stands", None, (1, start, start + len(RECEIPT)))


def test_citations_are_shown_as_printed(graph: LineageGraph) -> None:
    graph.register(
        [
            chunk("a", RETURNS),
            Answer(namespace="n", key="q", question="?", text="30 days [1][1][9]."),
            Claim(answer=ANSWER, ordinal=1, label="C1", text="30 days"),
            Citation(claim=CLAIM, order=1, marker="[1]", marker_start=8, marker_end=11, target=ref("chunk", "a")),
            Citation(claim=CLAIM, order=2, marker="[1]", marker_start=11, marker_end=14, target=ref("chunk", "a")),
            Citation(claim=CLAIM, order=3, marker="[9]", marker_start=14, marker_end=17),
            Retrieved(answer=ANSWER, target=ref("chunk", "a"), rank=1),
        ]
    )
    found = graph.trace("claim:n/q/C1").to_json()["nodes"][0]
    target = graph.resolve("chunk:n/a")
    assert [(each["marker"], each["marker_start"], each["target"]) for each in found["citations"]] == [
        ("[1]", 8, target),
        ("[1]", 11, target),
        ("[9]", 14, None),
    ]
    assert "citations" not in graph.trace("answer:n/q").to_json()["nodes"][0]


def test_marks_name_their_cause(graph: LineageGraph) -> None:
    graph.register([chunk("a", RETURNS), chunk("b", SHIPPING), note("s", ("chunk", "a"), ("chunk", "b"))])
    done = graph.correct({URI: CORRECTED}, reason="policy", by="maya")
    found = graph.trace("note:n/s")
    statuses = {name: node.status for name, node in zip(names(found), found.nodes.values(), strict=True)}
    assert statuses["note:n/s"] == statuses["chunk:n/a"] == "invalid"
    assert statuses["chunk:n/b"] == "fresh"
    body = found.to_json()
    (mark,) = body["nodes"][0]["marks"]
    assert (mark["cause"], mark["type"], mark["severity"]) == (done.id, "correction", "invalid")
    (cause,) = body["causes"]
    assert (cause["id"], cause["reason"], cause["by"]) == (done.id, "policy", "maya")
    assert cause["seq"] < mark["since"]


def test_pending_work_is_told(graph: LineageGraph) -> None:
    # DataHub #18623: a result of unfinished work must not look final.
    graph.register([chunk("a", RETURNS), note("s", ("chunk", "a"))])
    assert graph.trace("note:n/s").pending == 0
    graph.correct({URI: CORRECTED}, reason="policy", propagate=False)
    waiting = graph.trace("note:n/s")
    assert (waiting.nodes[waiting.roots[0]].status, waiting.pending) == ("fresh", 1)
    assert waiting.to_json()["pending"] == 1
    graph.propagate()
    done = graph.trace("note:n/s")
    assert (done.nodes[done.roots[0]].status, done.pending) == ("invalid", 0)


# what became of a span


def fate(graph: LineageGraph, ref_: str = "chunk:n/a", **more: Any) -> Any:
    return only(graph.trace(ref_, **more), "span").passage


def test_old_and_new_are_whole_sentences_and_only_those_that_differ(graph: LineageGraph) -> None:
    paragraph = TEXT[TEXT.index("Café") : TEXT.index("\n\nShipping")]
    graph.register([chunk("a", "30 days"), chunk("b", paragraph)])
    done = graph.correct({URI: CORRECTED}, reason="policy")
    for key in ("a", "b"):
        found = fate(graph, f"chunk:n/{key}")
        assert (found.cls, found.fate.cause, found.now) == ("changed", done.id, None)
        assert found.fate.old == RETURNS
        assert found.fate.new == RETURNS.replace("30", "14")
        assert (found.fate.edition, found.fate.version) == (1, 2)
    start = CORRECTED.index("14 days")
    assert (fate(graph).fate.start, fate(graph).fate.end) == (start, start + 7)
    body = fate(graph).to_json()
    assert body["there"] == {"edition": 1, "version": 2, "start": start, "end": start + 7}
    assert (body["class"], body["old"], body["new"]) == ("changed", RETURNS, RETURNS.replace("30", "14"))


def test_a_sentence_added_or_taken_away(graph: LineageGraph) -> None:
    paragraph = TEXT[TEXT.index("Café") : TEXT.index("\n\nShipping")]
    graph.register([chunk("a", paragraph)])
    graph.correct({URI: TEXT.replace(f"{RECEIPT} ", "")}, reason="no receipts")
    assert (fate(graph).fate.old, fate(graph).fate.new) == (RECEIPT, None)
    graph.undo("last")
    graph.correct({URI: TEXT.replace(RECEIPT, f"{RECEIPT} Keep it.")}, reason="keep it")
    assert (fate(graph).fate.old, fate(graph).fate.new) == (None, "Keep it.")


def test_deleted_withdrawn_beside_and_undone(graph: LineageGraph) -> None:
    graph.register([chunk("a", SHIPPING), chunk("b", RECEIPT)])
    graph.correct({URI: TEXT.replace(f"{SHIPPING} ", "")}, reason="not free")
    assert (fate(graph).cls, fate(graph).fate.old, fate(graph).fate.new) == ("deleted", SHIPPING, None)
    graph.undo("last")
    assert (fate(graph).cls, fate(graph).now[0]) == ("stands", 3)

    graph.correct({URI: CORRECTED}, reason="policy")
    beside = fate(graph, "chunk:n/b")
    assert (beside.cls, beside.quote, beside.now[0]) == ("context", RECEIPT, 4)
    assert (beside.fate.old, beside.fate.new) == (RETURNS, RETURNS.replace("30", "14"))
    assert only(graph.trace("chunk:n/b"), "span").status == "review"

    graph.withdraw([URI], reason="closed")
    found = fate(graph)
    assert (found.cls, found.quote, found.fate.new, found.now) == ("withdrawn", SHIPPING, None, None)


def test_an_edition(graph: LineageGraph) -> None:
    graph.register([chunk("a", RETURNS), chunk("b", SHIPPING)])
    graph.correct({URI: CORRECTED}, reason="2027", kind="edition", valid_from="2027-01-01")
    found = fate(graph)
    assert (found.cls, found.edition, found.fate.edition, found.fate.version) == ("changed", 1, 2, 1)
    assert (found.fate.old, found.fate.new) == (RETURNS, RETURNS.replace("30", "14"))
    assert found.now is not None
    assert fate(graph, "chunk:n/b").cls == "edition"


def test_the_version_that_was_read(graph: LineageGraph) -> None:
    graph.register([chunk("old", RETURNS)])
    graph.correct({URI: "Preface.\n\n" + CORRECTED}, reason="policy")
    text = "Preface.\n\n" + CORRECTED
    graph.register([chunk("new", RETURNS.replace("30", "14"), text=text), chunk("still", SHIPPING, text=text)])
    assert (fate(graph, "chunk:n/new").version, fate(graph, "chunk:n/new").cls) == (2, "stands")
    still = fate(graph, "chunk:n/still")
    assert (still.version, still.start, still.quote) == (2, text.index(SHIPPING), SHIPPING)
    # The span's own first place is in version 1, and so is its label's.
    assert f"v1 [{TEXT.index(SHIPPING)}" in only(graph.trace("chunk:n/still"), "span").label


def test_a_purged_document_leaves_a_tombstone(graph: LineageGraph) -> None:
    # topoteretes/cognee #4030, infiniflow/ragflow #9883: opening the citation failed.
    graph.register([chunk("a", RETURNS), *asked(ref("chunk", "a"))])
    graph.withdraw([URI], reason="court order", purge=True)
    found = graph.trace("claim:n/q/C1")
    assert [node.view.kind for node in found.nodes.values()] == ["claim", "chunk", "span"]
    assert RETURNS not in json.dumps(found.to_json())
    assert (only(found, "span").passage.quote, only(found, "chunk").view.text) == (None, None)
    assert only(found, "chunk").view.sha256 is not None
    assert only(found, "span").passage.cls == "withdrawn"


# impact


def test_the_impact_of_a_document_is_that_of_all_its_spans_of_all_versions(graph: LineageGraph) -> None:
    graph.register([chunk("a", RETURNS), chunk("b", SHIPPING), *asked(ref("chunk", "a"))])
    graph.correct({URI: CORRECTED}, reason="policy")
    graph.register([chunk("c", "14 days", text=CORRECTED)])
    found = graph.impact(URI)
    assert found.document == URI
    assert {*names(found)} >= {"chunk:n/a", "chunk:n/b", "chunk:n/c", "claim:n/q/C1", "answer:n/q"}
    places = [(place.version, place.start) for place in (found.nodes[root].passage for root in found.roots) if place]
    assert len(places) == 3
    assert places == sorted(places)
    assert found.to_json()["schema"] == "impact/1"
    assert graph.trace("chunk:n/a").to_json()["schema"] == "trace/1"


def test_a_limit_under_the_number_of_spans(graph: LineageGraph) -> None:
    graph.register([chunk("a", "Café"), chunk("b", RETURNS), chunk("c", SHIPPING)])
    found = graph.impact(URI, limit=2)
    places = [found.nodes[root].passage for root in found.roots]
    assert [place.quote for place in places if place] == ["Café", RETURNS]
    # One span was left out, and the two chunks above the others were met.
    assert (len(found.nodes), found.cut) == (2, 3)


def test_the_impact_of_a_document_that_nothing_was_read_from_is_empty(graph: LineageGraph) -> None:
    found = graph.impact(URI)
    assert (found.roots, dict(found.nodes), found.document) == ((), {}, URI)
    with pytest.raises(NotFound):
        graph.impact("none.md")


# as it was


def now(graph: LineageGraph) -> int:
    return int(graph.store.read(lambda tx: tx.sequence()))


def test_before_a_correction_nothing_of_it_is_seen(graph: LineageGraph) -> None:
    graph.register([chunk("a", RETURNS), *asked(ref("chunk", "a"))])
    before = now(graph)
    plain = graph.trace("claim:n/q/C1").to_json()
    done = graph.correct({URI: CORRECTED}, reason="policy").id
    after = now(graph)
    undone = graph.undo("last").id
    assert done
    assert undone

    then = graph.trace("claim:n/q/C1", as_of=before).to_json()
    assert done not in json.dumps(then)
    assert {node["status"] for node in then["nodes"]} == {"fresh"}
    assert (then["as_of"], then["final"]) == (before, True)
    assert {**then, "as_of": None} == plain

    between = graph.trace("claim:n/q/C1", as_of=after)
    assert {node.status for node in between.nodes.values()} == {"invalid"}
    found = only(between, "span").passage
    assert (found.cls, found.fate.cause, found.now) == ("changed", done, None)
    assert found.fate.new == RETURNS.replace("30", "14")
    assert undone not in json.dumps(between.to_json())
    assert {node.status for node in graph.trace("claim:n/q/C1").nodes.values()} == {"fresh"}


def test_old_edges_are_seen_before_a_new_derivation(graph: LineageGraph) -> None:
    graph.register([chunk("a", RETURNS), chunk("b", SHIPPING)])
    graph.run("n", producer="first", key="r1").register(
        [note("s", ("chunk", "a"), lineage="partial", lineage_reason="cut")]
    )
    before = now(graph)
    graph.run("n", producer="second", key="r2").register([note("s", ("chunk", "b"))])
    then, today = graph.trace("note:n/s", as_of=before), graph.trace("note:n/s")
    assert "chunk:n/a" in names(then)
    assert "chunk:n/b" not in names(then)
    assert "chunk:n/b" in names(today)
    assert "chunk:n/a" not in names(today)
    (root, *_), (now_, *_) = then.to_json()["nodes"], today.to_json()["nodes"]
    assert (root["producer"], root["lineage"]) == ("first", "partial")
    assert (now_["producer"], now_["lineage"]) == ("second", "complete")
    assert graph.resolve("note:n/s") in graph.impact("chunk:n/a", as_of=before).nodes
    assert graph.resolve("note:n/s") not in graph.impact("chunk:n/a").nodes


def test_citations_are_those_of_the_derivation_then(graph: LineageGraph) -> None:
    graph.register([chunk("a", RETURNS), chunk("b", SHIPPING)])
    graph.run("n", producer="p", key="r1").register(asked(ref("chunk", "a")))
    before = now(graph)
    graph.run("n", producer="p", key="r2").register(asked(ref("chunk", "b"), ref("chunk", "a")))
    markers = [
        [(each.marker, each.target) for each in only(graph.trace("claim:n/q/C1", as_of=at), "claim").citations]
        for at in (before, None)
    ]
    a, b = graph.resolve("chunk:n/a"), graph.resolve("chunk:n/b")
    assert markers == [[("[1]", a)], [("[1]", b), ("[2]", a)]]


def test_what_did_not_exist_then_is_not_found(graph: LineageGraph) -> None:
    before = now(graph)
    graph.register([chunk("a", RETURNS)])
    with pytest.raises(NotFound, match=f"after {before}"):
        graph.trace("chunk:n/a", as_of=before)
    with pytest.raises(NotFound, match=f"after {before}"):
        graph.impact("chunk:n/a", as_of=before)
    assert graph.trace("chunk:n/a", as_of=now(graph)).roots


def test_an_answer_is_final_only_below_the_oldest_unfinished_run(graph: LineageGraph) -> None:
    graph.register([chunk("a", RETURNS)])
    before = now(graph)
    run = graph.run("n", producer="slow", key="r")
    graph.register([chunk("b", SHIPPING)])
    assert graph.trace("chunk:n/a", as_of=before).final
    assert not graph.trace("chunk:n/a", as_of=now(graph)).final
    run.register([note("s", ("chunk", "a"))])
    # What it registered began with it.
    assert graph.resolve("note:n/s") in graph.impact("chunk:n/a", as_of=before + 1).nodes
    graph.finish(run)
    assert graph.trace("chunk:n/a", as_of=now(graph)).final
    assert not graph.trace("chunk:n/a", as_of=now(graph) + 1).final
    assert graph.trace("chunk:n/a").final


def test_a_time_is_a_sequence_number(graph: LineageGraph, clock: Clock) -> None:
    start = clock.now
    assert graph.sequence_at(0) == 0
    graph.register([chunk("a", RETURNS), chunk("b", SHIPPING)])
    graph.run("n", producer="p", key="r1").register([note("s", ("chunk", "a"))])
    first, before = clock.now, now(graph)
    graph.run("n", producer="p", key="r2").register([note("s", ("chunk", "b"))])
    second, after = clock.now, now(graph)
    # The new derivation's number has no time of its own: it counts as given with the run's.
    assert graph.sequence_at(first) == before
    assert graph.sequence_at(second) == graph.sequence_at(clock.now + 10**9) == after
    graph.correct({URI: CORRECTED}, reason="policy")
    assert graph.sequence_at(second) == after
    assert "chunk:n/a" in names(graph.trace("note:n/s", as_of=graph.sequence_at(first)))
    assert "chunk:n/b" in names(graph.trace("note:n/s", as_of=graph.sequence_at(second)))
    assert start < first < second


def test_a_documents_later_spans_are_not_of_its_impact_then(graph: LineageGraph) -> None:
    graph.register([chunk("a", RETURNS)])
    before = now(graph)
    graph.correct({URI: CORRECTED}, reason="policy")
    graph.register([chunk("b", "14 days", text=CORRECTED)])
    assert len(graph.impact(URI).roots) == 2
    assert names(graph.impact(URI, as_of=before))[1:] == ["chunk:n/a"]


def test_inputs_that_were_added_later(graph: LineageGraph) -> None:
    graph.register([chunk("a", RETURNS), chunk("b", SHIPPING), note("s", ("chunk", "a"))])
    before = now(graph)
    graph.register([Extend(node=ref("note", "s"), inputs=(Input(ref=ref("chunk", "b")),))])
    assert "chunk:n/b" not in names(graph.trace("note:n/s", as_of=before))
    assert {"chunk:n/a", "chunk:n/b"} <= {*names(graph.trace("note:n/s"))}


def test_two_stores_print_the_same(tmp_path: Path) -> None:
    batch = [
        chunk("a", RETURNS),
        chunk("b", SHIPPING, RECEIPT),
        note("s", ("chunk", "b"), ("chunk", "a")),
        note("t", ("chunk", "a"), ("note", "s")),
        *asked(ref("note", "t"), ref("chunk", "b")),
    ]
    printed = set()
    for number in range(4):
        mixed = random.Random(number).sample(batch, len(batch))
        folder = tmp_path / str(number)
        folder.mkdir()
        with opened(folder, Clock()) as graph:
            graph.register([Document(uri=URI, text=TEXT, namespace="n")])
            graph.run("n", producer="p", key="r").register(mixed)
            graph.correct({URI: CORRECTED}, reason="policy")
            printed.add(json.dumps([graph.trace("q").to_json(), graph.impact(URI).to_json()]))
    assert len(printed) == 1
