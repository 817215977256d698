"""The worked cases of the alignment rule: what a reader of each span is told about each version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lineage.align import align, identity
from lineage.standing import Chain, ChainVersion, base_of
from lineage_schema.text import TextIndex

pytestmark = pytest.mark.real


def chain_of(texts: list[str]) -> Chain:
    versions = []
    for number, text in enumerate(texts, 1):
        base = base_of(texts, number)
        alignment = None
        if base is not None:
            alignment = identity(len(text)) if texts[base - 1] == text else align(texts[base - 1], text)
        versions.append(ChainVersion(number, TextIndex(text), base, alignment))
    return Chain(versions)


def test_every_case(sample_data: Path) -> None:
    with (sample_data / "alignment_cases.jsonl").open(encoding="utf-8", newline="") as lines:
        cases: list[dict[str, Any]] = [json.loads(line) for line in lines]
    assert len(cases) == 75
    wrong: list[tuple[Any, ...]] = []
    for case in cases:
        chain = chain_of(case["versions"])
        for span in case["spans"]:
            version, start, end = span["version"], span["start"], span["end"]
            assert case["versions"][version - 1][start:end] == span["quote"]
            if "first" in span and list(chain.first(version, start, end)) != span["first"]:
                wrong.append((case["id"], span["quote"], "first", chain.first(version, start, end)))
            for expect in span["expect"]:
                cls, at = chain.class_at(version, start, end, expect["version"])
                where = None if at is None else list(at)
                ignored = expect["class"] == "changed" and expect["at"] is None
                if cls != expect["class"] or (where != expect["at"] and not ignored):
                    wrong.append((case["id"], span["quote"], expect, cls, where))
    assert not wrong
