"""How the rows of a dump are drawn: labels, relationship types and properties, as the store itself makes them.

Both who fills a database through the driver and who writes files for the import tool draw by this.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from lineage.stores.copying import Row
from lineage.stores.neo4j.model import QUOTES, TYPES, edge_type, label
from lineage_schema.canonical import canonical_json

KEYS: Final = {
    "Document": ("uri",),
    "DocumentVersion": ("uri", "edition", "number"),
    "LineageNode": ("id",),
    "Run": ("id",),
    "Key": ("key", "kind", "namespace"),
    "Alias": ("alias", "namespace"),
    "Cause": ("id",),
    "Namespace": ("name",),
    "Passage": ("source", "sha256"),
    "Judge": ("name", "version", "configuration"),
    "Judgment": ("key", "number"),
    "Splitting": ("node", "seq"),
    "LineageStore": ("id",),
}
"""By what properties each of these is found: there is one of each."""
UNKEYED: Final = (
    "Statement", "Making", "Citation", "Finding", "Decision", "Event", "Moment", "JudgmentChoice", "Calibration",
    "Score",
)  # fmt: skip
"""What is found by what it is attached to, or by an index."""
LABELS: Final = (*KEYS, *UNKEYED)

Props = dict[str, Any]


class End(NamedTuple):
    """One end of a relationship: a label of ``KEYS``, and the values of its properties there."""

    label: str
    key: tuple[Any, ...]


class Thing(NamedTuple):
    """A node with a key; the first label is that of ``KEYS``. ``again``: other rows may draw it as well."""

    labels: tuple[str, ...]
    props: Props
    again: bool = False

    @property
    def end(self) -> End:
        """Its name as a relationship's end."""
        return End(self.labels[0], tuple(self.props[name] for name in KEYS[self.labels[0]]))


class Beside(NamedTuple):
    """A node without a key, and the one relationship that it has, if any: ``inwards`` it comes from ``end``."""

    label: str
    props: Props
    type: str = ""
    end: End | None = None
    inwards: bool = False


class Link(NamedTuple):
    """A relationship."""

    type: str
    start: End
    end: End
    props: Props


Drawn = Thing | Beside | Link


def _some(row: Row, *left_out: str, **more: Any) -> Props:
    return {name: value for name, value in {**row, **more}.items() if value is not None and name not in left_out}


def _node(id_: str) -> End:
    return End("LineageNode", (id_,))


def _run(id_: str) -> End:
    return End("Run", (id_,))


def _cause(id_: str) -> End:
    return End("Cause", (id_,))


def _document(uri: str) -> End:
    return End("Document", (uri,))


def _version(uri: str, edition: int, number: int) -> End:
    return End("DocumentVersion", (uri, edition, number))


def _key(row: Row) -> End:
    return End("Key", (row["key"], row["kind"], row["namespace"]))


def _namespace(name: str) -> Thing:
    return Thing(("Namespace",), {"name": name}, again=True)


def _judge(row: Row) -> Thing:
    props = {"name": row["judge"], "version": row["judge_version"], "configuration": row["judge_configuration"]}
    return Thing(("Judge",), props, again=True)


def _documents(row: Row) -> Iterator[Drawn]:
    yield Thing(("Document",), _some(row))


def _versions(row: Row) -> Iterator[Drawn]:
    inside = row["base_edition"] in (None, row["edition"])
    base = (
        {"base": row["base"]}
        if inside
        else {"base": None, "source_edition": row["base_edition"], "source_number": row["base"]}
    )
    yield Thing(("DocumentVersion",), _some({**row, **base}, "base_edition"))
    yield Link("VERSION_OF", _version(row["uri"], row["edition"], row["number"]), _document(row["uri"]), {})


def _statements(row: Row) -> Iterator[Drawn]:
    props = {"seq": row["seq"], "n": row["place"], "at": row["at"], "body": row["body"]}
    yield Beside("Statement", props, "SAID_OF", _version(row["uri"], row["edition"], row["number"]))


def _spans(row: Row) -> Iterator[Drawn]:
    yield Thing(("LineageNode", "Span"), _some(row, "anchors", kind="span"))
    for number, start, end in row["anchors"]:
        version = _version(row["uri"], row["edition"], number)
        yield Link("ANCHORED_IN", _node(row["id"]), version, {"start": start, "end": end})


def _runs(row: Row) -> Iterator[Drawn]:
    yield Thing(("Run",), _some(row))
    yield _namespace(row["namespace"])


def _names(row: Row) -> Iterator[Drawn]:
    yield Thing(("Key",), _some(row))


def _nodes(row: Row) -> Iterator[Drawn]:
    props = _some(row, "current", "named_first", "named_last", unsettled=row["unsettled"] or None)
    yield Thing(("LineageNode", label(row["kind"])), props)
    yield Link("NAMES", _key(row), _node(row["id"]), {"first": row["named_first"], "last": row["named_last"]})
    if row["current"]:
        yield Link("CURRENT", _key(row), _node(row["id"]), {})


