"""The ``desk`` profile: citation recall and precision of statements that are given, with exact passages.

Each statement that needs evidence is in the denominator of recall. An unknown or a duplicate citation is an error, not
a score. An answer that cites nothing has recall 0 and no precision (N/A). The same verdicts can be counted by ALCE's
rules (``rules="alce"``), which differ: every statement counts, an unknown citation voids its statement, a duplicate
counts twice, and an answer without a counted citation has precision 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lineage.cited import AnswerMaterial, Cited, ClaimMaterial
from lineage_schema.errors import BadInput
from lineage_schema.judgments import Passage, Request
from lineage_schema.vocabulary import Verdict
from lineage_scoring import alce
from lineage_scoring.asking import FULL, Asked, about, request_on
from lineage_scoring.support import Share, Support, support
from lineage_scoring.verdicts import Lack, Verdicts

DESK, ALCE = "desk", "alce"
UNSUPPORTED: Final = (
    "The cited set does not support the whole statement, so this citation receives no precision credit."
)
ALONE: Final = "This passage supports the whole statement by itself."
NEEDED: Final = "Without this citation, the cited set no longer supports the whole statement."
SPARE: Final = "The other cited passages support the statement without it, and it does not support the whole by itself."


@dataclass(frozen=True, slots=True)
class Check:
    """One citation of a statement: what was judged of it, whether it earned credit, and why in plain words."""

    name: str
    alone: bool | None
    without: bool | None
    precise: bool
    reason: str
    judged: str | None

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.name,
            "alone": self.alone,
            "without": self.without,
            "precise": self.precise,
            "reason": self.reason,
            "judged": self.judged,
        }


@dataclass(frozen=True, slots=True)
class StatementScore:
    """One statement. ``counted``: it is in the denominators. ``verdict`` is that on the whole cited set."""

    claim: ClaimMaterial
    counted: bool
    verdict: Verdict
    supported: bool
    checks: tuple[Check, ...]
    citations: int
    precise: int
    reason: str | None

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.claim.id,
            "label": self.claim.label,
            "text": self.claim.text,
            "counted": self.counted,
            "verdict": self.verdict.value,
            "supported": self.supported,
            "reason": self.reason,
            "citations": [check.to_json() for check in self.checks],
        }


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """One answer. ``uncounted`` is how many of its statements need no evidence, and so are in no denominator."""

    answer: AnswerMaterial
    rules: str
    statements: tuple[StatementScore, ...]
    recall: Share
    precision: Share
    precision_value: float | None
    uncounted: int

    def to_json(self) -> dict[str, Any]:
        return {
            "recall": self.recall.to_json(),
            "precision": {**self.precision.to_json(), "value": self.precision_value},
            "uncounted": self.uncounted,
            "statements": [statement.to_json() for statement in self.statements],
        }


def checked(answers: Iterable[AnswerMaterial]) -> None:
    """Raises :class:`BadInput` for a citation that resolves to nothing, and for one printed twice in a statement."""
    for answer in answers:
        known = list(
            dict.fromkeys(
                [each.name for claim in answer.claims for each in claim.cited if each.material is not None]
                + [material.title for material in answer.retrieved if material.title]
            )
        )
        for claim in answer.claims:
            item = f"{answer.key} {claim.label}"
            seen: set[str] = set()
            for each in claim.cited:
                if each.material is None:
                    raise BadInput(item, "citations", found=each.name, expected=f"one of {', '.join(sorted(known))}")
                if each.material.id in seen:
                    raise BadInput(item, "citations", found=each.name, expected="each citation once in a statement")
                seen.add(each.material.id)


def asked(answers: Iterable[AnswerMaterial], rules: str = DESK) -> Iterator[Asked]:
    """All that a score of these answers needs to have judged."""
    for answer in answers:
        for claim in answer.claims:
            if not _counts(claim, rules) or claim.text is None:
                continue
            yield from _asked(answer, claim)


def lacking(answers: Iterable[AnswerMaterial], verdicts: Verdicts, rules: str = DESK) -> list[Lack]:
    """Every request without an answer, in order; also statements whose passages cannot be judged as they were read."""
    found: list[Lack] = []
    for answer in answers:
        for claim in answer.claims:
            if not _counts(claim, rules):
                continue
            names = tuple(each.name for each in claim.cited)
            obstacle = _obstacle(claim)
            if obstacle is not None:
                why, detail = obstacle
                found.append(Lack(why, claim.text, names, answer.key, claim.label, FULL, None, detail))
                continue
            found += verdicts.lacking(_asked(answer, claim), answer.key, claim.label)
    return found


def score(answer: AnswerMaterial, verdicts: Verdicts, rules: str = DESK) -> AnswerScore:
    """Scores one answer of which nothing is lacking."""
    statements = tuple(_statement(claim, verdicts, rules) for claim in answer.claims)
    counted = [statement for statement in statements if statement.counted]
    recall = Share(sum(statement.supported for statement in counted), len(counted))
    precision = Share(sum(each.precise for each in counted), sum(each.citations for each in counted))
    value = precision.value
    if rules == ALCE and counted and value is None:
        # ALCE's evaluator: an answer without a counted citation has precision 0, and stays in the mean.
        value = 0.0
    return AnswerScore(answer, rules, statements, recall, precision, value, len(statements) - len(counted))


def objects(statement: StatementScore, score: AnswerScore) -> list[dict[str, Any]]:
    """The desk's three objects of a statement: its checks, what was judged, and the answer's figures."""
    claim = statement.claim
    names = [each.name for each in claim.cited]
    checks = [{key: value for key, value in check.to_json().items() if key != "judged"} for check in statement.checks]
    return [
        {
            "statementId": claim.label,
            "citations": names,
            "citedSetSupports": statement.supported,
            "citationChecks": checks,
        },
        {
            "statement": {"id": claim.label, "text": claim.text, "citations": names},
            "citedPassages": [_passage_json(each) for each in claim.cited if each.material is not None],
        },
        {
            "wholeSetSupports": statement.supported,
            "citationChecks": checks,
            "answerRecall": score.recall.to_json(),
            "answerPrecision": {**score.precision.to_json(), "value": score.precision_value},
        },
    ]


def _passage_json(each: Cited) -> dict[str, Any]:
    material = each.material
    assert material is not None
    place, passage = material.place, material.passage
    text = None if passage is None else passage.text
    if place is None:
        version, start, end = material.id, 0, len(text or "")
    else:
        said: Mapping[str, Any] = place.said.get("applicability") or {}
        version, start, end = said.get("version") or f"v{place.version}", place.start, place.end
    return {"id": each.name, "text": text, "version": version, "span": {"start": start, "end": end}}


def _statement(claim: ClaimMaterial, verdicts: Verdicts, rules: str) -> StatementScore:
    counted = _counts(claim, rules)
    shown = _shown(claim)
    if not counted or shown is None or claim.text is None:
        # ALCE's rule for a citation that does not exist: nothing of the statement is counted but itself.
        return StatementScore(claim, counted, Verdict.NOT_SUPPORTED, False, _unknown(claim), 0, 0, None)

    def verdict(members: tuple[int, ...]) -> Verdict:
        found = verdicts.decided(_request(claim, shown, members))
        assert found is not None, "a score is made only when nothing is lacking"
        return found

    def supports(members: tuple[int, ...]) -> bool:
        return verdict(members) is Verdict.SUPPORTED

    result = support(len(shown), supports)
    whole = verdict(tuple(range(len(shown))))
    held = verdicts.find(_request(claim, shown, tuple(range(len(shown)))))
    checks = []
    for place, ((cited, _), citation) in enumerate(zip(shown, result.citations, strict=True)):
        alone = verdicts.find(_request(claim, shown, (place,)))
        checks.append(
            Check(
                cited.name, citation.alone, citation.without, citation.precise,
                _reason(result, place), None if alone is None else alone.reason,
            )
        )  # fmt: skip
    citations, precise = len(shown), result.precise
    if rules == ALCE:
        citations, precise, checks = _by_alce(claim, shown, supports, checks)
    reason = None if held is None else held.reason
    return StatementScore(claim, counted, whole, result.supported, tuple(checks), citations, precise, reason)


def _by_alce(
    claim: ClaimMaterial, shown: Sequence[tuple[Cited, Passage]], supports: Any, checks: list[Check]
) -> tuple[int, int, list[Check]]:
    """ALCE's count: every mention of a passage is a citation of its own."""
    places = {each.material.id: place for place, (each, _) in enumerate(shown) if each.material is not None}
    documents = [places[each.material.id] for each in claim.cited if each.material is not None]
    result = alce.score_statement(documents, len(shown), lambda asked: supports(tuple(sorted(set(asked)))))
    return result.citations, result.precise, [checks[document] for document in documents]


