"""A score of many answers: it asks the store for all of them together."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from lineage import LineageGraph
from lineage_schema.judgments import Judgment
from lineage_schema.vocabulary import Verdict
from lineage_scoring.score import requests_of, score
from lineage_scoring.verdicts import RECORDED

TEXT = "Items return within 30 days. Keep the receipt. Shipping is free."


def records(answers: int) -> list[dict]:
    """Answers that cite a chunk of their own and a span, all of one document."""
    found: list[dict] = [{"type": "document", "uri": "a.md", "text": TEXT}]
    for number in range(answers):
        answer = {"namespace": "n", "key": f"a{number}"}
        chunk = {"kind": "chunk", "namespace": "n", "key": f"c{number}"}
        claim = {"answer": answer, "ordinal": 1}
        span = {"uri": "a.md", "start": 0, "end": 28}
        found += [
            {"type": "node", **chunk, "text": f"{number}: 30 days", "inputs": [{"ref": span, "role": "evidence"}]},
            {"type": "answer", **answer, "question": "?", "text": f"{number} 30 days [1][2]"},
            {"type": "claim", **claim, "text": f"{number} says 30 days"},
            {"type": "citation", "claim": claim, "order": 1, "target": chunk},
            {"type": "citation", "claim": claim, "order": 2, "target": span},
        ]
    return found


def statements_of_a_score(graph: LineageGraph, answers: list[str]) -> int:
    """How many statements the store runs for a score, and that it counts all."""
    connection: sqlite3.Connection = graph.store._connection  # type: ignore[attr-defined]
    run: list[str] = []
    connection.set_trace_callback(run.append)
    result = score(graph, answers, RECORDED)
    connection.set_trace_callback(None)
    assert result.recall.micro.denominator == len(answers)
    return len(run)


def test_many_answers_take_no_more_statements_than_a_few(tmp_path: Path) -> None:
    with LineageGraph.open(f"sqlite:///{tmp_path}/a.db", create=True) as graph:
        graph.register(records(80))
        answers = graph.answers()
        asked = requests_of(graph, answers)
        graph.judgments.keep([Judgment.of(each.request, RECORDED, Verdict.SUPPORTED) for each in asked])
        few = statements_of_a_score(graph, answers[:2])
        assert statements_of_a_score(graph, answers) == few
