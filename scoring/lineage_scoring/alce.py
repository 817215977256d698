"""ALCE's citation recall and citation precision, to the letter, with the counts that they are made of.

The definition is ALCE's (Gao et al. 2023, arXiv 2305.14627, section 3.3; ``compute_autoais`` in ``eval.py`` of
princeton-nlp/ALCE at 246c476):

- *Recall* of a statement is 1 if the documents that it cites, together, entail it, else 0. A statement that cites
  nothing, or any document that does not exist, has 0, and the judge is not asked.
- *Precision* counts citations. Those of a statement without recall earn nothing. A single one earns what its statement
  does. One of several earns if it entails the statement alone (condition A), or if the others do not entail it without
  it (condition B). Citations of a statement that cites a document that does not exist are not counted at all.
- An answer has the share of its statements, and of its citations; a figure is the plain mean of the answers, times 100.
  An answer without a counted citation has precision 0. One without statements has neither, and leaves both means.

ALCE's judge is the model TRUE; here it is any callable. What is asked, in which order, and with which texts, is ALCE's.
:mod:`lineage_scoring.markers` has the reading of statements, citations and claims.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any, Final

from lineage_schema.errors import BadInput
from lineage_scoring.markers import cited, claim, list_statements, sentences

__all__ = [
    "AT_MOST_CITATIONS",
    "AnswerScore",
    "AutoAIS",
    "Entails",
    "Judge",
    "StatementScore",
    "compute_autoais",
    "passage",
    "score_statement",
]

Judge = Callable[[str, str], bool]
"""(premise, hypothesis) → whether the premise entails the hypothesis."""

Entails = Callable[[tuple[int, ...]], bool]
"""Documents in citation order, some of them twice if cited twice → whether together they entail the statement."""

AT_MOST_CITATIONS: Final = 3
"""How many citations of a statement ALCE's command line counts (footnote 4). Its function counts all by default."""


@dataclass(frozen=True, slots=True)
class StatementScore:
    """What one statement earns.

    ``documents`` are all that its markers name, counted from 0 (-1 is the last), and ``citations`` how many of them
    are counted: none if one does not exist, else at most as many as the cap. ``precise`` of these earned credit; for
    ``overcited`` neither condition held. ``multiple``: it cites several, after the cap.
    """

    documents: tuple[int, ...]
    out_of_range: bool
    citations: int
    entailed: bool
    precise: int
    overcited: int
    multiple: bool

    def to_json(self) -> dict[str, object]:
        """As it is printed: ``documents`` are ALCE's indices, not the numbers in the markers."""
        return {
            "documents": list(self.documents),
            "out_of_range": self.out_of_range,
            "citations": self.citations,
            "entailed": self.entailed,
            "precise": self.precise,
            "overcited": self.overcited,
        }


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """What one answer earns. Shares are between 0 and 1, and None for an answer without statements."""

    statements: tuple[StatementScore, ...]

    @property
    def sentences(self) -> int:
        """How many statements it has: the denominator of recall."""
        return len(self.statements)

    @property
    def entailed(self) -> int:
        """How many statements are entailed by what they cite: the numerator of recall."""
        return sum(statement.entailed for statement in self.statements)

    @property
    def citations(self) -> int:
        """How many citations are counted: the denominator of precision."""
        return sum(statement.citations for statement in self.statements)

    @property
    def precise(self) -> int:
        """How many citations earned credit: the numerator of precision."""
        return sum(statement.precise for statement in self.statements)

    @property
    def recall(self) -> float | None:
        return self.entailed / self.sentences if self.statements else None

    @property
    def precision(self) -> float | None:
        """0 where there are statements and none has a citation that counts."""
        if not self.statements:
            return None
        return self.precise / self.citations if self.citations else 0.0

    def to_json(self) -> dict[str, object]:
        return {
            "recall": self.recall,
            "precision": self.precision,
            "sentences": self.sentences,
            "entailed": self.entailed,
            "citations": self.citations,
            "precise": self.precise,
            "statements": [statement.to_json() for statement in self.statements],
        }


