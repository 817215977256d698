"""A language model behind any endpoint that speaks OpenAI's chat completions, by HTTP.

Where it is and the key to it come from the environment alone: ``LINEAGE_LLM_BASE_URL`` (such as
``https://host/v1``), ``LINEAGE_LLM_API_KEY`` (none is sent where it is not set) and, unless it is given,
``LINEAGE_LLM_MODEL``. The key of a judgment holds the model's name, the hash of the prompt and the sampling.

Statement and passages are quoted between lines with a mark, made for each request, that occurs in none of them; an
answer counts only if it bears the mark, so a verdict that is copied from a passage does not.
"""

from __future__ import annotations

import json
import os
import random
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from lineage_schema.errors import BadInput, MissingDependency
from lineage_schema.identity import content_hash
from lineage_scoring.judging import Failure, Judge, Reply, Request, Verdict

if TYPE_CHECKING:
    import httpx

BASE_URL: Final = "LINEAGE_LLM_BASE_URL"
API_KEY: Final = "LINEAGE_LLM_API_KEY"
MODEL: Final = "LINEAGE_LLM_MODEL"
AGAIN: Final = frozenset({408, 409, 429, 500, 502, 503, 504})
"""States of HTTP that may pass by themselves."""
FORMAT_REFUSED: Final = frozenset({400, 415, 422})
LONGEST_PAUSE: Final = 60.0
"""Seconds. A server that asks for more is not waited for: the request fails, and the next run asks again."""
MOST_TOKENS: Final = 600
MARK: Final = 12
"""Bytes of a mark."""


@cache
def prompt() -> str:
    """What the model is told before the request."""
    return files("lineage_scoring.judges").joinpath("llm_prompt.txt").read_text(encoding="utf-8")


def mark_for(request: Request) -> str:
    """A mark, new each time, that occurs in no text of the request."""
    texts = [request.statement, *(passage.text for passage in request.passages)]
    while True:
        mark = secrets.token_hex(MARK)
        if not any(mark in text for text in texts):
            return mark


def messages(request: Request, mark: str) -> list[dict[str, str]]:
    """The conversation that asks a request."""
    quoted = [("statement", request.statement)]
    quoted += [(f"passage {number}", passage.text) for number, passage in enumerate(request.passages, 1)]
    blocks = [f"--- {mark} {name} begins\n{text}\n--- {mark} {name} ends" for name, text in quoted]
    asked = "\n\n".join([f"The mark of this request is {mark}.", *blocks])
    return [{"role": "system", "content": prompt()}, {"role": "user", "content": asked}]


