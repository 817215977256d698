"""Each rule fires on its example in docs/lint.md, and not on the repaired one beside it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lineage_scoring.lint import Source, lint
from lineage_scoring.lint.checks import RULES

PAGE = Path(__file__).parents[3] / "docs" / "lint.md"
ROW = re.compile(r"^\| `([a-z-]+)` \| (\w+) \| `(.*?)` \| `(.*?)` \|$", re.M)
SOURCES = [
    Source("1", "Items return within 30 days. Keep the receipt.", "Returns", "http://shop.example/returns"),
    Source("2", "Shipping is free.", "Shipping", None),
    Source("3", "All of the manual. " * 200, "Manual", None, sections=9),
    Source("4", "The window is thirty", "Window", None, cut=False),
    Source("5", None, "Gone", None),
]
EXAMPLES = [(row[0], row[1], row[2].replace("⏎", "\n"), row[3].replace("⏎", "\n")) for row in ROW.findall(PAGE.read_text(encoding="utf-8"))]  # fmt: skip  # noqa: E501


def test_the_page_has_every_rule() -> None:
    assert {rule: level for rule, level, _, _ in EXAMPLES} == RULES


@pytest.mark.parametrize(("rule", "level", "faulty", "repaired"), EXAMPLES, ids=[each[0] for each in EXAMPLES])
def test_a_rule_fires_on_its_example(rule: str, level: str, faulty: str, repaired: str) -> None:
    assert rule in {finding.rule for finding in lint(faulty, SOURCES)}
    assert rule not in {finding.rule for finding in lint(repaired, SOURCES)}


def test_a_finding_names_its_place() -> None:
    (finding,) = [each for each in lint("Free.\nItems return [9].", SOURCES) if each.rule == "unknown-marker"]
    assert (finding.line, finding.column, finding.start, finding.end) == (2, 14, 19, 22)
    assert finding.expected == "one of 1, 2, 3, 4, 5"


def test_an_answer_without_fault_has_no_finding() -> None:
    text = 'The shop says: "Items return within 30 days" [1]. Shipping costs nothing [2].\n\n[1]: Returns, http://shop.example/returns\n'
    assert lint(text, SOURCES) == []
