"""Causes of marks, what corrections did, where causes begin, and what was decided of them."""

from __future__ import annotations

import json

from lineage.seeds import EDITION, WITHDRAWN
from lineage.stores.auditing import CauseAudit, ChangeAudit, DecisionAudit
from lineage.stores.base import CORRECTION, INCOMPLETE, REPLACEMENT
from lineage.verify.report import Audit
from lineage_schema.identity import correction_id
from lineage_schema.vocabulary import ChangeKind, Kind, Resolution

CLASSES = frozenset({EDITION, WITHDRAWN, "changed", "deleted", "context"})
DECIDED = frozenset({Resolution.DISMISSED.value, Resolution.REVERIFIED.value})


def verify_causes(audit: Audit) -> None:
    """Causes, changes, seeds of all kinds by themselves, and decisions."""
    auditing = audit.tx.auditing
    for cause in auditing.causes():
        audit.count("corrections" if cause.type == CORRECTION else "other causes")
        _cause(audit, cause)
        audit.causes[cause.name] = (cause.type, cause.seq, any(each.kind == "edition" for each in cause.changes))
    if sum(type_ == INCOMPLETE for type_, _, _ in audit.causes.values()) != 1:
        audit.fault("cause incomplete", "type", None, "one built-in cause")
    for seed in auditing.seeds():
        item = f"seed of {seed.cause} at {audit.label(seed.node)}" if seed.cause is None or seed.node is None else ""
        if item:
            audit.fault(item, "cause" if seed.cause is None else "node", None, "a cause and a node")
            continue
        spare = (seed.severity, seed.cls, seed.start, seed.end)
        if seed.type == CORRECTION:
            ok = seed.kind == Kind.SPAN and seed.severity in (1, 2) and seed.cls in CLASSES
            expected = f"a span, severity 1 or 2, and a class of {sorted(CLASSES)}"
        else:
            ok, expected = seed.kind != Kind.SPAN and spare == (1, None, None, None), "no span, severity 1, no class"
        if not ok:
            what = f"seed of {seed.cause} at {audit.label(seed.node)}"
            audit.fault(what, "cause, node, severity, class, start, stop", [seed.kind, *spare], expected)
    for cause_, node, place in auditing.stray_readers():
        item = f"reader of what {cause_} does to {audit.label(node)}"
        audit.fault(item, "cause, node, version", place, "a seed, and a version of the span's edition")
    for decision in auditing.decisions():
        audit.count("decisions")
        _decision(audit, decision)


def _cause(audit: Audit, cause: CauseAudit) -> None:
    correction = cause.type == CORRECTION
    item = f"correction {cause.name}" if correction else f"cause {cause.name}"
    prefix = cause.name.split(":")[0]
    expected = {"c1": CORRECTION, "r1": REPLACEMENT, "incomplete": INCOMPLETE}.get(prefix)
    if cause.type != expected:
        audit.fault(item, "type", cause.type, expected if expected is not None else "one whose changes exist")
    if correction:
        _correction(audit, cause, item)
        return
    if cause.changes:
        audit.fault(item, "change", len(cause.changes), "none: it is no correction")
    audit.same(item, "edition", cause.edition, 0)
    audit.same(item, "reason, who", [cause.reason, cause.who], [None, None])
    if cause.type == REPLACEMENT:
        audit.same(item, "name, run", cause.name, cause.run)
        audit.same(item, "seq", cause.seq, cause.run_begin)
        audit.same(item, "at", cause.at, cause.run_at)
    elif cause.type == INCOMPLETE:
        audit.same(item, "run", cause.run, None)
        audit.same(item, "seq", cause.seq, 0)
        audit.same(item, "at", cause.at, 0)


def _correction(audit: Audit, cause: CauseAudit, item: str) -> None:
    rows = [
        (each.uri or "", each.edition, each.kind, each.source[2] if each.source else 0,
         each.target[2] if each.target else 0, each.target[1] if each.target else each.edition)
        for each in cause.changes
    ]  # fmt: skip
    wanted = correction_id(rows)
    audit.same(item, "name (cause, document uri, edition, kind, source, target of its changes)", cause.name, wanted)
    audit.same(item, "run", cause.run, None)
    audit.number(item, "seq", cause.seq)
    if cause.reason is None:
        audit.fault(item, "reason", None, "why the source changed")
    audit.same(item, "edition", cause.edition, int(any(each.kind == ChangeKind.EDITION for each in cause.changes)))
    for change in cause.changes:
        _change(audit, change, f"{item}, its change of {change.uri}", cause)


def _change(audit: Audit, change: ChangeAudit, item: str, cause: CauseAudit) -> None:
    kinds = [kind.value for kind in ChangeKind]
    if change.kind not in kinds:
        audit.fault(item, "kind", change.kind, kinds)
    place = change.source and change.source[:2]
    audit.same(item, "document, edition, source", place, (change.uri, change.edition))
    if change.target is None or change.target[0] != change.uri:
        audit.fault(item, "document, target", change.target, "a version of the document")
        return
    audit.same(item, "seq (of its target)", change.target_seq, cause.seq)
    audit.same(item, "at (of its target)", change.target_at, cause.at)
    if change.kind == ChangeKind.EDITION:
        audit.same(item, "source (base of the edition's first version)", change.source, change.target_base)
        if change.target[1] == change.edition or change.target[2] != 1:
            audit.fault(item, "target, kind", change.target, "the first version of another edition")
        return
    following = None if change.source is None else (*change.source[:2], change.source[2] + 1)
    audit.same(item, "source, target", change.target, following)
    if change.kind == ChangeKind.WITHDRAW and change.target_text:
        audit.fault(item, "kind", change.kind, "another: the version has a text")


def _decision(audit: Audit, decision: DecisionAudit) -> None:
    item = f"decision {decision.seq} on {decision.cause} at {audit.label(decision.node)}"
    if decision.cause is None or decision.node is None or decision.kind == Kind.SPAN:
        audit.fault(item, "cause, node", [decision.cause, decision.kind], "a cause, and a node that is no span")
        return
    if decision.word not in DECIDED:
        audit.fault(item, "kind", decision.word, sorted(DECIDED))
    if decision.severity not in (0, 1, 2):
        audit.fault(item, "severity", decision.severity, "0, 1 or 2")
    audit.number(item, "seq", decision.seq, audit.causes.get(decision.cause, (0, 0, False))[1] + 1)
    early = decision.made <= min(decision.now_made or 0, decision.seq)
    if not early or not (decision.made in decision.makings or decision.made in audit.runs):
        audit.fault(item, "made", decision.made, "the making of the node that was decided on")
    try:
        inputs = json.loads(decision.inputs)
        if inputs != sorted(inputs) or json.dumps(inputs) != decision.inputs:
            raise ValueError("not in order")
    except (ValueError, TypeError) as error:
        audit.fault(item, "inputs", str(error), "a JSON list of ids in order")
        return
    unknown = [each for each in inputs if each not in decision.input_of]
    if unknown or (decision.severity == 0 and inputs):
        audit.fault(item, "inputs, severity, node", unknown or inputs, "inputs of the node, none where nothing passed")
    if decision.severity and not decision.bears:
        audit.fault(item, "cause, node", decision.cause, "a cause that marked the node, or begins under it")
