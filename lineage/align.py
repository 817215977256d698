"""Alignments: which characters of one text are which characters of the next version.

Rule ``a1``, by which a new version is aligned once with its alignment base:

- non-blank lines without their ends, then whole sentences, then words inside changed hunks, then the equal edges
  of a replaced word; blank lines and line ends follow their neighbours;
- each character maps to at most one, both ways;
- repeats pair in order;
- a moved whole line with at least one letter or digit counts as standing.

Offsets are Unicode code points, ranges half-open. Span ids depend on the rule, so its tag is stored with
every alignment, and another way to align would be another rule.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from lineage._diff import heaviest_increasing
from lineage._rule_a1 import Block, blocks
from lineage_schema.text import check_range

__all__ = ["RULE", "Alignment", "Block", "Piece", "align", "identity"]

RULE: Final = "a1"
"""The tag of the rule in this module."""


class Piece(NamedTuple):
    """A part of the second text that answers to a range of the first.

    ``equal``: characters of the range map here. Otherwise it is text that nothing maps to, where the range was.
    """

    start: int
    end: int
    equal: bool


@dataclass(frozen=True)
class Alignment:
    """Which characters of a text *a* are which of a text *b*.

    ``blocks`` are (start in a, start in b, length) of equal text: sorted by start in a, as long as they can be, one to
    one. Raises ValueError where they are not. Texts are not kept: the lengths are all that is known of them.
    """

    rule: str
    length_a: int
    length_b: int
    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        if self.rule != RULE:
            raise ValueError(f"unknown alignment rule {self.rule!r}")
        _check_side([(start, length) for start, _, length in self.blocks], self.length_a, "first")
        _check_side(sorted((start, length) for _, start, length in self.blocks), self.length_b, "second")
        for (a, b, length), (next_a, next_b, _) in pairwise(self.blocks):
            if a + length == next_a and b + length == next_b:
                raise ValueError(f"the block at {next_a} goes on from the one at {a}")

    @cached_property
    def aligned(self) -> int:
        """How many characters map."""
        return sum(length for _, _, length in self.blocks)

    @property
    def share(self) -> float:
        """How much of both texts is shared, 0 to 1: 2 · aligned / (both lengths); 1 for two empty texts."""
        whole = self.length_a + self.length_b
        return 2 * self.aligned / whole if whole else 1.0

    def inverse(self) -> Alignment:
        """The same alignment from *b* to *a*."""
        return self._inverse

    @cached_property
    def _inverse(self) -> Alignment:
        turned = sorted((b, a, length) for a, b, length in self.blocks)
        return Alignment(self.rule, self.length_b, self.length_a, tuple(turned))

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _, _ in self.blocks]

    @cached_property
    def _main(self) -> list[Block]:
        """The heaviest blocks that keep their order: what did not move."""
        order = sorted(self.blocks, key=lambda block: block[1])
        rank = {block: at for at, block in enumerate(order)}
        ranks = [rank[block] for block in self.blocks]
        return [self.blocks[at] for at in heaviest_increasing(ranks, [length for _, _, length in self.blocks])]

    def map_range(self, start: int, end: int) -> tuple[int, int] | None:
        """Where ``[start, end)`` of *a* stands in *b*, if all its characters map to one contiguous range.

        O(log n). Raises ValueError where the range is empty or not in *a*.
        """
        check_range(start, end, self.length_a)
        at = bisect_right(self._starts, start) - 1
        if at < 0:
            return None
        a, b, length = self.blocks[at]
        if end > a + length:
            return None
        return start - a + b, end - a + b

    def project(self, start: int, end: int) -> tuple[int, int]:
        """The aligned range in *b* of a range of *a* that may have changed, for showing old beside new.

        It reaches from the first to the last of :meth:`pieces`. An empty range means that nothing is there any more; it
        stands where the text was. An empty range of *a* stays empty. Raises ValueError where it is not in *a*.
        """
        if start == end and 0 <= start <= self.length_a:
            place = self._place(start)
            return place, place
        found = self.pieces(start, end)
        if not found:
            place = self._place(start)
            return place, place
        return found[0].start, found[-1].end

    def pieces(self, start: int, end: int) -> list[Piece]:
        """What of *b* answers to ``[start, end)`` of *a*, in order of *b*.

        That is where its characters map (of those that moved against each other, the most that kept their order),
        what nothing maps to between them, and what nothing maps to beside them where the edge of the range maps
        nowhere: there a text was replaced. Where nothing of the range maps, it is what nothing maps to between its
        unmoved neighbours. Raises ValueError where the range is empty or not in *a*.
        """
        check_range(start, end, self.length_a)
        images = self._images(start, end)
        turned = self.inverse()
        if not images:
            low, high = self._gap(start, end)
            return [Piece(s, e, False) for s, e in turned.unmapped(low, high)]
        (a, low, _), (last_a, last_b, last) = images[0], images[-1]
        high = last_b + last
        if a > start and not self._maps(a - 1):
            low = turned._free_before(low)
        if last_a + last < end and not self._maps(last_a + last):
            high = turned._free_after(high)
        found = [Piece(s, e, False) for s, e in turned.unmapped(low, high)]
        found.extend(Piece(b, b + length, True) for _, b, length in images)
        found.sort()
        return found

    def unmapped(self, start: int, end: int) -> list[tuple[int, int]]:
        """The parts of ``[start, end)`` of *a* that map nowhere, in order."""
        found: list[tuple[int, int]] = []
        at = start
        for a, _, length in self._blocks_in(start, end):
            if at < a:
                found.append((at, a))
            at = a + length
        if at < end:
            found.append((at, end))
        return found

    def to_bytes(self) -> bytes:
        """A compact form: the rule's tag, lengths and blocks as variable-length integers, and a checksum."""
        body = bytearray(self.rule.encode("ascii"))
        for value in (self.length_a, self.length_b, len(self.blocks)):
            _put(body, value)
        at_a = at_b = 0
        for a, b, length in self.blocks:
            step = b - at_b
            _put(body, a - at_a)
            _put(body, 2 * step if step >= 0 else -2 * step - 1)
            _put(body, length)
            at_a, at_b = a + length, b + length
        return bytes(body) + zlib.crc32(body).to_bytes(4, "big")

    @classmethod
    def from_bytes(cls, data: bytes) -> Alignment:
        """The alignment that :meth:`to_bytes` wrote. Raises ValueError for anything else."""
        body, checksum = data[:-4], data[-4:]
        tag = RULE.encode("ascii")
        if not body.startswith(tag) or zlib.crc32(body).to_bytes(4, "big") != checksum:
            raise ValueError("not an alignment: wrong tag or checksum")
        values = _values(body, len(tag))
        try:
            length_a, length_b, count = next(values), next(values), next(values)
            found: list[Block] = []
            at_a = at_b = 0
            for _ in range(count):
                a = at_a + next(values)
                step = next(values)
                b = at_b + (-(step + 1) // 2 if step & 1 else step // 2)
                length = next(values)
                found.append((a, b, length))
                at_a, at_b = a + length, b + length
        except StopIteration:
            raise ValueError("not an alignment: it ends too early") from None
        if next(values, None) is not None:
            raise ValueError("not an alignment: it goes on behind its end")
        return cls(RULE, length_a, length_b, tuple(found))

    def _blocks_in(self, start: int, end: int) -> Iterator[Block]:
        """The blocks that share characters with ``[start, end)``, cut to it."""
        at = max(bisect_right(self._starts, start) - 1, 0)
        while at < len(self.blocks) and self.blocks[at][0] < end:
            a, b, length = self.blocks[at]
            low, high = max(a, start), min(a + length, end)
            if low < high:
                yield low, b + low - a, high - low
            at += 1

    def _images(self, start: int, end: int) -> list[Block]:
        """The heaviest parts of blocks in the range that keep their order."""
        inside = list(self._blocks_in(start, end))
        if all(first[1] < second[1] for first, second in pairwise(inside)):
            return inside
        order = sorted(range(len(inside)), key=lambda at: inside[at][1])
        ranks = [0] * len(inside)
        for rank, at in enumerate(order):
            ranks[at] = rank
        return [inside[at] for at in heaviest_increasing(ranks, [length for _, _, length in inside])]

    def _maps(self, offset: int) -> bool:
        return self.map_range(offset, offset + 1) is not None

    def _free_before(self, offset: int) -> int:
        """How far back from ``offset`` no character of *a* maps."""
        at = bisect_left(self._starts, offset) - 1
        return self.blocks[at][0] + self.blocks[at][2] if at >= 0 else 0

    def _free_after(self, offset: int) -> int:
        """How far on from ``offset`` no character of *a* maps."""
        at = bisect_left(self._starts, offset)
        return self.blocks[at][0] if at < len(self.blocks) else self.length_a

    @cached_property
    def _main_starts(self) -> list[int]:
        return [start for start, _, _ in self._main]

    def _gap(self, start: int, end: int) -> tuple[int, int]:
        """The range of *b* between the unmoved neighbours of a range of which nothing maps."""
        after = bisect_left(self._main_starts, end)
        high = self._main[after][1] if after < len(self._main) else self.length_b
        return self._place(start), high

    def _place(self, offset: int) -> int:
        """Where a text that began at ``offset`` was: behind the image of the unmoved character before it."""
        at = bisect_left(self._main_starts, offset) - 1
        if at < 0:
            return 0
        a, b, length = self._main[at]
        return b + min(length, offset - a)


def align(a: str, b: str) -> Alignment:
    """The alignment of two texts by rule ``a1``. The same texts always give the same alignment."""
    return Alignment(RULE, len(a), len(b), tuple(blocks(a, b)))


def identity(length: int) -> Alignment:
    """The alignment of a text of ``length`` code points with an equal one."""
    return Alignment(RULE, length, length, ((0, 0, length),) if length else ())


def _check_side(ranges: Sequence[tuple[int, int]], size: int, which: str) -> None:
    at = 0
    for start, length in ranges:
        if length <= 0 or start < at:
            raise ValueError(f"blocks are empty, overlap or are out of order at {start} of the {which} text")
        at = start + length
    if at > size:
        raise ValueError(f"a block ends at {at}, the {which} text at {size}")


def _put(body: bytearray, value: int) -> None:
    while value > 0x7F:
        body.append(value & 0x7F | 0x80)
        value >>= 7
    body.append(value)


def _values(body: bytes, at: int) -> Iterator[int]:
    value = shift = 0
    for byte in body[at:]:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0
    if shift:
        raise ValueError("not an alignment: it ends within a number")
