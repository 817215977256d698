"""What several runs register, committed in another order, ends the same: marks, inputs, what keys name."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lineage.graph import LineageGraph
from lineage.testing.driver import Driver
from lineage.testing.forms import NAMESPACE, answer, id_of, node
from lineage.testing.observe import observe
from lineage.testing.worlds import TEXTS, edited, passage, subset
from lineage_schema.records import Document, Extend, Finish, Input, Node, Record, Retire, SpanRef
from lineage_schema.vocabulary import Completeness, Role

URI = "a.md"
KINDS = ("chunk", "note", "gist", "digest")
ROLES = (Role.EVIDENCE, Role.CHILD, Role.QUALIFIER, Role.ENDPOINT)
RUNS = 5


@dataclass(frozen=True)
class Step:
    """One commit. It can come once all that it needs is there; then what it gives is there."""

    needs: frozenset[Any]
    gives: frozenset[Any]
    run: int | None
    forms: tuple[Record, ...] = ()
    text: str = ""


class _Story:
    """Draws commits that only look down, so that no order of them makes a cycle."""

    def __init__(self, data: st.DataObject, text: str) -> None:
        self._data = data
        self._levels: list[list[str]] = [[] for _ in KINDS]
        self.texts = [text]
        self.steps: list[Step] = []

    def draw(self) -> list[Step]:
        for _ in range(3):
            self._chunk()
        for _ in range(self._data.draw(st.integers(2, 9))):
            self._data.draw(
                st.sampled_from([self._chunk, self._node, self._node, self._node, self._lay, self._end, self._correct])
            )()
        known = [each for level in self._levels for each in level]
        for key, target in enumerate(subset(self._data, known, 1, 2)):
            self._send(answer(f"q{key}", "yes", [[target]]), {target}, ())
        return self.steps

    def _send(self, forms: Sequence[Record], needs: set[Any], gives: Sequence[Any]) -> None:
        run = self._data.draw(st.integers(0, RUNS - 1))
        self.steps.append(Step(frozenset(needs), frozenset(gives), run, tuple(forms)))

    def _span(self) -> SpanRef:
        version = self._data.draw(st.integers(1, len(self.texts)))
        text = self.texts[version - 1]
        start, end = passage(self._data, text)
        return SpanRef(uri=URI, version=version, start=start, end=end, quote=text[start:end])

    def _chunk(self) -> None:
        ref = self._span()
        key = self._data.draw(st.sampled_from(["c0", "c1", f"c {ref.quote}"]))
        self._register(0, node("chunk", key, ref.quote or "", ref), {ref.version})

    def _node(self) -> None:
        level = self._data.draw(st.integers(1, len(KINDS) - 1))
        key, text = self._data.draw(st.integers(0, 1)), self._data.draw(st.integers(0, 1))
        inputs = self._inputs(level)
        partial = self._data.draw(st.integers(0, 3)) == 0
        more = {"lineage": Completeness.PARTIAL, "lineage_reason": "some of it"} if partial else {}
        form = node(KINDS[level], f"k{key}", f"text {text}", *inputs, **more)
        self._register(level, form, {str(each.ref) for each in inputs})

    def _register(self, level: int, form: Node, needs: set[Any]) -> None:
        id_ = id_of(form)
        if id_ not in self._levels[level]:
            self._levels[level].append(id_)
        self._send([form], needs, [id_, (form.kind, form.key)])

    def _inputs(self, level: int) -> list[Input]:
        below = [each for nodes in self._levels[:level] for each in nodes]
        return [
            Input(ref=each, role=self._data.draw(st.sampled_from(ROLES))) for each in subset(self._data, below, 1, 2)
        ]

    def _lay(self) -> None:
        level = self._data.draw(st.sampled_from([at for at, nodes in enumerate(self._levels) if nodes and at] or [0]))
        if level:
            target = self._data.draw(st.sampled_from(self._levels[level]))
            inputs = self._inputs(level)
            self._send([Extend(node=target, inputs=tuple(inputs))], {target, *(str(each.ref) for each in inputs)}, ())

    def _end(self) -> None:
        if self._data.draw(st.booleans()):
            self._send([Finish(complete=True)], set(), ())
            return
        named = [each for step in self.steps for each in sorted(step.gives, key=str) if isinstance(each, tuple)]
        kind, key = self._data.draw(st.sampled_from(named))
        self._send([Retire(kind=kind, namespace=NAMESPACE, key=key)], {(kind, key)}, ())

    def _correct(self) -> None:
        text = edited(self._data, self.texts[-1], self.texts)
        if text != self.texts[-1]:
            self.texts.append(text)
            number = len(self.texts)
            self.steps.append(Step(frozenset({number - 1}), frozenset({number}), None, text=text))


def in_turn(order: Sequence[Step]) -> list[Step]:
    """The steps as near to this order as what they need allows."""
    there: set[Any] = {1}
    waiting, found = list(order), []
    while waiting:
        step = next(each for each in waiting if each.needs <= there)
        waiting.remove(step)
        there |= step.gives
        found.append(step)
    return found


def play(driver: Driver, text: str, steps: Sequence[Step]) -> None:
    """All runs begin before anything is committed; the graph is judged at its end."""
    driver.documents(Document(uri=URI, text=text))
    for number in range(RUNS):
        driver.run(imported=number % 2 == 1, rebuilt=number == 3)
    for step in steps:
        if step.run is None:
            driver.correct({URI: step.text}, propagate=False)
        else:
            assert driver.register(driver.runs[step.run], step.forms)
    driver.finish()


class Orders:
    """One property, and one hook as in :class:`lineage.testing.suite.Suite`."""

    def open_graph(self, place: Path) -> LineageGraph:
        raise NotImplementedError

    @settings(settings(), suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors])
    @given(data=st.data(), text=TEXTS)
    def test_the_order_of_commits_does_not_matter(self, data: st.DataObject, text: str) -> None:
        steps = _Story(data, text).draw()
        orders = [steps, in_turn(data.draw(st.permutations(steps)))]
        found = []
        for order in orders:
            with tempfile.TemporaryDirectory() as folder:
                driver = Driver(lambda place=Path(folder): self.open_graph(place))  # type: ignore[misc]
                try:
                    play(driver, text, order)
                    found.append(observe(driver.graph))
                finally:
                    driver.close()
        assert found[0] == found[1]
