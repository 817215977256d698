"""Judges: whoever says whether passages support a statement.

A judge is asked in batches, sees exact texts, and answers each request with a :class:`Reply`, or with a
:class:`Failure` where it could not: a failure is no verdict, is not kept, and is asked again the next time. A judge of
one's own is a subclass with a name, a version and :meth:`Judge.judge`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from lineage_schema.judgments import JudgeId, Judgment, Passage, Request
from lineage_schema.vocabulary import Verdict

__all__ = ["Failure", "Judge", "JudgeId", "Judgment", "Passage", "Reply", "Request", "Verdict"]


@dataclass(frozen=True, slots=True)
class Reply:
    """A verdict on one request. ``latency`` is in microseconds; ``cut``: the judge did not see all of the text.

    ``score`` is the judge's own confidence that the passages support the statement, from 0 to 1.
    """

    verdict: Verdict
    score: float | None = None
    reason: str | None = None
    latency: int | None = None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """No verdict, and why: a time-out, an answer that cannot be read, a server that refuses."""

    reason: str


class Judge(ABC):
    """Whoever judges. ``version`` and ``configuration`` hold all that may change a verdict: they are in the key.

    ``window`` is how many code points of statement and passages together it sees (None: any); a request past it is
    ``unresolved`` without being asked. ``batch`` is how many requests one call takes. ``gates``: whether a score of its
    verdicts may be used as a gate once it is calibrated; a baseline refuses.
    """

    name: str
    version: str
    configuration: Mapping[str, Any] = {}
    window: int | None = None
    batch: int = 16
    gates: ClassVar[bool] = True

    @cached_property
    def id(self) -> JudgeId:
        """What keys name. Raises :class:`BadInput` for a configuration without a canonical form.

        A judge that does not gate says so in it: its verdicts decide nothing, wherever they are read.
        """
        said = dict(self.configuration) if self.gates else {**self.configuration, "gates": False}
        return JudgeId.of(self.name, self.version, said)

    @abstractmethod
    def judge(self, requests: Sequence[Request]) -> Sequence[Reply | Failure]:
        """Answers each request, in order. It is called from several threads where concurrency is asked for."""
