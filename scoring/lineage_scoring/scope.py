"""Applicability: whether a source speaks of the case that an answer speaks of. It is not entailment, and not truth.

A source states of itself from when to when it holds, and for which variant, jurisdiction and language; an answer may
state the date and the case that it is about. Dates are ISO 8601, which sorts by time; a validity is half open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from lineage.cited import Material

CASES: Final = ("variant", "jurisdiction", "language")


class Applicability(StrEnum):
    """Of a source, for an answer's scope."""

    APPLICABLE = "applicable"
    NOT_APPLICABLE = "not_applicable"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Applies:
    """The word, and which statement decided it."""

    word: Applicability
    because: str


def applies(scope: Mapping[str, Any], said: Mapping[str, Any]) -> Applies:
    """Whether a source, by what is stated of it, applies to a scope.

    One statement against it decides. Where the answer states something that the source says nothing about, or the
    other way round, it is unknown; where neither states anything, too.
    """
    unknown: list[str] = []
    agreed: list[str] = []
    begin, end, as_of = said.get("valid_from"), said.get("valid_to"), scope.get("as_of")
    if as_of is not None and (begin is not None or end is not None):
        if begin is not None and as_of < begin:
            return Applies(Applicability.NOT_APPLICABLE, f"it holds from {begin}, the answer is about {as_of}")
        if end is not None and as_of >= end:
            return Applies(Applicability.NOT_APPLICABLE, f"it held until {end}, the answer is about {as_of}")
        agreed.append("as_of")
    elif as_of is not None or begin is not None or end is not None:
        unknown.append("as_of" if as_of is not None else "validity")
    cases: Mapping[str, Any] = said.get("applicability") or {}
    for case in CASES:
        mine, theirs = scope.get(case), cases.get(case)
        if mine is not None and theirs is not None:
            if mine != theirs:
                because = f"its {case} is {theirs}, the answer's is {mine}"
                return Applies(Applicability.NOT_APPLICABLE, because)
            agreed.append(case)
        elif mine is not None or theirs is not None:
            unknown.append(case)
    if unknown:
        return Applies(Applicability.UNKNOWN, f"only one side states: {', '.join(unknown)}")
    if agreed:
        return Applies(Applicability.APPLICABLE, f"both state: {', '.join(agreed)}")
    return Applies(Applicability.UNKNOWN, "neither the answer nor the source states a date or a case")


def applies_all(scope: Mapping[str, Any], spans: Iterable[Material]) -> Applies:
    """Whether a derived node applies: it stands on all of its spans, so each has to; mixed editions are told."""
    found = [(each, applies(scope, each.place.said)) for each in spans if each.place is not None]
    editions = {(each.place.uri, each.place.edition) for each, _ in found if each.place is not None}
    mixed = sorted({uri for uri, _ in editions if len([1 for other, _ in editions if other == uri]) > 1})
    against = [result for _, result in found if result.word is Applicability.NOT_APPLICABLE]
    if against:
        return Applies(Applicability.NOT_APPLICABLE, f"{len(against)} of {len(found)} spans: {against[0].because}")
    if mixed:
        return Applies(Applicability.UNKNOWN, f"it stands on several editions of {', '.join(mixed)}")
    if found and all(result.word is Applicability.APPLICABLE for _, result in found):
        return Applies(Applicability.APPLICABLE, f"all {len(found)} spans: {found[0][1].because}")
    if not found:
        return Applies(Applicability.UNKNOWN, "no span under it is known")
    return Applies(Applicability.UNKNOWN, next(r.because for _, r in found if r.word is Applicability.UNKNOWN))
