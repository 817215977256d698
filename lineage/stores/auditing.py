"""What verification reads: rows in pages and streams, with what they refer to looked up beside them.

A reference that leads nowhere is None where the row has one (``…_given`` tells where both can be).
Nothing here judges, and nothing raises for what a row holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

Finding = tuple[str, str, Any, Any]
"""(item, field, found, expected)"""
Place = tuple[str | None, int, int]
"""(uri, edition, version number)"""
Page = Any
"""A store's own handle of some nodes."""


class TextAudit(NamedTuple):
    """A text. ``needed``: something that was not purged uses it; None: nothing uses it.

    ``of``: what has it, where texts are not kept by themselves.
    """

    sha256: str
    body: str | None
    needed: bool | None
    of: str | None = None


class DocumentAudit(NamedTuple):
    """A document, the editions that it says it has, and those that its versions are of."""

    uri: str
    editions: tuple[int, ...]
    of_versions: tuple[int, ...]


class VersionAudit(NamedTuple):
    """A version, beside its edition and the correction that made it."""

    uri: str | None
    edition: int
    number: int
    id: str
    sha256: str | None
    base: Place | None
    alignment: bytes | None
    seq: int
    at: int
    purged: int
    edition_seq: int | None
    current: int | None
    correction: str | None
    correction_seq: int | None
    correction_at: int | None


class SpanAudit(NamedTuple):
    """A span as it says where it is, beside its node, the version of its first place, and its anchor there."""

    id: str | None
    kind: str | None
    purged: int | None
    uri: str | None
    edition: int
    start: int
    end: int
    first: Place | None
    first_purged: int | None
    anchor: tuple[int, int] | None


class NodeAudit(NamedTuple):
    """A node, beside its key, its run, and which of the rows that may stand beside a node there are.

    ``incomplete``: it has a seed of incomplete lineage; ``bare``: it has no inputs, and no making that is history.
    """

    id: str
    kind: str | None
    namespace: str | None
    key: str | None
    name_kind: str | None
    sha256: str | None
    attributes: str | None
    named_first: int | None
    named_last: int | None
    run: str | None
    run_begin: int | None
    run_derived: int | None
    begin: int | None
    derived: int | None
    made: int | None
    lineage: int
    unsettled: int
    purged: int
    title: str | None
    reason: str | None
    details: str | None
    is_span: bool
    is_answer: bool
    is_claim: bool
    incomplete: bool
    bare: bool


class NameAudit(NamedTuple):
    """A key: (id, named_first, named_last, run that made it) of its nodes, what retired it, what its nodes' seeds say.

    ``retired`` is (begin, run); ``seeds`` is (node, run whose replacement it is said to be).
    """

    kind: str | None
    namespace: str | None
    key: str
    current_given: bool
    current: str | None
    nodes: list[tuple[str, int | None, int | None, str | None]]
    retired: list[tuple[int, str | None]]
    seeds: list[tuple[str, str | None]]


class EdgeAudit(NamedTuple):
    """A current edge, or one that is history (``until`` is set). ``stands``: the input stands in the version read."""

    src: str | None
    src_kind: str | None
    dst: str | None
    dst_kind: str | None
    role: int
    origins: int
    version_given: bool
    stands: bool
    since: int
    ext: int | None
    made: int | None
    begin: int | None
    derived: int | None
    named_first: int | None
    until: int | None = None
    run: str | None = None
    filed: bool = True
    filed_until: bool = True


class PastAudit(NamedTuple):
    """A derivation that is history, beside its run and the node's current one.

    ``followed``: something else ends or begins where it ends; ``of_edges``: its edges began when it was made.
    """

    node: str | None
    kind: str | None
    run: str | None
    run_begin: int | None
    run_derived: int | None
    begin: int
    derived: int
    made: int
    lineage: int
    until: int | None
    now_begin: int | None
    now_derived: int | None
    followed: bool
    of_edges: bool


class RunAudit(NamedTuple):
    """A run, with the kinds that it named and those that its end swept."""

    id: str
    namespace: str | None
    key: str
    producer: str
    body: str
    derived: int
    begin: int
    at: int
    finished: int | None
    complete: int
    named: tuple[str | None, ...]
    swept: tuple[str | None, ...]


class RetiringAudit(NamedTuple):
    """What retired a key, or (``swept``) the keys of a kind in a namespace."""

    what: str
    known: bool
    swept: bool
    begin: int
    run: str | None
    run_begin: int | None
    run_named: bool


class ChangeAudit(NamedTuple):
    """What a correction says it did to a document."""

    uri: str | None
    edition: int
    kind: str
    source: Place | None
    target: Place | None
    target_seq: int | None
    target_at: int | None
    target_base: Place | None
    target_text: bool


class CauseAudit(NamedTuple):
    """A cause of marks, beside its run and its changes."""

    name: str
    type: int
    seq: int
    at: int
    reason: str | None
    who: str | None
    run: str | None
    run_begin: int | None
    run_at: int | None
    edition: int
    changes: list[ChangeAudit]


