"""A language model as a judge: any endpoint that :mod:`lineage_scoring.chat` reaches.

The key of a judgment holds the model's name, the hash of the prompt and the sampling. Statement and passages are quoted
data: a verdict that is copied from a passage does not bear the mark of the request, and does not count.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from lineage_scoring import chat
from lineage_scoring.judging import Failure, Judge, Reply, Request, Verdict

MOST_TOKENS: Final = 600
WHO: Final = "judge llm"


@cache
def prompt() -> str:
    """What the model is told before the request."""
    return files("lineage_scoring.judges").joinpath("llm_prompt.txt").read_text(encoding="utf-8")


def mark_for(request: Request) -> str:
    """A mark, new each time, that occurs in no text of the request."""
    return chat.mark_for([request.statement, *(passage.text for passage in request.passages)])


def messages(request: Request, mark: str) -> list[dict[str, str]]:
    """The conversation that asks a request."""
    quoted = [("statement", request.statement)]
    quoted += [(f"passage {number}", passage.text) for number, passage in enumerate(request.passages, 1)]
    return chat.messages(prompt(), quoted, mark)


def answer_format(mark: str) -> dict[str, Any]:
    """The form of an answer, as a JSON schema."""
    members = {
        "verdict": {"type": "string", "enum": [verdict.value for verdict in Verdict]},
        "score": {"type": "number"},
        "reason": {"type": "string"},
    }
    return chat.answer_format("verdict", members, mark)


def body_of(request: Request, mark: str, model: str) -> dict[str, Any]:
    """The body of a call, in its strictest form."""
    return chat.body_of(model, messages(request, mark), answer_format(mark), MOST_TOKENS)


def configuration_of(model: str) -> dict[str, Any]:
    """What may change a verdict, and so is in the key."""
    return chat.configuration_of(model, prompt(), MOST_TOKENS)


def read_answer(completion: Any, mark: str) -> Reply | Failure:
    """The verdict in a chat completion. A :class:`Failure` says why there is none."""
    said = chat.answer_in(completion, mark)
    return said if isinstance(said, Failure) else _reply(said)


def _reply(said: Mapping[str, Any]) -> Reply | Failure:
    verdict, score, reason = said.get("verdict"), said.get("score"), said.get("reason")
    if not isinstance(verdict, str) or verdict not in list(Verdict):
        return Failure(f"the model's verdict is none: {str(verdict)[:50]!r}")
    if score is not None and (isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1):
        return Failure(f"the model's score is no number from 0 to 1: {str(score)[:50]!r}")
    if reason is not None and not isinstance(reason, str):
        return Failure("the model's reason is no text")
    return Reply(Verdict(verdict), None if score is None else float(score), reason)


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
        self._chat = chat.Chat(WHO, model, timeout=timeout, retries=retries, pause=pause)
        self.window = int(chat.number(WHO, "window", window, least=1))
        self.configuration = configuration_of(self._chat.model)

    def __repr__(self) -> str:
        return f"Llm(model={self._chat.model!r})"

    def judge(self, requests: Sequence[Request]) -> list[Reply | Failure]:
        """Raises :class:`BadInput` where the server takes neither the key nor the address: no request would do."""
        return [self._one(request) for request in requests]

    def _one(self, request: Request) -> Reply | Failure:
        mark = mark_for(request)
        began = time.perf_counter_ns()
        said = self._chat.ask(body_of(request, mark, self._chat.model), mark)
        found = said if isinstance(said, Failure) else _reply(said)
        if isinstance(found, Failure):
            return Failure(self._chat.hidden(found.reason))
        latency = (time.perf_counter_ns() - began) // 1000
        reason = None if found.reason is None else self._chat.hidden(found.reason)
        return Reply(found.verdict, found.score, reason, latency)
