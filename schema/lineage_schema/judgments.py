"""Judgments: what was asked, who was asked, and the key under which the verdict is kept.

*judgment key*: ``"j1:"`` over the statement's text, the exact passage texts in order with what each was read from, and
the judge's name, version and configuration. Whatever could change a verdict is in it, and nothing else.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lineage_schema.canonical import canonical_bytes, canonical_json
from lineage_schema.identity import DIGITS, content_hash
from lineage_schema.vocabulary import Verdict

JUDGMENT_TAG = "j1:"


@dataclass(frozen=True, slots=True)
class Passage:
    """An exact text, as it is shown to a judge.

    ``source`` is what it was read from: the id of a span's first version, the id of a derived node, or any name of a
    text from outside a store.
    """

    text: str
    source: str

    @property
    def sha256(self) -> str:
        """Content hash of the text."""
        return content_hash(self.text)


@dataclass(frozen=True)
class Request:
    """A question to a judge: do these passages, in this order, together support the statement?"""

    statement: str
    passages: tuple[Passage, ...]

    @cached_property
    def asked(self) -> dict[str, Any]:
        """The part of the key that is the question."""
        return {
            "statement": content_hash(self.statement),
            "passages": [[passage.sha256, passage.source] for passage in self.passages],
        }


@dataclass(frozen=True)
class JudgeId:
    """Who judges, exactly: ``configuration`` is canonical JSON of all that may change a verdict (prompt, model, …)."""

    name: str
    version: str
    configuration: str = "{}"

    @classmethod
    def of(cls, name: str, version: str, configuration: dict[str, Any]) -> JudgeId:
        """With a configuration given as an object. Raises :class:`BadInput` for one without a canonical form."""
        return cls(name, version, canonical_json(configuration, item=f"judge {name}"))

    @property
    def gates(self) -> bool:
        """Whether its verdicts may decide something: one that says of itself that it is a baseline may not."""
        return json.loads(self.configuration).get("gates") is not False

    def key(self, request: Request) -> str:
        """The judgment key of a request to this judge."""
        body = {**request.asked, "judge": [self.name, self.version, self.configuration]}
        return JUDGMENT_TAG + content_hash(canonical_bytes(body, item="judgment").decode())[:DIGITS]


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage of a kept judgment: its text is None where it was purged."""

    sha256: str
    source: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Judgment:
    """A verdict as it is kept. ``latency`` is in microseconds; ``cut``: the judge did not see all of the text.

    ``score`` is the judge's own, from 0 to 1, where it has one. ``by`` is the person, where one judged. A store sets
    what follows: ``number`` counts the differing verdicts under one key, of which ``chosen`` is the one that a person
    decided for; ``seq`` and ``at`` (UTC microseconds) tell when it was kept. Texts are None where they were purged.
    """

    key: str
    statement: str | None
    passages: tuple[Shown, ...]
    judge: JudgeId
    verdict: Verdict
    score: float | None = None
    reason: str | None = None
    latency: int | None = None
    cut: bool = False
    by: str | None = None
    number: int = 1
    chosen: bool = False
    seq: int = 0
    at: int = 0

    @classmethod
    def of(
        cls,
        request: Request,
        judge: JudgeId,
        verdict: Verdict,
        *,
        score: float | None = None,
        reason: str | None = None,
        latency: int | None = None,
        cut: bool = False,
        by: str | None = None,
    ) -> Judgment:
        """A judge's answer to a request."""
        shown = tuple(Shown(passage.sha256, passage.source, passage.text) for passage in request.passages)
        return cls(
            judge.key(request), request.statement, shown, judge, verdict, score, reason, latency, cut, by
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a judge did on labelled examples, and the threshold that was chosen on the other half of them.

    ``labels`` is the sha256 of the labels; ``body`` is canonical JSON of all figures; ``kappa`` is Cohen's, of
    the judge's own verdicts, which are what scores count; in millionths, None where it is undefined.
    """

    judge: JudgeId
    labels: str
    seed: int
    kappa: int | None
    body: str
    seq: int = 0
    at: int = 0


@dataclass(frozen=True, slots=True)
class Splitting:
    """The parts that a compound claim was split into, in order, and by whom: a splitter is named as a judge is.

    ``claim`` is the claim's id. ``parts`` are None where the claim was purged. ``by`` is the person, where one
    split it. A store sets ``seq`` and ``at`` (UTC microseconds).
    """

    claim: str
    parts: tuple[str, ...] | None
    splitter: JudgeId
    by: str | None = None
    seq: int = 0
    at: int = 0