class SeedAudit(NamedTuple):
    """A seed, beside its cause and its node."""

    cause: str | None
    type: int | None
    node: str | None
    kind: str | None
    severity: int
    cls: str | None
    start: int | None
    end: int | None


class HeldMark(NamedTuple):
    """A mark. ``waiting``: it is not expanded."""

    node: str | None
    cause: str | None
    severity: int
    waiting: bool
    fell: int


class Passing(NamedTuple):
    """A mark on an input, open or waiting. ``told``: a review of it concerns readers of the version that was read."""

    src: str
    dst: str
    role: int
    version_given: bool
    cause: str
    severity: int
    waiting: bool
    fell: int
    told: bool


class DecisionAudit(NamedTuple):
    """A decision, beside what it is about.

    ``input_of`` are, or were, inputs of the node; ``makings`` are numbers at which it was made or its edges began;
    ``bears``: the cause seeds or marked the node or one of these inputs.
    """

    cause: str | None
    node: str | None
    kind: str | None
    made: int
    now_made: int | None
    word: str
    severity: int
    inputs: str
    seq: int
    input_of: frozenset[str]
    makings: frozenset[int]
    bears: bool


class HistoryAudit(NamedTuple):
    """One line of what happened to a mark: it as it is (``now``), as it was (``then``), or an event of an answer.

    Lines come by node and cause; within these what was, what is, then events, each in order.
    """

    node: str | None
    kind: str | None
    cause: str | None
    line: str
    severity: int
    was: int | None
    since: int
    until: int | None
    via: str | None
    via_given: bool
    via_input: bool
    resolution: str | None
    waiting: bool
    fell: int
    number: int
    at: int | None


class AnswerAudit(NamedTuple):
    """An answer's own row; ``kind`` is its node's."""

    id: str | None
    kind: str | None
    asked: int
    named_first: int | None
    named_last: int | None
    first_asked: int | None
    last_asked: int | None
    question: bool
    searched: str | None
    cited: int


class AskingAudit(NamedTuple):
    """A run's asking of an answer. ``named``: the run says that it named answers."""

    node: str | None
    kind: str | None
    run: str | None
    run_begin: int | None
    asked: int
    named: bool


class ClaimAudit(NamedTuple):
    """A claim's own row; answers as (namespace, key) that have or had it; whether its namings are askings of one."""

    id: str | None
    kind: str | None
    namespace: str | None
    key: str | None
    needs_evidence: int
    answers: tuple[tuple[str | None, str | None], ...]
    first_asked: bool
    last_asked: bool


class CitationAudit(NamedTuple):
    """A citation as printed. ``body`` is the target's text where a passage of it is cited."""

    claim: str | None
    is_claim: bool
    current: bool
    run: str | None
    number: int
    marker: str | None
    label: str | None
    target_given: bool
    target: str | None
    target_kind: str | None
    edge: bool
    past_edge: bool
    version_given: bool
    stands: bool
    start: int | None
    end: int | None
    body: str | None
    whole: int
    namespace: str | None
    key: str | None


class SplittingAudit(NamedTuple):
    """What a claim was split into: ``parts`` as they are kept."""

    node: str | None
    kind: str | None
    purged: bool
    parts: str | None
    seq: int


class Unfinished(NamedTuple):
    """A run that has not ended: its begin in the sequence, and in UTC microseconds."""

    id: str
    namespace: str
    key: str
    begin: int
    at: int


