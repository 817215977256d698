"""Figures against brute force and their definitions; a split that never leaks; what a gate refuses."""

from __future__ import annotations

from itertools import product
from math import isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_schema.errors import BadInput, MissingJudgment
from lineage_schema.judgments import Judgment
from lineage_schema.vocabulary import Verdict
from lineage_scoring.calibrating import ask, calibrated, gate, keep
from lineage_scoring.calibration import Example, Z, auc, best_threshold, calibrate, confusion, halves, wilson
from lineage_scoring.judges.lexical import Lexical
from lineage_scoring.labels import builtin, digest, labels_of
from lineage_scoring.support import Share
from tests.scoring.conftest import RECORDED

SCORES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0])
EXAMPLES = st.lists(st.tuples(st.booleans(), SCORES, st.sampled_from(["a", "b", None])), max_size=30).map(
    lambda rows: [
        Example(f"{number:02}", label, score >= 0.5, score, category)
        for number, (label, score, category) in enumerate(rows)
    ]
)


@given(EXAMPLES)
def test_auc_is_the_chance_of_the_right_order(examples: list[Example]) -> None:
    labels, scores = [e.label for e in examples], [e.score or 0.0 for e in examples]
    pairs = [(p.score or 0.0) - (n.score or 0.0) for p, n in product(examples, examples) if p.label and not n.label]
    found = auc(labels, scores)
    if not pairs:
        assert found is None
    else:
        assert found is not None
        assert isclose(found, sum(1.0 if d > 0 else 0.5 if d == 0 else 0.0 for d in pairs) / len(pairs))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40))
def test_kappa_is_agreement_beyond_chance(pairs: list[tuple[bool, bool]]) -> None:
    found = confusion([label for label, _ in pairs], [said for _, said in pairs])
    if not pairs:
        assert found.kappa is None
        return
    n = len(pairs)
    observed = sum(label == said for label, said in pairs) / n
    yes_label, yes_said = sum(label for label, _ in pairs) / n, sum(said for _, said in pairs) / n
    chance = yes_label * yes_said + (1 - yes_label) * (1 - yes_said)
    if isclose(chance, 1):
        assert found.kappa is None
    else:
        assert found.kappa is not None
        assert isclose(found.kappa, (observed - chance) / (1 - chance), abs_tol=1e-12)


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_s_interval_solves_its_inequality(pair: tuple[int, int]) -> None:
    share = Share(*pair)
    p, n = pair[0] / pair[1], pair[1]
    interval = wilson(share)
    assert interval is not None
    for bound in interval:
        if 0 < bound < 1:
            assert isclose(abs(p - bound), Z * sqrt(bound * (1 - bound) / n), abs_tol=1e-9)
    assert interval[0] <= p <= interval[1]


@given(EXAMPLES, st.integers(0, 5))
def test_the_halves_share_nothing_and_lose_nothing_in_any_order(examples: list[Example], seed: int) -> None:
    first, second = halves(examples, seed)
    assert sorted(e.name for e in [*first, *second]) == [e.name for e in examples]
    assert abs(len(first) - len(second)) <= 1
    assert halves(examples[::-1], seed) == (first, second)
    for label in (True, False):
        assert abs(sum(e.label is label for e in first) - sum(e.label is label for e in second)) <= 1


@given(st.lists(st.tuples(st.booleans(), st.permutations("pqr").map(lambda p: tuple(p[:2]))), max_size=20))
def test_the_same_evidence_is_never_in_both_halves(rows: list[tuple[bool, tuple[str, ...]]]) -> None:
    examples = [
        Example(f"{number:02}", label, label, None, passages=texts) for number, (label, texts) in enumerate(rows)
    ]
    first, second = halves(examples, 1)
    assert sorted(e.name for e in [*first, *second]) == [e.name for e in examples]
    assert not {frozenset(e.passages) for e in first} & {frozenset(e.passages) for e in second}


def test_shared_evidence_does_not_leave_a_half_without_a_label() -> None:
    """By size alone each label would have a half of its own."""
    blocks = [("a", False, 4), ("b", True, 3), ("c", True, 2), ("d", False, 1)]
    examples = [
        Example(f"{block}{n}", label, label, None, category, passages=(f"{block}",))
        for block, (category, label, size) in enumerate(blocks)
        for n in range(size)
    ]
    for half in halves(examples, 1):
        assert {e.label for e in half} == {True, False}


