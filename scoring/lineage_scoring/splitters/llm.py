"""The splitter ``llm``: a model behind any endpoint that :mod:`lineage_scoring.chat` reaches.

The claim is quoted data, and the answer has to bear the mark of the request. The parts have to be *grounded*:

- they are a list of texts: the claim itself, unaltered, or at least two;
- every part has a content word, and no part comes twice;
- every content word of a part occurs in the claim. Content words are those of the judge ``lexical``
  (:func:`lineage_scoring.judges.lexical.content_tokens`): runs of letters and numbers, letter case aside, without the
  common function words.

So a part cannot bring in a name, a number or a condition that the claim does not have. It can leave one out, or join
words that the claim does not join: that is not found. What is not grounded is no splitting, and nothing of it is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from lineage_schema.judgments import JudgeId
from lineage_scoring import chat
from lineage_scoring.judges.lexical import content_tokens
from lineage_scoring.judging import Failure
from lineage_scoring.splitters import LLM, Unsplit

MOST_TOKENS: Final = 2000
WHO: Final = "splitter llm"
MEMBERS: Final[Mapping[str, Any]] = {"parts": {"type": "array", "items": {"type": "string"}}}
ANSWER: Final = 'a JSON object that bears the mark of the request, with "parts"'
SHOWN: Final = 200
"""Code points of a part that a message shows."""


@cache
def prompt() -> str:
    """What the model is told before the claim."""
    return files("lineage_scoring.splitters").joinpath("llm_prompt.txt").read_text(encoding="utf-8")


def grounded(claim: str, parts: object) -> tuple[str, ...] | Unsplit:
    """The parts, where they are grounded in the claim as the module says; else what is wrong with them."""
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        return Unsplit(_shown(parts), "a list of texts")
    if parts == [claim]:
        return (claim,)
    if len(parts) < 2:
        return Unsplit(_shown(parts), "at least two parts, or the claim itself")
    words = content_tokens(claim)
    seen: set[str] = set()
    for part in parts:
        mine = content_tokens(part)
        if not mine:
            return Unsplit(f"the part {_shown(part)}", "a part with a content word")
        if part in seen:
            return Unsplit(f"the part {_shown(part)} twice", "each part once")
        if strange := sorted(mine - words):
            return Unsplit(f"{', '.join(strange)} in the part {_shown(part)}", "only content words of the claim")
        seen.add(part)
    return tuple(parts)


class Llm:
    """A model at temperature 0. ``window`` is in code points, ``timeout`` and ``pause`` (the first) in seconds.

    Raises :class:`MissingDependency` without the extra ``llm``, and :class:`BadInput` where a setting is missing.
    """

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
        self._window = int(chat.number(WHO, "window", window, least=1))
        self.id = JudgeId.of(LLM, "1", chat.configuration_of(self._chat.model, prompt(), MOST_TOKENS))

    def __repr__(self) -> str:
        return f"Llm(model={self._chat.model!r})"

    def split(self, claims: Sequence[str]) -> list[tuple[str, ...] | Unsplit]:
        """Raises :class:`BadInput` where the server takes neither the key nor the address: no claim would do."""
        return [self._one(claim) for claim in claims]

    def _one(self, claim: str) -> tuple[str, ...] | Unsplit:
        if len(claim) > self._window:
            return Unsplit(f"a claim of {len(claim)} code points", f"at most {self._window}, the window")
        mark = chat.mark_for([claim])
        asked = chat.messages(prompt(), [("claim", claim)], mark)
        form = chat.answer_format("parts", MEMBERS, mark)
        said = self._chat.ask(chat.body_of(self._chat.model, asked, form, MOST_TOKENS), mark)
        if isinstance(said, Failure):
            return Unsplit(said.reason, ANSWER)
        found = grounded(claim, said.get("parts"))
        return Unsplit(self._chat.hidden(found.found), found.expected) if isinstance(found, Unsplit) else found


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
