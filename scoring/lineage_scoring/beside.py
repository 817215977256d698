"""Beside citation quality: what the same and a few more verdicts tell of an answer.

*Faithfulness* asks of all that was retrieved what attribution asks of what is cited; where the two disagree, the
statement is supported, and its citation is at fault. *Fidelity* judges a cited derived node twice, as the text that is
cited and as the spans under it. *Conflict*, *redundancy*, *applicability* and *cited but not retrieved* need no verdict
of their own. *Correctness* and *completeness* are judged against a reference that the caller gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from lineage.cited import AnswerMaterial, ClaimMaterial, Material
from lineage_schema.judgments import Passage, Request
from lineage_schema.vocabulary import Kind, Verdict
from lineage_scoring.asking import Asked, cited_passages
from lineage_scoring.scope import applies, applies_all
from lineage_scoring.support import Share, minimal_sets
from lineage_scoring.verdicts import Lack, Verdicts

FAITHFULNESS, FIDELITY, CORRECTNESS, COMPLETENESS = "faithfulness", "fidelity", "correctness", "completeness"
PARTS: Final = (FAITHFULNESS, FIDELITY, CORRECTNESS, COMPLETENESS)
"""Parts that need verdicts of their own."""
MOST_SPANS: Final = 24
"""Spans under a derived node that a judge is shown; of more, those that share most words with the statement."""

BY_BOTH, BY_SUMMARY, BY_SPANS, BY_NEITHER = "by_both", "by_the_summary_only", "by_the_spans_only", "by_neither"


@dataclass(frozen=True, slots=True)
class Reference:
    """What an answer should say: a text that is right, and points that it has to cover."""

    text: str | None = None
    points: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """What the parts look at beside an answer: the spans under cited derived nodes by id, and its reference."""

    spans: Mapping[str, Sequence[Material]] = field(default_factory=dict)
    references: Mapping[str, Reference] = field(default_factory=dict)


def asked(answer: AnswerMaterial, parts: Iterable[str], context: Context) -> Iterator[Asked]:
    """All that the parts need to have judged of an answer."""
    wanted = set(parts)
    reference = context.references.get(answer.key)
    for claim in answer.claims:
        if claim.text is None or not claim.needs_evidence:
            continue
        if FAITHFULNESS in wanted and (shown := _retrieved(answer)):
            names = tuple(name for name, _ in shown)
            passages = tuple(passage for _, passage in shown)
            yield Asked(Request(claim.text, passages), FAITHFULNESS, answer.id, claim.id, names)
        if FIDELITY in wanted:
            yield from _fidelity_asked(answer, claim, context)
        if CORRECTNESS in wanted and reference is not None and reference.text is not None:
            passage = _outside(reference.text, answer, "reference")
            yield Asked(Request(claim.text, (passage,)), CORRECTNESS, answer.id, claim.id, ("reference",))
    if COMPLETENESS in wanted and reference is not None and answer.text is not None and answer.claims:
        for point in reference.points:
            passage = Passage(answer.text, answer.id)
            yield Asked(Request(point, (passage,)), COMPLETENESS, answer.id, answer.id, ("the answer",))


def alone_of_context(answer: AnswerMaterial) -> Iterator[Request]:
    """Each thing in the context alone: where it was judged, it tells how a citation could be repaired."""
    for claim in answer.claims:
        if claim.text is not None:
            for _, passage in _retrieved(answer):
                yield Request(claim.text, (passage,))


def lacking(
    answers: Iterable[AnswerMaterial], parts: Iterable[str], context: Context, verdicts: Verdicts
) -> list[Lack]:
    """Every request of the parts without a verdict that counts."""
    wanted = tuple(parts)
    found: list[Lack] = []
    for answer in answers:
        labels = {claim.id: claim.label for claim in answer.claims}
        for each in asked(answer, wanted, context):
            found += verdicts.lacking([each], answer.key, labels.get(each.claim, ""))
    return found


def beside(answer: AnswerMaterial, parts: Iterable[str], context: Context, verdicts: Verdicts) -> dict[str, Any]:
    """The report of an answer: one entry a statement, and what is of the whole answer."""
    wanted = set(parts)
    reference = context.references.get(answer.key)
    statements = [_statement(answer, claim, wanted, context, reference, verdicts) for claim in answer.claims]
    found: dict[str, Any] = {"statements": statements}
    if FAITHFULNESS in wanted:
        known = [each for each in statements if "faithful" in each]
        found[FAITHFULNESS] = Share(sum(bool(each["faithful"]) for each in known), len(known)).to_json()
        found["supported_but_not_by_what_is_cited"] = [each["label"] for each in known if each.get("repair")]
    if CORRECTNESS in wanted and reference is not None and reference.text is not None:
        known = [each for each in statements if "correct" in each]
        found[CORRECTNESS] = Share(sum(bool(each["correct"]) for each in known), len(known)).to_json()
        found["correct_but_unsupported"] = [
            each["label"] for each in known if each["correct"] and each["supported"] is False
        ]
    if COMPLETENESS in wanted and reference is not None:
        found[COMPLETENESS] = _completeness(answer, reference, verdicts)
    return found


def _statement(
    answer: AnswerMaterial,
    claim: ClaimMaterial,
    wanted: set[str],
    context: Context,
    reference: Reference | None,
    verdicts: Verdicts,
) -> dict[str, Any]:
    passages = cited_passages(claim)
    supported = None if passages is None or claim.text is None else _supports(claim.text, passages, verdicts)
    found: dict[str, Any] = {
        "id": claim.id,
        "label": claim.label,
        "supported": supported,
        "cited_not_retrieved": _not_retrieved(answer, claim),
        "applicability": [_applicability(answer, claim, each.material, each.name, context) for each in claim.cited],
        **_sets(claim, passages, verdicts),
    }
    if claim.text is None or not claim.needs_evidence:
        return found
    retrieved = _retrieved(answer)
    if FAITHFULNESS in wanted and retrieved:
        faithful = _supports(claim.text, [passage for _, passage in retrieved], verdicts)
        found["faithful"] = faithful
        if faithful and supported is False:
            # The statement stands on what was retrieved, and the citation points elsewhere.
            alone = [name for name, passage in retrieved if _supports(claim.text, [passage], verdicts)]
            cite = " or ".join(alone)
            found["repair"] = f"cite {cite}" if alone else "no passage alone was judged to support it"
    if FIDELITY in wanted:
        found["fidelity"] = [
            _fidelity(claim, each.material, each.name, context, verdicts)
            for each in claim.cited
            if each.material is not None and each.material.kind != Kind.SPAN
        ]
    if CORRECTNESS in wanted and reference is not None and reference.text is not None:
        found["correct"] = _supports(claim.text, [_outside(reference.text, answer, "reference")], verdicts)
    return found


def _supports(statement: str, passages: Sequence[Passage], verdicts: Verdicts) -> bool | None:
    verdict = verdicts.decided(Request(statement, tuple(passages)))
    return None if verdict is None else verdict is Verdict.SUPPORTED


def _not_retrieved(answer: AnswerMaterial, claim: ClaimMaterial) -> list[str]:
    """Cited though it was not in the answer's context, where the context is known."""
    context = {material.id for material in answer.retrieved}
    return [each.name for each in claim.cited if context and each.material and each.material.id not in context]


