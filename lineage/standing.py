"""Where a span stands over the versions of an edition, what ended it, and what changed around it.

- A version's *alignment base* is the version before, or, where the text equals an earlier one of its edition (an undo),
  that one; of several equal ones the latest (a span that stands in one stands in all, so it does not matter which).
- A span *stands* in a version if it first stands there, or stands in its alignment base and its characters map to one
  contiguous range. It does not stand where the word or number that its edge belongs to changed.
- A version *ends* a span that stood in the version before and does not in it, until a later version where the span
  stands: ``deleted`` if the aligned range, carried through the alignments, is blank, else ``changed``.
- ``context``: the span stands in the version before and in this one, but its neighbourhood is another. That lasts until
  a later version has the old neighbours back. It concerns a reader of an earlier version if the neighbours are
  other than those that the reader saw, and no later version has these back.

Spans are half-open ranges of Unicode code points; version numbers are those of one edition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from lineage._carry import carry, stand
from lineage._changes import Change, ChangeClass, changes
from lineage.align import Alignment
from lineage_schema.text import Neighbourhood, TextIndex, check_range, neighbours_changed

__all__ = [
    "Chain",
    "ChainVersion",
    "Change",
    "ChangeClass",
    "Context",
    "Ended",
    "SpanClass",
    "base_of",
    "carry",
    "changes",
    "stand",
]

Range = tuple[int, int]
Place = tuple[int, int, int]
"""(version, start, end)"""


class SpanClass(StrEnum):
    """What a version does to a span, as a reader of the span is told."""

    STANDS = "stands"
    CHANGED = "changed"
    DELETED = "deleted"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True)
class ChainVersion:
    """One version. ``alignment`` is from ``base``, the number of its alignment base; both are None for the first.

    ``text`` is None for a withdrawal and where it was purged: nothing stands there, and it is no one's base. A
    function is called when the text is first needed.
    """

    number: int
    text: TextIndex | Callable[[], TextIndex] | None
    base: int | None = None
    alignment: Alignment | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """A version that ended a span.

    ``cls`` is ``changed`` or ``deleted``. ``at`` is the aligned range in the version, empty where nothing is left, None
    where no alignment leads there. ``until`` is the first later version where the span stands again.
    """

    version: int
    cls: SpanClass
    at: Range | None
    until: int | None


@dataclass(frozen=True, slots=True)
class Context:
    """A version that changed a span's neighbourhood.

    ``readers`` are the earlier versions whose readers it concerns. ``open``: it still lasts for the span itself, which
    is so while it concerns a reader of the version before.
    """

    version: int
    readers: frozenset[int]
    open: bool


def base_of(texts: Sequence[str | None], number: int) -> int | None:
    """The alignment base of version ``number``, where ``texts[n - 1]`` is the text of version n, or its hash.

    None where there is none: for the first version, and for one whose text is new behind a version without
    a text (withdrawn or purged).
    """
    text = texts[number - 1]
    before = texts[: number - 1]
    if text is None or not before:
        return None
    for earlier in range(number - 1, 0, -1):
        if before[earlier - 1] == text:
            return earlier
    return number - 1 if before[-1] is not None else None


class Chain:
    """The versions of one edition with their stored alignments, for asking about spans.

    Nothing is aligned here. A question about one span costs O(versions · log n); what is found out about a span is
    kept until another is asked about.
    """

    def __init__(self, versions: Sequence[ChainVersion]) -> None:
        """Raises ValueError where numbers have gaps, or a base is missing, later, or without an alignment."""
        self.versions = {version.number: version for version in versions}
        self._texts: dict[int, TextIndex] = {}
        self._recent: _Course | None = None
        first = versions[0].number if versions else 1
        for number, version in enumerate(versions, first):
            if version.number != number:
                raise ValueError(f"version {version.number} stands where {number} is expected")
            if (version.base is None) != (version.alignment is None):
                raise ValueError(f"version {number} has a base without an alignment, or the reverse")
            if version.base is not None and not (first <= version.base < number):
                raise ValueError(f"version {number} cannot have {version.base} as its base")

    def first(self, version: int, start: int, end: int) -> Place:
        """Where the span first stands: mapped back along the bases as far as it stands. This is its identity.

        Raises KeyError for an unknown version, ValueError for one without a text and for a range that is empty or not
        in it.
        """
        check_range(start, end, len(self.text_of(version)))
        while (found := self._back(version, start, end)) is not None:
            version, start, end = found
        return version, start, end

    def anchors(self, version: int, start: int, end: int) -> dict[int, Range]:
        """Every version where the span stands, in order, and its range there. Raises as :meth:`first`."""
        return dict(self._course(version, start, end).anchors)

    def ended_by(self, version: int, start: int, end: int) -> list[Ended]:
        """The versions that ended the span, in order. Raises as :meth:`first`."""
        return self._course(version, start, end).ended

    def context_by(self, version: int, start: int, end: int) -> list[Context]:
        """The versions that changed the span's neighbourhood, in order. Raises as :meth:`first`."""
        return self._course(version, start, end).contexts

    def class_at(self, version: int, start: int, end: int, number: int) -> tuple[SpanClass, Range | None]:
        """What a reader of the span in ``version`` is told about version ``number``, with the range there.

        The range is None for ``deleted``, and where no alignment leads there. Raises as :meth:`first`.
        """
        course = self._course(version, start, end)
        anchor = course.anchors.get(number)
        if anchor is None:
            cls, at = course.carried_class(number)
            return cls, at if cls is SpanClass.CHANGED else None
        if neighbours_changed(course.neighbourhood(version), course.neighbourhood(number)):
            return SpanClass.CONTEXT, anchor
        return SpanClass.STANDS, anchor

    def _course(self, version: int, start: int, end: int) -> _Course:
        recent = self._recent
        if recent is None or recent.anchors.get(version) != (start, end):
            self._recent = recent = _Course(self, self.first(version, start, end))
        return recent

    def text_of(self, number: int) -> TextIndex:
        """A version's text. Raises KeyError for an unknown version, ValueError for one without a text."""
        if number not in self._texts:
            text = self.versions[number].text
            if text is None:
                raise ValueError(f"version {number} has no text")
            self._texts[number] = text if isinstance(text, TextIndex) else text()
        return self._texts[number]

    def step(self, number: int) -> tuple[Alignment, TextIndex, TextIndex] | None:
        """The alignment to a version from its base, and their texts; None where there is no base, or no text."""
        version = self.versions[number]
        if version.base is None or version.alignment is None:
            return None
        if version.text is None or self.versions[version.base].text is None:
            return None
        a, b = self.text_of(version.base), self.text_of(number)
        if (version.alignment.length_a, version.alignment.length_b) != (len(a), len(b)):
            raise ValueError(f"the alignment of version {number} is not that of its text and base {version.base}")
        return version.alignment, a, b

    def _back(self, number: int, start: int, end: int) -> Place | None:
        step = self.step(number)
        base = self.versions[number].base
        if step is None or base is None:
            return None
        alignment, a, b = step
        found = stand(alignment.inverse(), b, a, start, end)
        return None if found is None else (base, *found)


