"""Edges and makings, current ones and those that are history."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from lineage.stores.auditing import EdgeAudit, PastAudit
from lineage.verify.report import Audit
from lineage_schema.vocabulary import Kind, Origin, Role

PAGE = 2000
ROLES = tuple(Role)
ORIGINS = (1 << len(Origin)) - 1


def verify_derivations(audit: Audit) -> None:
    """All makings, page by page, and what the tables of namespaces say of them."""
    auditing = audit.tx.auditing
    for page in auditing.pages(PAGE):
        for src, edges in groupby(auditing.edges(page), key=lambda edge: edge.src):
            _inputs(audit, src, edges)
        for past in auditing.past_derivations(page):
            audit.count("past derivations")
            _past(audit, past)
        for edge in auditing.past_edges(page):
            audit.count("past edges")
            _past_edge(audit, edge)
    for fault in auditing.unrecorded():
        audit.fault(*fault)


def _inputs(audit: Audit, src: str | None, edges: Iterable[EdgeAudit]) -> None:
    """A node's current edges, and what they say together."""
    numbers: set[int] = set()
    made = None
    count = 0
    for edge in edges:
        _edge(audit, edge)
        least = edge.begin if edge.derived else 1
        if edge.ext is not None and (edge.ext not in audit.runs or edge.ext < (least or 1)):
            audit.fault(
                _label(audit, edge), "ext", edge.ext, "the begin of a run that began no earlier than its making"
            )
        numbers.add(edge.since)
        made = edge.made
        count += 1
    audit.count("edges", count)
    audit.step(count)
    if made is not None and made not in numbers and min(numbers) < made:
        audit.node(False, src, "made, since of its edges", made, sorted(numbers)[-5:])


def _edge(audit: Audit, edge: EdgeAudit) -> None:
    """What must hold of any edge."""
    if edge.src is None or edge.dst is None:
        audit.fault(_label(audit, edge), "src, dst", [edge.src, edge.dst], "two nodes")
        return
    if not 0 <= edge.role < len(ROLES):
        audit.fault(_label(audit, edge), "role", edge.role, f"0 to {len(ROLES) - 1}")
    elif not _fits(ROLES[edge.role], edge.src_kind, edge.dst_kind):
        found = f"{edge.src_kind} → {ROLES[edge.role].value} → {edge.dst_kind}"
        audit.fault(_label(audit, edge), "src, role, dst", found, "a role that joins such kinds")
    if not 1 <= edge.origins <= ORIGINS:
        audit.fault(_label(audit, edge), "origins", edge.origins, f"1 to {ORIGINS}")
    if edge.version_given != (edge.dst_kind == Kind.SPAN) or (edge.version_given and not edge.stands):
        found_ = "none where the span stands" if edge.version_given else None
        audit.fault(_label(audit, edge), "version, dst", found_, "a version where the span stands; none for others")
    since_run = edge.since in audit.runs
    if not 1 <= edge.since <= audit.last or (not since_run and edge.since <= (edge.named_first or 0)):
        audit.fault(_label(audit, edge), "since", edge.since, f"a run's begin, or later, up to {audit.last}")


def _fits(role: Role, src: str | None, dst: str | None) -> bool:
    """The table of roles: an answer has claims and a context, a claim cites, nothing is read by a span."""
    if src == Kind.SPAN:
        return False
    if role is Role.CLAIM:
        return src == Kind.ANSWER and dst == Kind.CLAIM
    if role is Role.RETRIEVED:
        return src == Kind.ANSWER
    if role is Role.CITES:
        return src == Kind.CLAIM
    return src != Kind.ANSWER


def _past_edge(audit: Audit, edge: EdgeAudit) -> None:
    _edge(audit, edge)
    until = edge.until or 0
    if not edge.since <= until <= audit.last:
        audit.fault(_label(audit, edge), "since, until", [edge.since, until], f"in order, up to {audit.last}")
    if edge.ext is not None and edge.ext not in audit.runs:
        audit.fault(_label(audit, edge), "ext", edge.ext, "the begin of a run")
    # One that was outranked when it came was never current: its range is empty.
    if edge.run is None or not edge.filed or not (edge.filed_until or edge.since == until):
        audit.fault(_label(audit, edge), "src, run, until", edge.run, "a making of the node that ended there")


def _past(audit: Audit, past: PastAudit) -> None:
    item = f"past making of {audit.label(past.node)} by {past.run}"
    if past.node is None or past.kind == Kind.SPAN or past.run is None:
        audit.fault(item, "node, run", [past.kind, past.run], "a derived node and a run")
        return
    audit.same(item, "derived", past.derived, past.run_derived)
    if past.derived:
        audit.same(item, "run, begin", past.begin, past.run_begin)
    else:
        last = audit.runs.get(past.begin)
        if last is None or last.derived or past.begin < (past.run_begin or 0):
            audit.fault(item, "run, begin", past.begin, "the begin of its run, or of a later import")
    if past.begin > (past.now_begin or 0) and past.derived >= (past.now_derived or 0):
        audit.fault(item, "begin", past.begin, f"before {past.now_begin}, when the current making's run began")
    if past.lineage not in (0, 1, 2):
        audit.fault(item, "lineage", past.lineage, "0, 1 or 2")
    if past.until is None or not 1 <= past.made < past.until <= audit.last:
        audit.fault(item, "made, until", [past.made, past.until], f"in order, from 1 to {audit.last}")
    elif not past.of_edges:
        audit.fault(item, "made, until", past.made, "when its edges began")
    elif not past.followed:
        audit.fault(item, "until", past.until, "when another making began, or its edges ended")


def _label(audit: Audit, edge: EdgeAudit) -> str:
    role = ROLES[edge.role].value if 0 <= edge.role < len(ROLES) else edge.role
    what = "edge" if edge.until is None else "past edge"
    return f"{what} {audit.label(edge.src)} → {role} → {audit.label(edge.dst)}"
