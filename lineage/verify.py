"""Re-deriving what a store holds from what a reader gets back, and naming what disagrees.

What it cannot see: a change of words that nothing is derived from (a reason, a name of who
decided, a producer's own description, a time), and a change that someone made consistently
everywhere. Work goes in pages, so that memory does not grow with the store.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from lineage.align import Alignment
from lineage.chains import Chains
from lineage.seeds import span_seeds
from lineage.stores.base import NodeView, SpanRow, Transaction, VersionState
from lineage_schema.canonical import canonical_json
from lineage_schema.errors import BadInput
from lineage_schema.identity import content_hash, correction_id, node_id, parse_key, run_id, span_id, version_id
from lineage_schema.text import TextIndex

PAGE = 2000


@dataclass(frozen=True, slots=True)
class Fault:
    """One place that contradicts the rest of the store."""

    item: str
    field: str
    found: Any
    expected: Any

    def to_json(self) -> dict[str, Any]:
        return {"item": self.item, "field": self.field, "found": self.found, "expected": self.expected}


@dataclass(slots=True)
class Verification:
    """What was looked at, and what was wrong with it."""

    checked: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return {"checked": self.checked, "faults": [fault.to_json() for fault in self.faults]}

    def same(self, item: str, field_: str, found: Any, expected: Any) -> None:
        """Notes a fault where the two differ."""
        if found != expected:
            self.faults.append(Fault(item, field_, found, expected))

    def count(self, what: str, number: int = 1) -> None:
        """Notes that something was looked at."""
        self.checked[what] = self.checked.get(what, 0) + number


def verify(tx: Transaction, progress: Callable[[int, int], None] | None = None) -> Verification:
    """Looks at the whole store."""
    report = Verification()
    for name, fault in tx.auditing.storage():
        report.faults.append(Fault(name, "storage", fault, "no fault"))
    _texts(tx, report)
    _documents(tx, report)
    _runs_and_corrections(tx, report)
    _nodes(tx, report, progress)
    for item, field_, found, expected in tx.auditing.relations():
        report.faults.append(Fault(item, field_, found, expected))
    if not tx.spread.pending():
        for item, field_, found, expected in tx.auditing.marks():
            report.faults.append(Fault(item, field_, found, expected))
        report.count("marks", tx.auditing.mark_count())
    return report


def _texts(tx: Transaction, report: Verification) -> None:
    for sha256, text in tx.auditing.texts():
        report.same(f"text {sha256[:12]}…", "body", content_hash(text), sha256)
        report.count("texts")


def _documents(tx: Transaction, report: Verification) -> None:
    after = ""
    while uris := tx.sources.uris(after=after, limit=PAGE):
        for uri, state in tx.sources.documents(uris).items():
            for edition in state.editions:
                _edition(tx, report, uri, edition.edition, edition.current)
        after = uris[-1]


def _edition(tx: Transaction, report: Verification, uri: str, edition: int, current: int) -> None:
    chains = Chains(tx)
    versions = chains.versions(uri, edition)
    item = f"{uri} edition {edition}"
    report.same(item, "current", current, versions[-1].number if versions else None)
    report.same(item, "numbers", [v.number for v in versions], list(range(1, len(versions) + 1)))
    sound = True
    for version in versions:
        report.count("versions")
        name = f"{uri} v{version.number}" + (f" of edition {edition}" if edition > 1 else "")
        expected = version_id(uri, edition, version.number, version.sha256)
        report.same(name, "id", tx.auditing.version_id(uri, edition, version.number), expected)
        sound &= _alignment(chains, report, uri, edition, version, versions, name)
        _statements(tx, report, uri, edition, version, chains.text(version), name)
    if not sound:
        return
    for ids in _pages(tx.sources.of_edition(uri, edition)):
        for id_, row in tx.sources.spans(ids).items():
            _span(tx, report, chains, id_, row)


def _alignment(
    chains: Chains,
    report: Verification,
    uri: str,
    edition: int,
    version: VersionState,
    versions: Sequence[VersionState],
    name: str,
) -> bool:
    before = [each for each in versions if each.number < version.number]
    if version.sha256 is None or (not before and version.source is None):
        report.same(name, "alignment", version.alignment, None)
        return True
    if version.source is None:
        equal = [each.number for each in before if each.sha256 == version.sha256 and not each.purged]
        wanted = equal[-1] if equal else before[-1].number
        if version.base is None or not (version.purged or any(each.purged for each in before)):
            expected = None if before[-1].sha256 is None and not equal else wanted
            report.same(name, "base", version.base, expected)
        base = next((each for each in before if each.number == version.base), None)
    else:
        base = chains.version(uri, *version.source)
    if version.base is None and version.source is None:
        return True
    a, b = chains.text(base), chains.text(version)
    if a is None or b is None:
        return True
    try:
        alignment = Alignment.from_bytes(version.alignment or b"")
    except ValueError as error:
        report.faults.append(Fault(name, "alignment", str(error), "an alignment"))
        return False
    report.same(name, "alignment lengths", (alignment.length_a, alignment.length_b), (len(a), len(b)))
    wrong = [
        block
        for block in alignment.blocks
        if a.text[block[0] : block[0] + block[2]] != b.text[block[1] : block[1] + block[2]]
    ]
    report.same(name, "alignment blocks", wrong[:1], [])
    return not wrong and (alignment.length_a, alignment.length_b) == (len(a), len(b))


def _statements(
    tx: Transaction,
    report: Verification,
    uri: str,
    edition: int,
    version: VersionState,
    text: TextIndex | None,
    name: str,
) -> None:
    for _, _, body in tx.sources.statements(uri, edition, version.number):
        try:
            said = json.loads(body)
            report.same(name, "statement", body, canonical_json(said))
        except (ValueError, BadInput) as error:
            report.faults.append(Fault(name, "statement", str(error), "canonical JSON"))
            continue
        for part in [*(said.get("pages") or ()), *(said.get("sections") or ())]:
            if text is not None and not 0 <= part["start"] <= part["end"] <= len(text):
                report.faults.append(
                    Fault(name, "statement range", [part["start"], part["end"]], f"inside [0, {len(text)}]")
                )


def _span(tx: Transaction, report: Verification, chains: Chains, id_: str, row: SpanRow) -> None:
    report.count("spans")
    name = f"span {row.uri} v{row.version} [{row.start}, {row.end})"
    report.same(name, "id", id_, span_id(row.uri, row.edition, row.version, row.start, row.end))
    first = chains.version(row.uri, row.edition, row.version)
    if first is None or first.purged:
        return
    chain = chains.chain(row.uri, row.edition)
    try:
        report.same(
            name, "first place", (row.version, row.start, row.end), chain.first(row.version, row.start, row.end)
        )
        report.same(name, "anchors", dict(row.anchors), chain.anchors(row.version, row.start, row.end))
        wanted = {s.cause: s for s in span_seeds(chains, tx.marks.corrections_of(row.uri, row.edition), row)}
    except (ValueError, KeyError) as error:
        report.faults.append(Fault(name, "range", str(error), "a range of its version"))
        return
    held = {seed.cause: seed for seed in tx.marks.seeds([id_]).get(id_, [])}
    for cause in sorted(wanted.keys() | held.keys()):
        report.same(name, f"what {cause} does to it", held.get(cause), wanted.get(cause))


def _runs_and_corrections(tx: Transaction, report: Verification) -> None:
    for id_, namespace, key in tx.auditing.runs():
        report.same(f"run {namespace}/{key}", "id", id_, run_id(namespace, key))
        report.count("runs")
    for cause in tx.marks.causes(type_=0):
        rows = [(c.uri, c.edition, c.kind, c.source, c.target) for c in cause.changes]
        report.same(f"correction {cause.id}", "documents", cause.id, correction_id(rows))
        report.count("corrections")


def _nodes(tx: Transaction, report: Verification, progress: Callable[[int, int], None] | None) -> None:
    total = tx.auditing.node_count()
    done = 0
    for ids in tx.auditing.node_ids(PAGE):
        for id_, view in tx.reading.views(ids).items():
            if view.kind != "span":
                _node(report, id_, view)
        done += len(ids)
        if progress is not None:
            progress(done, total)


def _node(report: Verification, id_: str, view: NodeView) -> None:
    report.count("nodes")
    name = f"{view.kind}:{view.namespace}/{view.key}"
    try:
        expected = node_id(view.kind, view.namespace, parse_key(view.key), view.sha256, view.attributes)
    except BadInput as error:
        expected = str(error)
    report.same(name, "id (kind, namespace, key, text or attributes)", id_, expected)
    report.same(name, "lineage reason", view.lineage == "complete" or bool(view.reason), True)
    report.same(name, "answer row", view.question is not None, view.kind == "answer")
    report.same(name, "claim row", view.needs_evidence is not None, view.kind == "claim")


def _pages(ids: Sequence[str]) -> Iterable[Sequence[str]]:
    for begin in range(0, len(ids), PAGE):
        yield ids[begin : begin + PAGE]
