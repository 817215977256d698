"""How lineage is laid out in Neo4j: labels and relationship types that an auditor can read.

``LineageNode`` is the label of everything that has an id, beside the label of its kind. Edges point
from the dependent to its input; each role has a type. Edges of earlier makings are ``FORMERLY``, and
marks that were are ``MARKED``: types that no walk follows.
"""

from __future__ import annotations

import re
from typing import Final

from lineage_schema.vocabulary import Completeness, Kind, Origin, Role

ROLES: Final = tuple(Role)
ROLE_CODE: Final = {role.value: code for code, role in enumerate(Role)}
LINEAGES: Final = tuple(Completeness)
ORIGINS: Final = tuple(Origin)

TYPES: Final = {
    Role.CLAIM: "HAS_CLAIM",
    Role.CITES: "CITES",
    Role.EVIDENCE: "DERIVED_FROM",
    Role.CHILD: "SUMMARIZES",
    Role.QUALIFIER: "QUALIFIED_BY",
    Role.RETRIEVED: "RETRIEVED",
    Role.ENDPOINT: "HAS_ENDPOINT",
    Role.MEMBER: "HAS_MEMBER",
    Role.ABOUT: "IS_ABOUT",
}
QUOTES: Final = "QUOTES"
"""Evidence that is a span."""
PASSING: Final = "|".join([*(TYPES[role] for role in ROLES[: ROLE_CODE["retrieved"] + 1]), QUOTES])
"""Types over which marks pass."""
EDGES: Final = "|".join([*TYPES.values(), QUOTES])

_WORD: Final = re.compile(r"[^0-9A-Za-z]+")


def label(kind: str) -> str:
    """The label of a kind: ``extracted_claim`` is ``ExtractedClaim``."""
    word = "".join(part[:1].upper() + part[1:] for part in _WORD.split(kind))
    return word if word[:1].isalpha() else f"Kind{word}"


def edge_type(role: int, to_span: bool) -> str:
    """The relationship type of an edge."""
    word = ROLES[role]
    return QUOTES if word is Role.EVIDENCE and to_span else TYPES[word]


def origins_of(mask: int) -> tuple[str, ...]:
    """The names in a bit mask of origins, in their order."""
    return tuple(origin.value for bit, origin in enumerate(ORIGINS) if mask >> bit & 1)


SPAN: Final = Kind.SPAN.value


def again(node: str) -> str:
    """The clause by which the mark of cause ``c`` on a node is to be read again: an index holds those that wait."""
    return f"MERGE (c)-[again:RECHECK]->({node}) ON CREATE SET again.waits = true"


CURRENT: Final = """(EXISTS { (n)<-[:CURRENT]-(:Key) } AND (NOT n:Claim OR EXISTS {
    (n)<-[:HAS_CLAIM]-(:Answer)<-[:CURRENT]-(:Key) }))"""
"""Whether a key names node ``n`` now; a claim is current only under its current answer, a span never."""
