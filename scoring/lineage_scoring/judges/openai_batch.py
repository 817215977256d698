"""The judge ``llm`` by way of OpenAI's batch files: calls out, completions in, one JSON object a line.

A call's ``custom_id`` is the request's id, the mark that the answer has to bear, and digits of the judge's
configuration: what comes back is of this question, this model and this prompt, or it is refused. Verdicts are kept
under the same keys as those that the judge gives over HTTP.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from lineage_schema.identity import content_hash
from lineage_scoring.asking import Asked
from lineage_scoring.judges.jsonl import once, request_id
from lineage_scoring.judges.llm import Llm, body_of, configuration_of, mark_for, read_answer
from lineage_scoring.judging import Failure, JudgeId, Judgment, Reply, Request
from lineage_scoring.lines import Line, objects

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
    lines: Iterable[str], asked: Iterable[Asked], model: str, file: str | None = None
) -> tuple[list[Judgment], list[tuple[Request, str]]]:
    """The verdicts that lines of a batch's output give, and the requests that failed, with the reason.

    Raises :class:`BadInput`, naming the file and the line, for what is no line of a batch that :func:`exported` wrote
    for these answers, this model and the prompt of this release.
    """
    known = {request_id(each.request): each.request for each in asked}
    judge = judge_of(model)
    rows: list[Judgment] = []
    failures: list[tuple[Request, str]] = []
    made_by = _digits(model)
    for line in objects(lines, file):
        request, mark = _asked(line, known, made_by)
        reply = _reply(line, mark)
        if isinstance(reply, Failure):
            failures.append((request, reply.reason))
        else:
            rows.append(Judgment.of(request, judge, reply.verdict, score=reply.score, reason=reply.reason))
    return rows, failures


def _digits(model: str) -> str:
    return content_hash(judge_of(model).configuration)[:DIGITS]


def _asked(line: Line, known: Mapping[str, Request], made_by: str) -> tuple[Request, str]:
    id_ = line.said.get("custom_id")
    parts = id_.split(".") if isinstance(id_, str) else []
    if len(parts) != 3 or parts[0] not in known:
        raise line.refused("custom_id", "that of an exported call")
    if parts[2] != made_by:
        raise line.refused("custom_id", f"a call to this model with this prompt ({made_by})")
    return known[parts[0]], parts[1]


def _reply(line: Line, mark: str) -> Reply | Failure:
    response, error = line.said.get("response"), line.said.get("error")
    if response is None and error is not None:
        return Failure(f"the batch says: {str(error)[:200]}")
    if not isinstance(response, dict) or "body" not in response or "status_code" not in response:
        raise line.refused("response", "status_code and body, as a batch's output has them")
    if response["status_code"] != 200:
        return Failure(f"the server answered {response['status_code']}: {str(response['body'])[:200]}")
    return read_answer(response["body"], mark)
