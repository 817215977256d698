"""The arithmetic of citations, against its definition."""

from __future__ import annotations

from itertools import combinations
from math import isclose

from hypothesis import given
from hypothesis import strategies as st

from lineage_scoring.support import Share, means, minimal_sets, support

SETS = {
    count: [members for size in range(1, count + 1) for members in combinations(range(count), size)]
    for count in range(6)
}
TABLES = st.integers(0, 5).flatmap(
    lambda count: st.tuples(
        st.just(count),
        st.fixed_dictionaries({members: st.booleans() for members in SETS[count]}),
        st.sets(st.sampled_from(SETS[count]) if SETS[count] else st.nothing()),
    )
)


@given(TABLES)
def test_a_citation_is_precise_as_the_paper_says(drawn) -> None:
    count, table, _ = drawn
    result = support(count, lambda members: table[members])
    everything = tuple(range(count))
    assert result.supported == table.get(everything, False)
    for place, citation in enumerate(result.citations):
        without = tuple(other for other in everything if other != place)
        needed = not table.get(without, False)
        assert citation.precise == (result.supported and (table[(place,)] or needed))


@given(TABLES)
def test_minimal_sets_are_those_of_brute_force(drawn) -> None:
    count, table, unjudged = drawn
    judged = {members: verdict for members, verdict in table.items() if members not in unjudged}
    expected = [
        members
        for members, verdict in judged.items()
        if verdict and not any(judged.get(sub) for sub in SETS[count] if set(sub) < set(members))
    ]
    assert sorted(minimal_sets(count, judged.get)) == sorted(expected)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda pair: Share(min(pair), max(pair)))))
def test_means_count_and_leave_out(shares: list[Share]) -> None:
    found = means(shares)
    present = [share.value for share in shares if share.value is not None]
    assert found == means(reversed(shares))
    assert (found.scored, found.left_out) == (len(present), len(shares) - len(present))
    assert found.micro == Share(sum(s.numerator for s in shares), sum(s.denominator for s in shares))
    if present:
        assert found.macro is not None
        assert isclose(found.macro, sum(present) / len(present))
    else:
        assert found.macro is None
