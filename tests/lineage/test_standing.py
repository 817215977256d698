"""Where spans stand over versions, what ends them, what changes beside them, and what a reader is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.align import align, identity
from lineage.standing import (
    Chain,
    ChainVersion,
    ChangeClass,
    Context,
    Ended,
    SpanClass,
    base_of,
    carry,
    changes,
    stand,
)
from lineage_schema.text import TextIndex, edge_word, neighbours_changed

STANDS, CHANGED, DELETED, CONTEXT = SpanClass.STANDS, SpanClass.CHANGED, SpanClass.DELETED, SpanClass.CONTEXT


def chain_of(*texts):
    """A chain of texts; None is a version without one."""
    versions = []
    for number, text in enumerate(texts, 1):
        base = base_of(texts, number)
        alignment = None if base is None else align(texts[base - 1], text)
        versions.append(ChainVersion(number, None if text is None else TextIndex(text), base, alignment))
    return Chain(versions)


def place(text: str, quote: str) -> tuple[int, int]:
    start = text.index(quote)
    return start, start + len(quote)


def stands(a, b, quote):
    """Where the first occurrence of a quote stands: the text before it in b, or None."""
    found = stand(align(a, b), TextIndex(a), TextIndex(b), *place(a, quote))
    return None if found is None else b[: found[0]]


class TestStand:
    @pytest.mark.parametrize(
        ("a", "b", "quote"),
        [
            ("Pay 30 days on.", "Pay 130 days on.", "30 days"),
            ("Pay 130 days on.", "Pay 30 days on.", "30 days"),
            ("Pay 130 days on.", "Pay 230 days on.", "30 days"),
            ("Pay 30 on.", "Pay 301 on.", "Pay 30"),
            ("Pay 30 on.", "Pay 30.5 on.", "Pay 30"),
            ("Pay 500 on.", "Pay 2,500 on.", "500 on"),
            ("Come at 10 on.", "Come at 10:30 on.", "at 10"),
            ("Keep 5 degrees.", "Keep -5 degrees.", "5 degrees"),
            ("Keep +5 degrees.", "Keep −5 degrees.", "5 degrees"),
            ("Pay €5 each.", "Pay $5 each.", "5 each"),
            ("Pay 5% each.", "Pay 5‰ each.", "Pay 5"),
            ("Pay 5% each.", "Pay 5 each.", "Pay 5"),
            ("It is non-refundable here.", "It is refundable here.", "refundable here"),
            ("It is lawful here.", "It is unlawful here.", "lawful here"),
            ("The cafe opens.", "The cafe\u0301 opens.", "The cafe"),
            ("Let 𝑥𝑦 be.", "Let 𝑧𝑦 be.", "𝑦 be"),
            ("在三十天内。", "在三十五天内。", "在三十"),
        ],
    )
    def test_not_where_the_word_at_its_edge_changed(self, a, b, quote):
        found = align(a, b).map_range(*place(a, quote))
        assert found is not None, "the case is none: its characters do not map together"
        assert stands(a, b, quote) is None
        alignment = align(a, b).inverse()
        assert stand(alignment, TextIndex(b), TextIndex(a), *found) is None

    @pytest.mark.parametrize(
        ("a", "b", "quote", "before"),
        [
            ("Pay 130 days on.", "Now pay 130 days on.", "30 days", "Now pay 1"),
            ("Pay 130 days on.", "Pay 130 days more.", "30", "Pay 1"),
            ("In 30 days, call.", "In 30 days; call.", "30 days", "In "),
            ("Use f(x) here.", "Use g(x) here.", "(x)", "Use g"),
            ("甲付款。乙运输。丙。", "甲付款。丙。", "甲付款。", ""),
            ("甲方在三十天内付款。", "乙方在三十天内付款。", "三十天", "乙方在"),
            ("He goes — and stays.", "He goes — then stays.", "He goes ", ""),
        ],
    )
    def test_where_it_did_not(self, a, b, quote, before):
        assert stands(a, b, quote) == before

    def test_not_where_its_characters_parted(self):
        assert stands("It is red now.", "It is all red now.", "is red") is None

    @given(st.data())
    def test_symmetric(self, data):
        texts = st.text(alphabet="ab 13.-+,三\u0301\n", max_size=25)
        a, b = data.draw(texts.filter(bool)), data.draw(texts)
        start = data.draw(st.integers(0, len(a) - 1))
        end = data.draw(st.integers(start + 1, len(a)))
        alignment, index_a, index_b = align(a, b), TextIndex(a), TextIndex(b)
        found = stand(alignment, index_a, index_b, start, end)
        if found is not None:
            assert b[slice(*found)] == a[start:end]
            assert stand(alignment.inverse(), index_b, index_a, *found) == (start, end)
            if a[start:end].strip():
                assert carry(alignment, index_a, index_b, start, end) == found


class TestCarry:
    def carried(self, a, b, quote):
        low, high = carry(align(a, b), TextIndex(a), TextIndex(b), *place(a, quote))
        return b[low:high]

    def test_replaced_text_without_the_white_space_around_it(self):
        assert (
            self.carried("One.\n\nBob ran.\n\nTwo.", "One.\n\n  Di sat\nthere!\n\nTwo.", "Bob ran.") == "Di sat\nthere!"
        )

    def test_whole_words_at_changed_edges(self):
        assert self.carried("Pay 30 days on.", "Pay 130 days on.", "30 days") == "130 days"
        assert self.carried("Pay 30 on.", "Pay 30.5 on.", "Pay 30") == "Pay 30.5"
        assert self.carried("Pay 130 days on.", "Pay 30 days on.", "30 days") == "30 days"

    def test_edges_in_unchanged_words_stay_where_they_are(self):
        assert (
            self.carried("Foreseen is all that was.", "Foreseen is what all was.", "seen is all") == "seen is what all"
        )

    def test_own_white_space_is_kept(self):
        assert self.carried("One is.\nTwo is.\n", "One was.\nTwo is.\n", "One is.\n") == "One was.\n"

    def test_blank_is_empty(self):
        a, b = "One is.\n\nTwo is.\n\nThree is.\n", "One is.\n\nThree is.\n"
        assert carry(align(a, b), TextIndex(a), TextIndex(b), 9, 18) == (9, 9)
        assert carry(align(b, a), TextIndex(b), TextIndex(a), 9, 9) == (9, 9)


class TestBaseOf:
    def test_the_version_before(self):
        assert [base_of(["a", "b", "c"], number) for number in (1, 2, 3)] == [None, 1, 2]

    def test_the_latest_equal_one(self):
        assert base_of(["a", "b", "a"], 3) == 1
        assert base_of(["a", "b", "a", "b", "a"], 5) == 3
        assert base_of(["a", "", "a"], 3) == 1

    def test_none_behind_a_version_without_text(self):
        assert base_of(["a", None, "b"], 3) is None
        assert base_of(["a", None, "a"], 3) == 1
        assert base_of(["a", None], 2) is None
        assert base_of([None, "a", None], 3) is None


ONE, TWO, THREE = "Ann sat here. Bo ran off.", "Cy is in. Di is out.", "Ed is old. Flo is new."
TEXT = f"{ONE}\n\n{TWO}\n\n{THREE}\n"
CY = place(TEXT, "Cy is in.")


class TestFirstAndAnchors:
    def test_the_same_from_every_version(self):
        added = f"New.\n\n{TEXT}"
        chain = chain_of(TEXT, added, TEXT, added.replace("Flo is new", "Flo was new"))
        anchors = {1: CY, 2: place(added, "Cy is in."), 3: CY, 4: place(added, "Cy is in.")}
        for version, at in anchors.items():
            assert chain.first(version, *at) == (1, *CY)
            assert chain.anchors(version, *at) == anchors
            assert list(chain.anchors(version, *at)) == [1, 2, 3, 4]

    def test_put_back_with_another_edit_is_a_new_span(self):
        back = TEXT.replace("Flo is new", "Flo was new")
        chain = chain_of(TEXT, f"{ONE}\n\n{THREE}\n", back)
        assert chain.first(3, *CY) == (3, *CY)
        assert chain.anchors(1, *CY) == {1: CY}
        assert chain.anchors(3, *CY) == {3: CY}

    def test_through_an_undo_of_an_undo(self):
        added = f"{TEXT}\nGil is here.\n"
        chain = chain_of(TEXT, added, TEXT, added)
        gil = place(added, "Gil is here.")
        assert chain.first(4, *gil) == (2, *gil)
        assert chain.anchors(2, *gil) == {2: gil, 4: gil}
        assert chain.anchors(1, *CY) == dict.fromkeys((1, 2, 3, 4), CY)

    def test_the_boundary_rule_holds_on_the_way_back(self):
        a, b = "Pay 30 days on.\n", "Pay 130 days on.\n"
        chain = chain_of(a, b)
        assert chain.first(2, *place(b, "30 days")) == (2, 5, 12)
        assert chain.first(2, *place(b, "days on")) == (1, *place(a, "days on"))

    @pytest.mark.parametrize(("start", "end"), [(3, 3), (4, 3), (-1, 3), (0, len(TEXT) + 1)])
    def test_no_such_range(self, start, end):
        chain = chain_of(TEXT, TEXT + "\nMore.\n")
        for ask in (chain.first, chain.anchors, chain.ended_by, chain.context_by):
            with pytest.raises(ValueError, match="empty or not within"):
                ask(1, start, end)

    def test_no_such_version(self):
        chain = chain_of(TEXT, None)
        with pytest.raises(KeyError):
            chain.first(3, 0, 1)
        with pytest.raises(KeyError):
            chain.class_at(1, *CY, 3)
        with pytest.raises(ValueError, match="version 2 has no text"):
            chain.anchors(2, 0, 1)


class TestEndedBy:
    def test_changed_and_deleted(self):
        edited, gone = TEXT.replace("Cy is in", "Cy was in"), f"{ONE}\n\n{THREE}\n"
        assert chain_of(TEXT, edited).ended_by(1, *CY) == [Ended(2, CHANGED, place(edited, "Cy was in."), None)]
        (ended,) = chain_of(TEXT, gone).ended_by(1, *CY)
        assert (ended.version, ended.cls, ended.until) == (2, DELETED, None)
        assert ended.at is not None
        assert ended.at[0] == ended.at[1]

    def test_only_the_version_that_did_it(self):
        edited = TEXT.replace("Cy is in", "Cy was in")
        assert [each.version for each in chain_of(TEXT, edited, edited + "\nMore.\n").ended_by(1, *CY)] == [2]
        assert chain_of(TEXT, edited).ended_by(2, *place(edited, "Cy was in.")) == []

    def test_until_it_stands_again(self):
        edited = TEXT.replace("Cy is in", "Cy was in")
        found = chain_of(TEXT, edited, TEXT, TEXT + "\nMore.\n", edited).ended_by(1, *CY)
        assert [(each.version, each.until) for each in found] == [(2, 3), (5, None)]

    def test_withdrawn(self):
        chain = chain_of(TEXT, None, TEXT)
        assert chain.ended_by(1, *CY) == [Ended(2, DELETED, None, 3)]
        assert chain.class_at(1, *CY, 2) == (DELETED, None)
        assert chain.class_at(1, *CY, 3) == (STANDS, CY)

    def test_a_new_text_behind_a_withdrawal_holds_nothing_old(self):
        chain = chain_of(TEXT, None, TEXT + "\nMore.\n")
        assert chain.anchors(1, *CY) == {1: CY}
        assert chain.class_at(1, *CY, 3) == (DELETED, None)

    def test_carried_over_several_versions(self):
        second, third = TEXT.replace("Cy is in", "Cy was in"), TEXT.replace("Cy is in", "Cy was out")
        chain = chain_of(TEXT, second, third, f"{ONE}\n\n{THREE}\n", TEXT + "\nMore.\n")
        assert chain.class_at(1, *CY, 3) == (CHANGED, place(third, "Cy was out."))
        assert chain.class_at(1, *CY, 4) == (DELETED, None)
        # Deleted once, it stays deleted: what is put back is another span.
        assert chain.class_at(1, *CY, 5) == (DELETED, None)

    def test_carried_back_and_down_another_way(self):
        added = f"{ONE}\n\nNew is here.\n\n{TWO}\n\n{THREE}\n"
        edited = added.replace("Flo is new", "Flo was new")
        new, flo = place(added, "New is here."), place(edited, "Flo was new.")
        # Version 3 comes from version 1, where the span never stood.
        chain = chain_of(TEXT, added, TEXT)
        assert [(each.version, each.cls) for each in chain.ended_by(2, *new)] == [(3, DELETED)]
        chain = chain_of(TEXT, edited, TEXT)
        assert chain.class_at(2, *flo, 3) == (CHANGED, place(TEXT, "Flo is new."))
        assert chain.class_at(2, *flo, 1) == (CHANGED, place(TEXT, "Flo is new."))


DI_OTHER = TEXT.replace("Di is out", "Di was out")
DI_THIRD = TEXT.replace("Di is out", "Di went out")
FLO_OTHER = TEXT.replace("Flo is new", "Flo was new")


class TestContextBy:
    def test_neighbouring_sentence(self):
        assert chain_of(TEXT, DI_OTHER).context_by(1, *CY) == [Context(2, frozenset({1}), True)]
        assert chain_of(TEXT, DI_OTHER).context_by(1, *place(TEXT, "Flo is new.")) == []

    def test_rest_of_its_own_sentence(self):
        found = chain_of(TEXT, TEXT.replace("Cy is in.", "Cy is in, mostly.")).context_by(1, *place(TEXT, "Cy is in"))
        assert found == [Context(2, frozenset({1}), True)]

    def test_until_the_neighbours_are_back(self):
        # Version 3 equals no earlier text; what stands around the span is the old text all the same.
        back = chain_of(TEXT, DI_OTHER, FLO_OTHER).context_by(1, *CY)
        assert back == [Context(2, frozenset(), False), Context(3, frozenset({2}), True)]
        assert chain_of(TEXT, DI_OTHER, DI_OTHER + "\nMore.\n").context_by(1, *CY) == [Context(2, frozenset({1}), True)]

    def test_each_reader_by_what_was_read(self):
        found = chain_of(TEXT, DI_OTHER, DI_THIRD, DI_OTHER + "\nMore.\n").context_by(1, *CY)
        assert found == [
            Context(2, frozenset({1}), True),
            # Who read version 2 found its neighbours again in version 4; who read version 1 never did.
            Context(3, frozenset({1}), False),
            Context(4, frozenset({1, 3}), True),
        ]

    def test_not_where_it_did_not_stand_before(self):
        edited = DI_OTHER.replace("Cy is in", "Cy was in")
        assert chain_of(TEXT, edited, TEXT).context_by(1, *CY) == []
        late = chain_of(TEXT, edited, TEXT, DI_THIRD).context_by(1, *CY)
        assert late == [Context(4, frozenset({1, 3}), True)]

    def test_any_edit_beside_a_span_that_was_the_whole(self):
        more, most = TEXT + "\nMore.\n", TEXT + "\nMore.\n\nMost.\n"
        whole = (0, len(TEXT))
        assert chain_of(TEXT, more, most).context_by(1, *whole) == [Context(2, frozenset({1}), True)]
        assert chain_of(TEXT, more, TEXT).context_by(1, *whole) == [Context(2, frozenset(), False)]


class TestClassAt:
    def test_as_the_reader_of_a_version_is_told(self):
        chain = chain_of(TEXT, DI_OTHER, FLO_OTHER, TEXT.replace("Cy is in", "Cy was in"))
        assert chain.class_at(1, *CY, 1) == (STANDS, CY)
        assert chain.class_at(1, *CY, 2) == (CONTEXT, CY)
        assert chain.class_at(2, *CY, 2) == (STANDS, CY)
        assert chain.class_at(1, *CY, 3) == (STANDS, CY)
        assert chain.class_at(2, *CY, 3) == (CONTEXT, CY)
        assert chain.class_at(1, *CY, 4)[0] is CHANGED


class TestChain:
    def test_texts_are_loaded_when_needed_and_once(self):
        loaded = []

        def load(number, text):
            def loading():
                loaded.append(number)
                return TextIndex(text)

            return loading

        more = TEXT + "\nMore.\n"
        chain = Chain(
            [
                ChainVersion(1, load(1, TEXT)),
                ChainVersion(2, load(2, more), 1, align(TEXT, more)),
                ChainVersion(3, load(3, TEXT), 1, identity(len(TEXT))),
            ]
        )
        assert chain.first(2, *CY) == (1, *CY)
        assert sorted(loaded) == [1, 2]
        chain.anchors(1, *CY)
        chain.class_at(3, *CY, 2)
        assert sorted(loaded) == [1, 2, 3]

    def test_another_span_is_another_answer(self):
        chain = chain_of(TEXT, DI_OTHER)
        di = place(TEXT, "Di is out.")
        assert chain.anchors(1, *CY) == {1: CY, 2: CY}
        assert chain.anchors(1, *di) == {1: di}
        assert chain.anchors(1, *CY) == {1: CY, 2: CY}

    def test_answers_are_the_callers_own(self):
        chain = chain_of(TEXT)
        chain.anchors(1, *CY).clear()
        assert chain.anchors(1, *CY) == {1: CY}

    @pytest.mark.parametrize(
        "versions",
        [
            [ChainVersion(1, None), ChainVersion(3, None)],
            [ChainVersion(2, None), ChainVersion(1, None)],
            [ChainVersion(1, None), ChainVersion(2, None, 1)],
            [ChainVersion(1, None), ChainVersion(2, None, None, identity(3))],
            [ChainVersion(1, None), ChainVersion(2, None, 2, identity(3))],
            [ChainVersion(4, None), ChainVersion(5, None, 3, identity(3))],
        ],
    )
    def test_no_chain(self, versions):
        with pytest.raises(ValueError, match="version"):
            Chain(versions)

    def test_alignment_of_other_texts(self):
        chain = Chain([ChainVersion(1, TextIndex("abc")), ChainVersion(2, TextIndex("abcd"), 1, identity(3))])
        with pytest.raises(ValueError, match="the alignment of version 2"):
            chain.first(2, 0, 1)


SENTENCES = ["Pay 30 days on.", "Pay 130 days on.", "Ask Ann.", "See Bo.", "Rent is due."]
VERSION = st.lists(
    st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=3).map(" ".join), min_size=0, max_size=3
).map("\n\n".join)
HISTORIES = st.lists(st.one_of(VERSION, VERSION, st.none()), min_size=1, max_size=6)


@given(HISTORIES, st.data())
def test_histories(history, data):
    """All that a chain says of a span, against the definitions, character by character."""
    texts = [text for at, text in enumerate(history) if not at or text != history[at - 1]]
    filled = [number for number, text in enumerate(texts, 1) if text]
    if not filled:
        return
    version = data.draw(st.sampled_from(filled))
    start = data.draw(st.integers(0, len(texts[version - 1]) - 1))
    end = data.draw(st.integers(start + 1, len(texts[version - 1])))
    chain = chain_of(*texts)

    def step(number, span, *, back):
        """Where a span of a version's base stands in the version, or the other way."""
        base = base_of(texts, number)
        if base is None:
            return None
        a, b = texts[base - 1], texts[number - 1]
        pairs = [(x + n, y + n) for x, y, length in align(a, b).blocks for n in range(length)]
        image = {y: x for x, y in pairs} if back else dict(pairs)
        a, b = (b, a) if back else (a, b)
        there = [image.get(at) for at in range(*span)]
        if there[0] is None or there != list(range(there[0], there[0] + len(there))):
            return None
        found = there[0], there[0] + len(there)
        words = [
            (edge_word(text, low, "before"), edge_word(text, high, "after"))
            for text, (low, high) in ((a, span), (b, found))
        ]
        return found if words[0] == words[1] else None

    at, span = version, (start, end)
    while (back := step(at, span, back=True)) is not None:
        at, span = base_of(texts, at), back
    assert chain.first(version, start, end) == (at, *span)

    anchors = {at: span}
    for number in range(at + 1, len(texts) + 1):
        base = base_of(texts, number)
        found = step(number, anchors[base], back=False) if base in anchors else None
        if found is not None:
            anchors[number] = found
    assert chain.anchors(version, start, end) == anchors
    assert anchors[version] == (start, end)

    around = {number: TextIndex(texts[number - 1]).neighbourhood(*here) for number, here in anchors.items()}
    ended, contexts = [], []
    for number in range(2, len(texts) + 1):
        later = [other for other in anchors if other > number]
        if number - 1 in anchors and number not in anchors:
            ended.append((number, min(later, default=None)))
        elif number - 1 in anchors and neighbours_changed(around[number - 1], around[number]):
            readers = {
                reader
                for reader in anchors
                if reader < number
                and neighbours_changed(around[reader], around[number])
                and all(neighbours_changed(around[reader], around[other]) for other in later)
            }
            lasts = all(neighbours_changed(around[number - 1], around[other]) for other in later)
            contexts.append(Context(number, frozenset(readers), lasts))
    assert [(each.version, each.until) for each in chain.ended_by(version, start, end)] == ended
    assert chain.context_by(version, start, end) == contexts

    for number, text in enumerate(texts, 1):
        cls, there = chain.class_at(version, start, end, number)
        if number in anchors:
            beside = neighbours_changed(around[version], around[number])
            assert (cls, there) == (CONTEXT if beside else STANDS, anchors[number])
        elif cls is CHANGED:
            assert there is not None
            assert text[slice(*there)].strip()
        else:
            assert (cls, there) == (DELETED, None)


