"""Corrections: preparing them against what is current, and committing them in one transaction.

What takes long (aligning) happens before, on a snapshot; the commit checks that each document
still stands where the preparation saw it, and is refused with :class:`Conflict` otherwise.
From the commit on, no affected answer is served as fresh; propagation only spells it out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace

from lineage.align import align, identity
from lineage.chains import Chains
from lineage.seeds import span_seeds
from lineage.stores.base import ChangeRow, EditionState, NewVersion, Seed, Transaction, VersionState
from lineage_schema.canonical import check_text
from lineage_schema.errors import BadInput, Conflict, NotFound
from lineage_schema.identity import content_hash, correction_id, version_id
from lineage_schema.text import TextIndex
from lineage_schema.vocabulary import ChangeKind

LEAST_SHARE = 0.5
"""A file that shares less of its text with the base is more likely another document than a correction."""


@dataclass(frozen=True, slots=True)
class Change:
    """One document's part of a correction, ready to be written. ``share`` of text with the version before."""

    row: ChangeRow
    version: NewVersion
    share: float


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction ready to be committed. ``id`` is None where nothing differs."""

    changes: tuple[Change, ...]
    reason: str
    by: str | None
    kind: ChangeKind
    valid_from: str | None = None

    @property
    def id(self) -> str | None:
        """The correction's id: which versions of its documents it leads from and to."""
        if not self.changes:
            return None
        return correction_id(astuple(change.row) for change in self.changes)


def prepare(
    tx: Transaction,
    texts: Mapping[str, str | None],
    *,
    kind: ChangeKind,
    reason: str,
    by: str | None,
    valid_from: str | None = None,
    editions: Mapping[str, int] | None = None,
    force: bool = False,
) -> Correction:
    """Aligns new texts with what is current. Texts equal to it are left out; None withdraws.

    Raises :class:`NotFound`, :class:`BadInput` and :class:`Conflict` (a text that shares under
    half with its base, unless ``force``).
    """
    if not reason.strip():
        raise BadInput("correction", "reason", found=reason, expected="why the source changed")
    chains = Chains(tx)
    chains.prefetch(texts)
    changes = []
    for uri in sorted(texts):
        document = chains.document(uri)
        if document is None:
            raise NotFound(f"no document {uri}", hint="lineage add registers one")
        wanted = (editions or {}).get(uri)
        state = document.latest if wanted is None else next((e for e in document.editions if e.edition == wanted), None)
        if state is None:
            raise NotFound(f"{uri} has no edition {wanted}")
        text = texts[uri]
        if text is not None:
            check_text(text, item=uri, field="text")
        change = _change(chains, uri, state, text, kind, max(e.edition for e in document.editions), force)
        if change is not None:
            changes.append(change)
    return Correction(tuple(changes), reason, by, kind, valid_from)


def _change(
    chains: Chains, uri: str, state: EditionState, text: str | None, kind: ChangeKind, last_edition: int, force: bool
) -> Change | None:
    versions = chains.versions(uri, state.edition)
    source = next(version for version in versions if version.number == state.current)
    number = versions[-1].number + 1
    if text is None:
        if state.withdrawn:
            return None
        return Change(
            ChangeRow(uri, state.edition, ChangeKind.WITHDRAW.value, source.number, number, state.edition),
            NewVersion(uri, state.edition, number, version_id(uri, state.edition, number, None), None, None),
            0.0,
        )
    sha256 = content_hash(text)
    if sha256 == source.sha256:
        return None
    new = TextIndex(text)
    if kind is ChangeKind.EDITION:
        edition = last_edition + 1
        old = chains.text(source)
        if old is None:
            raise Conflict(f"{uri} edition {state.edition} has no current text to compare an edition with")
        alignment = align(old.text, text)
        _check_share(uri, alignment.share, force)
        return Change(
            ChangeRow(uri, state.edition, kind.value, source.number, 1, edition),
            NewVersion(
                uri,
                edition,
                1,
                version_id(uri, edition, 1, sha256),
                sha256,
                text,
                source=(state.edition, source.number),
                alignment=alignment.to_bytes(),
            ),
            alignment.share,
        )
    equal = [version for version in versions if version.sha256 == sha256 and not version.purged]
    base = equal[-1] if equal else source
    base_text = chains.text(base)
    found = None if base_text is None else (identity(len(text)) if equal else align(base_text.text, new.text))
    # A text equal to an earlier one is an undo, however much it differs from what it replaces.
    if found is not None and not equal:
        _check_share(uri, found.share, force)
    return Change(
        ChangeRow(uri, state.edition, ChangeKind.CORRECT.value, source.number, number, state.edition),
        NewVersion(
            uri,
            state.edition,
            number,
            version_id(uri, state.edition, number, sha256),
            sha256,
            text,
            base=None if found is None else base.number,
            alignment=None if found is None else found.to_bytes(),
        ),
        1.0 if found is None else found.share,
    )


