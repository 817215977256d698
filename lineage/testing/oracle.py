"""What corrections affect, by brute force: the judge of the tests.

It goes through the list of events and works out, anew each time that it is asked, where spans stand, what keys name,
what nodes were made from, and what each cause does to each node. It shares nothing with what it judges: it knows the
rules of text and identity, and the stored alignments, and nothing of a store, of marks, or of their propagation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lineage.testing.derivations import Begun, Making, Named, Names, making
from lineage.testing.history import (
    Change,
    Completed,
    Corrected,
    Decided,
    Event,
    Extended,
    Made,
    Name,
    Retired,
    Run,
    Span,
    Statement,
    Version,
)
from lineage.testing.passages import Passage, carried, first_place
from lineage_schema.identity import span_id

INCOMPLETE = "incomplete"
REVIEW, INVALID = 1, 2
WORDS = {REVIEW: "review", INVALID: "invalid"}
PASSES = {
    "claim": {REVIEW: REVIEW, INVALID: INVALID},
    "cites": {REVIEW: REVIEW, INVALID: INVALID},
    "evidence": {REVIEW: REVIEW, INVALID: INVALID},
    "child": {REVIEW: REVIEW, INVALID: INVALID},
    "qualifier": {REVIEW: REVIEW, INVALID: INVALID},
    "retrieved": {REVIEW: REVIEW, INVALID: REVIEW},
    "endpoint": {},
    "member": {},
    "about": {},
}
"""role → severity of an input's mark → what passes to the dependent."""
CASES = ("variant", "jurisdiction", "language")


@dataclass(frozen=True, slots=True)
class Effect:
    """How a cause bears on a node: the severity, and the inputs that it passes from."""

    severity: int
    inputs: frozenset[str]


NOTHING = Effect(0, frozenset())


