"""From recorded forms to the oracle's events: what a batch says, read apart from the code that registers it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from lineage.testing.derivations import lowest
from lineage.testing.history import Completed, Event, Extended, Made, Name, Retired, Span, Statement, Version
from lineage.testing.oracle import Oracle
from lineage_schema.identity import content_hash, key_text, node_id
from lineage_schema.records import (
    Answer,
    AnswerRef,
    Citation,
    Claim,
    ClaimRef,
    Document,
    Extend,
    Finish,
    Input,
    Node,
    NodeRef,
    Record,
    Retire,
    Retrieved,
    SpanById,
    SpanRef,
)
from lineage_schema.records import Span as SpanForm
from lineage_schema.records import Version as VersionForm
from lineage_schema.vocabulary import SCOPE_ATTRIBUTES, Completeness

LINEAGES = tuple(Completeness)
SAID = ("valid_from", "valid_to", "applicability")


@dataclass(slots=True)
class _Draft:
    name: Name
    scope: dict[str, str] = field(default_factory=dict[str, str])
    inputs: dict[tuple[str, str], int | None] = field(default_factory=dict[tuple[str, str], int | None])
    lineage: int = 0
    answer: str | None = None


class Batch:
    """One batch of one run, read for the oracle. References name what is there already, or what is in the batch."""

    def __init__(self, oracle: Oracle, run: str, forms: Sequence[Record]) -> None:
        self._oracle = oracle
        self._run = run
        self._forms = forms
        self._drafts: dict[str, _Draft] = {}
        self._laid: dict[str, dict[tuple[str, str], int | None]] = {}
        self._spans: list[Event] = []

    def events(self) -> list[Event]:
        """What the batch says, in an order in which everything comes after what it refers to."""
        sources = [event for form in self._forms for event in self._source(form)]
        for form in self._of(Node):
            self._node(form)
        for answer in self._of(Answer):
            id_ = node_id("answer", answer.namespace, answer.key or "", content_hash(answer.text), _scope(answer))
            self._drafts[id_] = _Draft(("answer", answer.namespace, answer.key or ""), _scope(answer))
        for claim in self._of(Claim):
            self._claim(claim)
        for citation in self._of(Citation):
            if citation.target is not None:
                self._lay(self._claim_id(citation.claim), "cites", citation.target)
        for retrieved in self._of(Retrieved):
            self._lay(self._answer_id(retrieved.answer), "retrieved", retrieved.target)
        for extend in self._of(Extend):
            self._inputs(self._laid.setdefault(self._target(extend.node)[0], {}), extend.inputs)
        for span in self._of(SpanForm):
            self._target(SpanRef(**span.model_dump(exclude={"type"})))
        return [*sources, *self._spans, *self._made(), *self._ends()]

    def _of(self, type_: type[Any]) -> list[Any]:
        return [form for form in self._forms if type(form) is type_]

    def _source(self, form: Record) -> Iterable[Event]:
        if isinstance(form, Document):
            if (form.uri, 1) not in self._oracle.editions:
                yield Version(form.uri, 1, 1, form.text)
            yield from _statement(form, form.uri, 1, 1)
        elif isinstance(form, VersionForm):
            assert form.edition is not None
            assert form.version is not None
            yield from _statement(form, form.uri, form.edition, form.version)

    def _node(self, form: Node) -> None:
        id_ = node_id(form.kind, form.namespace, form.key, content_hash(form.text), form.attributes)
        draft = self._drafts.setdefault(id_, _Draft((form.kind, form.namespace, key_text(form.key))))
        draft.lineage = max(draft.lineage, LINEAGES.index(form.lineage))
        self._inputs(draft.inputs, form.inputs)

    def _claim(self, form: Claim) -> None:
        answer = self._answer_id(form.answer)
        draft = self._drafts.get(answer)
        scope = self._oracle.scopes[answer] if draft is None else draft.scope
        _, namespace, key = self._name(answer)
        mine = (key, str(form.ordinal))
        id_ = node_id("claim", namespace, mine, content_hash(form.text), scope)
        self._drafts[id_] = _Draft(("claim", namespace, key_text(mine)), dict(scope), answer=answer)
        self._inputs(self._drafts[id_].inputs, form.qualifiers)
        self._lay(answer, "claim", id_)

    def _name(self, node: str) -> Name:
        if node in self._drafts:
            return self._drafts[node].name
        return next(each.name for each in self._oracle.made if each.node == node)

    def _inputs(self, into: dict[tuple[str, str], int | None], inputs: Iterable[Input]) -> None:
        for each in inputs:
            self._put(into, each.role.value, each.ref)

    def _lay(self, node: str, role: str, target: Any) -> None:
        draft = self._drafts.get(node)
        self._put(self._laid.setdefault(node, {}) if draft is None else draft.inputs, role, target)

    def _put(self, into: dict[tuple[str, str], int | None], role: str, target: Any) -> None:
        id_, version = self._target(target)
        into[role, id_] = lowest(into[role, id_], version) if (role, id_) in into else version

    # references

    def _answer_id(self, ref: str | AnswerRef) -> str:
        return ref if isinstance(ref, str) else self._named(("answer", ref.namespace, ref.key))

    def _claim_id(self, ref: str | ClaimRef) -> str:
        if isinstance(ref, str):
            return ref
        _, namespace, key = self._name(self._answer_id(ref.answer))
        assert ref.ordinal is not None
        return self._named(("claim", namespace, key_text((key, str(ref.ordinal)))))

    def _named(self, name: Name) -> str:
        for id_, draft in self._drafts.items():
            if draft.name == name:
                return id_
        current = self._oracle.current(name)
        assert current is not None
        return current

    def _target(self, ref: Any) -> tuple[str, int | None]:
        if isinstance(ref, str):
            return ref, self._read_of(ref, None)
        if isinstance(ref, NodeRef):
            return self._named((ref.kind, ref.namespace, key_text(ref.key))), None
        if isinstance(ref, SpanById):
            return ref.id, self._read_of(ref.id, ref.version)
        assert isinstance(ref, SpanRef)
        edition = 1 if ref.edition is None else ref.edition
        number = self._oracle.latest(ref.uri, edition, self._run) if ref.version is None else ref.version
        text = self._oracle.editions[ref.uri, edition][number].text or ""
        start = 0 if ref.start is None else ref.start
        end = len(text) if ref.end is None else ref.end
        self._spans.append(Span(ref.uri, edition, number, start, end))
        return self._oracle.span(ref.uri, edition, number, start, end), number

    def _read_of(self, id_: str, version: int | None) -> int | None:
        """The version of a span that was read: as stated, else the latest when the run began, where it stands."""
        passage = self._oracle.spans.get(id_)
        if passage is None or version is not None:
            return version
        uri, edition = next(key for key, each in self._oracle.editions.items() if each is passage.edition)
        latest = self._oracle.latest(uri, edition, self._run)
        return max((number for number in passage.places if number <= latest), default=passage.first[0])

    # in order

    def _made(self) -> list[Event]:
        """Nodes after their inputs, then what is laid over nodes that were there."""
        order: list[str] = []

        met: set[str] = set()

        def visit(node: str) -> None:
            # A batch may be a cycle: it is told all the same, and refused.
            if node in self._drafts and node not in met:
                met.add(node)
                for _, dst in self._drafts[node].inputs:
                    visit(dst)
                order.append(node)

        # An answer is asked before its claims are ordered by it.
        answers = [node for node, draft in self._drafts.items() if draft.name[0] == "answer"]
        for node in self._drafts:
            visit(node)
        order.sort(key=lambda node: node not in answers)
        events: list[Event] = []
        for node in order:
            draft = self._drafts[node]
            events.append(Made(self._run, node, draft.name, draft.inputs, draft.lineage, draft.scope, draft.answer))
        events.extend(Extended(self._run, node, inputs) for node, inputs in self._laid.items())
        return events

    def _ends(self) -> Iterable[Event]:
        for form in self._of(Node):
            for old in form.replaces:
                if old != form.key:
                    yield Retired(self._run, (form.kind, form.namespace, key_text(old)))
        for retire in self._of(Retire):
            yield Retired(self._run, (retire.kind, retire.namespace, key_text(retire.key)))
        if any(finish.complete for finish in self._of(Finish)):
            yield Completed(self._run)


def _scope(form: Answer) -> dict[str, str]:
    return {name: value for name in SCOPE_ATTRIBUTES if (value := getattr(form, name)) is not None}


def _statement(form: Document | VersionForm, uri: str, edition: int, number: int) -> Iterable[Event]:
    said = {name: value for name in SAID if (value := getattr(form, name)) is not None}
    if said:
        yield Statement(uri, edition, number, said)
