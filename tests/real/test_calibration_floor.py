"""The floor that docs/calibration.md states: the lexical baseline on human labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lineage_scoring.calibration import Example, Figures, calibrate
from lineage_scoring.judges.lexical import Lexical
from lineage_scoring.judging import Passage, Request, Verdict

pytestmark = pytest.mark.real

PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"
SEED = 1


def hagrid(line: dict) -> tuple[str, list[str], bool]:
    return line["claim"], line["references"], line["attribution_label"] == "attributable"


def wice(line: dict) -> tuple[str, list[str], bool]:
    return line["claim"], line["evidence"], line["label"] == "supported"


def measured(sample_data: Path, name: str) -> Figures:
    read = {"hagrid_sample": hagrid, "wice_claim_dev_sample": wice}[name]
    judge = Lexical()
    examples = []
    lines = (sample_data / "attribution" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        statement, texts, label = read(json.loads(line))
        (reply,) = judge.judge([Request(statement, tuple(Passage(text, name) for text in texts))])
        examples.append(Example(f"{number:04}", label, reply.verdict is Verdict.SUPPORTED, reply.score))
    return calibrate(examples, SEED)


def row(name: str, figures: Figures) -> str:
    """A row of the page's table."""
    kappa, area = figures.test.kappa, figures.auc
    assert kappa is not None
    assert area is not None
    assert figures.kappa_interval is not None
    assert figures.auc_interval is not None
    rate = figures.test.base_rate.value
    around = [f"[{low:.2f}, {high:.2f}]" for low, high in (figures.kappa_interval, figures.auc_interval)]
    return f"| `{name}` | {figures.test.total} | {rate:.2f} | {kappa:.2f} {around[0]} | {area:.2f} {around[1]} |"


@pytest.mark.parametrize("name", ["hagrid_sample", "wice_claim_dev_sample"])
def test_the_page_states_what_is_measured(sample_data: Path, name: str) -> None:
    assert row(name, measured(sample_data, name)) in PAGE.read_text(encoding="utf-8")
