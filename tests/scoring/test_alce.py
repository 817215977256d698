"""ALCE's recall and precision: what each rule gives, what the judge is asked, and what holds for any judge."""

from __future__ import annotations

import json
import math
from collections import UserDict
from dataclasses import FrozenInstanceError
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_schema.errors import BadInput
from lineage_scoring.alce import AT_MOST_CITATIONS, compute_autoais, score_statement

DOCS = [{"title": f"T{number}", "text": f"P{number}"} for number in range(1, 6)]


def item(output, docs=DOCS, question="Which?"):
    return {"question": question, "output": output, "docs": docs}


class Table:
    """A judge that knows which documents entail, whatever the claim, and keeps what it was asked."""

    def __init__(self, *entailing):
        self.entailing = {tuple(documents) for documents in entailing}
        self.asked = []

    def __call__(self, premise, hypothesis):
        documents = tuple(int(line.removeprefix("Title: T")) for line in premise.split("\n")[::2])
        self.asked.append((documents, hypothesis))
        return documents in self.entailing

    @property
    def documents(self):
        return [documents for documents, _ in self.asked]


class Texts:
    """A judge that says the same to all, and keeps the texts that it was asked about."""

    def __init__(self, verdict=False):
        self.verdict = verdict
        self.asked = []

    def __call__(self, premise, hypothesis):
        self.asked.append((premise, hypothesis))
        return self.verdict


def yes(premise, hypothesis):
    return True


def no(premise, hypothesis):
    return False


def never(premise, hypothesis):
    raise AssertionError("the judge was asked")


class TestRecall:
    def test_premise_and_hypothesis(self):
        judge = Texts()
        compute_autoais([item("It is so [2][1].")], judge)
        assert judge.asked == [("Title: T2\nP2\nTitle: T1\nP1", "It is so.")]

    def test_sent_stands_for_the_text(self):
        docs = [{"title": "T1", "text": "P1", "sent": "S1"}, {"title": "T2", "sent": ""}]
        judge = Texts()
        compute_autoais([item("It is so [1][2].", docs)], judge)
        assert judge.asked == [("Title: T1\nS1\nTitle: T2\n", "It is so.")]

    def test_statement_without_citation(self):
        score = compute_autoais([item("Hello. It is so [1].")], yes)
        assert (score.entailed, score.sentences, score.citation_rec) == (1, 2, 50)

    @pytest.mark.parametrize("output", ["So [6].", "So [1][6].", "So [6][1].", "So [2019]."])
    def test_out_of_range_is_not_asked_and_not_counted(self, output):
        score = compute_autoais([item(output)], never)
        assert (score.citation_rec, score.citation_prec) == (0, 0)
        assert (score.citations, score.out_of_range) == (0, 1)

    def test_out_of_range_beyond_the_cap(self):
        assert compute_autoais([item("So [1][2][3][6].")], never, at_most_citations=3).citation_rec == 0

    def test_last_in_range(self):
        assert compute_autoais([item("So [5].")], yes).citation_rec == 100

    def test_zero_is_the_last_document(self):
        judge = Table((5,))
        assert compute_autoais([item("So [0].")], judge).citation_rec == 100
        assert judge.documents == [(5,)]

    def test_cap(self):
        judge = Table()
        score = compute_autoais([item("So [1][2][3][4].")], judge, at_most_citations=AT_MOST_CITATIONS)
        assert judge.documents == [(1, 2, 3)]
        assert score.citations == 3

    def test_no_cap_by_default(self):
        judge = Table()
        compute_autoais([item("So [1][2][3][4].")], judge)
        assert judge.documents == [(1, 2, 3, 4)]

    def test_cap_of_none_at_all(self):
        """ALCE cuts to nothing, and asks about an empty premise all the same."""
        judge = Texts(True)
        score = compute_autoais([item("So [1].")], judge, at_most_citations=0)
        assert judge.asked == [("", "So.")]
        assert (score.citation_rec, score.citation_prec, score.citations) == (100, 0, 0)

    def test_marker_by_itself_is_an_empty_claim(self):
        judge = Table()
        score = compute_autoais([item("A fact. [1] B fact. [2]")], judge)
        assert judge.asked == [((1,), "B fact."), ((2,), "")]
        assert score.sentences == 3


