"""Pairing equal items of two sequences: exact where it is small, bounded and still right where it is large."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage import _diff
from lineage._diff import heaviest_increasing, match

ITEMS = st.lists(st.integers(0, 4), max_size=14)
WEIGHTS = st.lists(st.integers(1, 5), min_size=5, max_size=5)


def heaviest(a, b, weights):
    """The worth of the heaviest common subsequence, by the textbook table."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            table[i][j] = max(table[i + 1][j], table[i][j + 1])
            if a[i] == b[j]:
                table[i][j] = max(table[i][j], table[i + 1][j + 1] + weights[a[i]])
    return table[0][0]


def worth(a, b, runs, weights):
    """The worth of a result, after seeing that it is one: equal items, in order, maximal runs."""
    total = last_i = last_j = 0
    for number, (i, j, length) in enumerate(runs):
        assert length > 0
        assert i >= last_i
        assert j >= last_j
        assert not number or (i, j) != (last_i, last_j)
        assert list(a[i : i + length]) == list(b[j : j + length])
        total += sum(weights[item] for item in a[i : i + length])
        last_i, last_j = i + length, j + length
    assert last_i <= len(a)
    assert last_j <= len(b)
    return total


@given(ITEMS, ITEMS, WEIGHTS)
def test_small_is_exact(a, b, weights):
    assert worth(a, b, match(a, b, weights), weights) == heaviest(a, b, weights)
    assert worth(a, b, match(a, b), [1] * 5) == heaviest(a, b, [1] * 5)


class TestBounded:
    """The ways for large parts, on small ones that a table can judge."""

    @given(ITEMS, ITEMS)
    def test_edit_script_is_shortest(self, a, b):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_diff, "DENSE", 0)
            assert worth(a, b, match(a, b), [1] * 5) == heaviest(a, b, [1] * 5)

    @given(ITEMS, ITEMS, st.integers(1, 4), st.integers(0, 2), st.sampled_from([0, 1, 4]))
    def test_result_is_one_whatever_the_bounds(self, a, b, edits, few, rare):
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {"DENSE": 0, "EDITS": edits, "FEW_EDITS": few, "RARE": rare}.items():
                patch.setattr(_diff, name, value)
            assert worth(a, b, match(a, b), [1] * 5) <= heaviest(a, b, [1] * 5)

    def test_few_distinct_items_with_few_edits(self):
        source = random.Random(1)
        a = [source.randrange(5) for _ in range(5_000)]
        b = [source.randrange(5) if source.random() < 0.01 else item for item in a]
        changed = sum(old != new for old, new in zip(a, b, strict=True))
        assert changed > 10
        assert worth(a, b, match(a, b), [1] * 5) >= len(a) - changed

    def test_rare_items_part_what_is_repeated(self):
        a = [0] * 200 + [1] + [0] * 200
        b = [0] * 150 + [1] + [0] * 250
        assert worth(a, b, match(a, b), [1] * 2) >= 351


class TestRepeatsPairInOrder:
    @pytest.mark.parametrize(
        ("a", "b", "runs"),
        [
            ("rr", "r", [(0, 0, 1)]),
            ("r", "rr", [(0, 0, 1)]),
            ("xrry", "xry", [(0, 0, 2), (3, 2, 1)]),
            ("xrxr", "xr", [(0, 0, 2)]),
            ("xrary", "xry", [(0, 0, 2), (4, 2, 1)]),
            ("xry", "xrary", [(0, 0, 2), (2, 4, 1)]),
        ],
    )
    @pytest.mark.parametrize("dense", [4_096, 0])
    def test_first_with_first(self, monkeypatch, dense, a, b, runs):
        monkeypatch.setattr(_diff, "DENSE", dense)
        assert match([ord(item) for item in a], [ord(item) for item in b]) == runs

    def test_first_with_first_beside_other_changes(self):
        a, b = "axbrcrd", "zxyrwd"
        found = match([ord(item) for item in a], [ord(item) for item in b])
        assert found == [(1, 1, 1), (3, 3, 1), (6, 5, 1)]

    def test_change_slides_back_behind_a_common_end(self, monkeypatch):
        # The end is paired first here; the deletion is then moved behind its equal.
        monkeypatch.setattr(_diff, "DENSE", 0)
        assert match([9, 7, 7, 7, 8], [9, 7, 7, 8]) == [(0, 0, 3), (4, 3, 1)]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), max_size=12))
def test_heaviest_increasing(members):
    values, weights = [value for value, _ in members], [weight for _, weight in members]
    found = heaviest_increasing(values, weights)
    assert all(i < j and values[i] < values[j] for i, j in pairwise(found))
    best = [0] * len(values)
    for i, value in enumerate(values):
        best[i] = weights[i] + max((best[j] for j in range(i) if values[j] < value), default=0)
    assert sum(weights[i] for i in found) == max(best, default=0)
