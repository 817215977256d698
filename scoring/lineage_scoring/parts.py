"""The parts of claims: asked of a splitter or given by a caller, and kept under the claims. The last kept count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lineage.cited import AnswerMaterial, ClaimMaterial
from lineage.judgments import Judgments
from lineage_schema.errors import BadInput
from lineage_schema.judgments import Splitting
from lineage_scoring.pool import ask_all
from lineage_scoring.splitters import CALLER, Splitter, Unsplit

Parts = Mapping[str, Splitting]
"""claim id → what it was split into; a claim that is not in it is a part of its own"""
Given = Mapping[str, Sequence[str]]
"""claim text → its parts, as a caller gives them"""


@dataclass(frozen=True, slots=True)
class Failed:
    """A claim without parts: where it is, and what was found in place of them."""

    claim: str
    text: str
    answer: str
    label: str
    why: Unsplit

    def to_json(self) -> dict[str, Any]:
        return {
            "claim": self.claim,
            "answer": self.answer,
            "label": self.label,
            "statement": self.text,
            "field": "parts",
            "found": self.why.found,
            "expected": self.why.expected,
        }

    def __str__(self) -> str:
        return f"{self.answer} {self.label}: parts: expected {self.why.expected}, found {self.why.found}"


@dataclass(slots=True)
class Done:
    """What a splitting run did. ``asked`` counts texts, all else claims; ``known`` had the splitter's parts already.

    ``failures`` have no parts of this splitter, and are asked again by the next run.
    """

    asked: int = 0
    known: int = 0
    kept: int = 0
    failures: list[Failed] = field(default_factory=list)


def split_claims(
    splitter: Splitter,
    answers: Iterable[AnswerMaterial],
    judgments: Judgments,
    *,
    concurrency: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
) -> Done:
    """Splits the claims of answers that need evidence, and keeps the parts under each as soon as they come.

    A text that several of them have is asked once, and not at all where one of them has parts of this splitter. Where
    others split after it, its parts are kept again, so that they are the last. ``on_progress`` gets what is done and
    the total, in texts. Whatever stops the run, claims that are being split are waited for and kept. Raises
    :class:`BadInput` for a splitter that answers in another form than :meth:`Splitter.split` says.
    """
    claims = {claim.id: (answer, claim) for answer, claim in _counted(answers)}
    held = judgments.splittings(list(claims))
    own = {
        id_: row for id_, rows in held.items() for row in rows if row.splitter == splitter.id and row.parts is not None
    }
    known = {claims[id_][1].text: row for id_, row in own.items()}
    done = Done()
    again: list[Splitting] = []
    open_: dict[str, list[str]] = {}
    for id_, (_, claim) in claims.items():
        assert claim.text is not None
        if id_ in own and held[id_][-1] == own[id_]:
            done.known += 1
        elif (row := own.get(id_) or known.get(claim.text)) is not None:
            again.append(Splitting(id_, row.parts, splitter.id))
        else:
            open_.setdefault(claim.text, []).append(id_)
    judgments.keep_splittings(again)
    done.kept += len(again)
    tell = on_progress or (lambda at, total: None)
    tell(0, len(open_))

    def keep(texts: list[str], found: Sequence[tuple[str, ...] | Unsplit]) -> None:
        if len(found) != len(texts):
            expected = f"{len(texts)}, one a claim"
            raise BadInput(f"splitter {splitter.id.name}", "answers", found=len(found), expected=expected)
        rows = []
        for text, parts in zip(texts, found, strict=True):
            for id_ in open_[text]:
                if isinstance(parts, Unsplit):
                    answer, claim = claims[id_]
                    done.failures.append(Failed(id_, text, answer.key, claim.label, parts))
                else:
                    rows.append(Splitting(id_, tuple(parts), splitter.id))
        judgments.keep_splittings(rows)
        done.kept += len(rows)
        done.asked += len(texts)
        tell(done.asked, len(open_))

    texts = list(open_)
    batches = [texts[begin : begin + splitter.batch] for begin in range(0, len(texts), splitter.batch)]
    ask_all(batches, splitter.split, keep, concurrency=concurrency)
    return done


def parts_of_claims(judgments: Judgments, answers: Iterable[AnswerMaterial], given: Given | None = None) -> Parts:
    """The parts of the claims of answers: those that the caller gives, else the last that were kept."""
    listed = list(answers)
    kept = judgments.splittings([claim.id for answer in listed for claim in answer.claims])
    found = {id_: rows[-1] for id_, rows in kept.items() if rows[-1].parts is not None}
    for row in _given(listed, given or {}):
        if row.claim not in found or _differ(found[row.claim], row):
            found[row.claim] = row
    return found


def keep_given(judgments: Judgments, answers: Iterable[AnswerMaterial], given: Given) -> list[str]:
    """Keeps the parts that a caller gives under the claims of answers that have the text. What is the last is left.

    Returns the texts in ``given`` that no claim of these answers has.
    """
    rows = _given(list(answers), given)
    kept = judgments.splittings([row.claim for row in rows])
    judgments.keep_splittings([row for row in rows if row.claim not in kept or _differ(kept[row.claim][-1], row)])
    found = {claim.text for answer in answers for claim in answer.claims}
    return [text for text in given if text not in found]


def _given(answers: Iterable[AnswerMaterial], given: Given) -> list[Splitting]:
    rows = {
        claim.id: Splitting(claim.id, tuple(given[claim.text]), CALLER)
        for answer in answers
        for claim in answer.claims
        if claim.text is not None and claim.text in given
    }
    return list(rows.values())


def _differ(kept: Splitting, row: Splitting) -> bool:
    return (kept.splitter, kept.parts) != (row.splitter, row.parts)


def _counted(answers: Iterable[AnswerMaterial]) -> Iterator[tuple[AnswerMaterial, ClaimMaterial]]:
    for answer in answers:
        for claim in answer.claims:
            if claim.needs_evidence and claim.text is not None and claim.text.strip():
                yield answer, claim
