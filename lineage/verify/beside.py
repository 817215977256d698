"""Answers, claims, citations, and what else stands beside nodes."""

from __future__ import annotations

import json
from collections.abc import Iterator

from lineage.refs import name_text
from lineage.stores.auditing import AnswerAudit, AskingAudit, CitationAudit, ClaimAudit
from lineage.verify.report import Audit
from lineage_schema.identity import parse_key
from lineage_schema.vocabulary import Kind


def verify_beside(audit: Audit) -> None:
    """Rows of answers, claims, citations and askings, and those that may stand beside any node."""
    auditing = audit.tx.auditing
    for answer in auditing.answers():
        audit.count("answers")
        _answer(audit, answer)
    for asking in auditing.askings():
        _asking(audit, asking)
    for claim in auditing.claims():
        audit.count("claims")
        _claim(audit, claim)
    for citation in auditing.citations():
        audit.count("citations")
        _citation(audit, citation)
        _finding(audit, citation)
    for fault in auditing.beside():
        audit.fault(*fault)


def _answer(audit: Audit, answer: AnswerAudit) -> None:
    if answer.kind != Kind.ANSWER:
        audit.fault(f"answer row of {audit.label(answer.id)}", "node", answer.kind, "an answer's node")
        return
    # It was written when it was first asked, and named whenever it was asked.
    found = [answer.asked, answer.named_first, answer.named_last]
    wanted = [answer.first_asked, answer.first_asked, answer.last_asked]
    audit.node(found == wanted, answer.id, "asked, named_first, named_last (asking: node, run, asked)", found, wanted)
    audit.node(answer.question, answer.id, "question", None, "a text")
    audit.node(answer.cited == 0, answer.id, "cited", answer.cited, "0: it is not in use")
    if answer.searched is not None:
        try:
            said = json.loads(answer.searched)
            ok = bool(said) and json.dumps(sorted(said)) == answer.searched and all(isinstance(s, str) for s in said)
        except (ValueError, TypeError):
            ok = False
        audit.node(ok, answer.id, "searched", answer.searched, "a JSON list of namespaces in order")


def _asking(audit: Audit, asking: AskingAudit) -> None:
    item = f"asking of {audit.label(asking.node)} by {asking.run}"
    if asking.kind != Kind.ANSWER or asking.run is None:
        audit.fault(item, "node, run", [asking.kind, asking.run], "an answer and a run")
        return
    if not asking.named:
        audit.fault(item, "run (naming: run, kind)", asking.run, "a run that named answers")
    audit.number(item, "asked", asking.asked, (asking.run_begin or 0) + 1)


def _claim(audit: Audit, claim: ClaimAudit) -> None:
    if claim.kind != Kind.CLAIM:
        audit.fault(f"claim row of {audit.label(claim.id)}", "node", claim.kind, "a claim's node")
        return
    audit.node(claim.needs_evidence in (0, 1), claim.id, "needs_evidence", claim.needs_evidence, "0 or 1")
    key = parse_key(claim.key or "")
    if isinstance(key, str) or len(key) != 2 or not key[1].isdecimal():
        audit.node(False, claim.id, "key", claim.key, "its answer's key and an ordinal")
        return
    wanted: set[tuple[str | None, str | None]] = {(claim.namespace, key[0])}
    found = set(claim.answers)
    audit.node(found == wanted, claim.id, "answer (edge: src, role, dst)", _names(found), _names(wanted))
    # It is named whenever its answer is.
    for field, ok in (("named_first", claim.first_asked), ("named_last", claim.last_asked)):
        audit.node(ok, claim.id, f"{field} (asking: node, asked)", None, "a number at which its answer was asked")


def _names(answers: set[tuple[str | None, str | None]]) -> list[str]:
    return sorted(f"answer:{namespace}/{key}" for namespace, key in answers)


def _citation(audit: Audit, citation: CitationAudit) -> None:
    problems = list(_problems(audit, citation))
    if problems:
        item = f"citation {citation.number} of {audit.label(citation.claim)} by {citation.run}"
        for fields, found, expected in problems:
            audit.fault(item, fields, found, expected)


def _problems(audit: Audit, citation: CitationAudit) -> Iterator[tuple[str, object, object]]:
    if not citation.is_claim or citation.run is None:
        yield "claim, run", citation.run, "a claim and a run"
        return
    if citation.number < 1:
        yield "number", citation.number, "at least 1"
    if citation.whole not in (0, 1):
        yield "whole", citation.whole, "0 or 1"
    if citation.target_given and citation.target is None:
        yield "target", None, "a node"
    elif citation.target is not None and not (citation.edge or (citation.past_edge and not citation.current)):
        yield "target, claim, run", audit.label(citation.target), "a node that the claim cites"
    if citation.version_given != (citation.target_kind == Kind.SPAN) or (
        citation.version_given and not citation.stands
    ):
        yield "version, target", None, "a version where the cited span stands; none for others"
    if citation.start is not None or citation.end is not None:
        start, end = citation.start or 0, citation.end
        if citation.target is None:
            yield "start, stop", [start, end], "none: nothing is cited"
        elif citation.body is not None:
            size = len(citation.body)
            if not 0 <= start < (size if end is None else end) <= size:
                yield "start, stop", [start, end], f"inside [0, {size})"


def _finding(audit: Audit, citation: CitationAudit) -> None:
    """A marker that points to nothing was told to whoever registered it, and kept."""
    if citation.target_given or citation.run is None or not citation.is_claim:
        return
    shown = citation.marker if citation.marker is not None else "(no marker)"
    place = name_text(Kind.CLAIM, citation.namespace or "", citation.key or "", citation.label)
    what, tail = f"{shown} points to nothing", f" [{citation.number}]"
    # The label may have been another then.
    starts = (citation.claim or "", place[: place.rindex("/") + 1])
    if not audit.tx.auditing.has_finding(citation.run, "unknown_marker", starts, tail, what):
        fields = "run, kind, place, what (citation: run, number, marker, target)"
        audit.fault(f"finding at {place}{tail} of {citation.run}", fields, None, what)
