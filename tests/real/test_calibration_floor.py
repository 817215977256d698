"""The floor that docs/calibration.md states: the lexical baseline on human labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lineage_scoring.calibration import Example, Figures, best_threshold, calibrate, confusion, halves
from lineage_scoring.judges.lexical import Lexical
from lineage_scoring.judging import Passage, Request, Verdict

pytestmark = pytest.mark.real

PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"
SEED = 1
SEEDS = range(1, 101)


def hagrid(line: dict) -> tuple[str, list[str], bool]:
    return line["claim"], line["references"], line["attribution_label"] == "attributable"


def wice(line: dict) -> tuple[str, list[str], bool]:
    return line["claim"], line["evidence"], line["label"] == "supported"


def examples_of(sample_data: Path, name: str) -> list[Example]:
    """Whoever cites nothing is not asked about, and what is there twice counts once: see the page."""
    read = {"hagrid_sample": hagrid, "wice_claim_dev_sample": wice}[name]
    judge = Lexical()
    examples: dict[tuple[str, frozenset[str]], Example] = {}
    lines = (sample_data / "attribution" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        statement, texts, label = read(json.loads(line))
        if not texts:
            continue
        (reply,) = judge.judge([Request(statement, tuple(Passage(text, name) for text in texts))])
        said = reply.verdict is Verdict.SUPPORTED
        example = Example(f"{number:04}", label, said, reply.score, passages=tuple(texts))
        assert examples.setdefault((statement, frozenset(texts)), example).label == label
    return list(examples.values())


def held_out(examples: list[Example], seed: int) -> float:
    """The kappa on the half that did not choose."""
    first, second = halves(examples, seed)
    threshold = best_threshold(first)
    assert threshold is not None
    found = confusion((e.label for e in second), ((e.score or 0.0) >= threshold for e in second)).kappa
    assert found is not None
    return found


def row(name: str, examples: list[Example], figures: Figures) -> str:
    """A row of the page's table."""
    kappa, area = figures.test.kappa, figures.auc
    assert kappa is not None
    assert area is not None
    assert figures.kappa_interval is not None
    assert figures.auc_interval is not None
    rate = figures.test.base_rate.value
    others = sorted(held_out(examples, seed) for seed in SEEDS)
    spread = f"{others[len(others) // 2]:.2f} ({others[0]:.2f} to {others[-1]:.2f})"
    around = [f"[{low:.2f}, {high:.2f}]" for low, high in (figures.kappa_interval, figures.auc_interval)]
    figure = f"{kappa:.2f} {around[0]} | {area:.2f} {around[1]}"
    return f"| `{name}` | {figures.test.total} | {rate:.2f} | {figure} | {spread} |"


@pytest.mark.parametrize("name", ["hagrid_sample", "wice_claim_dev_sample"])
def test_the_page_states_what_is_measured(sample_data: Path, name: str) -> None:
    examples = examples_of(sample_data, name)
    assert row(name, examples, calibrate(examples, SEED)) in PAGE.read_text(encoding="utf-8")