class _Course:
    """What is known about one span; ``anchors`` are the versions where it stands, in order."""

    def __init__(self, chain: Chain, first: Place) -> None:
        self._chain = chain
        self._first = first
        self._neighbourhoods: dict[int, Neighbourhood] = {}
        number, start, end = first
        self.anchors: dict[int, Range] = {number: (start, end)}
        for later, version in chain.versions.items():
            if later <= number or version.base not in self.anchors:
                continue
            step = chain.step(later)
            found = step and stand(*step, *self.anchors[version.base])
            if found:
                self.anchors[later] = found

    def neighbourhood(self, number: int) -> Neighbourhood:
        """What stands around the span in a version where it stands."""
        if number not in self._neighbourhoods:
            self._neighbourhoods[number] = self._chain.text_of(number).neighbourhood(*self.anchors[number])
        return self._neighbourhoods[number]

    def carried_class(self, number: int) -> tuple[SpanClass, Range | None]:
        """What became of the span in a version where it does not stand, and the aligned range there."""
        at = self._carried(number)
        return (SpanClass.DELETED if at is None or at[0] == at[1] else SpanClass.CHANGED), at

    @cached_property
    def ended(self) -> list[Ended]:
        found: list[Ended] = []
        for number in self._chain.versions:
            if number - 1 in self.anchors and number not in self.anchors:
                until = next((later for later in self.anchors if later > number), None)
                found.append(Ended(number, *self.carried_class(number), until))
        return found

    @cached_property
    def contexts(self) -> list[Context]:
        # For each neighbourhood, the last version that has it; the same for versions that are the span alone.
        last: dict[object, int] = {}
        for number in self.anchors:
            here = self.neighbourhood(number)
            last[here.sentences] = number
            if here.whole:
                last[here] = number

        def had_back(reader: int) -> int:
            """The last version in which a reader of ``reader`` finds the neighbours unchanged."""
            seen = self.neighbourhood(reader)
            return last[seen if seen.whole else seen.sentences]

        found: list[Context] = []
        for number in self.anchors:
            here = self.neighbourhood(number)
            before = number - 1
            if before not in self.anchors or not neighbours_changed(self.neighbourhood(before), here):
                continue
            readers = frozenset(
                reader
                for reader in self.anchors
                if reader < number
                and had_back(reader) < number
                and neighbours_changed(self.neighbourhood(reader), here)
            )
            found.append(Context(number, readers, before in readers))
        return found

    @cached_property
    def _ranges(self) -> dict[int, Range | None]:
        """The aligned range in each version where it is known: where the span stands, and in the bases of these."""
        known: dict[int, Range | None] = dict(self.anchors)
        number, start, end = self._first
        while (step := self._chain.step(number)) is not None and (
            base := self._chain.versions[number].base
        ) is not None:
            alignment, a, b = step
            start, end = carry(alignment.inverse(), b, a, start, end)
            known[base] = start, end
            number = base
        return known

    def _carried(self, number: int) -> Range | None:
        """The aligned range in a version: from the nearest of its bases for which one is known, down to it."""
        known = self._ranges
        path: list[int] = []
        at: int | None = number
        while at is not None and at not in known:
            path.append(at)
            at = self._chain.versions[at].base
        here = None if at is None else known[at]
        for version in reversed(path):
            step = self._chain.step(version)
            here = None if here is None or step is None else carry(*step, *here)
            known[version] = here
        return here
