"""The front door: one object over a store, with an operation for each thing that users do."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from lineage import correct as correcting
from lineage.chains import Chains
from lineage.check import Check, check, plainly_fresh
from lineage.cited import AnswerMaterial, Material, answer_materials, under
from lineage.decide import dismiss, reverified
from lineage.doctor import Doctor, doctor
from lineage.dump import Dumped, Loaded, dump, load
from lineage.history import History, history
from lineage.judgments import Judgments
from lineage.rebuild import Plan, plan
from lineage.refs import named_answers, resolve
from lineage.register import Registered, register
from lineage.register.drafts import Item
from lineage.register.forms import parse
from lineage.report import Affected, CorrectionView, affected, corrections
from lineage.reverify import StaleClaim, stale_claims
from lineage.runs import RunHandle, begin
from lineage.stores.base import Decision, NodeView, RunState, Step, Store, Transaction
from lineage.trace import Trace, impact, trace
from lineage.urls import open_store
from lineage.verify import Verification, verify
from lineage_schema.errors import BadInput, Conflict, NotFound
from lineage_schema.identity import run_id
from lineage_schema.records import Answer, Document, Finish, Record, Run
from lineage_schema.vocabulary import ChangeKind, RunMode

if TYPE_CHECKING:
    from lineage.exporters.neo4j_csv import Written

T = TypeVar("T")
DEFAULT_PRODUCER = "lineage"
LARGE = 1000
"""Records in a batch from which the garbage collector is in the way."""


def now() -> int:
    """The time in UTC microseconds."""
    return time.time_ns() // 1000


@dataclass(frozen=True, slots=True)
class Corrected:
    """What a correction did: its id (None where nothing differed), and for a dry run the report."""

    id: str | None
    report: Affected | None


class LineageGraph:
    """A lineage graph in a store. Open it with :meth:`open`, as a context manager.

    All that is read for users goes through :meth:`_read`, all that changes or adds through :meth:`_write` and
    :meth:`_add`: the places where access is decided.
    """

    def __init__(self, store: Store, url: str = "") -> None:
        self.store = store
        self.url = url

    @classmethod
    def open(
        cls,
        url: str,
        *,
        create: bool = False,
        read_only: bool = False,
        filling: bool = False,
        clock: Callable[[], int] = now,
    ) -> LineageGraph:
        """Opens the store at ``url``; ``create`` makes it where there is none.

        ``filling``: a store whose load was cut is emptied and opened, to be loaded again, instead of refused.

        Raises :class:`StoreUnavailable`, :class:`SchemaMismatch` and :class:`BadInput`.
        """
        return cls(open_store(url, clock, create=create, read_only=read_only, filling=filling), url)

    def close(self) -> None:
        """Closes the store."""
        self.store.close()

    def __enter__(self) -> LineageGraph:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self, work: Callable[[Transaction], T]) -> T:
        return self.store.read(work)

    def _write(self, work: Callable[[Transaction], T]) -> T:
        return self.store.write(work)

    def _add(self, work: Callable[[Transaction], T], numbers: int = 0) -> T:
        return self.store.add(work, numbers)

    # registering

    def run(
        self,
        namespace: str,
        *,
        producer: str,
        key: str | None = None,
        version: str | None = None,
        model: str | None = None,
        config_hash: str | None = None,
        prompt_hash: str | None = None,
        mode: RunMode | str = RunMode.DERIVED,
        rebuilt: bool = False,
    ) -> RunHandle:
        """Begins a run. It must begin before it reads: what it reads without a version is what held then."""
        form = Run(
            namespace=namespace,
            producer=producer,
            key=key,
            version=version,
            model=model,
            config_hash=config_hash,
            prompt_hash=prompt_hash,
            mode=RunMode(mode),
            rebuilt=rebuilt,
        )
        return self.begin(form)

    def begin(self, form: Run) -> RunHandle:
        """Begins the run that a recorded form describes, or finds the one of its key."""
        return RunHandle(self, self._write(lambda tx: begin(tx, form)[0]))

    def register(
        self,
        records: Iterable[Record | Mapping[str, Any]],
        *,
        run: RunHandle | None = None,
        items: Sequence[str] | None = None,
    ) -> Registered:
        """Registers a batch: all of it, or none, in any order within it, once however often it is sent.

        Without ``run`` the batch's own ``run`` record is meant, or one begins here. ``items`` names
        the records in errors (a file's lines). Raises :class:`BadInput` and :class:`Conflict`.
        """
        listed = list(records)
        with _collector_at_rest(len(listed)):
            return self._register(listed, run, items)

    def _register(
        self, records: list[Record | Mapping[str, Any]], run: RunHandle | None, items: Sequence[str] | None
    ) -> Registered:
        # All that a batch makes is gone when this returns: the collector need not look at it.
        forms = parse(records)
        names = items if items is not None else [Item(number, form) for number, form in enumerate(forms, 1)]
        return self._add(lambda tx: _register(tx, forms, names, None if run is None else run.state), _numbers(forms))

    def finish(self, run: RunHandle | str, *, complete: bool = False) -> None:
        """Ends a run; ``complete`` retires keys that it did not name, of the kinds that it named."""
        if isinstance(run, str):
            id_ = run
            state = self._read(lambda tx: tx.graph.run(id_))
            if state is None:
                raise NotFound(f"no run {run}")
            run = RunHandle(self, state)
        self.register([Finish(complete=complete)], run=run)

    def keep_findings(self, run: RunHandle, findings: Iterable[tuple[str, str, str]]) -> None:
        """Keeps findings (kind, where, what) beside a run; what is kept already is kept once."""
        listed = list(findings)
        self._add(lambda tx: tx.graph.put_findings(listed, run.state))

    def versions_with_hash(self, sha256: str) -> list[tuple[str, int, int]]:
        """(uri, edition, version) of all versions with that text, the latest last."""
        return self._read(lambda tx: tx.sources.versions_with_hash(sha256))

    # reading

    def text(self, uri: str) -> str:
        """The current text of a document's latest edition. Raises :class:`NotFound` where it has none."""

        def work(tx: Transaction) -> str:
            chains = Chains(tx)
            document = chains.document(uri)
            if document is None:
                raise NotFound(f"no document {uri}", hint="lineage add registers one")
            latest = document.latest
            text = chains.text(chains.version(uri, latest.edition, latest.current))
            if text is None:
                raise NotFound(f"{uri} was withdrawn: it has no current text")
            return text.text

        return self._read(work)

    def holds_documents(self) -> bool:
        """Whether any document was registered."""
        return bool(self._read(lambda tx: tx.sources.uris(limit=1)))

    def pending(self) -> int:
        """How many marks are unexpanded or to be read again."""
        return self._read(lambda tx: tx.spread.amount())

    def resolve(self, ref: str) -> str:
        """The id that a node argument means. Raises :class:`NotFound` and :class:`Ambiguous`."""
        return self._read(lambda tx: resolve(tx, ref))

    def node(self, ref: str) -> NodeView:
        """A node as readers see it."""

        def work(tx: Transaction) -> NodeView:
            id_ = resolve(tx, ref)
            return tx.reading.views([id_])[id_]

        return self._read(work)

    def history(self, ref: str) -> History:
        """What happened to a node, or to a document by its uri."""
        return self._read(lambda tx: history(tx, ref))

    def doctor(self) -> Doctor:
        """The state of the store and of pending work."""
        return self._read(lambda tx: doctor(tx, self.url))

    def verify(self, on_progress: Callable[[int, int], None] | None = None) -> Verification:
        """Re-derives ids, hashes, slices, anchors, names and marks, and lists what disagrees."""
        return self._read(lambda tx: verify(tx, on_progress))

    def dump(self, path: Path, on_progress: Callable[[int, int], None] | None = None) -> Dumped:
        """Writes the whole store, with its history, to a file of JSON Lines: the same bytes from every store."""
        return dump(self.store, path, on_progress)

    def export_neo4j_csv(self, folder: Path, on_progress: Callable[[int, int], None] | None = None) -> Written:
        """Writes the whole store as files for Neo4j's import tool, into a new or empty folder."""
        # Loaded here: whoever does not export need not wait for a driver.
        from lineage.exporters import neo4j_csv

        return neo4j_csv.export(self.store, folder, on_progress)

    def load(self, lines: Iterable[bytes], on_progress: Callable[[int, int], None] | None = None) -> Loaded:
        """Fills the store, which must be empty, from a dump's lines: with all of them, or none.

        Raises :class:`Conflict` where it is not empty, and :class:`BadInput` with the number of the line.
        """
        return load(self.store, lines, on_progress)

    def find(self, text: str, *, kind: str | None = None, limit: int = 50) -> list[NodeView]:
        """Nodes whose text, title, key or alias contains ``text``, in the order kind, namespace, key, id."""

        def work(tx: Transaction) -> list[NodeView]:
            ids = tx.reading.search(text, kind, limit)
            views = tx.reading.views(ids)
            return [views[id_] for id_ in ids]

        return self._read(work)

    def trace(self, ref: str, *, limit: int | None = None, as_of: int | None = None) -> Trace:
        """Down from a node to exact source characters. ``as_of`` is a sequence number."""
        return self._read(lambda tx: trace(tx, ref, limit=limit, as_of=as_of))

    def impact(self, ref: str, *, limit: int | None = None, as_of: int | None = None) -> Trace:
        """All that rests on a node, or on any span of a document. It writes nothing.

        A document's impact is that of all its spans; what a correction of it would reach, a dry
        run of :meth:`correct` tells.
        """
        return self._read(lambda tx: impact(tx, ref, limit=limit, as_of=as_of))

    def sequence_at(self, at: int) -> int:
        """The last sequence number given at or before a time (UTC microseconds)."""
        return self._read(lambda tx: tx.reading.sequence_at(at))

    @property
    def judgments(self) -> Judgments:
        """What judges said of statements and passages."""
        return Judgments(_Access(self._read, self._write))

    def answers(self, *refs: str, namespace: str | None = None) -> list[str]:
        """The ids of the answers that arguments mean (keys, cache keys or ids); without any, all current ones.

        ``namespace`` keeps to one where all are meant. Raises :class:`NotFound`, and :class:`BadInput` for what is no
        answer. A cache key may mean several.
        """
        if not refs:
            return self._read(lambda tx: tx.reading.answers(namespace))
        return self._read(lambda tx: list(dict.fromkeys(id_ for ref in refs for id_ in named_answers(tx, ref))))

    def cited(self, answers: Sequence[str]) -> list[AnswerMaterial]:
        """What answers (ids) cite and had in their context, loaded to exact texts."""
        return self._read(lambda tx: answer_materials(tx, answers))

    def spans_under(self, nodes: Sequence[str]) -> dict[str, list[Material]]:
        """The spans under derived nodes (ids), in the order of their documents and places."""
        return self._read(lambda tx: under(tx, nodes))

    def check(self, ref: str) -> Check:
        """May the answer (key, cache key or id) be served?"""
        quick: Check | None = self.store.peek(lambda tx: plainly_fresh(tx, ref))
        return self._read(lambda tx: check(tx, ref)) if quick is None else quick

    def affected(
        self, correction: str = "last", *, limit: int | None = None, after: str | None = None, all: bool = False
    ) -> Affected:
        """Which answers a correction reached and why. ``all`` also reports answers that were asked again since."""

        def work(tx: Transaction) -> Affected:
            (cause,) = tx.marks.causes([_correction(tx, correction)])
            return affected(tx, cause, limit=limit, after=after, replaced=all)

        return self._read(work)

    def corrections(self) -> list[CorrectionView]:
        """All corrections with their state, in order."""
        return self._read(corrections)

    def plan(self, correction: str | None = None) -> Plan:
        """What to rebuild, level by level, for all corrections or for one."""
        return self._read(lambda tx: plan(tx, None if correction is None else _correction(tx, correction)))

    # correcting

    def correct(
        self,
        texts: Mapping[str, str],
        *,
        reason: str,
        by: str | None = None,
        kind: ChangeKind | str = ChangeKind.CORRECT,
        valid_from: str | None = None,
        force: bool = False,
        propagate: bool = True,
        dry_run: bool = False,
    ) -> Corrected:
        """Corrects documents to new texts, as one correction.

        ``kind`` ``edition`` adds later texts with their own validity. ``propagate`` False leaves
        the propagation to :meth:`propagate`; from the commit on no affected answer is fresh either
        way. ``dry_run`` writes nothing, holds no write lock, and gives the report.
        """
        kind = ChangeKind(kind)
        if kind is ChangeKind.WITHDRAW:
            raise BadInput(
                "correction", "kind", found=kind.value, expected="correct or edition (withdraw is its own call)"
            )
        if kind is ChangeKind.EDITION and valid_from is None:
            raise BadInput("correction", "valid_from", found=None, expected="the date from which the edition holds")
        return self._correct(
            lambda tx: correcting.prepare(
                tx, texts, kind=kind, reason=reason, by=by, valid_from=valid_from, force=force
            ),
            propagate=propagate,
            dry_run=dry_run,
        )

    def withdraw(
        self,
        uris: Sequence[str],
        *,
        reason: str,
        by: str | None = None,
        propagate: bool = True,
        dry_run: bool = False,
        purge: bool = False,
    ) -> Corrected:
        """Withdraws documents without a replacement.

        ``purge`` also removes the texts of all versions of the edition, and of every node that was
        read from nothing else, once all marks are in; ids, hashes and edges stay as a tombstone.
        Asked again after a crash it goes on where it was.
        """
        if purge and not propagate:
            raise BadInput(
                "withdrawal", "purge", found=True, expected="propagation: text goes only after all marks are in"
            )
        texts: dict[str, str | None] = dict.fromkeys(uris)
        done = self._correct(
            lambda tx: correcting.prepare(tx, texts, kind=ChangeKind.WITHDRAW, reason=reason, by=by),
            propagate=propagate,
            dry_run=dry_run,
        )
        if purge and not dry_run:
            self.propagate()
            self._write(lambda tx: correcting.purge(tx, uris))
        return done

    def undo(
        self, correction: str, *, by: str | None = None, propagate: bool = True, dry_run: bool = False
    ) -> Corrected:
        """A correction back to the texts before ``correction``."""
        return self._correct(
            lambda tx: correcting.undoing(tx, _correction(tx, correction), by), propagate=propagate, dry_run=dry_run
        )

    def _correct(
        self, preparing: Callable[[Transaction], correcting.Correction], *, propagate: bool, dry_run: bool
    ) -> Corrected:
        prepared = self._read(preparing)
        if dry_run:
            return self.store.simulate(lambda tx: _rehearse(tx, prepared))
        id_ = self._write(lambda tx: correcting.commit(tx, prepared))
        if propagate:
            self.propagate()
        return Corrected(id_, None)

    def propagate(
        self, *, steps: int | None = None, batch: int | None = None, on_step: Callable[[Step], None] | None = None
    ) -> int:
        """Runs or resumes what is pending; returns the number of steps made. ``steps`` bounds them."""
        made = 0
        while steps is None or made < steps:
            step: Step = self._write(lambda tx: tx.spread.step() if batch is None else tx.spread.step(batch))
            if on_step is not None:
                on_step(step)
            made += bool(step.expanded or step.marked or step.closed or step.pending)
            if not step.pending:
                break
        return made

    def dismiss(self, ref: str, *, reason: str, by: str | None = None, correction: str | None = None) -> Decision:
        """A person's word that a correction does not affect a node as it was made.

        ``correction`` may also be the run that replaced what a node cites, or ``incomplete``.
        """
        decision: Decision = self._write(
            lambda tx: dismiss(
                tx,
                resolve(tx, ref, answers=True),
                None if correction is None else _cause(tx, correction),
                reason=reason,
                by=by,
            )
        )
        return decision

    def stale_claims(self, correction: str | None = None) -> list[StaleClaim]:
        """The current claims that are invalid by a correction, or by any, with what their citations say now."""
        return self._read(lambda tx: stale_claims(tx, None if correction is None else _correction(tx, correction)))

    def reverified(self, claim: str, correction: str, *, reason: str, by: str | None = None) -> Decision:
        """A judgment on the new text supports a claim (by its id) that a correction affects."""
        decision: Decision = self._write(lambda tx: reverified(tx, claim, correction, reason=reason, by=by))
        return decision


@dataclass(frozen=True, slots=True)
class _Access:
    read: Callable[..., Any]
    write: Callable[..., Any]


@contextmanager
def _collector_at_rest(size: int) -> Generator[None]:
    """A large batch makes many objects that live until its end: collecting cycles among them finds none, slowly."""
    if size < LARGE or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _register(tx: Transaction, forms: Sequence[Record], items: Sequence[object], run: RunState | None) -> Registered:
    """Registers forms run by run: a record without a run belongs to the batch's own."""
    runs: dict[str, RunState] = {}
    own: RunState | None = run
    for form in forms:
        if isinstance(form, Run):
            state, _ = begin(tx, form)
            runs[state.key] = state
            own = own or state
    by_run: dict[str, tuple[RunState, list[tuple[object, Record]]]] = {}
    for item, form in zip(items, forms, strict=True):
        if isinstance(form, Run):
            continue
        key = getattr(form, "run", None)
        if key is not None:
            state = runs.get(key) or _named_run(tx, key, form, item)
        elif own is None:
            namespace = next((ns for each in forms if (ns := getattr(each, "namespace", None))), "default")
            own, _ = begin(tx, Run(namespace=namespace, producer=DEFAULT_PRODUCER))
            state = own
        else:
            state = own
        by_run.setdefault(state.id, (state, []))[1].append((item, form))
    result = Registered(own.id if own is not None else "")
    here = own is not None and run is None and own.key not in runs
    for state, listed in sorted(by_run.values(), key=lambda each: each[0].begin):
        result.run = result.run or state.id
        result.add(register(tx, state, listed))
    if here and own is not None:
        # A run that began for this batch alone ends with it.
        tx.graph.finish_run(own.id, tx.now(), False)
    return result


def _numbers(forms: Iterable[Record]) -> int:
    """How many numbers a batch may need that only adds: for askings, first versions, what is said of them."""
    return sum(2 if isinstance(form, Document) else isinstance(form, Answer) for form in forms)


def _rehearse(tx: Transaction, prepared: correcting.Correction) -> Corrected:
    """A dry run: everything that a correction does, in a transaction of which nothing remains."""
    id_ = correcting.commit(tx, prepared)
    if id_ is None:
        return Corrected(None, None)
    while tx.spread.step().pending:
        pass
    (cause,) = tx.marks.causes([id_])
    return Corrected(id_, affected(tx, cause))


def _named_run(tx: Transaction, key: str, form: Record, item: object) -> RunState:
    namespace = getattr(form, "namespace", None)
    found = tx.graph.run(key) if key.startswith("r1:") else None
    if found is None and namespace is not None:
        found = tx.graph.run(run_id(namespace, key))
    if found is None:
        matching: list[RunState] = tx.graph.runs_of_key(key)
        if len(matching) > 1:
            raise Conflict(f"{item}: the run key {key!r} is used in several namespaces", hint="name the run by its id")
        found = matching[0] if matching else None
    if found is None:
        raise BadInput(item, "run", found=key, expected="the key of a run that has begun")
    return found


def _cause(tx: Transaction, ref: str) -> str:
    """A cause of marks: a correction, as :func:`_correction` reads it, or another cause by its id."""
    return ref if tx.marks.causes([ref], changes=0) else _correction(tx, ref)


def _correction(tx: Transaction, ref: str) -> str:
    """A correction by its id, a unique prefix of it, or ``last``. Raises :class:`NotFound`."""
    known = [cause.id for cause in tx.marks.causes(type_=0, changes=0)]
    if ref == "last" and known:
        return known[-1]
    digits = ref.removeprefix("c1:")
    found = [id_ for id_ in known if id_ == ref or (len(digits) >= 4 and id_.startswith("c1:" + digits))]
    if len(found) == 1:
        return found[0]
    if found:
        raise Conflict(f"{ref} begins several corrections: {', '.join(found)}", hint="give more digits")
    raise NotFound(f"no correction {ref!r}", hint="lineage corrections lists them")
