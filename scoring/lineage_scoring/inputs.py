"""What callers give beside a store: the parts of compound claims, and references. JSON Lines, one object a line."""

from __future__ import annotations

from collections.abc import Iterable

from lineage_scoring.beside import Reference
from lineage_scoring.lines import objects


def parts_of(lines: Iterable[str], file: str | None = None) -> dict[str, tuple[str, ...]]:
    """The parts of claims, by the claim's text: ``{"claim": …, "parts": [… at least one …]}``.

    Raises :class:`BadInput`, naming the file and the line.
    """
    found: dict[str, tuple[str, ...]] = {}
    for line in objects(lines, file):
        claim, parts = line.text("claim", "a claim's text"), line.texts("parts")
        if claim in found:
            raise line.refused("claim", "each claim once")
        found[claim] = tuple(parts)
    return found


def references_of(lines: Iterable[str], file: str | None = None) -> dict[str, Reference]:
    """References, by the answer's key: ``{"answer": …, "reference": text, "points": [texts]}``, either or both.

    Raises :class:`BadInput`, naming the file and the line.
    """
    found: dict[str, Reference] = {}
    for line in objects(lines, file):
        answer, points = line.text("answer", "an answer's key"), line.texts("points", needed=False)
        text = None if line.said.get("reference") is None else line.text("reference", "a text")
        if answer in found:
            raise line.refused("answer", "each answer once")
        if text is None and not points:
            raise line.refused("reference", "a reference text, points, or both")
        found[answer] = Reference(text, tuple(points))
    return found
