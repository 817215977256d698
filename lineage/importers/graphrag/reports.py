"""Community reports: all that a report was written from, and what it cites.

The list of text units that a community has is only that of the relationships inside it; the
prompt of a report also held its members' descriptions. A report's evidence is therefore the union
of its members, the claims about them, the listed units and the reports below.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from lineage.importers.drafts import Draft, unify
from lineage.importers.graphrag.citations import citations
from lineage.importers.graphrag.communities import Community
from lineage.importers.graphrag.delta import Delta, delta_of
from lineage.importers.graphrag.lookup import Lookup, Numbers, put
from lineage.importers.graphrag.rows import Index, ReportRow
from lineage.importers.report import Notes
from lineage_schema.identity import content_hash
from lineage_schema.vocabulary import Kind, Origin, Role


def report_drafts(
    index: Index,
    communities: Mapping[str, Community],
    lookup: Lookup,
    deltas: Sequence[Delta],
    notes: Notes,
) -> list[Draft]:
    """The reports, those of the deepest level first: a report is made from those below it."""
    made = {row: _draft(row, communities[row.number]) for row in index.reports}
    stands = unify(list(made.values()), notes)
    levels: dict[Draft, int] = {}
    for row, draft in made.items():
        put(lookup.reports, row.id, stands[draft])
        put(lookup.numbered_reports, row.number, stands[draft])
        # Rows that are one report have one level: it is in their key.
        levels[stands[draft]] = communities[row.number].level
        if row.level != communities[row.number].level:
            what = f"it says level {row.level}, its community {communities[row.number].level}"
            notes.find("level_differs", draft.where, what)
    own = Numbers(index)
    numbers = {id(delta): Numbers(delta.index, merged=True) for delta in deltas}
    for row, draft in made.items():
        report, community = stands[draft], communities[row.number]
        _rest_on(report, community, lookup, notes)
        delta = delta_of(row, deltas)
        if delta is not None:
            what = "an update renumbered what it cites; it is read against the delta's tables"
            notes.find("renumbered_citations", report.where, what)
            report.lacks("it was written in an update, which renumbered what it cites")
        elif community.reasons and index.communities and not deltas and _lost_ids(community):
            what = "its community names unknown ids, so its numbers may be those of an update, whose delta is not here"
            notes.find("citations_not_read", report.where, what)
            continue
        _cite(report, row, community, numbers[id(delta)] if delta else own, levels, lookup, notes)
    return sorted(dict.fromkeys(stands.values()), key=lambda draft: -levels[draft])


def _draft(row: ReportRow, community: Community) -> Draft:
    draft = Draft(
        Kind.REPORT,
        community.draft.key,
        row.text,
        f"report {row.number}",
        title=row.title,
        attributes={"level": community.level},
        details={name: value for name, value in row.figures.items() if value is not None},
        aliases={name for name in (row.id, f"Reports ({row.number})") if name},
        tiebreaks=(content_hash(row.text),),
    )
    for reason in community.reasons:
        draft.lacks(reason)
    return draft


def _lost_ids(community: Community) -> bool:
    """Whether ids of members are missing as an update leaves them: some are known, some are not."""
    row = community.row
    return row is not None and row.entity_ids is not None and 0 < len(community.entities) < len(row.entity_ids)


def _rest_on(report: Draft, community: Community, lookup: Lookup, notes: Notes) -> None:
    for entity in community.entities:
        report.add(entity, Role.EVIDENCE, Origin.VIA_ENTITY)
    for relationship in community.relationships:
        report.add(relationship, Role.EVIDENCE, Origin.VIA_RELATIONSHIP)
    for title in community.titles:
        for claim in lookup.subjects.get(title, ()):
            report.add(claim, Role.EVIDENCE, Origin.VIA_ENTITY)
    for unit in community.units:
        report.add(unit, Role.EVIDENCE, Origin.LISTED)
    for child in community.children:
        reports = lookup.numbered_reports.get(child.number, ())
        if not reports:
            notes.find("no_report", report.where, f"community {child.number} below has no report")
        for lower in reports:
            report.add(lower, Role.CHILD, Origin.LISTED)
    if community.row is not None:
        report.add(community.draft, Role.ABOUT, Origin.LISTED)


def _cite(
    report: Draft,
    row: ReportRow,
    community: Community,
    numbers: Numbers,
    levels: Mapping[Draft, int],
    lookup: Lookup,
    notes: Notes,
) -> None:
    """Add what the text cites, and say what it cites that is not there or not of its community."""
    unknown: defaultdict[str, list[str]] = defaultdict(list)
    outside: defaultdict[str, set[str]] = defaultdict(set)
    inside = {target for target, _ in report.inputs if isinstance(target, Draft)}
    cut = 0
    for citation in citations(row.text):
        if citation.unread:
            notes.find("unread_citation", report.where, f"at {citation.start}: '{citation.unread}' in {citation.text}")
        for group in citation.groups:
            cut += group.more
            if group.dataset is None or group.other:
                what = f"at {group.start}: '{row.text[group.start : group.end]}' names no row of a table"
                notes.find("unread_citation", report.where, what)
            if group.dataset is None:
                continue
            for number in group.ids:
                drafts = numbers.nodes(group.dataset, number, lookup)
                if not drafts:
                    unknown[group.dataset].append(f"{number} at {group.start}")
                for draft in drafts:
                    _add_cited(report, draft, levels)
                    if draft not in inside:
                        outside[group.dataset].add(number)
    for dataset, places in unknown.items():
        notes.find("unknown_citation", report.where, f"{dataset} ({', '.join(places)}) do not exist")
    for dataset, ids in outside.items():
        shown = ", ".join(sorted(ids, key=int))
        notes.find("cited_outside", report.where, f"{dataset} ({shown}) are not of its community")
    if cut:
        what = f"{cut} citation(s) end in '+more': what else was meant is not written"
        notes.find("more_citations", report.where, what)
        if not community.listed:
            report.lacks("its citations end in '+more', and its members are not listed")


def _add_cited(report: Draft, cited: Draft, levels: Mapping[Draft, int]) -> None:
    """Add ``cited`` as an input, unless it cannot be one."""
    if cited.kind != Kind.REPORT:
        report.add(cited, Role.EVIDENCE, Origin.CITED)
    elif levels[cited] > levels[report]:
        # A report of the same level or above was written beside it or later: it was not read.
        report.add(cited, Role.CHILD, Origin.CITED)
