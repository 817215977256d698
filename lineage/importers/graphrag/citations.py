"""``[Data: Entities (1, 2, +more); Relationships (3)]``: what GraphRAG's texts cite, with the positions.

Groups are separated by commas or semicolons; the blank before the bracket may be missing; a group
may hold brackets of its own (``Date_Range ((2001, 05, 12), (2001, 05, 14))``) or no number at all
(``General Knowledge (href)``). What cannot be read is kept as ``unread``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_OPEN = re.compile(r"\[\s*Data\s*:\s*", re.IGNORECASE)
_NAME = re.compile(r"[\s,;]*([^\W\d][^()\[\];,]*?)\s*\(")
_NUMBER = re.compile(r"\d+")
_MORE = re.compile(r"\+\s*more", re.IGNORECASE)
_BRACKETS: Final = {"(": ")", "[": "]"}

DATASETS: Final = {
    "entity": "Entities",
    "entities": "Entities",
    "relationship": "Relationships",
    "relationships": "Relationships",
    "claim": "Claims",
    "claims": "Claims",
    "report": "Reports",
    "reports": "Reports",
    "source": "Sources",
    "sources": "Sources",
}
"""The tables that a citation may name, as they are printed."""


@dataclass(frozen=True)
class Group:
    """One dataset of a citation: ``dataset`` is the table's name, or None for one that is no table."""

    name: str
    dataset: str | None
    ids: tuple[str, ...]
    more: bool
    """Whether it ends in ``+more``: further ids were left out."""
    other: tuple[str, ...]
    """What stands between the brackets and is no number."""
    start: int
    end: int


@dataclass(frozen=True)
class Citation:
    """One bracket, at ``start`` to ``end`` of the text."""

    text: str
    groups: tuple[Group, ...]
    unread: str
    start: int
    end: int


def citations(text: str) -> list[Citation]:
    """All citations of ``text``, in order. One that is never closed ends with its line."""
    found: list[Citation] = []
    at = 0
    while match := _OPEN.search(text, at):
        body, end = match.end(), _closing(text, match.start())
        closed = end is not None
        if end is None:
            line = text.find("\n", body)
            end = line + 1 if line >= 0 else len(text) + 1
        groups, unread = _groups(text, body, end - 1)
        if not closed:
            unread = f"{unread} (never closed)".strip()
        end = min(end, len(text)) if closed else end - 1
        found.append(Citation(text[match.start() : end], tuple(groups), unread, match.start(), end))
        at = end
    return found


def _closing(text: str, start: int) -> int | None:
    """The position after the bracket that closes the one at ``start``."""
    closers: list[str] = []
    for at in range(start, len(text)):
        character = text[at]
        if character in _BRACKETS:
            closers.append(_BRACKETS[character])
        elif closers and character == closers[-1]:
            closers.pop()
            if not closers:
                return at + 1
        elif character == "]" and "]" in closers:
            # A round bracket was left open inside: the square one still ends the citation.
            while closers.pop() != "]":
                pass
            if not closers:
                return at + 1
    return None


def _groups(text: str, start: int, end: int) -> tuple[list[Group], str]:
    """The groups between ``start`` and ``end``, and what was left over."""
    groups: list[Group] = []
    unread: list[str] = []
    at = start
    while at < end:
        match = _NAME.search(text, at, end)
        if match is None:
            unread.append(text[at:end])
            break
        unread.append(text[at : match.start()])
        opened = match.end() - 1
        closed = _closing(text, opened)
        if closed is None or closed > end:
            closed = end
        inner = text[opened + 1 : closed].removesuffix(")")
        groups.append(_group(match.group(1), inner, match.start(1), closed))
        at = closed
    return groups, " ".join(part for part in (piece.strip(" ,;\n\t") for piece in unread) if part)


def _group(name: str, inner: str, start: int, end: int) -> Group:
    name = " ".join(name.split())
    ids: list[str] = []
    other: list[str] = []
    more = False
    for part in _parts(inner):
        if _NUMBER.fullmatch(part):
            ids.append(str(int(part)))
        elif _MORE.fullmatch(part):
            more = True
        else:
            other.append(part)
    words = name.lower().split()
    # "and Relationships (3)": the last word is the table.
    return Group(name, DATASETS.get(words[-1]), tuple(ids), more, tuple(other), start, end)


def _parts(inner: str) -> Iterator[str]:
    """The members of a bracket: between its own commas and semicolons, not those of brackets inside."""
    depth, begin = 0, 0
    for at, character in enumerate(f"{inner},"):
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        elif character in ",;" and (depth <= 0 or at == len(inner)):
            if part := inner[begin:at].strip():
                yield part
            begin = at + 1