def _unknown(claim: ClaimMaterial) -> tuple[Check, ...]:
    if all(each.material is not None for each in claim.cited):
        return ()
    reason = "The statement cites something that does not exist, so nothing of it is counted."
    return tuple(Check(each.name, None, None, False, reason, None) for each in claim.cited)


def _reason(result: Support, place: int) -> str:
    citation = result.citations[place]
    if not result.supported:
        return UNSUPPORTED
    if citation.alone:
        return ALONE
    return NEEDED if citation.precise else SPARE


def _asked(answer: AnswerMaterial, claim: ClaimMaterial) -> Iterator[Asked]:
    assert claim.text is not None
    shown = [(each.name, passage) for each, passage in _shown(claim) or ()]
    return about(claim.text, shown, answer.id, claim.id)


def _counts(claim: ClaimMaterial, rules: str) -> bool:
    return rules == ALCE or claim.needs_evidence


def _shown(claim: ClaimMaterial) -> tuple[tuple[Cited, Passage], ...] | None:
    """What is shown of a statement's citations, each passage once; None where one of them cannot be shown."""
    found: dict[str, tuple[Cited, Passage]] = {}
    for each in claim.cited:
        material = each.material
        if material is None or material.passage is None or material.ended:
            return None
        found.setdefault(material.id, (each, material.passage))
    return tuple(found.values())


def _obstacle(claim: ClaimMaterial) -> tuple[str, str | None] | None:
    """Why a statement cannot be judged as it was read; an unknown citation is no obstacle: it is counted as it is."""
    if claim.text is None:
        return "purged", None
    for each in claim.cited:
        if each.material is not None and each.material.passage is None:
            return "purged", each.name
        if each.material is not None and each.material.ended:
            return "changed", f"{each.name} by {', '.join(each.material.ended)}"
    return None


def _request(claim: ClaimMaterial, shown: Sequence[tuple[Cited, Passage]], members: tuple[int, ...]) -> Request:
    assert claim.text is not None
    return request_on(claim.text, [passage for _, passage in shown], members)
