"""Communities: their members, also where an update or an old version does not list them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lineage.importers.drafts import Draft, digest, unify
from lineage.importers.graphrag.delta import Delta
from lineage.importers.graphrag.lookup import Drafts, Lookup
from lineage.importers.graphrag.rows import CommunityRow, Index
from lineage.importers.report import Notes
from lineage_schema.identity import key_text
from lineage_schema.vocabulary import Kind, Origin, Role

NO_PARENT = "-1"
IN_NONE = "-1"
"""The number under which versions before 1 report on the entities that are in no community."""


@dataclass
class Community:
    """A community's members, what is not known about them, and the communities directly below."""

    number: str
    level: int
    row: CommunityRow | None
    """None where a report names a community that has no row, such as ``IN_NONE``."""
    draft: Draft
    entities: Drafts = field(default_factory=list)
    relationships: Drafts = field(default_factory=list)
    units: Drafts = field(default_factory=list)
    listed: bool = True
    """Whether the files say who its members are."""
    damaged: bool = False
    """Whether an update left it with ids that were discarded."""
    reasons: list[str] = field(default_factory=list)
    children: list[Community] = field(default_factory=list)

    @property
    def titles(self) -> list[str]:
        return sorted({draft.title or "" for draft in self.entities})


def read_communities(index: Index, lookup: Lookup, deltas: Sequence[Delta], notes: Notes) -> dict[str, Community]:
    """All communities by number, with a node each except where one has no row."""
    found: dict[str, Community] = {}
    for row in index.communities:
        community = _community(row, index, lookup, deltas, notes)
        if row.number in found:
            notes.find("duplicate_row", f"community {row.number}", "two rows have this number; reports mean the last")
        found[row.number] = community
    drafts = [community.draft for community in found.values()]
    stands = unify(drafts, notes)
    for community in found.values():
        community.draft = stands[community.draft]
    for report in index.reports:
        if report.number not in found:
            found[report.number] = _without_row(report.number, report.level, index, lookup, notes)
    _link(found, index, notes)
    return found


def community_drafts(communities: Iterable[Community]) -> list[Draft]:
    """The nodes of the communities that have a row."""
    return list(dict.fromkeys(one.draft for one in communities if one.row is not None))


def _community(row: CommunityRow, index: Index, lookup: Lookup, deltas: Sequence[Delta], notes: Notes) -> Community:
    where = f"community {row.number}"
    relationships, lost_relationships = lookup.relationships_of(row.relationship_ids)
    units, lost_units = lookup.chunks_of(row.unit_ids)
    entities, lost_entities, listed = _members(row, index, lookup)
    reasons: list[str] = []
    damaged = False
    for name, lost, of, drafts in (
        ("entity", lost_entities, len(row.entity_ids or ()), entities),
        ("relationship", lost_relationships, len(row.relationship_ids), relationships),
    ):
        repaired, rest = _repair(name, lost, lookup, deltas, where, notes)
        drafts.extend(draft for draft in repaired if draft not in drafts)
        damaged = damaged or len(rest) < len(lost)
        if reason := notes.dangling(where, name, rest, of):
            reasons.append(reason)
        if len(rest) < len(lost):
            reasons.append(f"{len(lost) - len(rest)} of {of} {name} ids were discarded by an update, and repaired")
    if reason := notes.dangling(where, "text unit", lost_units, len(row.unit_ids)):
        reasons.append(reason)
    if row.capped:
        reasons.append("a list of its members was cut")
    if not listed:
        # Its relationships say at least whose ends it holds.
        entities = list(dict.fromkeys(_ends(relationships)))
        reasons.append("its members are not listed; the ends of its relationships are known")
        notes.find("no_members", where, f"its members are not listed; {len(entities)} are known by its relationships")
    draft = Draft(
        Kind.COMMUNITY,
        (str(row.level), digest(entity.title or "" for entity in entities)),
        "",
        where,
        title=row.title,
        attributes={"level": row.level},
        details={name: value for name, value in row.figures.items() if value is not None},
        aliases={name for name in (row.id, f"Community {row.number}") if name},
        tiebreaks=(digest(key_text(one.key) for one in (*relationships, *units)),),
        reasons=list(reasons),
        grounded=False,
    )
    for member in (*entities, *relationships):
        draft.add(member, Role.MEMBER, Origin.LISTED)
    return Community(
        row.number,
        row.level,
        row,
        draft,
        entities=entities,
        relationships=relationships,
        units=units,
        listed=listed,
        damaged=damaged,
        reasons=reasons,
    )


