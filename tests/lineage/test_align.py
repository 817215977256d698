"""Rule a1: which characters of a text are which of its next version."""

import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.align import RULE, Alignment, align, identity

LINES = [
    "Rent is due.",
    "Ask the desk. See Ann.",
    "Pay 30 days.",
    "Pay 130 days. Ask the desk.",
    "---",
    "",
    "  ",
    "甲方付款。",
]
ENDS = ["\n", "\n", "\r\n", "\r", "\n\n", ""]
TEXTS = st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(ENDS)), max_size=6).map(
    lambda parts: "".join(line + end for line, end in parts)
)
LOOSE = st.text(alphabet="ab. \n\r-3,\u0301三𝑥", max_size=25)
PAIRS = st.one_of(st.tuples(TEXTS, TEXTS), st.tuples(LOOSE, LOOSE))


def characters(alignment):
    """Every mapped character of a, with its image."""
    return {a + at: b + at for a, b, length in alignment.blocks for at in range(length)}


def image(a, b, quote, nth=0):
    """Where the nth occurrence of a quote stands: text of b, or None."""
    start = -1
    for _ in range(nth + 1):
        start = a.index(quote, start + 1)
    return align(a, b).map_range(start, start + len(quote))


def place(text, quote, nth=0):
    start = -1
    for _ in range(nth + 1):
        start = text.index(quote, start + 1)
    return start, start + len(quote)


def paragraphs(*texts):
    return "\n\n".join(texts) + "\n"


class TestAnyTwoTexts:
    @given(PAIRS)
    def test_equal_characters_one_to_one(self, pair):
        a, b = pair
        mapped = characters(align(a, b))
        assert all(a[x] == b[y] for x, y in mapped.items())
        assert len(set(mapped.values())) == len(mapped)
        assert len(mapped) == align(a, b).aligned

    @given(PAIRS)
    def test_line_ends_never_map_by_halves(self, pair):
        a, b = pair
        for one, other, there in ((a, b, characters(align(a, b))), (b, a, characters(align(a, b).inverse()))):
            for at in range(len(one) - 1):
                if one[at : at + 2] == "\r\n" and (at in there or at + 1 in there):
                    assert other[there[at] : there[at] + 2] == "\r\n"
                    assert there[at + 1] == there[at] + 1

    @given(PAIRS)
    def test_map_range_is_where_all_characters_go_together(self, pair):
        a, b = pair
        alignment = align(a, b)
        mapped = characters(alignment)
        for start in range(len(a)):
            for end in range(start + 1, len(a) + 1):
                there = [mapped.get(at) for at in range(start, end)]
                together = there[0] is not None and there == list(range(there[0], there[0] + end - start))
                expected = (there[0], there[0] + end - start) if together else None
                assert alignment.map_range(start, end) == expected
                if expected is not None:
                    assert alignment.project(start, end) == expected

    @given(PAIRS)
    def test_inverse(self, pair):
        alignment = align(*pair)
        inverse = alignment.inverse()
        assert characters(inverse) == {y: x for x, y in characters(alignment).items()}
        assert inverse.inverse() == alignment
        assert (inverse.length_a, inverse.length_b) == (alignment.length_b, alignment.length_a)

    @given(PAIRS)
    def test_bytes_come_back(self, pair):
        alignment = align(*pair)
        assert Alignment.from_bytes(alignment.to_bytes()) == alignment

    @given(PAIRS)
    def test_project_stays_in_the_text(self, pair):
        alignment = align(*pair)
        for start in range(alignment.length_a + 1):
            for end in range(start, alignment.length_a + 1):
                low, high = alignment.project(start, end)
                assert 0 <= low <= high <= alignment.length_b
                assert start < end or low == high

    @given(PAIRS)
    def test_whole_lines_that_are_in_both_map_somewhere(self, pair):
        """As many of each line with a letter or digit as both texts have."""
        a, b = pair

        def whole(text):
            lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            return [line for line in lines if any(c.isalnum() for c in line)]

        mapped = characters(align(a, b))
        common = 0
        for line in set(whole(a)):
            common += len(line) * min(whole(a).count(line), whole(b).count(line))
        assert len(mapped) >= common

    @given(TEXTS)
    def test_equal_texts(self, text):
        assert align(text, text) == identity(len(text))
        assert characters(identity(len(text))) == {at: at for at in range(len(text))}


