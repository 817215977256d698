"""Nodes while they are being put together: inputs add up, rows of one name meet, reasons are kept.

A draft's key is final only when all rows are read, so drafts refer to each other, not to keys.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lineage.importers.report import Notes
from lineage_schema.canonical import canonical_json
from lineage_schema.identity import Key, content_hash, key_text, key_text_is_array
from lineage_schema.records import Input, Node, NodeRef, SpanRef
from lineage_schema.vocabulary import PASSING, Completeness, Origin, Role


@dataclass(eq=False)
class Draft:
    """A node to be registered. ``tiebreaks`` tell rows of one key apart: as many are added to it as are needed."""

    kind: str
    key: Key
    text: str
    where: str
    title: str | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)
    aliases: set[str] = field(default_factory=set)
    tiebreaks: tuple[str, ...] = ()
    inputs: dict[tuple[Draft | SpanRef, Role], set[Origin]] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    grounded: bool = True
    """Whether its text was read from something: without a known input its lineage is then unknown."""
    _ref: NodeRef | None = None

    def add(self, target: Draft | SpanRef, role: Role, origin: Origin) -> None:
        self.inputs.setdefault((target, role), set()).add(origin)

    def lacks(self, reason: str | None) -> None:
        """Part of what it was made from is not known."""
        if reason and reason not in self.reasons:
            self.reasons.append(reason)

    @property
    def identity(self) -> str:
        """What tells its row from others of the same key."""
        return canonical_json([content_hash(self.text), self.attributes, self.tiebreaks], item=self.where)

    def lineage(self) -> tuple[Completeness, str | None]:
        if self.reasons:
            return Completeness.PARTIAL, "; ".join(self.reasons)
        if self.grounded and not any(role in PASSING for _, role in self.inputs):
            return Completeness.UNKNOWN, "nothing says what it was made from"
        return Completeness.COMPLETE, None

    @cached_property
    def name(self) -> str:
        """Its written key. To be asked for only when keys are final, as :meth:`ref`."""
        return key_text(self.key)

    def ref(self, namespace: str) -> NodeRef:
        if self._ref is None:
            self._ref = NodeRef(kind=self.kind, namespace=namespace, key=self.key)
        return self._ref

    def record(self, namespace: str) -> Node:
        lineage, reason = self.lineage()
        inputs = [
            Input(
                ref=target.ref(namespace) if isinstance(target, Draft) else target,
                role=role,
                origins=tuple(sorted(origins)),
            )
            for (target, role), origins in sorted(self.inputs.items(), key=lambda item: _order(*item[0]))
        ]
        return Node(
            kind=self.kind,
            namespace=namespace,
            key=self.key,
            text=self.text,
            title=self.title,
            attributes=self.attributes,
            details={name: value for name, value in self.details.items() if value is not None},
            aliases=tuple(sorted(self.aliases)),
            inputs=tuple(inputs),
            lineage=lineage,
            lineage_reason=reason,
        )


def _order(target: Draft | SpanRef, role: Role) -> tuple[str, str, str, int, int]:
    if isinstance(target, Draft):
        return role, target.kind, target.name, 0, 0
    return role, "", target.uri, target.start or 0, target.end or 0


def plain_key(text: str) -> Key:
    """``text`` as a key; as an array of one where it would be read back as an array."""
    return (text,) if key_text_is_array(text) else text


def digest(values: Iterable[str]) -> str:
    """One hash of a set of strings, in whatever order they come."""
    return content_hash(canonical_json(sorted(values)))


def unify(drafts: Sequence[Draft], notes: Notes) -> dict[Draft, Draft]:
    """Which draft stands for each: those of one key and content become one, those that differ get keys of their own.

    Every row stays findable: under the united node's aliases, or under its own key. Both are
    said as findings, since a pipeline means its keys to be unique.
    """
    by_key: defaultdict[Key, list[Draft]] = defaultdict(list)
    for draft in drafts:
        by_key[draft.key].append(draft)
    stands: dict[Draft, Draft] = {}
    for key, rows in by_key.items():
        same: defaultdict[str, list[Draft]] = defaultdict(list)
        for draft in rows:
            same[draft.identity].append(draft)
        for equal in same.values():
            kept = equal[0]
            for draft in equal:
                stands[draft] = kept
                if draft is not kept:
                    _unite(kept, draft)
        if len(rows) > len(same):
            shown = ", ".join(sorted(draft.where for draft in rows))
            notes.find("duplicate_row", _named(rows[0].kind, key), f"{len(rows)} rows are {len(same)} node(s): {shown}")
        if len(same) > 1:
            _tell_apart([equal[0] for equal in same.values()])
            notes.find(
                "duplicate_key",
                _named(rows[0].kind, key),
                f"{len(same)} rows of one name differ; kept as "
                + ", ".join(sorted(key_text(equal[0].key) for equal in same.values())),
            )
    return stands


def _named(kind: str, key: Key) -> str:
    return f"{kind} {key_text(key)}"


def _unite(kept: Draft, other: Draft) -> None:
    kept.aliases |= other.aliases
    for (target, role), origins in other.inputs.items():
        kept.inputs.setdefault((target, role), set()).update(origins)
    for reason in other.reasons:
        kept.lacks(reason)
    for name, value in other.details.items():
        kept.details.setdefault(name, value)


def _tell_apart(drafts: list[Draft]) -> None:
    """Give each a key with as few tiebreaks as make all of them different; a hash of all that it says comes last."""
    endings = {draft: (*draft.tiebreaks, content_hash(draft.identity)) for draft in drafts}
    count = 1
    while len({(draft.key, ending[:count]) for draft, ending in endings.items()}) < len(drafts):
        count += 1
    for draft, ending in endings.items():
        draft.key = (*((draft.key,) if isinstance(draft.key, str) else draft.key), *ending[:count])
