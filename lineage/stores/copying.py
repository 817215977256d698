"""What a store holds, as rows that are the same in every store: the sections of a dump.

Rows name things as readers do: by ids, uris, keys and sequence numbers, never by a store's own row numbers. Each
section has one order, that of its ``key`` (text by code points). A field without a value is left out.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple, Protocol

from lineage.stores.base import CORRECTION, REPLACEMENT
from lineage_schema.vocabulary import Completeness, Origin, Role

Row = dict[str, Any]


def _same(value: Any) -> Any:
    return value


class Kind(NamedTuple):
    """What a field may hold. ``out`` turns what stores keep into what a dump says; ``back`` is its inverse."""

    expected: str
    fits: Callable[[Any], bool]
    out: Callable[[Any], Any] = _same
    back: Callable[[Any], Any] = _same
    optional: bool = False


def maybe(kind: Kind) -> Kind:
    """The same, where there may be none."""
    return kind._replace(optional=True)


def _is_int(value: Any) -> bool:
    return type(value) is int


def _is_text(value: Any) -> bool:
    return type(value) is str


def _listed(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def _pattern(expected: str, pattern: str) -> Kind:
    matches = re.compile(pattern).fullmatch
    return Kind(expected, lambda value: _is_text(value) and matches(value) is not None)


def _words(words: tuple[str, ...]) -> Kind:
    codes = {word: code for code, word in enumerate(words)}
    return Kind(
        "one of " + ", ".join(words), lambda v: _is_text(v) and v in codes, words.__getitem__, codes.__getitem__
    )


def _list_of(expected: str, fits: Callable[[Any], bool], out: Callable[[Any], Any] = sorted) -> Kind:
    return Kind(
        expected, lambda value: isinstance(value, list) and all(map(fits, value)), lambda value: out(_listed(value))
    )


def _is_range(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(map(_is_int, value))


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_text, value))


def _is_base64(value: Any) -> bool:
    try:
        return _is_text(value) and b64encode(b64decode(value, validate=True)).decode() == value
    except ValueError:
        return False


def _is_number(value: Any) -> bool:
    try:
        return _is_text(value) and repr(float(value)) == value
    except ValueError:
        return False


_ORIGINS: Final = tuple(origin.value for origin in Origin)

TEXT: Final = Kind("a text", _is_text)
INT: Final = Kind("a whole number", _is_int)
BOOL: Final = Kind("true or false", lambda value: type(value) is bool, bool)
NODE: Final = _pattern("a node's id (l1: and 40 digits)", "l1:[0-9a-f]{40}")
VERSION: Final = _pattern("a version's id (v1: and 40 digits)", "v1:[0-9a-f]{40}")
RUN: Final = _pattern("a run's id (r1: and 40 digits)", "r1:[0-9a-f]{40}")
JUDGMENT: Final = _pattern("a judgment's key (j1: and 40 digits)", "j1:[0-9a-f]{40}")
SHA256: Final = _pattern("64 hex digits", "[0-9a-f]{64}")
BYTES: Final = Kind("bytes in base64", _is_base64, lambda value: b64encode(value).decode(), b64decode)
NUMBER: Final = Kind("a decimal number in quotes", _is_number, lambda value: repr(float(value)), float)
ROLE: Final = _words(tuple(role.value for role in Role))
LINEAGE: Final = _words(tuple(word.value for word in Completeness))
CAUSE: Final = _words(("correction", "replacement"))
ORIGINS: Final = Kind(
    "origins: " + ", ".join(_ORIGINS),
    lambda value: isinstance(value, list) and all(each in _ORIGINS for each in value),
    lambda mask: [word for bit, word in enumerate(_ORIGINS) if mask >> bit & 1],
    lambda words: sum(1 << _ORIGINS.index(word) for word in words),
)
TEXTS: Final = _list_of("a list of texts", _is_text)
PARTS: Final = _list_of("a list of texts in order", _is_text, list)
NUMBERS: Final = _list_of("a list of whole numbers", _is_int)
PLACES: Final = _list_of("a list of [version, start, end]", _is_range)
SHOWN: Final = _list_of("a list of [source, sha256]", _is_pair, lambda shown: [each[1:] for each in sorted(shown)])

assert (CORRECTION, REPLACEMENT) == (0, 1)


class Ref(NamedTuple):
    """Fields of a row that name something of an earlier row. Where one of them is left out, nothing is named."""

    target: str
    fields: tuple[str, ...]


def _ref(target: str, *fields: str) -> Ref:
    return Ref(target, fields)


@dataclass(frozen=True)
class Section:
    """One kind of rows. ``of_nodes``: the key begins with a node, and a node has few of them.

    ``repeats``: two rows may be equal in all that the key holds.
    """

    name: str
    fields: Mapping[str, Kind]
    key: tuple[str, ...]
    refs: tuple[Ref, ...] = ()
    of_nodes: bool = False
    repeats: bool = False

    def out(self, raw: Mapping[str, Any]) -> Row:
        """What a dump says, of what a store keeps."""
        return {name: kind.out(raw[name]) for name, kind in self.fields.items() if raw[name] is not None}

    def back(self, row: Mapping[str, Any]) -> Row:
        """What a store keeps, of what a dump says: every field, None where it was left out."""
        return {name: kind.back(row[name]) if name in row else None for name, kind in self.fields.items()}

    def place(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        """By what rows are ordered. Values of one field are of one type; what is left out comes first."""
        return tuple((name in row, row.get(name)) for name in self.key)

    def ordered(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Rows in their order, where they come in the order of the key's first field alone."""
        for _, some in groupby(rows, key=itemgetter(self.key[0])):
            yield from sorted(some, key=self.place)


