"""The citation desk in a store, with its recorded judgments."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lineage import LineageGraph
from lineage_schema.judgments import JudgeId, Judgment, Passage, Request
from lineage_schema.vocabulary import Verdict

EXAMPLES = Path(__file__).parents[2] / "examples"
RECORDED = JudgeId.of("recorded", "1", {})


def lines(name: str) -> list[dict]:
    return [json.loads(line) for line in (EXAMPLES / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[LineageGraph]:
    """The desk's answers, without judgments."""
    with LineageGraph.open(f"sqlite:///{tmp_path}/desk.db", create=True) as graph:
        graph.register(lines("citation_desk.jsonl"))
        yield graph


def passages(graph: LineageGraph) -> dict[str, Passage]:
    """The desk's sources by name."""
    (answer,) = graph.cited(graph.answers("Original"))
    return {m.title: m.passage for m in answer.retrieved if m.title is not None and m.passage is not None}


def judged(graph: LineageGraph) -> LineageGraph:
    """Keeps the desk's recorded judgments."""
    named = passages(graph)
    graph.judgments.keep(
        [
            Judgment.of(
                Request(line["statement"], tuple(named[name] for name in line["passages"])),
                RECORDED,
                Verdict(line["verdict"]),
                reason=line["reason"],
            )
            for line in lines("citation_desk_judgments.jsonl")
        ]
    )
    return graph


@pytest.fixture
def judged_desk(desk: LineageGraph) -> LineageGraph:
    return judged(desk)
