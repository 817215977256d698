"""Recorded forms, written shortly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lineage_schema.identity import content_hash, node_id
from lineage_schema.records import Answer, AnswerRef, Citation, Claim, ClaimRef, Input, Node, Record, Retrieved, SpanRef
from lineage_schema.vocabulary import Role

NAMESPACE = "w"


def node(kind: str, key: Any, text: str, *inputs: Any, **more: Any) -> Node:
    """A node; an input that is no :class:`Input` is evidence."""
    given = tuple(each if isinstance(each, Input) else Input(ref=each) for each in inputs)
    return Node(kind=kind, namespace=NAMESPACE, key=key, text=text, inputs=given, **more)


def under(role: Role | str, *refs: Any) -> list[Input]:
    """Inputs of a role."""
    return [Input(ref=ref, role=Role(role)) for ref in refs]


def id_of(form: Node) -> str:
    """The id of the node that a form describes."""
    return node_id(form.kind, form.namespace, form.key, content_hash(form.text), form.attributes)


def read(uri: str, text: str, quote: str, *, version: int = 1, edition: int = 1, nth: int = 0) -> SpanRef:
    """A passage by its words; ``nth`` of several equal ones."""
    start = text.index(quote)
    for _ in range(nth):
        start = text.index(quote, start + 1)
    return SpanRef(uri=uri, edition=edition, version=version, start=start, end=start + len(quote), quote=quote)


def answer(
    key: str, text: str, cited: Sequence[Sequence[Any]] = (), context: Sequence[Any] = (), **more: Any
) -> list[Record]:
    """An answer with a claim for each list of cited things, and its context."""
    ref = AnswerRef(namespace=NAMESPACE, key=key)
    forms: list[Record] = [Answer(namespace=NAMESPACE, key=key, question=f"{key}?", text=text, **more)]
    for ordinal, targets in enumerate(cited, 1):
        forms.append(Claim(answer=ref, ordinal=ordinal, label=f"C{ordinal}", text=f"{text} {ordinal}"))
        forms.extend(
            Citation(claim=ClaimRef(answer=ref, ordinal=ordinal), order=order, marker=f"[{order}]", target=target)
            for order, target in enumerate(targets, 1)
        )
    forms.extend(Retrieved(answer=ref, target=target) for target in context)
    return forms


def answer_id(key: str, text: str, **scope: str) -> str:
    """The id of an answer that :func:`answer` describes."""
    return node_id("answer", NAMESPACE, key, content_hash(text), scope)


def claim_id(key: str, text: str, ordinal: int, **scope: str) -> str:
    """The id of an answer's claim that :func:`answer` describes."""
    return node_id("claim", NAMESPACE, (key, str(ordinal)), content_hash(f"{text} {ordinal}"), scope)
