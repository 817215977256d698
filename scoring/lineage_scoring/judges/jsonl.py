"""Judging by hand or elsewhere: requests out, verdicts in, one JSON object a line.

A request's id, ``q1:`` and digits, is a hash of the statement and of the passages with what each was read from: the
same question has the same id whenever it is written, and a verdict names it. A verdict may also name its passages by
what readers call them, if that is unique among what the answers cite or had in their context.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from lineage.cited import AnswerMaterial, Material
from lineage_schema.canonical import canonical_json
from lineage_schema.errors import BadInput
from lineage_schema.identity import DIGITS, content_hash
from lineage_scoring.asking import Asked
from lineage_scoring.judging import JudgeId, Judgment, Passage, Request, Verdict

REQUEST_TAG: Final = "q1:"
FIELDS: Final = frozenset({"request", "statement", "passages", "verdict", "score", "reason"})
"""What a line of verdicts may say."""
ECHOED: Final = frozenset({"purpose", "answer", "claim"})
"""What an exported request says besides, and may be handed back."""


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
    lines: Iterable[tuple[int, str]],
    asked: Iterable[Asked],
    answers: Sequence[AnswerMaterial],
    judge: JudgeId,
    by: str | None,
) -> list[Judgment]:
    """The verdicts that numbered lines give, on requests of these answers.

    Raises :class:`BadInput`, naming the line, for what is no verdict on a known request.
    """
    known = {request_id(each.request): each.request for each in asked}
    named = Named(answers)
    found = []
    for number, line in lines:
        if not line.strip():
            continue
        item = f"line {number}"
        said = json_object(line, item)
        _only_known(said, item)
        request = _request(said, known, named, item)
        found.append(
            Judgment.of(
                request, judge, _verdict(said, item), score=_score(said, item), reason=_text(said, "reason", item),
                by=by,
            )
        )  # fmt: skip
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


def json_object(line: str, item: str) -> Mapping[str, Any]:
    """The object that a line holds. Raises :class:`BadInput`."""
    try:
        said = json.loads(line)
    except ValueError as error:
        raise BadInput(item, "line", found=line, expected=f"a JSON object ({error})") from None
    if not isinstance(said, dict):
        raise BadInput(item, "line", found=line, expected="a JSON object")
    return said


def _only_known(said: Mapping[str, Any], item: str) -> None:
    if "custom_id" in said:
        raise BadInput(
            item, "custom_id", found=said["custom_id"], expected="--openai-batch MODEL, to read a batch's output"
        )
    unknown = sorted(said.keys() - FIELDS - ECHOED)
    if unknown:
        raise BadInput(item, unknown[0], found=said[unknown[0]], expected=f"only {', '.join(sorted(FIELDS))}")


def _request(said: Mapping[str, Any], known: Mapping[str, Request], named: Named, item: str) -> Request:
    if "request" in said:
        request = known.get(said["request"]) if isinstance(said["request"], str) else None
        if request is None:
            raise BadInput(item, "request", found=said["request"], expected="the id of an exported request")
        return request
    statement, names = said.get("statement"), said.get("passages")
    if not isinstance(statement, str) or not statement:
        raise BadInput(item, "statement", found=statement, expected="the statement, or a request's id")
    if not isinstance(names, list) or not names:
        raise BadInput(item, "passages", found=names, expected="at least one passage, by name")
    return Request(statement, tuple(named.passage(name, item) for name in names))


def _verdict(said: Mapping[str, Any], item: str) -> Verdict:
    try:
        return Verdict(str(said.get("verdict")))
    except ValueError:
        words = ", ".join(Verdict)
        raise BadInput(item, "verdict", found=said.get("verdict"), expected=f"one of {words}") from None


def _score(said: Mapping[str, Any], item: str) -> float | None:
    score = said.get("score")
    if score is None:
        return None
    if not isinstance(score, (int, float)) or isinstance(score, bool) or not 0 <= score <= 1:
        raise BadInput(item, "score", found=score, expected="a number from 0 to 1")
    return float(score)


def _text(said: Mapping[str, Any], field: str, item: str) -> str | None:
    value = said.get(field)
    if value is not None and not isinstance(value, str):
        raise BadInput(item, field, found=value, expected="text")
    return value
