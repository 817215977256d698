"""Markers are read, blanked out and attached: nothing is lost, and reading never fails."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_scoring.lint.reading import read

PIECES = st.sampled_from(
    [
        "A fact.", "Dr. No said so", " ", "\n", "\n\n", "[1]", "[1][2]", "[1, 2]", "[3-1]", "[S2]", "[^1]", "[2019]",
        "【4:0†source】", "[Data: Reports (2); Entities (5, 7, +more)]", "a[0]", "[x](http://a)", "`b[1]`", "- [ ] do",
        "[1]: Title, http://a", "[", "]", "é", "\U0001f600", "“quoted words here”",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.lists(PIECES, max_size=14).map("".join), st.text(max_size=60))


@given(TEXTS)
def test_every_marker_is_its_own_slice_and_belongs_to_one_sentence(text: str) -> None:
    answer = read(text)
    for marker in answer.markers:
        assert text[marker.start : marker.end] == marker.raw
    places = [(marker.start, marker.end) for marker in answer.markers]
    assert len(set(places)) == len(places)
    assert all(first[1] <= second[0] for first, second in pairwise(places))
    for sentence in answer.sentences:
        assert len(sentence.text) == sentence.end - sentence.start
    for start, end in [(e.start, e.end) for e in answer.definitions] + [(e.start, e.end) for e in answer.suspects]:
        assert 0 <= start < end <= len(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("A fact [1].", ["1"]),
        ("A fact [1][2].", ["1", "2"]),
        ("A fact [1, 2].", ["1", "2"]),
        ("A fact [1-3].", ["1", "2", "3"]),
        ("A fact [1–3].", ["1", "2", "3"]),
        ("A fact [S2].", ["S2"]),
        ("A fact [^1].", ["1"]),
        ("A fact 【4:0†source】.", ["4:0"]),
        ("A fact [Data: Reports (2); Entities (5, 7, +more)].", ["Reports 2", "Entities 5", "Entities 7"]),
        ("In [2019] a[0] was set, `x[1]` too, see [this](http://a).", []),
        ("- [x] done [1]", ["1"]),
    ],
)
def test_forms(text: str, names: list[str]) -> None:
    assert [name for marker in read(text).markers for name in marker.names] == names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A fact [1]. Another [2].", [["1"], ["2"]]),
        # Behind the full stop it is still the sentence's own.
        ("A fact. [1] Another. [2]", [["1"], ["2"]]),
        ("A fact.[1][2] Another.", [["1", "2"], []]),
        # What begins a line is of the sentence that follows.
        ("A fact.\n[1] Another.", [[], ["1"]]),
        ("- A fact [1]\n- Another [2]", [["1"], ["2"]]),
    ],
)
def test_attachment(text: str, expected: list[list[str]]) -> None:
    answer = read(text)
    found = [[name for marker in sentence.markers for name in marker.names] for sentence in answer.sentences]
    assert [each for each in found if each or len(found) == len(expected)] == expected


def test_what_looks_like_a_marker_is_told_and_why() -> None:
    found = {suspect.raw: suspect.why for suspect in read("Since [2019] x[0] holds (3).\n- [ ] do it [0]").suspects}
    assert found["[2019]"] == "a year"
    assert found["(3)"] == "a number in round brackets"
    assert found["[ ]"] == "a task box"