def _applicability(
    answer: AnswerMaterial, claim: ClaimMaterial, material: Material | None, name: str, context: Context
) -> dict[str, str]:
    scope = {**answer.scope, **claim.scope}
    if material is None:
        return {"id": name, "word": "unknown", "because": "the citation points to nothing"}
    if material.place is not None:
        result = applies(scope, material.place.said)
    else:
        result = applies_all(scope, context.spans.get(material.id, ()))
    return {"id": name, "word": result.word.value, "because": result.because}


def _sets(claim: ClaimMaterial, passages: Sequence[Passage] | None, verdicts: Verdicts) -> dict[str, Any]:
    """Conflict, minimal sufficient sets among the judged ones, and decisive citations."""
    if passages is None or claim.text is None or not passages:
        return {"contradicted_by": [], "minimal_sets": [], "decisive": []}
    names = [each.name for each in claim.cited]
    text = claim.text

    def decided(members: tuple[int, ...]) -> Verdict | None:
        return verdicts.decided(Request(text, tuple(passages[place] for place in members)))

    def supports(members: tuple[int, ...]) -> bool | None:
        verdict = decided(members)
        return None if verdict is None else verdict is Verdict.SUPPORTED

    everything = tuple(range(len(passages)))
    minimal = minimal_sets(len(passages), supports)
    decisive = [
        names[place]
        for place in everything
        if supports(everything) and supports(everything[:place] + everything[place + 1 :]) is False
    ]
    return {
        "contradicted_by": [names[place] for place in everything if decided((place,)) is Verdict.CONTRADICTED],
        "minimal_sets": [[names[place] for place in members] for members in minimal],
        "decisive": decisive,
    }