@given(EXAMPLES)
def test_the_threshold_is_the_best_of_all(examples: list[Example]) -> None:
    threshold = best_threshold(examples)
    if threshold is None:
        assert not examples
        return

    def kappa(cut: float) -> float:
        found = confusion([e.label for e in examples], [(e.score or 0.0) >= cut for e in examples]).kappa
        return -1.0 if found is None else found

    assert kappa(threshold) == max(kappa(e.score or 0.0) for e in examples)


def test_figures_are_of_the_half_that_did_not_choose() -> None:
    examples = [Example(f"{n:02}", n % 2 == 0, False, 0.9 if n % 2 == 0 else 0.1, "c") for n in range(20)]
    figures = calibrate(examples, 3)
    assert figures.test.total == figures.chosen_on == 10
    assert (figures.test.kappa, figures.auc, figures.misses) == (1.0, 1.0, ())
    assert calibrate(examples, 3) == figures


@pytest.mark.parametrize("labels", [[], [True], [True, False], [True] * 8, [True] * 8 + [False]])
def test_labels_that_tell_nothing_are_refused(labels: list[bool]) -> None:
    examples = [Example(f"{n:02}", label, label, 0.5) for n, label in enumerate(labels)]
    with pytest.raises(BadInput, match="supported examples and others in both halves"):
        calibrate(examples, 1)


@pytest.mark.parametrize("label", ["supported", "not_supported"])
def test_an_example_that_is_there_twice_is_named(label: str) -> None:
    """With another label it is a contradiction, with the same one it would count twice."""
    lines = [
        '{"id":"one","statement":"s","passages":["p","q"],"label":"supported"}',
        f'{{"id":"two","statement":"s","passages":["q","p"],"label":"{label}"}}',
    ]
    with pytest.raises(BadInput, match="line 2: statement: expected each example once; one asks the same"):
        labels_of(lines)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1: line: expected a JSON object"),
        ('{"statement":"s","passages":[],"label":"supported"}', "line 1: passages: expected a list of texts"),
        ('{"statement":"s","passages":["p"],"label":"unresolved"}', "line 1: label: expected supported"),
        ('{"statement":"s","passages":["p"],"label":"supported","sure":1}', "line 1: sure: expected only"),
        ("", "at least one labelled example"),
    ],
)
def test_labels_with_a_fault_are_named(line: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        labels_of([line])


def test_a_gate_refuses_who_was_not_calibrated_or_agrees_too_little(desk) -> None:
    labels = builtin()
    with pytest.raises(MissingJudgment, match="never calibrated"):
        gate(desk, RECORDED, 0.6)
    # A reader that is right but for the first six.
    rows = []
    for number, each in enumerate(labels):
        right = each.label is Verdict.SUPPORTED
        said = right != (number < 6)
        verdict = Verdict.SUPPORTED if said else Verdict.NOT_SUPPORTED
        rows.append(Judgment.of(each.request, RECORDED, verdict))
    desk.judgments.keep(rows)
    figures = calibrated(desk, RECORDED, labels, 1)
    row = keep(desk, RECORDED, labels, figures)
    assert figures.threshold is None
    assert row.labels == digest(labels[::-1])
    kappa = figures.test.kappa
    assert kappa is not None
    assert 0.6 < kappa < 1
    assert gate(desk, RECORDED, 0.6).kappa == row.kappa
    with pytest.raises(MissingJudgment, match=r"under the 0.99 that the gate asks for"):
        gate(desk, RECORDED, 0.99)


def test_a_gate_counts_what_the_judge_says_and_no_threshold(desk) -> None:
    """It calls everything supported, with scores that a threshold would part: a score would count its own word."""
    labels = builtin()
    rows = [
        Judgment.of(each.request, RECORDED, Verdict.SUPPORTED, score=0.9 if each.label is Verdict.SUPPORTED else 0.6)
        for each in labels
    ]
    desk.judgments.keep(rows)
    figures = calibrated(desk, RECORDED, labels, 1)
    assert (figures.test.kappa, figures.own.kappa) == (1.0, 0.0)
    keep(desk, RECORDED, labels, figures)
    with pytest.raises(MissingJudgment, match=r"kappa 0\.000, under the 0\.5"):
        gate(desk, RECORDED, 0.5)


def test_the_baseline_is_measured_and_does_not_gate(desk) -> None:
    judge, labels = Lexical(), builtin()
    ask(desk, judge, labels)
    keep(desk, judge.id, labels, calibrated(desk, judge.id, labels, 1))
    with pytest.raises(MissingJudgment, match="it does not gate"):
        gate(desk, judge.id, -1)
