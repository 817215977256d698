"""What happened to a node or a document: all of it, in order, each thing once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from lineage import (
    Answer,
    Citation,
    Claim,
    Document,
    Extend,
    Input,
    LineageGraph,
    Node,
    NodeRef,
    NotFound,
    Retire,
    SpanRef,
    Version,
)
from lineage.history import History

TEXT = "# Returns\n\nStandard items may be returned within 30 days. Ask the desk.\n\nShipping is free.\n"
CORRECTED = TEXT.replace("30", "14")
RULE, DESK, SHIPPING = "Standard items may be returned within 30 days.", "Ask the desk.", "Shipping is free."
URI = "returns.md"
CLAIM = {"answer": {"namespace": "n", "key": "q"}, "ordinal": 1}


@pytest.fixture
def graph(store_url: str) -> Iterator[LineageGraph]:
    seconds = count(1_767_225_600)
    clock = lambda: next(seconds) * 1_000_000  # noqa: E731
    with LineageGraph.open(store_url, create=True, clock=clock) as opened:
        opened.register([Document(uri=URI, text=TEXT, namespace="n")])
        yield opened


def read(words: str, text: str = TEXT, **more: Any) -> Input:
    start = text.index(words)
    return Input(ref=SpanRef(uri=URI, start=start, end=start + len(words), quote=words, **more))


def chunk(key: str, words: str, text: str = TEXT) -> Node:
    return Node(kind="chunk", namespace="n", key=key, text=words, inputs=(read(words, text),))


def note(text: str, *below: str, key: str = "s") -> Node:
    inputs = tuple(Input(ref=NodeRef(kind="chunk", namespace="n", key=each)) for each in below)
    return Node(kind="note", namespace="n", key=key, text=text, inputs=inputs)


def asked(target: str, text: str = "30 days.") -> list[Answer | Claim | Citation]:
    return [
        Answer(namespace="n", key="q", question="?", text=text),
        Claim(answer=CLAIM["answer"], ordinal=1, label="C1", text=text),
        Citation(claim=CLAIM, order=1, marker="[1]", target=NodeRef(kind="chunk", namespace="n", key=target)),
    ]


def told(found: History, *kinds: str) -> list[str]:
    return [event.text for event in found.events if event.what in kinds]


def details(found: History, what: str, *fields: str) -> list[Any]:
    bodies = [event for event in found.to_json()["events"] if event["what"] == what]
    return [tuple(body[field] for field in fields) if len(fields) > 1 else body[fields[0]] for body in bodies]


def in_order(found: History) -> bool:
    return [event.seq for event in found.events] == sorted(event.seq for event in found.events)


def test_a_node_from_its_registration_to_its_repair(graph: LineageGraph) -> None:
    first = graph.run("n", producer="first", key="r1")
    first.register([chunk("a", RULE), chunk("b", SHIPPING), note("30 days!", "a")])
    done = graph.correct({URI: CORRECTED}, reason="policy", by="maya")
    second = graph.run("n", producer="second", key="r2")
    second.register([note("30 days!", "b")])
    found = graph.history("note:n/s")
    assert in_order(found)
    assert [event.what for event in found.events] == ["naming", "derivation", "mark", "derivation", "mark"]
    assert told(found, "naming") == ["registered as note:n/s"]
    assert details(found, "derivation", "producer", "run", "outranked") == [
        ("first", first.id, False),
        ("second", second.id, False),
    ]
    ended, began = details(found, "derivation", "until", "seq")
    assert (ended[0], began[0]) == (began[1], None)
    assert details(found, "mark", "change", "severity", "cause", "resolution") == [
        ("opened", "invalid", done.id, None),
        ("closed", "none", done.id, "rebuilt"),
    ]
    assert told(found, "mark") == [f'invalid by {done.id} "policy"', f'closed: rebuilt, by {done.id} "policy"']
    assert found.to_json()["schema"] == "history/1"
    assert (found.kind, found.name, found.id) == ("note", "note:n/s", graph.resolve("note:n/s"))
    json.dumps(found.to_json())


def test_each_correction_opens_and_closes_its_own_mark(graph: LineageGraph) -> None:
    graph.register([chunk("a", RULE), chunk("b", DESK), note("both", "a", "b")])
    one = graph.correct({URI: CORRECTED}, reason="policy").id
    graph.undo("last")
    two = graph.correct({URI: CORRECTED.replace("14", "7")}, reason="more").id
    assert details(graph.history("note:n/s"), "mark", "change", "severity", "cause", "resolution") == [
        ("opened", "invalid", one, None),
        ("closed", "none", one, "cleared"),
        ("opened", "invalid", two, None),
    ]


def test_a_mark_that_closes_and_opens_again(graph: LineageGraph) -> None:
    graph.register([chunk("a", RULE), chunk("b", SHIPPING), note("n", "a")])
    graph.correct({URI: CORRECTED}, reason="policy")
    for below in ("b", "a", "b"):
        graph.register([note("n", below)])
        graph.propagate()
    changes = details(graph.history("note:n/s"), "mark", "change")
    assert changes == ["opened", "closed", "opened", "closed"]


def test_a_raised_mark_is_one_event(graph: LineageGraph) -> None:
    graph.register([chunk("a", RULE), chunk("b", DESK), note("desk", "b"), *asked("b")])
    one = graph.correct({URI: CORRECTED}, reason="policy").id
    assert details(graph.history("note:n/s"), "mark", "change", "severity") == [("opened", "review")]
    graph.register([Extend(node=NodeRef(kind="note", namespace="n", key="s"), inputs=(read(RULE, version=1),))])
    graph.propagate()
    assert details(graph.history("note:n/s"), "mark", "change", "severity", "cause") == [
        ("opened", "review", one),
        ("raised", "invalid", one),
    ]
    graph.register([note("desk", "b")])
    graph.propagate()
    assert details(graph.history("note:n/s"), "mark", "change", "severity")[2:] == [("lowered", "review")]


def test_everything_that_happened_has_a_time(graph: LineageGraph) -> None:
    graph.register([chunk("a", RULE), *asked("a")])
    graph.correct({URI: CORRECTED}, reason="policy")
    (corrected,) = [event for event in graph.history(URI).events if event.what == "correction"]
    (answer,) = [event for event in graph.history("q").events if event.what == "mark"]
    assert answer.at is not None
    assert corrected.at is not None
    assert answer.at > corrected.at
    (claim,) = [event for event in graph.history("claim:n/q/C1").events if event.what == "mark"]
    assert claim.at is not None
    assert corrected.at < claim.at <= answer.at
    events = [event for ref in (URI, "q", "claim:n/q/C1", "chunk:n/a") for event in graph.history(ref).events]
    assert {event.what for event in events} >= {"version", "correction", "naming", "derivation", "mark"}
    assert all(event.at is not None for event in events)


def test_a_dismissal(graph: LineageGraph) -> None:
    graph.register([chunk("a", RULE), *asked("a")])
    done = graph.correct({URI: CORRECTED}, reason="policy")
    graph.dismiss("claim:n/q/C1", reason="means the same", by="maya")
    graph.propagate()
    found = graph.history("claim:n/q/C1")
    assert told(found, "decision") == [f'dismissed for {done.id} by maya: "means the same"']
    assert details(found, "mark", "change", "resolution") == [("opened", None), ("closed", "dismissed")]
    assert in_order(found)


def test_keys_that_were_replaced_or_retired(graph: LineageGraph) -> None:
    graph.register([chunk("a", RULE), chunk("b", DESK), *asked("a")])
    first = graph.resolve("chunk:n/a")
    graph.register([chunk("a", SHIPPING)])
    graph.propagate()
    second = graph.resolve("chunk:n/a")
    found = graph.history(first)
    assert told(found, "naming") == ["registered as chunk:n/a", f"replaced: its key names {second}"]
    assert told(graph.history(second), "naming") == ["registered as chunk:n/a"]
    graph.register([chunk("a", RULE)])
    assert told(graph.history(first), "naming")[2:] == ["its key names it again"]
    graph.propagate()
    marks = graph.history("claim:n/q/C1")
    assert details(marks, "mark", "change", "severity", "resolution") == [
        ("opened", "review", None),
        ("closed", "none", "cleared"),
    ]
    assert re.fullmatch("review since run r1:[0-9a-f]+ replaced what it cites", told(marks, "mark")[0])

    run = graph.run("n", producer="p", key="r")
    run.register([Retire(kind="chunk", namespace="n", key="b")])
    retired = graph.history("chunk:n/b")
    assert told(retired, "naming") == ["registered as chunk:n/b", f"its key was retired by run {run.id}"]


def test_inputs_that_were_added(graph: LineageGraph) -> None:
    graph.register([chunk("a", RULE), chunk("b", DESK), note("both", "a")])
    more = Input(ref=NodeRef(kind="chunk", namespace="n", key="b"))
    graph.register([Extend(node=NodeRef(kind="note", namespace="n", key="s"), inputs=(more,))])
    found = graph.history("note:n/s")
    assert [(each, seq) for each, seq in details(found, "derivation", "text", "seq") if "input" in each][-1][0] == (
        "1 input added"
    )
    assert "made from 1 input" in told(found, "derivation")


def test_a_making_that_came_too_late_never_was_current(graph: LineageGraph) -> None:
    graph.register([chunk("a", RULE), chunk("b", DESK)])
    slow = graph.run("n", producer="slow", key="slow")
    quick = graph.run("n", producer="quick", key="quick")
    quick.register([note("n", "a")])
    slow.register([note("n", "b")])
    assert details(graph.history("note:n/s"), "derivation", "producer", "outranked") == [
        ("quick", False),
        ("slow", True),
    ]


def test_a_late_making_outranks_none_of_those_before_it(graph: LineageGraph) -> None:
    graph.register([chunk("a", RULE), chunk("b", DESK), chunk("c", SHIPPING)])
    slow = graph.run("n", producer="slow", key="slow")
    graph.run("n", producer="first", key="first").register([note("n", "a")])
    graph.run("n", producer="second", key="second").register([note("n", "c")])
    slow.register([note("n", "b")])
    found = graph.history("note:n/s")
    assert details(found, "derivation", "producer", "outranked") == [
        ("first", False),
        ("second", False),
        ("slow", True),
    ]
    assert in_order(found)


def test_a_document(graph: LineageGraph) -> None:
    graph.register([Version(uri=URI, valid_from="2026-01-01", pages=[{"label": "1", "start": 0, "end": 40}])])
    one = graph.correct({URI: CORRECTED}, reason="policy", by="maya")
    two = graph.undo("last")
    graph.correct({URI: CORRECTED}, reason="2027", kind="edition", valid_from="2027-01-01")
    graph.withdraw([URI], reason="gone")
    found = graph.history(URI)
    assert in_order(found)
    assert (found.id, found.kind) == (URI, "document")
    assert details(found, "version", "edition", "version") == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]
    assert [sha256 is None for sha256 in details(found, "version", "sha256")] == [False] * 4 + [True]
    corrections = details(found, "correction", "correction", "kind", "from_version", "to_edition", "to_version")
    assert corrections[:2] == [(one.id, "correct", 1, 1, 2), (two.id, "correct", 2, 1, 3)]
    assert [each[1:] for each in corrections[2:]] == [("edition", 3, 2, 1), ("withdraw", 1, 2, 2)]
    assert told(found, "statement")[0] == "edition 1, v1: pages (1), valid_from 2026-01-01"
    assert '"policy" by maya' in told(found, "correction")[0]
    assert all(event.at is not None for event in found.events)
    # A version comes before the correction that brought it.
    kinds = [event.what for event in found.events if event.seq == found.events[2].seq]
    assert kinds == ["version", "correction"]


def test_a_span(graph: LineageGraph) -> None:
    graph.register([chunk("a", DESK)])
    graph.correct({URI: "Preface.\n\n" + TEXT}, reason="preface")
    graph.correct({URI: TEXT.replace("desk", "counter")}, reason="counter")
    graph.undo("last")
    # Behind the span, so that it stays where it is.
    graph.correct({URI: "Preface.\n\n" + TEXT.replace("free", "cheap")}, reason="shipping")
    span = next(node.view.id for node in graph.trace("chunk:n/a").nodes.values() if node.view.kind == "span")
    found = graph.history(span)
    start = TEXT.index(DESK)
    assert told(found, "stands") == [
        f"stands in v1 [{start}, {start + 13})",
        f"stands in v2 [{start + 10}, {start + 23})",
        "does not stand in v3",
        f"stands in v4 [{start + 10}, {start + 23})",
    ]
    assert found.name == f"{URI} v1 [{start}, {start + 13})"
    assert details(found, "mark", "change", "resolution") == [("opened", None), ("closed", "restored")]


def test_what_is_not_there(graph: LineageGraph) -> None:
    with pytest.raises(NotFound):
        graph.history("chunk:n/none")