def _members(row: CommunityRow, index: Index, lookup: Lookup) -> tuple[Drafts, list[str], bool]:
    """The member entities, the ids or titles that name none, and whether the files list them at all."""
    if row.entity_ids is not None:
        entities, lost = lookup.entities_of(row.entity_ids)
        return entities, lost, True
    titles = index.membership.get((row.number, row.level))
    return [*_titled(titles or (), lookup)], [], titles is not None


def _titled(titles: Iterable[str], lookup: Lookup) -> Drafts:
    return list(dict.fromkeys(draft for title in titles for draft in lookup.titles.get(title, ())))


def _ends(relationships: Iterable[Draft]) -> Iterable[Draft]:
    for relationship in relationships:
        yield from (
            target for target, role in relationship.inputs if role is Role.ENDPOINT and isinstance(target, Draft)
        )


def _repair(
    name: str, lost: Iterable[str], lookup: Lookup, deltas: Sequence[Delta], where: str, notes: Notes
) -> tuple[Drafts, list[str]]:
    """The nodes that discarded ids became, by title or ends, and the ids that no delta explains."""
    repaired: Drafts = []
    rest: list[str] = []
    for one in lost:
        meant = {names for delta in deltas if (names := delta.names_of(one)) is not None}
        # Two deltas that give one id different names explain nothing.
        names = meant.pop() if len(meant) == 1 else ()
        drafts = lookup.named(names)
        if drafts:
            repaired.extend(drafts)
            shown = " → ".join(names)
            notes.find("discarded_id", where, f"{name} id {one} was discarded by an update; delta names it: '{shown}'")
        else:
            rest.append(one)
    return repaired, rest


def _without_row(number: str, level: int, index: Index, lookup: Lookup, notes: Notes) -> Community:
    """What a report's community holds when no row says so."""
    titles = index.membership.get((number, level))
    entities = _titled(titles or (), lookup)
    if number == IN_NONE:
        what = f"its report speaks of the entities that are in no community ({len(entities)} at level {level})"
        notes.find("no_community", f"report {number}", what)
    else:
        notes.find("dangling_id", f"report {number}", f"no community has the number {number}")
    key = (str(level), digest(entity.title or "" for entity in entities))
    draft = Draft(Kind.COMMUNITY, key, "", f"community {number}")
    return Community(
        number,
        level,
        None,
        draft,
        entities=entities,
        listed=titles is not None,
        reasons=["its community has no row, so its relationships and text units are not known"],
    )


def _link(found: dict[str, Community], index: Index, notes: Notes) -> None:
    """Find the communities below each.

    ``parent`` is told by version 1 and later; an update shifts it with the numbers but leaves
    ``children`` as they were, so a listed child that names another parent is not believed.
    """
    tells_parent = any(row.parent is not None for row in index.communities)
    below: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for row in index.communities:
        if row.parent not in (None, NO_PARENT):
            below[row.parent][row.number] = None
    for row in index.communities:
        where = f"community {row.number}"
        for child in row.children:
            known = found.get(child)
            if known is None or known.row is None:
                notes.find("dangling_id", where, f"its child {child} is no community")
            elif tells_parent and known.row.parent != row.number:
                what = f"it lists {child} as a child, which names {known.row.parent} as its parent"
                notes.find("children_disagree", where, what)
            else:
                below[row.number][child] = None
        for child in below[row.number]:
            if found[child].level > row.level:
                found[row.number].children.append(found[child])
            else:
                notes.find("cycle", where, f"its child {child} is not on a deeper level, so it cannot be under it")
    for number in sorted(set(below) - set(found)):
        notes.find("dangling_id", f"community {number}", f"it is the parent of {', '.join(below[number])}, and is none")
