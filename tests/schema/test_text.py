"""Lines, paragraphs, sentences, joined words and neighbourhoods of exact texts."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_schema.text import (
    NEAR,
    Line,
    TextIndex,
    edge_word,
    joined,
    lines,
    neighbours_changed,
    paragraphs,
    sentences,
)

# Everything that a rule looks at, so that short texts meet all rules.
TEXTS = st.text(alphabet="ab. 3,!?…。)”\"'-+%\n\r\u2028\x85\x0c\u0301三丁é𝑥😀Ee.g", max_size=60)


def cut(text, ranges):
    return [text[start:end] for start, end in ranges]


class TestLines:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("", []),
            ("a", [Line(0, 1, 1)]),
            ("a\n", [Line(0, 1, 2)]),
            ("a\r\nb\rc\n\nd", [Line(0, 1, 3), Line(3, 4, 5), Line(5, 6, 7), Line(7, 7, 8), Line(8, 9, 9)]),
            ("\n\r", [Line(0, 0, 1), Line(1, 1, 2)]),
            ("\r\r\n", [Line(0, 0, 1), Line(1, 1, 3)]),
        ],
    )
    def test_ends(self, text, expected):
        assert lines(text) == expected

    @pytest.mark.parametrize("other", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e"])
    def test_nothing_else_ends_a_line(self, other):
        assert lines(f"a{other}b") == [Line(0, 3, 3)]

    @given(TEXTS)
    def test_cover_the_text(self, text):
        found = lines(text)
        assert "".join(text[line.start : line.stop] for line in found) == text
        assert all(text[line.end : line.stop] in ("\n", "\r\n", "\r") for line in found[:-1])
        assert not any(set(text[line.start : line.end]) & set("\r\n") for line in found)


class TestParagraphs:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("", []),
            (" \n\t\n", []),
            ("a\nb\n\nc", ["a\nb", "c"]),
            ("\n\n  a \r\n b\r\n \t\r\nc\r\n", ["  a \r\n b", "c"]),
            ("a\r\rb", ["a", "b"]),
            ("a\u2028\u2028b", ["a\u2028\u2028b"]),
        ],
    )
    def test_blank_lines_part_them(self, text, expected):
        assert cut(text, paragraphs(text)) == expected


class TestSentences:
    @pytest.mark.parametrize(
        "expected",
        [
            ["Refunds take 30 days.", "Ask the desk."],
            ["Who?", "We!", "Really?!", "Wait...", "Well…", "No end"],
            ["Pay 3.5 now.", "See a.b.c and 10.4.", "Done."],
            ["(See this.)", "“Stop!”", "He said 'no.'", "[Sic.]", "Next."],
            ["Il dit «\u00a0Oui.\u00a0»", "Puis il part."],
            ["A fact.[1]", "Two facts.[2][13]", "End."],
        ],
    )
    def test_terminators_before_white_space(self, expected):
        text = " ".join(expected)
        assert cut(text, sentences(text)) == expected

    @pytest.mark.parametrize(
        "expected",
        [
            ["甲方付款。", "乙方运输！", "好吗？", "完"],
            ["“好。”", "他说。"],
            ["半角｡", "次。。。", "End.", "甲。"],
        ],
    )
    def test_full_width_terminators_need_no_white_space(self, expected):
        text = "".join(expected).replace("End.", "End. ")
        assert cut(text, sentences(text)) == expected

    @pytest.mark.parametrize(
        "sentence",
        [
            "Dr. Roe and Mrs. Poe came.",
            "Bring fruit, e.g. apples, i.e. no nuts, cf. Annex two.",
            "See Art. 5, No. 7, pp. 3 and Fig. 2.",
            "J. R. Smith and A.B. Jones knew U.S. law.",
            "At 9 a.m. we open, etc. and close.",
            "Das gilt z.B. für Nr. 4 und bzw. dort.",
            "1. Scope is this.",
            "2.1. Terms follow.",
            "a. The first item.",
            "“Stop!” he said.",
            "He wept… and left... quietly.",
            "Yes (really!) it is.",
            "A line\nwrap\r\nis white  space.",
        ],
    )
    def test_what_does_not_end_one(self, sentence):
        text = f"Before it. {sentence} After it."
        assert cut(text, sentences(text)) == ["Before it.", sentence, "After it."]

    @pytest.mark.parametrize(
        "expected",
        [
            ["He said no.", "We left."],
            ["Sugar, salt, etc.", "Then flour."],
            ["We open at 9 a.m.", "Come early."],
            ["So do I.", "Then go."],
            ["There are 30.", "Call me."],
            ["He wept…", "Then he left."],
            ["“Stop!”", "He ran."],
        ],
    )
    def test_what_may_end_one(self, expected):
        text = " ".join(expected)
        assert cut(text, sentences(text)) == expected

    def test_never_cross_a_paragraph(self):
        assert cut("A head\n\nbegins e.g.\n\nhere. so", sentences("A head\n\nbegins e.g.\n\nhere. so")) == [
            "A head",
            "begins e.g.",
            "here.",
            "so",
        ]

    @given(TEXTS)
    def test_hold_all_but_white_space(self, text):
        found = sentences(text)
        assert sorted(found) == found
        last = 0
        for start, end in found:
            assert last <= start < end
            assert not text[start].isspace()
            assert not text[end - 1].isspace()
            assert not text[last:start].strip()
            assert any(low <= start and end <= high for low, high in paragraphs(text))
            last = end
        assert not text[last:].strip()


class TestJoined:
    @pytest.mark.parametrize(
        "text",
        [
            "a|b",
            "1|30",
            "30|d",
            "non-|refundable",
            "non|-refundable",
            "-|30",
            "−|30",
            "+|30",
            "±|30",
            "€|30",
            "30|%",
            "30|‰",
            "20|°",
            "10|–20",
            "soft|\u00adhyphen",
            "e|\u0301",
            "e\u0301|s",
            "𝑧|𝑦",
            "三|十",
            "2|,500",
            "2,|500",
            "30|.5",
            "10|:45",
            "3|/4",
            "12|’500",
            "12'|500",
            "می|\u200cخواهم",
        ],
    )
    def test_across(self, text):
        offset = text.index("|")
        assert joined(text.replace("|", ""), offset)

    @pytest.mark.parametrize(
        "text",
        [
            "|ab",
            "ab|",
            "a| b",
            "a|.",
            "30|, then",
            "30,| then",
            "30|.",
            "a|.b",
            "can|'t",
            "f|(x)",
            "a|—b",
            "<b>|word",
            "x|=5",
            "a|_b",
            "*|bold",
            "。|乙",
            "😀|a",
            "a|\u2028b",
            "1|;2",
        ],
    )
    def test_not_across(self, text):
        offset = text.index("|")
        assert not joined(text.replace("|", ""), offset)


class TestEdgeWord:
    @pytest.mark.parametrize(
        ("text", "before", "after"),
        [
            ("130 days", "", ""),
            ("1|30 days", "1", "30"),
            ("Pay -2,5|00.75 now", "-2,5", "00.75"),
            ("non-re|fundable here", "non-re", "fundable"),
            ("cafe|\u0301s open", "cafe", "\u0301s"),
            ("Wait |30", "", ""),
            ("end|. 5", "", ""),
            ("甲方在三|十天内", "三", "十"),
            ("ABC甲|乙DEF", "甲", "乙"),
            ("甲AB|CD乙丙", "甲AB", "CD乙"),
            ("ที่|นี่", "ที่", "นี่"),
        ],
    )
    def test_both_sides(self, text, before, after):
        offset = max(text.find("|"), 0)
        text = text.replace("|", "")
        assert edge_word(text, offset, "before") == before
        assert edge_word(text, offset, "after") == after

    @given(TEXTS, st.data())
    def test_there_where_joined(self, text, data):
        offset = data.draw(st.integers(0, len(text)))
        before, after = edge_word(text, offset, "before"), edge_word(text, offset, "after")
        assert bool(before) == bool(after) == joined(text, offset)
        assert text[:offset].endswith(before)
        assert text[offset:].startswith(after)

    def test_endless_words_are_looked_at_near_the_edge(self):
        text = "x" * 10_000
        assert 0 < len(edge_word(text, 5_000, "before")) < 1_000
        assert 0 < len(edge_word(text, 5_000, "after")) < 1_000


class TestNeighbourhood:
    TEXT = "One is first. Two is second. Three is third.\n\nFour is apart. Five is last.\n"

    def around(self, quote, text=TEXT):
        start = text.index(quote)
        return TextIndex(text).neighbourhood(start, start + len(quote))

    @pytest.mark.parametrize(
        ("quote", "head", "tail", "before", "after"),
        [
            ("Two is second.", "", "", "One is first.", "Three is third."),
            ("is", "One ", " first.", None, "Two is second."),
            ("second. Three", "Two is ", " is third.", "One is first.", None),
            ("Three is third.\n\nFour", "", " is apart.", "Two is second.", "Five is last."),
            ("Five is last.\n", "", "", "Four is apart.", None),
            (" Two is second. ", "", "", "One is first.", "Three is third."),
            ("\n\nFour is apart", "", ".", None, "Five is last."),
        ],
    )
    def test_parts(self, quote, head, tail, before, after):
        found = self.around(quote)
        assert found.sentences == (head, tail, before, after)
        assert not found.whole

    def test_white_space_inside_a_sentence_has_its_sentence(self):
        text = "One is. Two is."
        assert TextIndex(text).neighbourhood(3, 4).sentences == ("One", "is.", None, "Two is.")

    def test_white_space_between_sentences_has_neighbours(self):
        text = "One is. Two is.\n\nThree is."
        assert TextIndex(text).neighbourhood(7, 8).sentences == ("", "", "One is.", "Two is.")

    def test_white_space_between_paragraphs_has_none(self):
        text = "One is. Two is.\n\nThree is.\n"
        assert TextIndex(text).neighbourhood(15, 17).sentences == ("", "", None, None)
        assert TextIndex(text).neighbourhood(26, 27).sentences == ("", "", None, None)

    def test_distance_is_from_the_nearest_edges(self):
        rest = " x" * (NEAR // 2)
        near = f"Start{rest[:-2]}. Next one."
        far = f"Start{rest}. Next one."
        assert TextIndex(near).neighbourhood(0, 5).after == "Next one."
        assert TextIndex(far).neighbourhood(0, 5).after is None
        assert len(rest) == NEAR
        back = f"First one. {rest[1:]} end."
        at = back.index("end")
        assert at - len("First one.") == NEAR + 1
        assert TextIndex(back).neighbourhood(at, at + 3).before is None
        assert TextIndex(back).neighbourhood(at - 1, at + 3).before == "First one."

    def test_whole(self):
        found = TextIndex("All of it.").neighbourhood(0, 10)
        assert found.whole
        assert found.sentences == ("", "", None, None)

    @pytest.mark.parametrize(("start", "end"), [(2, 2), (3, 2), (-1, 2), (0, 99)])
    def test_no_such_range(self, start, end):
        with pytest.raises(ValueError, match="empty or not within"):
            TextIndex("abc").neighbourhood(start, end)

    @given(TEXTS, st.data())
    def test_agrees_with_the_tables(self, text, data):
        if not text:
            return
        start = data.draw(st.integers(0, len(text) - 1))
        end = data.draw(st.integers(start + 1, len(text)))
        index = TextIndex(text)
        touching = [n for n, (low, high) in enumerate(sentences(text)) if low < end and high > start]
        assert list(index.sentences_touching(start, end)) == touching
        found = index.neighbourhood(start, end)
        if text[start:end].strip():
            first, last = sentences(text)[touching[0]], sentences(text)[touching[-1]]
            assert found.head == text[first[0] : start]
            assert found.tail == text[end : last[1]]
            same_paragraph = next(p for p in paragraphs(text) if p[0] <= last[0] < p[1])
            after = [s for s in sentences(text) if s[0] >= last[1] and s[1] <= same_paragraph[1]]
            assert found.after == (text[slice(*after[0])] if after and after[0][0] - end <= NEAR else None)


class TestNeighboursChanged:
    def test_white_space_between_sentences_does_not_count(self):
        old = TextIndex("One is. Two is. Three is.").neighbourhood(8, 15)
        new = TextIndex("One is.\nTwo is.   Three is.").neighbourhood(8, 15)
        assert not neighbours_changed(old, new)

    @pytest.mark.parametrize("text", ["Won is. Two is. Three is.", "One is. Two is. Three was.", "One is. Two is."])
    def test_text_counts(self, text):
        old = TextIndex("One is. Two is. Three is.").neighbourhood(8, 15)
        assert neighbours_changed(old, TextIndex(text).neighbourhood(8, 15))

    def test_text_beside_what_was_the_whole(self):
        alone, beside = TextIndex("One is.\n"), TextIndex("One is.\n\nTwo is.\n")
        assert neighbours_changed(alone.neighbourhood(0, 8), beside.neighbourhood(0, 8))
        assert not neighbours_changed(beside.neighbourhood(0, 8), alone.neighbourhood(0, 8))


def test_combining_marks_are_not_normalised():
    text = "Cafe\u0301 is open. Next."
    assert unicodedata.normalize("NFC", text) != text
    assert TextIndex(text).neighbourhood(0, 5).tail == " is open."
