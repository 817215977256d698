"""Drives a graph by its public API, tells the oracle what happened, and compares the two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lineage.graph import LineageGraph
from lineage.runs import RunHandle
from lineage.testing.forms import NAMESPACE
from lineage.testing.history import Decided, Event, Extended, Made, Name, Run, Statement
from lineage.testing.observe import faults_of_versions, observe, observe_correction
from lineage.testing.oracle import INCOMPLETE, INVALID, PASSES, WORDS, Oracle
from lineage.testing.telling import LINEAGES, Batch
from lineage_schema.errors import BadInput, Conflict
from lineage_schema.records import Answer, Document, Record


class Driver:
    """A graph and its oracle, side by side. ``opening`` opens the same graph again, as after a crash.

    ``verifying``: the store can be verified at the end.
    """

    def __init__(self, opening: Callable[[], LineageGraph], *, verifying: bool = True) -> None:
        self._opening = opening
        self.verifying = verifying
        self.graph = opening()
        self.oracle = Oracle()
        self.runs: list[RunHandle] = []
        self.sent: list[tuple[RunHandle, list[Record]]] = []

    def close(self) -> None:
        self.graph.close()

    def reopen(self) -> None:
        """As after a crash: what was committed is all there is."""
        self.graph.close()
        self.graph = self._opening()
        self.runs = [RunHandle(self.graph, run.state) for run in self.runs]
        self.sent = [(RunHandle(self.graph, run.state), forms) for run, forms in self.sent]

    # registering

    def documents(self, *forms: Document) -> None:
        self.graph.register(forms)
        self.oracle.tell(Batch(self.oracle, "", forms).events())

    def run(self, *, imported: bool = False, rebuilt: bool = False) -> RunHandle:
        """Begins a run."""
        handle = self.graph.run(
            NAMESPACE, producer="driver", mode="imported" if imported else "derived", rebuilt=rebuilt
        )
        self.runs.append(handle)
        self.oracle.tell([Run(handle.id, NAMESPACE, derived=rebuilt or not imported)])
        return handle

    def register(self, run: RunHandle, forms: Sequence[Record]) -> bool:
        """Registers a batch. What would make a node stand on itself must be refused, and leave all as it was."""
        events = Batch(self.oracle, run.id, forms).events()
        if self._cycle(events):
            before = observe(self.graph)
            said = _refused(lambda: run.register(forms))
            assert said is not None, "a cycle was registered"
            assert "→" in said, f"a cycle is refused without its path: {said}"
            assert observe(self.graph) == before, "a refused batch changed something"
            return False
        run.register(forms)
        self.oracle.tell(events)
        self.sent.append((run, list(forms)))
        return True

    def _cycle(self, events: Sequence[Event]) -> bool:
        told = [event for event in events if isinstance(event, (Made, Extended))]
        alone = Oracle()
        alone.runs = self.oracle.runs
        return self.oracle.would_cycle(told) or alone.would_cycle([each for each in told if isinstance(each, Made)])

    def send_again(self, at: int) -> None:
        """Sends an earlier batch once more, which changes nothing, whatever happened since."""
        run, forms = self.sent[at]
        pending, before = self.graph.pending(), observe(self.graph)
        run.register(forms)
        now = observe(self.graph)
        # Whoever writes may carry on what was pending; what was not pending stays as it was.
        if pending:
            now = replace(now, marks=before.marks)
        assert now == before, f"sent again, a batch changed something: {forms}"

    # correcting

    def correct(self, texts: Mapping[str, str], *, propagate: bool = True) -> str | None:
        return self.learn(self.graph.correct(texts, reason="wrong", force=True, propagate=propagate).id)

    def edition(self, uri: str, text: str, valid_from: str, *, propagate: bool = True) -> str | None:
        done = self.graph.correct(
            {uri: text}, reason="new", kind="edition", valid_from=valid_from, force=True, propagate=propagate
        )
        id_ = self.learn(done.id)
        if id_ is not None:
            (change,) = self.oracle.corrections[id_]
            self.oracle.tell(
                [
                    Statement(uri, change.target_edition, change.target, {"valid_from": valid_from}),
                    Statement(uri, change.edition, change.source, {"valid_to": valid_from}),
                ]
            )
        return id_

    def withdraw(self, uris: Sequence[str], *, propagate: bool = True) -> str | None:
        return self.learn(self.graph.withdraw(uris, reason="gone", propagate=propagate).id)

    def undo(self, correction: str, *, propagate: bool = True) -> str | None:
        """Undoes a correction, or sees it refused where a document's current text is not what it left."""
        left = []
        for change in self.oracle.corrections[correction]:
            edition = self.oracle.editions[change.uri, change.target_edition]
            left.append(edition[max(edition)].text == edition[change.target].text)
        try:
            done = self.graph.undo(correction, propagate=propagate)
        except Conflict:
            assert not all(left), f"{correction} left what is current, and cannot be undone"
            return None
        assert all(left), f"{correction} was undone, though a text was changed since"
        return self.learn(done.id)

    def learn(self, id_: str | None) -> str | None:
        """Tells the oracle of a correction that was made."""
        if id_ is None or id_ in self.oracle.corrections:
            return id_
        events = observe_correction(self.graph, id_)
        faults = faults_of_versions(self.oracle.editions, events)
        assert not faults, faults
        self.oracle.tell(events)
        return id_

    def dismiss(self, cause: str, node: str) -> None:
        """A person decides. What is recorded is what the definition says at this moment."""
        effect = self.oracle.effects()[cause, node]
        decision = self.graph.dismiss(node, reason="it is fine", correction=cause)
        found = (WORDS[int(decision.severity)], frozenset(decision.inputs))
        assert found == (WORDS[effect.severity], effect.inputs), f"decided on {found}, not on {effect}"
        self.oracle.tell([Decided(cause, node, int(decision.severity), frozenset(decision.inputs))])

    # comparing

    def compare(self) -> None:
        """What is there at once, whatever is pending; and once nothing is, the marks."""
        found, oracle = observe(self.graph), self.oracle
        inputs = {node: dict(oracle.making(node).inputs) for node in oracle.makings}
        inputs.update({span: {} for span in oracle.spans})
        _same("inputs", found.inputs, inputs)
        _same("names", found.current, {name: oracle.current(name) for name in oracle.names.named})
        lineage = {node: LINEAGES[oracle.making(node).lineage].value for node in oracle.makings}
        _same("lineage", found.lineage, lineage)
        marks = oracle.marks()
        pending = self.graph.pending() > 0
        self._check(marks, pending)
        if not pending:
            _same("marks", found.marks, marks)

    def _check(self, marks: Mapping[tuple[str, str], str], pending: bool) -> None:
        forms = [form for _, sent in self.sent for form in sent if isinstance(form, Answer)]
        # What was searched may have changed; marks do not tell of that.
        searched = {form.key for form in forms if form.searched}
        for name, nodes in self.oracle.names.named.items():
            if name[0] != "answer":
                continue
            for node in nodes:
                mine = {cause: mark for (cause, marked), mark in marks.items() if marked == node}
                status = self.graph.check(node).status.value
                wanted = self._status(name, node, mine)
                if INCOMPLETE not in mine and not pending and name[2] not in searched:
                    assert status == wanted, f"{name} is {status}, not {wanted}, by {mine}"
                assert status != "fresh" or wanted == "fresh", f"{name} is called fresh, it is {wanted} by {mine}"

    def _status(self, name: Name, node: str, mine: Mapping[str, str]) -> str:
        if self.oracle.current(name) != node:
            return "stale"
        if any(cause in self.oracle.corrections and mark == WORDS[INVALID] for cause, mark in mine.items()):
            return "stale"
        return "review" if any(cause != INCOMPLETE for cause in mine) else "fresh"

    def finish(self) -> None:
        """Propagates to the end, compares everything, reads each correction's report, and verifies."""
        self.graph.propagate()
        assert not self.graph.pending()
        self.compare()
        for correction in self.oracle.corrections:
            self.report(correction)
        if self.verifying:
            faults = self.graph.verify().faults
            assert not faults, faults

    def report(self, correction: str) -> None:
        """The report names exactly the current answers that are affected, and every path shown is a real one."""
        effects = self.oracle.effects()
        body = self.graph.affected(correction).to_json()
        current = {self.oracle.current(name) for name in self.oracle.names.named}
        answers = {
            node: WORDS[effect.severity]
            for (cause, node), effect in effects.items()
            if cause == correction and self.oracle.kinds.get(node) == "answer" and node in current
        }
        assert {each["id"]: each["severity"] for each in body["answers"]} == answers
        for answer in body["answers"]:
            also = {
                cause
                for cause, node in effects
                if node == answer["id"] and cause in self.oracle.corrections and cause != correction
            }
            assert set(answer["also"]) == also, f"{answer['id']} is also marked by {also}, not {answer['also']}"
            for claim in answer["claims"]:
                self._path(correction, claim, effects)

    def _path(self, correction: str, claim: Mapping[str, Any], effects: Mapping[tuple[str, str], Any]) -> None:
        node = claim["id"]
        wanted = effects[correction, node].severity
        assert claim["severity"] == WORDS[wanted]
        assert claim["path"], f"no path from {node}"
        for step in claim["path"]:
            inputs = self.oracle.making(node).inputs
            assert (step["role"], step["id"]) in inputs, f"{step['id']} is no input of {node}"
            assert step["id"] in effects[correction, node].inputs, f"nothing passes from {step['id']} to {node}"
            severity = effects[correction, step["id"]].severity
            assert PASSES[step["role"]].get(severity, 0) >= wanted, f"the path to {node} carries less than {wanted}"
            node = step["id"]
        assert node in self.oracle.spans, f"the path ends at {node}, which is no span"


def _refused(doing: Callable[[], object]) -> str | None:
    try:
        doing()
    except BadInput as error:
        return str(error)
    return None


def _same(what: str, found: Mapping[Any, Any], expected: Mapping[Any, Any]) -> None:
    wrong = {
        key: (found.get(key), expected.get(key))
        for key in [*found, *expected]
        if found.get(key) != expected.get(key) or (key in found) != (key in expected)
    }
    assert not wrong, f"{what}: (found, expected) of what differs: {wrong}"