class TestPrecision:
    def test_single_citation_is_not_asked_again(self):
        judge = Table((1,))
        assert compute_autoais([item("So [1].")], judge).citation_prec == 100
        assert judge.documents == [(1,)]

    def test_unsupported_set_earns_nothing_but_counts(self):
        judge = Table((1,))
        score = compute_autoais([item("So [1][2].")], judge)
        assert judge.documents == [(1, 2)]
        assert (score.precise, score.citations, score.overcited) == (0, 2, 0)

    def test_each_alone_earns(self):
        judge = Table((1, 2), (1,), (2,))
        assert compute_autoais([item("So [1][2].")], judge).precise == 2
        assert judge.documents == [(1, 2), (1,), (2,)]

    def test_both_needed(self):
        judge = Table((1, 2))
        score = compute_autoais([item("So [1][2].")], judge)
        assert (score.precise, score.overcited) == (2, 0)
        assert judge.documents == [(1, 2), (1,), (2,), (2,), (1,)]

    def test_irrelevant_one(self):
        judge = Table((1, 2), (1,))
        score = compute_autoais([item("So [1][2].")], judge)
        assert (score.precise, score.overcited, score.citation_prec) == (1, 1, 50)
        assert judge.documents == [(1, 2), (1,), (2,), (1,)]

    def test_any_two_of_three(self):
        judge = Table((1, 2, 3), (1, 2), (1, 3), (2, 3))
        score = compute_autoais([item("So [1][2][3].")], judge)
        assert (score.citation_rec, score.precise, score.overcited) == (100, 0, 3)
        assert judge.documents == [(1, 2, 3), (1,), (2, 3), (2,), (1, 3), (3,), (1, 2)]

    def test_duplicates_count_and_leave_one_by_one(self):
        judge = Table((1, 2, 1), (2, 1))
        score = compute_autoais([item("So [1][2][1].")], judge)
        assert judge.documents == [(1, 2, 1), (1,), (2, 1), (2,), (1, 1), (1,), (2, 1)]
        assert (score.precise, score.citations) == (1, 3)

    def test_zero_and_the_last_are_two(self):
        """[0] is taken out as itself, not as the document that it stands for."""
        judge = Table((5, 1, 5))
        compute_autoais([item("So [5][1][0].")], judge)
        assert judge.documents == [(5, 1, 5), (5,), (1, 5), (1,), (5, 5), (5,), (5, 1)]

    def test_without_a_counted_citation(self):
        score = compute_autoais([item("So [1]."), item("Not so.")], yes)
        assert (score.citation_rec, score.citation_prec) == (50, 50)


class TestMeans:
    def test_are_of_answers_not_of_statements(self):
        score = compute_autoais([item("One [1]. Two. Three. Four."), item("Five [1][2].")], Table((1,)))
        assert score.citation_rec == 100 * (1 / 4 + 0) / 2
        assert score.citation_prec == 100 * (1 + 0) / 2
        assert (score.entailed, score.sentences, score.precise, score.citations) == (1, 5, 1, 3)

    def test_empty_answer_leaves_them(self):
        score = compute_autoais([item(""), item("So [1]."), item(" \n")], yes)
        assert (score.citation_rec, score.citation_prec) == (100, 100)
        assert (score.scored, score.empty) == (1, 2)
        assert [answer.recall for answer in score.answers] == [None, 1, None]

    @pytest.mark.parametrize("items", [[], [item("")]])
    def test_of_nothing_are_nan_and_null(self, items):
        score = compute_autoais(items, never)
        assert math.isnan(score.citation_rec)
        assert math.isnan(score.citation_prec)
        body = json.loads(json.dumps(score.to_json(), allow_nan=False))
        assert body["citation_rec"] is None
        assert body["citation_prec"] is None


class TestCounts:
    @pytest.fixture
    def score(self):
        answer = "One [1][2]. Two [1][9]. Three [2][3]. Four [3]. Five."
        return compute_autoais([item(answer), item("")], Table((1, 2), (1,), (3,)))

    def test_as_printed(self, score):
        body = score.to_json()
        first, second = (answer.to_json() for answer in score.answers)
        assert body.pop("answers") == [first, second]
        assert body == {
            "citation_rec": 40,
            "citation_prec": 40,
            "scored": 1,
            "empty": 1,
            "sentences": 5,
            "entailed": 2,
            "citations": 5,
            "precise": 2,
            "out_of_range": 1,
            "multiple": 3,
            "multiple_entailed": 1,
            "overcited": 1,
        }
        assert second == {
            "recall": None, "precision": None,
            "sentences": 0, "entailed": 0, "citations": 0, "precise": 0, "statements": [],
        }  # fmt: skip
        (_, second_statement, *_) = score.answers[0].statements
        assert second_statement.to_json() == {
            "documents": [0, 8], "out_of_range": True, "citations": 0, "entailed": False, "precise": 0, "overcited": 0,
        }  # fmt: skip

    def test_are_frozen(self, score):
        with pytest.raises(FrozenInstanceError):
            score.answers = ()


