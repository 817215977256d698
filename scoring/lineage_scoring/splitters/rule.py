"""The splitter ``rule``: compound claims are split at their own joints, and nothing is reworded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lineage_schema.judgments import JudgeId
from lineage_scoring.splitters import RULE

_JOINT: Final = re.compile(r";\s+|,?\s+and\s+(?=(?:it|they|he|she|this|that|these|those)\b)|\.\s+(?=[A-Z])")


def split(claim: str) -> tuple[str, ...]:
    """The parts of a compound claim by rule: at ``;``, at a full stop within it, and at ``and`` before a pronoun.

    A part keeps its own words only, so one that leans on the other's subject is better split by the caller or a model.
    A claim that has no such joint is its only part, unaltered.
    """
    parts = [part for each in _JOINT.split(claim) if (part := each.strip(" ,;."))]
    return tuple(parts) if len(parts) > 1 else (claim,)


class Rule:
    """Splits by :func:`split`."""

    id = JudgeId.of(RULE, "1", {})
    batch = 1000

    def split(self, claims: Sequence[str]) -> list[tuple[str, ...]]:
        return [split(claim) for claim in claims]
