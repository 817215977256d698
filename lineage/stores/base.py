"""What a store does: sets in, sets out.

A store gives transactions. A transaction has four groups of operations: *sources*
(documents, versions, spans), *graph* (runs, names, nodes, derivations, edges), *marks*
(causes, marks, decisions) and *reading* (walks and look-ups). Everything that decides is
above the store and sees ids, never a store's own handles; everything that moves many rows
is inside it, so that no frontier travels.

Two rules keep marks true under concurrent writers: who adds, commits, then looks; and who
changes what exists takes the store's change lock before its first read. A store whose
writers are serial keeps both by its write lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from lineage_schema.vocabulary import Severity

if TYPE_CHECKING:
    from lineage.stores import protocols
    from lineage.stores.auditing import Auditing
    from lineage.stores.copying import Copying

T = TypeVar("T")

EditionKey = tuple[str, int]
"""(uri, edition)"""
Name = tuple[str, str, str]
"""(kind, namespace, key text)"""


@dataclass(frozen=True, slots=True)
class EditionState:
    """One edition of a document. ``current`` is the number of the version that holds now."""

    edition: int
    current: int
    withdrawn: bool
    seq: int


@dataclass(frozen=True, slots=True)
class DocumentState:
    """A document as the store has it; editions in the order in which they came."""

    uri: str
    title: str | None
    url: str | None
    media_type: str
    editions: tuple[EditionState, ...]

    @property
    def latest(self) -> EditionState:
        """The edition that came last and still has a text, else the one that came last."""
        alive = [edition for edition in self.editions if not edition.withdrawn]
        return (alive or list(self.editions))[-1]


@dataclass(frozen=True, slots=True)
class VersionState:
    """One version. ``sha256`` is None for a withdrawal. ``base`` is the number it was aligned with.

    ``source`` is set on the first version of an edition that followed another: that version's
    (edition, number); ``alignment`` is then from there. Times are UTC microseconds.
    """

    number: int
    sha256: str | None
    base: int | None
    source: tuple[int, int] | None
    alignment: bytes | None
    seq: int
    at: int
    purged: bool


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version to write. It becomes the current one of its edition. ``text`` None withdraws."""

    uri: str
    edition: int
    number: int
    id: str
    sha256: str | None
    text: str | None
    base: int | None = None
    source: tuple[int, int] | None = None
    alignment: bytes | None = None


