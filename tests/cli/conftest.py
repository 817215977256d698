"""A small store to run commands on, and ways to run them: in this process, through a pipe, in a terminal."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lineage_cli.main import call
from lineage_cli.settings import VARIABLE
from tests.cli.places import Database, File, Place
from tests.neo4j_server.fixtures import without_nodes
from tests.neo4j_server.server import Server

COMMAND = [sys.executable, "-m", "lineage_cli"]
RETURNS = "Standard items may be returned within 30 days. Keep the receipt.\n\nShipping is free.\n"
FIRST = RETURNS[:46]
ANSWER = {"namespace": "n", "key": "returns"}
RECORDS = (
    {
        "type": "node",
        "kind": "chunk",
        "namespace": "n",
        "key": "c1",
        "text": FIRST,
        "inputs": [{"ref": {"uri": "returns.md", "start": 0, "end": 46, "quote": FIRST}}],
    },
    {"type": "answer", **ANSWER, "question": "How long?", "text": "30 days [1]", "cache_key": "k1"},
    {"type": "claim", "answer": ANSWER, "ordinal": 1, "label": "C1", "text": "30 days"},
    {
        "type": "citation",
        "claim": {"answer": ANSWER, "ordinal": 1},
        "order": 1,
        "marker": "[1]",
        "target": {"kind": "chunk", "namespace": "n", "key": "c1"},
    },
)
CORRECTION = ["correct", "returns.md", "--replace", "30 days", "14 days", "--reason", "policy"]
UNSET = {VARIABLE, "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS", "LINES"}


@dataclass
class Told:
    """What a command line printed, and its exit code."""

    code: int
    out: str
    err: str

    def json(self) -> object:
        return json.loads(self.out)

    def error(self) -> dict[str, Any]:
        """The JSON error: the only thing on standard error."""
        assert self.out == "", self.out
        (line,) = self.err.splitlines()
        error: dict[str, Any] = json.loads(line)["error"]
        return error


@dataclass
class Screen:
    """What a command line drew on a terminal, with its control characters."""

    code: int
    text: str
    lines: list[str] = field(default_factory=list)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in UNSET:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    """Runs a command line in this process."""

    def told(*arguments: str) -> Told:
        capsys.readouterr()
        code = call(list(arguments))
        captured = capsys.readouterr()
        return Told(code, captured.out, captured.err)

    return told


@pytest.fixture
def pipe() -> Callable[..., Told]:
    """Runs the real command, with pipes at its ends."""

    def told(*arguments: str, stdin: str = "", **environment: str) -> Told:
        done = subprocess.run(
            [*COMMAND, *arguments],
            input=stdin.encode(),
            capture_output=True,
            check=False,
            timeout=120,
            env={**os.environ, **environment},
        )
        return Told(done.returncode, done.stdout.decode(), done.stderr.decode())

    return told


@pytest.fixture
def terminal() -> Callable[..., Screen]:
    """Runs the real command in a terminal."""

    def drawn(*arguments: str, columns: int = 100, rows: int = 24, **environment: str) -> Screen:
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=follower,
            stdout=follower,
            stderr=follower,
            env={**os.environ, "TERM": "xterm-256color", **environment},
        )
        os.close(follower)
        parts: list[bytes] = []

        def read() -> None:
            # Linux answers EIO once the last writer has closed its end.
            try:
                while part := os.read(leader, 65536):
                    parts.append(part)
            except OSError:
                pass

        reader = threading.Thread(target=read)
        reader.start()
        code = process.wait(120)
        reader.join(10)
        os.close(leader)
        text = b"".join(parts).decode()
        return Screen(code, text, text.replace("\r\n", "\n").splitlines())

    return drawn


@pytest.fixture
def interrupted() -> Callable[..., Told]:
    """Runs the real command on an endless input, and interrupts it when a condition holds."""

    def told(*arguments: str, stdin: str, when: Callable[[], bool]) -> Told:
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A background job of a shell ignores the signal, and its children would too.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        assert process.stdin is not None
        process.stdin.write(stdin.encode())
        process.stdin.flush()
        end = time.monotonic() + 60
        while not when():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < end, "it never came so far"
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        # Its input stays open: only the interrupt ends it.
        code = process.wait(60)
        assert process.stdout is not None
        assert process.stderr is not None
        result = Told(code, process.stdout.read().decode(), process.stderr.read().decode())
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
        return result

    return told


def write_lines(path: Path, records: Iterable[object]) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


@pytest.fixture
def lines(here: Path) -> Callable[..., str]:
    """Writes records to a file, one a line; returns its name."""

    def written(name: str, *records: object) -> str:
        write_lines(here / name, records)
        return name

    return written


@pytest.fixture(scope="session")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where stores are kept that are made once, and copied for each test."""
    return tmp_path_factory.mktemp("copies")


@pytest.fixture
def file(here: Path) -> File:
    """The file where commands look by default: for tests of what is true of a file alone."""
    return File(here)


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def place(request: pytest.FixtureRequest, here: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place without a store, one of each kind. Commands find it without being told."""
    if request.param == "sqlite":
        return File(here)
    server: Server = request.getfixturevalue("neo4j_server")
    database = Database(server, without_nodes(server, monkeypatch))
    monkeypatch.setenv(VARIABLE, database.url)
    return database


@pytest.fixture
def returns(here: Path) -> str:
    """The name of the document that the small store has."""
    (here / "returns.md").write_text(RETURNS, encoding="utf-8")
    return "returns.md"


@pytest.fixture
def small(returns: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], None]:
    """Makes a store with one document, a chunk of it, and an answer that cites it."""

    def make() -> None:
        answers = write_lines(tmp_path_factory.mktemp("records") / "answers.jsonl", RECORDS)
        for arguments in (["init"], ["add", returns, "--namespace", "n"], ["record", answers]):
            assert call(arguments) == 0, arguments

    return make


@pytest.fixture
def store(place: Place, copies: Path, small: Callable[[], None]) -> Place:
    """A store with one document, a chunk of it, and an answer that cites it."""
    place.made(copies, "small", small)
    return place


@pytest.fixture
def stored(file: File, copies: Path, small: Callable[[], None]) -> Path:
    """The same store in a file."""
    file.made(copies, "small", small)
    return file.path


@pytest.fixture
def corrected(place: Place, copies: Path, small: Callable[[], None]) -> Place:
    """The store with its sentence corrected."""

    def make() -> None:
        small()
        assert call(CORRECTION) == 0

    place.made(copies, "corrected", make)
    return place


@pytest.fixture
def demo(place: Place, copies: Path) -> Place:
    """The demo's store."""

    def make() -> None:
        assert call(["demo", "--store", place.url]) == 0

    place.made(copies, "demo", make)
    return place
