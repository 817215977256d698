"""Identity is a contract: these ids must never change. A change of any is another rule, with another tag."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_schema.canonical import canonical_json
from lineage_schema.errors import BadInput
from lineage_schema.identity import (
    check_key,
    content_hash,
    correction_id,
    key_text,
    node_id,
    parse_key,
    run_id,
    span_id,
    version_id,
)

SHA = "1f51b4e96fb1e0a5d0eab2f0bd1b6e4d8a0f5f4f5a3bcb0d6e8a9dd6a2bb3c55"


class TestGoldenIds:
    def test_content_hash_is_the_sha256_of_the_exact_text(self) -> None:
        assert content_hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        assert content_hash("é") != content_hash("e\u0301")

    def test_node(self) -> None:
        assert (
            node_id("summary", "demo", ("1", "ab"), SHA, {"level": 1}) == "l1:cffa07ed9959713bf50aeafc5ab11c4c2f2b828b"
        )

    def test_span(self) -> None:
        assert span_id("returns.md", 1, 1, 0, 58) == "l1:3a45de534f68395a01c51407319cbe9379984854"

    def test_version(self) -> None:
        assert version_id("returns.md", 1, 2, SHA) == "v1:1234d3f3a0b2fe3be3424a5c73f1e6e79d2e08d4"
        assert version_id("returns.md", 1, 2, None) == "v1:07928889c772f753246107a4a4ecd063e1348b39"

    def test_run(self) -> None:
        assert run_id("demo", "2026-11-30") == "r1:a92bf2153857aaa380dde99fb9214858b73504c7"

    def test_correction_in_any_order(self) -> None:
        one, two = ("a.md", 1, "correct", 1, 2, 1), ("b.md", 1, "withdraw", 3, 4, 1)
        assert correction_id([one, two]) == correction_id([two, one]) == "c1:f547d7b03dec1e8a662867852cc9238932f93993"

    def test_an_edition_s_correction_tells_which_edition_it_begins(self) -> None:
        assert len({correction_id([("a.md", 1, "edition", 1, 1, into)]) for into in (2, 3)}) == 2


class TestWhatIsHashed:
    def test_fields_do_not_run_into_each_other(self) -> None:
        # awslabs/graphrag-toolkit #533: fields joined without a separator collide.
        assert node_id("entity", "n", ("hello", "world"), SHA) != node_id("entity", "n", ("hell", "oworld"), SHA)
        assert node_id("entity", "n", "helloworld", SHA) != node_id("entity", "n", ("hello", "world"), SHA)
        assert node_id("ab", "c", "k", SHA) != node_id("a", "bc", "k", SHA)

    @pytest.mark.parametrize("field", ["kind", "namespace", "key", "content", "attributes"])
    def test_each_part_counts(self, field: str) -> None:
        base = {"kind": "k", "namespace": "n", "key": "x", "content": SHA, "attributes": {"level": 1}}
        other = {**base, field: {"level": 2} if field == "attributes" else "y"}
        assert node_id(**base) != node_id(**other)  # type: ignore[arg-type]

    def test_a_float_has_no_identity(self) -> None:
        with pytest.raises(BadInput, match=r"rank.*no float"):
            node_id("k", "n", "x", SHA, {"rank": 0.5})

    def test_half_a_surrogate_has_no_identity(self) -> None:
        with pytest.raises(BadInput, match="half surrogates"):
            node_id("k", "n", "a\ud800", SHA)


class TestKeys:
    @pytest.mark.parametrize("key", ["", [], [""], ["a", ""], 3, None, {"a": 1}, ["a", 1]])
    def test_empty_and_foreign_keys_are_refused(self, key: object) -> None:
        with pytest.raises(BadInput, match="key"):
            check_key(key, item="node")

    def test_a_string_that_reads_as_an_array_is_refused(self) -> None:
        with pytest.raises(BadInput, match="array key"):
            check_key('["a","b"]', item="node")

    @given(st.one_of(st.text(min_size=1), st.lists(st.text(min_size=1), min_size=1)))
    def test_the_written_form_is_read_back(self, raw: str | list[str]) -> None:
        try:
            key = check_key(raw, item="node")
            text = key_text(key)
        except BadInput:
            return
        assert parse_key(text) == key


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(alphabet=st.characters(exclude_categories=["Cs"]))),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(alphabet=st.characters(exclude_categories=["Cs"])), inner, max_size=3),
    ),
    max_leaves=8,
)


@given(json_values)
def test_canonical_json_does_not_depend_on_the_order_of_keys(value: object) -> None:
    def turned(each: object) -> object:
        if isinstance(each, dict):
            return {key: turned(each[key]) for key in reversed(list(each))}
        return [turned(member) for member in each] if isinstance(each, list) else each

    assert canonical_json(value) == canonical_json(turned(value))


def test_canonical_json_form() -> None:
    assert canonical_json({"b": [1, True, None], "a": "é\n"}) == '{"a":"é\\n","b":[1,true,null]}'
