"""The operations of a transaction, group by group: sets in, sets out.

Nodes are named by ids, versions by (uri, edition, number); row handles stay inside a store.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from lineage.stores.base import (
    CauseState,
    ChangeRow,
    CitationRow,
    Decision,
    Derivation,
    DocumentState,
    EdgeView,
    EditionKey,
    Kept,
    Name,
    NewVersion,
    NodeRow,
    NodeView,
    Outcome,
    RunState,
    Seed,
    Source,
    SpanRow,
    Step,
    VersionState,
    Walk,
)
from lineage_schema.judgments import Calibration, JudgeId, Judgment, Splitting


class Sources(Protocol):
    """What nodes are derived from: documents, versions, statements, spans."""

    def documents(self, uris: Collection[str]) -> dict[str, DocumentState]:
        """Those of the documents that exist."""
        ...

    def uris(self, *, after: str = "", limit: int) -> list[str]:
        """Document uris in order, a page of them."""
        ...

    def lock(self, uris: Collection[str]) -> None:
        """Takes the write locks of those of the documents that exist, in uri order, until the transaction ends.

        Whoever adds spans of a document or corrects it holds its lock before reading it.
        """
        ...

    def versions(self, editions: Collection[EditionKey]) -> dict[EditionKey, list[VersionState]]:
        """All versions of the editions, by number."""
        ...

    def texts(self, hashes: Collection[str]) -> dict[str, str]:
        """The texts by content hash; a purged or unknown one is left out."""
        ...

    def versions_with_hash(self, sha256: str) -> list[tuple[str, int, int]]:
        """(uri, edition, number) of all versions with that text, the latest last."""
        ...

    def add_document(self, uri: str, title: str | None, url: str | None, media_type: str) -> None:
        """A new document, still without an edition."""
        ...

    def add_versions(self, rows: Sequence[NewVersion], seq: int, at: int) -> None:
        """New versions; each becomes the current one of its edition, which is made where it is new."""
        ...

    def add_statement(self, uri: str, edition: int, number: int, body: str, seq: int, at: int) -> None:
        """A dated statement about a version (canonical JSON of what it says)."""
        ...

    def statements(self, uri: str, edition: int, number: int) -> list[tuple[int, int, str]]:
        """(seq, at, body) of the statements about a version, the oldest first."""
        ...

    def add_spans(self, rows: Sequence[SpanRow]) -> list[SpanRow]:
        """Writes spans and their anchors; returns those that were new."""
        ...

    def add_anchors(self, rows: Iterable[tuple[str, str, int, int, int, int]]) -> None:
        """(span id, uri, edition, version number, start, end): places where spans stand in a new version."""
        ...

    def spans(self, ids: Collection[str]) -> dict[str, SpanRow]:
        """Those of the ids that are spans, with all their anchors."""
        ...

    def anchored(self, uri: str, edition: int, number: int) -> list[tuple[str, int, int]]:
        """(span id, start, end) of all spans that stand in a version, by place."""
        ...

    def of_edition(self, uri: str, edition: int) -> list[str]:
        """The ids of all spans that were registered of an edition."""
        ...

    def derive_from(self, namespace: str, uris: Collection[str], seq: int) -> None:
        """A namespace derives from these documents, first said at ``seq``."""
        ...


class Graph(Protocol):
    """What is derived: runs, keys, nodes, derivations, and what stands beside them."""

    def begin_run(
        self, id_: str, key: str, namespace: str, producer: str, body: str, derived: bool, seq: int, at: int
    ) -> tuple[RunState, bool]:
        """The run of that id, begun at ``seq`` if it is new; and whether it was there already."""
        ...

    def run(self, id_: str) -> RunState | None:
        """A run by its id."""
        ...

    def run_body(self, id_: str) -> str:
        """What a run said of itself, as canonical JSON."""
        ...

    def runs_of_key(self, key: str) -> list[RunState]:
        """The runs of a key in all namespaces, in order of their begin."""
        ...

    def finish_run(self, id_: str, at: int, complete: bool) -> None:
        """The run ended. ``complete``: keys of the kinds that it named and did not name are retired."""
        ...

    def named(self, names: Collection[Name]) -> dict[Name, str | None]:
        """The node that each name names now, None where the key is retired; unknown names are left out."""
        ...

    def retire(self, names: Collection[Name], run: RunState) -> list[Name]:
        """Retires keys as of the run's begin; returns the names that the store does not know."""
        ...

    def derivations(self, ids: Collection[str]) -> dict[str, Derivation]:
        """The current derivations of nodes that exist, with all edges."""
        ...

    def apply(self, outcomes: Sequence[Outcome], seq: int) -> None:
        """Changes derivations of nodes that exist, each as its outcome says."""
        ...

    def cycle(self, edges: Collection[tuple[str, str]]) -> list[str] | None:
        """A path from an input back to its dependent, where one of these (dependent, input) would close one."""
        ...

    def inputs_of(self, ids: Collection[str], role: int) -> dict[str, list[str]]:
        """The current inputs of nodes over one role, by id."""
        ...

    def kinds(self, ids: Collection[str]) -> dict[str, str]:
        """The kinds of those ids that the store has."""
        ...

    def existing(self, ids: Collection[str]) -> set[str]:
        """Those of the ids that the store has."""
        ...

    def insert(self, rows: Sequence[NodeRow], existing: Collection[str], run: RunState) -> set[str]:
        """Writes those of the rows that do not exist, with their edges, and names all; returns the new ids.

        Inputs are in the store, or among the rows.
        """
        ...

    def put_aliases(self, rows: Sequence[NodeRow]) -> int:
        """Native ids of nodes that are in the store; returns how many were new."""
        ...

    def asked_by(self, answers: Collection[str], run: RunState) -> dict[str, int]:
        """The sequence numbers at which a run asked for answers, of those for which it did."""
        ...

    def asked(self, answer: str) -> int:
        """The sequence number at which an answer was asked last."""
        ...

    def derive_from(self, namespace: str, inputs: Collection[str]) -> None:
        """A namespace derives from the namespaces of these nodes, and from the documents of these spans."""
        ...

    def put_citations(self, rows: Sequence[CitationRow], run: RunState) -> None:
        """Citations as printed, of claims that are in the store."""
        ...

    def put_findings(self, findings: Iterable[tuple[str, str, str]], run: RunState) -> None:
        """(kind, where, what) that a run met and kept."""
        ...


