"""The judge ``llm`` by way of OpenAI's batch files: calls out, completions in, one JSON object a line.

A call's ``custom_id`` is the request's id, the mark that the answer has to bear, and digits of the judge's
configuration: what comes back is of this question, this model and this prompt, or it is refused. Verdicts are kept
under the same keys as those that the judge gives over HTTP.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from lineage_schema.errors import BadInput
from lineage_schema.identity import content_hash
from lineage_scoring.asking import Asked
from lineage_scoring.judges.jsonl import json_object, once, request_id
from lineage_scoring.judges.llm import Llm, body_of, configuration_of, mark_for, read_answer
from lineage_scoring.judging import Failure, JudgeId, Judgment, Reply, Request

DIGITS: Final = 8
PATH: Final = "/v1/chat/completions"


def judge_of(model: str) -> JudgeId:
    """Under whom the verdicts of a model are kept."""
    return JudgeId.of(Llm.name, Llm.version, configuration_of(model))


def exported(asked: Iterable[Asked], model: str) -> Iterator[dict[str, Any]]:
    """The calls that ask each question once."""
    made_by = _digits(model)
    for id_, each in once(asked):
        mark = mark_for(each.request)
        yield {
            "custom_id": f"{id_}.{mark}.{made_by}",
            "method": "POST",
            "url": PATH,
            "body": body_of(each.request, mark, model),
        }


def imported(
    lines: Iterable[tuple[int, str]], asked: Iterable[Asked], model: str
) -> tuple[list[Judgment], list[tuple[Request, str]]]:
    """The verdicts that numbered lines of a batch's output give, and the requests that failed, with the reason.

    Raises :class:`BadInput`, naming the line, for what is no line of a batch that :func:`exported` wrote for these
    answers, this model and the prompt of this release.
    """
    known = {request_id(each.request): each.request for each in asked}
    judge = judge_of(model)
    rows: list[Judgment] = []
    failures: list[tuple[Request, str]] = []
    for number, line in lines:
        if not line.strip():
            continue
        item = f"line {number}"
        said = json_object(line, item)
        request, mark = _asked(said, known, _digits(model), item)
        reply = _reply(said, mark, item)
        if isinstance(reply, Failure):
            failures.append((request, reply.reason))
        else:
            rows.append(Judgment.of(request, judge, reply.verdict, score=reply.score, reason=reply.reason))
    return rows, failures


def _digits(model: str) -> str:
    return content_hash(judge_of(model).configuration)[:DIGITS]


def _asked(said: Mapping[str, Any], known: Mapping[str, Request], made_by: str, item: str) -> tuple[Request, str]:
    id_ = said.get("custom_id")
    parts = id_.split(".") if isinstance(id_, str) else []
    if len(parts) != 3 or parts[0] not in known:
        raise BadInput(item, "custom_id", found=id_, expected="that of an exported call")
    if parts[2] != made_by:
        raise BadInput(item, "custom_id", found=id_, expected=f"a call to this model with this prompt ({made_by})")
    return known[parts[0]], parts[1]


def _reply(said: Mapping[str, Any], mark: str, item: str) -> Reply | Failure:
    response = said.get("response")
    if response is None and said.get("error") is not None:
        return Failure(f"the batch says: {str(said['error'])[:200]}")
    if not isinstance(response, dict) or "body" not in response or "status_code" not in response:
        raise BadInput(item, "response", found=response, expected="status_code and body, as a batch's output has them")
    if response["status_code"] != 200:
        return Failure(f"the server answered {response['status_code']}: {str(response['body'])[:200]}")
    return read_answer(response["body"], mark)
