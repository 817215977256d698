"""The ``audit`` profile on answers in a store: asks about each part of each claim, and counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lineage.cited import AnswerMaterial, ClaimMaterial
from lineage_schema.judgments import JudgeId, Passage
from lineage_schema.vocabulary import Verdict
from lineage_scoring.asking import FULL, Asked, about, cited_passages, named, request_on
from lineage_scoring.audit import ClaimAudit, audit_claim, coverage, link_precision
from lineage_scoring.parts import Parts
from lineage_scoring.support import Share
from lineage_scoring.verdicts import Lack, Verdicts, judge_json


@dataclass(frozen=True, slots=True)
class AnswerAudit:
    """One answer: its claims that need evidence, each with its audit and who split it, and the two figures."""

    answer: AnswerMaterial
    claims: tuple[tuple[ClaimMaterial, ClaimAudit, JudgeId | None], ...]
    coverage: Share
    precision: Share

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.answer.id,
            "key": self.answer.key,
            "namespace": self.answer.namespace,
            "profile": "audit",
            "coverage": self.coverage.to_json(),
            "link_precision": self.precision.to_json(),
            "claims": [_claim_json(*each) for each in self.claims],
        }


def asked(answers: Iterable[AnswerMaterial], parts: Parts) -> Iterator[Asked]:
    """All that auditing these answers needs to have judged."""
    for answer in answers:
        for claim in _counted(answer):
            yield from _asked(answer, claim, cited_passages(claim) or (), parts)


def lacking(answers: Iterable[AnswerMaterial], verdicts: Verdicts, parts: Parts) -> list[Lack]:
    """Every request without an answer, and claims whose passages cannot be judged as they were read."""
    found: list[Lack] = []
    for answer in answers:
        for claim in _counted(answer):
            names = tuple(each.name for each in claim.cited)
            passages = cited_passages(claim)
            if passages is None:
                found.append(Lack(_obstacle(claim), claim.text, names, answer.key, claim.label, FULL))
                continue
            found += verdicts.lacking(_asked(answer, claim, passages, parts), answer.key, claim.label)
    return found


def audit(answer: AnswerMaterial, verdicts: Verdicts, parts: Parts) -> AnswerAudit:
    """Audits one answer of which nothing is lacking."""
    found = []
    for claim in _counted(answer):
        passages = cited_passages(claim) or ()

        def supports(part: str, members: tuple[int, ...], passages: Sequence[Passage] = passages) -> bool:
            return verdicts.decided(request_on(part, passages, members)) is Verdict.SUPPORTED

        splitter = parts[claim.id].splitter if claim.id in parts else None
        found.append((claim, audit_claim(_parts(claim, parts), len(passages), supports), splitter))
    audits = [each for _, each, _ in found]
    return AnswerAudit(answer, tuple(found), coverage(audits), link_precision(audits))


def _asked(answer: AnswerMaterial, claim: ClaimMaterial, passages: Sequence[Passage], parts: Parts) -> Iterator[Asked]:
    if passages:
        for part in _parts(claim, parts):
            yield from about(part, named(claim, passages), answer.id, claim.id)


def _counted(answer: AnswerMaterial) -> list[ClaimMaterial]:
    return [claim for claim in answer.claims if claim.needs_evidence and claim.text is not None]


def _parts(claim: ClaimMaterial, parts: Parts) -> tuple[str, ...]:
    assert claim.text is not None
    split = parts.get(claim.id)
    return (claim.text,) if split is None or split.parts is None else split.parts


def _obstacle(claim: ClaimMaterial) -> str:
    materials = [each.material for each in claim.cited]
    if any(material is None for material in materials):
        return "unknown"
    return "changed" if any(material is not None and material.ended for material in materials) else "purged"


def _claim_json(claim: ClaimMaterial, audit: ClaimAudit, splitter: JudgeId | None) -> dict[str, Any]:
    names = [each.name for each in claim.cited]
    return {
        "id": claim.id,
        "label": claim.label,
        "text": claim.text,
        "covered": audit.covered,
        "links": [{"id": name, "valid": valid} for name, valid in zip(names, audit.links, strict=True)],
        "split_by": None if splitter is None else judge_json(splitter),
        "parts": [
            {
                "text": part.text,
                "supported": part.supported,
                "links": [name for name, valid in zip(names, part.links, strict=True) if valid],
            }
            for part in audit.parts
        ],
    }