class Marks(Protocol):
    """Where marks begin, and what people said of them: causes, seeds, decisions."""

    def add_correction(
        self, id_: str, changes: Sequence[ChangeRow], reason: str, by: str | None, seq: int, at: int
    ) -> None:
        """A new correction. Its versions are in the store."""
        ...

    def causes(
        self, ids: Collection[str] | None = None, *, type_: int | None = None, changes: int = -1
    ) -> list[CauseState]:
        """Causes by id (all of a type without ids), in the order of the sequence.

        ``changes`` bounds how many of each one's documents are read; ``total`` counts all, where any are.
        """
        ...

    def corrections_of(self, uri: str, edition: int) -> list[tuple[str, ChangeRow]]:
        """(correction, change) of all corrections whose source lies in an edition, in order."""
        ...

    def seeds(self, spans: Collection[str]) -> dict[str, list[Seed]]:
        """What corrections seed at spans."""
        ...

    def seeded(self, uri: str, edition: int) -> list[str]:
        """The spans of an edition that some correction seeds."""
        ...

    def put_seeds(self, add: Sequence[Seed], drop: Sequence[Seed], *, fresh: bool = False) -> None:
        """Writes and removes seeds of spans, and lets the spans' marks follow.

        ``fresh``: the spans are new in this transaction, and nothing depends on them yet.
        """
        ...

    def sources(self, nodes: Collection[str]) -> dict[str, Source]:
        """What causes of every type seed at nodes, by cause in the order of the sequence."""
        ...

    def scope_excludes(self, cause: str, node: str) -> bool:
        """Whether an edition's correction does not pass to a node by the node's own scope."""
        ...

    def decide(self, decision: Decision, seq: int, at: int) -> None:
        """Records a decision and lets the node's mark follow it."""
        ...

    def decisions(self, nodes: Collection[str]) -> dict[tuple[str, str], Decision]:
        """The standing candidates: the last decision of each (cause, node) about the current derivation."""
        ...

    def recheck(self, nodes: Collection[str]) -> None:
        """Reads again all marks that nodes have or that their inputs could pass: their derivations changed."""
        ...

    def restate(self, uri: str, edition: int, number: int) -> None:
        """A version's validity was said anew: what an edition's correction passes to answers is read again."""
        ...

    def amount(self, cause: str) -> int:
        """How many marks of a cause are unexpanded or to be read again."""
        ...

    def state(self, cause: str) -> tuple[bool, bool, int | None]:
        """(pending, open on a current node, the sequence at which its last mark closed) of a cause."""
        ...


class Spread(Protocol):
    """Keeping marks true: settling, spreading, clearing."""

    def pending(self) -> bool:
        """Whether work is pending. A query, never a stored flag."""
        ...

    def amount(self) -> int:
        """How many marks are unexpanded or to be read again."""
        ...

    def step(self, batch: int = 20000) -> Step:
        """A piece of pending work, about ``batch`` marks: what is to be settled, to be read again, then invalid marks.

        Where writers come one after the other, a step goes on to the next level while its batch has room.
        """
        ...

    def unsettled(self, ids: Collection[str]) -> set[str]:
        """Those of new nodes that have not yet read their inputs' marks: their own marks say nothing so far."""
        ...

    def recheck_all(self) -> None:
        """Reads again all that is to be read again, within this transaction."""
        ...

    def settle(self, levels: Iterable[Collection[str]], idle: bool) -> None:
        """Gives nodes that are new in this transaction what passes from their inputs, in topological order.

        ``idle``: no work was pending when the transaction began.
        """
        ...