class Auditing(Protocol):
    """Reading everything. Streams hold no more than a page in memory."""

    @property
    def settles_at_once(self) -> bool:
        """Whether nodes are settled in the transaction that adds them, so that none is ever unsettled."""
        ...

    def lenient(self) -> AbstractContextManager[None]:
        """Within it, bytes that are no text are read as text with a replacement character, which then is a fault."""
        ...

    def storage(self) -> Iterator[Finding]:
        """Faults of the store's own means: the file, its record of migrations, its queue."""
        ...

    def counts(self) -> dict[str, int]:
        """How many texts, nodes, edges, spans and marks there are."""
        ...

    def schema(self) -> int:
        """The number of the last step of the schema that was applied."""
        ...

    def unsettled(self) -> int:
        """How many nodes have not read their inputs' marks."""
        ...

    def unfinished(self) -> list[Unfinished]:
        """The runs that have not ended, in order."""
        ...

    def log_size(self) -> int:
        """Bytes that are written beside the store's file, and not yet into it."""
        ...

    def node_count(self) -> int:
        """How many nodes there are."""
        ...

    def node_ids(self, size: int) -> Iterator[list[str]]:
        """The ids of all nodes, in pages."""
        ...

    def label(self, id_: str | None) -> str:
        """What people call a node, with its id."""
        ...

    def last_number(self) -> int:
        """The last number that the sequence says it gave."""
        ...

    def numbers(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Numbers that several things have that each got one of its own, and the last one of all that were given."""
        ...

    def given(self, number: int) -> Iterator[tuple[str, str | None, str]]:
        """(what, node, field) of some rows that have a number of the sequence."""
        ...

    def texts(self) -> Iterator[TextAudit]:
        """All texts, with their bodies."""
        ...

    def documents(self) -> Iterator[DocumentAudit]:
        """All documents."""
        ...

    def versions(self) -> Iterator[VersionAudit]:
        """All versions by document, edition and number."""
        ...

    def spans(self) -> Iterator[SpanAudit]:
        """All spans."""
        ...

    def first_spans(self, uri: str, edition: int, number: int, size: int) -> Iterator[list[str]]:
        """The spans whose first place is in a version and who are anchored there, in pages."""
        ...

    def stray_anchors(self) -> Iterator[tuple[str | None, Place | None, int, int]]:
        """(span, place, start, end) of anchors that are of no span, or in another edition than their span."""
        ...

    def stray_readers(self) -> Iterator[tuple[str | None, str | None, Place | None]]:
        """(cause, node, version) of readers of seeds that do not exist, or of no version."""
        ...

    def pages(self, size: int) -> Iterator[Page]:
        """Pages that together hold all nodes, and all rows that say they are of a node."""
        ...

    def nodes(self, page: Page) -> list[NodeAudit]:
        """The nodes of a page."""
        ...

    def names(self, size: int) -> Iterator[list[NameAudit]]:
        """All keys, in pages."""
        ...

    def edges(self, page: Page) -> Iterator[EdgeAudit]:
        """The current edges of a page's nodes to their inputs, by node."""
        ...

    def past_edges(self, page: Page) -> Iterator[EdgeAudit]:
        """The edges of a page's nodes that are history, by node."""
        ...

    def past_derivations(self, page: Page) -> Iterator[PastAudit]:
        """The derivations of a page's nodes that are history."""
        ...

    def purging(self) -> Iterator[tuple[str, int, int, int]]:
        """(node, purged, purged inputs, other inputs) of derived nodes that are purged or have purged inputs.

        Inputs that were replaced count as far as they are purged.
        """
        ...

    def cycle(self) -> list[str] | None:
        """A path of current edges that leads back to where it began."""
        ...

    def unrecorded(self) -> Iterator[Finding]:
        """What edges say of the documents and namespaces that a namespace derives from, and its own tables do not."""
        ...

    def runs(self) -> Iterator[RunAudit]:
        """All runs."""
        ...

    def namings(self) -> Iterator[tuple[str | None, str | None, bool]]:
        """(run, kind, borne out) of what runs say they named: some node's namings reach over the run."""
        ...

    def retirings(self) -> Iterator[RetiringAudit]:
        """All retirements and sweeps."""
        ...

    def causes(self) -> Iterator[CauseAudit]:
        """All causes."""
        ...

    def seeds(self) -> Iterator[SeedAudit]:
        """All seeds."""
        ...

    def decisions(self) -> Iterator[DecisionAudit]:
        """All decisions."""
        ...

    def held(self, page: Page) -> list[HeldMark]:
        """The marks of a page's nodes."""
        ...

    def seeded(self, page: Page) -> list[tuple[str | None, str | None, int]]:
        """(node, cause, severity) of the seeds of a page's nodes."""
        ...

    def passing(self, page: Page) -> list[Passing]:
        """The marks of inputs of a page's nodes over passing roles."""
        ...

    def waits(self, node: str, cause: str) -> bool:
        """Whether a mark is to be read again."""
        ...

    def decided(self, page: Page) -> dict[tuple[str, str], tuple[int, frozenset[str]]]:
        """(node, cause) → (severity, inputs) of the last decision on each current derivation of a page's nodes."""
        ...

    def histories(self) -> Iterator[HistoryAudit]:
        """All marks, what they were, and the events of answers."""
        ...

    def answers(self) -> Iterator[AnswerAudit]:
        """All answers' own rows."""
        ...

    def askings(self) -> Iterator[AskingAudit]:
        """All askings."""
        ...

    def claims(self) -> Iterator[ClaimAudit]:
        """All claims' own rows."""
        ...

    def citations(self) -> Iterator[CitationAudit]:
        """All citations."""
        ...

    def has_finding(self, run: str, kind: str, starts: tuple[str, ...], end: str, what: str) -> bool:
        """Whether a run kept a finding at a place that begins as one of ``starts`` and ends with ``end``."""
        ...

    def beside(self) -> Iterator[Finding]:
        """Aliases, details, findings and namespaces' tables that are of nothing, or of another namespace."""
        ...

    def choices(self) -> Iterator[tuple[str, int, bool, int]]:
        """(judgment key, number, whether there is such a verdict, seq) of all choices between verdicts."""
        ...

    def scores(self) -> Iterator[tuple[str | None, str | None, str, int]]:
        """(node, its kind, body, seq) of all scores that were kept."""
        ...

    def splittings(self) -> Iterator[SplittingAudit]:
        """All splittings of claims."""
        ...
