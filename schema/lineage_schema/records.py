"""The recorded forms: what a pipeline writes, one object a line, told apart by ``type``.

References are ids, ``{kind, namespace, key}``, or for spans ``{uri, version, start, end, quote}``.
Offsets are Unicode code points, half open. Times are UTC. A run is named by its key; where a
record names none, the batch's own run is meant.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from lineage_schema.vocabulary import Completeness, Origin, Role, RunMode


class Form(BaseModel):
    """Base of the recorded forms: frozen, and an unknown field is an error, never dropped."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False, hide_input_in_errors=True, defer_build=True)


RawKey = Annotated[str | tuple[str, ...], Field(union_mode="left_to_right")]


class NodeRef(Form):
    """A node by its name: the node that the key names in this batch, else the one it names now."""

    kind: str = Field(min_length=1, pattern=r"^[a-z][a-z0-9_]*$")
    namespace: str
    key: RawKey


class SpanRef(Form):
    """A passage of a document. Without ``version``: the latest when the run began. ``quote`` must equal the slice.

    Without ``start`` and ``end`` the whole version is meant.
    """

    uri: str = Field(min_length=1)
    edition: int | None = Field(default=None, ge=1)
    version: int | None = Field(default=None, ge=1)
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)
    quote: str | None = None


class SpanById(Form):
    """A span by its id, and the version that was read (None: the latest when the run began)."""

    id: str = Field(min_length=1)
    version: int | None = Field(default=None, ge=1)


Ref = Annotated[str | NodeRef | SpanRef | SpanById, Field(union_mode="left_to_right")]
"""A reference. The forms exclude each other, so the first that fits is meant: trying all would cost more."""


class Input(Form):
    """One input of a derivation (PROV ``used`` / ``wasDerivedFrom``)."""

    ref: Ref
    role: Role = Role.EVIDENCE
    origins: tuple[Origin, ...] = (Origin.DECLARED,)


class Page(Form):
    """A page's range in a version, in code points. ``label`` is the number as printed."""

    label: str = Field(min_length=1)
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Section(Form):
    """A section's range in a version, in code points; ``level`` 1 is the highest."""

    heading: str
    level: int = Field(default=1, ge=1)
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Statement(Form):
    """Dated statements about a version. They are no part of its identity; the last one said holds."""

    valid_from: str | None = None
    valid_to: str | None = None
    applicability: dict[str, str] | None = None
    labels: tuple[str, ...] | None = None
    pages: tuple[Page, ...] | None = None
    sections: tuple[Section, ...] | None = None


class Document(Statement):
    """A source and the text of its first version. Equal bytes again are a no-op; others a conflict."""

    type: Literal["document"] = "document"
    uri: str = Field(min_length=1)
    text: str
    media_type: str = "text/plain"
    title: str | None = None
    url: str | None = None
    namespace: str | None = None


class Version(Statement):
    """A statement about a version that exists: its validity, applicability, labels, pages or sections."""

    type: Literal["version"] = "version"
    uri: str = Field(min_length=1)
    edition: int | None = Field(default=None, ge=1)
    version: int | None = Field(default=None, ge=1)


class Run(Form):
    """A pipeline's activity in a namespace (PROV activity). It begins before it reads."""

    type: Literal["run"] = "run"
    namespace: str = Field(min_length=1, pattern=r"^[^/]+$")
    key: str | None = Field(default=None, min_length=1)
    producer: str = Field(min_length=1)
    version: str | None = None
    model: str | None = None
    config_hash: str | None = None
    prompt_hash: str | None = None
    mode: RunMode = RunMode.DERIVED
    rebuilt: bool = False


class Span(SpanRef):
    """A passage registered for itself."""

    type: Literal["span"] = "span"


