"""The shipped evaluation set cannot be passed without reading both sides."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import combinations

import pytest

from lineage_schema.vocabulary import Verdict
from lineage_scoring.judges.lexical import content_tokens
from lineage_scoring.labels import Labelled, builtin

KINDS = {
    "wrong entity", "explicit denial", "partial support", "missing qualifier", "conflicting dates",
    "numbers and units", "copied text", "joint support", "a decisive citation removed", "superseded edition",
    "wrong variant or jurisdiction", "drifted summary", "evidence gap acknowledged",
}  # fmt: skip
CATEGORIES = {"missing qualifier", "number", "partial support", "conflict", "negation", "entity", "truncation"}
MOST = 0.70
CASES = builtin()


def tokens(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def runs(text: str, size: int) -> frozenset[tuple[str, ...]]:
    """All runs of so many words."""
    words = re.findall(r"\w+", text.lower())
    return frozenset(tuple(words[at : at + size]) for at in range(len(words) - size + 1))


def letters(text: str) -> frozenset[str]:
    return frozenset(text.lower()[at : at + 4] for at in range(len(text) - 3))


def in_order(case: Labelled) -> int:
    """How many of the statement's words stand in the passages in its order: the longest common subsequence."""
    wanted, shown = (re.findall(r"\w+", text.lower()) for text in (case.request.statement, passages_of(case)))
    row = [0] * (len(shown) + 1)
    for word in wanted:
        before = 0
        for at, other in enumerate(shown, 1):
            before, row[at] = row[at], before + 1 if word == other else max(row[at], row[at - 1])
    return row[-1]


def passages_of(case: Labelled) -> str:
    return " ".join(passage.text for passage in case.request.passages)


def whole(case: Labelled) -> frozenset[str]:
    return tokens(f"{case.request.statement} {passages_of(case)}")


def positive(case: Labelled) -> bool:
    return case.label is Verdict.SUPPORTED


def best_cut(values: list[float]) -> float:
    """The accuracy of the best single threshold, in either direction, chosen with the labels in view."""
    labels = [positive(case) for case in CASES]
    best = 0.0
    for cut in [*values, math.inf]:
        right = sum((value >= cut) == label for value, label in zip(values, labels, strict=True))
        best = max(best, right / len(CASES), 1 - right / len(CASES))
    return best


def test_each_kind_has_both_labels_and_a_reason() -> None:
    assert len(CASES) >= 60
    found = Counter((case.kind, positive(case)) for case in CASES)
    for kind in KINDS:
        assert min(found[kind, True], found[kind, False]) >= 2, kind
        assert found[kind, True] + found[kind, False] >= 4, kind
    assert {case.kind for case in CASES} == KINDS
    assert all(case.why for case in CASES)
    assert {(case.category, positive(case)) for case in CASES} == {(c, label) for c in CATEGORIES for label in (0, 1)}


def test_no_two_are_alike() -> None:
    for one, other in combinations(CASES, 2):
        a, b = whole(one), whole(other)
        assert len(a & b) / min(len(a), len(b)) <= 0.6, (one.name, other.name)


SHARED = {
    "content words": content_tokens,
    "words": tokens,
    "pairs of words": lambda text: runs(text, 2),
    "runs of three words": lambda text: runs(text, 3),
    "runs of four letters": letters,
    "numbers": lambda text: frozenset(re.findall(r"\d+", text)),
}


@pytest.mark.parametrize("what", SHARED)
def test_overlap_alone_does_not_tell(what: str) -> None:
    of = SHARED[what]
    for whole_of in ("statement", "both", "best passage"):
        values = []
        for case in CASES:
            wanted, shown = of(case.request.statement), of(passages_of(case))
            if whole_of == "best passage":
                found = max(len(wanted & of(passage.text)) for passage in case.request.passages)
            else:
                found = len(wanted & shown)
            values.append(found / (len(wanted | shown if whole_of == "both" else wanted) or 1))
        assert best_cut(values) <= MOST, whole_of


def test_neither_the_order_of_words_nor_the_shape_of_the_passages_tells() -> None:
    assert best_cut([in_order(case) / len(case.request.statement.split()) for case in CASES]) <= MOST
    assert best_cut([float(len(case.request.passages)) for case in CASES]) <= MOST
    assert best_cut([float(len(passages_of(case))) for case in CASES]) <= MOST


@pytest.mark.parametrize("what", ["characters", "words", "numbers", "negations", "capitals"])
def test_no_trait_of_the_claim_tells(what: str) -> None:
    counts = {
        "characters": len,
        "words": lambda text: len(text.split()),
        "numbers": lambda text: len(re.findall(r"\d+|\b(?:one|two|three|four|five|nine)\b", text)),
        "negations": lambda text: len(re.findall(r"\b(?:no|not|nobody|never|without|cannot)\b", text.lower())),
        "capitals": lambda text: len(re.findall(r"\b[A-Z]", text)),
    }
    assert best_cut([float(counts[what](case.request.statement)) for case in CASES]) <= MOST


def test_a_learner_that_sees_the_claim_alone_does_not_tell() -> None:
    """Naive Bayes on the claims' words, each case judged by what was learned from the others."""
    right = 0
    for case in CASES:
        counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        sizes = Counter(positive(other) for other in CASES if other is not case)
        for other in CASES:
            if other is not case:
                counts[positive(other)].update(tokens(other.request.statement))
        score = {
            label: math.log(sizes[label])
            + sum(math.log((counts[label][word] + 1) / (sizes[label] + 2)) for word in tokens(case.request.statement))
            for label in (True, False)
        }
        right += (score[True] > score[False]) == positive(case)
    assert right / len(CASES) <= MOST


@pytest.mark.parametrize("neighbours", [1, 3, 5])
def test_neighbours_of_the_claim_do_not_tell(neighbours: int) -> None:
    right = 0
    for case in CASES:
        own = tokens(case.request.statement)

        def likeness(other: Labelled, own: frozenset[str] = own) -> float:
            words = tokens(other.request.statement)
            return len(own & words) / len(own | words)

        near = sorted((other for other in CASES if other is not case), key=likeness, reverse=True)[:neighbours]
        right += (2 * sum(map(positive, near)) > neighbours) == positive(case)
    assert right / len(CASES) <= MOST
