"""What a judge is asked about citations: the three families of passage sets of each statement.

ALCE, section 3.3 (Gao et al. 2023, arXiv 2305.14627): the whole cited set for recall; each citation alone and the set
without each for precision. The empty set is unsupported, and nobody is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lineage.cited import AnswerMaterial, ClaimMaterial
from lineage_schema.judgments import Passage, Request

FULL, ALONE, WITHOUT = "full", "alone", "without"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, and what for. ``names`` are the citations whose passages are shown, as a reader calls them."""

    request: Request
    purpose: str
    answer: str
    claim: str
    names: tuple[str, ...]


def sets(count: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The sets of ``count`` citations that are asked about, by place: full, each alone, the set without each.

    A set comes once, under the first purpose that asks for it.
    """
    everything = tuple(range(count))
    seen: set[tuple[int, ...]] = {()}
    families: list[tuple[str, list[tuple[int, ...]]]] = [
        (FULL, [everything]),
        (ALONE, [(place,) for place in everything]),
        (WITHOUT, [everything[:place] + everything[place + 1 :] for place in everything]),
    ]
    for purpose, listed in families:
        for members in listed:
            if members not in seen:
                seen.add(members)
                yield purpose, members


def request_on(statement: str, passages: Sequence[Passage], members: tuple[int, ...]) -> Request:
    """The question whether the passages at these places together support a statement."""
    return Request(statement, tuple(passages[place] for place in members))


def about(statement: str, cited: Sequence[tuple[str, Passage]], answer: str, claim: str) -> Iterator[Asked]:
    """All that is asked of a statement and of the passages that it cites, each with its name: one question a set."""
    passages = [passage for _, passage in cited]
    for purpose, members in sets(len(cited)):
        names = tuple(cited[place][0] for place in members)
        yield Asked(request_on(statement, passages, members), purpose, answer, claim, names)


def about_citations(answers: Iterable[AnswerMaterial]) -> Iterator[Asked]:
    """All that scoring the citations of answers asks, in order of answers, statements and families.

    A citation without a text to show (it resolves to nothing, or was purged) and one whose words a correction changed
    are not asked about: the score says so.
    """
    for answer in answers:
        for claim in answer.claims:
            passages = cited_passages(claim)
            if claim.text is None or passages is None:
                continue
            yield from about(claim.text, named(claim, passages), answer.id, claim.id)


def cited_passages(claim: ClaimMaterial) -> Sequence[Passage] | None:
    """The passages that a statement cites, in order; None where one cannot be shown as it was read."""
    found: list[Passage] = []
    for each in claim.cited:
        if each.material is None or each.material.passage is None or each.material.ended:
            return None
        found.append(each.material.passage)
    return found


def named(claim: ClaimMaterial, passages: Sequence[Passage]) -> list[tuple[str, Passage]]:
    """The passages that a statement cites, each with its citation's name."""
    return [(each.name, passage) for each, passage in zip(claim.cited, passages, strict=True)]