def _retrieved(answer: AnswerMaterial) -> list[tuple[str, Passage]]:
    """What was in the context, as far as it can be shown as it was."""
    return [
        (material.title or material.id, material.passage)
        for material in answer.retrieved
        if material.passage is not None and not material.ended
    ]


# fidelity


def _fidelity_asked(answer: AnswerMaterial, claim: ClaimMaterial, context: Context) -> Iterator[Asked]:
    assert claim.text is not None
    for each in claim.cited:
        material = each.material
        if material is None or material.kind == Kind.SPAN or material.passage is None:
            continue
        yield Asked(Request(claim.text, (material.passage,)), FIDELITY, answer.id, claim.id, (each.name,))
        shown, _ = spans_shown(claim.text, context.spans.get(material.id, ()))
        if shown:
            names = tuple(f"{each.name} § {number}" for number in range(1, len(shown) + 1))
            yield Asked(Request(claim.text, shown), FIDELITY, answer.id, claim.id, names)


def spans_shown(statement: str, spans: Sequence[Material]) -> tuple[tuple[Passage, ...], bool]:
    """The spans under a derived node that a judge is shown, in their order, and whether some were left out.

    At most :data:`MOST_SPANS`: of more, those that share most words with the statement, the earlier of equals.
    """
    passages = [each.passage for each in spans if each.passage is not None and not each.ended]
    if len(passages) <= MOST_SPANS:
        return tuple(passages), False
    words = set(statement.lower().split())
    ranked = sorted(
        range(len(passages)), key=lambda at: (-len(words & set(passages[at].text.lower().split())), at)
    )  # fmt: skip
    return tuple(passages[at] for at in sorted(ranked[:MOST_SPANS])), True


def _fidelity(
    claim: ClaimMaterial, material: Material, name: str, context: Context, verdicts: Verdicts
) -> dict[str, Any]:
    """A cited derived node: does its text support the statement, and do the spans under it?"""
    assert claim.text is not None
    spans = context.spans.get(material.id, ())
    shown, chosen = spans_shown(claim.text, spans)
    by_text = None if material.passage is None else _supports(claim.text, [material.passage], verdicts)
    by_spans = _supports(claim.text, shown, verdicts)
    words = {
        (True, True): BY_BOTH, (True, False): BY_SUMMARY, (False, True): BY_SPANS, (False, False): BY_NEITHER,
    }  # fmt: skip
    return {
        "id": name,
        "node": material.id,
        "lineage": material.lineage,
        "word": None if by_text is None or by_spans is None else words[by_text, by_spans],
        "spans": [
            {"uri": each.place.uri, "version": each.place.version, "start": each.place.start, "end": each.place.end}
            for each in spans
            if each.place is not None
        ],
        "shown": len(shown),
        "rule": f"the {MOST_SPANS} spans that share most words with the statement" if chosen else None,
    }


# against a reference


def _completeness(answer: AnswerMaterial, reference: Reference, verdicts: Verdicts) -> dict[str, Any]:
    """Which required points the answer covers. A refusal, an answer without statements, covers none."""
    refusal = not answer.claims
    points = []
    for point in reference.points:
        covered = not refusal and answer.text is not None
        covered = covered and bool(_supports(point, [Passage(answer.text or "", answer.id)], verdicts))
        points.append({"point": point, "covered": covered})
    share = Share(sum(bool(each["covered"]) for each in points), len(points))
    return {**share.to_json(), "refusal": refusal, "points": points}


def _outside(text: str, answer: AnswerMaterial, what: str) -> Passage:
    return Passage(text, f"{what}:{answer.namespace}/{answer.key}")
