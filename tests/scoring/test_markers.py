"""ALCE's reading of an answer: one line, its statements, the documents they cite, and the claims that are judged."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_schema.errors import MissingDependency
from lineage_scoring import splitting
from lineage_scoring.markers import cited, claim, first_line, list_statements, sentences

PIECES = st.lists(
    st.one_of(st.sampled_from([" ", "[", "]", "|", " |", "[1]", " [2", "[[3", "12", "a", ".", ",", "\n"]), st.text()),
    max_size=12,
).map("".join)


class TestFirstLine:
    @pytest.mark.parametrize(
        ("output", "kept"),
        [
            ("One [1].\nTwo [2].", "One [1]."),
            ("\n\n  One [1].\n\nTwo.", "One [1]."),
            ("One [1].<|im_end|>", "One [1]."),
            ("One.  \nTwo.", "One.  "),
            ("One. <|im_end|>\nTwo.", "One. "),
            ("One.\rTwo.\u2028Three.", "One.\rTwo.\u2028Three."),
            ("- one [1]\n- two [2]", "- one [1]"),
            (" \n ", ""),
        ],
    )
    def test_what_is_kept(self, output, kept):
        assert first_line(output) == kept


class TestSentences:
    @pytest.mark.parametrize(
        ("output", "found"),
        [
            ("A fact [1]. B fact [2].", ["A fact [1].", "B fact [2]."]),
            ("A fact. [1] B fact. [2]", ["A fact.", "[1] B fact.", "[2]"]),
            ("A fact.[1][2] B fact.[3]", ["A fact.", "[1][2] B fact.", "[3]"]),
            ("A fact.[1]B fact.", ["A fact.", "[1]B fact."]),
            ("By Dr. Ito at 10 a.m. [1]. It is so.", ["By Dr. Ito at 10 a.m. [1].", "It is so."]),
            ("Smith et al. [2004] said 3.5 [1].", ["Smith et al.", "[2004] said 3.5 [1]."]),
            ("So it is!! Really?", ["So it is!!", "Really?"]),
            ("So it is!!", ["So it is!", "!"]),
            ("He said “so.” Then he left.", ["He said “so.”", "Then he left."]),
            ("It was 5. International trade grew.", ["It was 5. International trade grew."]),
            ("Sold to Acme Inc. However it failed.", ["Sold to Acme Inc.", "However it failed."]),
            ("By J. The end.", ["By J.", "The end."]),
            ("I don't know.", ["I don't know."]),
            ("- one [1]\n- two [2]", ["- one [1]\n- two [2]"]),
            ("  One.\n\nTwo.  ", ["  One.", "Two."]),
            ("[1]", ["[1]"]),
            ("", []),
            (" \n\t ", []),
        ],
    )
    def test_are_those_of_punkt(self, output, found):
        assert sentences(output) == found

    @given(PIECES)
    def test_hold_all_but_white_space(self, output):
        found = sentences(output)
        assert all(sentence.strip() for sentence in found)
        assert "".join("".join(found).split()) == "".join(output.split())

    @pytest.mark.parametrize("module", ["nltk.tokenize.punkt", "punkt"])
    def test_missing_extra_is_named(self, module, monkeypatch):
        monkeypatch.setitem(sys.modules, module, None)
        splitting._splitter.cache_clear()
        with pytest.raises(MissingDependency, match="'alce'") as error:
            sentences("One. Two.")
        assert error.value.extra == "alce"


class TestListStatements:
    @pytest.mark.parametrize(
        ("output", "items"),
        [
            ("a [1], b [2].", ["a [1]", "b [2]"]),
            ("a [1, 2], b", ["a [1", "2]", "b"]),
            ("a,b ,  c", ["a", "b", "c"]),
            ("a, b, ", ["a", "b"]),
            ("a, b,,, ", ["a", "b"]),
            ("a, b...", ["a", "b"]),
            ("a, b,.. \n", ["a", "b"]),
            ("a, b.,", ["a", "b."]),
            ("a, b. .", ["a", "b. "]),
            ("a,, b", ["a", "", "b"]),
            (", a", ["", "a"]),
            ("", [""]),
            (" . ", [""]),
            (",", [""]),
        ],
    )
    def test_one_for_each_item(self, output, items):
        assert list_statements("Which?", output) == [f"Which? {item.strip()}" for item in items]

    def test_markers_of_the_question_are_read(self):
        (statement,) = list_statements("Which [3]?", "a [1]")
        assert cited(statement) == (2, 0)


class TestCited:
    @pytest.mark.parametrize(
        ("statement", "documents"),
        [
            ("So [1].", (0,)),
            ("So [3][1].", (2, 0)),
            ("So [1][1].", (0, 0)),
            ("So [1, 2].", (0,)),
            ("So [1-3].", (0,)),
            ("So [12", (11,)),
            ("So [007].", (6,)),
            ("So [2019].", (2018,)),
            ("So [0].", (-1,)),
            ("So [[2]].", (1,)),
            ("So [2a].", (1,)),
            ("So [٣].", (2,)),
            ("So [a] (1) [^1] 【1】 [ 1] [-1] ¹ [².", ()),
            ("", ()),
        ],
    )
    def test_in_order_with_duplicates(self, statement, documents):
        assert cited(statement) == documents

    def test_longer_than_python_converts(self):
        (document,) = cited(f"So [{'9' * 10_000}].")
        assert document >= sys.maxsize - 1


class TestClaim:
    @pytest.mark.parametrize(
        ("statement", "judged"),
        [
            ("So it is [1][2].", "So it is."),
            ("So it is [1] [2].", "So it is."),
            ("So  [1] it is.", "So  it is."),
            ("see [Smith] and a[0] [3].", "see [Smith and a."),
            ("x [12, 13].", "x, 13."),
            ("x [1-3].", "x-3."),
            ("x [1", "x"),
            ("[2]", ""),
            ("[1] Then it was.", "Then it was."),
            ("a | b |c| d", "a bc| d"),
            ("a [1]| b", "a| b"),
            ("a [1] | b", "a b"),
            ("a ]| b", "a | b"),
            ("  a\n", "a"),
        ],
    )
    def test_is_what_the_judge_sees(self, statement, judged):
        assert claim(statement) == judged

    @given(PIECES)
    def test_is_the_rule_step_by_step(self, statement):
        """Markers with a space before them go first, then those without, then bars, then brackets."""
        rest = statement
        for pattern in (r" \[\d+", r"\[\d+", r" \|", r"\]"):
            rest = re.sub(pattern, "", rest)
        assert claim(statement) == rest.strip()

    @given(PIECES)
    def test_holds_no_closing_bracket(self, statement):
        assert "]" not in claim(statement)
