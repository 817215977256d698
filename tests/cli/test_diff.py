"""Word diffs: what changed, with a few words around it, however long the texts are."""

from __future__ import annotations

import random
import re
import time

import pytest

from lineage_cli.render.diff import MOST, word_diff
from lineage_cli.render.lines import fitted, middle, shorten


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("within 30 days", "within 14 days", "within [-30-]{+14+} days"),
        ("within 30 days", "within days", "within [-30 -]days"),
        ("free", "not free", "{+not +}free"),
        ("a\n b", "a b", "a b"),
        ("", "new", "{+new+}"),
        ("old", "", "[-old-]"),
        ("30%", "30.5%", "30{+.5+}%"),
    ],
)
def test_small_edits(old: str, new: str, shown: str) -> None:
    assert word_diff(old, new) == shown


def test_unchanged_words_far_away_are_an_ellipsis() -> None:
    words = " ".join(f"w{n}" for n in range(50))
    assert word_diff(f"{words} old {words}", f"{words} new {words}", around=2) == "…w48 w49 [-old-]{+new+} w0 w1…"
    whole = word_diff(f"{words} old {words}", f"{words} new {words}", around=None)
    assert whole == f"{words} [-old-]{{+new+}} {words}"


def test_both_sides_can_be_read_from_it() -> None:
    chosen = random.Random(7)
    for _ in range(200):
        old = " ".join(chosen.choice("a b c d 1 2 .".split()) for _ in range(chosen.randrange(12)))
        new = " ".join(chosen.choice("a b c d 1 2 .".split()) for _ in range(chosen.randrange(12)))
        shown = word_diff(old, new, around=None)
        assert re.sub(r"\{\+.*?\+\}", "", re.sub(r"\[-(.*?)-\]", r"\1", shown)) == old
        assert re.sub(r"\[-.*?-\]", "", re.sub(r"\{\+(.*?)\+\}", r"\1", shown)) == new


def test_long_texts_are_not_compared_word_by_word() -> None:
    old, new = "the word " * 20_000, "a word " * 20_000
    begin = time.process_time()
    shown = word_diff(f"start {old} end", f"start {new} end")
    # Compared word by word this takes minutes; the limit is far from both.
    assert time.process_time() - begin < 5
    assert len(shown) < 2000
    assert shown.startswith("start [-the word")
    assert "…" in shown
    assert MOST < 20_000


def test_an_edit_within_a_long_text_is_still_a_small_diff() -> None:
    text = " ".join(f"w{n}" for n in range(30_000))
    assert word_diff(text, text.replace("w15000", "x"), around=1) == "…w14999 [-w15000-]{+x+} w15001…"


def test_shortening() -> None:
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("abcdefg", 6) == "abcde…"
    assert middle("abcdefg", 5) == "ab…fg"
    assert shorten("abc", None) == middle("abc", None) == "abc"
    for room in range(20, 200):
        shown = fitted(["report " + "r" * 60, "entity " + "e" * 60, "span x v1 [0, 9)"], " → ", room)
        assert len(shown) <= room
    assert shown.endswith("span x v1 [0, 9)")
