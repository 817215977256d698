"""Registering what an importer made: a run, documents first, then batches in an order that has inputs first."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lineage.importers.drafts import Draft
from lineage.importers.report import Finding, ImportReport, Notes, by_method
from lineage.importers.sink import GraphSink, Written
from lineage.importers.sources import Source
from lineage_schema.canonical import canonical_json
from lineage_schema.errors import BadInput, Conflict
from lineage_schema.records import Record
from lineage_schema.vocabulary import Completeness, RunMode

Progress = Callable[[int, int], None]
"""Called with how many records are registered, and of how many."""

BATCH_SIZE = 5_000


@dataclass(frozen=True)
class RunFacts:
    """What is known of the pipeline's run, and the files that were read, by the name they count under."""

    producer: str
    version: str | None
    model: str | None
    config_hash: str | None
    files: Mapping[str, Path]


def run_key(facts: RunFacts, options: object) -> str:
    """A key made of the files' bytes and of what the import was told: the same again is the same run."""
    files: dict[str, str] = {}
    for name, path in facts.files.items():
        with path.open("rb") as file:
            files[name] = hashlib.file_digest(file, "sha256").hexdigest()
    body = canonical_json({"files": files, "model": facts.model, "config": facts.config_hash, "options": options})
    return f"{facts.producer}:{hashlib.sha256(body.encode()).hexdigest()[:40]}"


def register(
    graph: GraphSink,
    facts: RunFacts,
    *,
    pipeline: str,
    namespace: str,
    sources: Iterable[Source],
    drafts: Sequence[Draft],
    notes: Notes,
    rebuilt: bool,
    complete: bool,
    batch_size: int,
    progress: Progress | None,
) -> ImportReport:
    """Register ``sources`` and ``drafts`` (inputs before dependents) in one run, and say what came of it."""
    if batch_size < 1:
        raise BadInput("import", "batch_size", found=batch_size, expected="at least 1")
    unique = {(source.uri, source.edition, source.version): source for source in sources}
    documents: list[Record] = [source.record(namespace) for _, source in sorted(unique.items()) if source.new]
    nodes: list[Record] = [draft.record(namespace) for draft in drafts]
    named = sorted([source.title, source.uri] for source in unique.values())
    key = run_key(facts, {"rebuilt": rebuilt, "complete": complete, "documents": named})
    total = len(documents) + len(nodes)
    written: Counter[str] = Counter()
    existed: Counter[str] = Counter({"document": len(unique) - len(documents)})
    aliases = 0

    def add(result: Written) -> None:
        nonlocal aliases
        written.update(result.written)
        existed.update(result.existed)
        aliases += result.aliases
        notes.findings.update(Finding(found.kind, found.where, found.what) for found in result.findings)

    with graph.run(
        namespace,
        producer=facts.producer,
        key=key,
        version=facts.version,
        model=facts.model,
        config_hash=facts.config_hash,
        mode=RunMode.IMPORTED,
        rebuilt=rebuilt,
    ) as run:
        done = len(documents)
        if documents:
            # All in one batch: a document that conflicts then leaves nothing of the import behind.
            try:
                add(run.register(documents))
            except Conflict as error:
                raise _choices(error) from error
            if progress is not None:
                progress(done, total)
        for start in range(0, len(nodes), batch_size):
            batch = nodes[start : start + batch_size]
            add(run.register(batch))
            done += len(batch)
            if progress is not None:
                progress(done, total)
        run.keep([(found.kind, found.where, found.what) for found in sorted(notes.findings)])
        run.finish(complete=complete)
        run_id = run.id
    return ImportReport(
        pipeline=pipeline,
        namespace=namespace,
        run=run_id,
        read=dict(sorted(notes.read.items())),
        written=_counts(written),
        existed=_counts(existed),
        located=by_method(notes.located),
        quotes=by_method(notes.quotes),
        partial=sum(draft.lineage()[0] is not Completeness.COMPLETE for draft in drafts),
        aliases=aliases,
        findings=tuple(sorted(notes.findings)),
    )


def _counts(counts: Mapping[str, int]) -> dict[str, int]:
    return {kind: count for kind, count in sorted(counts.items()) if count}


def _choices(error: Conflict) -> Conflict:
    """The store's refusal of another text under a known uri, with what an importer can do about it."""
    return Conflict(
        f"the index was made from another text than the one registered: {error.message}",
        hint=(
            "choose: `lineage correct URI FILE` if the registered text was wrong; "
            "`lineage correct URI FILE --kind edition` if both hold, each for its period; "
            "`--document TITLE=OTHER_URI` if this is another document"
        )
        + (f" ({error.hint})" if error.hint else ""),
    )