@st.composite
def edits(draw):
    """A text of distinct paragraphs, a few repeated ones between them, and an edit of it with known images."""
    count = draw(st.integers(1, 8))
    source = random.Random(draw(st.integers(0, 10**6)))

    def line():
        return " ".join(f"w{source.getrandbits(48):x}" for _ in range(4)) + "."

    old: list[str] = []
    new: list[str] = []
    kept = []
    for _ in range(count):
        what = draw(st.sampled_from(["keep", "keep", "delete", "insert", "repeat"]))
        if what == "insert":
            new.append(line())
            continue
        # A repeated line stands between distinct ones, so that what surrounds it says which one it is.
        texts = [line(), "Rent is due.", line()] if what == "repeat" else [line()]
        drop = draw(st.integers(0, 2)) if what == "repeat" and draw(st.booleans()) else None
        for at, text in enumerate(texts):
            if what != "delete" and at != drop:
                kept.append((len(old), len(new)))
                new.append(text)
            old.append(text)
    return old, new, kept


def starts(texts, gap):
    found, at = [], 0
    for text in texts:
        found.append(at)
        at += len(text) + len(gap)
    return found


class TestEditScripts:
    @given(edits(), st.sampled_from(["\n", "\n\n", "\r\n", "\r\r"]), st.booleans())
    def test_kept_lines_map_where_they_are_now(self, edit, gap, final):
        old, new, kept = edit
        a, b = gap.join(old) + gap * final, gap.join(new) + gap * final
        alignment = align(a, b)
        at_a, at_b = starts(old, gap), starts(new, gap)
        for i, j in kept:
            assert alignment.map_range(at_a[i], at_a[i] + len(old[i])) == (at_b[j], at_b[j] + len(new[j]))
        # The order of what did not move is kept, for every character.
        images = list(characters(alignment).values())
        assert images == sorted(images)

    @given(edits())
    def test_gone_lines_are_blank(self, edit):
        old, new, kept = edit
        new = [new[j] for _, j in kept]
        a, b = paragraphs(*old), paragraphs(*new)
        alignment = align(a, b)
        staying = {i for i, _ in kept}
        for i, start in enumerate(starts(old, "\n\n")):
            if i not in staying:
                low, high = alignment.project(start, start + len(old[i]))
                assert not b[low:high].strip()

    @given(
        st.permutations([f"Line w{number} is here." for number in range(6)]), st.sampled_from(["\n", "\r\n", "\n\n"])
    )
    def test_lines_in_any_order(self, order, gap):
        lines = [f"Line w{number} is here." for number in range(6)]
        a, b = gap.join(lines) + gap, gap.join(order) + gap
        alignment = align(a, b)
        for line in lines:
            assert alignment.map_range(*place(a, line + gap)) == place(b, line + gap)


