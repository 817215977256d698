"""``dump`` and ``load``: what comes out of a copy is what came out of the store, byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cli.places import Place


def test_a_copy_tells_the_same(run: Callable, pipe: Callable, corrected: Place) -> None:
    assert run("dump", "store.jsonl").code == 0
    copy = "sqlite:///copy.db"
    assert run("--store", copy, "load", "store.jsonl").code == 0
    for command in (["affected", "last", "--json"], ["trace", "claim:n/returns/C1", "--json"], ["corrections"]):
        assert run("--store", copy, *command).out == run(*command).out
    assert run("--store", copy, "verify").code == 0
    told = pipe("--store", copy, "dump", "-")
    assert told.out == Path("store.jsonl").read_text(encoding="utf-8")
    # Only an empty store is filled.
    assert run("--store", copy, "load", "store.jsonl").code == 6


def test_a_dump_that_was_cut_is_found(run: Callable, corrected: Place) -> None:
    assert run("dump", "store.jsonl").code == 0
    lines = Path("store.jsonl").read_bytes().splitlines(keepends=True)
    Path("cut.jsonl").write_bytes(b"".join(lines[:-1]))
    told = run("--store", "sqlite:///cut.db", "load", "cut.jsonl")
    assert told.code == 6
    # It can be loaded again, whole.
    assert run("--store", "sqlite:///cut.db", "load", "store.jsonl").code == 0
