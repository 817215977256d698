"""What a node argument means: an exact id, a name, a unique prefix of an id, or an alias, in this order."""

from __future__ import annotations

from lineage.stores.base import NodeView, Transaction
from lineage_schema.errors import Ambiguous, BadInput, NotFound
from lineage_schema.identity import key_text, parse_key
from lineage_schema.vocabulary import Kind, Role

LEAST_DIGITS = 6
SHOWN = 20


def resolve(tx: Transaction, ref: str, *, answers: bool = False) -> str:
    """The id that ``ref`` means. ``answers`` also takes bare answer keys and cache keys.

    Raises :class:`NotFound`, and :class:`Ambiguous` with all candidates.
    """
    found = candidates(tx, ref, answers=answers)
    if not found:
        raise NotFound(f"nothing is called {ref!r}", hint="lineage find TEXT searches texts, keys and aliases")
    if len(found) > 1:
        views = tx.reading.views(found)
        raise Ambiguous(
            f"{ref!r} names {len(found)} nodes: {', '.join(describe(views[id_]) for id_ in found)}",
            [f"{id_} {describe(views[id_])}" for id_ in found],
        )
    return found[0]


def candidates(tx: Transaction, ref: str, *, answers: bool = False) -> list[str]:
    """All nodes that ``ref`` may mean by the first reading that finds any."""
    if ref.startswith("l1:") and len(ref) == 43 and tx.graph.existing([ref]):
        return [ref]
    named = _by_name(tx, ref)
    if named:
        return named
    digits = ref[3:] if ref.startswith("l1:") else ref
    if LEAST_DIGITS <= len(digits) <= 40 and set(digits) <= set("0123456789abcdef"):
        found: list[str] = tx.reading.by_prefix("l1:" + digits, SHOWN)
        if found:
            return found
    found = tx.reading.by_alias(ref)
    if found:
        return found
    return list(tx.reading.answers_by_key(ref)) if answers else []


def named_answers(tx: Transaction, ref: str) -> list[str]:
    """The answers that ``ref`` names, in order of their ids.

    Raises :class:`NotFound`, and :class:`BadInput` for a node that is no answer.
    """
    ids = candidates(tx, ref, answers=True)
    if not ids:
        raise NotFound(f"no answer is called {ref!r}", hint="give an answer's key, cache key or id")
    kinds = tx.graph.kinds(ids)
    for id_ in ids:
        if kinds[id_] != Kind.ANSWER:
            raise BadInput(id_, "ref", found=kinds[id_], expected="an answer")
    return sorted(ids)


def _by_name(tx: Transaction, ref: str) -> list[str]:
    kind, colon, rest = ref.partition(":")
    namespace, slash, key = rest.partition("/")
    if not colon or not slash or not key:
        return []
    name = (kind, namespace, key_text(parse_key(key)))
    found = tx.graph.named([name])
    if name in found:
        current = found[name]
        if current is not None:
            return [current]
        return list(tx.reading.past_of(name))
    if kind == Kind.CLAIM:
        return _claim(tx, namespace, key)
    return []


def _claim(tx: Transaction, namespace: str, key: str) -> list[str]:
    """``claim:namespace/ANSWER/LABEL``, by label or ordinal."""
    answer_key, slash, label = key.rpartition("/")
    if not slash:
        return []
    answer = tx.graph.named([(Kind.ANSWER.value, namespace, answer_key)]).get(
        (Kind.ANSWER.value, namespace, answer_key)
    )
    if answer is None:
        return []
    ids = tx.graph.inputs_of([answer], list(Role).index(Role.CLAIM)).get(answer, [])
    views = tx.reading.views(ids)
    return sorted(id_ for id_, view in views.items() if label in (view.label, view.key, _ordinal(view)))


def _ordinal(view: NodeView) -> str:
    key = parse_key(view.key)
    return key if isinstance(key, str) else key[-1]


def describe(view: NodeView) -> str:
    """A node's name as arguments take it; a span's id."""
    if view.kind == Kind.SPAN:
        return view.id
    return name_text(view.kind, view.namespace, view.key, view.label)


def name_text(kind: str, namespace: str, key: str, label: str | None) -> str:
    """``kind:namespace/key``, a claim by its answer and label."""
    parsed = parse_key(key)
    if kind == Kind.CLAIM and not isinstance(parsed, str):
        return f"claim:{namespace}/{parsed[0]}/{label or parsed[-1]}"
    return f"{kind}:{namespace}/{key}"
