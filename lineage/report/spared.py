"""What a correction did not reach, and why; and what cannot be excluded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lineage.report.labels import order
from lineage.stores.base import CauseState, NodeView, SpanRow, Transaction
from lineage_schema.vocabulary import Kind

GROUP = 64


@dataclass(frozen=True, slots=True)
class Spared:
    """An answer that stands on a corrected document and is not marked. ``reason`` is one word.

    It is ``pending`` where a changed span lies under the answer and propagation has not finished.
    """

    id: str
    kind: str
    key: str
    reason: str
    because: str

    def to_json(self) -> dict[str, Any]:
        return {"id": self.id, "kind": self.kind, "key": self.key, "because": self.because}


def spared(tx: Transaction, cause: CauseState, marked: set[str], *, pending: bool, replaced: bool) -> list[Spared]:
    """Answers above the corrected versions' spans that the correction does not mark."""
    ids = tx.reading.answers_above(
        [(change.uri, change.edition, change.source) for change in cause.changes], current=not replaced
    )
    left = [id_ for id_ in ids if id_ not in marked]
    found: list[Spared] = []
    for begin in range(0, len(left), GROUP):
        found.extend(_reasons(tx, cause, left[begin : begin + GROUP], pending))
    return found


def _reasons(tx: Transaction, cause: CauseState, ids: list[str], pending: bool) -> list[Spared]:
    walk = tx.reading.walk(ids, up=False, passing=True)
    inputs: dict[str, list[str]] = {}
    for edge in walk.edges:
        inputs.setdefault(edge.src, []).append(edge.dst)
    spans: dict[str, SpanRow] = tx.sources.spans(walk.levels)
    views: dict[str, NodeView] = tx.reading.views(ids)
    seeds = {
        id_: seed for id_, listed in tx.marks.seeds(list(spans)).items() for seed in listed if seed.cause == cause.id
    }
    decisions = tx.marks.decisions(walk.levels)
    found = []
    for id_ in sorted(ids, key=lambda each: order(views[each])):
        under = _below(id_, inputs)
        reason, because = _because(tx, cause, id_, under, spans, seeds, decisions, pending)
        found.append(Spared(id_, Kind.ANSWER.value, views[id_].key, reason, because))
    return found


def _below(id_: str, inputs: Mapping[str, list[str]]) -> list[str]:
    seen, stack = {id_}, [id_]
    while stack:
        for below in inputs.get(stack.pop(), ()):
            if below not in seen:
                seen.add(below)
                stack.append(below)
    return list(seen)


def _because(
    tx: Transaction,
    cause: CauseState,
    id_: str,
    under: list[str],
    spans: Mapping[str, SpanRow],
    seeds: Mapping[str, Any],
    decisions: Mapping[tuple[str, str], Any],
    pending: bool,
) -> tuple[str, str]:
    reached = sorted(node for node in under if node in seeds)
    if reached and pending:
        return "pending", "pending: propagation has not finished, it is not reached so far"
    for node in sorted(under):
        decision = decisions.get((cause.id, node))
        if decision is not None:
            return decision.kind, f"{decision.kind}: {decision.reason}"
    if reached and any(tx.marks.scope_excludes(cause.id, node) for node in [id_] if _has_edition(cause)):
        return "scope", "scope: its own scope lies in the old edition's validity"
    if reached:
        row = spans[reached[0]]
        return "beside", f"beside: what stands beside its span in {row.uri} is what it read, or it read it since"
    changes = {(change.uri, change.edition): change for change in cause.changes}
    places = []
    for node in under:
        span = spans.get(node)
        change = None if span is None else changes.get((span.uri, span.edition))
        if span is None or change is None or change.source not in span.anchors:
            continue
        now = span.anchors.get(change.target) if change.target_edition == span.edition else None
        place = now or span.anchors[change.source]
        number = change.target if now else change.source
        places.append((span.uri, number, *place))
    if not places:
        return "stands", "stands: its spans of the corrected documents stand"
    uri, number, start, end = min(places)
    more = f" (and {len(places) - 1} more)" if len(places) > 1 else ""
    return "stands", f"stands: its span stands, now at {uri} v{number} [{start}, {end}){more}"


def _has_edition(cause: CauseState) -> bool:
    return any(change.kind == "edition" for change in cause.changes)


def cannot_exclude(tx: Transaction, cause: CauseState, marked: set[str], *, replaced: bool) -> list[dict[str, str]]:
    """Answers above incomplete lineage that may stand on the correction in ways that are not known."""
    found = []
    for id_ in tx.reading.marked_answers("incomplete", current=not replaced):
        if id_ in marked:
            continue
        why = dict(tx.reading.cannot_exclude(id_)).get(cause.id)
        if why is not None:
            found.append((id_, why))
    views: dict[str, NodeView] = tx.reading.views([id_ for id_, _ in found])
    return [
        {"id": id_, "key": views[id_].key, "because": why}
        for id_, why in sorted(found, key=lambda each: order(views[each[0]]))
    ]
