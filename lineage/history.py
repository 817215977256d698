"""What happened to a node or a document, in the order of the store's sequence."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby, zip_longest
from typing import Any

from lineage.refs import describe, resolve
from lineage.report.affected import iso
from lineage.report.labels import label
from lineage.stores.base import CORRECTION, INCOMPLETE, CauseState, DocumentState, NodeView, SpanRow, Transaction
from lineage_schema.vocabulary import Kind, Severity

TABLES = ("pages", "sections")
"""Statements that are long: they are counted, not written out."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. ``at`` is UTC microseconds, None where only the order is known.

    ``what`` is ``version``, ``statement``, ``correction``, ``stands``, ``naming``, ``derivation``, ``mark`` or
    ``decision``; ``details`` hold what ``text`` says, by name.
    """

    seq: int
    at: int | None
    what: str
    text: str
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def time(self) -> str:
        """``at`` as ISO 8601, or dashes."""
        return "-" * 20 if self.at is None else iso(self.at)[:19] + "Z"

    def to_json(self) -> dict[str, Any]:
        return {
            "seq": self.seq,
            "at": None if self.at is None else iso(self.at),
            "what": self.what,
            "text": self.text,
            **self.details,
        }


@dataclass(frozen=True, slots=True)
class History:
    """The events of one node, or of one document (``id`` is then its uri, ``kind`` ``document``)."""

    id: str
    kind: str
    name: str
    events: tuple[Event, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": "history/1",
            "id": self.id,
            "kind": self.kind,
            "name": self.name,
            "events": [event.to_json() for event in self.events],
        }


def history(tx: Transaction, ref: str) -> History:
    """The history of a document, by its uri, or of a node. Raises :class:`NotFound` and :class:`Ambiguous`."""
    documents: dict[str, DocumentState] = tx.sources.documents([ref])
    if ref in documents:
        return History(ref, "document", ref, _ordered(tx, _of_document(tx, documents[ref])))
    id_ = resolve(tx, ref, answers=True)
    view: NodeView = tx.reading.views([id_])[id_]
    events = [*_marks(tx, id_), *_decisions(tx, id_)]
    if view.kind == Kind.SPAN:
        spans: dict[str, SpanRow] = tx.sources.spans([id_])
        return History(id_, view.kind, label(view, spans), _ordered(tx, [*_places(tx, spans[id_]), *events]))
    events += [*_derivations(tx, view), *_namings(tx, view)]
    return History(id_, view.kind, describe(view), _ordered(tx, events))


def _ordered(tx: Transaction, events: Iterable[Event]) -> tuple[Event, ...]:
    """By sequence; what has the same number, as it was listed: what came before what it brought about.

    What has no time of its own has that of its number.
    """
    listed = list(events)
    times: dict[int, int] = tx.reading.times({event.seq for event in listed if event.at is None})
    events = [event if event.at is not None else replace(event, at=times.get(event.seq)) for event in listed]
    rank = ("version", "correction", "stands", "statement", "naming", "derivation", "decision", "mark")
    return tuple(sorted(events, key=lambda event: (event.seq, rank.index(event.what))))


# documents and spans


def _of_document(tx: Transaction, document: DocumentState) -> list[Event]:
    events: list[Event] = []
    uri = document.uri
    for state in document.editions:
        edition = f"edition {state.edition}, " if len(document.editions) > 1 else ""
        for version in tx.sources.versions([(uri, state.edition)])[uri, state.edition]:
            place = {"edition": state.edition, "version": version.number}
            about = {**place, "sha256": version.sha256, "purged": version.purged}
            what = "withdrawn" if version.sha256 is None else f"sha256 {version.sha256}"
            purged = ", its text was purged" if version.purged else ""
            events.append(
                Event(version.seq, version.at, "version", f"{edition}v{version.number} {what}{purged}", about)
            )
            for seq, at, body in tx.sources.statements(uri, state.edition, version.number):
                said: dict[str, Any] = json.loads(body)
                text = f"{edition}v{version.number}: {_said(said)}"
                events.append(Event(seq, at, "statement", text, {**place, "said": said}))
        changes = tx.marks.corrections_of(uri, state.edition)
        causes = _causes(tx, [cause for cause, _ in changes])
        for id_, change in changes:
            cause = causes[id_]
            target = f"edition {change.target_edition} " if change.target_edition != state.edition else ""
            by = f" by {cause.by}" if cause.by else ""
            text = f'{edition}{change.kind} v{change.source} → {target}v{change.target} {id_}: "{cause.reason}"{by}'
            details = {
                "correction": id_,
                "kind": change.kind,
                "edition": state.edition,
                "from_version": change.source,
                "to_edition": change.target_edition,
                "to_version": change.target,
                "reason": cause.reason,
                "by": cause.by,
            }
            events.append(Event(cause.seq, cause.at, "correction", text, details))
    return events


def _said(said: Mapping[str, Any]) -> str:
    parts = [
        f"{name} ({len(value)})"
        if name in TABLES
        else f"{name} {value if isinstance(value, str) else json.dumps(value)}"
        for name, value in said.items()
    ]
    return ", ".join(parts)


def _places(tx: Transaction, row: SpanRow) -> list[Event]:
    """In which versions of its edition the span stands, from its first on: those where that changes, or its range."""
    events: list[Event] = []
    before: tuple[int, int] | None = None
    for version in tx.sources.versions([(row.uri, row.edition)])[row.uri, row.edition]:
        if version.number < row.version:
            continue
        now = row.anchors.get(version.number)
        if now == before:
            continue
        text = f"stands in v{version.number} [{now[0]}, {now[1]})" if now else f"does not stand in v{version.number}"
        details = {"version": version.number, "start": now and now[0], "end": now and now[1]}
        events.append(Event(version.seq, version.at, "stands", text, details))
        before = now
    return events


# nodes


@dataclass(frozen=True, slots=True)
class _Making:
    run: str
    producer: str
    begin: int
    made: int
    at: int | None
    until: int | None


def _derivations(tx: Transaction, view: NodeView) -> list[Event]:
    """The makings, past ones included; those that were outranked when they came; inputs that were added later."""
    events: list[Event] = []
    makings = [_Making(*row) for row in tx.reading.makings(view.id)]
    held: list[_Making] = []
    for making in sorted(makings, key=lambda each: (each.until is not None, -(each.until or 0))):
        # What was filed while another derivation held never was current.
        outranked = any(
            other.made < making.until and (other.until is None or other.until > making.until)
            for other in held
            if making.until is not None
        )
        if not outranked:
            held.append(making)
        events.append(_making(making, outranked))
    if view.made is None:
        return events
    since = Counter(edge.since for edge in tx.reading.inputs([view.id]).get(view.id, []))
    first = min(since, default=view.made)
    for seq, count in sorted(since.items()):
        if seq == first:
            if first < view.made:
                # An extension dates the derivation anew; its first inputs tell when it began.
                text = f"made from {count} input{'' if count == 1 else 's'}"
                events.append(Event(seq, None, "derivation", text, {"inputs": count, "added": False}))
            continue
        text = f"{count} input{'' if count == 1 else 's'} added"
        events.append(Event(seq, None, "derivation", text, {"inputs": count, "added": True}))
    return events


def _making(making: _Making, outranked: bool) -> Event:
    seq = (making.until or 0) if outranked else making.made
    by = f"by {making.producer} (run {making.run}, begun {making.begin})"
    until = "" if making.until is None or outranked else f", until {making.until}"
    text = f"made {by}, outranked when it came" if outranked else f"made {by}{until}"
    details = {
        "run": making.run,
        "producer": making.producer,
        "begin": making.begin,
        "until": making.until,
        "outranked": outranked,
    }
    return Event(seq, making.at, "derivation", text, details)


def _namings(tx: Transaction, view: NodeView) -> list[Event]:
    """Which other nodes the key named, and what retired it, from this node's first naming on."""
    nodes, retired = tx.reading.namings(view.id)
    mine = next((first for id_, first, _ in nodes if id_ == view.id), None)
    if mine is None:
        return []
    events = [Event(mine, None, "naming", f"registered as {describe(view)}", {"node": view.id})]
    for id_, first, _ in nodes:
        if id_ != view.id and first > mine:
            events.append(Event(first, None, "naming", f"replaced: its key names {id_}", {"node": id_}))
    for id_, first, last in nodes:
        if id_ == view.id and last > first and any(first < other < last for each, other, _ in nodes if each != id_):
            events.append(Event(last, None, "naming", "its key names it again", {"node": id_}))
    for run, begin in retired:
        if begin > mine:
            named = any(last >= begin for _, _, last in nodes)
            text = f"its key was retired by run {run}" + (", and named since" if named else "")
            events.append(Event(begin, None, "naming", text, {"run": run, "node": None}))
    return events