class TestLists:
    def test_items_stand_behind_the_question(self):
        judge = Table((1,))
        score = compute_autoais([item("a [1], b [2], c.")], judge, qampari=True)
        assert judge.asked == [((1,), "Which? a"), ((2,), "Which? b")]
        assert (score.entailed, score.sentences) == (1, 3)

    def test_comma_within_a_marker(self):
        judge = Table()
        score = compute_autoais([item("a [1, 2]")], judge, qampari=True)
        assert judge.asked == [((1,), "Which? a")]
        assert score.sentences == 2

    def test_empty_answer_is_one_statement(self):
        score = compute_autoais([item("")], never, qampari=True)
        assert (score.citation_rec, score.citation_prec, score.empty) == (0, 0, 0)

    def test_question_counts_only_here(self):
        assert compute_autoais([{"output": "So [1].", "docs": DOCS}], yes).citation_rec == 100


class TestBadInput:
    @pytest.mark.parametrize(
        ("bad", "where", "field", "qampari"),
        [
            ("text", "items[1]", "item", False),
            ({"docs": DOCS}, "items[1]", "output", False),
            (item(None), "items[1]", "output", False),
            (item(["So."]), "items[1]", "output", False),
            ({"output": "a", "docs": DOCS}, "items[1]", "question", True),
            (item("a", question=3), "items[1]", "question", True),
            ({"output": "So [1]."}, "items[1]", "docs", False),
            (item("So [1].", "text"), "items[1]", "docs", False),
            (item("So [1].", {"1": DOCS[0]}), "items[1]", "docs", False),
            (item("So.", [DOCS[0], "text"]), "items[1]", "docs[1]", False),
            (item("So.", [{"text": "P"}]), "items[1]", "docs[0].title", False),
            (item("So.", [{"title": "T"}]), "items[1]", "docs[0].text", False),
            (item("So.", [{"title": "T", "text": 1}]), "items[1]", "docs[0].text", False),
            (item("So.", [{"title": "T", "text": "P", "sent": None}]), "items[1]", "docs[0].sent", False),
            (item("So [0].", []), "items[1]", "docs", False),
        ],
    )
    def test_is_named_before_the_judge_is_asked(self, bad, where, field, qampari):
        with pytest.raises(BadInput) as error:
            compute_autoais([item("So [1]."), bad], never, qampari=qampari)
        assert (error.value.item, error.value.field) == (where, field)

    @pytest.mark.parametrize("items", ["text", b"text", item("So.")])
    def test_items_are_a_list(self, items):
        with pytest.raises(BadInput, match="a list of items"):
            compute_autoais(items, never)

    @pytest.mark.parametrize("cap", [-1, True, 2.0, "3"])
    def test_cap_is_a_count(self, cap):
        with pytest.raises(BadInput, match="at_most_citations"):
            compute_autoais([], never, at_most_citations=cap)

    @pytest.mark.parametrize("verdict", [None, "1", "", 2, math.nan, []])
    def test_verdict_is_one(self, verdict):
        with pytest.raises(BadInput, match=r"items\[1\]: verdict"):
            compute_autoais([item("So."), item("So [1].")], lambda *_: verdict)

    @pytest.mark.parametrize(("verdict", "recall"), [(1, 100), (0, 0)])
    def test_verdict_as_alce_gives_it(self, verdict, recall):
        assert compute_autoais([item("So [1].")], lambda *_: verdict).citation_rec == recall

    def test_what_the_judge_raises_goes_on(self):
        with pytest.raises(AssertionError, match="was asked"):
            compute_autoais([item("So [1].")], never)

    def test_any_mapping_and_any_iterable(self):
        docs = tuple(UserDict(doc) for doc in DOCS)
        assert compute_autoais(iter([UserDict(item("So [1].", docs))]), yes).citation_rec == 100

    def test_zero_among_no_documents_is_only_asked_alone(self):
        assert compute_autoais([item("So [0][1].", [])], never).citation_rec == 0


STATEMENTS = st.lists(st.integers(0, 7), max_size=5)
ANSWERS = st.lists(STATEMENTS, max_size=4)


def written(answer):
    return " ".join(f"It is so{''.join(f'[{number}]' for number in numbers)}." for numbers in answer)


