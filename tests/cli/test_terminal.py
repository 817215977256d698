"""The real command in a terminal: colours, tables, bars, and what a screen holds."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.cli.places import Place

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def plain(line: str) -> str:
    return ESCAPE.sub("", line)


def test_the_report_fits_the_screen_with_colours(demo: Place, terminal) -> None:
    screen = terminal("affected", "last", columns=80, rows=24)
    assert screen.code == 0
    assert "\x1b[31m" in screen.text
    shown = [plain(line) for line in screen.lines]
    assert len(shown) < 24
    assert any(line.startswith("INVALID  clearance") for line in shown)
    assert any("[-30-]{+14+}" in line for line in shown)
    assert all(len(line) <= 80 for line in shown if not line.startswith(("c1:", "2 invalid")))
    assert any(re.match(r"c1:[0-9a-f]{40}  ", line) for line in shown), "the id is whole"


def test_no_color(demo: Place, terminal) -> None:
    screen = terminal("affected", "last", NO_COLOR="1")
    assert "\x1b" not in screen.text
    assert "INVALID" in screen.text


def test_tables(demo: Place, terminal) -> None:
    screen = terminal("find", "within 30 days", columns=80)
    rows = [plain(line) for line in screen.lines]
    assert rows[0].split() == ["state", "text", "node"]
    column = rows[0].index("node")
    names = [row[column:] for row in rows[1:]]
    assert "claim:demo/returns/C1" in names, "names are whole"
    assert any(len(name) > 80 for name in names), "also those that are longer than the terminal is wide"
    screen = terminal("corrections")
    assert plain(screen.lines[0]).split()[:3] == ["correction", "state", "answers"]
    assert re.match(r"c1:[0-9a-f]{40}  open   2 invalid, 1 review  returns\.md", plain(screen.lines[1]))


def test_a_tree_is_coloured_by_state(demo: Place, terminal) -> None:
    screen = terminal("trace", "claim:demo/clearance/C3")
    line = next(line for line in screen.lines if "claim:demo/clearance/C3" in line)
    assert "\x1b[31m[invalid]" in line


def test_json_is_for_people_there(demo: Place, terminal) -> None:
    screen = terminal("check", "receipts", "--json")
    assert json.loads("\n".join(screen.lines))["status"] == "fresh"
    assert len(screen.lines) > 5


def test_progress_is_drawn_on_a_terminal_and_nowhere_else(store: Place, lines, terminal, run) -> None:
    notes = [{"type": "node", "kind": "note", "namespace": "n", "key": f"k{n}", "text": "t"} for n in range(50)]
    name = lines("notes.jsonl", *notes)
    screen = terminal("record", name, "--batch", "5")
    assert screen.code == 0
    assert "recording" in screen.text
    assert "written   50 note" in screen.lines[-1]
    told = run("record", name)
    assert told.err == ""


def test_an_error_has_no_traceback(here: Path, terminal) -> None:
    screen = terminal("check", "x")
    assert screen.code == 4
    assert [plain(line) for line in screen.lines] == [
        "error: no store at lineage.db",
        "hint: create it with: lineage init",
    ]