def _check_share(uri: str, share: float, force: bool) -> None:
    if share < LEAST_SHARE and not force:
        raise Conflict(
            f"{uri}: the new text shares {share:.0%} with the current one, under {LEAST_SHARE:.0%}",
            hint="is it another document? If it is not: --force",
        )


def undoing(tx: Transaction, correction: str, by: str | None) -> Correction:
    """The correction back to the texts before ``correction``.

    Raises :class:`NotFound`, and :class:`Conflict` unless each document's current text is what the
    correction left.
    """
    found = tx.marks.causes([correction])
    if not found or found[0].type != 0:
        raise NotFound(f"no correction {correction}", hint="lineage corrections lists them")
    chains = Chains(tx)
    texts: dict[str, str | None] = {}
    editions: dict[str, int] = {}
    for row in found[0].changes:
        document = chains.document(row.uri)
        assert document is not None
        now = next(state for state in document.editions if state.edition == row.target_edition)
        left = chains.version(row.uri, row.target_edition, row.target)
        held = chains.version(row.uri, row.target_edition, now.current)
        if left is None or held is None or left.sha256 != held.sha256:
            raise Conflict(
                f"{row.uri} was changed again after {correction}: v{now.current} has another text than v{row.target}",
                hint="undo the later correction first",
            )
        editions[row.uri] = row.target_edition
        if row.kind == ChangeKind.EDITION:
            texts[row.uri] = None
            continue
        source = chains.version(row.uri, row.edition, row.source)
        text = chains.text(source)
        if text is None and source is not None and source.purged:
            raise Conflict(f"{row.uri} v{row.source} was purged: its text is gone")
        texts[row.uri] = None if text is None else text.text
    kinds = {ChangeKind.WITHDRAW if text is None else ChangeKind.CORRECT for text in texts.values()}
    kind = ChangeKind.CORRECT if len(kinds) > 1 else kinds.pop()
    return prepare(tx, texts, kind=kind, reason=f"undo of {correction}", by=by, editions=editions, force=True)


def commit(tx: Transaction, correction: Correction) -> str | None:
    """Writes versions, anchors, the correction and the marks of spans: one transaction.

    Returns the correction's id, None where nothing differs. Raises :class:`Conflict` where a
    document is no longer what the preparation saw.
    """
    id_ = correction.id
    if id_ is None:
        return None
    tx.sources.lock([change.row.uri for change in correction.changes])
    if tx.marks.causes([id_]) and _is_there(tx, correction):
        return id_
    check_current(tx, correction)
    seq = tx.next_seq()
    tx.sources.add_versions([change.version for change in correction.changes], seq, tx.now())
    rows = [change.row for change in correction.changes]
    tx.marks.add_correction(id_, rows, correction.reason, correction.by, seq, tx.now())
    if correction.valid_from is not None:
        _state_validity(tx, correction, seq)
    effect = effects(tx, Chains(tx), rows, [])
    tx.sources.add_anchors(effect.anchors)
    tx.marks.put_seeds(effect.add, effect.drop)
    return id_


def _is_there(tx: Transaction, correction: Correction) -> bool:
    """Whether the versions that the correction would bring are there with the same texts: it is a retry.

    A correction's id does not tell: two correctors of one version, with different texts, make the same one.
    """
    chains = Chains(tx)
    found = [(change, chains.version(*_place(change.version))) for change in correction.changes]
    return all(held is not None and held.sha256 == change.version.sha256 for change, held in found)


def _place(version: NewVersion) -> tuple[str, int, int]:
    return version.uri, version.edition, version.number


def purge(tx: Transaction, uris: Sequence[str]) -> None:
    """Removes the texts of withdrawn documents' latest editions.

    Raises :class:`Conflict` for one that is not withdrawn.
    """
    tx.sources.lock(uris)
    documents = tx.sources.documents(uris)
    for uri in sorted(documents):
        latest = max(documents[uri].editions, key=lambda state: state.seq)
        if not latest.withdrawn:
            raise Conflict(
                f"{uri} has a text again: it was corrected after the withdrawal", hint="withdraw it once more"
            )
        tx.purge.edition(uri, latest.edition)


def check_current(tx: Transaction, correction: Correction) -> None:
    """Each document of the correction still stands where the preparation saw it."""
    chains = Chains(tx)
    chains.prefetch(change.row.uri for change in correction.changes)
    for change in correction.changes:
        row = change.row
        document = chains.document(row.uri)
        now = None if document is None else next((e for e in document.editions if e.edition == row.edition), None)
        taken = document is not None and any(
            e.edition == row.target_edition and e.current >= row.target for e in document.editions
        )
        if now is None or now.current != row.source or taken:
            stands = "gone" if now is None else f"at v{now.current}"
            raise Conflict(
                f"{row.uri} changed meanwhile: the correction is of v{row.source}, it stands {stands}",
                hint="look at the current text and correct again",
            )