class TestLines:
    def test_without_their_ends(self):
        a, b = "One is.\nTwo is.\n", "One is.\r\nTwo is.\r\n"
        assert characters(align(a, b)) == {
            **{at: at for at in range(7)},
            **{at: at + 1 for at in range(8, 15)},
        }

    def test_moved_line(self):
        a, b = paragraphs("Ann sat.", "Bob ran far.", "Cy is."), paragraphs("Bob ran far.", "Cy is.", "Ann sat.")
        for quote in ("Ann sat.", "Bob ran far.\n\nCy is."):
            assert image(a, b, quote) == place(b, quote)

    def test_moved_part_of_a_line_is_gone(self):
        a, b = paragraphs("Ann sat. Bob ran.", "Cy is."), paragraphs("Bob ran.", "Cy is. Ann sat.")
        assert image(a, b, "Ann sat.") is None
        assert align(a, b).project(0, 8) == (0, 0)

    def test_moved_line_without_letter_or_digit_is_gone(self):
        line = paragraphs("***", "Ann sat.", "Bob ran.")
        assert image(line, paragraphs("Ann sat.", "Bob ran.", "***"), "***") is None
        digit = paragraphs("*7*", "Ann sat.", "Bob ran.")
        assert image(digit, paragraphs("Ann sat.", "Bob ran.", "*7*"), "*7*") == (20, 23)

    def test_moved_block_takes_its_blank_lines(self):
        block = "Ann sat.\n\n\nBob ran.\n"
        a, b = block + "\nCy is.\n\nDi is.\n\nEd is.\n", "Cy is.\n\nDi is.\n\nEd is.\n\n" + block
        assert image(a, b, block) == place(b, block)

    def test_blank_line_alone_does_not_move(self):
        a, b = paragraphs("Ann sat.", "Bob ran.", "Cy is."), "Cy is.\n"
        assert align(a, b).blocks == ((20, 0, 7),)

    def test_blank_lines_follow_the_line_before_first(self):
        a, b = paragraphs("Ann sat.", "Cy is."), paragraphs("Ann sat.", "Bob ran.", "Cy is.")
        assert image(a, b, "Ann sat.\n\n") == (0, 10)
        assert image(a, b, "\nCy is.") is None
        # Where the line before went, they follow the one behind.
        a, b = "Ann sat.\n\n\nCy is.\n", "Bob.\n\n\nCy is.\n"
        assert image(a, b, "\n\n\nCy is.\n") == place(b, "\n\n\nCy is.\n")

    def test_line_end_follows_its_line(self):
        a, b = "Ann sat.\nBob ran.\n", "Ann sat.\nCy is.\nBob ran.\n"
        assert image(a, b, "Ann sat.\n") == (0, 9)
        assert image(a, b, "Bob ran.\n") == (16, 25)

    def test_other_line_breaks_are_characters(self):
        a, b = "One\u2028two\x85red\x0cis set.\n", "New.\nOne\u2028two\x85red\x0cis set.\n"
        assert image(a, b, a) == (5, len(b))


class TestRepeats:
    def test_deleted_where_the_text_shows_it(self):
        a = paragraphs("House one.", "Rent is due.", "House two.", "Rent is due.")
        b = paragraphs("House one.", "House two.", "Rent is due.")
        assert image(a, b, "Rent is due.", 0) is None
        assert image(a, b, "Rent is due.", 1) == place(b, "Rent is due.")

    def test_in_order_where_no_text_shows_it(self):
        a, b = paragraphs("Ann.", "Rent is due.", "Rent is due.", "Bob."), paragraphs("Ann.", "Rent is due.", "Bob.")
        assert image(a, b, "Rent is due.", 0) == place(b, "Rent is due.")
        assert image(a, b, "Rent is due.", 1) is None

    def test_moved_ones_in_order(self):
        a = paragraphs("Rent is due.", "Ann sat.", "Rent is due.", "Bob ran.", "Cy is.")
        b = paragraphs("Ann sat.", "Bob ran.", "Cy is.", "Rent is due.", "Di is.", "Rent is due.")
        for nth in (0, 1):
            assert image(a, b, "Rent is due.", nth) == place(b, "Rent is due.", nth)

    def test_moved_one_does_not_cross_one_that_stayed(self):
        a, b = paragraphs("Rent is due.", "Ann sat.", "Rent is due."), paragraphs("Ann sat.", *["Rent is due."] * 2)
        for nth in (0, 1):
            assert image(a, b, "Rent is due.", nth) == place(b, "Rent is due.", nth)

    def test_one_that_stayed_keeps_its_place(self):
        a = paragraphs("Rent is due.", "Ann sat.", "Rent is due.", "Bob ran.")
        b = paragraphs("Ann sat.", "Rent is due.", "Bob ran.", "Rent is due.")
        quote = "Ann sat.\n\nRent is due.\n\nBob ran."
        assert image(a, b, quote) == place(b, quote)
        assert image(a, b, "Rent is due.", 0) == place(b, "Rent is due.", 1)