@dataclass(frozen=True, slots=True)
class AutoAIS:
    """ALCE's two figures over some answers, in their order, and what they are made of.

    The figures are in percent, and nan where no answer has a statement. The counts are sums over the answers; since a
    figure is a mean of shares, no quotient of them need equal it.
    """

    answers: tuple[AnswerScore, ...]

    @property
    def citation_rec(self) -> float:
        return _percent(answer.recall for answer in self.answers)

    @property
    def citation_prec(self) -> float:
        return _percent(answer.precision for answer in self.answers)

    @property
    def scored(self) -> int:
        """How many answers have a statement: the denominator of both means."""
        return sum(bool(answer.statements) for answer in self.answers)

    @property
    def empty(self) -> int:
        """How many answers have no statement, and so left both means."""
        return len(self.answers) - self.scored

    @property
    def sentences(self) -> int:
        return sum(answer.sentences for answer in self.answers)

    @property
    def entailed(self) -> int:
        return sum(answer.entailed for answer in self.answers)

    @property
    def citations(self) -> int:
        return sum(answer.citations for answer in self.answers)

    @property
    def precise(self) -> int:
        return sum(answer.precise for answer in self.answers)

    @property
    def out_of_range(self) -> int:
        """How many statements cite a document that does not exist."""
        return sum(statement.out_of_range for statement in self._statements)

    @property
    def multiple(self) -> int:
        """How many statements cite several documents (ALCE's ``sent_mcite``), also such that do not exist."""
        return sum(statement.multiple for statement in self._statements)

    @property
    def multiple_entailed(self) -> int:
        """How many of these are entailed (ALCE's ``sent_mcite_support``)."""
        return sum(statement.multiple and statement.entailed for statement in self._statements)

    @property
    def overcited(self) -> int:
        """How many *citations* of these were not needed (ALCE's ``sent_mcite_overcite``)."""
        return sum(statement.overcited for statement in self._statements)

    @property
    def _statements(self) -> Iterable[StatementScore]:
        return (statement for answer in self.answers for statement in answer.statements)

    def to_json(self) -> dict[str, object]:
        """The figures (null for nan), the counts, and each answer."""
        return {
            "citation_rec": _or_null(self.citation_rec),
            "citation_prec": _or_null(self.citation_prec),
            "scored": self.scored,
            "empty": self.empty,
            "sentences": self.sentences,
            "entailed": self.entailed,
            "citations": self.citations,
            "precise": self.precise,
            "out_of_range": self.out_of_range,
            "multiple": self.multiple,
            "multiple_entailed": self.multiple_entailed,
            "overcited": self.overcited,
            "answers": [answer.to_json() for answer in self.answers],
        }


def compute_autoais(
    items: Iterable[Mapping[str, Any]],
    judge: Judge,
    *,
    at_most_citations: int | None = None,
    qampari: bool = False,
) -> AutoAIS:
    """Scores answers as ALCE's function of the same name does.

    An item has an ``output`` (the answer with its markers; no line is cut here), and ``docs``, each with a ``title``
    and a ``text``, or a ``sent`` that stands for the text. ``qampari``: outputs are lists, and an item has the
    ``question`` that its listed items answer. At most ``at_most_citations`` of a statement's citations are counted,
    the first ones; None counts all.

    All items are read before the judge is first asked. No answer of the judge is remembered: ALCE asks again, and so
    does this. What the judge raises, the caller gets.

    Raises BadInput for an item in another form, for a cap that is no count, for a marker ``[0]`` where there is no last
    document, and for a verdict that is neither true nor false. Raises MissingDependency where sentences have to be
    found and the extra ``alce`` is not installed.
    """
    _check_cap(at_most_citations)
    if isinstance(items, str | bytes | Mapping):
        raise BadInput("compute_autoais", "items", found=items, expected="a list of items")
    asked = [_read(f"items[{number}]", item, qampari) for number, item in enumerate(items)]
    return AutoAIS(tuple(_score_answer(answer, judge, at_most_citations) for answer in asked))


def score_statement(
    documents: Sequence[int], known: int, entails: Entails, *, at_most_citations: int | None = None
) -> StatementScore:
    """Scores one statement that cites ``documents``, counted from 0, of which there are ``known``.

    ``entails`` is asked in ALCE's order: all that count; then, if they entail it and are several, each alone, and where
    that one does not, the others, without the first mention of it.
    """
    named = tuple(documents)
    # Below 0 is not looked at, here as in ALCE: [0] is the last document.
    out_of_range = any(document >= known for document in named)
    # The cap is laid on afterwards, so a citation beyond it can still be out of range.
    counted = named if out_of_range or at_most_citations is None else named[:at_most_citations]
    multiple = len(counted) > 1
    if not named or out_of_range:
        return StatementScore(named, out_of_range, 0, False, 0, 0, multiple)
    entailed = entails(counted)
    overcited = 0
    if entailed and multiple:
        overcited = sum(not entails((one,)) and entails(_without(counted, one)) for one in counted)
    precise = len(counted) - overcited if entailed and multiple else int(entailed)
    return StatementScore(named, False, len(counted), entailed, precise, overcited, multiple)


