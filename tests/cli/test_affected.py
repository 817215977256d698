"""The report of a correction, from its JSON alone: each format, and how it fits a screen."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from typing import Any

import pytest

from lineage_cli.render import affected, affected_csv, affected_html, affected_md, corrections
from tests.cli.places import Place

ID = "c1:" + "a" * 40
WIDE, LOW = 70, 20


def report(answers: int = 1, *, state: str = "open", claims: int = 1) -> dict:
    """A report with all that one can have in it."""
    return {
        "schema": "affected/1",
        "correction": {
            "id": ID,
            "documents": [
                {"uri": "returns.md", "kind": "correct", "from_version": 1, "to_version": 2},
                {"uri": "gone.md", "kind": "withdraw", "from_version": 1, "to_version": None},
            ],
            "reason": "policy <2026>",
            "by": "desk",
            "at": "2026-11-30T12:00:00.000000Z",
            "state": state,
            "pending": 3 if state == "propagating" else 0,
        },
        "changes": [
            {
                "n": 1,
                "class": "changed",
                "uri": "returns.md",
                "version": 1,
                "start": 214,
                "end": 271,
                "page": "3",
                "section": "Returns",
                "old": "Standard items may be returned within 30 days of delivery.",
                "new": "Standard items may be returned within 14 days of delivery.",
            },
            {
                "n": 2,
                "class": "withdrawn",
                "uri": "gone.md",
                "version": 1,
                "start": 0,
                "end": 10,
                "page": None,
                "section": None,
                "old": None,
                "new": None,
            },
        ],
        "answers": [answer(number, claims) for number in range(answers)],
        "spared": [{"id": f"l1:s{n}", "kind": "answer", "key": f"spared{n}", "because": "stands"} for n in range(9)],
        "cannot_exclude": [{"id": "l1:u", "key": "shipping", "because": "a capped list"}],
        "counts": {
            "answers": {"invalid": answers},
            "claims": {"invalid": answers},
            "nodes": {"chunk": 2},
            "spared": {"stands": 9},
            "cannot_exclude": 1,
        },
        "page": {"limit": 1, "next": "l1:0"},
    }


def answer(number: int, claims: int) -> dict:
    return {
        "id": f"l1:{number}",
        "key": f"returns{number}",
        "namespace": "n",
        "question": "Can I return\nit, and how long have I got, and what about a | pipe and *stars*?",
        "cache_key": "9f1c",
        "severity": "invalid" if number == 0 else "review",
        "also": ["c1:b"] if number == 0 else [],
        "lineage": "partial",
        "share": [1, 9],
        "reached_by": "cites" if claims else "retrieved",
        "claims": [
            {
                "id": f"l1:c{n}",
                "text": "Items may be returned within 30 days of delivery, says the <b>handbook</b>.",
                "severity": "invalid",
                "level": 3,
                "changes": [1],
                "path": [
                    {"id": "l1:r", "kind": "report", "label": "Returns and refunds, " * 4, "role": "cites"},
                    {"id": "l1:e", "kind": "entity", "label": "RETURN WINDOW", "role": "evidence"},
                    {"id": "l1:s", "kind": "span", "label": "returns.md v1 [214, 271)", "role": "evidence"},
                ],
                "more_paths": 2,
                "survives_on": "S1",
            }
            for n in range(claims)
        ],
    }


def text(*arguments: Any, **named: Any) -> list[str]:
    return [line.text for line in affected.lines(*arguments, **named)]


class TestLines:
    def test_the_order_and_what_each_says(self) -> None:
        shown = text(report(2))
        assert shown[0].startswith(f"{ID}  correct returns.md v1→v2, withdraw gone.md v1  ")
        assert shown[0].endswith('"policy <2026>" by desk  2026-11-30T12:00:00Z  open')
        assert shown[1] == (
            "  [1] returns.md 214–271 § Returns p. 3  Standard items may be returned within [-30-]{+14+} days of"
            " delivery."
        )
        assert shown[2] == "  [2] gone.md 0–10  withdrawn"
        starts = [line.split("  ")[0] for line in shown if line[0] != " "]
        assert starts[1:-1] == ["INVALID", "REVIEW", "CANNOT EXCLUDE", *["SPARED"] * 9]
        assert "also 1 other correction" in shown[3]
        assert "1 of 9 spans   lineage partial" in shown[3]
        assert shown[4].endswith("change 1, 3 hops   survives on S1")
        assert shown[5].startswith("     → report Returns and refunds")
        assert shown[5].endswith("→ span returns.md v1 [214, 271)   (+2 paths)")

    def test_in_a_pipe_nothing_is_left_out(self) -> None:
        shown = "\n".join(text(report(40, claims=7)))
        assert "…" not in shown
        assert shown.count("returns.md v1 [214, 271)") == 40 * 7
        assert shown.count("SPARED") == 9
        assert "*stars*?" in shown

    @pytest.mark.parametrize("rows", [LOW, 24, 50])
    @pytest.mark.parametrize("columns", [WIDE, 100])
    def test_on_a_terminal_it_fits_and_what_does_not_is_counted(self, columns: int, rows: int) -> None:
        body = report(40, claims=3)
        shown = text(body, (columns, rows))
        assert all(len(line) <= columns for line in shown[:-1] if not line.startswith("c1:"))
        assert len(shown) + len(affected.following(body)) < rows
        assert shown[0].startswith(ID), "the id is never cut"
        blocks = sum(line.startswith(("INVALID", "REVIEW")) for line in shown)
        assert 1 <= blocks < 40
        assert any(f"and {40 - blocks} more answers" in line for line in shown)
        assert sum("and 1 more claim" in line for line in shown) == blocks
        assert any("and 6 more" in line for line in shown), "of those that were spared"
        assert any(line.startswith("CANNOT EXCLUDE") for line in shown)
        assert any("[-30-]{+14+}" in line for line in shown), "the change itself is not cut away"
        assert any(line.rstrip(")").endswith("(+2 paths") and "[214, 271)" in line for line in shown)

    def test_severity_has_a_style_and_a_word(self) -> None:
        styles = {line.text.split()[0]: line.style for line in affected.lines(report(2)) if line.style}
        assert styles == {"INVALID": "red", "REVIEW": "yellow", "CANNOT": "magenta"}

    def test_reached_by_its_context_alone(self) -> None:
        assert "  what was retrieved for it changed; none of its claims cites it" in text(report(1, claims=0))

    def test_while_work_is_pending_nobody_is_spared(self) -> None:
        body = report(1, state="propagating")
        for each in body["spared"]:
            each["because"] = "pending: propagation has not finished, it is not reached so far"
        body["counts"]["spared"] = {"pending": 9}
        shown = "\n".join(text(body))
        assert "SPARED" not in shown
        assert shown.count("NOT YET") == 9
        assert "propagating, 3 marks pending" in shown
        assert "9 not reached so far" in shown
        assert affected.following(report(1, state="propagating"))[-1] == "Next: lineage propagate"

    def test_what_to_do_next(self) -> None:
        assert affected.following(report(1)) == ["more: --after l1:0", f"Next: lineage plan --correction {ID[:11]}"]
        assert affected.following(report(1), dry_run=True) == [
            "Run without --dry-run to commit. Is it a new edition and no error: --kind edition --valid-from DATE"
        ]
        nothing = {**report(0), "counts": {**report(0)["counts"], "answers": {}}, "page": {"limit": None, "next": None}}
        assert affected.following(nothing) == []

    def test_a_dry_run_has_no_state_yet(self) -> None:
        shown = text(report(1), dry_run=True)
        assert shown[0] == "DRY RUN: nothing was written."
        assert "2026-11-30" not in "\n".join(shown)
        assert shown[-1].endswith("Would mark: 2 chunk.")


class TestFormats:
    def test_csv(self) -> None:
        rows = list(csv.DictReader(io.StringIO(affected_csv.render(report(2, claims=2)))))
        assert [row["severity"] for row in rows] == [
            *["invalid"] * 2,
            *["review"] * 2,
            "cannot_exclude",
            *["spared"] * 9,
        ]
        assert rows[0]["question"].startswith("Can I return\nit"), "data is as it is"
        assert rows[0]["path"].endswith("RETURN WINDOW > returns.md v1 [214, 271)")
        assert rows[4]["path"] == "a capped list"
        assert all(row["correction"] == ID for row in rows)
        (alone,) = [
            row
            for row in csv.DictReader(io.StringIO(affected_csv.render(report(1, claims=0))))
            if row["answer_id"] == "l1:0"
        ]
        assert (alone["claim"], alone["path"]) == ("", "retrieved")

    def test_markdown_takes_text_for_text(self) -> None:
        page = affected_md.render(report(1))
        assert "### INVALID: returns0" in page
        assert "a \\| pipe and \\*stars\\*?" in page
        assert "\\<b\\>" in page
        assert "returned within \\[-30-\\]{+14+} days" in page
        assert page.count("- spared") == 9
        assert "None." in affected_md.render(report(0))

    def test_html_is_well_formed_and_takes_text_for_text(self) -> None:
        page = affected_html.render(report(2))
        assert "<b>" not in page
        assert "&lt;b&gt;handbook" in page
        assert "policy &lt;2026&gt;" in page
        assert 'class="review"' in page
        open_tags: list[str] = []

        class Parser(HTMLParser):
            def handle_starttag(self, tag: str, attrs: object) -> None:
                if tag not in ("meta", "br"):
                    open_tags.append(tag)

            def handle_endtag(self, tag: str) -> None:
                assert open_tags.pop() == tag

        Parser().feed(page)
        assert open_tags == []
        assert "http" not in page, "no request to another host"

    def test_control_characters_of_a_source_do_nothing(self) -> None:
        body = report(1)
        body["answers"][0]["question"] = "a\x1b[31m\u202eb"
        for page in (affected_md.render(body), affected_html.render(body)):
            assert "\x1b" not in page
            assert "\u202e" not in page


class TestCommand:
    @pytest.mark.parametrize("form", ["table", "json", "csv", "ndjson", "md", "html"])
    def test_formats(self, run, corrected: Place, form: str) -> None:
        told = run("affected", "last", "--format", form)
        assert told.code == 0
        assert "returns" in told.out
        assert told.err == ("" if form != "table" else told.err)
        if form == "ndjson":
            records = [json.loads(line) for line in told.out.splitlines()]
            assert [records[0]["type"], records[-1]["type"]] == ["correction", "end"]
            assert records[-1]["counts"]["answers"] == {"invalid": 1}
        if form == "json":
            assert told.json()["schema"] == "affected/1"

    def test_a_format_that_is_none(self, run, corrected: Place) -> None:
        assert run("affected", "last", "--format", "xml").code == 2

    def test_pages(self, run, demo: Place) -> None:
        whole = run("affected", "last", "--json").json()
        first = run("affected", "last", "--limit", "1", "--json").json()
        rest = run("affected", "last", "--after", first["page"]["next"], "--json").json()
        assert [each["id"] for each in first["answers"] + rest["answers"]] == [each["id"] for each in whole["answers"]]
        assert first["counts"] == whole["counts"]
        assert f"more: --after {first['page']['next']}" in run("affected", "last", "--limit", "1").err

    def test_exit_code(self, run, store: Place) -> None:
        assert run("affected", "--exit-code").code == 0
        run("correct", "returns.md", "--replace", "free", "not free", "--reason", "r")
        assert run("affected", "last", "--exit-code").code == 0
        assert run("affected", "--exit-code").code == 0
        run("correct", "returns.md", "--replace", "30 days", "14 days", "--reason", "r")
        assert run("affected", "last").code == 0
        assert run("affected", "last", "--exit-code").code == 1
        assert run("affected", "--exit-code").code == 1

    def test_without_a_correction_all_that_are_not_closed(self, run, corrected: Place) -> None:
        told = run("affected")
        (line,) = told.out.splitlines()
        assert line.startswith("c1:")
        assert "  open         1 invalid  returns.md v1→v2  'policy'" in line
        assert "1 open correction:" in told.err
        assert run("affected", "--limit", "3").code == 2
        run("undo", "last")
        assert run("affected", "--json").json() == []
        assert len(run("corrections", "--json").json()) == 2

    @pytest.mark.parametrize("form", ["json", "csv", "ndjson", "md", "html"])
    def test_and_in_every_format(self, run, corrected: Place, form: str) -> None:
        told = run("affected", "--format", form)
        assert told.code == 0
        assert told.err == ""
        assert "policy" in told.out
        if form == "csv":
            (row,) = csv.DictReader(io.StringIO(told.out))
            assert (row["state"], row["invalid"], row["documents"]) == ("open", "1", "returns.md")
        if form == "md":
            assert told.out.count("\n") == 3


def test_a_line_names_what_was_withdrawn() -> None:
    each = {**report(1)["correction"], "answers": {"invalid": 2, "review": 1}}
    line = corrections.line(each)
    assert "2 invalid, 1 review" in line
    assert "returns.md v1→v2, gone.md v1→withdrawn" in line
