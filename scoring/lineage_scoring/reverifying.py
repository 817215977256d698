"""Stale claims judged on the new text: those that it supports are decided to be unaffected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lineage.graph import LineageGraph
from lineage.reverify import StaleClaim
from lineage_schema.errors import BadInput
from lineage_schema.judgments import JudgeId
from lineage_schema.vocabulary import Verdict
from lineage_scoring.asking import Asked
from lineage_scoring.verdicts import gather, missing

REVERIFY = "reverify"
GONE = "gone"
"""Beside the verdicts: nothing of what was cited is left to be judged."""


@dataclass(frozen=True, slots=True)
class Reverified:
    """What became of a stale claim: a verdict's word, or ``gone``; ``decided`` are corrections that it survives so."""

    claim: StaleClaim
    word: str
    judgment: str | None
    decided: tuple[str, ...]


def about_stale(claims: Iterable[StaleClaim]) -> Iterator[Asked]:
    """What is asked of stale claims: does the new text support them?"""
    for claim in claims:
        if claim.request is not None:
            yield Asked(claim.request, REVERIFY, claim.answer, claim.id, claim.names)


def reverify(
    graph: LineageGraph, judge: JudgeId, claims: Iterable[StaleClaim], *, by: str | None = None
) -> list[Reverified]:
    """Decides on stale claims by a judge's kept verdicts on the new text.

    A claim that the new text supports is decided to be unaffected, until its derivation, or what passes to it,
    changes. Raises :class:`MissingJudgment`, before anything is decided, where a verdict is missing or unresolved, and
    :class:`BadInput` for a judge that says of itself that it is a baseline.
    """
    if not judge.gates:
        raise BadInput("reverification", "judge", found=judge.name, expected="a judge that is no baseline")
    listed = list(claims)
    requests = [claim.request for claim in listed if claim.request is not None]
    verdicts = gather(graph.judgments, judge, requests)
    lacks = [lack for claim in listed for lack in verdicts.lacking(about_stale([claim]), claim.answer, claim.name)]
    if lacks:
        raise missing(lacks, judge)
    found = []
    for claim in listed:
        if claim.request is None:
            found.append(Reverified(claim, GONE, None, ()))
            continue
        held = verdicts.find(claim.request)
        assert held is not None, "nothing is lacking"
        decided = claim.causes if held.verdict is Verdict.SUPPORTED else ()
        for cause in decided:
            reason = f"judgment {held.key} of {judge.name}@{judge.version} on the new text"
            graph.reverified(claim.id, cause, reason=reason, by=by or held.by)
        found.append(Reverified(claim, held.verdict.value, held.key, decided))
    return found
