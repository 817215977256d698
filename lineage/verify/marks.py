"""Marks: each is what the rule makes of its seed and of its inputs' marks; and their history is told without gaps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from lineage.stores.auditing import HeldMark, HistoryAudit, Passing
from lineage.stores.base import CORRECTION, REPLACEMENT
from lineage.verify.report import Audit
from lineage_schema.vocabulary import Kind, Resolution, Role, Severity, passes

PAGE = 2000
ROLES = tuple(Role)
NEAR = frozenset({Role.CLAIM, Role.CITES})
RESOLUTIONS = frozenset(resolution.value for resolution in Resolution)


@dataclass(slots=True)
class _Local:
    """What bears on one mark: its seed, the marks of its inputs, and the work on these that is pending."""

    seed: int = 0
    passed: int = 0
    inputs: set[str] = field(default_factory=set)
    may_rise: bool = False
    may_fall: bool = False


def verify_marks(audit: Audit) -> None:
    """Missing marks as well as extra ones; what pending work will still do is no fault."""
    auditing = audit.tx.auditing
    for page in auditing.pages(PAGE):
        held: dict[tuple[str, str], HeldMark] = {}
        for mark in auditing.held(page):
            audit.count("marks")
            if mark.node is None or mark.cause is None:
                what = f"mark of {mark.cause} at {audit.label(mark.node)}"
                audit.fault(what, "cause, node", None, "a cause and a node")
            else:
                held[mark.node, mark.cause] = mark
        found: dict[tuple[str, str], _Local] = {}
        for node, cause, severity in auditing.seeded(page):
            if node is not None and cause is not None:
                found.setdefault((node, cause), _Local()).seed = severity
        for each in auditing.passing(page):
            _pass(audit, each, found.setdefault((each.src, each.cause), _Local()))
        decided = auditing.decided(page)
        for key in sorted(found.keys() | held.keys()):
            _mark(audit, key, held.get(key), found.get(key, _Local()), decided)
        audit.step(PAGE)


def _pass(audit: Audit, each: Passing, local: _Local) -> None:
    """Notes what passes over one edge: DESIGN's table of roles, and for a review who has seen it."""
    local.may_rise |= each.waiting
    local.may_fall |= each.waiting and bool(each.fell)
    if not each.severity:
        return
    role, severity = ROLES[each.role], Severity(min(each.severity, 2))
    type_, _, edition = audit.causes.get(each.cause, (CORRECTION, 0, False))
    if type_ == REPLACEMENT and role not in NEAR:
        return
    if severity is Severity.REVIEW and each.version_given and type_ == CORRECTION and not each.told:
        return
    if edition and audit.tx.marks.scope_excludes(each.cause, each.src):
        return
    passed = int(passes(role, severity))
    if passed:
        local.inputs.add(each.dst)
        local.passed = max(local.passed, passed)


def _mark(
    audit: Audit,
    key: tuple[str, str],
    held: HeldMark | None,
    local: _Local,
    decided: Mapping[tuple[str, str], tuple[int, frozenset[str]]],
) -> None:
    node, cause = key
    expected = max(local.seed, local.passed)
    if expected and not local.seed and key in decided:
        severity, inputs = decided[key]
        if local.passed <= severity and local.inputs <= inputs:
            expected = 0
    found = held.severity if held is not None else 0
    if found == expected or (local.may_rise if found < expected else local.may_fall):
        return
    if not audit.tx.auditing.waits(node, cause):
        audit.fault(f"mark of {cause} at {audit.label(node)}", "severity, cause, node", found, expected)


def verify_histories(audit: Audit) -> None:
    """What a mark was leads without a gap to what it is, and each change of an answer's marks has its event."""
    for _, lines in groupby(audit.tx.auditing.histories(), key=lambda line: (line.node, line.cause)):
        _history(audit, list(lines))


