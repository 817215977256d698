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
MOST = 0.70
CASES = builtin()


def tokens(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def whole(case: Labelled) -> frozenset[str]:
    return tokens(" ".join([case.request.statement, *(passage.text for passage in case.request.passages)]))


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
        assert min(found[kind, True], found[kind, False]) >= 1, kind
        assert found[kind, True] + found[kind, False] >= 4, kind
    assert {case.kind for case in CASES} == KINDS
    assert all(case.why for case in CASES)


def test_no_two_are_alike() -> None:
    for one, other in combinations(CASES, 2):
        a, b = whole(one), whole(other)
        assert len(a & b) / min(len(a), len(b)) <= 0.6, (one.name, other.name)


def test_overlap_alone_does_not_tell() -> None:
    def coverage(case: Labelled, of: str) -> float:
        wanted = content_tokens(case.request.statement)
        shown = frozenset().union(*(content_tokens(passage.text) for passage in case.request.passages))
        return len(wanted & shown) / len(wanted if of == "statement" else wanted | shown)

    assert best_cut([coverage(case, "statement") for case in CASES]) <= MOST
    assert best_cut([coverage(case, "both") for case in CASES]) <= MOST


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