def passage(title: str, text: str) -> str:
    """A document as the judge reads it. Several are joined by a line end, in the order in which they are cited."""
    return f"Title: {title}\n{text}"


@dataclass(frozen=True, slots=True)
class _Answer:
    """An item, read: ``statements`` as they stand in the answer, ``passages`` one for each document."""

    name: str
    statements: tuple[str, ...]
    passages: tuple[str, ...]


def _score_answer(answer: _Answer, judge: Judge, at_most_citations: int | None) -> AnswerScore:
    return AnswerScore(
        tuple(
            score_statement(
                cited(statement),
                len(answer.passages),
                partial(_ask, judge, answer, claim(statement)),
                at_most_citations=at_most_citations,
            )
            for statement in answer.statements
        )
    )


def _ask(judge: Judge, answer: _Answer, hypothesis: str, documents: tuple[int, ...]) -> bool:
    verdict: object = judge("\n".join(answer.passages[document] for document in documents), hypothesis)
    # 0 and 1 are taken too: ALCE's own judge answers so. None would be counted as a "no" that nobody gave.
    if verdict not in (0, 1):
        raise BadInput(answer.name, "verdict", found=verdict, expected="true or false")
    return bool(verdict)


def _without(documents: tuple[int, ...], one: int) -> tuple[int, ...]:
    at = documents.index(one)
    return documents[:at] + documents[at + 1 :]


def _percent(shares: Iterable[float | None]) -> float:
    present = [share for share in shares if share is not None]
    # Added one by one, so rounded as ALCE's mean of some answers is: sum() rounds otherwise from Python 3.12 on.
    return 100 * (reduce(add, present) / len(present)) if present else math.nan


def _or_null(figure: float) -> float | None:
    return None if math.isnan(figure) else figure


def _check_cap(at_most_citations: object) -> None:
    if at_most_citations is None:
        return
    if not isinstance(at_most_citations, int) or isinstance(at_most_citations, bool) or at_most_citations < 0:
        expected = "a whole number, 0 or more, or None"
        raise BadInput("compute_autoais", "at_most_citations", found=at_most_citations, expected=expected)


def _read(name: str, item: object, qampari: bool) -> _Answer:
    fields = _mapping(name, "item", item)
    output = _text(name, "output", fields)
    found = list_statements(_text(name, "question", fields), output) if qampari else sentences(output)
    docs = fields.get("docs")
    if isinstance(docs, str | bytes) or not isinstance(docs, Sequence):
        raise BadInput(name, "docs", found=docs, expected="a list of documents")
    passages = tuple(_passage(name, f"docs[{at}]", doc) for at, doc in enumerate(docs))
    if not passages:
        _check_last(name, found)
    return _Answer(name, tuple(found), passages)


def _check_last(name: str, statements: Iterable[str]) -> None:
    """Raises BadInput if a statement cites the last of no documents, and so would be judged on it."""
    for statement in statements:
        documents = cited(statement)
        if documents and max(documents) < 0:
            raise BadInput(name, "docs", found=[], expected=f"a document for the marker [0] in {statement!r}")


def _passage(name: str, where: str, doc: object) -> str:
    fields = _mapping(name, where, doc)
    title = _text(name, "title", fields, f"{where}.")
    return passage(title, _text(name, "sent" if "sent" in fields else "text", fields, f"{where}."))


def _mapping(name: str, where: str, found: object) -> Mapping[str, Any]:
    if not isinstance(found, Mapping):
        raise BadInput(name, where, found=found, expected="an object")
    return found


def _text(name: str, field: str, fields: Mapping[str, Any], prefix: str = "") -> str:
    found = fields.get(field)
    if not isinstance(found, str):
        raise BadInput(name, prefix + field, found=found, expected="text")
    return found