def answer_format(mark: str) -> dict[str, Any]:
    """The form of an answer, as a JSON schema."""
    members: dict[str, Any] = {
        "request": {"type": "string", "enum": [mark]},
        "verdict": {"type": "string", "enum": [verdict.value for verdict in Verdict]},
        "score": {"type": "number"},
        "reason": {"type": "string"},
    }
    schema = {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}
    return {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": schema}}


def body_of(request: Request, mark: str, model: str) -> dict[str, Any]:
    """The body of a call, in its strictest form."""
    return {
        "model": model,
        "temperature": 0,
        "max_tokens": MOST_TOKENS,
        "messages": messages(request, mark),
        "response_format": answer_format(mark),
    }


def configuration_of(model: str) -> dict[str, Any]:
    """What may change a verdict, and so is in the key."""
    return {"model": model, "prompt": content_hash(prompt()), "temperature": "0", "max_tokens": MOST_TOKENS}


def read_answer(completion: Any, mark: str) -> Reply | Failure:
    """The verdict in a chat completion. A :class:`Failure` says why there is none.

    Prose around the object is passed over; an object without the mark is no answer.
    """
    try:
        (choice, *_) = completion["choices"]
        message, finish = choice["message"], choice.get("finish_reason")
        content, refusal = message.get("content"), message.get("refusal")
    except (AttributeError, KeyError, TypeError, ValueError):
        return Failure("the server's answer is no chat completion")
    if refusal:
        return Failure(f"the model refused: {str(refusal)[:200]}")
    if finish == "length":
        return Failure("the model's answer was cut")
    if finish == "content_filter":
        return Failure("the model's answer was withheld by a filter")
    if not isinstance(content, str):
        return Failure("the model's answer has no text")
    found = [each for each in _objects(content) if each.get("request") == mark]
    if not found:
        return Failure("the model's answer has no JSON object that bears the mark of the request")
    if any(each != found[0] for each in found):
        return Failure("the model gave several answers that differ")
    return _reply(found[0])


def _reply(said: Mapping[str, Any]) -> Reply | Failure:
    verdict, score, reason = said.get("verdict"), said.get("score"), said.get("reason")
    if not isinstance(verdict, str) or verdict not in list(Verdict):
        return Failure(f"the model's verdict is none: {str(verdict)[:50]!r}")
    if score is not None and (isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1):
        return Failure(f"the model's score is no number from 0 to 1: {str(score)[:50]!r}")
    if reason is not None and not isinstance(reason, str):
        return Failure("the model's reason is no text")
    return Reply(Verdict(verdict), None if score is None else float(score), reason)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects in a text."""
    decoder = json.JSONDecoder()
    place = text.find("{")
    while place != -1:
        try:
            found, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            yield found
        place = text.find("{", end)


class Llm(Judge):
    """A model at temperature 0. ``window`` is in code points, ``timeout`` and ``pause`` (the first) in seconds.

    Raises :class:`MissingDependency` without the extra ``llm``, and :class:`BadInput` where a setting is missing.
    """

    name = "llm"
    version = "1"
    batch = 1

    def __init__(
        self,
        model: str | None = None,
        *,
        window: str | int = 60_000,
        timeout: str | float = 60,
        retries: str | int = 4,
        pause: str | float = 1,
    ) -> None:
        self._httpx = _library()
        self._url = _endpoint()
        self._model = model or os.environ.get(MODEL) or ""
        if not self._model:
            raise BadInput("judge llm", MODEL, found=None, expected="the model's name, in it or as --set model=NAME")
        self.window = int(_number("window", window, least=1))
        self._retries = int(_number("retries", retries, least=0))
        self._pause = _number("pause", pause, least=0)
        self._secret = os.environ.get(API_KEY) or ""
        headers = {"Authorization": f"Bearer {self._secret}"} if self._secret else {}
        # A redirect would hand the key to another host.
        self._client = self._httpx.Client(
            headers=headers, timeout=_number("timeout", timeout, least=0.001), follow_redirects=False
        )
        self._formats: list[Callable[[str], dict[str, Any] | None]] = [
            answer_format,
            lambda mark: {"type": "json_object"},
            lambda mark: None,
        ]
        self.configuration = configuration_of(self._model)

    def __repr__(self) -> str:
        return f"Llm(model={self._model!r})"

    def judge(self, requests: Sequence[Request]) -> list[Reply | Failure]:
        """Raises :class:`BadInput` where the server takes neither the key nor the address: no request would do."""
        return [self._one(request) for request in requests]

    def _one(self, request: Request) -> Reply | Failure:
        mark = mark_for(request)
        began = time.perf_counter_ns()
        completion = self._completion(request, mark)
        found = completion if isinstance(completion, Failure) else read_answer(completion, mark)
        if isinstance(found, Failure):
            return Failure(self._hidden(found.reason))
        latency = (time.perf_counter_ns() - began) // 1000
        reason = None if found.reason is None else self._hidden(found.reason)
        return Reply(found.verdict, found.score, reason, latency)

    def _completion(self, request: Request, mark: str) -> Any | Failure:
        body = body_of(request, mark, self._model)
        formats = list(self._formats)
        tried = 0
        while True:
            response_format = formats[0](mark)
            body.pop("response_format", None)
            if response_format is not None:
                body["response_format"] = response_format
            why, asked_to_wait = "", None
            try:
                response = self._client.post(self._url, json=body)
            except self._httpx.TimeoutException:
                why = "the server did not answer in time"
            except self._httpx.TransportError as error:
                why = f"the server cannot be reached ({type(error).__name__})"
            else:
                state = response.status_code
                if state in (401, 403, 404) or response.is_redirect:
                    raise BadInput(
                        "judge llm",
                        "server",
                        found=f"HTTP {state}",
                        expected=f"{API_KEY}, {BASE_URL} and a model it takes",
                    )
                if state in FORMAT_REFUSED and len(formats) > 1:
                    formats.pop(0)
                    continue
                if response.is_success:
                    self._formats = formats
                    return _parsed(response)
                why = f"the server answered {state}"
                if state not in AGAIN:
                    return Failure(f"{why}: {response.text[:200]}")
                asked_to_wait = _retry_after(response.headers.get("Retry-After"))
            tried += 1
            if tried > self._retries:
                return Failure(f"{why} (tries: {tried})")
            if asked_to_wait is not None and asked_to_wait > LONGEST_PAUSE:
                return Failure(f"{why}, and asks to wait {asked_to_wait:.0f} seconds")
            own = min(self._pause * 2 ** (tried - 1), LONGEST_PAUSE) * random.uniform(0.5, 1)
            time.sleep(own if asked_to_wait is None else asked_to_wait)

    def _hidden(self, text: str) -> str:
        """Servers have been seen to repeat a key that they refuse."""
        return text.replace(self._secret, "(key)") if self._secret else text


def _parsed(response: httpx.Response) -> Any | Failure:
    try:
        return response.json()
    except ValueError:
        return Failure("the server's answer is no JSON, or was cut")


def _retry_after(said: str | None) -> float | None:
    """Seconds that a server asks to wait (RFC 9110, 10.2.3: a number or a date); None where it says nothing."""
    if not said:
        return None
    if said.strip().isdecimal():
        return float(said)
    try:
        until = parsedate_to_datetime(said)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max((until - datetime.now(UTC)).total_seconds(), 0.0)


def _endpoint() -> str:
    said = os.environ.get(BASE_URL) or ""
    host = said.partition("://")[2].partition("/")[0]
    if not said.startswith(("http://", "https://")) or not host:
        raise BadInput(
            "judge llm", BASE_URL, found=said or None, expected="the URL of an endpoint, such as https://host/v1"
        )
    if "@" in host:
        raise BadInput(
            "judge llm", BASE_URL, found="a URL with a password", expected=f"a URL without; the key is {API_KEY}"
        )
    return said.rstrip("/") + "/chat/completions"


def _number(name: str, given: str | float, *, least: float) -> float:
    try:
        found = float(given)
    except ValueError:
        found = -1.0
    if not least <= found < float("inf"):
        raise BadInput("judge llm", name, found=given, expected=f"a number, at least {least:g}")
    return found


def _library() -> Any:
    try:
        import httpx
    except ImportError:
        raise MissingDependency("the judge 'llm'", "llm") from None
    return httpx