def _marks(tx: Transaction, id_: str) -> list[Event]:
    """Marks opened, raised, lowered, closed, and opened again, with the correction that each is of."""
    events: list[Event] = []
    rows = tx.reading.mark_history(id_)
    causes = _causes(tx, [row[0] for row in rows])
    for name, listed in groupby(rows, key=lambda row: row[0]):
        cause, before = causes[name], 0
        mine = list(listed)
        for (_, severity, since, until, resolution, at), following in zip_longest(mine, mine[1:]):
            events.append(_mark(cause, since, before, severity, resolution, at))
            before = severity
            if severity and until is not None and (following is None or following[2] > until):
                # The store keeps what a mark was, not always the word it was closed with.
                events.append(_mark(cause, until, severity, 0, None, None))
                before = 0
    return events


def _mark(cause: CauseState, seq: int, before: int, now: int, resolution: str | None, at: int | None) -> Event:
    if cause.type == INCOMPLETE:
        of = "of incomplete lineage"
    elif cause.type == CORRECTION:
        of = f'by {cause.id} "{cause.reason}"'
    else:
        of = f"since run {cause.id} replaced what it cites"
    change = "closed" if not now else "opened" if not before else "raised" if now > before else "lowered"
    word = Severity(now or before).word
    text = f"{word} {of}" if change == "opened" else f"{change} to {word}, {of}"
    if change == "closed":
        text = f"closed: {resolution or 'not kept why'}, {of}"
    details = {"change": change, "severity": Severity(now).word, "cause": cause.id, "resolution": resolution}
    return Event(seq, at, "mark", text, details)


def _decisions(tx: Transaction, id_: str) -> list[Event]:
    events: list[Event] = []
    for cause, kind, reason, who, seq, at in tx.reading.decision_history(id_):
        by = f" by {who}" if who else ""
        details = {"kind": kind, "cause": cause, "reason": reason, "by": who}
        events.append(Event(seq, at, "decision", f'{kind} for {cause}{by}: "{reason}"', details))
    return events


def _causes(tx: Transaction, ids: list[str]) -> dict[str, CauseState]:
    return {cause.id: cause for cause in tx.marks.causes(sorted(set(ids)), changes=0)} if ids else {}
