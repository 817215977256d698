"""``correct``, ``withdraw``, ``undo``, ``propagate``, ``dismiss``."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from lineage_cli.commands.correct import replaced
from lineage_schema.errors import BadInput
from tests.cli.places import Place

RETURNS = "Standard items may be returned within 30 days. Keep the receipt.\n\nShipping is free.\n"
CORRECTION = ["correct", "returns.md", "--replace", "30 days", "14 days", "--reason", "policy"]


@pytest.mark.parametrize(("old", "count"), [("e", 11), ("never there", 0), ("", 0)])
def test_old_must_occur_exactly_once(run, store: Place, old: str, count: int) -> None:
    before = store.contents()
    told = run("correct", "returns.md", "--replace", old, "x", "--reason", "r")
    assert told.code == 6
    assert f"{count} occurrences of {old!r}" in told.err
    assert ("hint: " in told.err) is (count > 0)
    assert store.contents() == before


def test_occurrences_that_overlap_are_several() -> None:
    with pytest.raises(BadInput, match="2 occurrences"):
        replaced("aaa", "aa", "b", item="d")
    assert replaced("xaay", "aa", "b", item="d") == "xby"


def test_dry_run_writes_nothing_and_prints_the_real_report(run, store: Place) -> None:
    before = store.contents()
    told = run(*CORRECTION, "--json", "--dry-run")
    assert told.code == 0
    planned = told.json()
    assert store.contents() == before
    assert run("check", "returns").code == 0
    done = run(*CORRECTION, "--json").json()
    for body in (planned, done):
        del body["correction"]["at"]
    assert planned == done
    assert done["answers"][0]["severity"] == "invalid"


def test_a_dry_run_says_so(run, store: Place) -> None:
    told = run(*CORRECTION, "--dry-run")
    assert told.out.splitlines()[0] == "DRY RUN: nothing was written."
    assert "Would mark: " in told.out
    assert " open" not in told.out.splitlines()[1], "there is no correction that could be open"
    assert "Run without --dry-run" in told.err


def test_a_file_or_standard_input(run, store: Place, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = RETURNS.replace("30", "14")
    (here / "new.md").write_text(text, encoding="utf-8")
    assert run("correct", "returns.md", "new.md", "--reason", "r").code == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RETURNS.encode())))
    assert run("correct", "returns.md", "-", "--reason", "back").code == 0
    assert run("check", "returns").code == 0


def test_line_ends_and_a_byte_order_mark_are_text(run, store: Place, here: Path) -> None:
    (here / "new.md").write_bytes(("\ufeff" + RETURNS.replace("\n", "\r\n")).encode())
    told = run("correct", "returns.md", "new.md", "--reason", "r", "--json")
    assert told.code == 0
    assert told.json()["correction"]["documents"][0]["to_version"] == 2, "nothing was normalised away"


def test_a_set_is_one_correction(run, store: Place, here: Path, lines) -> None:
    (here / "sub").mkdir()
    (here / "sub" / "new.md").write_text(RETURNS.replace("30", "14"), encoding="utf-8")
    (here / "sub" / "set.jsonl").write_text(
        json.dumps({"uri": "returns.md", "path": "new.md", "note": "x\u2028y"}, ensure_ascii=False) + "\n\n",
        encoding="utf-8",
    )
    assert run("correct", "--set", "sub/set.jsonl", "--reason", "sync").code == 0
    (correction,) = run("corrections", "--json").json()
    assert correction["reason"] == "sync"


@pytest.mark.parametrize(
    "text",
    ["", "{}\n", "3\n", '{"uri": "a", "path": "-"}\n', '{"uri": "a", "path": "r"}\n{"uri": "a", "path": "r"}\n'],
)
def test_a_set_that_names_nothing_or_twice_is_refused(run, store: Place, here: Path, text: str) -> None:
    (here / "r").write_text("x", encoding="utf-8")
    (here / "set.jsonl").write_text(text, encoding="utf-8")
    told = run("correct", "--set", "set.jsonl", "--reason", "sync")
    assert told.code == 6
    assert "set.jsonl" in told.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["correct", "returns.md", "--reason", "r"],
        ["correct", "returns.md", "returns.md", "--replace", "30", "14", "--reason", "r"],
        ["correct", "--set", "x", "--replace", "30", "14", "--reason", "r"],
        ["correct", "returns.md", "--replace", "30", "14"],
        [*CORRECTION, "--kind", "nonsense"],
        [*CORRECTION, "--kind", "edition"],
        [*CORRECTION, "--valid-from", "2027-01-01"],
        ["withdraw", "returns.md", "--reason", "r", "--purge", "--enqueue"],
        ["withdraw", "returns.md"],
        ["propagate", "--steps", "0"],
    ],
)
def test_usage(run, store: Place, arguments: list[str]) -> None:
    before = store.contents()
    assert run(*arguments).code == 2
    assert store.contents() == before


def test_an_edition(run, store: Place) -> None:
    told = run(*CORRECTION, "--kind", "edition", "--valid-from", "2027-01-01", "--json")
    assert told.code == 0
    assert told.json()["correction"]["documents"][0]["kind"] == "edition"


def test_an_unknown_document(run, store: Place) -> None:
    told = run("correct", "none.md", "--replace", "a", "b", "--reason", "r", "--json")
    assert told.code == 3
    assert told.error()["code"] == "not_found"


def test_another_document_by_mistake_is_refused_unless_forced(run, store: Place, here: Path) -> None:
    (here / "other.md").write_text("Nothing of that is in here at all, whatever one may think of it.\n", "utf-8")
    told = run("correct", "returns.md", "other.md", "--reason", "r")
    assert told.code == 6
    assert "--force" in told.err
    assert run("correct", "returns.md", "other.md", "--reason", "r", "--force").code == 0


def test_an_equal_text_is_no_correction(run, store: Place) -> None:
    told = run("correct", "returns.md", "returns.md", "--reason", "r")
    assert (told.code, told.out) == (0, "nothing differs from what is current: nothing was done\n")
    assert run("correct", "returns.md", "returns.md", "--reason", "r", "--json").json() == {
        "correction": None,
        "changed": False,
    }
    assert run("corrections", "--json").json() == []


def test_enqueue_leaves_it_pending_and_nobody_is_called_spared(run, store: Place) -> None:
    told = run(*CORRECTION, "--enqueue")
    assert "propagating" in told.out
    assert "SPARED" not in told.out
    assert "NOT YET  returns" in told.out
    assert "Next: lineage propagate" in told.err
    assert run("check", "returns").code == 1
    assert "not_reached" in run("affected", "last", "--format", "csv").out
    assert "Not reached so far" in run("affected", "last", "--format", "md").out
    assert "Not reached so far" in run("affected", "last", "--format", "html").out
    assert run("propagate", "--steps", "1", "--json").json()["steps"] == 1
    assert "nothing is pending" in run("propagate").out
    assert "INVALID  returns" in run("affected", "last").out


def test_undo(run, corrected: Place) -> None:
    before = corrected.contents()
    assert run("undo", "last", "--dry-run").code == 0
    assert corrected.contents() == before
    assert run("check", "returns").code == 1
    assert run("undo", "last").code == 0
    assert run("check", "returns").code == 0


def test_withdraw_and_purge(run, store: Place) -> None:
    before = store.contents()
    planned = run("withdraw", "returns.md", "--reason", "r", "--purge", "--dry-run")
    assert planned.code == 0
    assert "DRY RUN" in planned.out
    assert store.contents() == before
    assert run("withdraw", "returns.md", "--reason", "r").code == 0
    assert run("check", "returns").code == 1
    assert store.holds("Keep the receipt")
    told = run("withdraw", "returns.md", "--reason", "r", "--purge")
    assert (told.code, told.out) == (0, "withdrawn before; no text of them is left\n")
    assert run("trace", "claim:n/returns/C1", "--json").json()["nodes"][-1]["span"]["quote"] is None
    assert run("undo", "last").code == 6


def test_dismiss(run, corrected: Place) -> None:
    told = run("dismiss", "claim:n/returns/C1", "--reason", "it speaks of last year", "--json")
    assert told.code == 0
    assert told.json()["severity"] == "invalid"
    assert run("check", "returns").code == 0
    assert run("dismiss", "claim:n/returns/C1", "--reason", " ").code == 6
