"""Token coverage: how many of a statement's words stand in the passages. A baseline, which reads no meaning.

A content token is a run of letters, or a number with its inner points, commas and signs, lower-cased; common function
words are left out. The score is the share of the statement's distinct content tokens that the passages have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Final

from lineage_schema.errors import BadInput
from lineage_scoring.judging import Judge, Reply, Request, Verdict

TOKEN: Final = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+")
STOP_WORDS: Final = frozenset(
    "a an and are as at be been being but by can could did do does for from had has have he her his how i if in into is"
    " it its may might must of on or our shall she should so such than that the their them then there these they this"
    " those to was we were what when where which who will with within would you your".split()
)


def content_tokens(text: str) -> frozenset[str]:
    """The distinct content tokens of a text."""
    return frozenset(token for token in map(str.lower, TOKEN.findall(text)) if token not in STOP_WORDS)


class Lexical(Judge):
    """Supported where at least ``threshold`` (from 0 to 1, as a decimal text) of the statement's tokens are found."""

    name = "lexical"
    version = "1"
    gates: ClassVar[bool] = False

    def __init__(self, threshold: str = "0.8") -> None:
        try:
            self.threshold = float(threshold)
        except ValueError:
            self.threshold = -1.0
        if not 0 <= self.threshold <= 1:
            raise BadInput("judge lexical", "threshold", found=threshold, expected="a number from 0 to 1")
        self.configuration = {"threshold": str(threshold)}

    def judge(self, requests: Sequence[Request]) -> list[Reply]:
        """Silence is not contradiction: what is not covered is not supported."""
        return [self._reply(request) for request in requests]

    def _reply(self, request: Request) -> Reply:
        wanted = content_tokens(request.statement)
        found = wanted & frozenset().union(*(content_tokens(passage.text) for passage in request.passages))
        score = len(found) / len(wanted) if wanted else 0.0
        missing = sorted(wanted - found)
        supported = bool(wanted) and score >= self.threshold
        reason = f"{len(found)} of {len(wanted)} content words are in the passages"
        if missing:
            reason += f"; not: {', '.join(missing)}"
        return Reply(Verdict.SUPPORTED if supported else Verdict.NOT_SUPPORTED, score, reason)