def told(a, b):
    return [(each.cls, each.old, each.new) for each in changes(align(a, b), TextIndex(a), TextIndex(b))]


class TestChanges:
    def test_old_and_new_are_sentences(self):
        assert told(TEXT, DI_OTHER) == [(ChangeClass.CHANGED, "Di is out.", "Di was out.")]

    def test_deleted_and_inserted(self):
        gone = f"{ONE}\n\n{THREE}\n"
        assert told(TEXT, gone) == [(ChangeClass.DELETED, TWO, "")]
        assert told(gone, TEXT) == [(ChangeClass.INSERTED, "", TWO)]
        assert told("", TEXT)[0] == (ChangeClass.INSERTED, "", ONE)

    def test_sentences_in_a_row_are_one_change(self):
        edited = TEXT.replace("Cy is in. Di is out.", "Cy was in. Di was out. Gil was there.")
        assert told(TEXT, edited) == [(ChangeClass.CHANGED, TWO, "Cy was in. Di was out. Gil was there.")]
        part = TEXT.replace("Ann sat here. Bo ran off.", "Ann sat here. Bo ran away. Gil came.")
        assert told(TEXT, part) == [(ChangeClass.CHANGED, "Bo ran off.", "Bo ran away. Gil came.")]

    def test_paragraphs_are_apart_until_they_meet(self):
        edited = TEXT.replace("Bo ran off", "Bo ran away").replace("Cy is in", "Cy was in")
        assert [old for _, old, _ in told(TEXT, edited)] == ["Bo ran off.", "Cy is in."]
        assert told("Head\n\nText here.\n", "Head\nText here.\n") == [
            (ChangeClass.CHANGED, "Head\n\nText here.", "Head\nText here.")
        ]

    def test_moved_lines_and_white_space_are_none(self):
        assert told(TEXT, f"{THREE}\n\n{ONE}\n\n{TWO}\n") == []
        assert told(TEXT, TEXT.replace("\n\n", "\r\n\r\n\r\n").replace(". ", ".  ")) == []
        assert told(TEXT, TEXT) == []

    def test_ranges_are_those_of_the_texts(self):
        edited = f"New one.\n\n{DI_OTHER.replace(ONE, 'Ann sat here.')}"
        found = changes(align(TEXT, edited), TextIndex(TEXT), TextIndex(edited))
        assert [each.cls for each in found] == [ChangeClass.INSERTED, ChangeClass.DELETED, ChangeClass.CHANGED]
        for each in found:
            assert TEXT[each.start : each.end] == each.old
            assert edited[each.new_start : each.new_end] == each.new
        assert found == sorted(found, key=lambda each: (each.start, each.new_start))
        # What is not there has a place all the same.
        assert (found[0].start, found[0].end) == (0, 0)
        assert edited[: found[1].new_start].rstrip().endswith("Ann sat here.")
