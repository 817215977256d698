"""Runs, what they named and retired, and the sequence that orders everything."""

from __future__ import annotations

from lineage.stores.auditing import RunAudit
from lineage.verify.report import Audit, RunFacts, canonical
from lineage_schema.canonical import canonical_json
from lineage_schema.identity import run_id
from lineage_schema.records import Run
from lineage_schema.vocabulary import Kind, RunMode

NEVER_SWEPT = frozenset({Kind.ANSWER.value, Kind.CLAIM.value, Kind.SPAN.value})


def verify_runs(audit: Audit) -> None:
    """Runs, and what refers to them alone; and each number of the sequence was given once."""
    auditing = audit.tx.auditing
    for run in auditing.runs():
        audit.count("runs")
        _run(audit, run)
        named = frozenset(kind for kind in run.named if kind is not None)
        audit.runs[run.begin] = RunFacts(run.id, run.begin, run.derived, named)
    for run_, kind, borne_out in auditing.namings():
        item = f"naming of {kind} by {_name(audit, run_)}"
        if run_ is None:
            audit.fault(item, "run", None, "a run")
        elif kind is None or kind == Kind.SPAN:
            audit.fault(item, "kind", kind, "a kind that runs name")
        elif not borne_out:
            audit.fault(item, "run, kind", kind, "a run and kind of which a node was named from before to after")
    for each in auditing.retirings():
        if not each.known:
            audit.fault(each.what, "kind, namespace" if each.swept else "name", None, "a kind and namespace, or a key")
        if each.run is None:
            audit.fault(each.what, "run", None, "a run")
        else:
            audit.same(each.what, "begin, run", each.begin, each.run_begin)
        if not each.run_named:
            audit.fault(each.what, "run, kind, namespace", each.run, "a complete run there that named the kind")
    _numbers(audit)


def _numbers(audit: Audit) -> None:
    for number, uses in audit.tx.auditing.numbers():
        if uses:
            for what, id_, field in audit.tx.auditing.given(number):
                item = what if id_ is None else f"{what} {audit.label(id_)}"
                audit.fault(item, field, number, f"a number that was not given to another {' and '.join(uses)}")
        elif number > audit.last:
            audit.fault("sequence", "value", audit.last, f"at least {number}, which was given")


def _name(audit: Audit, id_: str | None) -> str:
    return "a run that does not exist" if id_ is None else f"run {id_}"


def _run(audit: Audit, run: RunAudit) -> None:
    item = f"run {run.namespace}/{run.key} ({run.id})"
    expected = None if run.namespace is None else run_id(run.namespace, run.key)
    audit.same(item, "id (hash, namespace, key)", run.id, expected)
    audit.number(item, "begin", run.begin)
    if run.begin in audit.runs:
        audit.fault(item, "begin", run.begin, f"another than that of {audit.runs[run.begin].id}")
    try:
        said = canonical(run.body)
        form = Run(namespace=run.namespace or "", key=run.key, **said)
        again = canonical_json(
            form.model_dump(mode="json", exclude={"type", "key", "namespace"}, exclude_none=True), item="run"
        )
        audit.same(item, "body", run.body, again)
        audit.same(item, "producer", run.producer, form.producer)
        audit.same(item, "derived", run.derived, int(form.mode is RunMode.DERIVED or form.rebuilt))
    except (ValueError, TypeError) as error:
        audit.fault(item, "body", str(error), "canonical JSON of what a run says of itself")
    sweepable = {kind for kind in run.named if kind is not None} - NEVER_SWEPT
    if run.complete not in (0, 1) or (run.complete and run.finished is None):
        audit.fault(item, "complete", run.complete, "1 only where the run is finished")
    wanted = sweepable if run.complete else set()
    audit.same(item, "complete (kinds that its end swept)", sorted(map(str, run.swept)), sorted(wanted))
