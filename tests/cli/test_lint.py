"""``lint`` on a file with its sources, and on an answer of the store."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.cli.places import Place

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_file_is_linted_against_its_sources(run: Callable, here: Path) -> None:
    Path("answer.md").write_text('It says "items go back" [1]. More [7].\n')
    Path("sources.jsonl").write_text(json.dumps({"id": "1", "text": "Items return.", "title": "T"}) + "\n")
    told = run("lint", "answer.md", "--sources", "sources.jsonl", "--exit-code")
    assert told.code == 1
    assert told.out.splitlines() == [
        "answer.md:1:9 error quote-absent: items go back (expected words of 1)",
        "answer.md:1:35 error unknown-marker: 7 (expected one of 1)",
    ]
    found = run("lint", "answer.md", "--sources", "sources.jsonl", "--json").json()
    assert [(each["rule"], each["start"], each["end"]) for each in found] == [
        ("quote-absent", 8, 23),
        ("unknown-marker", 34, 37),
    ]
    Path("sources.jsonl").write_text('{"id": "1", "txt": "x"}\n')
    told = run("lint", "answer.md", "--sources", "sources.jsonl")
    assert told.code == 6
    assert "line 1: txt: expected only" in told.err
    assert run("lint", "answer.md").code == 2


def test_an_answer_of_the_store_is_linted_with_what_it_cites(run: Callable, place: Place) -> None:
    assert run("init").code == 0
    assert run("record", str(EXAMPLES / "citation_desk.jsonl")).code == 0
    told = run("lint", "--answer", "Repaired", "--exit-code")
    assert (told.code, told.out) == (0, "")
    Path("changed.md").write_text("Standard items may be returned [S99].\n")
    told = run("lint", "changed.md", "--answer", "Repaired", "--exit-code")
    assert told.code == 1
    assert "unknown-marker: S99 (expected one of S1, S2, S3, S4, S5, S6)" in told.out
