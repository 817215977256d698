"""A Hypothesis state machine: random histories of small worlds, driven by the public API and judged by the oracle."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from lineage.graph import LineageGraph
from lineage.runs import RunHandle
from lineage.testing.driver import Driver
from lineage.testing.forms import NAMESPACE, answer, id_of, node, under
from lineage.testing.worlds import SENTENCES, TEXTS, edited, passage, subset
from lineage_schema.identity import content_hash, parse_key
from lineage_schema.records import (
    Citation,
    Claim,
    Document,
    Extend,
    Finish,
    Input,
    Node,
    Record,
    Retire,
    Retrieved,
    SpanById,
    SpanRef,
    Version,
)
from lineage_schema.vocabulary import Completeness, Role

DOCUMENTS = ("a.md", "b.md")
KINDS = ("note", "gist", "digest")
ROLES = (Role.EVIDENCE, Role.EVIDENCE, Role.CHILD, Role.QUALIFIER, Role.ENDPOINT)
DATES = ("2019-01-01", "2021-01-01", "2031-01-01", "2041-01-01")


class Machine(RuleBasedStateMachine):
    """Whatever happens, what the graph shows is what the definition says. A store's tests give the two hooks."""

    @classmethod
    def new_place(cls) -> str:
        """A hook: the name of a place where there is no graph yet."""
        raise NotImplementedError

    @classmethod
    def open_graph(cls, place: str) -> LineageGraph:
        """A hook: opens the graph at a place, made where there is none."""
        raise NotImplementedError

    def __init__(self) -> None:
        super().__init__()
        place = type(self).new_place()
        self.driver = Driver(lambda: type(self).open_graph(place))

    @property
    def oracle(self) -> Any:
        return self.driver.oracle

    def teardown(self) -> None:
        try:
            self.driver.finish()
        finally:
            self.driver.close()

    # what there is to choose from

    def _run(self, data: st.DataObject) -> RunHandle:
        return data.draw(st.sampled_from(self.driver.runs))

    def _texts(self) -> dict[tuple[str, int, int], str]:
        return {
            (uri, edition, number): each.text
            for (uri, edition), versions in self.oracle.editions.items()
            for number, each in versions.items()
            if each.text is not None
        }

    def _now(self, uri: str) -> str | None:
        """The current text of the latest edition that has one."""
        alive = [
            (edition, versions[max(versions)].text)
            for (each, edition), versions in self.oracle.editions.items()
            if each == uri and versions[max(versions)].text is not None
        ]
        return max(alive)[1] if alive else None

    def _derived(self) -> list[str]:
        return [node for node, kind in self.oracle.kinds.items() if kind not in ("answer", "claim")]

    def _nodes(self, *kinds: str) -> list[str]:
        return [node for node, kind in self.oracle.kinds.items() if kind in kinds]

    def _span(self, data: st.DataObject) -> SpanRef:
        texts = self._texts()
        uri, edition, number = data.draw(st.sampled_from(sorted(texts)))
        text = texts[uri, edition, number]
        start, end = passage(data, text)
        return SpanRef(uri=uri, edition=edition, version=number, start=start, end=end, quote=text[start:end])

    def _ref(self, data: st.DataObject) -> str | SpanRef | SpanById:
        """A derived node, mostly; else a span, by its place or by its id."""
        what = data.draw(st.sampled_from(["node", "node", "node", "place", "id"]))
        if what == "node" and self._derived():
            return data.draw(st.sampled_from(self._derived()))
        if what == "id" and self.oracle.spans:
            id_ = data.draw(st.sampled_from(sorted(self.oracle.spans)))
            version = data.draw(st.sampled_from([None, *sorted(self.oracle.spans[id_].places)]))
            return SpanById(id=id_, version=version)
        return self._span(data)

    def _inputs(self, data: st.DataObject, most: int = 3) -> tuple[Input, ...]:
        count = data.draw(st.integers(1, most))
        return tuple(Input(ref=self._ref(data), role=data.draw(st.sampled_from(ROLES))) for _ in range(count))

    # registering

    @initialize(texts=st.lists(TEXTS, min_size=2, max_size=2))
    def begin(self, texts: list[str]) -> None:
        """Hypothesis leaves rules out of whole histories: without a first layer most of them would be empty."""
        self.driver.documents(
            *(
                Document(uri=uri, text=text, namespace=NAMESPACE, valid_from="2020-01-01")
                for uri, text in zip(DOCUMENTS, texts, strict=True)
            )
        )
        run = self.driver.run()
        chunks = [
            SpanRef(uri=uri, edition=1, version=1, start=0, end=text.index(".") + 1)
            for uri, text in zip(DOCUMENTS, texts, strict=True)
        ]
        self.driver.register(run, [node("chunk", f"c{at}", "first", Input(ref=ref)) for at, ref in enumerate(chunks)])
        first, second = self._derived()
        self.driver.register(run, [node("note", "k0", "text 0", Input(ref=first), Input(ref=second))])
        (note,) = self._nodes("note")
        self.driver.register(run, answer("q0", "first", [[first]]) + answer("q1", "first", [[note]]))

    @rule(imported=st.booleans(), rebuilt=st.booleans())
    def run(self, imported: bool, rebuilt: bool) -> None:
        self.driver.run(imported=imported, rebuilt=imported and rebuilt)

    @rule(data=st.data())
    def chunk(self, data: st.DataObject) -> None:
        ref = self._span(data)
        key: Any = data.draw(st.sampled_from(["c0", "c1", (ref.uri, content_hash(ref.quote or ""), "1")]))
        form = Node(kind="chunk", namespace=NAMESPACE, key=key, text=ref.quote or "", inputs=(Input(ref=ref),))
        self.driver.register(self._run(data), [form])

    @rule(data=st.data(), kind=st.sampled_from(KINDS), key=st.integers(0, 1), text=st.integers(0, 1))
    def derive(self, data: st.DataObject, kind: str, key: int, text: int) -> None:
        lineage = data.draw(st.sampled_from([*Completeness, *[Completeness.COMPLETE] * 3]))
        keys = sorted({name[2] for name in self.oracle.names.named if name[0] == kind} - {f"k{key}"})
        form = Node(
            kind=kind,
            namespace=NAMESPACE,
            key=f"k{key}",
            text=f"text {text}",
            inputs=self._inputs(data),
            lineage=lineage,
            lineage_reason=None if lineage is Completeness.COMPLETE else "not all is known",
            replaces=tuple(subset(data, keys, 0, 1)),
        )
        self.driver.register(self._run(data), [form])

    @rule(data=st.data())
    def derive_again(self, data: st.DataObject) -> None:
        """A node is made once more from what it was made from, as a rebuild does whose inputs stayed the same."""
        id_ = data.draw(st.sampled_from(self._derived()))
        made = next(each for each in self.oracle.made if each.node == id_)
        text = next(
            form.text
            for _, forms in self.driver.sent
            for form in forms
            if isinstance(form, Node) and form.kind == made.name[0] and id_of(form) == id_
        )
        inputs = []
        for (role, dst), version in self.oracle.making(id_).inputs.items():
            if dst in self.oracle.spans:
                version = data.draw(st.sampled_from([version, max(self.oracle.spans[dst].places)]))
                inputs.append(Input(ref=SpanById(id=dst, version=version), role=Role(role)))
            else:
                inputs.append(Input(ref=dst, role=Role(role)))
        form = Node(
            kind=made.name[0], namespace=NAMESPACE, key=parse_key(made.name[2]), text=text, inputs=tuple(inputs)
        )
        self.driver.register(self._run(data), [form])

    @rule(data=st.data(), size=st.integers(2, 4))
    def pyramid(self, data: st.DataObject, size: int) -> None:
        """A batch whose nodes stand on each other, in any order."""
        forms: list[Record] = []
        made: list[str] = []
        for level in range(size):
            kind, key, text = KINDS[level % 3], f"p{level}", f"text {data.draw(st.integers(0, 1))}"
            form = node(kind, key, text, *self._inputs(data, 2), *under(Role.CHILD, *made))
            made = [*subset(data, made, 0, 1), id_of(form)]
            forms.append(form)
        self.driver.register(self._run(data), data.draw(st.permutations(forms)))

    @rule(data=st.data(), key=st.integers(0, 2), text=st.integers(0, 1), as_of=st.sampled_from([None, None, *DATES]))
    def ask(self, data: st.DataObject, key: int, text: int, as_of: str | None) -> None:
        cited = [
            [self._ref(data) for _ in range(data.draw(st.integers(0, 2)))] for _ in range(data.draw(st.integers(0, 2)))
        ]
        context = [self._ref(data) for _ in range(data.draw(st.integers(0, 1)))]
        scope = {} if as_of is None else {"as_of": as_of}
        forms = answer(f"q{key}", f"text {text}", cited, context, **scope)
        self.driver.register(self._run(data), data.draw(st.permutations(forms)))

    @rule(data=st.data(), ordinal=st.integers(1, 3), what=st.sampled_from(["claim", "citation", "retrieved"]))
    def say_more(self, data: st.DataObject, ordinal: int, what: str) -> None:
        """An answer or a claim that is there already gets something more."""
        id_ = data.draw(st.sampled_from(self._nodes("answer")))
        form: Record
        if what == "claim":
            form = Claim(answer=id_, ordinal=ordinal, text=f"more {ordinal}")
        elif what == "citation" and self._nodes("claim"):
            claim = data.draw(st.sampled_from(self._nodes("claim")))
            form = Citation(claim=claim, order=ordinal, target=self._ref(data))
        else:
            form = Retrieved(answer=id_, target=self._ref(data))
        self.driver.register(self._run(data), [form])

    @rule(data=st.data())
    def extend(self, data: st.DataObject) -> None:
        extended = data.draw(st.sampled_from(self._derived()))
        inputs = []
        for each in self._inputs(data, 2):
            if isinstance(each.ref, SpanRef):
                continue
            if isinstance(each.ref, SpanById):
                # Two runs that say of one input that they read other versions may add up to the lower one.
                first = self.oracle.spans[each.ref.id].first[0]
                each = each.model_copy(update={"ref": SpanById(id=each.ref.id, version=first)})
            inputs.append(each)
        if inputs:
            self.driver.register(self._run(data), [Extend(node=extended, inputs=tuple(inputs))])

    @rule(data=st.data())
    def retire(self, data: st.DataObject) -> None:
        kind, namespace, key = data.draw(st.sampled_from(sorted(self.oracle.names.named)))
        self.driver.register(self._run(data), [Retire(kind=kind, namespace=namespace, key=parse_key(key))])

    @rule(data=st.data())
    def complete(self, data: st.DataObject) -> None:
        self.driver.register(self._run(data), [Finish(complete=True)])

    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        self.driver.send_again(data.draw(st.integers(0, len(self.driver.sent) - 1)))

    # correcting

    @rule(data=st.data(), both=st.booleans(), propagate=st.booleans())
    def correct(self, data: st.DataObject, both: bool, propagate: bool) -> None:
        uris = DOCUMENTS if both else (data.draw(st.sampled_from(DOCUMENTS)),)
        texts = {}
        for uri in uris:
            old = self._now(uri)
            earlier = [text for (each, _, _), text in self._texts().items() if each == uri]
            texts[uri] = data.draw(TEXTS) if old is None else edited(data, old, earlier)
        self.driver.correct(texts, propagate=propagate)

    @rule(data=st.data(), propagate=st.booleans())
    def withdraw(self, data: st.DataObject, propagate: bool) -> None:
        self.driver.withdraw(subset(data, DOCUMENTS, 1, 2), propagate=propagate)

    @rule(data=st.data(), uri=st.sampled_from(DOCUMENTS), valid_from=st.sampled_from(["2030-01-01", "2040-01-01"]))
    def edition(self, data: st.DataObject, uri: str, valid_from: str) -> None:
        old = self._now(uri)
        if old is not None and sum(each == uri for each, _ in self.oracle.editions) < 3:
            text = edited(data, old, [])
            self.driver.edition(uri, text if text != old else old + data.draw(SENTENCES), valid_from, propagate=False)

    @precondition(lambda self: self.oracle.corrections)
    @rule(data=st.data(), last=st.booleans())
    def undo(self, data: st.DataObject, last: bool) -> None:
        known = list(self.oracle.corrections)
        self.driver.undo(known[-1] if last else data.draw(st.sampled_from(known)), propagate=False)

    @rule(data=st.data(), valid_from=st.sampled_from(DATES), valid_to=st.sampled_from([None, *DATES]))
    def restate(self, data: st.DataObject, valid_from: str, valid_to: str | None) -> None:
        uri, edition, number = data.draw(st.sampled_from(sorted(self._texts())))
        form = Version(uri=uri, edition=edition, version=number, valid_from=valid_from, valid_to=valid_to)
        self.driver.register(self._run(data), [form])

    # marks

    @rule(steps=st.integers(1, 3), batch=st.integers(1, 3))
    def propagate(self, steps: int, batch: int) -> None:
        self.driver.graph.propagate(steps=steps, batch=batch)

    @rule()
    def propagate_all(self) -> None:
        self.driver.graph.propagate()

    @rule()
    def crash(self) -> None:
        self.driver.reopen()

    @rule(data=st.data())
    def dismiss(self, data: st.DataObject) -> None:
        derived = [
            (cause, node)
            for (cause, node), effect in self.oracle.effects().items()
            if node not in self.oracle.spans and effect.inputs
        ]
        if derived:
            self.driver.dismiss(*data.draw(st.sampled_from(derived)))

    @invariant()
    def agrees(self) -> None:
        self.driver.compare()