@dataclass(frozen=True, slots=True)
class SpanRow:
    """A span by its first place (code points), and its places in all versions where it stands."""

    id: str
    uri: str
    edition: int
    version: int
    start: int
    end: int
    anchors: Mapping[int, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class RunState:
    """A run. ``derived`` ranks above imports: it made its nodes, or is an import of a rebuild."""

    id: str
    key: str
    namespace: str
    derived: bool
    begin: int


class Edge(NamedTuple):
    """One input of a derivation. ``origins`` is a bit mask. ``version`` is the number of a span's version read.

    ``own``: the making itself has it. ``ext`` is the begin of the last run that laid it over the making.
    """

    origins: int
    version: int | None = None
    ext: int | None = None
    own: bool = True


Edges = dict[tuple[int, str], Edge]
"""(role code, input id) → edge"""


@dataclass(slots=True)
class Derivation:
    """A node's current making. ``made`` is the sequence number at which it was made."""

    run: RunState
    made: int
    edges: Edges
    lineage: int
    touched: bool = False
    """Whether the node has an open mark."""


@dataclass(slots=True)
class NodeRow:
    """A node to write, with the first making of it that the store sees."""

    id: str
    kind: str
    namespace: str
    key: str
    sha256: str
    text: str
    attributes: str | None
    edges: Edges
    lineage: int = 0
    reason: str | None = None
    title: str | None = None
    details: str | None = None
    aliases: tuple[str, ...] = ()
    asked: int | None = None
    answer: AnswerRow | None = None
    claim: ClaimRow | None = None


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """What an answer has beside its text. ``cited``: some claim of it has a citation."""

    question: str
    cache_key: str | None
    searched: tuple[str, ...]
    at: int


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """What a claim has beside its text."""

    label: str | None
    needs_evidence: bool


@dataclass(frozen=True, slots=True)
class CitationRow:
    """A citation as printed. ``target`` None: it resolves to nothing. Offsets are code points."""

    claim: str
    order: int
    marker: str | None
    marker_start: int | None
    marker_end: int | None
    target: str | None
    version: int | None
    start: int | None
    end: int | None
    whole: bool


@dataclass(frozen=True, slots=True)
class Seed:
    """Where a cause begins: a span that a correction ended or whose neighbours it changed.

    ``start``/``end`` are the aligned range in the correction's target version. ``readers`` are
    the numbers of the versions whose readers a review concerns.
    """

    cause: str
    node: str
    severity: Severity
    cls: str | None = None
    start: int | None = None
    end: int | None = None
    readers: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """What a correction did to one document: versions by number; an edition's target is in ``target_edition``."""

    uri: str
    edition: int
    kind: str
    source: int
    target: int
    target_edition: int


@dataclass(frozen=True, slots=True)
class CauseState:
    """A cause of marks. ``type``: 0 a correction, 1 a replacing run, 2 incomplete lineage."""

    id: str
    type: int
    seq: int
    at: int
    reason: str | None
    by: str | None
    changes: tuple[ChangeRow, ...] = ()
    total: int = 0
    """How many documents it is of; ``changes`` may hold fewer."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's, or a judgment's, word that a cause does not affect a node as it was made then."""

    cause: str
    node: str
    kind: str
    severity: Severity
    inputs: tuple[str, ...]
    reason: str
    by: str | None


@dataclass(slots=True)
class Outcome:
    """How registering changes a node that exists.

    ``action``: ``replace`` its derivation, ``unite`` with it, ``extend`` it, or let it ``begin`` later; ``edges`` are
    then all that it has. ``past`` files the run's own as history: the current derivation outranks it.
    """

    node: str
    action: str
    run: RunState
    edges: Edges = field(default_factory=dict)
    lineage: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What one step of propagation did."""

    expanded: int
    marked: int
    closed: int
    pending: bool


CORRECTION, REPLACEMENT, INCOMPLETE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class MarkView:
    """An open mark as readers see it."""

    cause: str
    type: int
    severity: int
    via: str | None
    since: int


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node as readers see it. Times are UTC microseconds."""

    id: str
    kind: str
    namespace: str
    key: str
    text: str | None
    sha256: str | None
    attributes: dict[str, Any]
    title: str | None
    reason: str | None
    details: dict[str, Any]
    lineage: str
    current: bool
    begin: int | None
    run: str | None
    producer: str | None
    cache_key: str | None
    question: str | None
    at: int | None
    searched: tuple[str, ...]
    label: str | None
    needs_evidence: bool | None
    made: int | None
    marks: tuple[MarkView, ...]
    aliases: tuple[str, ...]


class EdgeView(NamedTuple):
    """An edge as readers see it; ``until`` is set where it is history."""

    src: str
    role: str
    dst: str
    origins: tuple[str, ...]
    version: int | None
    since: int
    until: int | None


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk reached: levels by node id in the order met, the edges met, and how many nodes were left out."""

    levels: dict[str, int]
    edges: list[EdgeView]
    cut: int


@dataclass(frozen=True, slots=True)
class Source:
    """What one cause seeds among some nodes: node id → (severity, versions whose readers a review concerns)."""

    type: int
    edition: bool
    seeds: Mapping[str, tuple[int, frozenset[int]]]


class Kept(NamedTuple):
    """What keeping judgments did: how many were new and how many were there, and keys whose verdicts now differ."""

    new: int
    known: int
    conflicts: list[str]


class Transaction(Protocol):
    """One transaction's view of a store: valid only inside the function that it is given to."""

    @property
    def sources(self) -> protocols.Sources:
        """Documents, versions, spans."""
        ...

    @property
    def graph(self) -> protocols.Graph:
        """Runs, keys, nodes, derivations."""
        ...

    @property
    def marks(self) -> protocols.Marks:
        """Causes, seeds, decisions."""
        ...

    @property
    def spread(self) -> protocols.Spread:
        """Marks: settled, spread, cleared."""
        ...

    @property
    def purge(self) -> protocols.Purge:
        """Texts that must not be kept."""
        ...

    @property
    def auditing(self) -> Auditing:
        """What verification asks."""
        ...

    @property
    def reading(self) -> protocols.Reading:
        """Look-ups and walks."""
        ...

    @property
    def judgments(self) -> protocols.Judgments:
        """Verdicts, calibrations and scores that are kept."""
        ...

    @property
    def copying(self) -> Copying:
        """The whole store, out and in."""
        ...

    def now(self) -> int:
        """This transaction's time, UTC microseconds."""
        ...

    def next_seq(self) -> int:
        """The next number of the store-wide sequence."""
        ...

    def next_seqs(self, count: int) -> list[int]:
        """The next numbers of the store-wide sequence, in order."""
        ...

    def sequence(self) -> int:
        """The last number given."""
        ...


class Store(Protocol):
    """A store of lineage graphs."""

    read_only: bool

    def write(self, work: Callable[[Any], T]) -> T:
        """Runs ``work`` in a writing transaction: all of it, or none."""
        ...

    def add(self, work: Callable[[Any], T], numbers: int = 0) -> T:
        """Runs ``work``, which mostly adds what is new, in a writing transaction: all of it, or none.

        A store with concurrent writers lets several add at once. Where ``work`` turns out to change what exists, or to
        need more ``numbers`` of the sequence than that, it runs again as in :meth:`write`: it may run more than once.
        """
        ...

    def read(self, work: Callable[[Any], T], *, whole: bool = False) -> T:
        """Runs ``work`` on one snapshot; it may run more than once.

        ``whole``: nothing may have been added meanwhile either. Without it a store that has no snapshots sees to it
        only that nothing that existed was changed.
        """
        ...

    def load(self, batches: Iterable[T], put: Callable[[Any, T], None]) -> None:
        """Fills an empty store: ``put`` writes each batch. All of it, or none: an error leaves the store empty.

        Raises :class:`Conflict` where the store holds anything.
        """
        ...

    def peek(self, work: Callable[[Any], T]) -> T:
        """Runs ``work``, which makes one look: quicker than :meth:`read`, which holds one snapshot for several."""
        ...

    def simulate(self, work: Callable[[Any], T]) -> T:
        """Runs ``work``, which may write, on one snapshot of which nothing remains; no write lock is held."""
        ...

    def close(self) -> None:
        """Releases what the store holds."""
        ...
