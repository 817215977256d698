"""From recorded forms to rows whose inputs are still references: identity, without a look at the store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from lineage.stores.base import AnswerRow, ClaimRow, Name, NodeRow
from lineage_schema.canonical import canonical_json, check_text
from lineage_schema.errors import BadInput
from lineage_schema.identity import check_key, content_hash, key_text, node_id
from lineage_schema.records import (
    Answer,
    AnswerRef,
    Citation,
    Claim,
    Extend,
    Input,
    Node,
    NodeRef,
    Record,
    Ref,
    Retrieved,
)
from lineage_schema.vocabulary import MEANING_ATTRIBUTES, SCOPE_ATTRIBUTES, Completeness, Kind, Origin, Role

LINEAGE = {word: code for code, word in enumerate(Completeness)}
ROLE = {role: code for code, role in enumerate(Role)}
ORIGIN = {origin: 1 << bit for bit, origin in enumerate(Origin)}


@dataclass(slots=True)
class Pointer:
    """An input still to be resolved: role code, origin mask, reference, and the item to name in errors."""

    role: int
    origins: int
    ref: Ref
    item: object


@dataclass(slots=True)
class Draft:
    """A row and its unresolved inputs. ``extends``: the node exists elsewhere, the inputs are laid over it."""

    row: NodeRow
    inputs: list[Pointer] = field(default_factory=list)
    replaces: tuple[str, ...] = ()
    citations: list[tuple[object, Citation]] = field(default_factory=list)


def pointers(inputs: Iterable[Input], item: object) -> list[Pointer]:
    """The inputs of a form."""
    return [Pointer(ROLE[each.role], _mask(each.origins), each.ref, item) for each in inputs]


@cache
def _mask(origins: tuple[Origin, ...]) -> int:
    return sum(ORIGIN[origin] for origin in set(origins))


EVERYWHERE = frozenset(Role) - {Role.CLAIM, Role.RETRIEVED, Role.CITES}
ROLES_OF: dict[str, frozenset[Role]] = {
    Kind.ANSWER.value: frozenset({Role.CLAIM, Role.RETRIEVED}),
    Kind.CLAIM.value: EVERYWHERE | {Role.CITES},
}
"""An answer has its claims and its context alone, a claim also its citations; other kinds have neither."""


def check_roles(kind: str, inputs: Iterable[Input], item: object) -> None:
    """Raises :class:`BadInput` for a role that a node of that kind has not."""
    known = ROLES_OF.get(kind, EVERYWHERE)
    for index, each in enumerate(inputs):
        if each.role not in known:
            raise BadInput(
                item,
                f"inputs[{index}].role",
                found=each.role.value,
                expected=f"a role of {kind} nodes ({', '.join(role.value for role in Role if role in known)})",
            )


def draft_node(form: Node, item: object) -> Draft:
    """A derived node. Raises :class:`BadInput` for a reserved kind, an unknown meaning attribute, a float."""
    if form.kind in (Kind.SPAN, Kind.CLAIM, Kind.ANSWER):
        raise BadInput(item, "kind", found=form.kind, expected=f"a derived kind (use the record type {form.kind!r})")
    known = MEANING_ATTRIBUTES.get(form.kind)
    for name in form.attributes:
        if known is not None and name not in known:
            raise BadInput(
                item,
                f"attributes.{name}",
                found=form.attributes[name],
                expected=f"a meaning attribute of {form.kind} ({', '.join(known) or 'none'}); others go in details",
            )
    if form.lineage is not Completeness.COMPLETE and not form.lineage_reason:
        raise BadInput(item, "lineage_reason", found=None, expected=f"the reason why lineage is {form.lineage}")
    check_roles(form.kind, form.inputs, item)
    key = check_key(form.key, item=item)
    row = _row(form.kind, form.namespace, key_text(key), key, form.text, form.attributes, item)
    row.title = form.title
    row.details = _json(form.details, item)
    row.aliases = form.aliases
    row.lineage = LINEAGE[form.lineage]
    row.reason = form.lineage_reason
    replaces = tuple(key_text(check_key(old, item=item, field="replaces")) for old in form.replaces)
    return Draft(row, pointers(form.inputs, item), replaces)


def answer_scope(form: Answer) -> dict[str, str]:
    """What an answer states of the period and case it speaks of."""
    return {name: value for name in SCOPE_ATTRIBUTES if (value := getattr(form, name)) is not None}


def answer_key(form: Answer, item: object) -> str:
    """The caller's key, else the hash of question, scope and namespace."""
    if form.key is not None:
        return key_text(check_key(form.key, item=item))
    body = {"namespace": form.namespace, "question": form.question, "scope": answer_scope(form)}
    return content_hash(canonical_json(body, item=item))


def draft_answer(form: Answer, item: object, at: int) -> Draft:
    """An answer; its claims and context are laid on by their own forms."""
    key = answer_key(form, item)
    row = _row(Kind.ANSWER, form.namespace, key, key, form.text, answer_scope(form), item)
    row.aliases = form.aliases
    row.answer = AnswerRow(
        check_text(form.question, item=item, field="question"), form.cache_key, tuple(form.searched), at
    )
    return Draft(row)


def draft_claim(form: Claim, item: object, answer: NodeRow, scope: Mapping[str, Any]) -> Draft:
    """A claim of an answer; it has its answer's scope."""
    key = (answer.key, str(form.ordinal))
    row = _row(Kind.CLAIM, answer.namespace, key_text(key), key, form.text, scope, item)
    row.claim = ClaimRow(form.label, form.needs_evidence)
    for each in form.qualifiers:
        if each.role is not Role.QUALIFIER:
            raise BadInput(item, "qualifiers.role", found=each.role.value, expected="qualifier")
    return Draft(row, pointers(form.qualifiers, item))


def name_of(ref: NodeRef, item: object) -> Name:
    """The name that a reference means."""
    return ref.kind, ref.namespace, key_text(check_key(ref.key, item=item))


def answer_name(ref: str | AnswerRef) -> Name | None:
    """An answer by key; None where it is named by id."""
    return None if isinstance(ref, str) else (Kind.ANSWER.value, ref.namespace, ref.key)


class Item:
    """How errors call a form: made only when one is raised, since a batch has many and most are right."""

    __slots__ = ("form", "number")

    def __init__(self, number: int, form: Record) -> None:
        self.number = number
        self.form = form

    def __str__(self) -> str:
        return f"record {self.number} ({title(self.form)})"


def title(form: Record) -> str:
    """What a form is of."""
    match form:
        case Node():
            return f"{form.kind} {form.namespace}/{form.key!r}"
        case Answer():
            return f"answer {form.namespace}/{form.key or form.question[:40]!r}"
        case Claim() | Citation() | Retrieved() | Extend():
            return f"{form.type}"
        case _:
            return str(getattr(form, "uri", form.type))


def _row(
    kind: str, namespace: str, key: str, raw: Any, text: str, attributes: Mapping[str, Any], item: object
) -> NodeRow:
    check_text(text, item=item, field="text")
    sha256 = content_hash(text)
    return NodeRow(
        id=node_id(kind, namespace, raw, sha256, attributes),
        kind=str(kind),
        namespace=namespace,
        key=key,
        sha256=sha256,
        text=text,
        attributes=canonical_json(dict(attributes), item=item) if attributes else None,
        edges={},
    )


def _json(value: Mapping[str, Any], item: object) -> str | None:
    if not value:
        return None
    try:
        return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise BadInput(item, "details", found=dict(value), expected=f"JSON values ({error})") from None
