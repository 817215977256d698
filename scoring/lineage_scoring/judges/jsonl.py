"""Judging by hand or elsewhere: requests out, verdicts in, one JSON object a line.

A request's id, ``q1:`` and digits, is a hash of the statement and of the passages with what each was read from: the
same question has the same id whenever it is written, and a verdict names it. A verdict may also name its passages by
what readers call them, if that is unique among what the answers cite or had in their context.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from lineage.cited import AnswerMaterial, Material
from lineage_schema.canonical import canonical_json
from lineage_schema.errors import BadInput
from lineage_schema.identity import DIGITS, content_hash
from lineage_scoring.asking import Asked
from lineage_scoring.judging import JudgeId, Judgment, Passage, Request, Verdict
from lineage_scoring.lines import Line, objects

REQUEST_TAG: Final = "q1:"
FIELDS: Final = frozenset({"request", "statement", "passages", "verdict", "score", "reason"})
"""What a line of verdicts may say."""
ECHOED: Final = frozenset({"purpose", "answer", "claim"})
"""What an exported request says besides, and may be handed back."""
ASKED: Final = "the id of an exported request"


def request_id(request: Request) -> str:
    """The id of a question, whoever is asked."""
    return REQUEST_TAG + content_hash(canonical_json(request.asked, item="request"))[:DIGITS]


def once(asked: Iterable[Asked]) -> Iterator[tuple[str, Asked]]:
    """Each question once, with its id."""
    seen: set[str] = set()
    for each in asked:
        id_ = request_id(each.request)
        if id_ not in seen:
            seen.add(id_)
            yield id_, each


def exported(asked: Iterable[Asked]) -> Iterator[dict[str, Any]]:
    """The requests as objects to be written, each question once."""
    for id_, each in once(asked):
        yield {
            "request": id_,
            "purpose": each.purpose,
            "answer": each.answer,
            "claim": each.claim,
            "statement": each.request.statement,
            "passages": [
                {"name": name, "text": passage.text, "source": passage.source}
                for name, passage in zip(each.names, each.request.passages, strict=True)
            ],
        }


def imported(
    lines: Iterable[str],
    asked: Iterable[Asked],
    answers: Sequence[AnswerMaterial],
    judge: JudgeId,
    by: str | None,
    file: str | None = None,
) -> list[Judgment]:
    """The verdicts that lines give, on requests of these answers.

    Raises :class:`BadInput`, naming the file and the line, for what is no verdict on a known request.
    """
    known = {request_id(each.request): each.request for each in asked}
    named = Named(answers)
    found = []
    for line in objects(lines, file):
        if "custom_id" in line.said:
            raise line.refused("custom_id", "--openai-batch MODEL, to read a batch's output")
        line.only(FIELDS | ECHOED, FIELDS)
        request = _request(line, known, named)
        score, reason = _score(line), line.optional("reason")
        found.append(Judgment.of(request, judge, _verdict(line), score=score, reason=reason, by=by))
    return found


class Named:
    """What answers cite or had in their context, by what readers call it."""

    def __init__(self, answers: Iterable[AnswerMaterial]) -> None:
        self._found: dict[str, dict[tuple[str, str], Passage]] = {}
        for answer in answers:
            for claim in answer.claims:
                for each in claim.cited:
                    self._add(each.name, each.material)
            for material in answer.retrieved:
                self._add(material.title, material)

    def _add(self, name: str | None, material: Material | None) -> None:
        if name and material is not None and material.passage is not None:
            passage = material.passage
            self._found.setdefault(name, {})[passage.sha256, passage.source] = passage

    def passage(self, name: object, item: str) -> Passage:
        """The passage of that name. Raises :class:`BadInput` where there is none, or several."""
        found = self._found.get(name, {}) if isinstance(name, str) else {}
        if len(found) != 1:
            known = ", ".join(sorted(self._found))
            expected = f"one of {known}" if not found else f"a name of one passage ({len(found)} have it)"
            raise BadInput(item, "passages", found=name, expected=expected)
        return next(iter(found.values()))


def _request(line: Line, known: Mapping[str, Request], named: Named) -> Request:
    if "request" in line.said:
        request = known.get(line.text("request", ASKED))
        if request is None:
            raise line.refused("request", ASKED)
        return request
    statement, names = line.text("statement", "the statement, or a request's id"), line.said.get("passages")
    if not isinstance(names, list) or not names:
        raise line.refused("passages", "at least one passage, by name")
    return Request(statement, tuple(named.passage(name, line.item) for name in names))


def _verdict(line: Line) -> Verdict:
    try:
        return Verdict(str(line.said.get("verdict")))
    except ValueError:
        raise line.refused("verdict", f"one of {', '.join(Verdict)}") from None


def _score(line: Line) -> float | None:
    score = line.said.get("score")
    if score is None:
        return None
    if not isinstance(score, (int, float)) or isinstance(score, bool) or not 0 <= score <= 1:
        raise line.refused("score", "a number from 0 to 1")
    return float(score)
