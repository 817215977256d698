"""What a graph shows of that which the oracle predicts, read through the operations that every store has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lineage.align import Alignment
from lineage.graph import LineageGraph
from lineage.testing.history import Change, Corrected, Event, Name, Version
from lineage_schema.vocabulary import Severity


@dataclass(frozen=True)
class Observed:
    """All nodes of a graph: their open marks, current inputs with the version read, and what their keys name."""

    marks: dict[tuple[str, str], str]
    inputs: dict[str, dict[tuple[str, str], int | None]]
    current: dict[Name, str | None]
    lineage: dict[str, str]


def observe(graph: LineageGraph) -> Observed:
    """Reads a whole, small graph on one snapshot."""

    def work(tx: Any) -> Observed:
        ids = [id_ for page in tx.auditing.node_ids(1000) for id_ in page]
        views = tx.reading.views(ids)
        edges = tx.reading.inputs(ids)
        current: dict[Name, str | None] = {}
        for id_, view in views.items():
            if view.kind == "span":
                continue
            name = (view.kind, view.namespace, view.key)
            current.setdefault(name, None)
            if view.current:
                assert current[name] is None, f"{name} names two nodes: {current[name]} and {id_}"
                current[name] = id_
        return Observed(
            {(mark.cause, id_): Severity(mark.severity).word for id_, view in views.items() for mark in view.marks},
            {id_: {(edge.role, edge.dst): edge.version for edge in edges.get(id_, ())} for id_ in ids},
            current,
            {id_: view.lineage for id_, view in views.items() if view.kind != "span"},
        )

    return graph.store.read(work)


def observe_correction(graph: LineageGraph, id_: str) -> list[Event]:
    """A correction with the versions that came by it, each with its stored alignment."""

    def work(tx: Any) -> list[Event]:
        (cause,) = tx.marks.causes([id_])
        changes = [Change(c.uri, c.edition, c.kind, c.source, c.target, c.target_edition) for c in cause.changes]
        events: list[Event] = []
        for change in changes:
            key = (change.uri, change.target_edition)
            (state,) = [each for each in tx.sources.versions([key])[key] if each.number == change.target]
            text = None if state.sha256 is None else tx.sources.texts([state.sha256])[state.sha256]
            alignment = None if state.alignment is None else Alignment.from_bytes(state.alignment)
            events.append(Version(*key, state.number, text, state.base, state.source, alignment))
        return [*events, Corrected(id_, tuple(changes))]

    return graph.store.read(work)


def faults_of_versions(editions: dict[tuple[str, int], dict[int, Version]], events: Iterable[Event]) -> list[str]:
    """What is wrong with versions that came by a correction: their numbers, bases and alignments (section 4)."""
    faults: list[str] = []
    for event in events:
        if not isinstance(event, Version):
            continue
        before = editions.get((event.uri, event.edition), {})
        name = f"{event.uri} edition {event.edition} v{event.number}"
        if event.number != len(before) + 1:
            faults.append(f"{name}: its number should be {len(before) + 1}")
        wanted = expected_base([each.text for each in before.values()], event.text)
        if event.base != wanted:
            faults.append(f"{name}: its base is {event.base}, not {wanted}")
        base = before.get(event.base or 0)
        if event.source is not None:
            base = editions[event.uri, event.source[0]][event.source[1]]
        if (base is None) != (event.alignment is None):
            faults.append(f"{name}: it has an alignment without a base, or the reverse")
        elif base is not None and base.text is not None and event.alignment is not None:
            for a, b, length in event.alignment.blocks:
                if base.text[a : a + length] != (event.text or "")[b : b + length]:
                    faults.append(f"{name}: it is aligned with other characters at {a}")
            if base.text == event.text and event.alignment.aligned != len(base.text):
                faults.append(f"{name}: it is equal to its base, and not all of it is aligned")
    return faults


def expected_base(before: Sequence[str | None], text: str | None) -> int | None:
    """The version that a new one is aligned with: the last one of equal text, else the one before, if it has a text."""
    if text is None or not before:
        return None
    equal = [number for number, each in enumerate(before, 1) if each == text]
    return equal[-1] if equal else None if before[-1] is None else len(before)
