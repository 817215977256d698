"""A Hypothesis state machine: random histories of small worlds, judged by the oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from lineage.align import Alignment
from lineage.graph import LineageGraph
from lineage.runs import RunHandle
from lineage.testing import oracle as judge
from lineage_schema.errors import Conflict, NotFound
from lineage_schema.identity import content_hash, key_text, node_id, parse_key
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
    Retire,
    Retrieved,
    SpanById,
    SpanRef,
)
from lineage_schema.text import TextIndex
from lineage_schema.vocabulary import Completeness, Role

WORDS = ("alpha", "bravo", "carol", "delta", "eagle")
DOCUMENTS = ("a.md", "b.md")
LEVELS = ("note", "gist", "digest")
ROLES = (Role.EVIDENCE, Role.CHILD, Role.QUALIFIER, Role.ENDPOINT)
LINEAGES = tuple(Completeness)

sentence = st.builds(
    lambda word, number: f"The {word} rule holds {number} days.", st.sampled_from(WORDS), st.integers(1, 3)
)
paragraph = st.lists(sentence, min_size=1, max_size=3).map(" ".join)
body = st.lists(paragraph, min_size=1, max_size=3).map(lambda parts: "\n\n".join(parts) + "\n")


class Machine(RuleBasedStateMachine):
    """Drives the public API, tells the oracle what happened, and compares."""

    @classmethod
    def name(cls) -> str:
        """A hook: the name of a graph that is new."""
        raise NotImplementedError

    @classmethod
    def open_graph(cls, where: str) -> LineageGraph:
        """A hook: opens the graph of a name, making it where it is new."""
        raise NotImplementedError

    def __init__(self) -> None:
        super().__init__()
        self.where = type(self).name()
        self.graph = type(self).open_graph(self.where)
        self.oracle = judge.Oracle()
        self.runs: list[tuple[RunHandle, judge.Run, bool]] = []
        self.levels: list[list[str]] = [[] for _ in range(4)]
        self.answers: list[str] = []
        self.begins: dict[str, int] = {}

    def teardown(self) -> None:
        self.graph.close()

    # the world

    @initialize(texts=st.lists(body, min_size=2, max_size=2))
    def documents(self, texts: list[str]) -> None:
        for uri, text in zip(DOCUMENTS, texts, strict=True):
            self.graph.register([Document(uri=uri, text=text, namespace="w", valid_from="2020-01-01")])
            self.oracle.editions[uri, 1] = [judge.Version(text, None, None)]
        self.run(imported=False)
        # Hypothesis leaves rules out of whole histories: without a first layer most of them would be empty.
        handle, run, _ = self.runs[0]
        for uri, text in zip(DOCUMENTS, texts, strict=True):
            for start, end in TextIndex(text).sentences[:3]:
                self._chunk(handle, run, uri, 1, 1, start, end)
        for level in (1, 2):
            below = sorted(self.levels[level - 1])
            edges: judge.Edges = {("evidence", node): None for node in below[:3]}
            self._derive(handle, run, level, "k0", "text 0", edges, 0)
        for key, target in enumerate((self.levels[0][0], self.levels[2][0], sorted(self.oracle.spans)[0])):
            version = 1 if target in self.oracle.spans else None
            self._answer(handle, run, f"q{key}", None, {("cites", target): version}, {}, lambda forms: forms)

    @rule(imported=st.booleans())
    def run(self, imported: bool) -> None:
        handle = self.graph.run("w", producer="machine", mode="imported" if imported else "derived")
        run = judge.Run(handle.id, handle.begin, not imported)
        self.oracle.runs[run.begin] = run
        self.runs.append((handle, run, False))

    @rule(data=st.data())
    def chunk(self, data: st.DataObject) -> None:
        uri, edition = data.draw(st.sampled_from(sorted(self.oracle.editions)))
        versions = [n for n, each in enumerate(self.oracle.editions[uri, edition], 1) if each.text]
        if not versions:
            return
        number = data.draw(st.sampled_from(versions))
        text = self.oracle.editions[uri, edition][number - 1].text or ""
        sentences = TextIndex(text).sentences
        first = data.draw(st.integers(0, len(sentences) - 1))
        last = data.draw(st.integers(first, min(first + 1, len(sentences) - 1)))
        start, end = sentences[first][0], sentences[last][1]
        handle, run, _ = data.draw(st.sampled_from(self.runs))
        self._chunk(handle, run, uri, edition, number, start, end)

    def _chunk(
        self, handle: RunHandle, run: judge.Run, uri: str, edition: int, number: int, start: int, end: int
    ) -> None:
        quote = (self.oracle.editions[uri, edition][number - 1].text or "")[start:end]
        ref = SpanRef(uri=uri, edition=edition, version=number, start=start, end=end, quote=quote)
        key = (uri, content_hash(quote), "1")
        handle.register([Node(kind="chunk", namespace="w", key=key, text=quote, inputs=(Input(ref=ref),))])
        span = self.oracle.span(uri, edition, number, start, end)
        node = node_id("chunk", "w", key, content_hash(quote))
        self._told(("chunk", "w", key_text(key)), node, run, {("evidence", span): number}, 0, 0)

    @precondition(lambda self: self.levels[0])
    @rule(data=st.data(), level=st.integers(1, 3), key=st.integers(0, 1), text=st.integers(0, 1))
    def derive(self, data: st.DataObject, level: int, key: int, text: int) -> None:
        below = [node for nodes in self.levels[:level] for node in nodes]
        chosen = data.draw(st.lists(st.sampled_from(below), min_size=1, max_size=3, unique=True))
        edges: judge.Edges = {(data.draw(st.sampled_from(ROLES)).value, node): None for node in chosen}
        handle, run, _ = data.draw(st.sampled_from(self.runs))
        lineage = data.draw(st.sampled_from([0, 0, 0, 1]))
        self._derive(handle, run, level, f"k{key}", f"text {text}", edges, lineage)

    def _derive(
        self, handle: RunHandle, run: judge.Run, level: int, key: str, text: str, edges: judge.Edges, lineage: int
    ) -> None:
        kind = LEVELS[level - 1]
        form = Node(
            kind=kind,
            namespace="w",
            key=key,
            text=text,
            inputs=tuple(Input(ref=node, role=Role(role)) for role, node in edges),
            lineage=LINEAGES[lineage],
            lineage_reason="not all is known" if lineage else None,
        )
        handle.register([form])
        # Sent again it changes nothing; if it does, what follows disagrees with the oracle.
        handle.register([form])
        node = node_id(kind, "w", key, content_hash(text))
        self._told((kind, "w", key), node, run, edges, lineage, level)

    def _told(
        self, name: tuple[str, str, str], node: str, run: judge.Run, edges: judge.Edges, lineage: int, level: int
    ) -> None:
        self.oracle.names.setdefault(name, {}).setdefault(node, set()).add(run.begin)
        self.oracle.kinds[node] = name[0]
        self.oracle.registrations.append(judge.Registration(node, run, edges, lineage))
        if node not in self.levels[level]:
            self.levels[level].append(node)
        self._sweep_again(run, name[0])

    @precondition(lambda self: self.levels[0])
    @rule(data=st.data(), key=st.integers(0, 2), as_of=st.sampled_from([None, None, "2021-01-01", "2031-01-01"]))
    def answer(self, data: st.DataObject, key: int, as_of: str | None) -> None:
        known = [node for nodes in self.levels for node in nodes] + sorted(self.oracle.spans)
        cited = data.draw(st.lists(st.sampled_from(known), max_size=3, unique=True))
        context = data.draw(st.lists(st.sampled_from(known), max_size=2, unique=True))
        handle, run, _ = data.draw(st.sampled_from(self.runs))
        claims: judge.Edges = {("cites", target): self._read(data, target) for target in cited}
        retrieved: judge.Edges = {("retrieved", target): self._read(data, target) for target in context}
        self._answer(handle, run, f"q{key}", as_of, claims, retrieved, lambda forms: data.draw(st.permutations(forms)))

    def _answer(
        self,
        handle: RunHandle,
        run: judge.Run,
        key: str,
        as_of: str | None,
        cites: judge.Edges,
        retrieved: judge.Edges,
        shuffled: Callable[[list[Any]], list[Any]],
    ) -> None:
        ref = AnswerRef(namespace="w", key=key)
        scope = {} if as_of is None else {"as_of": as_of}
        claim_text, answer_text = f"c{len(cites)}", f"a{len(cites)}"
        forms: list[Any] = [
            Answer(namespace="w", key=key, question="?", text=answer_text, as_of=as_of),
            Claim(answer=ref, ordinal=1, text=claim_text),
        ]
        for number, ((_, target), version) in enumerate(cites.items(), 1):
            to = target if version is None else SpanById(id=target, version=version)
            forms.append(Citation(claim=ClaimRef(answer=ref, ordinal=1), order=number, marker=f"[{number}]", target=to))
        for (_, target), version in retrieved.items():
            forms.append(
                Retrieved(answer=ref, target=target if version is None else SpanById(id=target, version=version))
            )
        handle.register(shuffled(forms))
        claim = node_id("claim", "w", (key, "1"), content_hash(claim_text), scope)
        answer = node_id("answer", "w", key, content_hash(answer_text), scope)
        told = ((claim, "claim", cites), (answer, "answer", {**retrieved, ("claim", claim): None}))
        for node, kind, edges in told:
            self.oracle.kinds[node] = kind
            self.oracle.scopes[node] = scope
            self.oracle.registrations.append(judge.Registration(node, run, edges))
        if answer not in self.answers:
            self.answers.append(answer)

    def _read(self, data: st.DataObject, target: str) -> int | None:
        if target not in self.oracle.spans:
            return None
        return int(data.draw(st.sampled_from(sorted(self.oracle.anchors(target)))))

    @precondition(lambda self: any(self.levels[1:]))
    @rule(data=st.data())
    def extend(self, data: st.DataObject) -> None:
        level = data.draw(st.sampled_from([n for n in range(1, 4) if self.levels[n]]))
        node = data.draw(st.sampled_from(self.levels[level]))
        below = [each for nodes in self.levels[:level] for each in nodes]
        target = data.draw(st.sampled_from(below))
        handle, run, _ = data.draw(st.sampled_from(self.runs))
        handle.register([Extend(node=node, inputs=(Input(ref=target, role=Role.EVIDENCE),))])
        self.oracle.registrations.append(judge.Registration(node, run, {("evidence", target): None}, extends=True))

    @precondition(lambda self: self.oracle.names)
    @rule(data=st.data())
    def retire(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.oracle.names)))
        handle, run, _ = data.draw(st.sampled_from(self.runs))
        kind, namespace, key = name
        handle.register([Retire(kind=kind, namespace=namespace, key=parse_key(key))])
        self.oracle.retirements.append((name, run))

    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        at = data.draw(st.integers(0, len(self.runs) - 1))
        handle, run, _ = self.runs[at]
        handle.register([Finish(complete=True)])
        self.runs[at] = (handle, run, True)
        for name, nodes in list(self.oracle.names.items()):
            if any(run.begin in begins for begins in nodes.values()):
                self._sweep_again(run, name[0])

    def _sweep_again(self, run: judge.Run, kind: str) -> None:
        complete = any(each is run and finished for _, each, finished in self.runs)
        if complete and ("w", kind, run) not in self.oracle.sweeps:
            self.oracle.sweeps.append(("w", kind, run))

    # corrections

    @rule(data=st.data(), both=st.booleans(), propagate=st.booleans())
    def correct(self, data: st.DataObject, both: bool, propagate: bool) -> None:
        texts: dict[str, str] = {}
        for uri in DOCUMENTS if both else data.draw(st.sampled_from([("a.md",), ("b.md",)])):
            old = self._latest(uri)
            texts[uri] = data.draw(body) if old is None else self._edited(data, old)
        done = self.graph.correct(texts, reason="because", force=True, propagate=propagate)
        self._corrected(done.id)

    def _edited(self, data: st.DataObject, text: str) -> str:
        parts = [part.split(". ") for part in text.rstrip("\n").split("\n\n")]
        at = data.draw(st.integers(0, len(parts) - 1))
        new = data.draw(sentence).rstrip(".")
        where = data.draw(st.integers(0, len(parts[at]) - 1))
        what = data.draw(st.sampled_from(["replace", "insert", "delete", "paragraph", "earlier"]))
        if what == "replace":
            parts[at][where] = new
        elif what == "insert":
            parts[at].insert(where, new)
        elif what == "delete" and len(parts[at]) > 1:
            del parts[at][where]
        elif what == "paragraph":
            parts.insert(at, [new])
        else:
            earlier = [v.text for versions in self.oracle.editions.values() for v in versions if v.text]
            return str(data.draw(st.sampled_from(earlier)))
        return "\n\n".join(". ".join(each).rstrip(".") + "." for each in parts) + "\n"

    def _latest(self, uri: str) -> str | None:
        edition = max(
            (e for (u, e), versions in self.oracle.editions.items() if u == uri and versions[-1].text is not None),
            default=None,
        )
        return None if edition is None else self.oracle.editions[uri, edition][-1].text

    @rule(uri=st.sampled_from(DOCUMENTS), propagate=st.booleans())
    def withdraw(self, uri: str, propagate: bool) -> None:
        self._corrected(self.graph.withdraw([uri], reason="gone", propagate=propagate).id)

    @rule(data=st.data(), uri=st.sampled_from(DOCUMENTS))
    def edition(self, data: st.DataObject, uri: str) -> None:
        old = self._latest(uri)
        if old is None or sum(u == uri for u, _ in self.oracle.editions) > 2:
            return
        done = self.graph.correct(
            {uri: self._edited(data, old)},
            reason="new",
            kind="edition",
            valid_from="2030-01-01",
            force=True,
            propagate=False,
        )
        self._corrected(done.id)

    @precondition(lambda self: self.oracle.corrections)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        correction = data.draw(st.sampled_from(self.oracle.corrections))
        try:
            self._corrected(self.graph.undo(correction.id, propagate=False).id)
        except Conflict:
            return

    def _corrected(self, id_: str | None) -> None:
        if id_ is None or any(each.id == id_ for each in self.oracle.corrections):
            return

        def work(tx: Any) -> Any:
            (cause,) = tx.marks.causes([id_])
            versions = {
                (c.uri, c.target_edition): tx.sources.versions([(c.uri, c.target_edition)])[c.uri, c.target_edition]
                for c in cause.changes
            }
            texts = tx.sources.texts({v.sha256 for each in versions.values() for v in each if v.sha256})
            return cause, versions, texts

        cause, versions, texts = self.graph.store.read(work)
        changes = [judge.Change(c.uri, c.edition, c.kind, c.source, c.target, c.target_edition) for c in cause.changes]
        for change in changes:
            stored = versions[change.uri, change.target_edition][change.target - 1]
            self.oracle.editions.setdefault((change.uri, change.target_edition), []).append(
                judge.Version(
                    None if stored.sha256 is None else texts[stored.sha256],
                    stored.base,
                    None if stored.alignment is None else Alignment.from_bytes(stored.alignment),
                )
            )
        correction = judge.Correction(id_, changes)
        if any(change.kind == "edition" for change in changes):
            began = "2030-01-01" if changes[0].edition > 1 else "2020-01-01"
            correction.old = {"valid_from": began, "valid_to": "2030-01-01"}
        self.oracle.corrections.append(correction)

    # marks

    @rule(steps=st.integers(1, 3), batch=st.integers(1, 3))
    def propagate(self, steps: int, batch: int) -> None:
        self.graph.propagate(steps=steps, batch=batch)

    @rule()
    def settle_all(self) -> None:
        self.graph.propagate()

    @rule()
    def crash(self) -> None:
        self.graph.close()
        self.graph = type(self).open_graph(self.where)
        self.runs = [(RunHandle(self.graph, handle.state), run, complete) for handle, run, complete in self.runs]

    @precondition(lambda self: self.oracle.corrections)
    @rule(data=st.data())
    def dismiss(self, data: st.DataObject) -> None:
        marked = [
            (cause, node)
            for cause, node in sorted(self._expected())
            if node not in self.oracle.spans and cause.startswith("c1:")
        ]
        if not marked:
            return
        cause, node = data.draw(st.sampled_from(marked))
        try:
            decision = self.graph.dismiss(node, reason="it is fine", correction=cause)
        except NotFound:
            return
        made = self.graph.node(node).made
        assert made is not None
        self.oracle.decisions.append(
            judge.Decision(cause, node, made, int(decision.severity), frozenset(decision.inputs))
        )

    def _expected(self) -> dict[tuple[str, str], int]:
        ids = list(self.oracle.kinds)
        views = self.graph.store.read(lambda tx: tx.reading.views(ids))
        self.oracle.made = {id_: view.made for id_, view in views.items() if view.made is not None}
        return self.oracle.marks()

    @invariant()
    def agrees(self) -> None:
        if not self.oracle.kinds:
            return
        expected = self._expected()
        for answer in self.answers:
            causes = [cause for cause, node in expected if node == answer and cause != judge.INCOMPLETE]
            if causes:
                checked = self.graph.check(answer)
                assert checked.status != "fresh", f"{answer} is marked by {causes}: {checked}"
        if self.graph.pending():
            return
        views = self.graph.store.read(lambda tx: tx.reading.views(list(self.oracle.kinds)))
        found = {(mark.cause, id_): mark.severity for id_, view in views.items() for mark in view.marks}
        wrong = {
            pair: (self.oracle.kinds[pair[1]], found.get(pair, 0), expected.get(pair, 0))
            for pair in found.keys() | expected.keys()
            if found.get(pair) != expected.get(pair)
        }
        assert not wrong, f"(cause, node): (kind, the store's severity, the oracle's): {wrong}"
