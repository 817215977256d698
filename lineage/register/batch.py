"""One batch: resolve, check, order, write, settle. All of it in one transaction."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lineage.chains import Chains
from lineage.derive import extend, rederive, united
from lineage.derive import laid as laid_over
from lineage.refs import name_text
from lineage.register import documents
from lineage.register.drafts import (
    ROLE,
    Draft,
    Pointer,
    check_roles,
    draft_answer,
    draft_claim,
    draft_node,
    name_of,
    pointers,
)
from lineage.register.order import Cycle, levels
from lineage.register.spans import SpanResolver
from lineage.seeds import late_seeds, touched
from lineage.stores.base import (
    CitationRow,
    Derivation,
    Edge,
    Edges,
    Name,
    NodeRow,
    NodeView,
    Outcome,
    RunState,
    Transaction,
)
from lineage_schema.errors import BadInput
from lineage_schema.identity import Key, key_text
from lineage_schema.records import (
    Answer,
    AnswerRef,
    Citation,
    Claim,
    ClaimRef,
    Document,
    Extend,
    Finish,
    Node,
    NodeRef,
    Record,
    Ref,
    Retire,
    Retrieved,
    Span,
    SpanById,
    SpanRef,
    Version,
)
from lineage_schema.vocabulary import Kind, Role


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in the input that was kept and is worth a look: not an error, and not dropped."""

    kind: str
    where: str
    what: str

    def to_json(self) -> dict[str, str]:
        return {"kind": self.kind, "where": self.where, "what": self.what}


@dataclass(slots=True)
class Registered:
    """What a batch wrote. Counts are by kind; ``derived`` counts existing nodes that got another derivation."""

    run: str
    written: Counter[str] = field(default_factory=Counter)
    existed: Counter[str] = field(default_factory=Counter)
    derived: int = 0
    edges: int = 0
    aliases: int = 0
    findings: list[Finding] = field(default_factory=list)

    def add(self, other: Registered) -> None:
        """Sums up another batch of the same run."""
        self.written.update(other.written)
        self.existed.update(other.existed)
        self.derived += other.derived
        self.edges += other.edges
        self.aliases += other.aliases
        self.findings.extend(other.findings)

    def to_json(self) -> dict[str, Any]:
        return {
            "run": self.run,
            "written": dict(sorted(self.written.items())),
            "existed": dict(sorted(self.existed.items())),
            "derived": self.derived,
            "edges": self.edges,
            "aliases": self.aliases,
            "findings": [finding.to_json() for finding in self.findings],
        }


def register(tx: Transaction, run: RunState, forms: Sequence[tuple[object, Record]]) -> Registered:
    """Registers forms of one run; each comes with the name that errors call it by.

    Raises :class:`BadInput` and :class:`Conflict`; the transaction must then be rolled back.
    """
    return _Batch(tx, run).register(forms)


