"""What callers give beside a store: the parts of compound claims, and references. JSON Lines, one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lineage_schema.errors import BadInput
from lineage_scoring.beside import Reference


def parts_of(lines: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The parts of claims, by the claim's text: ``{"claim": …, "parts": [… at least one …]}``.

    Raises :class:`BadInput`, naming the line.
    """
    found: dict[str, tuple[str, ...]] = {}
    for item, said in _objects(lines):
        claim, parts = said.get("claim"), said.get("parts")
        if not isinstance(claim, str) or not claim:
            raise BadInput(item, "claim", found=claim, expected="a claim's text")
        if (
            not isinstance(parts, list)
            or not parts
            or not all(isinstance(part, str) and part.strip() for part in parts)
        ):
            raise BadInput(item, "parts", found=parts, expected="a list of texts, at least one")
        if claim in found:
            raise BadInput(item, "claim", found=claim, expected="each claim once")
        found[claim] = tuple(parts)
    return found


def references_of(lines: Iterable[str]) -> dict[str, Reference]:
    """References, by the answer's key: ``{"answer": …, "reference": text, "points": [texts]}``, either or both.

    Raises :class:`BadInput`, naming the line.
    """
    found: dict[str, Reference] = {}
    for item, said in _objects(lines):
        answer, text, points = said.get("answer"), said.get("reference"), said.get("points", [])
        if not isinstance(answer, str) or not answer:
            raise BadInput(item, "answer", found=answer, expected="an answer's key")
        if answer in found:
            raise BadInput(item, "answer", found=answer, expected="each answer once")
        if text is not None and (not isinstance(text, str) or not text):
            raise BadInput(item, "reference", found=text, expected="a text")
        if not isinstance(points, list) or not all(isinstance(point, str) and point for point in points):
            raise BadInput(item, "points", found=points, expected="a list of texts")
        if text is None and not points:
            raise BadInput(item, "reference", found=None, expected="a reference text, points, or both")
        found[answer] = Reference(text, tuple(points))
    return found


def _objects(lines: Iterable[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        item = f"line {number}"
        try:
            said = json.loads(line)
        except ValueError as error:
            raise BadInput(item, "line", found=line, expected=f"a JSON object ({error})") from None
        if not isinstance(said, dict):
            raise BadInput(item, "line", found=line, expected="a JSON object")
        yield item, said