class Purge(Protocol):
    """Removing texts that must not be kept."""

    def edition(self, uri: str, edition: int) -> None:
        """Purges all versions of an edition and all nodes all of whose spans are purged."""
        ...

    def new(self, levels: Collection[Collection[str]]) -> None:
        """Purges those of nodes with new inputs, in topological order, that stand on purged spans alone.

        Nodes above them that were there before follow.
        """
        ...


class Judgments(Protocol):
    """What judges said: verdicts, how well judges do, and scores made of verdicts; what claims were split into.

    All of it only grows; a purge takes texts.
    """

    def put(self, rows: Sequence[Judgment], seq: int, at: int) -> Kept:
        """Keeps verdicts. One that is there already is kept once; one that differs is kept beside the others."""
        ...

    def find(self, keys: Collection[str]) -> dict[str, list[Judgment]]:
        """All verdicts under keys, in the order in which they came; unknown keys are left out."""
        ...

    def of_statements(self, statements: Collection[str]) -> dict[str, list[Judgment]]:
        """All verdicts on statements, by the statement's text, by key and number."""
        ...

    def keys(self, *, after: str = "", limit: int) -> list[str]:
        """Judgment keys in order, a page of them."""
        ...

    def conflicts(self) -> list[str]:
        """Keys whose verdicts differ and of which none was chosen, in order."""
        ...

    def judges(self) -> list[tuple[JudgeId, int]]:
        """Who gave verdicts, and how many, by name, version and configuration."""
        ...

    def choose(self, key: str, number: int, reason: str, by: str | None, seq: int, at: int) -> None:
        """A person decides which of a key's verdicts holds. The last word counts."""
        ...

    def put_calibration(self, row: Calibration, seq: int, at: int) -> None:
        """Keeps how a judge did on labelled examples."""
        ...

    def calibrations(self, judge: JudgeId | None = None) -> list[Calibration]:
        """Those of a judge, or of all, in order of the sequence."""
        ...

    def put_score(self, answer: str, body: str, seq: int, at: int) -> None:
        """Keeps an answer's score (canonical JSON). It is never changed."""
        ...

    def scores(self, answer: str) -> list[tuple[int, int, str]]:
        """(seq, at, body) of the scores of an answer that were kept, in order."""
        ...

    def put_splittings(self, rows: Sequence[Splitting], seq: int, at: int) -> None:
        """Keeps what claims were split into, one splitting a claim. The claims are there."""
        ...

    def splittings(self, claims: Collection[str]) -> dict[str, list[Splitting]]:
        """What claims were split into, in order of the sequence; claims that were not are left out."""
        ...


