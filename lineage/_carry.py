"""What one alignment does to one span: where it stands in the other text, or what answers to it there."""

from __future__ import annotations

from lineage.align import Alignment
from lineage_schema.text import TextIndex, edge_word

Range = tuple[int, int]


def stand(alignment: Alignment, a: TextIndex, b: TextIndex, start: int, end: int) -> Range | None:
    """Where the span ``[start, end)`` of *a* stands in *b*, or None.

    Its characters map to one contiguous range, and the words or numbers that its edges belong to are the same.
    It goes back the same way: ``stand(alignment.inverse(), b, a, *found)`` is ``(start, end)``. Raises ValueError
    where the range is empty or not in *a*.
    """
    found = alignment.map_range(start, end)
    if found is None or _beyond(a, start, end) != _beyond(b, *found):
        return None
    return found


def carry(alignment: Alignment, a: TextIndex, b: TextIndex, start: int, end: int) -> Range:
    """The aligned range in *b* of a range of *a*, for showing old beside new; empty where nothing but blanks is left.

    It holds what replaced the edges of the range, without the white space around that, and whole words where the
    words at the edges changed. A range that has become empty stays empty, whatever is put there later.
    """
    place, _ = alignment.project(start, end)
    if start == end:
        return place, place
    kept: list[Range] = []
    filled = False
    for low, high, equal in alignment.pieces(start, end):
        text = b.text[low:high]
        inner = text.strip()
        filled = filled or bool(inner)
        if equal:
            kept.append((low, high))
        elif inner:
            low += len(text) - len(text.lstrip())
            kept.append((low, low + len(inner)))
    if not filled:
        return place, place
    low, high = kept[0][0], kept[-1][1]
    (old_before, old_after), (before, after) = _beyond(a, start, end), _beyond(b, low, high)
    return (
        low if before == old_before else low - len(before),
        high if after == old_after else high + len(after),
    )


def _beyond(text: TextIndex, start: int, end: int) -> tuple[str, str]:
    """How the words at the edges of a span go on beyond it."""
    return edge_word(text.text, start, "before"), edge_word(text.text, end, "after")
