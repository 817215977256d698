"""Where corrections begin: what each of them does to a span, from the stored alignments alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lineage._carry import carry
from lineage.align import Alignment
from lineage.chains import Chains
from lineage.standing import stand
from lineage.stores.base import ChangeRow, Seed, SpanRow, Transaction
from lineage_schema.vocabulary import ChangeKind, Severity

EDITION, WITHDRAWN = "edition", "withdrawn"
"""Classes beside those of standing: a newer edition says the same; the text was withdrawn."""


def span_seeds(chains: Chains, corrections: Iterable[tuple[str, ChangeRow]], row: SpanRow) -> list[Seed]:
    """All that the corrections of the span's edition do to it now."""
    chain = chains.chain(row.uri, row.edition)
    ended = {end.version: end for end in chain.ended_by(row.version, row.start, row.end)}
    context = {each.version: each for each in chain.context_by(row.version, row.start, row.end)}
    seeds = []
    for cause, change in corrections:
        if change.kind == ChangeKind.EDITION:
            seed = _edition_seed(chains, cause, change, row)
            if seed is not None:
                seeds.append(seed)
            continue
        end, beside = ended.get(change.target), context.get(change.target)
        if end is not None and end.until is None:
            cls = WITHDRAWN if change.kind == ChangeKind.WITHDRAW else end.cls.value
            at = end.at or (None, None)
            seeds.append(Seed(cause, row.id, Severity.INVALID, cls, *at))
        elif beside is not None and beside.open:
            seeds.append(Seed(cause, row.id, Severity.REVIEW, "context", readers=frozenset(beside.readers)))
    return seeds


def _edition_seed(chains: Chains, cause: str, change: ChangeRow, row: SpanRow) -> Seed | None:
    """A newer edition says the same, or says something else, while it is not withdrawn."""
    place = row.anchors.get(change.source)
    target = chains.version(row.uri, change.target_edition, change.target)
    document = chains.document(row.uri)
    if place is None or target is None or target.alignment is None or document is None:
        return None
    if any(state.edition == change.target_edition and state.withdrawn for state in document.editions):
        return None
    source = chains.version(row.uri, row.edition, change.source)
    old, new = chains.text(source), chains.text(target)
    if old is None or new is None:
        return None
    alignment = Alignment.from_bytes(target.alignment)
    found = stand(alignment, old, new, *place)
    if found is not None:
        return Seed(cause, row.id, Severity.REVIEW, EDITION, *found, readers=frozenset(row.anchors))
    start, end = carry(alignment, old, new, *place)
    cls = "changed" if start < end else "deleted"
    return Seed(cause, row.id, Severity.INVALID, cls, start, end)


def late_seeds(tx: Transaction, chains: Chains, rows: Sequence[SpanRow]) -> list[Seed]:
    """What earlier corrections do to spans that are registered only now."""
    corrections: dict[tuple[str, int], list[tuple[str, ChangeRow]]] = {}
    seeds = []
    for row in rows:
        key = (row.uri, row.edition)
        if key not in corrections:
            corrections[key] = tx.marks.corrections_of(*key)
        if corrections[key]:
            seeds.extend(span_seeds(chains, corrections[key], row))
    return seeds


def touched(chains: Chains, row: SpanRow, before: int, now: int) -> bool:
    """Whether some correction after one version that was read, up to another, ended the span or changed beside it."""
    if now <= before:
        return False
    chain = chains.chain(row.uri, row.edition)
    events = [end.version for end in chain.ended_by(row.version, row.start, row.end)]
    events += [beside.version for beside in chain.context_by(row.version, row.start, row.end)]
    return any(before < version <= now for version in events)