_VERSION = ("uri", "edition", "number")
_NAME = ("key", "kind", "namespace")

SECTIONS: Final = (
    Section("document", {"uri": TEXT, "title": maybe(TEXT), "url": maybe(TEXT), "media_type": TEXT}, ("uri",)),
    Section(
        "version",
        {
            "uri": TEXT, "edition": INT, "number": INT, "id": VERSION, "sha256": maybe(SHA256), "text": maybe(TEXT),
            "base_edition": maybe(INT), "base": maybe(INT), "alignment": maybe(BYTES), "seq": INT, "at": INT,
            "purged": BOOL, "current": BOOL, "edition_seq": INT,
        },
        _VERSION,
        (_ref("document", "uri"), _ref("version", "uri", "base_edition", "base")),
    ),
    Section(
        "statement",
        {"uri": TEXT, "edition": INT, "number": INT, "seq": INT, "place": INT, "at": INT, "body": TEXT},
        (*_VERSION, "seq", "place"),
        (_ref("version", *_VERSION),),
    ),
    Section(
        "span",
        {
            "id": NODE, "uri": TEXT, "edition": INT, "version": INT, "start": INT, "end": INT, "purged": BOOL,
            "anchors": PLACES,
        },
        ("id",),
        (_ref("version", "uri", "edition", "version"),),
        of_nodes=True,
    ),
    Section(
        "run",
        {
            "id": RUN, "key": TEXT, "namespace": TEXT, "producer": TEXT, "body": TEXT, "derived": BOOL, "begin": INT,
            "at": INT, "finished": maybe(INT), "complete": BOOL, "kinds": TEXTS,
        },
        ("id",),
    ),
    Section("name", {"key": TEXT, "kind": TEXT, "namespace": TEXT}, _NAME),
    Section(
        "node",
        {
            "id": NODE, "kind": TEXT, "namespace": TEXT, "key": TEXT, "current": BOOL, "named_first": INT,
            "named_last": INT, "sha256": SHA256, "text": maybe(TEXT), "attributes": maybe(TEXT), "title": maybe(TEXT),
            "reason": maybe(TEXT), "details": maybe(TEXT), "run": RUN, "begin": INT, "derived": BOOL, "made": INT,
            "lineage": LINEAGE, "unsettled": BOOL, "purged": BOOL, "question": maybe(TEXT), "cache_key": maybe(TEXT),
            "at": maybe(INT), "searched": maybe(TEXTS), "label": maybe(TEXT), "needs_evidence": maybe(BOOL),
        },
        ("id",),
        (_ref("name", *_NAME), _ref("run", "run")),
        of_nodes=True,
    ),
    Section(
        "alias",
        {"alias": TEXT, "namespace": TEXT, "node": NODE},
        ("alias", "namespace", "node"),
        (_ref("node", "node"),),
    ),
    Section(
        "asking",
        {"node": NODE, "run": RUN, "seq": INT},
        ("node", "run"),
        (_ref("node", "node"), _ref("run", "run")),
        of_nodes=True,
    ),
    Section(
        "edge",
        {
            "src": NODE, "role": ROLE, "dst": NODE, "origins": ORIGINS, "version": maybe(INT), "since": INT,
            "ext": maybe(INT), "own": BOOL,
        },
        ("src", "role", "dst"),
        (_ref("node", "src"), _ref("node", "dst"), _ref("read", "dst", "version")),
        of_nodes=True,
    ),
    Section(
        "making",
        {
            "node": NODE, "made": INT, "run": RUN, "begin": INT, "derived": BOOL, "lineage": LINEAGE,
            "until": maybe(INT),
        },
        ("node", "made", "run"),
        (_ref("node", "node"), _ref("run", "run")),
        of_nodes=True,
    ),
    Section(
        "past_edge",
        {
            "src": NODE, "until": INT, "since": INT, "role": ROLE, "dst": NODE, "origins": ORIGINS,
            "version": maybe(INT), "ext": maybe(INT), "own": BOOL, "run": RUN,
        },
        ("src", "until", "since", "role", "dst", "run", "origins", "version", "ext", "own"),
        (_ref("node", "src"), _ref("node", "dst"), _ref("read", "dst", "version"), _ref("run", "run")),
        of_nodes=True,
        repeats=True,
    ),
    Section(
        "retirement",
        {"run": RUN, "key": TEXT, "kind": TEXT, "namespace": TEXT},
        ("run", *_NAME),
        (_ref("run", "run"), _ref("name", *_NAME)),
    ),
    Section(
        "citation",
        {
            "claim": NODE, "run": RUN, "number": INT, "marker": maybe(TEXT), "marker_start": maybe(INT),
            "marker_end": maybe(INT), "target": maybe(NODE), "version": maybe(INT), "start": maybe(INT),
            "end": maybe(INT), "whole": BOOL,
        },
        ("claim", "run", "number"),
        (
            _ref("node", "claim"), _ref("run", "run"), _ref("node", "target"), _ref("read", "target", "version"),
        ),
        of_nodes=True,
    ),
    Section(
        "finding",
        {"run": RUN, "kind": TEXT, "place": TEXT, "what": TEXT},
        ("run", "kind", "place", "what"),
        (_ref("run", "run"),),
    ),
    Section(
        "cause",
        {
            "id": TEXT, "kind": CAUSE, "seq": INT, "at": INT, "reason": maybe(TEXT), "by": maybe(TEXT),
            "edition": BOOL,
        },
        ("id",),
    ),
    Section(
        "change",
        {
            "cause": TEXT, "uri": TEXT, "edition": INT, "kind": TEXT, "source": INT, "target_edition": INT,
            "target": INT,
        },
        ("cause", "uri", "edition"),
        (
            _ref("cause", "cause"), _ref("version", "uri", "edition", "source"),
            _ref("version", "uri", "target_edition", "target"),
        ),
    ),
    Section(
        "seed",
        {
            "node": NODE, "cause": TEXT, "severity": INT, "class": maybe(TEXT), "start": maybe(INT),
            "end": maybe(INT), "readers": NUMBERS,
        },
        ("node", "cause"),
        (_ref("node", "node"), _ref("cause", "cause")),
        of_nodes=True,
    ),
    Section(
        "mark",
        {
            "node": NODE, "cause": TEXT, "severity": INT, "via": maybe(NODE), "since": INT, "resolution": maybe(TEXT),
            "waiting": BOOL, "fell": BOOL, "readers": NUMBERS,
        },
        ("node", "cause"),
        (_ref("node", "node"), _ref("cause", "cause"), _ref("node", "via")),
        of_nodes=True,
    ),
    Section(
        "past_mark",
        {
            "node": NODE, "cause": TEXT, "since": INT, "until": INT, "severity": INT, "via": maybe(NODE),
            "resolution": maybe(TEXT),
        },
        ("node", "cause", "since", "until", "severity", "via"),
        (_ref("node", "node"), _ref("cause", "cause"), _ref("node", "via")),
        of_nodes=True,
        repeats=True,
    ),
    Section(
        "recheck",
        {"node": NODE, "cause": TEXT},
        ("node", "cause"),
        (_ref("node", "node"), _ref("cause", "cause")),
        of_nodes=True,
    ),
    Section(
        "decision",
        {
            "node": NODE, "cause": TEXT, "seq": INT, "made": INT, "kind": TEXT, "severity": INT, "inputs": TEXTS,
            "reason": TEXT, "by": maybe(TEXT), "at": INT,
        },
        ("node", "cause", "seq"),
        (_ref("node", "node"), _ref("cause", "cause")),
        of_nodes=True,
    ),
    Section(
        "event",
        {
            "node": NODE, "seq": INT, "cause": TEXT, "at": INT, "was": INT, "is_now": INT, "resolution": maybe(TEXT),
        },
        ("node", "seq", "cause"),
        (_ref("node", "node"), _ref("cause", "cause")),
        of_nodes=True,
    ),
    Section(
        "namespace_document",
        {"namespace": TEXT, "uri": TEXT, "seq": INT},
        ("namespace", "uri"),
        (_ref("document", "uri"),),
    ),
    Section("namespace_input", {"namespace": TEXT, "input": TEXT}, ("namespace", "input")),
    Section("passage", {"source": TEXT, "sha256": SHA256, "text": maybe(TEXT)}, ("source", "sha256")),
    Section(
        "judgment",
        {
            "key": JUDGMENT, "number": INT, "judge": TEXT, "judge_version": TEXT, "judge_configuration": TEXT,
            "statement_sha256": SHA256, "statement": maybe(TEXT), "shown": SHOWN, "verdict": TEXT,
            "score": maybe(NUMBER), "reason": maybe(TEXT), "latency": maybe(INT), "cut": BOOL, "by": maybe(TEXT),
            "seq": INT, "at": INT,
        },
        ("key", "number"),
        (_ref("passages", "shown"),),
    ),
    Section(
        "choice",
        {"key": JUDGMENT, "seq": INT, "number": INT, "reason": TEXT, "by": maybe(TEXT), "at": INT},
        ("key", "seq"),
        (_ref("judgment", "key", "number"),),
    ),
    Section(
        "calibration",
        {
            "seq": INT, "judge": TEXT, "judge_version": TEXT, "judge_configuration": TEXT, "labels": TEXT,
            "seed": INT, "kappa": maybe(INT), "body": TEXT, "at": INT,
        },
        ("seq", "judge", "judge_version", "judge_configuration", "labels", "seed", "body"),
        repeats=True,
    ),
    Section(
        "score",
        {"node": NODE, "seq": INT, "place": INT, "at": INT, "body": TEXT},
        ("node", "seq", "place"),
        (_ref("node", "node"),),
        of_nodes=True,
    ),
    Section(
        "splitting",
        {
            "node": NODE, "seq": INT, "judge": TEXT, "judge_version": TEXT, "judge_configuration": TEXT,
            "parts": maybe(PARTS), "by": maybe(TEXT), "at": INT,
        },
        ("node", "seq"),
        (_ref("node", "node"),),
        of_nodes=True,
    ),
    Section("moment", {"seq": INT, "at": INT}, ("seq",)),
    Section("sequence", {"value": INT}, ("value",)),
)  # fmt: skip
"""In the order in which a dump has them: what rows name stands in a section before, or earlier in their own."""

BY_NAME: Final = {section.name: section for section in SECTIONS}


class Copying(Protocol):
    """A whole store out, section by section, and into an empty one."""

    def rows(self, section: Section) -> Iterator[Row]:
        """All rows of a section in their order, as a dump says them. Memory is bounded by a page."""
        ...

    def empty(self) -> bool:
        """Whether nothing was ever registered."""
        ...

    def known(self, target: str, wanted: Collection[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
        """Those of the names (a :class:`Ref`'s values) that the store has."""
        ...

    def put(self, section: Section, rows: list[Row]) -> None:
        """Writes rows (as :meth:`Section.back` gives them). What they name is there, and they are not."""
        ...

    def finish(self) -> None:
        """All rows were put: what is made of them alone is made."""
        ...
