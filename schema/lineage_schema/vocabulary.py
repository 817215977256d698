"""The words of the lineage graph: kinds, roles, origins, severities, states.

Roles and what passes over them are the table of edges of the graph; ``Run`` is an activity in
the sense of W3C PROV, an edge is a derivation or a usage.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Final


class Kind(StrEnum):
    """Kinds with rules of their own. Any other lower-case word is a custom kind of derived node."""

    SPAN = "span"
    CHUNK = "chunk"
    MENTION = "mention"
    SUMMARY = "summary"
    ENTITY = "entity"
    RELATIONSHIP = "relationship"
    EXTRACTED_CLAIM = "extracted_claim"
    COMMUNITY = "community"
    REPORT = "report"
    CLAIM = "claim"
    ANSWER = "answer"


SCOPE_ATTRIBUTES: Final = ("as_of", "jurisdiction", "language", "variant")
"""What an answer may say about the period and case it speaks of."""

MEANING_ATTRIBUTES: Final[dict[str, tuple[str, ...]]] = {
    Kind.SPAN: (),
    Kind.CHUNK: (),
    Kind.MENTION: (),
    Kind.SUMMARY: ("level",),
    Kind.ENTITY: ("type",),
    Kind.RELATIONSHIP: ("qualifiers", "type"),
    Kind.EXTRACTED_CLAIM: ("end_date", "object", "start_date", "status", "subject", "type"),
    Kind.COMMUNITY: ("level",),
    Kind.REPORT: ("level",),
    Kind.CLAIM: SCOPE_ATTRIBUTES,
    Kind.ANSWER: SCOPE_ATTRIBUTES,
}
"""Attributes that are part of a node's identity, by kind. A custom kind may have any."""


class Role(StrEnum):
    """What an input is to its dependent (edge: dependent → input)."""

    CLAIM = "claim"
    CITES = "cites"
    EVIDENCE = "evidence"
    CHILD = "child"
    QUALIFIER = "qualifier"
    RETRIEVED = "retrieved"
    ENDPOINT = "endpoint"
    MEMBER = "member"
    ABOUT = "about"


class Severity(IntEnum):
    """How a correction bears on a node. ``NONE`` is no mark."""

    NONE = 0
    REVIEW = 1
    INVALID = 2

    @property
    def word(self) -> str:
        return self.name.lower()


def passes(role: Role, severity: Severity) -> Severity:
    """What a mark of ``severity`` on an input becomes on its dependent over ``role``.

    Structural roles pass nothing: a relationship rests on the text that states it, not on
    its endpoints' descriptions. What was merely in the context passes at most a review.
    """
    if role in STRUCTURAL:
        return Severity.NONE
    if role is Role.RETRIEVED:
        return min(severity, Severity.REVIEW)
    return severity


STRUCTURAL: Final = frozenset({Role.ENDPOINT, Role.MEMBER, Role.ABOUT})
PASSING: Final = frozenset(set(Role) - STRUCTURAL)


class Origin(StrEnum):
    """How an edge is known."""

    DECLARED = "declared"
    LISTED = "listed"
    VIA_ENTITY = "via_entity"
    VIA_RELATIONSHIP = "via_relationship"
    CITED = "cited"
    LOCATED = "located"


class Completeness(StrEnum):
    """Whether all that a node was made from is known. Unknown is never shown as none."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    UNKNOWN = "unknown"


class ChangeKind(StrEnum):
    """What a correction did to one document."""

    CORRECT = "correct"
    EDITION = "edition"
    WITHDRAW = "withdraw"


class Resolution(StrEnum):
    """Why a mark was closed."""

    REBUILT = "rebuilt"
    CLEARED = "cleared"
    RESTORED = "restored"
    DISMISSED = "dismissed"
    REVERIFIED = "reverified"


class RunMode(StrEnum):
    """``derived``: the run made its nodes. ``imported``: it read what another made, perhaps long ago."""

    DERIVED = "derived"
    IMPORTED = "imported"


class Verdict(StrEnum):
    """What a judge says of (statement, passages). Silence of the passages is ``not_supported``, no contradiction.

    ``unresolved``: the judge cannot tell, or did not see all of the text.
    """

    SUPPORTED = "supported"
    NOT_SUPPORTED = "not_supported"
    CONTRADICTED = "contradicted"
    UNRESOLVED = "unresolved"


class Freshness(StrEnum):
    """Whether an answer may be served."""

    FRESH = "fresh"
    REVIEW = "review"
    STALE = "stale"
    UNKNOWN = "unknown"


class CorrectionState(StrEnum):
    """``propagating`` while work is pending, ``open`` while a current node has an open mark, else ``closed``."""

    PROPAGATING = "propagating"
    OPEN = "open"
    CLOSED = "closed"
