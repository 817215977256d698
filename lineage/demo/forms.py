"""Answers as recorded forms: sentences with their markers, and the records of what the markers point to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Form = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Target:
    """What a marker points to: a reference as recorded, and the text that can be quoted from.

    ``derived`` targets have passages of their own; the quote of a source's passage is in its reference.
    """

    ref: Form
    text: str
    derived: bool


@dataclass(frozen=True, slots=True)
class Cited:
    """A marker as printed. Without ``target`` it points to nothing."""

    marker: str
    target: Target | None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of an answer, without its markers."""

    label: str
    text: str
    cited: tuple[Cited, ...]


def answer(
    namespace: str,
    key: str,
    question: str,
    statements: Sequence[Statement],
    retrieved: Sequence[Target],
    **more: Any,
) -> Iterator[Form]:
    """The records of one answer: itself, its claims, its citations, and what was in its context, in rank order."""
    text = ""
    claims: list[Form] = []
    citations: list[Form] = []
    name = {"namespace": namespace, "key": key}
    for ordinal, statement in enumerate(statements, 1):
        claims.append(
            {"type": "claim", "answer": name, "ordinal": ordinal, "label": statement.label, "text": statement.text}
        )
        # Markers stand before the full stop, where every reader of markers takes them for this sentence's.
        text += (" " if text else "") + statement.text.removesuffix(".")
        for order, cited in enumerate(statement.cited, 1):
            text += " " if order == 1 else ""
            citations.append(
                {
                    "type": "citation",
                    "claim": {"answer": name, "label": statement.label},
                    "order": order,
                    "marker": cited.marker,
                    "marker_start": len(text),
                    "marker_end": len(text) + len(cited.marker),
                    **_pointer(cited),
                }
            )
            text += cited.marker
        text += "."
    yield {"type": "answer", **name, "question": question, "text": text, **more}
    yield from claims
    yield from citations
    for rank, target in enumerate(retrieved, 1):
        yield {"type": "retrieved", "answer": name, "target": target.ref, "rank": rank}


def _pointer(cited: Cited) -> Form:
    if cited.target is None:
        return {}
    if cited.quote is None or not cited.target.derived:
        return {"target": cited.target.ref}
    start = cited.target.text.index(cited.quote)
    return {"target": cited.target.ref, "start": start, "end": start + len(cited.quote), "quote": cited.quote}
