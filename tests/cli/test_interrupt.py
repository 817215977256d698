"""Ctrl-C in the middle of a propagation: one line, exit code 130, and a store that goes on where it stopped."""

from __future__ import annotations

import pytest

from lineage.graph import LineageGraph
from tests.cli.places import Place

CORRECTION = ["correct", "returns.md", "--replace", "30 days", "14 days", "--reason", "policy"]


@pytest.mark.parametrize("data", [False, True])
def test_while_marks_are_spread(run, store: Place, monkeypatch: pytest.MonkeyPatch, data: bool) -> None:
    spreading = LineageGraph.propagate

    def propagate(graph: LineageGraph, **given: object) -> int:
        spreading(graph, steps=1, batch=1)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(LineageGraph, "propagate", propagate)
        told = run(*CORRECTION, *(["--json"] if data else []))
    assert told.code == 130
    message = told.error()["message"] if data else told.err.rstrip("\n")
    assert message == "interrupted: all steps made so far stay; lineage propagate goes on"
    assert run("check", "returns").code == 1, "never fresh, however far it came"
    assert run("propagate").code == 0
    assert run("affected", "last", "--json").json()["counts"]["answers"] == {"invalid": 1}
    assert run("verify").code == 0


def test_before_anything_was_committed(run, store: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def correct(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    before = store.contents()
    with monkeypatch.context() as patched:
        patched.setattr(LineageGraph, "correct", correct)
        told = run(*CORRECTION)
    assert told.code == 130
    assert told.err == "interrupted: what was committed stays, nothing is half done\n"
    assert store.contents() == before