def _aliases(row: Row) -> Iterator[Drawn]:
    alias = Thing(("Alias",), {"alias": row["alias"], "namespace": row["namespace"]}, again=True)
    yield alias
    yield Link("IS_ALIAS_OF", alias.end, _node(row["node"]), {})


def _askings(row: Row) -> Iterator[Drawn]:
    yield Link("ASKED", _run(row["run"]), _node(row["node"]), {"seq": row["seq"]})


def _edges(row: Row) -> Iterator[Drawn]:
    # A version is read of spans, and of nothing else.
    type_ = edge_type(row["role"], row["version"] is not None)
    yield Link(type_, _node(row["src"]), _node(row["dst"]), _some(row, "src", "dst"))


def _makings(row: Row) -> Iterator[Drawn]:
    yield Beside("Making", _some(row, "node"), "WAS_MADE", _node(row["node"]), inwards=True)


def _past_edges(row: Row) -> Iterator[Drawn]:
    yield Link("FORMERLY", _node(row["src"]), _node(row["dst"]), _some(row, "src", "dst"))


def _retirements(row: Row) -> Iterator[Drawn]:
    yield Link("RETIRED", _run(row["run"]), _key(row), {})


def _citations(row: Row) -> Iterator[Drawn]:
    yield Beside("Citation", _some(row), "PRINTED_IN", _node(row["claim"]))


def _findings(row: Row) -> Iterator[Drawn]:
    yield Beside("Finding", _some(row, "run"), "FOUND", _run(row["run"]), inwards=True)


def _causes(row: Row) -> Iterator[Drawn]:
    labels = ("Cause", ("Correction", "Replacement")[row["kind"]])
    yield Thing(labels, _some(row, "kind", type=row["kind"]))


def _changes(row: Row) -> Iterator[Drawn]:
    yield Link("CHANGED", _cause(row["cause"]), _document(row["uri"]), _some(row, "cause", "uri"))


def _seeds(row: Row) -> Iterator[Drawn]:
    yield Link("SEEDS", _cause(row["cause"]), _node(row["node"]), _some(row, "cause", "node"))


def _marks(row: Row) -> Iterator[Drawn]:
    queue = max(row["severity"], 1) if row["waiting"] else None
    props = _some(row, "cause", "node", "waiting", queue=queue, fell=row["fell"] or None)
    yield Link("MARKS", _cause(row["cause"]), _node(row["node"]), props)


def _past_marks(row: Row) -> Iterator[Drawn]:
    yield Link("MARKED", _cause(row["cause"]), _node(row["node"]), _some(row, "cause", "node"))


def _rechecks(row: Row) -> Iterator[Drawn]:
    yield Link("RECHECK", _cause(row["cause"]), _node(row["node"]), {"waits": True})


def _decisions(row: Row) -> Iterator[Drawn]:
    yield Beside("Decision", _some(row, inputs=json.dumps(row["inputs"])), "DECIDES_ON", _node(row["node"]))


def _events(row: Row) -> Iterator[Drawn]:
    yield Beside("Event", _some(row))


def _namespace_documents(row: Row) -> Iterator[Drawn]:
    space = _namespace(row["namespace"])
    yield space
    yield Link("DERIVES_FROM", space.end, _document(row["uri"]), {"seq": row["seq"]})


def _namespace_inputs(row: Row) -> Iterator[Drawn]:
    space, other = _namespace(row["namespace"]), _namespace(row["input"])
    yield space
    yield other
    yield Link("READS", space.end, other.end, {})


def _passages(row: Row) -> Iterator[Drawn]:
    yield Thing(("Passage",), _some(row))


def _judgments(row: Row) -> Iterator[Drawn]:
    judge = _judge(row)
    given = Thing(("Judgment",), _some(row, "judge", "judge_version", "judge_configuration", "shown"))
    yield judge
    yield given
    yield Link("GIVEN_BY", given.end, judge.end, {})
    for place, (source, sha256) in enumerate(row["shown"]):
        yield Link("SHOWN", given.end, End("Passage", (source, sha256)), {"place": place, "source": source})


def _choices(row: Row) -> Iterator[Drawn]:
    yield Beside("JudgmentChoice", _some(row))


def _calibrations(row: Row) -> Iterator[Drawn]:
    judge = _judge(row)
    yield judge
    props = _some(row, "judge", "judge_version", "judge_configuration")
    yield Beside("Calibration", props, "CALIBRATES", judge.end)


def _scores(row: Row) -> Iterator[Drawn]:
    props = {"body": row["body"], "seq": row["seq"], "at": row["at"], "n": row["place"]}
    yield Beside("Score", props, "SCORES", _node(row["node"]))


def _splittings(row: Row) -> Iterator[Drawn]:
    judge = _judge(row)
    yield judge
    parts = None if row["parts"] is None else canonical_json(row["parts"], item=row["node"])
    made = Thing(("Splitting",), _some(row, "judge", "judge_version", "judge_configuration", parts=parts))
    yield made
    yield Link("SPLITS", made.end, _node(row["node"]), {})
    yield Link("SPLIT_BY", made.end, judge.end, {})


def _moments(row: Row) -> Iterator[Drawn]:
    yield Beside("Moment", _some(row))