@st.composite
def tables(draw):
    """A judge whose verdicts hang on the set of documents, monotone or not."""
    sets = [frozenset(chosen) for size in range(1, 6) for chosen in combinations(range(1, 6), size)]
    entailing = draw(st.sets(st.sampled_from(sets)))

    def judge(premise, hypothesis):
        return frozenset(int(line.removeprefix("Title: T")) for line in premise.split("\n")[::2]) in entailing

    return judge


class TestForAnyJudge:
    @given(st.lists(ANSWERS, max_size=4), tables(), st.none() | st.integers(1, 4))
    def test_shares_and_counts(self, answers, judge, cap):
        score = compute_autoais([item(written(answer)) for answer in answers], judge, at_most_citations=cap)
        assert score.sentences == sum(len(answer) for answer in answers)
        assert 0 <= score.entailed <= score.sentences
        assert 0 <= score.precise <= score.citations
        assert score.multiple_entailed <= score.multiple
        assert score.scored + score.empty == len(answers)
        if score.scored:
            assert 0 <= score.citation_rec <= 100
            assert 0 <= score.citation_prec <= 100
        else:
            assert math.isnan(score.citation_rec)

    @given(st.lists(ANSWERS, max_size=4))
    def test_who_says_no_to_all(self, answers):
        score = compute_autoais([item(written(answer)) for answer in answers], no)
        assert (score.entailed, score.precise, score.overcited) == (0, 0, 0)
        assert score.citation_rec == 0 or not any(answers)

    @given(st.lists(ANSWERS, max_size=4))
    def test_who_says_yes_to_all(self, answers):
        score = compute_autoais([item(written(answer)) for answer in answers], yes)
        supported = [numbers for answer in answers for numbers in answer if numbers and max(numbers) <= len(DOCS)]
        assert score.entailed == len(supported)
        assert score.precise == score.citations == sum(map(len, supported))

    @given(st.lists(ANSWERS, max_size=5), tables(), st.randoms())
    def test_order_of_answers_does_not_matter(self, answers, judge, random):
        items = [item(written(answer)) for answer in answers]
        before = compute_autoais(items, judge)
        random.shuffle(items)
        after = compute_autoais(items, judge)
        for figure in ("citation_rec", "citation_prec"):
            assert getattr(after, figure) == pytest.approx(getattr(before, figure), rel=1e-12, nan_ok=True)
        counts = "sentences entailed citations precise out_of_range multiple overcited".split()
        assert [getattr(after, name) for name in counts] == [getattr(before, name) for name in counts]

    @given(st.lists(st.integers(1, 3), min_size=1, max_size=3), st.sets(st.integers(1, 3)), st.data())
    def test_irrelevant_citations_raise_neither_figure(self, relevant, entailing, data):
        """The judge says yes where a document of its own is there, so 4 and 5 never matter."""
        padded = list(relevant)
        for number in data.draw(st.lists(st.sampled_from([4, 5]), max_size=10)):
            padded.insert(data.draw(st.integers(0, len(padded))), number)

        def judge(premise, hypothesis):
            return any(f"Title: T{number}\n" in f"{premise}\n" for number in entailing)

        before = compute_autoais([item(written([relevant]))], judge)
        after = compute_autoais([item(written([padded]))], judge)
        assert after.citation_rec == before.citation_rec
        assert after.citation_prec <= before.citation_prec

    @given(STATEMENTS, st.sets(st.lists(st.integers(-1, 4), min_size=1, max_size=5).map(tuple)))
    def test_as_the_rules_read(self, numbers, entailing):
        """Each rule by itself, on any table of verdicts, also one that hangs on order."""
        documents = [number - 1 for number in numbers]
        asked = []

        def entails(some):
            asked.append(some)
            return some in entailing

        score = score_statement(documents, 5, entails)
        if not documents or any(document > 4 for document in documents):
            assert (asked, score.citations, score.entailed, score.precise) == ([], 0, False, 0)
            return
        expected = [tuple(documents)]
        credit = 0
        if tuple(documents) in entailing and len(documents) > 1:
            for document in documents:
                rest = list(documents)
                rest.remove(document)
                expected.append((document,))
                if (document,) in entailing:
                    credit += 1
                    continue
                expected.append(tuple(rest))
                credit += tuple(rest) not in entailing
        elif tuple(documents) in entailing:
            credit = 1
        assert asked == expected
        assert (score.citations, score.precise) == (len(documents), credit)
        assert score.entailed == (tuple(documents) in entailing)
        assert score.overcited == (len(documents) - credit if score.entailed else 0)
