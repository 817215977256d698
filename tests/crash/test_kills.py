"""SIGKILL at random points of a correction and its propagation: reopened and resumed, the marks are the same."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from worlds import URIS, build, edited

from lineage import LineageGraph

KILLS = 50
FOLDER = Path(__file__).parent

pytestmark = pytest.mark.crash


def marks(path: Path) -> dict[tuple[str, str], int]:
    with LineageGraph.open(f"sqlite:///{path}", read_only=True) as graph:
        views = [
            view for kind in ("chunk", "note", "claim", "answer") for view in graph.find("", kind=kind, limit=10_000)
        ]
        return {(mark.cause, view.id): mark.severity for view in views for mark in view.marks}


def start(path: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, str(FOLDER / "correcting.py"), f"sqlite:///{path}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=FOLDER,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


def ended(child: subprocess.Popen[str]) -> int:
    """Waits for a child and closes its pipes."""
    child.communicate(timeout=60)
    return child.returncode


def go(child: subprocess.Popen[str]) -> None:
    assert child.stdin is not None
    child.stdin.write("go\n")
    child.stdin.flush()


def test_killed_anywhere_it_resumes_to_the_same_marks(tmp_path: Path) -> None:
    base = tmp_path / "base.db"
    with LineageGraph.open(f"sqlite:///{base}", create=True) as graph:
        build(graph, layers=40, width=10)
    whole = tmp_path / "whole.db"
    shutil.copy(base, whole)
    child = start(whole)
    began = time.monotonic()
    go(child)
    assert ended(child) == 0
    needed = time.monotonic() - began
    expected = marks(whole)
    print(f"an undisturbed run takes {needed:.2f} s and makes {len(expected)} marks")
    assert len(expected) > 200

    chance = random.Random(7)
    between = 0
    waiting = [start(copied(base, tmp_path / "0.db"))]
    for number in range(KILLS):
        path = tmp_path / f"{number}.db"
        child = waiting.pop()
        if number + 1 < KILLS:
            # The next one starts up while this one works.
            waiting.append(start(copied(base, tmp_path / f"{number + 1}.db")))
        go(child)
        time.sleep(chance.uniform(0.1, 0.75) * needed)
        child.send_signal(signal.SIGKILL)
        ended(child)
        found = marks(path)
        between += 0 < len(found) < len(expected)
        resumed(path)
        assert marks(path) == expected
        path.unlink()
    print(f"{between} of {KILLS} kills fell between the first mark and the last")
    assert between >= KILLS // 2, f"only {between} of {KILLS} kills fell between the first mark and the last"


def copied(base: Path, path: Path) -> Path:
    shutil.copy(base, path)
    return path


def resumed(path: Path) -> None:
    with LineageGraph.open(f"sqlite:///{path}") as graph:
        # Killed before its commit, the correction never was: it is made again, which is a no-op otherwise.
        graph.correct({URIS[0]: edited(0)}, reason="killed")
        faults: list[Any] = graph.verify().faults
        assert not faults