class Node(Form):
    """A derived node and one making of it (PROV entity and its generation).

    ``attributes`` are the meaning attributes of the kind and part of the identity; ``details``
    stand beside. ``replaces`` names keys of the same kind and namespace that this node retires.
    """

    type: Literal["node"] = "node"
    kind: str = Field(min_length=1, pattern=r"^[a-z][a-z0-9_]*$")
    namespace: str = Field(min_length=1, pattern=r"^[^/]+$")
    key: RawKey
    text: str
    title: str | None = None
    attributes: dict[str, Any] = Field(default_factory=dict)
    details: dict[str, Any] = Field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    inputs: tuple[Input, ...] = ()
    lineage: Completeness = Completeness.COMPLETE
    lineage_reason: str | None = None
    replaces: tuple[RawKey, ...] = ()
    run: str | None = None


class Answer(Form):
    """The text shown for a question. ``key`` is the caller's, else a hash of question, scope and namespace."""

    type: Literal["answer"] = "answer"
    namespace: str = Field(min_length=1, pattern=r"^[^/]+$")
    key: str | None = Field(default=None, min_length=1)
    question: str
    text: str
    cache_key: str | None = Field(default=None, min_length=1)
    as_of: str | None = None
    variant: str | None = None
    jurisdiction: str | None = None
    language: str | None = None
    searched: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    run: str | None = None


class AnswerRef(Form):
    """An answer by its key."""

    namespace: str
    key: str


class Claim(Form):
    """One statement of an answer. ``ordinal`` orders them from 1; ``label`` is how a reader calls it (``C1``)."""

    type: Literal["claim"] = "claim"
    answer: str | AnswerRef
    ordinal: int = Field(ge=1)
    text: str
    label: str | None = Field(default=None, min_length=1)
    needs_evidence: bool = True
    qualifiers: tuple[Input, ...] = ()
    run: str | None = None


class ClaimRef(Form):
    """A claim by its answer and ordinal, or label."""

    answer: str | AnswerRef
    ordinal: int | None = Field(default=None, ge=1)
    label: str | None = None


class Citation(Form):
    """A pointer as it was printed beside a claim, also one that resolves to nothing.

    ``order`` counts a claim's citations from 1. ``marker`` is the printed text, and
    ``marker_start``/``marker_end`` its range in the answer's text. ``target`` is what it points
    to; without one the marker is unknown, which is a finding. ``start``/``end``/``quote`` are a
    checked passage of a derived target's own text. ``whole`` cites a whole version.
    """

    type: Literal["citation"] = "citation"
    claim: str | ClaimRef
    order: int = Field(ge=1)
    marker: str | None = None
    marker_start: int | None = Field(default=None, ge=0)
    marker_end: int | None = Field(default=None, ge=0)
    target: Ref | None = None
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)
    quote: str | None = None
    whole: bool = False
    run: str | None = None


class Retrieved(Form):
    """One thing in the context that an answer was written from. ``rank`` counts from 1."""

    type: Literal["retrieved"] = "retrieved"
    answer: str | AnswerRef
    target: Ref
    rank: int | None = Field(default=None, ge=1)
    run: str | None = None


class Extend(Form):
    """Inputs added to a node that exists: a new derivation that belongs to its run."""

    type: Literal["extend"] = "extend"
    node: Ref
    inputs: tuple[Input, ...] = Field(min_length=1)
    run: str | None = None


class Retire(Form):
    """A key that names no current node from this run on."""

    type: Literal["retire"] = "retire"
    kind: str = Field(min_length=1, pattern=r"^[a-z][a-z0-9_]*$")
    namespace: str = Field(min_length=1, pattern=r"^[^/]+$")
    key: RawKey
    run: str | None = None


class Finish(Form):
    """The end of a run. ``complete`` retires the keys, of the kinds that it named, that it did not name."""

    type: Literal["finish"] = "finish"
    run: str | None = None
    complete: bool = False


Record = Annotated[
    Document | Version | Run | Span | Node | Answer | Claim | Citation | Retrieved | Extend | Retire | Finish,
    Field(discriminator="type"),
]
# Built when first used: most commands read, and building them takes longer than reading does.
RECORDS: TypeAdapter[list[Record]] = TypeAdapter(list[Record], config=ConfigDict(defer_build=True))
RECORD: TypeAdapter[Record] = TypeAdapter(Record, config=ConfigDict(defer_build=True))


def json_schema() -> dict[str, Any]:
    """The JSON Schema of one recorded line."""
    return RECORD.json_schema()
