"""The handbook's graph index as GraphRAG 3.x keeps it: rows of its tables, and the tables as CSV.

List cells are written as GraphRAG's own CSV writer does, as Python literals. Native ids are
hashes where GraphRAG's are (documents, units, reports), else uuids made from names, so that
another build gives the same ones.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lineage.demo.corpus import CLAIMS, COMMUNITIES, ENTITIES, RELATIONSHIPS, Community

Row = dict[str, Any]

PERIOD: Final = "2026-11-02"
CREATED: Final = "2026-11-02 09:00:00 +0000"
_IDS: Final = uuid.uuid5(uuid.NAMESPACE_URL, "urn:evidence-lineage:demo:graphrag")


@dataclass(frozen=True, slots=True)
class Unit:
    """A section of a page, as an exact slice of it: ``page`` and ``heading`` are its name."""

    page: str
    heading: str
    start: int
    end: int
    text: str

    @property
    def name(self) -> str:
        return f"{self.page}#{self.heading}"


def units(pages: Mapping[str, str]) -> tuple[Unit, ...]:
    """The sections of all pages. A page's title goes with its first section if nothing stands between them."""
    found: list[Unit] = []
    for page, text in sorted(pages.items()):
        starts = [0]
        at = text.find("\n## ")
        while at >= 0:
            starts.append(at + 1)
            at = text.find("\n## ", at + 1)
        if "\n" not in text[: starts[1]].strip():
            del starts[1]
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            section = text[start:end].rstrip("\n")
            heading = [line for line in section.split("\n") if line.startswith("#")][-1].lstrip("# ")
            found.append(Unit(page, heading, start, start + len(section), section))
    return tuple(found)


def tables(pages: Mapping[str, str]) -> dict[str, list[Row]]:
    """The rows of every table, by its name."""
    cut = units(pages)
    unit_ids = {unit.name: _sha512(unit.text) for unit in cut}
    entity_ids = {entity.title: _uuid("entity", entity.title) for entity in ENTITIES}
    relationship_ids = [_uuid("relationship", one.source, one.target) for one in RELATIONSHIPS]
    claim_ids = [_uuid("claim", claim.source_text) for claim in CLAIMS]
    degrees = {title: sum(title in (one.source, one.target) for one in RELATIONSHIPS) for title in entity_ids}
    return {
        "documents": [
            {
                "id": _sha512(text),
                "human_readable_id": number,
                "title": page,
                "text": text,
                "text_unit_ids": [unit_ids[unit.name] for unit in cut if unit.page == page],
                "creation_date": CREATED,
                "raw_data": None,
            }
            for number, (page, text) in enumerate(sorted(pages.items()))
        ],
        "text_units": [
            {
                "id": unit_ids[unit.name],
                "human_readable_id": number,
                "text": unit.text,
                # Words stand in for tokens, which would need a tokenizer.
                "n_tokens": len(unit.text.split()),
                "document_id": _sha512(pages[unit.page]),
                "entity_ids": [entity_ids[one.title] for one in ENTITIES if unit.name in one.units],
                "relationship_ids": [
                    own for own, one in zip(relationship_ids, RELATIONSHIPS, strict=True) if unit.name in one.units
                ],
                "covariate_ids": [own for own, one in zip(claim_ids, CLAIMS, strict=True) if unit.name == one.unit],
            }
            for number, unit in enumerate(cut)
        ],
        "entities": [
            {
                "id": entity_ids[entity.title],
                "human_readable_id": number,
                "title": entity.title,
                "type": entity.type,
                "description": entity.description,
                "text_unit_ids": [unit_ids[name] for name in entity.units],
                "frequency": len(entity.units),
                "degree": degrees[entity.title],
            }
            for number, entity in enumerate(ENTITIES)
        ],
        "relationships": [
            {
                "id": relationship_ids[number],
                "human_readable_id": number,
                "source": one.source,
                "target": one.target,
                "description": one.description,
                "weight": one.weight,
                "combined_degree": degrees[one.source] + degrees[one.target],
                "text_unit_ids": [unit_ids[name] for name in one.units],
            }
            for number, one in enumerate(RELATIONSHIPS)
        ],
        "covariates": [
            {
                "id": claim_ids[number],
                "human_readable_id": number,
                "covariate_type": "claim",
                "type": claim.type,
                "description": claim.description,
                "subject_id": claim.subject,
                "object_id": claim.object,
                "status": "TRUE",
                "start_date": "NONE",
                "end_date": "NONE",
                "source_text": claim.source_text,
                "text_unit_id": unit_ids[claim.unit],
            }
            for number, claim in enumerate(CLAIMS)
        ],
        "communities": [
            _community(number, community, entity_ids, relationship_ids, unit_ids)
            for number, community in enumerate(COMMUNITIES)
        ],
        "community_reports": [_report(number, community) for number, community in enumerate(COMMUNITIES)],
    }


def _community(
    number: int,
    community: Community,
    entity_ids: Mapping[str, str],
    relationship_ids: Sequence[str],
    unit_ids: Mapping[str, str],
) -> Row:
    members = set(community.members)
    inside = [i for i, one in enumerate(RELATIONSHIPS) if {one.source, one.target} <= members]
    # GraphRAG lists the units of the relationships inside, and leaves out those of the members.
    listed = dict.fromkeys(unit_ids[name] for i in inside for name in RELATIONSHIPS[i].units)
    return {
        "id": _uuid("community", str(number)),
        "human_readable_id": number,
        "community": number,
        "level": community.level,
        "parent": community.parent,
        "children": list(community.children),
        "title": f"Community {number}",
        "entity_ids": [entity_ids[title] for title in community.members],
        "relationship_ids": [relationship_ids[i] for i in inside],
        "text_unit_ids": sorted(listed),
        "period": PERIOD,
        "size": len(community.members),
    }


def _report(number: int, community: Community) -> Row:
    text = full_content(community)
    findings = [{"summary": summary, "explanation": why} for summary, why in community.findings]
    body = {
        "title": community.title,
        "summary": community.summary,
        "findings": findings,
        "rating": community.rank,
        "rating_explanation": community.rating_explanation,
    }
    return {
        "id": _sha512(text),
        "human_readable_id": number,
        "community": number,
        "level": community.level,
        "parent": community.parent,
        "children": list(community.children),
        "title": community.title,
        "summary": community.summary,
        "full_content": text,
        "rank": community.rank,
        "rating_explanation": community.rating_explanation,
        "findings": findings,
        "full_content_json": json.dumps(body, indent=4, ensure_ascii=False),
        "period": PERIOD,
        "size": len(community.members),
    }


def full_content(community: Community) -> str:
    """A report as one text."""
    parts = [f"# {community.title}", community.summary]
    for summary, why in community.findings:
        parts += [f"## {summary}", why]
    return "\n\n".join(parts)


def as_csv(rows: Sequence[Row]) -> bytes:
    """A table as CSV with a header; no value is an empty cell."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode("utf-8")


def _sha512(text: str) -> str:
    return hashlib.sha512(text.encode("utf-8")).hexdigest()


def _uuid(*names: str) -> str:
    return str(uuid.uuid5(_IDS, json.dumps(names)))