class _Batch:
    def __init__(self, tx: Transaction, run: RunState) -> None:
        self._tx = tx
        self._run = run
        self._chains = Chains(tx)
        self._spans = SpanResolver(self._chains, run)
        self._drafts: dict[str, Draft] = {}
        self._names: dict[Name, set[str]] = {}
        self._labels: dict[tuple[str, str, str], set[str]] = {}
        self._laid: dict[str, list[Pointer]] = {}
        self._read: dict[tuple[str, str, Key], str] = {}
        self._stored_names: dict[Name, str | None] = {}
        self._stored_kinds: dict[str, str] = {}
        self._views: dict[str, NodeView] = {}
        self._result = Registered(run.id)

    def register(self, forms: Sequence[tuple[object, Record]]) -> Registered:
        by_type: dict[type, list[tuple[object, Any]]] = {}
        for item, form in forms:
            by_type.setdefault(type(form), []).append((item, form))
        self._tx.sources.lock(_documents(by_type))
        written, existed = documents.add_documents(self._tx, self._chains, by_type.get(Document, []))
        self._count(self._result.written, "document", written)
        self._count(self._result.existed, "document", existed)
        documents.add_statements(self._tx, self._chains, by_type.get(Version, []))

        for item, form in by_type.get(Node, []):
            self._draft(draft_node(form, item))
        self._answers(by_type)
        citations = self._citations(by_type)
        for item, form in by_type.get(Extend, []):
            target = self._target(form.node, item)[0]
            drafted = self._drafts.get(target)
            kind = self._view(target, item, "node").kind if drafted is None else drafted.row.kind
            if kind == Kind.SPAN:
                raise BadInput(item, "node", found=target, expected="a derived node, an answer or a claim, not a span")
            check_roles(kind, form.inputs, item)
            self._laid.setdefault(target, []).extend(pointers(form.inputs, item))

        self._look_up()
        for item, form in by_type.get(Span, []):
            self._spans.resolve(form, item)
        self._write(citations)

        for item, form in by_type.get(Retire, []):
            name = name_of(NodeRef(kind=form.kind, namespace=form.namespace, key=form.key), item)
            if self._tx.graph.retire([name], self._run):
                raise BadInput(item, "key", found=form.key, expected=f"a known key of {form.kind} in {form.namespace}")
        for _, form in by_type.get(Finish, []):
            self._tx.graph.finish_run(self._run.id, self._tx.now(), form.complete)
        self._tx.spread.recheck_all()
        return self._result

    # drafts

    def _draft(self, draft: Draft) -> None:
        row = draft.row
        before = self._drafts.get(row.id)
        if before is not None:
            # The same node twice in one batch: within one run inputs add up.
            before.inputs.extend(draft.inputs)
            before.row.aliases = tuple(dict.fromkeys((*before.row.aliases, *row.aliases)))
            before.row.lineage = max(before.row.lineage, row.lineage)
            before.row.reason = before.row.reason or row.reason
            before.replaces = tuple(dict.fromkeys((*before.replaces, *draft.replaces)))
            return
        self._drafts[row.id] = draft
        self._names.setdefault((row.kind, row.namespace, row.key), set()).add(row.id)

    def _answers(self, by_type: Mapping[type, list[tuple[object, Any]]]) -> None:
        answers = [draft_answer(form, item, self._tx.now()) for item, form in by_type.get(Answer, [])]
        asked = self._asked([draft.row.id for draft in answers])
        for draft in answers:
            draft.row.asked = asked[draft.row.id]
            self._draft(draft)
        for item, claim in by_type.get(Claim, []):
            answer, scope = self._answer(claim.answer, item)
            draft = draft_claim(claim, item, answer, scope)
            draft.row.asked = answer.asked
            self._draft(draft)
            if claim.label is not None:
                self._labels.setdefault((answer.namespace, answer.key, claim.label), set()).add(draft.row.id)
            self._point(answer.id, Pointer(ROLE[Role.CLAIM], 1, draft.row.id, item))
        for item, retrieved in by_type.get(Retrieved, []):
            answer, _ = self._answer(retrieved.answer, item)
            self._point(answer.id, Pointer(ROLE[Role.RETRIEVED], 1, retrieved.target, item))

    def _asked(self, answers: Sequence[str]) -> dict[str, int]:
        """An answer is ordered by when it was asked, not by its run; told again by its run, it was asked once."""
        before: dict[str, int] = self._tx.graph.asked_by(answers, self._run)
        new = [id_ for id_ in dict.fromkeys(answers) if id_ not in before]
        return before | dict(zip(new, self._tx.next_seqs(len(new)), strict=True))

    def _answer(self, ref: str | AnswerRef, item: object) -> tuple[NodeRow, Mapping[str, Any]]:
        """The row of an answer of this batch or of the store, and its scope."""
        id_ = (
            ref if isinstance(ref, str) else self._by_name((Kind.ANSWER.value, ref.namespace, ref.key), item, "answer")
        )
        if id_ in self._drafts:
            row = self._drafts[id_].row
            return row, _attributes(row)
        view = self._view(id_, item, "answer")
        if view.kind != Kind.ANSWER:
            raise BadInput(item, "answer", found=id_, expected=f"an answer, not a {view.kind}")
        row = NodeRow(id_, view.kind, view.namespace, view.key, "", "", None, {}, asked=self._tx.graph.asked(id_))
        return row, view.attributes

    def _point(self, dependent: str, pointer: Pointer) -> None:
        if dependent in self._drafts:
            self._drafts[dependent].inputs.append(pointer)
        else:
            self._laid.setdefault(dependent, []).append(pointer)

    # citations

    def _citations(self, by_type: Mapping[type, list[tuple[object, Any]]]) -> list[tuple[object, str, Citation]]:
        found = []
        for item, form in by_type.get(Citation, []):
            claim = self._claim(form.claim, item)
            found.append((item, claim, form))
            if form.target is not None:
                self._point(claim, Pointer(ROLE[Role.CITES], 1, form.target, item))
        return found

    def _claim(self, ref: str | ClaimRef, item: object) -> str:
        if isinstance(ref, str):
            if ref not in self._drafts:
                self._view(ref, item, "claim")
            return ref
        answer, _ = self._answer(ref.answer, item)
        if ref.ordinal is None and ref.label is None:
            raise BadInput(item, "claim", found=None, expected="an ordinal or a label")
        if ref.ordinal is not None:
            mine = self._names.get((Kind.CLAIM.value, answer.namespace, _claim_key(answer.key, ref.ordinal)), set())
        else:
            mine = self._labels.get((answer.namespace, answer.key, ref.label or ""), set())
        for id_ in sorted(mine):
            return id_
        ids = self._tx.graph.inputs_of([answer.id], ROLE[Role.CLAIM]).get(answer.id, [])
        for id_, view in sorted(self._tx.reading.views(ids).items()):
            by_ordinal = ref.ordinal is not None and view.key == _claim_key(answer.key, ref.ordinal)
            if by_ordinal or (ref.ordinal is None and view.label == ref.label):
                return id_
        raise BadInput(
            item, "claim", found=ref.ordinal if ref.ordinal is not None else ref.label, expected="a claim of the answer"
        )

    def _citation_rows(self, citations: Sequence[tuple[object, str, Citation]]) -> list[CitationRow]:
        rows: list[CitationRow] = []
        met: dict[tuple[str, str], str] = {}
        for item, claim, form in sorted(citations, key=lambda each: (each[1], each[2].order)):
            target, version = (None, None) if form.target is None else self._target(form.target, item)
            self._check_passage(form, target, item)
            shown = form.marker if form.marker is not None else "(no marker)"
            if target is None:
                self._find("unknown_marker", self._place(claim, form.order), f"{shown} points to nothing")
            elif (claim, target) in met:
                what = f"{shown} cites what {met[claim, target]} cites"
                self._find("duplicate_citation", self._place(claim, form.order), what)
            else:
                met[claim, target] = shown
            whole = form.whole or (isinstance(form.target, SpanRef) and form.target.start is None)
            rows.append(
                CitationRow(
                    claim, form.order, form.marker, form.marker_start, form.marker_end, target, version, form.start,
                    form.end, whole,
                )
            )  # fmt: skip
        return rows

    def _check_passage(self, form: Citation, target: str | None, item: object) -> None:
        if form.start is None and form.end is None and form.quote is None:
            return
        if target is None:
            raise BadInput(item, "start, end, quote", found=form.quote, expected="a target that they are a passage of")
        text = self._drafts[target].row.text if target in self._drafts else self._view(target, item, "target").text
        if text is None:
            raise BadInput(item, "start, end", found=[form.start, form.end], expected="a derived target with a text")
        start, end = form.start or 0, len(text) if form.end is None else form.end
        if not 0 <= start < end <= len(text):
            raise BadInput(item, "start, end", found=[start, end], expected=f"0 <= start < end <= {len(text)}")
        if form.quote is not None and text[start:end] != form.quote:
            raise BadInput(
                item, "quote", found=form.quote, expected=f"the target's [{start}, {end}): {text[start:end]!r}"
            )

    def _unretrieved(self, citations: Sequence[CitationRow], edges: Mapping[str, Edges]) -> None:
        """What was cited though it was not in the answer's context, where the context is known."""
        by_claim: dict[str, list[CitationRow]] = {}
        for row in citations:
            by_claim.setdefault(row.claim, []).append(row)
        for answer, inputs in edges.items():
            context = {dst for role, dst in inputs if role == ROLE[Role.RETRIEVED]}
            if not context:
                continue
            claims = sorted(dst for role, dst in inputs if role == ROLE[Role.CLAIM] and dst in by_claim)
            for row in (row for claim in claims for row in by_claim[claim]):
                if row.target is not None and row.target not in context:
                    shown = row.marker if row.marker is not None else "(no marker)"
                    self._find(
                        "cited_not_retrieved",
                        self._place(row.claim, row.order),
                        f"{shown} was not in the context of {self._label(answer)}",
                    )

    def _label(self, id_: str) -> str:
        if id_ in self._drafts:
            row = self._drafts[id_].row
            return name_text(row.kind, row.namespace, row.key, row.claim.label if row.claim else None)
        view = self._views.get(id_)
        return id_ if view is None else name_text(view.kind, view.namespace, view.key, view.label)

    def _place(self, claim: str, order: int) -> str:
        return f"{self._label(claim)} [{order}]"

    def _find(self, kind: str, where: str, what: str) -> None:
        self._result.findings.append(Finding(kind, where, what))

    # references

    def _look_up(self) -> None:
        """Asks the store, once, for all that the batch refers to and does not hold."""
        named: dict[tuple[str, str, Key], Pointer] = {}
        ids: set[str] = set()
        for pointers_ in (*(draft.inputs for draft in self._drafts.values()), *self._laid.values()):
            for pointer in pointers_:
                ref = pointer.ref
                if isinstance(ref, NodeRef):
                    named.setdefault((ref.kind, ref.namespace, ref.key), pointer)
                elif isinstance(ref, (str, SpanById)):
                    id_ = ref if isinstance(ref, str) else ref.id
                    if id_ not in self._drafts:
                        ids.add(id_)
        names = {name_of(pointer.ref, pointer.item) for pointer in named.values() if isinstance(pointer.ref, NodeRef)}
        self._stored_names.update(self._tx.graph.named(names.difference(self._names)))
        self._stored_kinds.update(self._tx.graph.kinds(ids))
        spans = [id_ for id_ in ids if self._stored_kinds.get(id_) == Kind.SPAN]
        self._span_rows = self._tx.sources.spans(spans)

    def _target(self, ref: Ref, item: object) -> tuple[str, int | None]:
        """The node that a reference means, and for a span the version that was read."""
        if isinstance(ref, str):
            if ref in self._drafts:
                return ref, None
            return self._stored(ref, None, item)
        if isinstance(ref, NodeRef):
            said = (ref.kind, ref.namespace, ref.key)
            id_ = self._read.get(said)
            if id_ is None:
                id_ = self._read[said] = self._by_name(name_of(ref, item), item, "ref")
            return id_, None
        if isinstance(ref, SpanRef):
            read = self._spans.resolve(ref, item)
            return read.id, read.version
        return self._stored(ref.id, ref.version, item)

    def _stored(self, id_: str, version: int | None, item: object) -> tuple[str, int | None]:
        if id_ not in self._stored_kinds:
            self._stored_kinds.update(self._tx.graph.kinds([id_]))
        kind = self._stored_kinds.get(id_)
        if kind is None and id_ in self._spans.rows:
            row = self._spans.rows[id_]
        elif kind is None:
            raise BadInput(item, "ref", found=id_, expected="the id of a node in this batch or in the store")
        elif kind != Kind.SPAN:
            return id_, None
        else:
            row = self._tx.sources.spans([id_])[id_] if id_ not in self._span_rows else self._span_rows[id_]
        read = self._spans.by_id(id_, row, version, item)
        return read.id, read.version

    def _by_name(self, name: Name, item: object, field: str) -> str:
        mine = self._names.get(name)
        if mine is not None:
            if len(mine) > 1:
                raise BadInput(
                    item, field, found=_shown(name), expected="a key with one text in this batch (name the node by id)"
                )
            return next(iter(mine))
        if name not in self._stored_names:
            self._stored_names.update(self._tx.graph.named([name]))
        found = self._stored_names.get(name)
        if found is None:
            expected = (
                "a key that names a current node (it is retired)"
                if name in self._stored_names
                else ("a node in this batch or in the store")
            )
            raise BadInput(item, field, found=_shown(name), expected=expected)
        return found

    def _view(self, id_: str, item: object, field: str) -> NodeView:
        if id_ not in self._views:
            self._views.update(self._tx.reading.views([id_]))
        if id_ not in self._views:
            raise BadInput(item, field, found=id_, expected="the id of a node in this batch or in the store")
        return self._views[id_]

    def _edges(self, inputs: Sequence[Pointer]) -> Edges:
        edges: Edges = {}
        for pointer in inputs:
            target, version = self._target(pointer.ref, pointer.item)
            key = (pointer.role, target)
            before = edges.get(key)
            if before is None:
                edges[key] = Edge(pointer.origins, version)
            else:
                read = min((v for v in (before.version, version) if v is not None), default=None)
                edges[key] = Edge(before.origins | pointer.origins, read)
        return edges

    # writing

    def _write(self, citations: Sequence[tuple[object, str, Citation]]) -> None:
        tx, run = self._tx, self._run
        idle = not tx.spread.pending()
        for draft in self._drafts.values():
            draft.row.edges = self._edges(draft.inputs)
        laid = {id_: self._edges(inputs) for id_, inputs in self._laid.items()}
        citation_rows = self._citation_rows(citations)
        spans = tx.sources.add_spans(list(self._spans.rows.values()))
        self._count(self._result.written, Kind.SPAN.value, len(spans))
        self._count(self._result.existed, Kind.SPAN.value, len(self._spans.rows) - len(spans))
        tx.marks.put_seeds(late_seeds(tx, self._chains, spans), [], fresh=True)

        rows = [draft.row for draft in self._drafts.values()]
        known = tx.graph.existing([row.id for row in rows])
        for row in rows:
            if row.id not in known and row.id in laid:
                row.edges = united(row.edges, laid_over(laid.pop(row.id), run))
        try:
            order = levels({row.id: [dst for _, dst in row.edges] for row in rows})
        except Cycle as cycle:
            raise BadInput(
                self._label(cycle.path[0]),
                "inputs",
                found=" → ".join(self._label(id_) for id_ in cycle.path),
                expected="inputs that do not stand on their dependent",
            ) from None
        again = [row for row in rows if row.id in known]
        held = tx.graph.derivations([row.id for row in again])
        new = tx.graph.insert(rows, known, run)
        self._result.aliases += tx.graph.put_aliases(rows)
        outcomes = self._rederive(again, held)
        outcomes += self._extend(laid)
        for row in rows:
            (self._result.written if row.id in new else self._result.existed)[row.kind] += 1
            if row.id in new:
                self._result.edges += len(row.edges)
        self._result.derived += sum(1 for outcome in outcomes if outcome.action in ("replace", "extend", "unite"))
        self._replace()
        if citation_rows:
            tx.graph.put_citations(citation_rows, run)
            self._unretrieved(citation_rows, {**{row.id: row.edges for row in rows if row.kind == Kind.ANSWER}, **laid})
        tx.graph.put_findings(((f.kind, f.where, f.what) for f in self._result.findings), run)
        self._derive_from(rows, laid)
        changed = [outcome.node for outcome in outcomes if outcome.action != "past"]
        tx.purge.new([changed, *([id_ for id_ in level if id_ in new] for level in order)])
        tx.spread.settle([[id_ for id_ in level if id_ in new] for level in order], idle)
        # Also where only the begin moved: a run that began later may have read an earlier version.
        tx.marks.recheck(changed)

    def _rederive(self, rows: Sequence[NodeRow], held: Mapping[str, Derivation]) -> list[Outcome]:
        """Gives nodes that exist another derivation, where it is one."""
        found = (rederive(r.id, held[r.id], self._run, r.edges, r.lineage, r.reason, self._touched) for r in rows)
        return self._apply([outcome for outcome in found if outcome is not None], held)

    def _extend(self, laid: Mapping[str, Edges]) -> list[Outcome]:
        """Lays inputs over derivations that exist."""
        held = self._tx.graph.derivations(laid)
        found = (extend(id_, held[id_], self._run, edges) for id_, edges in laid.items())
        return self._apply([outcome for outcome in found if outcome is not None], held)

    def _apply(self, outcomes: list[Outcome], held: Mapping[str, Derivation]) -> list[Outcome]:
        if not outcomes:
            return outcomes
        self._tx.graph.apply(outcomes, self._tx.next_seq())
        added = [
            (outcome.node, dst)
            for outcome in outcomes
            if outcome.action != "past"
            for role, dst in outcome.edges
            if (role, dst) not in held[outcome.node].edges
        ]
        path = self._tx.graph.cycle(added)
        if path is not None:
            raise BadInput(
                self._label(path[0]),
                "inputs",
                found=" → ".join(self._label(id_) for id_ in path),
                expected="inputs that do not stand on their dependent",
            )
        return outcomes

    def _touched(self, span: str, before: int, now: int) -> bool:
        row = self._spans.rows.get(span) or self._tx.sources.spans([span])[span]
        return touched(self._chains, row, before, now)

    def _replace(self) -> None:
        names = [
            (draft.row.kind, draft.row.namespace, old)
            for draft in self._drafts.values()
            for old in draft.replaces
            if old != draft.row.key
        ]
        unknown = self._tx.graph.retire(names, self._run)
        if unknown:
            raise BadInput(_shown(unknown[0]), "replaces", found=unknown[0][2], expected="a key that the store knows")

    def _derive_from(self, rows: Sequence[NodeRow], laid: Mapping[str, Edges]) -> None:
        """Notes which documents, and which other namespaces, each namespace derives from."""
        uris: dict[str, set[str]] = {}
        others: dict[str, set[str]] = {}
        read: dict[str, set[str]] = {}
        for row in rows:
            read.setdefault(row.namespace, set()).update(dst for _, dst in row.edges)
        self._views.update(self._tx.reading.views([id_ for id_ in laid if id_ not in self._views]))
        for id_, edges in laid.items():
            read.setdefault(self._views[id_].namespace, set()).update(dst for _, dst in edges)
        for space, dsts in read.items():
            for dst in dsts:
                span = self._spans.rows.get(dst) or self._span_rows.get(dst)
                if span is not None:
                    uris.setdefault(space, set()).add(span.uri)
                elif dst not in self._drafts or self._drafts[dst].row.namespace != space:
                    others.setdefault(space, set()).add(dst)
        for namespace, found in uris.items():
            self._tx.sources.derive_from(namespace, found, self._run.begin)
        for namespace, ids in others.items():
            self._tx.graph.derive_from(namespace, ids)

    @staticmethod
    def _count(counter: Counter[str], kind: str, count: int) -> None:
        if count:
            counter[kind] += count


def _documents(by_type: Mapping[type, Sequence[tuple[object, Any]]]) -> set[str]:
    """The documents of which the batch may add spans, or says something."""
    refs: list[Any] = [form for type_ in (Document, Version, Span) for _, form in by_type.get(type_, ())]
    refs += [each.ref for type_ in (Node, Extend) for _, form in by_type.get(type_, ()) for each in form.inputs]
    refs += [each.ref for _, form in by_type.get(Claim, ()) for each in form.qualifiers]
    refs += [form.target for type_ in (Citation, Retrieved) for _, form in by_type.get(type_, ())]
    refs += [form.node for _, form in by_type.get(Extend, ())]
    return {ref.uri for ref in refs if isinstance(ref, (SpanRef, Document, Version))}


def _claim_key(answer: str, ordinal: int) -> str:
    return key_text((answer, str(ordinal)))


def _attributes(row: NodeRow) -> Mapping[str, Any]:
    return {} if row.attributes is None else json.loads(row.attributes)


def _shown(name: Name) -> str:
    return f"{name[0]}:{name[1]}/{name[2]}"
