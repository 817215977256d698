"""The other commands: what they print, and that reading never writes."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest

from lineage.demo import files
from tests.cli.places import File, Place


class TestAdd:
    def test_all_or_none(self, run, store: Place, here: Path) -> None:
        (here / "a.md").write_text("a\n", encoding="utf-8")
        (here / "bad.md").write_bytes(b"\xff")
        assert run("add", "a.md", "bad.md").code == 6
        told = run("add", "a.md", "returns.md", "--json")
        assert told.json()["written"] == {"document": 1}
        assert told.json()["existed"] == {"document": 1}
        assert run("add", "a.md").out == "0 registered, 1 were there already\n"

    def test_bytes_are_taken_as_they_are(self, run, store: Place, here: Path) -> None:
        raw = "\ufeffone\r\ntwo\rthree\n".encode()
        (here / "a.txt").write_bytes(raw)
        assert run("add", "a.txt").code == 0
        span = {"type": "span", "uri": "a.txt", "version": 1, "quote": raw.decode()}
        (here / "s.jsonl").write_text(json.dumps(span) + "\n", encoding="utf-8")
        assert run("record", "s.jsonl").code == 0

    def test_a_folder_is_refused_with_a_hint(self, run, store: Place, here: Path) -> None:
        (here / "folder").mkdir()
        told = run("add", "folder")
        assert told.code == 6
        assert "hint: name its files: folder/*" in told.err
        assert run("add", "none.md").code == 6

    def test_standard_input_needs_a_name(self, run, store: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"text")))
        assert run("add", "-").code == 2
        assert run("add", "-", "--uri", "u").code == 0
        assert run("impact", "u").code == 0

    def test_one_uri_names_one_document(self, run, store: Place, here: Path) -> None:
        (here / "a.md").write_text("a\n", encoding="utf-8")
        assert run("add", "a.md", "returns.md", "--uri", "x").code == 2
        assert run("add", "a.md", "a.md").code == 6

    def test_what_is_said_of_it(self, run, store: Place, here: Path) -> None:
        (here / "a.md").write_text("a\n", encoding="utf-8")
        options = ["--valid-from", "2026-01-01", "--valid-to", "2026-12-31", "--label", "x", "--label", "y"]
        assert run("add", "a.md", "--title", "A", *options).code == 0
        statement = next(e for e in run("history", "a.md", "--json").json()["events"] if e["what"] == "statement")
        assert statement["said"] == {"labels": ["x", "y"], "valid_from": "2026-01-01", "valid_to": "2026-12-31"}


class TestReading:
    def test_opening_never_writes(self, run, corrected: Place) -> None:
        before = corrected.contents()
        commands = [
            ["check", "returns"],
            ["find", "30"],
            ["plan"],
            ["doctor"],
            ["verify"],
            ["affected"],
            ["affected", "last"],
            ["corrections"],
            ["trace", "claim:n/returns/C1"],
            ["impact", "returns.md"],
            ["history", "returns.md"],
        ]
        for arguments in commands:
            assert run(*arguments).code in (0, 1), arguments
        assert corrected.contents() == before

    def test_a_read_only_file_is_read(self, run, stored: Path) -> None:
        stored.chmod(0o444)
        assert run("check", "returns").code == 0
        assert run("trace", "claim:n/returns/C1").code == 0

    def test_check(self, run, corrected: Place) -> None:
        told = run("check", "returns")
        assert told.code == 1
        assert len(told.out.splitlines()) == 1
        assert told.out.startswith("stale    answer:n/returns  invalid by c1:")
        assert run("check", "k1", "--json").json()["status"] == "stale"

    def test_find(self, run, demo: Place) -> None:
        told = run("find", "within 30 days", "--kind", "claim")
        assert all(line.startswith("claim:") for line in told.out.splitlines())
        assert "claim:demo/returns/C1   INVALID   " in told.out
        body = run("find", "a", "--limit", "2", "--json").json()
        assert (len(body["nodes"]), body["truncated"]) == (2, True)
        assert all(run("trace", node["name"], "--json").code == 0 for node in body["nodes"])
        assert "more than 2 match" in run("find", "a", "--limit", "2").err
        assert run("find", "never there").err == "nothing matches\n"

    def test_find_shows_what_a_span_says(self, run, store: Place) -> None:
        told = run("find", "may be returned", "--kind", "span")
        assert "returns.md [0, 46) Standard items may be returned" in told.out

    @pytest.mark.parametrize("form", ["tree", "json", "mermaid", "dot", "html"])
    @pytest.mark.parametrize("arguments", [["trace", "claim:n/returns/C1"], ["impact", "returns.md"]])
    def test_trace_and_impact(self, run, store: Place, arguments: list[str], form: str) -> None:
        told = run(*arguments, "--format", form)
        assert told.code == 0
        assert "returns.md" in told.out
        assert told.err == ""
        if form == "json":
            assert told.json() == run(*arguments, "--json").json()

    def test_a_limit_says_what_it_cut(self, run, demo: Place) -> None:
        body = run("trace", "claim:demo/returns/C1", "--limit", "3", "--json").json()
        assert (len(body["nodes"]), body["truncated"]) == (3, True)
        assert body["cut"] > 0

    def test_as_of(self, run, corrected: Place) -> None:
        now = run("trace", "claim:n/returns/C1", "--json").json()["nodes"][0]["status"]
        told = run("history", "claim:n/returns/C1", "--json").json()
        marked = next(event["seq"] for event in told["events"] if event["what"] == "mark")
        then = run("trace", "claim:n/returns/C1", "--as-of", str(marked - 1), "--json").json()
        assert (now, then["nodes"][0]["status"], then["as_of"]) == ("invalid", "fresh", marked - 1)
        later = run("trace", "claim:n/returns/C1", "--as-of", "2999-01-01T00:00:00+01:00", "--json").json()
        assert later["nodes"][0]["status"] == "invalid"
        for nonsense in ("yesterday", "-1", "²"):
            assert run("trace", "claim:n/returns/C1", "--as-of", nonsense).code == 6

    def test_plan(self, run, demo: Place) -> None:
        body = run("plan", "--json").json()
        level = run("plan", "--json", "--level", "2").json()
        assert level["levels"] == body["levels"][1:2]
        assert run("plan", "--correction", "last", "--json").json() == body
        assert "level 1  2 chunk" in run("plan").out
        assert "more: lineage plan --level 2" in run("plan").out
        assert "… " not in run("plan", "--level", "2").out
        told = run("plan", "--level", "99")
        assert "there is no level 99" in told.err
        assert told.code == 0

    def test_history_of_a_document(self, run, corrected: Place) -> None:
        told = run("history", "returns.md")
        assert told.out.splitlines()[0] == "returns.md"
        assert '"policy"' in told.out


class TestStore:
    def test_init_and_migrate(self, run, place: Place) -> None:
        assert re.fullmatch(rf"created {place.url} \(schema \d{{4}}_[a-z]+\)\n", run("init").out)
        assert run("init").code == 6
        assert run("migrate").out == f"{place.url}: up to date\n"
        assert run("migrate", "--json").json()["steps"] == []

    def test_verify_finds_what_was_changed_by_hand(self, run, store: Place) -> None:
        assert run("verify").code == 0
        assert run("verify", "--json").json()["faults"] == []
        store.change_texts("Keep", "Lose")
        told = run("verify")
        assert told.code == 5
        # A server has a text at each node that says it, and tells at which it is wrong.
        where = "" if isinstance(store, File) else " of returns.md edition 1 v1"
        assert re.match(rf"text [0-9a-f]{{64}}{where}: hash, body: expected ", told.out)
        assert re.search(r"^[1-9]\d* faults in ", told.out, re.M)
        body = run("verify", "--json")
        assert body.code == 5
        assert {"item", "field", "found", "expected"} <= set(body.json()["faults"][0])

    def test_schema(self, run) -> None:
        schema = run("schema").json()
        assert "citation" in schema["discriminator"]["mapping"]


class TestImport:
    def test_graphrag(self, run, place: Place) -> None:
        run("init")
        arguments = ["import", "graphrag", str(files.graphrag()), "--namespace", "demo"]
        first = run(*arguments, "--json").json()
        assert first["written"]["entity"] == 14
        assert sum(run(*arguments, "--json").json()["written"].values()) == 0
        told = run(*arguments)
        assert told.code == 0
        assert f"located   {first['located']['exact']} exact" in told.out
        assert "findings  " in told.out
        assert run(*arguments, "--strict").code == (1 if first["findings"] else 0)
        assert first["findings"], "or --strict is not tested"

    def test_documents_are_named(self, run, place: Place) -> None:
        run("init")
        arguments = ["import", "graphrag", str(files.graphrag()), "--namespace", "demo"]
        assert run(*arguments, "--document", "returns.md=policies/returns").code == 0
        assert run("impact", "policies/returns").code == 0
        for given in ("returns.md", "=x", "x="):
            assert run(*arguments, "--document", given).code == 6
        assert run(*arguments, "--document", "a=b", "--document", "a=c").code == 6
        assert run("import", "raptor", str(files.raptor()), "--namespace", "t", "--document", "nonsense").code == 6

    def test_another_text_than_the_registered_one_stops_with_the_choices(self, run, place: Place, here: Path) -> None:
        run("init")
        (here / "returns.md").write_text("Another text.\n", encoding="utf-8")
        run("add", "returns.md", "--uri", "demo/returns.md")
        told = run("import", "graphrag", str(files.graphrag()), "--namespace", "demo")
        assert told.code == 6
        assert "--kind edition" in told.err

    def test_raptor(self, run, place: Place) -> None:
        run("init")
        sources = [argument for path in files.raptor_sources() for argument in ("--source", str(path))]
        told = run("import", "raptor", str(files.raptor()), "--namespace", "tree", *sources, "--json")
        assert told.json()["located"]["exact"] == 9
        assert told.json()["written"]["summary"] == 3

    def test_what_is_no_index(self, run, store: Place) -> None:
        assert run("import", "graphrag", ".", "--namespace", "x").code == 6
        assert run("import", "raptor", "returns.md", "--namespace", "x").code == 6
        assert run("import", "graphrag", str(files.graphrag()), "--namespace", "x", "--tables", "xml").code == 2


class TestDemo:
    def test_it_leaves_a_store_that_other_commands_work_on(self, run, place: Place) -> None:
        told = run("demo", "--store", place.url)
        assert told.code == 0
        assert len(told.out.splitlines()) <= 24
        assert "INVALID" in told.out
        assert "[-30-]{+14+}" in told.out
        for arguments, code in (
            (["affected", "last"], 0),
            (["check", "returns"], 1),
            (["check", "receipts"], 0),
            (["plan"], 0),
            (["verify"], 0),
            (["history", "claim:demo/returns/C1"], 0),
            (["undo", "last", "--dry-run"], 0),
        ):
            assert run(*arguments).code == code, arguments

    def test_every_command_that_it_names_works(self, run, demo: Place) -> None:
        from lineage_cli.commands.demo import NEXT

        named = [each.strip() for line in NEXT for each in line.split("lineage ") if each.strip()]
        assert len(named) == 6
        for each in named:
            assert run(*each.replace("'", "").split(maxsplit=1 if each.startswith("find") else -1)).code in (0, 1), each

    def test_it_leaves_alone_what_is_there(self, run, demo: Place) -> None:
        before = demo.contents()
        told = run("demo", "--store", demo.url)
        assert told.code == 6
        assert "holds documents already" in told.err
        assert demo.contents() == before

    def test_in_a_folder(self, run, here: Path) -> None:
        assert run("demo", "there").code == 0
        path = here / "there" / "lineage.db"
        assert run("check", "receipts", "--store", f"sqlite:///{path}").code == 0
        before = path.read_bytes()
        told = run("demo", "there")
        assert told.code == 6
        assert "exists already" in told.err
        assert path.read_bytes() == before

    @pytest.mark.parametrize("place", [pytest.param("neo4j", marks=pytest.mark.neo4j)], indirect=True)
    def test_it_prints_the_same_whatever_the_store(self, pipe, place: Place, here: Path) -> None:
        told = pipe("demo", "--store", place.url)
        assert (told.code, told.err) == (0, "")
        other = "sqlite:///other.db"
        wanted = pipe("demo", "--store", other)
        assert timeless(told.out.replace(place.url, other)) == timeless(wanted.out)


def timeless(text: str) -> str:
    """With one time for all: nobody gives the command a clock."""
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "2026-01-01T00:00:00Z", text)


def test_version(run) -> None:
    told = run("--version")
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("lineage 0.")
