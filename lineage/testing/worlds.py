"""Small worlds for random histories: texts, edits of texts, and passages of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from lineage_schema.text import TextIndex

WORDS = ("alpha", "bravo", "carol", "delta")
SENTENCES = st.builds(
    lambda word, number: f"The {word} rule holds {number} days.", st.sampled_from(WORDS), st.integers(1, 3)
)
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=3)
TEXTS = st.lists(PARAGRAPHS, min_size=1, max_size=3).map(lambda paragraphs: joined(paragraphs))


def joined(paragraphs: Sequence[Sequence[str]]) -> str:
    """A text of paragraphs of sentences."""
    return "\n\n".join(" ".join(sentences) for sentences in paragraphs if sentences) + "\n"


def parted(text: str) -> list[list[str]]:
    """The paragraphs of a text, each as its sentences."""
    index = TextIndex(text)
    found: list[list[str]] = [[] for _ in index.paragraphs]
    for at, (start, end) in enumerate(index.sentences):
        found[index.paragraph_of(at)].append(text[start:end])
    return found


def edited(data: st.DataObject, text: str, earlier: Sequence[str]) -> str:
    """A text with one edit, or one that there was before."""
    parts = parted(text)
    what = data.draw(
        st.sampled_from(["replace", "insert", "delete", "number", "paragraph", "move", "append", "earlier"])
    )
    if what == "earlier" and earlier:
        return data.draw(st.sampled_from(list(earlier)))
    at = data.draw(st.integers(0, len(parts) - 1))
    here = data.draw(st.integers(0, len(parts[at]) - 1))
    if what == "number":
        parts[at][here] = parts[at][here].replace(" days", "0 days")
    elif what == "insert":
        parts[at].insert(here, data.draw(SENTENCES))
    elif what == "delete" and sum(map(len, parts)) > 1:
        del parts[at][here]
    elif what == "paragraph":
        parts.insert(at, [data.draw(SENTENCES)])
    elif what == "move":
        parts.append(parts.pop(at))
    elif what == "append":
        parts[-1].append(data.draw(SENTENCES))
    else:
        parts[at][here] = data.draw(SENTENCES)
    return joined(parts)


def passage(data: st.DataObject, text: str) -> tuple[int, int]:
    """A sentence or two, some words of one, or the whole text."""
    sentences = TextIndex(text).sentences
    what = data.draw(st.sampled_from(["sentence", "sentence", "sentences", "words", "whole"]))
    if what == "whole":
        return 0, len(text)
    first = data.draw(st.integers(0, len(sentences) - 1))
    start, end = sentences[first]
    if what == "sentences":
        end = sentences[min(first + 1, len(sentences) - 1)][1]
    elif what == "words":
        cuts = [at for at in range(start, end) if text[at] == " "]
        if cuts:
            return (start, cuts[-1]) if data.draw(st.booleans()) else (cuts[0] + 1, end)
    return start, end


def subset(data: st.DataObject, of: Sequence[Any], least: int, most: int) -> list[Any]:
    """Some of these, each once."""
    if not of:
        return []
    least = min(least, len(of))
    return data.draw(st.lists(st.sampled_from(list(of)), min_size=least, max_size=most, unique=True))
