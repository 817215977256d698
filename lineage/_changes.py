"""What an edit did, for a reader: the sentences that it touched, old beside new.

A sentence is untouched if it stands as a whole sentence in the other text, wherever that is: a moved line is no
change, nor is white space between sentences. Touched sentences that follow each other in a paragraph are one change,
and so are those whose aligned ranges meet in one sentence.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from lineage._carry import carry
from lineage.align import Alignment
from lineage_schema.text import TextIndex

Range = tuple[int, int]


class ChangeClass(StrEnum):
    """What became of a group of sentences."""

    CHANGED = "changed"
    DELETED = "deleted"
    INSERTED = "inserted"


@dataclass(frozen=True, slots=True)
class Change:
    """One edited group of sentences.

    ``old`` is ``[start, end)`` of the first text, ``new`` is ``[new_start, new_end)`` of the second: whole sentences.
    One of them is empty for what was inserted or deleted; its range then says where that happened.
    """

    cls: ChangeClass
    start: int
    end: int
    old: str
    new_start: int
    new_end: int
    new: str


def changes(alignment: Alignment, a: TextIndex, b: TextIndex) -> list[Change]:
    """All changes from *a* to *b*, in order of *a*, then of *b*."""
    numbers = {sentence: number for number, sentence in enumerate(b.sentences)}
    whole = [numbers.get(alignment.map_range(*sentence) or (0, 0)) for sentence in a.sentences]
    groups_a = _groups(a, {number for number, image in enumerate(whole) if image is not None})
    groups_b = _groups(b, {image for image in whole if image is not None})
    images = [carry(alignment, a, b, *group) for group in groups_a]
    found = [
        _change(
            alignment, a, b, [groups_a[at] for at in at_a], [images[at] for at in at_a], [groups_b[at] for at in at_b]
        )
        for at_a, at_b in _meeting(images, groups_b)
    ]
    return sorted(found, key=lambda change: (change.start, change.new_start))


def _groups(text: TextIndex, untouched: Set[int]) -> list[Range]:
    """The ranges of the touched sentences that follow each other in a paragraph."""
    groups: list[Range] = []
    last = (-1, -1)
    for number, (start, end) in enumerate(text.sentences):
        if number in untouched:
            continue
        here = (number - 1, text.paragraph_of(number))
        if here == last:
            groups[-1] = (groups[-1][0], end)
        else:
            groups.append((start, end))
        last = (number, here[1])
    return groups


def _meeting(images: Sequence[Range], groups: Sequence[Range]) -> list[tuple[list[int], list[int]]]:
    """The images and groups (their indices, ascending) that share characters, directly or through others."""
    parent = list(range(len(images) + len(groups)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = at = parent[parent[at]]
        return at

    ends = [end for _, end in groups]
    for at, (start, end) in enumerate(images):
        other = bisect_right(ends, start)
        while other < len(groups) and groups[other][0] < end:
            parent[root(len(images) + other)] = root(at)
            other += 1
    together: dict[int, tuple[list[int], list[int]]] = {}
    for at in range(len(parent)):
        of_images, of_groups = together.setdefault(root(at), ([], []))
        if at < len(images):
            of_images.append(at)
        else:
            of_groups.append(at - len(images))
    return list(together.values())


def _change(
    alignment: Alignment, a: TextIndex, b: TextIndex, old: list[Range], images: list[Range], new: list[Range]
) -> Change:
    if not old:
        place, _ = alignment.inverse().project(new[0][0], new[-1][1])
        old, cls = [(place, place)], ChangeClass.INSERTED
    elif not new:
        new, cls = images[:1], ChangeClass.DELETED
    else:
        cls = ChangeClass.CHANGED
    (start, end), (new_start, new_end) = (old[0][0], old[-1][1]), (new[0][0], new[-1][1])
    return Change(cls, start, end, a.text[start:end], new_start, new_end, b.text[new_start:new_end])