class TestInsideHunks:
    def test_whole_sentences_before_words(self):
        # Word by word, "Ask the desk." of the one would be nearer to the other's first words.
        a, b = "Ask the boss. Ask the desk.\n", "Ask the desk. Ask the dean.\n"
        assert image(a, b, "Ask the desk.") == (0, 13)

    def test_words(self):
        a, b = "Refunds take 30 days.\n", "Most refunds will take up to 30 days.\n"
        assert image(a, b, "take") == place(b, "take")
        assert image(a, b, "30 days.\n") == place(b, "30 days.\n")
        assert image(a, b, "take 30") is None

    def test_word_with_its_marks_is_one(self):
        mapped = characters(align("Le cafe\u0301 y est.\n", "Le cafe\u0300 y est.\n"))
        assert [at for at in range(15) if at not in mapped] == [7]

    def test_a_letter_of_a_script_without_blanks_is_a_word(self):
        a, b = "甲方在三十天内付款。\n", "甲方应在六十日内付款。\n"
        assert characters(align(a, b)) == {0: 0, 1: 1, 2: 3, 4: 5, 6: 7, 7: 8, 8: 9, 9: 10, 10: 11}

    def test_edges_of_a_replaced_word(self):
        assert characters(align("Be unfair now.", "Be unkind now.")) == {
            **{at: at for at in range(5)},
            **{at: at for at in range(9, 14)},
        }

    def test_words_do_not_move(self):
        a, b = "Red tiles and blue floors.\n", "Blue floors and red tiles.\n"
        images = list(characters(align(a, b)).values())
        assert images == sorted(images)

    def test_line_wrap_is_no_blank(self):
        a, b = "Trucks load at noon.\n", "Trucks load\nat noon.\n"
        assert 11 not in characters(align(a, b))
        assert align(a, b).aligned == 20

    def test_moved_line_is_no_part_of_the_hunk_around_it(self):
        a = paragraphs("Ann sat down.", "Moved words are here.", "Bob ran off.", "Cy.", "Di.", "Ed.")
        b = paragraphs("Ann stood down.", "Bob ran away.", "Cy.", "Di.", "Ed.", "Moved words are here.")
        alignment = align(a, b)
        for quote in ("Moved words are here.", "Bob ran ", "Cy.\n\nDi."):
            assert alignment.map_range(*place(a, quote)) == place(b, quote)


class TestLarge:
    """The ways for large texts; their speed is a matter of the benchmarks."""

    def test_many_equal_lines_one_deleted(self):
        assert align("Rent is due.\n" * 20_000, "Rent is due.\n" * 19_999).blocks == ((0, 0, 13 * 19_999),)

    def test_few_distinct_lines(self):
        source = random.Random(1)
        distinct = [f"Line {number} is here." for number in range(5)]
        lines = [source.choice(distinct) for _ in range(10_000)]
        edited = [source.choice(distinct) if source.random() < 0.01 else line for line in lines]
        alignment = align("\n".join(lines), "\n".join(edited))
        assert alignment.share > 0.98

    def test_one_long_line(self):
        source = random.Random(2)
        words = [f"{source.getrandbits(12):x}" for _ in range(20_000)]
        a, b = " ".join(words), " ".join([*words[:9_999], "edited", *words[10_000:]])
        assert align(a, b).aligned >= len(a) - len(words[9_999])

    def test_few_distinct_words(self):
        source = random.Random(3)
        words = [source.choice("abc") for _ in range(4_000)]
        edited = [source.choice("abc") if source.random() < 0.05 else word for word in words]
        a, b = " ".join(words), " ".join(edited)
        alignment = align(a, b)
        assert all(a[x] == b[y] for x, y in characters(alignment).items())
        assert alignment.share > 0.9


class TestProject:
    def test_covers_what_replaced_the_edges(self):
        a, b = "First it is red now. End.\n", "First two are blue today. End.\n"
        assert align(a, b).project(*place(a, "it is red now")) == place(b, "two are blue today")

    def test_leaves_out_what_was_put_beside_it(self):
        a, b = (
            paragraphs("Ann sat.", "Cy is."),
            paragraphs("New one.", "Ann sat.", "Other new one.", "Cy is. And more."),
        )
        assert align(a, b).project(*place(a, "Ann sat.")) == place(b, "Ann sat.")
        assert align(a, b).project(*place(a, "Ann sat.\n\nCy is.")) == (10, place(b, "Cy is.")[1])

    def test_deleted_stands_where_it_was(self):
        a, b = paragraphs("Ann sat.", "Bob ran.", "Cy is."), paragraphs("Ann sat.", "Cy is.")
        assert align(a, b).project(*place(a, "Bob ran.")) == (10, 10)

    def test_a_line_that_moved_in_replaces_nothing(self):
        a = paragraphs("Moved words are here.", "Bob ran.", "Cy is.", "Di went.", "Ed is. Flo is.")
        b = paragraphs("Bob ran.", "Cy is.", "Moved words are here.", "Ed is. Flo is.")
        low, high = align(a, b).project(*place(a, "Di went."))
        assert not b[low:high].strip()

    def test_of_moved_text_it_is_where_that_went(self):
        a, b = paragraphs("Ann sat. Flo is.", "Bo.", "Cy.", "Di."), paragraphs("Bo.", "Cy.", "Di.", "Ann sat. Flo is.")
        assert align(a, b).project(*place(a, "sat. Flo is.")) == place(b, "sat. Flo is.")
        # Of texts that moved apart, the longer one is shown.
        low, high = align(a, b).project(*place(a, "Flo is.\n\nBo."))
        assert b[low:high].strip() == "Flo is."

    def test_an_empty_range_stays_empty(self):
        a, b = paragraphs("Ann sat.", "Cy is."), paragraphs("Ann sat.", "Bob ran.", "Cy is.")
        assert align(a, b).project(10, 10) == (10, 10)
        assert identity(3).project(3, 3) == (3, 3)