class Reading(Protocol):
    """Look-ups and walks: operations that change nothing."""

    def by_prefix(self, prefix: str, limit: int) -> list[str]:
        """Node ids that begin with ``prefix`` (``l1:`` and at least one digit), in order."""
        ...

    def by_alias(self, alias: str) -> list[str]:
        """The nodes that an alias names, in any namespace."""
        ...

    def answers_by_key(self, key: str) -> list[str]:
        """Current answers with that key in any namespace, or with that cache key."""
        ...

    def answers(self, namespace: str | None) -> list[str]:
        """All current answers, of one namespace or of all, by namespace, key."""
        ...

    def search(self, text: str, kind: str | None, limit: int) -> list[str]:
        """Nodes whose text, title, key or alias contains ``text``, letter case aside; by kind, namespace, key, id."""
        ...

    def past_of(self, name: tuple[str, str, str]) -> list[str]:
        """The nodes that a retired key named last."""
        ...

    def views(self, ids: Collection[str]) -> dict[str, NodeView]:
        """What readers see of nodes, texts included; marks are those that are open."""
        ...

    def citations(self, claims: Collection[str], *, as_of: int | None = None) -> dict[str, list[CitationRow]]:
        """The citations of claims' derivations as printed, in order: of the current ones, or of those made then."""
        ...

    def inputs(self, ids: Collection[str]) -> dict[str, list[EdgeView]]:
        """The current edges of nodes to their inputs."""
        ...

    def counts(self) -> dict[str, dict[str, int]]:
        """How many nodes of each kind, edges of each role, and so on."""
        ...

    def current_count(self) -> int:
        """How many keys name a current node."""
        ...

    def run_begins(self) -> dict[str, int]:
        """Begin by run id of the runs that have not finished."""
        ...

    def marks_then(self, views: Mapping[str, NodeView], as_of: int) -> dict[str, NodeView]:
        """The same nodes with the marks that were open after a sequence number."""
        ...

    def made_then(self, views: Mapping[str, NodeView], as_of: int) -> dict[str, NodeView]:
        """The same nodes with the derivation that they had after a sequence number: run, producer, lineage.

        Why a past derivation's lineage was not complete is not kept: ``reason`` is None there.
        """
        ...

    def sequence_at(self, at: int) -> int:
        """The last sequence number given at or before a time (UTC microseconds).

        Not every number has a time of its own (a new derivation has that of none): those behind one
        that was given by then, up to the first that is known to be later, count as given.
        """
        ...

    def times(self, numbers: Collection[int]) -> dict[int, int]:
        """When numbers of the sequence were given, UTC microseconds."""
        ...

    def makings(self, id_: str) -> list[tuple[str, str, int, int, int | None, int | None]]:
        """(run, producer, begin, made, time, until) of a node's derivations, past ones included."""
        ...

    def namings(self, id_: str) -> tuple[list[tuple[str, int, int]], list[tuple[str, int]]]:
        """What was said of a node's key: all nodes that it named, and all that retired it, in order.

        First (node, first and last naming) by the sequence numbers at which runs that named it
        began (or at which an answer was asked); then (run, begin). Both are empty for a span.
        """
        ...

    def mark_history(self, id_: str) -> list[tuple[str, int, int, int | None, str | None, int | None]]:
        """(cause, severity, since, until, resolution, time) of a node's marks, past ones included, in order.

        Severity 0 is closed. Only answers' changes have a time (UTC microseconds); ``until`` is None for what holds.
        """
        ...

    def decision_history(self, id_: str) -> list[tuple[str, str, str, str | None, int, int]]:
        """(cause, kind, reason, who, seq, time) of decisions about a node."""
        ...

    def finding_counts(self) -> dict[str, int]:
        """How many findings of each kind were kept."""
        ...

    def sizes(self) -> dict[str, int]:
        """Bytes of the database file: used, and free inside it."""
        ...

    def reach(self, ids: Collection[str], *, up: bool, passing: bool = True, limit: int | None = None) -> list[str]:
        """The ids of all nodes that the walk reaches, start included, nearest first and by row within a level.

        ``up`` goes to dependents. ``passing`` keeps to the roles over which marks pass.
        """
        ...

    def walk(
        self,
        ids: Collection[str],
        *,
        up: bool,
        passing: bool = False,
        limit: int | None = None,
        as_of: int | None = None,
    ) -> Walk:
        """The part of the graph that the walk reaches: node ids by level, and every edge among them that it met.

        ``limit`` bounds the nodes; ``cut`` counts nodes that were met and left out.
        ``as_of`` reads the edges that held after that sequence number.
        """
        ...

    def quick(self, ref: str) -> list[tuple[str, str, str, str]] | None:
        """(id, namespace, key, sha256) of the current answers of a key or cache key, where all are plainly fresh.

        One statement: no pending work, no open mark, nothing searched. None where more must be looked at.
        """
        ...

    def searched_since(self, answer: str) -> list[str]:
        """Documents that the namespaces an answer searched got, or got a version of, since it was asked.

        Empty where the answer cites something: then what it cites speaks for it.
        """
        ...

    def cannot_exclude(self, answer: str) -> list[tuple[str, str]]:
        """(correction, why) of corrections that may have reached the answer through lineage that is not known.

        They are of documents that the namespace of an incomplete node under the answer derives
        from, do not mark the answer, and that node was not rebuilt by a run that began after the
        correction's last mark closed; a decision about the answer settles it.
        """
        ...

    def marked_answers(self, cause: str, *, current: bool) -> list[str]:
        """Answers with an open mark of a cause: by severity (the worst first), namespace, key, id."""
        ...

    def marked_counts(self, cause: str, *, current: bool) -> dict[str, dict[int, int]]:
        """How many nodes of each kind have an open mark of a cause, by severity. Spans are always current."""
        ...

    def severities(self, cause: str, ids: Collection[str]) -> dict[str, int]:
        """The severity of a cause's open marks on nodes."""
        ...

    def open_corrections(self, ids: Collection[str], *, but: str) -> dict[str, list[str]]:
        """The other corrections that have open marks on nodes, in order of the sequence."""
        ...

    def answers_above(self, versions: Sequence[tuple[str, int, int]], *, current: bool) -> list[str]:
        """Answers that stand, over passing roles, on spans that stand in these (uri, edition, version)."""
        ...

    def to_rebuild(self, cause: str | None) -> list[str]:
        """Current derived nodes, claims and answers that are invalid, or stand on a node that is no longer current."""
        ...
