"""A cross-encoder for natural language inference, run on this machine by transformers.

The premise is the passages, joined by blank lines; the hypothesis is the statement. The labels are those that the
model's own configuration names. What does not fit into the model's window is ``unresolved``: a premise that was cut
would be judged without what was cut off.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final

from lineage_schema.errors import BadInput, MissingDependency
from lineage_scoring.judging import Judge, Reply, Request, Verdict

MEANING: Final[Mapping[str, Verdict]] = {
    "entailment": Verdict.SUPPORTED,
    "neutral": Verdict.NOT_SUPPORTED,
    "contradiction": Verdict.CONTRADICTED,
    "not_entailment": Verdict.NOT_SUPPORTED,
}
"""What a model's labels say, in lower case. A model with others, or without ``entailment``, is refused."""
NO_LIMIT: Final = 1_000_000
"""Tokenizers without a limit state a huge number."""


class Nli(Judge):
    """A sequence classification model. ``revision`` names it exactly: a commit of a hub, or what a folder's owner says.

    ``threshold`` (from 0 to 1, as a decimal text) is what the probability of entailment has to reach; without one, the
    likeliest label decides. Raises :class:`MissingDependency` without the extra ``nli``, and :class:`BadInput` for a
    model that cannot be loaded or whose labels do not say what they mean.
    """

    name = "nli"
    version = "1"

    def __init__(self, model: str = "", *, revision: str = "", threshold: str = "", batch: str | int = 16) -> None:
        self._torch, transformers = _libraries()
        if not model:
            raise BadInput("judge nli", "model", found=None, expected="the model's name or folder, as --set model=NAME")
        if not revision:
            expected = "the exact commit or name of the weights, as --set revision=R"
            raise BadInput("judge nli", "revision", found=None, expected=expected)
        self._threshold = _threshold(threshold)
        self.batch = _count(batch)
        local = os.path.isdir(model)
        where = {} if local else {"revision": revision}
        try:
            # Weights as safetensors run no code when they are loaded, and remote code is not asked for.
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(model, **where)
            self._model = transformers.AutoModelForSequenceClassification.from_pretrained(
                model, use_safetensors=True, **where
            )
        except (OSError, ValueError) as error:
            first = (str(error).splitlines() or [type(error).__name__])[0]
            raise BadInput(
                "judge nli", "model", found=model, expected=f"a model that can be loaded ({first})"
            ) from None
        self._model.eval()
        self._labels = _labels(self._model.config.id2label)
        self._window = self._tokens()
        self.configuration = {
            "model": os.path.basename(os.path.normpath(model)) if local else model,
            "revision": revision,
            "threshold": threshold or None,
            "tokens": self._window,
        }

    def judge(self, requests: Sequence[Request]) -> list[Reply]:
        """What fits is judged in one pass; what does not is ``unresolved`` and ``cut``."""
        pairs = [(premise(request), request.statement) for request in requests]
        sizes = [len(self._tokenizer(first, second, verbose=False)["input_ids"]) for first, second in pairs]
        fitting = [pair for pair, size in zip(pairs, sizes, strict=True) if size <= self._window]
        probabilities = iter(self._probabilities(fitting) if fitting else [])
        return [
            self._reply(next(probabilities)) if size <= self._window else self._too_long(size) for size in sizes
        ]  # fmt: skip

    def _probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
        firsts, seconds = zip(*pairs, strict=True)
        encoded = self._tokenizer(list(firsts), list(seconds), padding=True, truncation=False, return_tensors="pt")
        with self._torch.inference_mode():
            logits = self._model(**encoded).logits
        found: list[list[float]] = self._torch.softmax(logits.double(), dim=-1).tolist()
        return found

    def _reply(self, probabilities: Sequence[float]) -> Reply:
        said: dict[Verdict, float] = {}
        for verdict, probability in zip(self._labels, probabilities, strict=True):
            said[verdict] = said.get(verdict, 0.0) + probability
        score = min(said[Verdict.SUPPORTED], 1.0)
        verdict = max(said, key=lambda each: said[each])
        if self._threshold is not None:
            rest = {each: value for each, value in said.items() if each is not Verdict.SUPPORTED}
            verdict = Verdict.SUPPORTED if score >= self._threshold else max(rest, key=lambda each: rest[each])
        shown = ", ".join(f"{each.value} {value:.3f}" for each, value in said.items())
        return Reply(verdict, score, shown)

    def _too_long(self, size: int) -> Reply:
        reason = f"{size} tokens are more than the model's window of {self._window}"
        return Reply(Verdict.UNRESOLVED, reason=reason, cut=True)

    def _tokens(self) -> int:
        """The window: what tokenizer and model both take."""
        stated = [self._tokenizer.model_max_length, getattr(self._model.config, "max_position_embeddings", None)]
        found = [size for size in stated if isinstance(size, int) and 0 < size < NO_LIMIT]
        if not found:
            raise BadInput("judge nli", "model", found=stated, expected="a tokenizer or model that states its window")
        return min(found)


def premise(request: Request) -> str:
    """What the model reads of the passages."""
    return "\n\n".join(passage.text for passage in request.passages)


def _labels(id2label: Mapping[int, str]) -> list[Verdict]:
    names = [str(id2label[place]).lower() for place in sorted(id2label)]
    if not set(names) <= MEANING.keys() or "entailment" not in names:
        raise BadInput("judge nli", "id2label", found=names, expected=f"labels among {', '.join(MEANING)}")
    return [MEANING[name] for name in names]


def _threshold(given: str) -> float | None:
    if not given:
        return None
    try:
        found = float(given)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise BadInput("judge nli", "threshold", found=given, expected="a number from 0 to 1")
    return found


def _count(given: str | int) -> int:
    try:
        found = int(given)
    except ValueError:
        found = 0
    if found < 1:
        raise BadInput("judge nli", "batch", found=given, expected="a number, at least 1")
    return found


def _libraries() -> tuple[Any, Any]:
    # By name: type checkers run where they are not installed.
    try:
        return import_module("torch"), import_module("transformers")
    except ImportError:
        raise MissingDependency("the judge 'nli'", "nli") from None
