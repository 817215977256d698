"""Where a passage stands, character by character: the oracle's reading of standing and context.

Nothing here is quick. A passage is followed through all stored alignments, one character at a time, and its
surroundings are cut out of every text where it stands.
"""

from __future__ import annotations

from collections.abc import Mapping

from lineage.align import Alignment
from lineage.testing.history import Version
from lineage_schema.text import Neighbourhood, TextIndex, edge_word, neighbours_changed

Place = tuple[int, int, int]
"""(version, start, end)"""
Edition = Mapping[int, Version]
"""An edition's versions by number."""


def carried(
    alignment: Alignment, a: str, b: str, start: int, end: int, *, back: bool = False
) -> tuple[int, int] | None:
    """Where ``a[start:end]`` stands in ``b``: its characters in one piece, its edges in the same words.

    ``back``: the alignment leads from ``b`` to ``a``.
    """
    image: dict[int, int] = {}
    for first, second, length in alignment.blocks:
        for step in range(length):
            one, other = first + step, second + step
            image.update({other: one} if back else {one: other})
    places = [image.get(at) for at in range(start, end)]
    begin = places[0]
    if begin is None or places != list(range(begin, begin + end - start)):
        return None
    stop = begin + end - start
    same_before = edge_word(a, start, "before") == edge_word(b, begin, "before")
    same_after = edge_word(a, end, "after") == edge_word(b, stop, "after")
    return (begin, stop) if same_before and same_after else None


def first_place(edition: Edition, place: Place) -> Place:
    """The place in the first version where a passage stands, found by mapping back."""
    while True:
        number, start, end = place
        version = edition[number]
        if version.base is None or version.alignment is None or version.text is None:
            return place
        base = edition[version.base].text
        if base is None:
            return place
        found = carried(version.alignment, version.text, base, start, end, back=True)
        if found is None:
            return place
        place = (version.base, *found)


class Passage:
    """A span by its first place, and all that the versions of its edition say of it."""

    def __init__(self, edition: Edition, first: Place) -> None:
        self.edition = edition
        self.first = first
        self.places: dict[int, tuple[int, int]] = {first[0]: first[1:]}
        for number in sorted(edition):
            version = edition[number]
            if number <= first[0] or version.base not in self.places or version.text is None:
                continue
            base = edition[version.base].text
            if base is None or version.alignment is None:
                continue
            found = carried(version.alignment, base, version.text, *self.places[version.base])
            if found is not None:
                self.places[number] = found
        self.around: dict[int, Neighbourhood] = {
            number: TextIndex(edition[number].text or "").neighbourhood(*place) for number, place in self.places.items()
        }

    def differs(self, old: int, new: int) -> bool:
        """Whether a reader of one version finds other text around it in another."""
        return neighbours_changed(self.around[old], self.around[new])

    def ended_by(self, source: int, target: int) -> bool:
        """Whether going from one version to the next ended it, and no later version has it again."""
        stood, stands = source in self.places, target in self.places
        return stood and not stands and not any(later > target for later in self.places)

    def beside(self, target: int, reader: int) -> bool:
        """Whether version ``target`` left other neighbours than ``reader`` had, and no later version has them back."""
        if target not in self.places or reader not in self.places or reader >= target:
            return False
        if not self.differs(reader, target):
            return False
        return all(self.differs(reader, later) for later in self.places if later > target)

    def touched_between(self, before: int, now: int) -> bool:
        """Whether some version after ``before``, up to ``now``, ended it or changed what stands around it."""
        for number in range(before + 1, now + 1):
            if number - 1 not in self.places:
                continue
            if number not in self.places or self.differs(number - 1, number):
                return True
        return False
