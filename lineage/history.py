"""What happened to a node or a document, in the order of the store's sequence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lineage.refs import describe, resolve
from lineage.report.affected import iso
from lineage.stores.base import Transaction
from lineage_schema.vocabulary import Severity


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. ``at`` is UTC microseconds, None where only the order is known."""

    seq: int
    at: int | None
    what: str
    text: str

    @property
    def time(self) -> str:
        """``at`` as ISO 8601, or dashes."""
        return "-" * 20 if self.at is None else iso(self.at)[:19] + "Z"

    def to_json(self) -> dict[str, Any]:
        return {"seq": self.seq, "at": None if self.at is None else iso(self.at), "what": self.what, "text": self.text}


@dataclass(frozen=True, slots=True)
class History:
    """The events of one node or document."""

    name: str
    events: tuple[Event, ...]

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "events": [event.to_json() for event in self.events]}


def history(tx: Transaction, ref: str) -> History:
    """The history of a document, by its uri, or of a node."""
    if ref in tx.sources.documents([ref]):
        return History(ref, tuple(sorted(_of_document(tx, ref), key=lambda event: event.seq)))
    id_ = resolve(tx, ref, answers=True)
    view = tx.reading.views([id_])[id_]
    return History(describe(view), tuple(sorted(_of_node(tx, id_), key=lambda event: event.seq)))


def _of_document(tx: Transaction, uri: str) -> list[Event]:
    events = []
    document = tx.sources.documents([uri])[uri]
    for state in document.editions:
        for version in tx.sources.versions([(uri, state.edition)])[uri, state.edition]:
            what = "withdrawn" if version.sha256 is None else f"v{version.number} sha256 {version.sha256[:12]}…"
            edition = f"edition {state.edition}, " if len(document.editions) > 1 else ""
            events.append(Event(version.seq, version.at, "version", edition + what))
            for seq, at, body in tx.sources.statements(uri, state.edition, version.number):
                events.append(Event(seq, at, "statement", f"{edition}v{version.number}: {body}"))
        for cause, change in tx.marks.corrections_of(uri, state.edition):
            (found,) = tx.marks.causes([cause])
            text = f'{change.kind} {cause}: "{found.reason}"' + (f" by {found.by}" if found.by else "")
            events.append(Event(found.seq, found.at, "correction", text))
    return events


def _of_node(tx: Transaction, id_: str) -> list[Event]:
    events = []
    for run, producer, begin, made, at, until in tx.reading.makings(id_):
        ended = "" if until is None else f", until {until}"
        events.append(Event(made, at, "derivation", f"made by {producer} (run {run}, begun {begin}){ended}"))
    for cause, severity, since, until, resolution in tx.reading.mark_history(id_):
        if severity:
            events.append(Event(since, None, "mark", f"{Severity(severity).word} by {cause}"))
        else:
            events.append(Event(since, None, "mark", f"closed for {cause}: {resolution}"))
        if until is not None and severity:
            events.append(Event(until, None, "mark", f"{Severity(severity).word} by {cause} ended"))
    for cause, kind, reason, who, seq, at in tx.reading.decision_history(id_):
        by = f" by {who}" if who else ""
        events.append(Event(seq, at, "decision", f'{kind} for {cause}{by}: "{reason}"'))
    return events
