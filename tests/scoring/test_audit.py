"""The audit's figures: by hand, and that links which support nothing never raise coverage."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lineage_scoring.audit import audit_claim, coverage, link_precision
from lineage_scoring.splitters.rule import split


def truth(*supporting: set[int]):
    """A table where a set supports a part if it has one of these sets in it."""
    return lambda part, members: any(each <= set(members) for each in supporting)


def test_the_lesson_s_three_of_four_and_four_of_five() -> None:
    claims = [
        audit_claim(["a"], 1, truth({0})),
        audit_claim(["b"], 2, truth({0, 1})),
        audit_claim(["c"], 1, truth({0})),
        audit_claim(["d"], 1, truth()),
    ]
    assert str(coverage(claims)) == "3/4"
    assert str(link_precision(claims)) == "4/5"


def test_partial_support_earns_the_link_and_not_the_claim() -> None:
    launch, charger = "R7 launched in 2021", "R7 supports charger E2"

    def supports(part: str, members: tuple[int, ...]) -> bool:
        return part == launch and 0 in members

    found = audit_claim([launch, charger], 2, supports)
    assert [part.supported for part in found.parts] == [True, False]
    assert not found.covered
    assert found.links == (True, False)


def test_a_claim_without_links_is_not_covered() -> None:
    assert not audit_claim(["a"], 0, truth({0})).covered


@given(st.integers(0, 4), st.lists(st.sets(st.integers(0, 3), min_size=1), max_size=3), st.integers(1, 2))
def test_ten_irrelevant_links_never_raise_coverage(links: int, tables: list[set[int]], parts: int) -> None:
    names = [f"part {number}" for number in range(parts)]
    relevant = [each for each in tables if max(each) < links]
    before = audit_claim(names, links, truth(*relevant))
    # What is added is in no set that supports anything.
    after = audit_claim(names, links + 10, truth(*relevant))
    assert after.covered == before.covered
    assert not any(after.links[links:])


def test_a_compound_claim_is_split_by_rule() -> None:
    assert split("R7 launched in 2021 and it supports charger E2.") == ("R7 launched in 2021", "it supports charger E2")
    assert split("Salt and pepper are free; returns are not.") == ("Salt and pepper are free", "returns are not")
    assert split("Returns take 30 days.") == ("Returns take 30 days.",)
