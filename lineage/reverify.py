"""Claims that a correction made invalid, with what their citations say now: what is to be judged anew."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from lineage.chains import Chains
from lineage.cited import Cited, Material, cited_of, under
from lineage.refs import describe
from lineage.stores.base import CORRECTION, CauseState, NodeView, Seed, SpanRow, Transaction
from lineage_schema.identity import version_id
from lineage_schema.judgments import Passage, Request
from lineage_schema.vocabulary import ChangeKind, Kind, Severity


@dataclass(frozen=True, slots=True)
class StaleClaim:
    """A current claim with open invalid marks of ``causes``, and the question whether the new text supports it.

    ``request`` is None where nothing is left to show: what it cited was deleted or withdrawn, or was purged.
    ``names`` are those of the citations whose passages are shown.
    """

    id: str
    name: str
    answer: str
    causes: tuple[str, ...]
    request: Request | None
    names: tuple[str, ...]


def stale_claims(tx: Transaction, correction: str | None) -> list[StaleClaim]:
    """The current claims that are invalid by a correction, or by any, by name.

    A cited span that was changed is shown as the sentences that now stand at its place; a derived node that is invalid,
    as the spans under it, likewise; what still stands, as it was read.
    """
    views: dict[str, NodeView] = tx.reading.views(tx.reading.to_rebuild(correction))
    claims = {id_: view for id_, view in views.items() if view.kind == Kind.CLAIM}
    cited = cited_of(tx, list(claims))
    invalid = {
        each.material.id
        for listed in cited.values()
        for each in listed
        if each.material is not None and any(severity is Severity.INVALID for _, severity in each.material.marks)
    }
    now = _Now(tx, cited.values(), under(tx, invalid))
    found = []
    for id_, view in claims.items():
        shown = [(each.name, passage) for each in cited[id_] for passage in now.passages(each)]
        # The same words once, though several citations lead to them.
        by_text = {(passage.sha256, passage.source): (name, passage) for name, passage in reversed(shown)}
        listed = list(by_text.values())[::-1]
        request = Request(view.text, tuple(p for _, p in listed)) if view.text is not None and listed else None
        causes = tuple(m.cause for m in view.marks if m.type == CORRECTION and m.severity == Severity.INVALID)
        name = describe(view)
        answer = name.removeprefix("claim:").rpartition("/")[0]
        found.append(StaleClaim(id_, name, answer, causes, request, tuple(name for name, _ in listed)))
    return sorted(found, key=lambda each: each.name)


class _Now:
    """What citations say now."""

    def __init__(self, tx: Transaction, cited: Iterable[Iterable[Cited]], below: dict[str, list[Material]]) -> None:
        self._below = below
        ended = {
            material.id
            for material in (
                *(each.material for listed in cited for each in listed if each.material is not None),
                *(each for listed in below.values() for each in listed),
            )
            if material.ended
        }
        self._chains = Chains(tx)
        self._spans: dict[str, SpanRow] = tx.sources.spans(sorted(ended))
        self._seeds: dict[str, list[Seed]] = tx.marks.seeds(sorted(ended))
        self._causes = _causes(tx, {seed.cause for listed in self._seeds.values() for seed in listed})

    def passages(self, each: Cited) -> list[Passage]:
        """What a citation says now: nothing where it is gone."""
        material = each.material
        if material is None:
            return []
        under = self._below.get(material.id)
        return [found for one in under or [material] if (found := self._passage(one)) is not None]

    def _passage(self, material: Material) -> Passage | None:
        if not material.ended:
            return material.passage
        row = self._spans[material.id]
        seeds = [seed for seed in self._seeds[material.id] if seed.cause in material.ended]
        seed = max(seeds, key=lambda one: (self._causes[one.cause].seq, one.cause))
        change = next(c for c in self._causes[seed.cause].changes if (c.uri, c.edition) == (row.uri, row.edition))
        if change.kind == ChangeKind.WITHDRAW or seed.start is None or seed.end is None:
            return None
        version = self._chains.version(row.uri, change.target_edition, change.target)
        text = self._chains.text(version)
        if version is None or text is None:
            return None
        touched = text.sentences_touching(seed.start, max(seed.end, seed.start + 1))
        if not touched:
            return None
        start, end = text.sentences[touched.start][0], text.sentences[touched.stop - 1][1]
        source = version_id(row.uri, change.target_edition, change.target, version.sha256)
        return Passage(text.text[start:end], source)


def _causes(tx: Transaction, ids: Collection[str]) -> dict[str, CauseState]:
    return {cause.id: cause for cause in tx.marks.causes(sorted(ids))} if ids else {}
