"""The command line through a pipe and in a terminal: output, exit codes, errors."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from lineage_cli.main import call

COMMAND = [sys.executable, "-m", "lineage_cli"]
RETURNS = "Standard items may be returned within 30 days. Keep the receipt.\n\nShipping is free.\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LINEAGE_STORE", raising=False)
    return tmp_path


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, text=True, check=False)


def lines(path: Path, *records: object) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


@pytest.fixture
def store(here: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    (here / "returns.md").write_text(RETURNS, encoding="utf-8")
    assert call(["init"]) == 0
    assert call(["add", "returns.md", "--namespace", "n"]) == 0
    answer = {"namespace": "n", "key": "returns"}
    first = RETURNS[:46]
    assert (
        call(
            [
                "record",
                lines(
                    here / "answers.jsonl",
                    {
                        "type": "node",
                        "kind": "chunk",
                        "namespace": "n",
                        "key": "c1",
                        "text": first,
                        "inputs": [{"ref": {"uri": "returns.md", "start": 0, "end": 46, "quote": first}}],
                    },
                    {"type": "answer", **answer, "question": "How long?", "text": "30 days [1]", "cache_key": "k1"},
                    {"type": "claim", "answer": answer, "ordinal": 1, "label": "C1", "text": "30 days"},
                    {
                        "type": "citation",
                        "claim": {"answer": answer, "ordinal": 1},
                        "order": 1,
                        "marker": "[1]",
                        "target": {"kind": "chunk", "namespace": "n", "key": "c1"},
                    },
                ),
            ]
        )
        == 0
    )
    capsys.readouterr()
    return here / "lineage.db"


class TestExitCodes:
    def test_no_store(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call(["check", "returns"]) == 4
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.splitlines()[0].startswith("error: no store at")
        assert "lineage init" in captured.err

    def test_usage(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call(["frobnicate"]) == 2
        assert call(["trace"]) == 2

    def test_not_found(self, store: Path) -> None:
        assert call(["trace", "claim:n/returns/C9"]) == 3
        assert call(["check", "nothing"]) == 3

    def test_bad_input(self, store: Path, here: Path) -> None:
        (here / "latin.txt").write_bytes(b"caf\xe9")
        assert call(["add", "latin.txt"]) == 6

    def test_check(self, store: Path) -> None:
        assert call(["check", "returns"]) == 0
        assert call(["correct", "returns.md", "--replace", "30 days", "14 days", "--reason", "policy"]) == 0
        assert call(["check", "returns"]) == 1
        assert call(["check", "k1"]) == 1

    def test_affected(self, store: Path) -> None:
        call(["correct", "returns.md", "--replace", "30 days", "14 days", "--reason", "policy"])
        assert call(["affected", "last"]) == 0
        assert call(["affected", "last", "--exit-code"]) == 1

    def test_not_a_store(self, here: Path) -> None:
        (here / "lineage.db").write_bytes(b"this is no database at all, only some words" * 40)
        assert call(["check", "returns"]) == 5


class TestCorrect:
    @pytest.mark.parametrize("old", ["e", "never there", ""])
    def test_old_must_occur_once(self, store: Path, capsys: pytest.CaptureFixture[str], old: str) -> None:
        assert call(["correct", "returns.md", "--replace", old, "x", "--reason", "r"]) == 6
        assert "occurrences" in capsys.readouterr().err
        assert call(["check", "returns"]) == 0

    def test_dry_run_writes_nothing_and_prints_the_real_report(
        self, store: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        arguments = ["correct", "returns.md", "--replace", "30 days", "14 days", "--reason", "policy", "--json"]
        before = store.read_bytes()
        assert call([*arguments, "--dry-run"]) == 0
        planned = json.loads(capsys.readouterr().out)
        assert store.read_bytes() == before
        assert call(["check", "returns"]) == 0
        capsys.readouterr()
        assert call(arguments) == 0
        done = json.loads(capsys.readouterr().out)
        for body in (planned, done):
            body["correction"].pop("at")
        assert planned == done
        assert done["answers"][0]["severity"] == "invalid"

    def test_a_set_is_one_correction(self, store: Path, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (here / "new.md").write_text(RETURNS.replace("30", "14"), encoding="utf-8")
        lines(here / "set.jsonl", {"uri": "returns.md", "path": "new.md"})
        assert call(["correct", "--set", "set.jsonl", "--reason", "sync"]) == 0
        assert call(["corrections", "--json"]) == 0
        assert len(json.loads(capsys.readouterr().out.splitlines()[-1])) == 1

    def test_enqueue_leaves_it_pending_and_never_fresh(self, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
        call(["correct", "returns.md", "--replace", "30 days", "14 days", "--reason", "p", "--enqueue"])
        assert call(["check", "returns"]) == 1
        assert call(["propagate"]) == 0
        assert "nothing is pending" in capsys.readouterr().out

    def test_undo(self, store: Path) -> None:
        call(["correct", "returns.md", "--replace", "30 days", "14 days", "--reason", "p"])
        assert call(["undo", "last"]) == 0
        assert call(["check", "returns"]) == 0

    def test_dismiss(self, store: Path) -> None:
        call(["correct", "returns.md", "--replace", "30 days", "14 days", "--reason", "p"])
        assert call(["dismiss", "claim:n/returns/C1", "--reason", "it speaks of last year"]) == 0
        assert call(["check", "returns"]) == 0


class TestRecord:
    def test_says_where_it_stopped_and_how_to_go_on(
        self, store: Path, here: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        good = [{"type": "node", "kind": "note", "namespace": "n", "key": f"k{n}", "text": "t"} for n in range(5)]
        path = lines(here / "notes.jsonl", *good[:3], {**good[3], "kind": "Bad Kind"}, good[4])
        assert call(["record", path, "--batch", "2"]) == 6
        error = capsys.readouterr().err
        assert "line 4" in error
        assert "kind" in error
        assert f"lineage record {path} --from-line 3" in error
        lines(here / "notes.jsonl", *good)
        assert call(["record", path, "--batch", "2", "--from-line", "3"]) == 0
        assert call(["find", "t", "--kind", "note", "--json"]) == 0
        assert len(json.loads(capsys.readouterr().out.splitlines()[-1])["nodes"]) == 5

    def test_a_bad_batch_leaves_nothing(self, store: Path, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        good = {"type": "node", "kind": "note", "namespace": "n", "key": "k", "text": "t"}
        bad = {**good, "key": "x", "inputs": [{"ref": {"kind": "note", "namespace": "n", "key": "none"}}]}
        assert call(["record", lines(here / "notes.jsonl", good, bad)]) == 6
        assert "line 2 (node)" in capsys.readouterr().err
        call(["find", "t", "--kind", "note", "--json"])
        assert json.loads(capsys.readouterr().out)["nodes"] == []

    def test_standard_input(self, store: Path) -> None:
        record = {"type": "node", "kind": "note", "namespace": "n", "key": "k", "text": "t"}
        done = run("record", "-", "--json", stdin=json.dumps(record) + "\n")
        assert done.returncode == 0
        assert json.loads(done.stdout)["written"] == {"note": 1}


class TestPipe:
    def test_json_is_pure_data_and_errors_are_json_too(self, store: Path) -> None:
        good = run("affected", "--json")
        assert json.loads(good.stdout) == []
        bad = run("trace", "nothing", "--json")
        assert bad.returncode == 3
        assert bad.stdout == ""
        assert json.loads(bad.stderr)["error"]["code"] == "not_found"

    def test_no_colours_and_whole_ids(self, store: Path) -> None:
        call(["correct", "returns.md", "--replace", "30 days", "14 days", "--reason", "p"])
        done = run("affected", "last")
        assert "\x1b" not in done.stdout
        assert len(done.stdout.split()[0]) == 43

    @pytest.mark.parametrize("form", ["json", "csv", "ndjson", "md", "html"])
    def test_formats(self, store: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
        call(["correct", "returns.md", "--replace", "30 days", "14 days", "--reason", "p"])
        capsys.readouterr()
        assert call(["affected", "last", "--format", form]) == 0
        text = capsys.readouterr().out
        assert "returns" in text
        if form == "ndjson":
            records = [json.loads(line) for line in text.splitlines()]
            assert records[0]["type"] == "correction"
            assert records[-1]["type"] == "end"
            assert records[-1]["counts"]["answers"] == {"invalid": 1}

    @pytest.mark.parametrize("form", ["tree", "json", "mermaid", "dot", "html"])
    def test_trace_formats(self, store: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
        assert call(["trace", "claim:n/returns/C1", "--format", form]) == 0
        assert "returns.md" in capsys.readouterr().out

    def test_a_reader_that_goes_away_is_no_error(self, store: Path) -> None:
        script = f"{sys.executable} -m lineage_cli schema | head -c 10"
        done = subprocess.run(["bash", "-o", "pipefail", "-c", script], capture_output=True, text=True, check=False)
        assert done.returncode == 0
        assert done.stderr == ""


class TestReadOnly:
    def test_a_read_only_file_is_read(self, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
        store.chmod(0o444)
        assert call(["check", "returns"]) == 0
        assert call(["trace", "claim:n/returns/C1"]) == 0

    def test_opening_never_writes(self, store: Path) -> None:
        before = store.read_bytes()
        for arguments in (
            ["check", "returns"],
            ["find", "30"],
            ["plan"],
            ["doctor"],
            ["verify"],
            ["impact", "returns.md"],
        ):
            assert call(arguments) in (0, 1)
        assert store.read_bytes() == before


def test_in_a_terminal_there_are_colours(store: Path) -> None:
    call(["correct", "returns.md", "--replace", "30 days", "14 days", "--reason", "p"])
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    subprocess.run([*COMMAND, "affected", "last"], stdout=follower, stderr=follower, check=True, env=environment)
    os.close(follower)
    text = os.read(leader, 65536).decode()
    os.close(leader)
    assert "\x1b[" in text
    assert "INVALID" in text


def test_the_demo_leaves_a_store_that_other_commands_work_on(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["demo", "there"]) == 0
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) <= 24
    assert "INVALID" in shown
    address = f"sqlite:///{here / 'there' / 'lineage.db'}"
    for arguments, code in (
        (["affected", "last"], 0),
        (["check", "returns"], 1),
        (["check", "receipts"], 0),
        (["plan"], 0),
        (["verify"], 0),
        (["history", "claim:demo/returns/C1"], 0),
        (["undo", "last", "--dry-run"], 0),
    ):
        assert call(["--store", address, *arguments]) == code, arguments
    assert call(["demo", "there"]) == 6