def _history(audit: Audit, lines: list[HistoryAudit]) -> None:
    first = lines[0]
    item = f"mark of {first.cause} at {audit.label(first.node)}" if _odd(audit, lines) else ""
    if not item:
        return
    if first.node is None or first.cause is None:
        for what in sorted({_what(line) for line in lines}):
            audit.fault(f"{what} of {first.cause} at {audit.label(first.node)}", "cause, node", None, "both")
        return
    for line in lines:
        for fields, value, expected in _line(audit, line):
            audit.fault(f"{_what(line)} of {first.cause} at {audit.label(first.node)}", fields, value, expected)
    for what, fields, value, expected in _chain(lines):
        audit.fault(f"{what} of {first.cause} at {audit.label(first.node)}", fields, value, expected)


def _odd(audit: Audit, lines: list[HistoryAudit]) -> bool:
    """Whether anything is wrong: names are looked up only then."""
    if lines[0].node is None or lines[0].cause is None:
        return True
    return any(True for line in lines for _ in _line(audit, line)) or any(True for _ in _chain(lines))


def _what(line: HistoryAudit) -> str:
    return {"now": "mark", "then": "past mark"}.get(line.line, f"event {line.number}")


Said = tuple[str, object, object]


def _line(audit: Audit, line: HistoryAudit) -> Iterable[Said]:
    """What must hold of one line by itself."""
    severity, since = "severity", "since"
    if line.line == "event":
        severity, since = "is_now", "seq"
        if line.kind != Kind.ANSWER:
            yield "node", line.kind, "an answer"
    if line.severity not in (0, 1, 2):
        yield severity, line.severity, "0, 1 or 2"
    if (line.severity == 0) != (line.resolution is not None) or line.resolution not in {None, *RESOLUTIONS}:
        yield f"resolution, {severity}", line.resolution, "why it was closed, exactly where it is"
    elif line.resolution is not None and (line.resolution == Resolution.RESTORED) != (line.kind == Kind.SPAN):
        yield "resolution", line.resolution, "restored for spans, and for nothing else"
    began = audit.causes.get(line.cause or "", (0, 0, False))[1]
    if not began < line.since <= audit.last:
        yield since, line.since, f"from {began + 1}, after the cause, to {audit.last}"
    if line.until is not None and not line.since < line.until <= audit.last:
        yield "until", line.until, f"after {line.since}, up to {audit.last}"
    if line.via_given and not line.via_input:
        yield "via", line.via, "an input, by now or before"
    if line.fell not in (0, 1) or (line.fell and not line.waiting):
        yield "fell", line.fell, "1 only while the mark is not expanded"


def _chain(lines: list[HistoryAudit]) -> Iterable[tuple[str, str, object, object]]:
    """What must hold between the lines of one mark."""
    now = next((line for line in lines if line.line == "now"), None)
    if now is None:
        yield _what(lines[0]), "cause, node", "no mark", "a mark, open or closed"
        return
    told = [line for line in lines if line.line != "event"]
    for at, line in enumerate(told[:-1]):
        following = told[at + 1]
        if line.until is None or following.since < line.until:
            yield "past mark", "since, until", [line.until, following.since], "one after the other"
        if following.since != line.until and line.severity:
            yield "past mark", "until, since", line.until, following.since
        elif following.since == line.until and following.severity == line.severity:
            yield "past mark", "severity", line.severity, "another than what followed"
    events = [line for line in lines if line.line == "event"]
    if now.kind != Kind.ANSWER:
        return
    was, seq = 0, 0
    for event in events:
        if event.was != was:
            yield _what(event), "was", event.was, was
        if event.was == event.severity:
            yield _what(event), "was, is_now", event.severity, "a change"
        if event.since <= seq:
            yield _what(event), "id, seq", event.since, f"after {seq}, the event before"
        was, seq = event.severity, event.since
    by_number = {event.since: event for event in events}
    for line in told:
        mine = by_number.get(line.since)
        if mine is None or (mine.severity, mine.resolution) != (line.severity, line.resolution):
            shown = None if mine is None else [mine.severity, mine.resolution]
            fields = "event (seq, cause, node, is_now, resolution) or since, severity, resolution"
            yield _what(line), fields, shown, [line.severity, line.resolution]
    if events and events[-1].since != now.since:
        yield _what(events[-1]), "seq", events[-1].since, now.since