def _state_validity(tx: Transaction, correction: Correction, seq: int) -> None:
    for change in correction.changes:
        row = change.row
        said = json.dumps({"valid_from": correction.valid_from}, separators=(",", ":"))
        tx.sources.add_statement(row.uri, row.target_edition, row.target, said, seq, tx.now())
        if row.kind == ChangeKind.EDITION:
            ends = json.dumps({"valid_to": correction.valid_from}, separators=(",", ":"))
            tx.sources.add_statement(row.uri, row.edition, row.source, ends, seq, tx.now())


@dataclass(frozen=True, slots=True)
class Effect:
    """What a correction does to spans: places in new versions, seeds to write, seeds to remove."""

    anchors: list[tuple[str, str, int, int, int, int]]
    add: list[Seed]
    drop: list[Seed]


def effects(
    tx: Transaction, chains: Chains, rows: Sequence[ChangeRow], pending: Sequence[tuple[str, ChangeRow]]
) -> Effect:
    """What changes for the spans of the changed editions.

    ``pending`` are corrections that are not in the store (a dry run); their versions were given to ``chains``.
    """
    effect = Effect([], [], [])
    for row in rows:
        # (edition, version): spans that stood in that version may be told something else now.
        places = {(row.edition, row.source)}
        source = chains.version(row.uri, row.edition, row.source)
        if row.kind == ChangeKind.WITHDRAW or source is None or source.sha256 is None:
            # Where an edition is withdrawn, what its coming said of the older edition's spans falls away;
            # where it gets a text again, that comes back.
            places |= {(older.edition, older.source) for _, older in _editions_into(tx, chains, row)}
        for edition, version in sorted(places):
            _effect_on(tx, chains, (row.uri, edition, version), row, pending, effect)
    return effect


def _editions_into(tx: Transaction, chains: Chains, row: ChangeRow) -> list[tuple[str, ChangeRow]]:
    document = chains.document(row.uri)
    assert document is not None
    found = []
    for state in document.editions:
        for cause, change in tx.marks.corrections_of(row.uri, state.edition):
            if change.kind == ChangeKind.EDITION and change.target_edition == row.edition:
                found.append((cause, change))
    return found


def _effect_on(
    tx: Transaction,
    chains: Chains,
    place: tuple[str, int, int],
    row: ChangeRow,
    pending: Sequence[tuple[str, ChangeRow]],
    effect: Effect,
) -> None:
    uri, edition, version = place
    corrections = [
        *tx.marks.corrections_of(uri, edition),
        *((cause, each) for cause, each in pending if (each.uri, each.edition) == (uri, edition)),
    ]
    candidates = dict.fromkeys(id_ for id_, _, _ in tx.sources.anchored(uri, edition, version))
    new = chains.version(uri, edition, row.target) if row.target_edition == row.edition == edition else None
    if new is not None and new.base is not None and new.base != version:
        candidates.update(dict.fromkeys(id_ for id_, _, _ in tx.sources.anchored(uri, edition, new.base)))
    candidates.update(dict.fromkeys(tx.marks.seeded(uri, edition)))
    spans = tx.sources.spans(candidates)
    held = tx.marks.seeds(candidates)
    chain = chains.chain(uri, edition)
    for id_, span in spans.items():
        first = chains.version(uri, edition, span.version)
        if first is None or first.purged:
            # Its words are gone for good: no later version can tell whether they stand there again.
            continue
        anchors = chain.anchors(span.version, span.start, span.end)
        if new is not None and new.number in anchors:
            effect.anchors.append((id_, uri, edition, new.number, *anchors[new.number]))
        wanted = {seed.cause: seed for seed in span_seeds(chains, corrections, replace(span, anchors=anchors))}
        before = {seed.cause: seed for seed in held.get(id_, [])}
        effect.add.extend(seed for cause, seed in wanted.items() if before.get(cause) != seed)
        effect.drop.extend(seed for cause, seed in before.items() if cause not in wanted)


def pending_version(correction: Correction, seq: int, at: int) -> list[tuple[str, int, VersionState, str | None]]:
    """The correction's versions as a dry run sees them: (uri, edition, version, text)."""
    return [
        (
            change.version.uri,
            change.version.edition,
            VersionState(
                number=change.version.number,
                sha256=change.version.sha256,
                base=change.version.base,
                source=change.version.source,
                alignment=change.version.alignment,
                seq=seq,
                at=at,
                purged=False,
            ),
            change.version.text,
        )
        for change in correction.changes
    ]
