"""What happened to a lineage graph, as values: the events from which the oracle works everything out.

Order is the order of the list. A run's begin is where its event stands, as is a correction's; an answer is ordered
by where it was asked. Nodes are named by ids, versions by their numbers, which begin at 1 in each edition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lineage.align import Alignment

Name = tuple[str, str, str]
"""(kind, namespace, written key)"""
Inputs = Mapping[tuple[str, str], int | None]
"""(role, input id) → the version that was read, for a span"""


@dataclass(frozen=True, slots=True)
class Version:
    """A text of an edition. ``text`` None: a withdrawal. ``alignment`` is from ``base``, the number of its base.

    The first version of an edition that followed another has ``source``, (edition, number): it is aligned with it.
    """

    uri: str
    edition: int
    number: int
    text: str | None
    base: int | None = None
    source: tuple[int, int] | None = None
    alignment: Alignment | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """Something said about a version: its validity or applicability. The last word on each field holds."""

    uri: str
    edition: int
    number: int
    said: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Run:
    """A run begins. ``derived``: it makes its nodes, or imports a rebuild."""

    id: str
    namespace: str
    derived: bool = True


@dataclass(frozen=True, slots=True)
class Span:
    """A passage was registered, as it stands in the version that was read."""

    uri: str
    edition: int
    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Made:
    """A run names a node, and says from what it was made. ``lineage``: 0 complete, 1 partial, 2 unknown.

    ``answer``: it is a claim of that answer, and is ordered as the answer was asked.
    """

    run: str
    node: str
    name: Name
    inputs: Inputs
    lineage: int = 0
    scope: Mapping[str, str] = field(default_factory=dict[str, str])
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Extended:
    """A run lays inputs over a node that exists."""

    run: str
    node: str
    inputs: Inputs


@dataclass(frozen=True, slots=True)
class Retired:
    """A run retires a key, by name or because it replaced it."""

    run: str
    name: Name


@dataclass(frozen=True, slots=True)
class Completed:
    """A run named all there is, of the kinds that it named."""

    run: str


@dataclass(frozen=True, slots=True)
class Change:
    """What a correction did to one document. The target is version ``target`` of ``target_edition``."""

    uri: str
    edition: int
    kind: str
    source: int
    target: int
    target_edition: int


@dataclass(frozen=True, slots=True)
class Corrected:
    """Sources changed. The versions that came are events of their own, just before."""

    id: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Decided:
    """A person's word that a cause does not affect a node: what passed, and from where, at that moment."""

    cause: str
    node: str
    severity: int
    inputs: frozenset[str]


Event = Version | Statement | Run | Span | Made | Extended | Retired | Completed | Corrected | Decided
