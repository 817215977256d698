"""Kept verdicts of one judge, looked up for a score. A score calls no judge, and guesses nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lineage.judgments import Judgments, holding
from lineage_schema.errors import Ambiguous, MissingJudgment, NotFound
from lineage_schema.judgments import JudgeId, Judgment, Request
from lineage_schema.vocabulary import Verdict
from lineage_scoring.asking import Asked

RECORDED = JudgeId.of("recorded", "1", {})
SHOWN = 5
"""Requests without an answer that a message names; the error's own list has all."""


@dataclass(frozen=True, slots=True)
class Lack:
    """A request without a verdict that counts. ``why``: ``missing``, ``unresolved``, ``conflict``, or ``changed``.

    ``changed``: a correction changed the words; what was judged of them is of no use for a new score.
    """

    why: str
    statement: str | None
    passages: tuple[str, ...]
    answer: str
    claim: str
    purpose: str
    key: str | None = None
    detail: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "why": self.why,
            "answer": self.answer,
            "claim": self.claim,
            "purpose": self.purpose,
            "statement": self.statement,
            "passages": list(self.passages),
            "key": self.key,
            "detail": self.detail,
        }

    def __str__(self) -> str:
        names = " + ".join(self.passages) or "nothing"
        more = f" ({self.detail})" if self.detail else ""
        return f"{self.answer} {self.claim} on {names}: {self.why}{more}"


def missing(lacks: Sequence[Lack], judge: JudgeId) -> MissingJudgment:
    """The error that stops a score: it lists every request without an answer."""
    words = "; ".join(str(lack) for lack in lacks[:SHOWN])
    more = f"; and {len(lacks) - SHOWN} more" if len(lacks) > SHOWN else ""
    count = f"{len(lacks)} judgment{'s' if len(lacks) > 1 else ''}"
    changed = any(lack.why == "changed" for lack in lacks)
    return MissingJudgment(
        f"{count} of judge {judge.name!r} missing: {words}{more}",
        requests=[lack.to_json() for lack in lacks],
        hint="lineage reverify judges changed statements on the new text"
        if changed
        else "lineage judge run asks a judge, lineage judge export writes the requests for people",
    )


@dataclass(slots=True)
class Verdicts:
    """The verdicts that hold, by request. Made by :func:`gather`."""

    judge: JudgeId
    held: Mapping[str, Judgment]
    conflicts: frozenset[str]
    keys: dict[Request, str] = field(default_factory=dict)

    def key(self, request: Request) -> str:
        """The judgment key of a request, made once: a score asks for most of them several times."""
        found = self.keys.get(request)
        if found is None:
            found = self.keys[request] = self.judge.key(request)
        return found

    def find(self, request: Request) -> Judgment | None:
        """The judgment that holds for a request, None where there is none; unresolved ones too."""
        return self.held.get(self.key(request))

    def decided(self, request: Request) -> Verdict | None:
        """The verdict, None where there is none, or it is unresolved. The empty set is unsupported, and not asked."""
        if not request.passages:
            return Verdict.NOT_SUPPORTED
        found = self.find(request)
        return None if found is None or found.verdict is Verdict.UNRESOLVED else found.verdict

    def why(self, request: Request) -> str | None:
        """Why a request has no verdict that counts; None where it has one."""
        if self.decided(request) is not None:
            return None
        key = self.key(request)
        if key in self.conflicts:
            return "conflict"
        return "unresolved" if key in self.held else "missing"

    def lacking(self, asked: Iterable[Asked], answer: str, claim: str) -> Iterator[Lack]:
        """Those of the requests without a verdict that counts; ``answer`` and ``claim`` are what readers call them."""
        for each in asked:
            why = self.why(each.request)
            if why is not None:
                key = self.key(each.request)
                yield Lack(why, each.request.statement, each.names, answer, claim, each.purpose, key)


def gather(judgments: Judgments, judge: JudgeId, requests: Iterable[Request]) -> Verdicts:
    """The verdicts of a judge on requests, in one look-up for all of them."""
    keys = {request: judge.key(request) for request in dict.fromkeys(requests) if request.passages}
    found = judgments.find(list(dict.fromkeys(keys.values())))
    held = {key: row for key, rows in found.items() if (row := holding(rows)) is not None}
    return Verdicts(judge, held, frozenset(found.keys() - held.keys()), keys)


def judge_of(judgments: Judgments, name: str) -> JudgeId:
    """The judge that a name means among those who gave verdicts: ``NAME``, ``NAME@VERSION``, or with a
    configuration as its JSON behind it: ``NAME@VERSION{…}``.

    ``recorded`` is where verdicts of people are kept, also before there is one. Raises :class:`NotFound`, and
    :class:`Ambiguous` with all that answer to the name.
    """
    known = [judge for judge, _ in judgments.judges()]
    found = [judge for judge in known if name in names_of(judge)]
    if len(found) > 1:
        raise Ambiguous(f"{len(found)} judges are called {name!r}", [names_of(judge)[-1] for judge in found])
    if not found and name in names_of(RECORDED):
        return RECORDED
    if not found:
        listed = ", ".join(dict.fromkeys(judge.name for judge in known)) or "nobody"
        raise NotFound(
            f"no judge {name!r} has given a verdict; {listed} has",
            hint="lineage judge run asks one, lineage judge import reads verdicts of people",
        )
    return found[0]


def names_of(judge: JudgeId) -> tuple[str, str, str]:
    """What a judge may be called, from short to exact."""
    return judge.name, f"{judge.name}@{judge.version}", f"{judge.name}@{judge.version}{judge.configuration}"


def judge_json(judge: JudgeId) -> dict[str, str]:
    """A judge, or a splitter, as reports print it."""
    return {"name": judge.name, "version": judge.version, "configuration": judge.configuration}
