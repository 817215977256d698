"""Where the lint's sources come from: a file of them, or what answers in a store cite and had in their context."""

from __future__ import annotations

from collections.abc import Iterable

from lineage.cited import AnswerMaterial, Material
from lineage_scoring.lines import Line, objects
from lineage_scoring.lint.checks import Source

FIELDS = frozenset({"id", "text", "title", "url", "sections", "whole", "cut"})


def sources_of(lines: Iterable[str], file: str | None = None) -> list[Source]:
    """Sources as JSON Lines: ``{"id": …, "text"?: …, "title"?: …, "url"?: …, "sections"?: n}``.

    Raises :class:`BadInput`, naming the file and the line.
    """
    found: dict[str, Source] = {}
    for line in objects(lines, file):
        source = _source(line)
        if source.name in found:
            raise line.refused("id", "each id once")
        found[source.name] = source
    return list(found.values())


def _source(line: Line) -> Source:
    line.only(FIELDS)
    said, name = line.said, line.said.get("id")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or not name:
        raise line.refused("id", "what markers call it")
    text, title, url = (line.optional(field) for field in ("text", "title", "url"))
    sections = said.get("sections", 0)
    if not isinstance(sections, int) or isinstance(sections, bool) or sections < 0:
        raise line.refused("sections", "how many there are")
    return Source(name, text, title, url, sections, bool(said.get("whole")), bool(said.get("cut")))


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