class TestValues:
    def test_share(self):
        assert align("", "").share == 1
        assert align("", "abc").share == 0
        assert align("Ann.\n", "Ann.\n").share == 1
        assert align("abc d\n", "abc\n").share == pytest.approx(2 * 4 / 10)

    def test_empty(self):
        assert align("", "").blocks == ()
        assert identity(0) == align("", "")
        assert align("a\n", "").blocks == ()

    @pytest.mark.parametrize(
        ("length_a", "length_b", "blocks"),
        [
            (3, 3, [(0, 0, 4)]),
            (9, 3, [(0, 0, 4)]),
            (9, 9, [(0, 0, 0)]),
            (9, 9, [(-1, 0, 2)]),
            (9, 9, [(4, 4, 1), (0, 0, 1)]),
            (9, 9, [(0, 0, 3), (2, 5, 1)]),
            (9, 9, [(0, 0, 3), (5, 2, 1)]),
            (9, 9, [(0, 0, 3), (3, 3, 1)]),
        ],
    )
    def test_blocks_that_are_none(self, length_a, length_b, blocks):
        with pytest.raises(ValueError, match="block"):
            Alignment(RULE, length_a, length_b, tuple(blocks))

    def test_another_rule(self):
        with pytest.raises(ValueError, match="rule 'a0'"):
            Alignment("a0", 1, 1, ())

    @pytest.mark.parametrize(("start", "end"), [(1, 1), (2, 1), (-1, 1), (0, 4)])
    def test_no_such_range(self, start, end):
        with pytest.raises(ValueError, match="empty or not within"):
            identity(3).map_range(start, end)
        if start != end:
            with pytest.raises(ValueError, match="empty or not within"):
                identity(3).project(start, end)


class TestBytes:
    DATA = align("Ann sat.\n\nBob ran far.\n\nCy is.\n", "Cy is.\n\nAnn sat there.\n").to_bytes()

    def test_tagged_and_compact(self):
        assert self.DATA.startswith(b"a1")
        assert len(self.DATA) < 30

    def test_cut_or_altered(self):
        for size in range(len(self.DATA)):
            with pytest.raises(ValueError, match="not an alignment"):
                Alignment.from_bytes(self.DATA[:size])
        for at in range(len(self.DATA)):
            altered = bytearray(self.DATA)
            altered[at] ^= 4
            with pytest.raises(ValueError, match="not an alignment"):
                Alignment.from_bytes(bytes(altered))

    @pytest.mark.parametrize(
        "values",
        [[], [1], [5, 5, 1], [5, 5, 1, 0, 0, 9], [5, 5, 0, 7], [5, 5, 1, 0, 1, 2], [5, 5, 1, 0, 0, 0x80]],
        ids=str,
    )
    def test_a_right_checksum_is_not_enough(self, values):
        body = b"a1" + bytes(values)
        with pytest.raises(ValueError, match=r"not an alignment|block"):
            Alignment.from_bytes(body + zlib.crc32(body).to_bytes(4, "big"))

    @given(st.binary(max_size=30))
    def test_anything_else(self, data):
        with pytest.raises(ValueError, match=r"not an alignment|block"):
            Alignment.from_bytes(data)
