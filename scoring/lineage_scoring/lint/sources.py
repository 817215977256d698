"""Where the lint's sources come from: a file of them, or what answers in a store cite and had in their context."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from lineage.cited import AnswerMaterial, Material
from lineage_schema.errors import BadInput
from lineage_scoring.lint.checks import Source

FIELDS = frozenset({"id", "text", "title", "url", "sections", "whole", "cut"})


def sources_of(lines: Iterable[str]) -> list[Source]:
    """Sources as JSON Lines: ``{"id": …, "text"?: …, "title"?: …, "url"?: …, "sections"?: n}``.

    Raises :class:`BadInput`, naming the line.
    """
    found: dict[str, Source] = {}
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
        source = _source(said, item)
        if source.name in found:
            raise BadInput(item, "id", found=source.name, expected="each id once")
        found[source.name] = source
    return list(found.values())


def _source(said: dict[str, Any], item: str) -> Source:
    for field in sorted(said.keys() - FIELDS):
        raise BadInput(item, field, found=said[field], expected=f"only {', '.join(sorted(FIELDS))}")
    name = said.get("id")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or not name:
        raise BadInput(item, "id", found=said.get("id"), expected="what markers call it")
    for field in ("text", "title", "url"):
        if said.get(field) is not None and not isinstance(said[field], str):
            raise BadInput(item, field, found=said[field], expected="text")
    sections = said.get("sections", 0)
    if not isinstance(sections, int) or isinstance(sections, bool) or sections < 0:
        raise BadInput(item, "sections", found=sections, expected="how many there are")
    return Source(
        name, said.get("text"), said.get("title"), said.get("url"), sections, bool(said.get("whole")),
        bool(said.get("cut")),
    )  # fmt: skip


def sources_in(answer: AnswerMaterial) -> list[Source]:
    """What an answer in a store cites, by the names that its markers print; where they print none, by its titles."""
    found: dict[str, Source] = {}
    for claim in answer.claims:
        for each in claim.cited:
            if each.material is not None:
                found.setdefault(each.name, _of(each.name, each.material, each.whole))
    for material in answer.retrieved:
        if material.title:
            found.setdefault(material.title, _of(material.title, material, False))
    return list(found.values())


def _of(name: str, material: Material, whole: bool) -> Source:
    place = material.place
    text = None if material.passage is None else material.passage.text
    if place is None:
        return Source(name, text, material.title)
    everything = whole or (place.start == 0 and place.end == place.length)
    return Source(name, text, material.title, place.url, place.sections, everything, place.cut)
