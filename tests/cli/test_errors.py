"""Every error is one line and a hint, or one JSON object; and its exit code tells what kind it is."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from lineage_cli import failures
from lineage_cli.app import COMMON
from lineage_schema.errors import Integrity, MissingDependency, MissingJudgment
from tests.cli.places import Place


def test_no_store(run) -> None:
    told = run("check", "returns")
    assert told.code == 4
    assert told.out == ""
    assert told.err.splitlines() == ["error: no store at lineage.db", "hint: create it with: lineage init"]


@pytest.mark.parametrize(
    "arguments", [["frobnicate"], ["trace"], ["check", "a", "--nonsense"], ["find", "x", "--limit", "0"]]
)
def test_usage(run, arguments: list[str]) -> None:
    told = run(*arguments)
    assert told.code == 2
    assert told.out == ""
    assert "Error:" in told.err


def test_usage_under_json(run) -> None:
    told = run("trace", "--json")
    assert told.code == 2
    assert told.error()["code"] == "usage"
    assert "NODE" in told.error()["message"]


@pytest.mark.parametrize("arguments", [["trace", "claim:n/returns/C9"], ["check", "nothing"], ["undo", "c1:0000"]])
def test_not_found(run, store: Place, arguments: list[str]) -> None:
    told = run(*arguments)
    assert told.code == 3
    assert told.err.startswith("error: ")
    assert "hint: " in told.err
    json_told = run(*arguments, *(["--json"]))
    assert json_told.code == 3
    assert json_told.error()["code"] == "not_found"
    assert json_told.error()["hint"]


def test_ambiguous_lists_all_candidates(run, store: Place, lines) -> None:
    notes = [
        {"type": "node", "kind": "note", "namespace": "n", "key": key, "text": key, "aliases": ["twin"]}
        for key in ("one", "two")
    ]
    assert run("record", lines("notes.jsonl", *notes)).code == 0
    told = run("trace", "twin")
    assert told.code == 3
    listed = told.err.splitlines()[1:]
    assert len(listed) == 2
    assert all(line.strip().startswith("l1:") for line in listed)
    assert {line.split()[1] for line in listed} == {"note:n/one", "note:n/two"}
    assert len(run("trace", "twin", "--json").error()["candidates"]) == 2


def test_bad_input(run, store: Place, here: Path) -> None:
    (here / "latin.txt").write_bytes(b"caf\xe9")
    told = run("add", "latin.txt")
    assert told.code == 6
    assert "byte 0xe9 at 3" in told.err
    assert "iconv" in told.err
    assert run("add", "latin.txt", "--json").error()["code"] == "bad_input"


def test_conflict_names_the_choices(run, store: Place, here: Path) -> None:
    (here / "returns.md").write_text("Another text altogether.\n", encoding="utf-8")
    told = run("add", "returns.md")
    assert told.code == 6
    for choice in ("correct", "edition", "uri"):
        assert choice in told.err
    assert run("add", "returns.md", "--json").error()["code"] == "conflict"


def test_what_is_no_database(run, here: Path) -> None:
    (here / "lineage.db").write_bytes(b"this is no database at all, only some words" * 40)
    assert run("check", "returns").code == 5


def test_a_database_of_somebody_else(run, here: Path) -> None:
    with sqlite3.connect(here / "lineage.db") as other:
        other.execute("create table t(x)")
    other.close()
    told = run("check", "returns", "--json")
    assert told.code == 4
    assert told.error()["code"] == "schema_mismatch"


def test_a_store_that_may_not_be_written(run, store: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    from lineage.graph import LineageGraph

    # As root, permissions are no obstacle: the store is opened as it is where they are one.
    opening = LineageGraph.open
    monkeypatch.setattr(LineageGraph, "open", lambda url, **_: opening(url, read_only=True))
    told = run("propagate")
    assert told.code == 4
    assert "read-only" in told.err


@pytest.mark.parametrize(
    ("raised", "code", "word"),
    [
        (MissingJudgment("no verdict on C1"), 7, "missing_judgment"),
        (MissingDependency("reading parquet", "graphrag"), 6, "missing_dependency"),
        (Integrity("two faults", [{"item": "node a", "field": "id", "found": "x", "expected": "y"}]), 5, "integrity"),
        (ValueError("a fault of the program"), 70, "internal"),
        (OSError(28, "No space left on device"), 74, "input_output"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
@pytest.mark.parametrize("data", [False, True])
def test_each_error_has_its_exit_code(
    run, monkeypatch: pytest.MonkeyPatch, raised: BaseException, code: int, word: str, data: bool
) -> None:
    def fail() -> None:
        raise raised

    monkeypatch.setattr("lineage_cli.commands.check.opened", lambda **_: fail())
    told = run("check", "x", *(["--json"] if data else []))
    assert told.code == code
    assert "Traceback" not in told.err
    assert told.out == ""
    if data:
        assert told.error()["code"] == word
    else:
        assert len(told.err.splitlines()) <= 2
    if word == "integrity" and not data:
        assert "node a: id: expected y, found x" in told.err


def test_a_traceback_only_with_debug(run) -> None:
    assert "Traceback" not in run("check", "returns").err
    for told in (run("--debug", "check", "returns"), run("check", "returns", "--debug")):
        assert told.code == 4
        assert "Traceback" in told.err
        assert "error: no store at lineage.db" in told.err
    assert "Traceback" not in run("check", "returns").err, "it holds for one command line"
    assert not COMMON.debug


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["x", "--json"], True),
        (["x", "--format", "json"], True),
        (["x", "--format=ndjson"], True),
        (["x", "--format", "csv"], False),
        (["x", "json"], False),
        (["x", "--reason", "json"], False),
        (["x", "--", "--json"], False),
    ],
)
def test_who_wants_json(arguments: list[str], wanted: bool) -> None:
    assert failures.wants_json(arguments) is wanted


def test_an_argument_that_is_no_text(run, store: Place) -> None:
    """Bytes in a command line that are no UTF-8 become halves of surrogates."""
    told = run("find", "\udcff")
    assert told.code in (0, 6, 70)
    assert "Traceback" not in told.err


def test_control_characters_are_written_out(run, store: Place) -> None:
    told = run("trace", "x\x1b[31mred")
    assert "\x1b" not in told.err
    assert "\\x1b" in told.err
