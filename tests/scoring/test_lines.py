"""JSON Lines that callers give: every reader names the file, the line, the field, what was found and expected."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lineage_schema.errors import BadInput
from lineage_scoring.inputs import parts_of, references_of
from lineage_scoring.judges import jsonl
from lineage_scoring.labels import labels_of
from lineage_scoring.lint.sources import sources_of
from lineage_scoring.verdicts import RECORDED

DEEP = '{"claim": ' + "[" * 100_000


def verdicts_of(lines: list[str], file: str) -> object:
    return jsonl.imported(lines, [], [], RECORDED, None, file)


READERS = [parts_of, references_of, labels_of, sources_of, verdicts_of]
PART = '{"claim": "c", "parts": ["p"]}'
REFERENCE = '{"answer": "a", "points": ["p"]}'
TEXTS = "a list of texts, at least one"
ONLY = "category, id, kind, label, passages, statement, why"
LABEL = '{"statement": "s", "passages": ["p"], "label": "supported"}'


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("line", ["{", "[1]", "null", '"text"', DEEP])
def test_a_line_without_an_object_is_named(read: Callable, line: str) -> None:
    with pytest.raises(BadInput) as error:
        read(["", line], "given.jsonl")
    assert (error.value.item, error.value.field, error.value.found) == ("given.jsonl line 2", "line", line)
    assert error.value.expected.startswith("a JSON object")


@pytest.mark.parametrize(
    ("read", "lines", "number", "field", "found", "expected"),
    [
        (parts_of, ['{"claim": "", "parts": ["p"]}'], 1, "claim", "", "a claim's text"),
        (parts_of, [PART, "", '{"claim": "d", "parts": ["p", " "]}'], 3, "parts", ["p", " "], TEXTS),
        (parts_of, ['{"claim": "c"}'], 1, "parts", None, TEXTS),
        (parts_of, ['{"claim": "c", "parts": []}'], 1, "parts", [], TEXTS),
        (parts_of, [PART, PART], 2, "claim", "c", "each claim once"),
        (references_of, ['{"answer": 1, "points": ["p"]}'], 1, "answer", 1, "an answer's key"),
        (references_of, ['{"answer": "a", "points": "p"}'], 1, "points", "p", "a list of texts"),
        (references_of, ['{"answer": "a", "reference": ""}'], 1, "reference", "", "a text"),
        (references_of, ['{"answer": "a"}'], 1, "reference", None, "a reference text, points, or both"),
        (references_of, [REFERENCE, REFERENCE], 2, "answer", "a", "each answer once"),
        (labels_of, [LABEL, LABEL.replace('"s"', '""')], 2, "statement", "", "a statement"),
        (labels_of, [LABEL[:-1] + ', "why": 1}'], 1, "why", 1, "text"),
        (labels_of, [LABEL[:-1] + ', "sure": 1}'], 1, "sure", 1, f"only {ONLY}"),
        (labels_of, [LABEL, LABEL], 2, "statement", "s", "each example once; line 1 asks the same"),
        (sources_of, ['{"id": true}'], 1, "id", True, "what markers call it"),
        (sources_of, ['{"id": 1}', '{"id": "1"}'], 2, "id", "1", "each id once"),
        (sources_of, ['{"id": 1, "sections": -1}'], 1, "sections", -1, "how many there are"),
        (sources_of, ['{"id": 1, "url": 2}'], 1, "url", 2, "text"),
        (verdicts_of, ['{"request": 1}'], 1, "request", 1, "the id of an exported request"),
        (verdicts_of, ['{"custom_id": "x"}'], 1, "custom_id", "x", "--openai-batch MODEL, to read a batch's output"),
    ],
)  # fmt: skip
def test_a_field_with_a_fault_is_named(
    read: Callable, lines: list[str], number: int, field: str, found: object, expected: str
) -> None:
    with pytest.raises(BadInput) as error:
        read(lines, "given.jsonl")
    told = error.value
    assert (told.item, told.field, told.found, told.expected) == (f"given.jsonl line {number}", field, found, expected)
