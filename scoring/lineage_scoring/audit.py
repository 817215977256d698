"""The ``audit`` profile: coverage of claims and precision of links, over claims that are split into their parts.

- *Coverage*: claims that need evidence and are adequately supported, of all that need it. A compound claim is supported
  if the cited set supports each of its parts.
- *Link precision*: links (a claim's citations) that contribute valid support, of all links. A link contributes to a
  part if its passage alone supports it, or if the cited set supports it and the others do not. A link that contributes
  to any part earns 1, whether or not the claim is covered: partial support is support. One that contributes to none
  earns 0.

So links never raise coverage unless they support something, and an irrelevant one only lowers precision. These are the
figures of an audit, and no benchmark's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lineage_scoring.support import Share, Supports, support

PartSupports = Callable[[str, tuple[int, ...]], bool]
"""(part, places of citations) → whether their passages together support it. Never asked of ``()``."""


@dataclass(frozen=True, slots=True)
class PartAudit:
    """One part of a claim: whether the cited set supports it, and which links contribute."""

    text: str
    supported: bool
    links: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class ClaimAudit:
    """One claim with its parts. ``links`` tells of each citation whether it earned credit."""

    parts: tuple[PartAudit, ...]
    covered: bool
    links: tuple[bool, ...]


def audit_claim(parts: Sequence[str], citations: int, supports: PartSupports) -> ClaimAudit:
    """Audits a claim with so many citations."""
    found = tuple(_part(part, citations, supports) for part in parts)
    links = tuple(any(part.links[place] for part in found) for place in range(citations))
    return ClaimAudit(found, bool(found) and all(part.supported for part in found), links)


def coverage(claims: Sequence[ClaimAudit]) -> Share:
    """Covered claims, of all that need evidence."""
    return Share(sum(claim.covered for claim in claims), len(claims))


def link_precision(claims: Sequence[ClaimAudit]) -> Share:
    """Links that contribute, of all links."""
    return Share(sum(sum(claim.links) for claim in claims), sum(len(claim.links) for claim in claims))


def _part(part: str, citations: int, supports: PartSupports) -> PartAudit:
    by_set: Supports = lambda members: supports(part, members)  # noqa: E731
    result = support(citations, by_set)
    links = tuple(
        citation.alone or (result.supported and not citation.without and citations > 1) for citation in result.citations
    )
    return PartAudit(part, result.supported, links)