def _sequences(row: Row) -> Iterator[Drawn]:
    yield Thing(("LineageStore",), {"id": "store", "sequence": row["value"], "writes": 0}, again=True)
    incomplete = {"id": "incomplete", "type": 2, "seq": 0, "at": 0, "edition": False}
    yield Thing(("Cause", "Incomplete"), incomplete, again=True)


DRAWINGS: Final[dict[str, Callable[[Row], Iterator[Drawn]]]] = {
    "document": _documents, "version": _versions, "statement": _statements, "span": _spans, "run": _runs,
    "name": _names, "node": _nodes, "alias": _aliases, "asking": _askings, "edge": _edges, "making": _makings,
    "past_edge": _past_edges, "retirement": _retirements, "citation": _citations, "finding": _findings,
    "cause": _causes, "change": _changes, "seed": _seeds, "mark": _marks, "past_mark": _past_marks,
    "recheck": _rechecks, "decision": _decisions, "event": _events, "namespace_document": _namespace_documents,
    "namespace_input": _namespace_inputs, "passage": _passages, "judgment": _judgments, "choice": _choices,
    "calibration": _calibrations, "score": _scores, "splitting": _splittings, "moment": _moments,
    "sequence": _sequences,
}  # fmt: skip
"""What each section's rows draw (as :meth:`lineage.stores.copying.Section.back` gives them)."""

_SPOKEN: Final = {
    "s": "string",
    "n": "long",
    "b": "boolean",
    "f": "double",
    "S": "string[]",
    "N": "long[]",
    "B": "byte[]",
}
_EDGE: Final = "role:n origins:n version:n since:n ext:n own:b"
_LINEAGE: Final = (
    "id:s kind:s namespace:s key:s sha256:s text:s attributes:s title:s reason:s details:s run:s begin:n derived:b"
    " made:n lineage:n unsettled:b purged:b"
)
_PROPERTIES: Final = {
    "Document": "uri:s title:s url:s media_type:s",
    "DocumentVersion": "uri:s edition:n number:n id:s sha256:s text:s base:n source_edition:n source_number:n"
    " alignment:B seq:n at:n purged:b current:b edition_seq:n",
    "Statement": "seq:n n:n at:n body:s",
    "Span": "id:s kind:s uri:s edition:n version:n start:n end:n purged:b",
    "Answer": f"{_LINEAGE} question:s cache_key:s at:n searched:S",
    "Claim": f"{_LINEAGE} label:s needs_evidence:b",
    "LineageNode": _LINEAGE,
    "Run": "id:s key:s namespace:s producer:s body:s derived:b begin:n at:n finished:n complete:b kinds:S",
    "Key": "key:s kind:s namespace:s",
    "Alias": "alias:s namespace:s",
    "Making": "made:n run:s begin:n derived:b lineage:n until:n",
    "Citation": "claim:s run:s number:n marker:s marker_start:n marker_end:n target:s version:n start:n end:n whole:b",
    "Finding": "kind:s place:s what:s",
    "Cause": "id:s type:n seq:n at:n reason:s by:s edition:b",
    "Decision": "node:s cause:s seq:n made:n kind:s severity:n inputs:s reason:s by:s at:n",
    "Event": "node:s seq:n cause:s at:n was:n is_now:n resolution:s",
    "Moment": "seq:n at:n",
    "Namespace": "name:s",
    "Passage": "source:s sha256:s text:s",
    "Judge": "name:s version:s configuration:s",
    "Judgment": "key:s number:n statement_sha256:s statement:s verdict:s score:f reason:s latency:n cut:b by:s seq:n"
    " at:n",
    "JudgmentChoice": "key:s seq:n number:n reason:s by:s at:n",
    "Calibration": "seq:n labels:s seed:n kappa:n body:s at:n",
    "Score": "body:s seq:n at:n n:n",
    "Splitting": "node:s seq:n parts:s by:s at:n",
    "LineageStore": "id:s sequence:n writes:n",
    "ANCHORED_IN": "start:n end:n",
    "NAMES": "first:n last:n",
    "ASKED": "seq:n",
    "FORMERLY": f"{_EDGE} until:n run:s",
    "CHANGED": "edition:n kind:s source:n target_edition:n target:n",
    "SEEDS": "severity:n class:s start:n end:n readers:N",
    "MARKS": "severity:n via:s since:n resolution:s queue:n fell:b readers:N",
    "MARKED": "since:n until:n severity:n via:s resolution:s",
    "RECHECK": "waits:b",
    "DERIVES_FROM": "seq:n",
    "SHOWN": "place:n source:s",
    **dict.fromkeys((*TYPES.values(), QUOTES), _EDGE),
}


def properties(first: str, kind: str = "") -> dict[str, str]:
    """The properties of a node by its labels, or of a relationship by its type, and what each holds.

    The words are those of the import tool: string, long, boolean, double, byte, and lists of them.
    """
    said = _PROPERTIES.get(kind if first == "LineageNode" and kind in ("Span", "Answer", "Claim") else first, "")
    return {name: _SPOKEN[word] for name, _, word in (each.partition(":") for each in said.split())}
