"""The location ladder, rung by rung, and places told apart by order."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.importers.locate import METHODS, Location, locate, locate_within
from lineage.importers.source_text import SourceText, folded, letters

TEXT = (
    "The lease began in May.\nThe rent is 1200 euros; it is due monthly.\n\nÀ bientôt – 日本の家賃は高い。 The end.\n"
)


def found(text, *passages):
    return locate(SourceText(text), passages)


def slices(text, location):
    return [text[start:end] for start, end in location.spans]


def test_exact_and_unique():
    (one,) = found(TEXT, "The rent is 1200 euros")
    assert one == Location("exact", ((24, 46),), 1)
    assert slices(TEXT, one) == ["The rent is 1200 euros"]


# langchain #17642, #21475: the first of several equal places
def test_several_places_are_told_apart_by_the_neighbours():
    text = "one. chunk two. chunk three. chunk"
    first, _, middle, _ = found(text, "one.", " chunk", "two.", "three.")
    assert (first.method, middle.method) == ("exact", "exact")
    repeated = found(text, "one.", " chunk", "two.", "three.")[1]
    assert repeated == Location("ordered", ((4, 10),), 1)
    late = found(text, "one.", "two.", " chunk", "three.")[2]
    assert late == Location("ordered", ((15, 21),), 1)


def test_equal_passages_as_many_as_their_places_take_them_all():
    text = "Yes. No. Yes. Maybe. Yes."
    assert [one.spans[0][0] for one in found(text, "Yes.", "Yes.", "Yes.")] == [0, 9, 21]
    assert {one.method for one in found(text, "Yes.", "Yes.", "Yes.")} == {"ordered"}
    assert {one.ambiguous for one in found(text, "Yes.", "Yes.", "Yes.")} == {1}


def test_what_stays_ambiguous_says_so():
    text = "A. Yes. No. Yes. B."
    located = found(text, "A.", "Yes.", "B.")[1]
    assert located.method == "ordered"
    assert located.ambiguous == 2


def test_equal_passages_take_all_places_in_whatever_order_the_others_come():
    text = "alpha. Yes. beta. Yes. gamma."
    located = found(text, "gamma.", "Yes.", "beta.", "alpha.", "Yes.")
    assert [located[i] for i in (1, 4)] == [Location("ordered", ((7, 11),), 1), Location("ordered", ((18, 22),), 1)]


def test_passages_that_cannot_stand_in_their_order():
    text = "a. X. X. Y. b. Y. X."
    located = found(text, "a.", "Y.", "X.", "b.")
    # Between a and b there is one Y, and every X comes before it.
    assert located[1] == Location("ordered", ((9, 11),), 1)
    assert located[2] == Location("unlocated", (), 3)


def test_two_neighbours_in_order_do_not_make_the_rest_ordered():
    text = "a. Yes. b. Yes. c. Yes. d."
    assert found(text, "d.", "b.", "Yes.", "c.", "a.")[2] == Location("unlocated", (), 3)


def test_broken_order_decides_nothing():
    text = "alpha. Yes. beta. Yes. gamma. Yes. delta."
    located = found(text, "delta.", "gamma.", "beta.", "Yes.", "alpha.")[3]
    assert located == Location("unlocated", (), 3)


def test_a_moved_passage_does_not_mislead_its_neighbours():
    text = "a1. Yes. b2. Yes. c3. d4. e5. f6. Yes."
    # d4 was emitted early; the repeated leaf still stands between b2 and c3.
    located = found(text, "a1.", "b2.", "d4.", "Yes.", "c3.", "e5.", "f6.")
    assert located[3] == Location("ordered", ((13, 17),), 1)
    assert located[2] == Location("exact", ((22, 25),), 1)


# LlamaIndex PR 20050: periodic text gets the first place
@pytest.mark.parametrize(("size", "stride"), [(650, 600), (625, 625), (600, 500)])
def test_windows_over_periodic_text_are_placed_in_order(size, stride):
    text = "The rent is due monthly. " * 200
    starts = range(0, len(text), stride)
    located = found(text, *(text[start : start + size] for start in starts))
    assert [one.spans[0][0] for one in located] == list(starts)
    assert all(one.method == "ordered" and one.ambiguous > 1 for one in located)


def test_whole_words_are_preferred_to_parts_of_others():
    text = "The current rent is high."
    assert found(text, "rent") == [Location("ordered", ((12, 16),), 1)]
    # Where every place cuts a word, all of them count.
    assert found("parents; brent", "rent")[0].ambiguous == 2


# GraphRAG v3: a prefix in each unit is not in the source
@pytest.mark.parametrize(
    "prefix", ["title: lease.txt.\n", "title: lease.txt.\ncreation_date: 2026-01-13 09:39.\n", "Source file: a b.c.\n"]
)
def test_metadata_lines_are_dropped(prefix):
    (one,) = found(TEXT, prefix + "The rent is 1200 euros")
    assert one == Location("prefix", ((24, 46),), 1)


def test_only_as_many_metadata_lines_are_dropped_as_must_be():
    text = "note: keep this.\nThe rent is 1200 euros."
    (one,) = found(text, "title: x.\nnote: keep this.\nThe rent")
    assert slices(text, one) == ["note: keep this.\nThe rent"]


def test_a_shared_prefix_of_several_lines_is_dropped():
    prefix = "title: a\nstrange name.\n"
    located = found(TEXT, prefix + "The lease began", prefix + "The rent is")
    assert [one.method for one in located] == ["prefix", "prefix"]


def test_a_line_that_is_in_the_source_is_no_prefix():
    text = "title: lease.\nThe rent."
    assert found(text, text)[0] == Location("exact", ((0, len(text)),), 1)


# GraphRAG, LightRAG on Chinese: token windows cut a character
@pytest.mark.parametrize("size", [7, 11, 100])
def test_windows_of_bytes_that_cut_characters(size):
    text = "".join(random.Random(1).choices("房租每月一千二百元由承租人支付給出租人🏠é", k=400))
    data = text.encode()
    windows = [data[at : at + size].decode(errors="replace") for at in range(0, len(data), size)]
    assert any("�" in window for window in windows)
    located = found(text, *windows)
    assert {one.method for one in located} <= {"exact", "edge", "ordered"}
    certain = [(w, one) for w, one in zip(windows, located, strict=True) if one.ambiguous == 1]
    assert len(certain) > len(windows) * 0.8
    for window, one in certain:
        assert slices(text, one) == [window.strip("�")]


def test_a_prefix_and_a_cut_character_together():
    (one,) = found(TEXT, "title: x.\n日本の家賃��")
    assert (one.method, slices(TEXT, one)) == ("edge", ["日本の家賃"])


# dismech #9433: line wraps must not make a quote absent
def test_white_space_is_folded():
    (one,) = found(TEXT, "  The lease began\tin May. The rent is ")
    assert (one.method, slices(TEXT, one)) == ("whitespace", ["The lease began in May.\nThe rent is"])


# rag-rat #241, raghilda #92: CRLF counted as one; bare CR
def test_offsets_are_code_points_of_the_exact_text():
    text = "# H\r\n\rText one.\r\nText two. 🏠\r\nEnd."
    (one,) = found(text, "Text two. 🏠")
    assert one == Location("exact", ((17, 28),), 1)
    assert found(text, "Text one. Text two.")[0] == Location("whitespace", ((6, 26),), 1)


# RAPTOR: the splitter drops punctuation
def test_letters_only():
    (one,) = found(TEXT, "The rent is 1200 euros it is due monthly")
    assert (one.method, one.spans) == ("letters", ((24, 65),))


def test_letters_take_the_punctuation_that_the_passage_has():
    text = 'He said: "Stop, now!" Then he left.'
    (one,) = found(text, '"Stop now!"')
    assert slices(text, one) == ['"Stop, now!"']
    assert slices(text, found(text, "Stop now..")[0]) == ["Stop, now"]


def test_case_is_not_folded():
    assert found("The MAY report.", "the may report")[0].method == "unlocated"


def test_pieces():
    text = "First the long clause was written; then another clause came. Finally the third sentence ended it."
    (one,) = found(
        text, "then another clause came Finally the third sentence ended it First the long clause was written"
    )
    assert one.method == "multi"
    assert slices(text, one) == [
        "First the long clause was written",
        "then another clause came. Finally the third sentence ended it",
    ]


def test_a_piece_ends_where_the_passage_has_a_break():
    text = "I saw the ship. It sailed. I was glad to be there. Much later I wrote it down."
    # "I" follows "It sailed." in the source too, but it belongs to the second piece.
    (one,) = found(text, "I saw the ship. It sailed; I wrote it down.")
    assert slices(text, one) == ["I saw the ship. It sailed", "I wrote it down"]


def test_pieces_that_overlap_are_one_range():
    text = "alpha beta gamma delta epsilon zeta eta theta"
    (one,) = found(text, "alpha beta gamma delta epsilon. gamma delta epsilon zeta eta theta")
    assert one == Location("multi", ((0, len(text)),), 1)


def test_four_pieces_are_too_many():
    parts = ["alpha beta gamma delta", "one two three four five", "red green blue yellow", "spring summer autumn"]
    text = " X ".join(parts)
    assert found(text, " Y ".join(parts))[0] == Location("unlocated", (), 0)
    assert found(text, " ".join(reversed(parts[:3])))[0].method == "multi"
    assert found(text, " ".join(reversed(parts)))[0].method == "unlocated"


def test_other_text_is_not_found_in_pieces_by_chance():
    text = "The quick brown fox jumps over the lazy dog. " * 3
    for passage in ("abcdef ghi", "the lazy cat", "z-b", "zebra", "quick lazy over"):
        assert found(text, passage)[0].method == "unlocated", passage


def test_pieces_far_apart_are_a_coincidence():
    text = "The tenant pays the rent." + " filler" * 2_000 + " The owner keeps the house."
    assert found(text, "The tenant pays the rent The owner keeps the house")[0].method == "unlocated"


@pytest.mark.parametrize("passage", ["", " \n", "��", "..."])
def test_nothing_to_locate(passage):
    assert found("Some text without it", passage)[0] == Location("unlocated", (), 0) or not passage.strip()
    assert found("Some text without it", "")[0] == Location("unlocated", (), 0)


def test_within_a_unit():
    text = "The rent is due. The rent is low. The rent is due."
    source = SourceText(text)
    assert locate_within(source, "The rent is due.", 0, 20) == Location("exact", ((0, 16),), 1)
    assert locate_within(source, "The rent is due.", 20, len(text)) == Location("exact", ((34, 50),), 1)
    # A quote has no neighbours: two places stay two, and none is chosen.
    assert locate_within(source, "The rent is due.", 0, len(text)) == Location("unlocated", (), 2)
    assert locate_within(source, "The rent  is low", 10, 40) == Location("whitespace", ((17, 32),), 1)
    assert locate_within(source, "The rent is low.", 0, 20) == Location("unlocated", (), 0)
    assert locate_within(SourceText("parents; the rent"), "rent", 0, 17) == Location("exact", ((13, 17),), 1)


@given(st.text(alphabet="ab .,\n\r中日�", min_size=1, max_size=80), st.data())
def test_every_slice_is_found_and_equals_its_place(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    (one,) = found(text, text[start:end])
    assert one.method in METHODS
    assert one.ambiguous >= 1
    if one.ambiguous == 1:
        assert slices(text, one) == [text[start:end]]


@given(st.text(alphabet="ab .,\n\r中1-_", max_size=60), st.text(alphabet="ab .,\n", max_size=12))
def test_a_place_has_the_same_form_as_its_passage(text, passage):
    (one,) = found(text, passage)
    if one.method == "whitespace":
        assert [folded(part) for part in slices(text, one)] == [folded(passage)]
    elif one.method == "letters":
        assert [letters(part) for part in slices(text, one)] == [letters(passage)]
    for start, end in one.spans:
        assert 0 <= start < end <= len(text)


@given(st.lists(st.sampled_from(["ab", "a b", "c.", "Yes.", "\n\n", "日本"]), min_size=1, max_size=12))
def test_a_text_cut_in_order_is_never_placed_out_of_order(parts):
    located = found("".join(parts), *parts)
    starts = [one.spans[0][0] for one in located if one.method == "ordered"]
    assert starts == sorted(starts)
    at = 0
    for part, one in zip(parts, located, strict=True):
        if one.ambiguous == 1 and one.spans:
            assert one.spans[0][0] == at
        at += len(part)


def test_many_leaves_of_a_long_text_are_quick():
    words = [f"w{i:x}" for i in random.Random(2).sample(range(10**6), 33_000)]
    text = ", ".join(words)
    leaves = [" ".join(words[at : at + 72]) for at in range(0, len(words), 72)]
    begin = time.perf_counter()
    located = found(text, *leaves)
    assert time.perf_counter() - begin < 5
    assert {one.method for one in located} == {"letters"}
    assert len(located) == 459