class Oracle:
    """Events in, in order; what must be marked out."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.events: list[Event] = []
        self.editions: dict[tuple[str, int], dict[int, Version]] = {}
        self.statements: list[Statement] = []
        self.spans: dict[str, Passage] = {}
        self.runs: dict[str, Begun] = {}
        self.made: list[Made] = []
        self.extended: list[Extended] = []
        self.kinds: dict[str, str] = {}
        self.scopes: dict[str, Mapping[str, str]] = {}
        self.names = Names()
        self.corrections: dict[str, tuple[Change, ...]] = {}
        self.decisions: list[tuple[Decided, int]] = []
        self.makings: dict[str, int] = {}
        self._asked: dict[tuple[str, str], int] = {}
        self.tell(events)

    # events

    def tell(self, events: Iterable[Event]) -> None:
        """Takes note of events that were committed together."""
        listed = list(events)
        again = any(isinstance(event, Made) and event.node in self.kinds for event in listed)
        marked = frozenset(node for _, node in self.marks()) if again else frozenset()
        for event in listed:
            self._add(event, marked)

    def _add(self, event: Event, marked: frozenset[str]) -> None:
        at = len(self.events)
        match event:
            case Version():
                self._version(event)
            case Statement():
                self.statements.append(event)
            case Run():
                self.runs.setdefault(event.id, Begun(event, at))
            case Span():
                self._span(event)
            case Made():
                self._make(event, at, marked)
            case Extended():
                before = self.making(event.node)
                self.extended.append(event)
                if self.making(event.node).inputs.keys() != before.inputs.keys():
                    self.makings[event.node] += 1
            case Retired():
                self.names.retired.append(event)
            case Completed():
                self.names.completed.append(event)
            case Corrected():
                self.corrections[event.id] = event.changes
            case Decided():
                self.decisions.append((event, self.makings[event.node]))
        self.events.append(event)

    def _version(self, event: Version) -> None:
        edition = self.editions.setdefault((event.uri, event.edition), {})
        edition[event.number] = event
        for id_, passage in self.spans.items():
            if passage.edition is edition:
                self.spans[id_] = Passage(edition, passage.first)

    def _span(self, event: Span) -> None:
        edition = self.editions[event.uri, event.edition]
        first = first_place(edition, (event.number, event.start, event.end))
        self.spans[span_id(event.uri, event.edition, *first)] = Passage(edition, first)

    def span(self, uri: str, edition: int, number: int, start: int, end: int) -> str:
        """The id of a passage by any place where it stands."""
        return span_id(uri, edition, *first_place(self.editions[uri, edition], (number, start, end)))

    def latest(self, uri: str, edition: int, run: str) -> int:
        """The latest version with a text when a run began; the first where the edition came later."""
        edition_ = self.editions[uri, edition]
        begin = self.runs[run].begin
        before = [number for number, each in edition_.items() if each.text and self.events.index(each) < begin]
        return max(before, default=min(edition_))

    def _make(self, event: Made, at: int, marked: frozenset[str]) -> None:
        new = event.node not in self.kinds
        if not new and self._is_new_making(event, marked):
            self.makings[event.node] += 1
        self.made.append(event)
        self.kinds[event.node] = event.name[0]
        self.scopes[event.node] = event.scope
        self.makings.setdefault(event.node, 0)
        when = self.runs[event.run].begin
        if event.name[0] == "answer":
            # Told again by its run, a question was asked once.
            when = self._asked.setdefault((event.node, event.run), at)
        elif event.answer is not None:
            when = max(asked for (node, _), asked in self._asked.items() if node == event.answer)
        self.names.name(event.name, event.node, when, event.run)

    def _is_new_making(self, event: Made, marked: frozenset[str]) -> bool:
        """Whether registering an existing node gives it a new derivation, or only confirms the one that it has."""
        before = self.making(event.node)
        after = making(event.node, self.runs, [*self.made, event], self.extended)
        if event.run not in after.runs or before.runs & after.runs:
            # Outranked; or one making still, to which the run, or another import, adds.
            return False
        if before.inputs.keys() != after.inputs.keys() or before.lineage != after.lineage:
            return True
        if event.node in marked:
            return True
        return any(
            was is not None and now is not None and self.spans[dst].touched_between(was, now)
            for (role, dst), was in before.inputs.items()
            if dst in self.spans
            for now in [after.inputs[role, dst]]
        )

    # sections 3 and 5: names and derivations

    def making(self, node: str) -> Making:
        """A node's current derivation."""
        return making(node, self.runs, self.made, self.extended)

    def would_cycle(self, events: Iterable[Made | Extended]) -> bool:
        """Whether a node would stand on itself once this was said."""
        listed = list(events)
        made = [*self.made, *(event for event in listed if isinstance(event, Made))]
        extended = [*self.extended, *(event for event in listed if isinstance(event, Extended))]
        nodes = {each.node for each in made}
        inputs = {node: {dst for _, dst in making(node, self.runs, made, extended).inputs} for node in nodes}
        while leaves := [node for node, below in inputs.items() if not below & inputs.keys()]:
            for node in leaves:
                del inputs[node]
        return bool(inputs)

    def meaning(self, name: Name) -> Named:
        """What a key names."""
        return self.names.meaning(name, self.runs)

    def current(self, name: Name) -> str | None:
        """The node that a key names now; a claim is current only under its current answer."""
        named = self.meaning(name).current
        if name[0] != "claim" or named is None:
            return named
        above = [
            answer
            for each in self.names.named
            if each[0] == "answer" and (answer := self.meaning(each).current) is not None
        ]
        return named if any(("claim", named) in self.making(answer).inputs for answer in above) else None

    def replaced(self) -> dict[str, str]:
        """Nodes that stopped being current → the run that replaced them."""
        by_begin = {begun.begin: id_ for id_, begun in self.runs.items()}
        found: dict[str, str] = {}
        for name, nodes in self.names.named.items():
            if name[0] in ("answer", "claim"):
                continue
            named = self.meaning(name)
            for node in nodes:
                if node != named.last:
                    found[node] = by_begin[named.first_named]
                elif named.retired is not None:
                    found[node] = named.retired
        return found

    # section 4: what a correction does to a span

    def seed(self, changes: tuple[Change, ...], span: str) -> int:
        """What a correction does to a span itself."""
        passage = self.spans[span]
        worst = 0
        for change in changes:
            if self.editions[change.uri, change.edition] is not passage.edition:
                continue
            if change.kind == "edition":
                worst = max(worst, self._edition_seed(change, passage))
            elif passage.ended_by(change.source, change.target):
                worst = INVALID
            elif passage.beside(change.target, change.source):
                worst = max(worst, REVIEW)
        return worst

    def _edition_seed(self, change: Change, passage: Passage) -> int:
        """While the newer edition stands: review where its first text repeats the passage, else invalid."""
        newer = self.editions[change.uri, change.target_edition]
        first = newer[min(newer)]
        if newer[max(newer)].text is None or change.source not in passage.places:
            return 0
        old = passage.edition[change.source].text
        assert old is not None and first.text is not None and first.alignment is not None  # noqa: PT018
        same = carried(first.alignment, old, first.text, *passage.places[change.source])
        return INVALID if same is None else REVIEW

    def _concerns(self, changes: tuple[Change, ...], span: str, reader: int | None) -> bool:
        """Whether a span's review is news to who read it in a version."""
        assert reader is not None
        passage = self.spans[span]
        return any(
            change.kind == "edition" or passage.beside(change.target, reader)
            for change in changes
            if self.editions[change.uri, change.edition] is passage.edition
        )

    # section 6: what a cause does to a node

    def marks(self) -> dict[tuple[str, str], str]:
        """(cause, node) → ``invalid`` or ``review``, for all that must be marked."""
        return {pair: WORDS[effect.severity] for pair, effect in self.effects().items()}

    def effects(self) -> dict[tuple[str, str], Effect]:
        """(cause, node) → how the cause bears on the node, for all that must be marked."""
        makings = {node: self.making(node) for node in self.makings}
        replaced = self.replaced()
        found: dict[tuple[str, str], Effect] = {}
        for cause in [*self.corrections, *sorted(set(replaced.values())), INCOMPLETE]:
            found.update(((cause, node), effect) for node, effect in self._of(cause, makings, replaced).items())
        return found

    def _of(self, cause: str, makings: Mapping[str, Making], replaced: Mapping[str, str]) -> dict[str, Effect]:
        done: dict[str, Effect] = {}

        def effect(node: str) -> Effect:
            if node not in done:
                done[node] = self._effect(cause, node, makings, replaced, effect)
            return done[node]

        for node in [*self.spans, *makings]:
            effect(node)
        return {node: each for node, each in done.items() if each.severity}

    def _effect(
        self, cause: str, node: str, makings: Mapping[str, Making], replaced: Mapping[str, str], of: Any
    ) -> Effect:
        changes = self.corrections.get(cause)
        if node in self.spans:
            return NOTHING if changes is None else Effect(self.seed(changes, node), frozenset())
        seed = 0
        if cause == INCOMPLETE and makings[node].lineage:
            seed = REVIEW
        if replaced.get(node) == cause:
            seed = REVIEW
        passing: dict[str, int] = {}
        for (role, dst), version in makings[node].inputs.items():
            severity = of(dst).severity
            if not severity or (cause in self.runs and role not in ("cites", "claim")):
                continue
            if changes is not None and severity == REVIEW and dst in self.spans:
                severity = severity if self._concerns(changes, dst, version) else 0
            if changes is not None and self._out_of_scope(changes, node):
                severity = 0
            passed = PASSES[role].get(severity, 0)
            if passed:
                passing[dst] = max(passed, passing.get(dst, 0))
        effect = Effect(max([seed, *passing.values()]), frozenset(passing))
        return NOTHING if not seed and self._decided(cause, node, effect) else effect

    def _decided(self, cause: str, node: str, effect: Effect) -> bool:
        """Whether the last decision on them stands: about this making, of nothing new and nothing worse."""
        for decision, number in reversed(self.decisions):
            if (decision.cause, decision.node, number) == (cause, node, self.makings[node]):
                return effect.inputs <= decision.inputs and effect.severity <= decision.severity
        return False

    def _out_of_scope(self, changes: tuple[Change, ...], node: str) -> bool:
        """Whether an edition's correction leaves an answer or claim alone, which speaks of the old text's time."""
        if self.kinds[node] not in ("answer", "claim") or not self.scopes[node]:
            return False
        if not any(change.kind == "edition" for change in changes):
            return False
        return all(
            lies_in(
                self.scopes[node],
                self.said(change.uri, change.edition, change.source),
                self.said(change.uri, change.target_edition, change.target),
            )
            for change in changes
        )

    def said(self, uri: str, edition: int, number: int) -> dict[str, Any]:
        """What holds of a version after all that was said of it."""
        found: dict[str, Any] = {}
        for each in self.statements:
            if (each.uri, each.edition, each.number) == (uri, edition, number):
                found.update({field: value for field, value in each.said.items() if value is not None})
        return found

    def fresh(self, answer: str) -> bool:
        """Whether nothing but unknown lineage speaks against serving an answer."""
        return not any(node == answer for cause, node in self.marks() if cause != INCOMPLETE)


def lies_in(scope: Mapping[str, str], old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether a scope lies in an old text's period and case, and not as well in the new one's.

    The date must lie in the old validity. A case that both state must agree; it tells the texts apart where the new
    one states another.
    """
    begin, end, as_of = old.get("valid_from"), old.get("valid_to"), scope.get("as_of")
    apart = False
    if as_of is not None:
        dated = begin is not None or end is not None
        if not dated or (begin is not None and as_of < begin) or (end is not None and as_of >= end):
            return False
        apart = True
    of_old, of_new = old.get("applicability") or {}, new.get("applicability") or {}
    for case in CASES:
        if case not in scope or case not in of_old:
            continue
        if scope[case] != of_old[case]:
            return False
        apart = apart or (case in of_new and of_new[case] != of_old[case])
    return apart
