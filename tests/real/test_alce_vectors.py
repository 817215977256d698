"""Answers scored by ALCE's own evaluator: every question to the judge, in its order, and both figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lineage_scoring.alce import compute_autoais
from lineage_scoring.markers import first_line

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def vectors(sample_data: Path) -> list[dict[str, Any]]:
    with (sample_data / "attribution" / "alce_vectors.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_every_call_and_both_figures(vectors: list[dict[str, Any]]) -> None:
    assert len(vectors) == 300
    wrong: list[tuple[Any, ...]] = []
    for vector in vectors:
        calls = [(call["premise"], call["hypothesis"]) for call in vector["judge_calls"]]
        verdicts = [call["entails"] for call in vector["judge_calls"]]
        asked: list[tuple[str, str]] = []

        def judge(
            premise: str, hypothesis: str, asked: list[tuple[str, str]] = asked, verdicts: list[bool] = verdicts
        ) -> bool:
            asked.append((premise, hypothesis))
            return verdicts[len(asked) - 1]

        cap, qampari = vector["at_most_citations"], vector["qampari"]
        found = compute_autoais(vector["items"], judge, at_most_citations=cap, qampari=qampari).to_json()
        figures = {name: found[name] for name in ("citation_rec", "citation_prec")}
        if asked != calls or figures != {name: vector[name] for name in figures}:
            wrong.append((vector["id"], figures, asked, calls))
    assert not wrong


def test_the_line_that_is_scored(vectors: list[dict[str, Any]]) -> None:
    items = [item for vector in vectors for item in vector["items"]]
    assert any(item["raw_output"] != item["output"] for item in items)
    assert [first_line(item["raw_output"]) for item in items] == [item["output"] for item in items]
