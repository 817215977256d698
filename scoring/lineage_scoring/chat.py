"""Chat completions of a language model, by HTTP, from any endpoint that speaks OpenAI's form of them.

Where it is and the key to it come from the environment alone: ``LINEAGE_LLM_BASE_URL`` (such as
``https://host/v1``), ``LINEAGE_LLM_API_KEY`` (none is sent where it is not set) and, unless it is given,
``LINEAGE_LLM_MODEL``.

What a model is asked about is quoted between lines with a mark, made for each call, that occurs in none of the texts;
an answer counts only if it bears the mark, so one that is copied from a text does not.
"""

from __future__ import annotations

import json
import os
import random
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

from lineage_schema.errors import BadInput, MissingDependency
from lineage_schema.identity import content_hash
from lineage_scoring.judging import Failure

if TYPE_CHECKING:
    import httpx

BASE_URL: Final = "LINEAGE_LLM_BASE_URL"
API_KEY: Final = "LINEAGE_LLM_API_KEY"
MODEL: Final = "LINEAGE_LLM_MODEL"
AGAIN: Final = frozenset({408, 409, 429, 500, 502, 503, 504})
"""States of HTTP that may pass by themselves."""
FORMAT_REFUSED: Final = frozenset({400, 415, 422})
LONGEST_PAUSE: Final = 60.0
"""Seconds. A server that asks for more is not waited for: the call fails, and the next run asks again."""
MARK: Final = 12
"""Bytes of a mark."""
FORM: Final = "response_format"


def mark_for(texts: Iterable[str]) -> str:
    """A mark, new each time, that occurs in none of the texts."""
    listed = list(texts)
    while True:
        mark = secrets.token_hex(MARK)
        if not any(mark in text for text in listed):
            return mark


def messages(prompt: str, quoted: Iterable[tuple[str, str]], mark: str) -> list[dict[str, str]]:
    """The conversation that asks about texts, each quoted under its name."""
    blocks = [f"--- {mark} {name} begins\n{text}\n--- {mark} {name} ends" for name, text in quoted]
    asked = "\n\n".join([f"The mark of this request is {mark}.", *blocks])
    return [{"role": "system", "content": prompt}, {"role": "user", "content": asked}]


def answer_format(name: str, members: Mapping[str, Any], mark: str) -> dict[str, Any]:
    """The form of an answer, as a JSON schema: an object with the mark and these members, all of them."""
    listed = {"request": {"type": "string", "enum": [mark]}, **members}
    schema = {"type": "object", "properties": listed, "required": list(listed), "additionalProperties": False}
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}


def body_of(
    model: str, asked: Sequence[Mapping[str, str]], form: Mapping[str, Any], most_tokens: int
) -> dict[str, Any]:
    """The body of a call, in its strictest form."""
    return {"model": model, "temperature": 0, "max_tokens": most_tokens, "messages": list(asked), FORM: dict(form)}


def configuration_of(model: str, prompt: str, most_tokens: int) -> dict[str, Any]:
    """What may change an answer, and so is in the name of whoever gives it."""
    return {"model": model, "prompt": content_hash(prompt), "temperature": "0", "max_tokens": most_tokens}


def answer_in(completion: Any, mark: str) -> dict[str, Any] | Failure:
    """The object in a chat completion that bears the mark. A :class:`Failure` says why there is none.

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
    return found[0]


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


class Chat:
    """A model at an endpoint. ``who`` asks it, and is named by errors; ``timeout`` and ``pause`` are in seconds.

    It may be asked from several threads. Raises :class:`MissingDependency` without the extra ``llm``, and
    :class:`BadInput` where a setting is missing, or is none.
    """

    def __init__(
        self,
        who: str,
        model: str | None,
        *,
        timeout: str | float = 60,
        retries: str | int = 4,
        pause: str | float = 1,
    ) -> None:
        self._who = who
        self._httpx = _library(who)
        self._url = _endpoint(who)
        self.model = model or os.environ.get(MODEL) or ""
        if not self.model:
            raise BadInput(who, MODEL, found=None, expected="the model's name, in it or as --set model=NAME")
        self._retries = int(number(who, "retries", retries, least=0))
        self._pause = number(who, "pause", pause, least=0)
        self._secret = os.environ.get(API_KEY) or ""
        headers = {"Authorization": f"Bearer {self._secret}"} if self._secret else {}
        # A redirect would hand the key to another host.
        self._client = self._httpx.Client(
            headers=headers, timeout=number(who, "timeout", timeout, least=0.001), follow_redirects=False
        )
        self._forms: list[Callable[[Any], Any]] = [
            lambda strict: strict,
            lambda strict: {"type": "json_object"},
            lambda strict: None,
        ]

    def ask(self, body: Mapping[str, Any], mark: str) -> dict[str, Any] | Failure:
        """The object with the mark that answers a call. A server without structured output is asked in plainer forms.

        Raises :class:`BadInput` where the server takes neither the key nor the address: no call would do.
        """
        completion = self._completion(body)
        found = completion if isinstance(completion, Failure) else answer_in(completion, mark)
        return Failure(self.hidden(found.reason)) if isinstance(found, Failure) else found

    def hidden(self, text: str) -> str:
        """The text without the key: servers have been seen to repeat one that they refuse."""
        return text.replace(self._secret, "(key)") if self._secret else text

    def _completion(self, strict: Mapping[str, Any]) -> Any | Failure:
        body = dict(strict)
        forms = list(self._forms)
        tried = 0
        while True:
            form = forms[0](strict[FORM])
            body.pop(FORM, None)
            if form is not None:
                body[FORM] = form
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
                        self._who,
                        "server",
                        found=f"HTTP {state}",
                        expected=f"{API_KEY}, {BASE_URL} and a model it takes",
                    )
                if state in FORMAT_REFUSED and len(forms) > 1:
                    forms.pop(0)
                    continue
                if response.is_success:
                    self._forms = forms
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


def number(who: str, name: str, given: str | float, *, least: float) -> float:
    """A setting that is a number. Raises :class:`BadInput`."""
    try:
        found = float(given)
    except ValueError:
        found = -1.0
    if not least <= found < float("inf"):
        raise BadInput(who, name, found=given, expected=f"a number, at least {least:g}")
    return found


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


def _endpoint(who: str) -> str:
    said = os.environ.get(BASE_URL) or ""
    host = said.partition("://")[2].partition("/")[0]
    if not said.startswith(("http://", "https://")) or not host:
        raise BadInput(who, BASE_URL, found=said or None, expected="the URL of an endpoint, such as https://host/v1")
    if "@" in host:
        raise BadInput(who, BASE_URL, found="a URL with a password", expected=f"a URL without; the key is {API_KEY}")
    return said.rstrip("/") + "/chat/completions"


def _library(who: str) -> Any:
    try:
        import httpx
    except ImportError:
        kind, _, name = who.partition(" ")
        raise MissingDependency(f"the {kind} {name!r}", "llm") from None
    return httpx
