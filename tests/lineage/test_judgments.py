"""The key of a judgment."""

from __future__ import annotations

from lineage_schema.judgments import JudgeId, Passage, Request

JUDGE = JudgeId.of("desk", "1", {"prompt": "p1"})


def test_a_key_holds_all_that_may_change_a_verdict_and_nothing_else() -> None:
    first, second = Passage("one", "v1:a"), Passage("two", "v1:b")
    keys = [
        JUDGE.key(Request("s", (first, second))),
        JUDGE.key(Request("s", (second, first))),
        JUDGE.key(Request("s.", (first, second))),
        JUDGE.key(Request("s", (Passage("one", "v1:c"), second))),
        JudgeId.of("desk", "2", {"prompt": "p1"}).key(Request("s", (first, second))),
        JudgeId.of("desk", "1", {"prompt": "p2"}).key(Request("s", (first, second))),
    ]
    assert len(set(keys)) == len(keys)
    assert JudgeId.of("desk", "1", {"prompt": "p1"}).key(Request("s", (first, second))) == keys[0]
