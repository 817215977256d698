"""``record``: batches, where it stopped, how to go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.places import Place

GOOD = [{"type": "node", "kind": "note", "namespace": "n", "key": f"k{n}", "text": f"text {n}"} for n in range(6)]
RUN = {"type": "run", "namespace": "n", "producer": "p", "key": "r"}


def notes(run) -> list[str]:
    body = run("find", "text", "--kind", "note", "--json").json()
    return [node["key"] for node in body["nodes"]]


def counts(run) -> object:
    """How much of what is stored, but for the runs."""
    body = run("doctor", "--json").json()["counts"]
    del body["store"]["run"]
    return body


def unfinished(run) -> int:
    return len(run("doctor", "--json").json()["unfinished_runs"])


def test_says_where_it_stopped_and_how_to_go_on(run, store: Place, lines) -> None:
    name = lines("notes.jsonl", *GOOD[:3], {**GOOD[3], "kind": "Bad Kind"}, *GOOD[4:])
    told = run("record", name, "--batch", "2")
    assert told.code == 6
    assert told.err.startswith("error: line 4 (node): kind: ")
    assert "lines up to 2 are committed" in told.err
    assert "lineage record notes.jsonl --batch 2 --from-line 3" in told.err
    assert notes(run) == ["k0", "k1"]
    lines("notes.jsonl", *GOOD)
    assert run("record", name, "--batch", "2", "--from-line", "3").code == 0
    assert notes(run) == [f"k{n}" for n in range(6)]


def test_the_same_as_json(run, store: Place, lines) -> None:
    told = run("record", lines("notes.jsonl", *GOOD[:2], {"type": "nothing"}), "--batch", "1", "--json")
    assert told.code == 6
    error = told.error()
    assert error["code"] == "bad_input"
    assert (error["committed"], error["from_line"]) == (2, 3)
    assert error["go_on"] == "lineage record notes.jsonl --batch 1 --from-line 3"


def test_a_bad_batch_leaves_nothing(run, store: Place, lines) -> None:
    before = counts(run)
    bad = {**GOOD[1], "inputs": [{"ref": {"kind": "note", "namespace": "n", "key": "none"}}]}
    told = run("record", lines("notes.jsonl", GOOD[0], bad))
    assert told.code == 6
    assert "line 2 (node)" in told.err
    assert "lines up to 0 are committed" in told.err
    assert notes(run) == []
    assert unfinished(run) == 0, "its run has ended: nothing can come of it any more"
    assert run("record", lines("broken.jsonl", {"type": "node"})).code == 6
    assert counts(run) == before


@pytest.mark.parametrize("line", ["{", "3", "null", "[" * 100_000, '"\\ud800"', "\xff\xfe"])
def test_what_is_no_record(run, store: Place, here: Path, line: str) -> None:
    (here / "x.jsonl").write_bytes(json.dumps(GOOD[0]).encode() + b"\n" + line.encode("latin-1") + b"\n")
    told = run("record", "x.jsonl", "--batch", "1")
    assert told.code == 6
    assert told.err.startswith("error: line 2: ")
    assert "--from-line 2" in told.err


def test_a_missing_file(run, store: Place) -> None:
    told = run("record", "none.jsonl")
    assert told.code == 6
    assert "none.jsonl" in told.err


def test_a_run_line_is_the_run_of_what_follows(run, store: Place, lines) -> None:
    lines("r.jsonl", GOOD[0], RUN, GOOD[1], {**GOOD[2], "kind": "Bad Kind"})
    assert run("record", "r.jsonl", "--batch", "1").code == 6
    lines("r.jsonl", GOOD[0], RUN, *GOOD[1:3])
    assert run("record", "r.jsonl", "--from-line", "4").code == 0
    producers = {
        key: run("trace", f"note:n/{key}", "--json").json()["nodes"][0]["producer"] for key in ("k0", "k1", "k2")
    }
    assert producers == {"k0": "lineage record", "k1": "p", "k2": "p"}
    assert unfinished(run) == 1, "the file's own run has ended; the one that a line began may go on elsewhere"


def test_blank_lines_and_a_byte_order_mark(run, store: Place, here: Path) -> None:
    text = "\ufeff" + json.dumps(GOOD[0]) + "\n\n   \n" + json.dumps(GOOD[1]) + "\r\n"
    (here / "x.jsonl").write_text(text, encoding="utf-8", newline="")
    assert run("record", "x.jsonl").code == 0
    assert notes(run) == ["k0", "k1"]


def test_again_writes_nothing(run, store: Place, lines) -> None:
    name = lines("notes.jsonl", *GOOD)
    assert run("record", name, "--json").json()["written"] == {"note": 6}
    again = run("record", name, "--json").json()
    assert (again["written"], again["existed"]) == ({}, {"note": 6})
    assert "6 were there already" in run("record", name).out


def test_findings_are_shown_and_strict_counts_them(run, store: Place, lines) -> None:
    answer = {"namespace": "n", "key": "a"}
    records = [
        {"type": "answer", **answer, "question": "q", "text": "t [9]"},
        {"type": "claim", "answer": answer, "ordinal": 1, "text": "t"},
        {"type": "citation", "claim": {"answer": answer, "ordinal": 1}, "order": 1, "marker": "[9]"},
    ]
    told = run("record", lines("a.jsonl", *records), "--strict")
    assert told.code == 1
    assert "unknown_marker" in told.out
    assert run("record", lines("b.jsonl", GOOD[0]), "--strict").code == 0


def test_marks_are_spread_unless_enqueued(run, store: Place, lines) -> None:
    run("correct", "returns.md", "--replace", "30 days", "14 days", "--reason", "p", "--enqueue")
    assert run("record", lines("a.jsonl", GOOD[0]), "--enqueue").code == 0
    assert run("doctor", "--json").json()["pending"] == 1
    assert run("record", lines("b.jsonl", GOOD[1])).code == 0
    assert run("doctor", "--json").json()["pending"] == 0


def test_standard_input(store: Place, pipe) -> None:
    told = pipe("record", "-", "--json", stdin="".join(json.dumps(each) + "\n" for each in GOOD))
    assert told.code == 0
    assert told.json()["written"] == {"note": 6}


def test_an_interrupt_keeps_what_was_committed_and_says_how_to_go_on(run, store: Place, interrupted) -> None:
    given = "".join(json.dumps(each) + "\n" for each in GOOD[:5])
    told = interrupted("record", "-", "--batch", "2", stdin=given, when=lambda: "k3" in notes(run))
    assert told.code == 130
    assert told.out == ""
    (line,) = told.err.splitlines()
    assert line.startswith("interrupted: lines up to 4 are committed")
    assert line.endswith("lineage record - --batch 2 --from-line 5")
    assert notes(run) == ["k0", "k1", "k2", "k3"]
    assert run("verify").code == 0
    assert unfinished(run) == 0
