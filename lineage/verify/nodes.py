"""Nodes by themselves, and the keys that name them."""

from __future__ import annotations

import json
from typing import Any

from lineage.stores.auditing import NameAudit, NodeAudit
from lineage.verify.report import Audit, canonical
from lineage_schema.errors import BadInput
from lineage_schema.identity import node_id, parse_key
from lineage_schema.vocabulary import Kind

PAGE = 2000
NEVER = frozenset({Kind.ANSWER.value, Kind.CLAIM.value})
"""Kinds that are named by being asked; nobody cites one, so that none is ever told what replaced it."""


def verify_nodes(audit: Audit) -> None:
    """Each node's identity, its run, and the rows that stand beside it."""
    auditing = audit.tx.auditing
    for page in auditing.pages(PAGE):
        nodes = auditing.nodes(page)
        for node in nodes:
            if node.kind != Kind.SPAN:
                _node(audit, node)
            else:
                _span(audit, node)
        audit.count("nodes", len(nodes))
        audit.step(len(nodes))
    for id_, purged, spent, kept in auditing.purging():
        ok = bool(spent) if purged else bool(kept)
        audit.node(ok, id_, "purged", purged, "1 exactly where all that it was read from was purged")
    path = auditing.cycle()
    if path is not None:
        audit.fault(
            audit.label(path[0]), "inputs", " → ".join(map(audit.label, path)), "none that stand on their dependent"
        )


def _span(audit: Audit, node: NodeAudit) -> None:
    audit.node(node.is_span, node.id, "kind (span row)", node.is_span, True)
    mine = (node.key, node.sha256, node.attributes, node.named_first, node.named_last, node.run, node.begin,
            node.derived, node.made, node.lineage, node.unsettled)  # fmt: skip
    fields = "name, text, attributes, named_first, named_last, run, begin, derived, made, lineage, unsettled"
    audit.node(not any(mine), node.id, fields, mine, "none: nobody made a span")


def _node(audit: Audit, node: NodeAudit) -> None:
    _identity(audit, node)
    _naming(audit, node)
    _making(audit, node)
    id_ = node.id
    for kind, there in ((Kind.SPAN, node.is_span), (Kind.ANSWER, node.is_answer), (Kind.CLAIM, node.is_claim)):
        audit.node(there == (node.kind == kind), id_, f"kind ({kind.value} row, its node)", there, node.kind == kind)
    audit.node(node.lineage in (0, 1, 2), id_, "lineage", node.lineage, "0, 1 or 2")
    incomplete = node.lineage != 0
    audit.node(incomplete == node.incomplete, id_, "lineage (its seed: cause, node)", node.incomplete, incomplete)
    audit.node(not incomplete or bool(node.reason), id_, "reason (detail, node)", node.reason, "why it is incomplete")
    audit.node(node.purged in (0, 1), id_, "purged", node.purged, "0 or 1")
    settled = node.unsettled == 0 or (node.unsettled == 1 and not audit.tx.auditing.settles_at_once)
    audit.node(settled, id_, "unsettled", node.unsettled, 0)
    if node.purged:
        kept = (node.title, node.details)
        audit.node(kept == (None, None), id_, "title, body", kept, "none: it was purged")
    if node.details is not None:
        audit.node(_details(node.details), id_, "body", node.details, "details as JSON")


def _details(body: str) -> bool:
    try:
        said = json.loads(body)
        return isinstance(said, dict) and json.dumps(said, sort_keys=True, ensure_ascii=False) == body
    except ValueError:
        return False


def _identity(audit: Audit, node: NodeAudit) -> None:
    fields = "id (hash, kind, name, namespace, key, text, attributes)"
    if node.kind is None or node.key is None or node.namespace is None or node.sha256 is None:
        parts = [node.kind, node.namespace, node.key, node.sha256]
        audit.node(False, node.id, fields, parts, "a kind, a namespace, a key and a text that exist")
        return
    audit.node(node.name_kind == node.kind, node.id, "kind of its key (kind, name)", node.kind, node.name_kind)
    try:
        attributes: dict[str, Any] = {} if node.attributes is None else canonical(node.attributes)
        expected = node_id(node.kind, node.namespace, parse_key(node.key), node.sha256, attributes)
    except (ValueError, TypeError, AttributeError, BadInput) as error:
        audit.node(False, node.id, "attributes", str(error), "canonical JSON")
        return
    audit.node(node.id == expected, node.id, fields, node.id, expected)


def _naming(audit: Audit, node: NodeAudit) -> None:
    first, last = node.named_first, node.named_last
    if first is None or last is None or not 1 <= first <= last <= audit.last:
        audit.node(False, node.id, "named_first, named_last", [first, last], "numbers that were given, in order")
        return
    if node.kind in NEVER:
        return  # Their rows are compared with how they were asked.
    for field, number in (("named_first", first), ("named_last", last)):
        run = audit.runs.get(number)
        ok = run is not None and node.kind in run.named
        audit.node(ok, node.id, f"{field} (naming: run, kind)", number, f"the begin of a run that named a {node.kind}")


def _making(audit: Audit, node: NodeAudit) -> None:
    id_ = node.id
    if node.run is None or node.begin is None or node.made is None:
        audit.node(False, id_, "run, begin, made", [node.run, node.begin, node.made], "a run that made it")
        return
    audit.node(node.derived == node.run_derived, id_, "derived", node.derived, node.run_derived)
    if node.derived:
        audit.node(node.begin == node.run_begin, id_, "run, begin", node.begin, node.run_begin)
    else:
        # Imports unite: the making is the first one's, and began when the last one did.
        last = audit.runs.get(node.begin)
        ok = last is not None and not last.derived and node.begin >= (node.run_begin or 0)
        audit.node(ok, id_, "run, begin", node.begin, "the begin of its run, or of a later import")
    audit.node(1 <= node.made <= audit.last, id_, "made", node.made, f"from 1 to {audit.last}")
    # What never had inputs and was never made anew was made when the run began that named it.
    audit.node(not node.bare or node.made in audit.runs, id_, "made", node.made, "the begin of a run")


def verify_names(audit: Audit) -> None:
    """What each key names now, and what is told of what it named before, by the begin of runs."""
    for page in audit.tx.auditing.names(PAGE):
        audit.count("keys", len(page))
        for name in page:
            _name(audit, name)


def _name(audit: Audit, name: NameAudit) -> None:
    item = f"key {name.kind}:{name.namespace}/{name.key}"
    if not name.nodes:
        audit.fault(item, "nodes (name, key, kind, namespace)", [], "at least one node")
        return
    nodes = sorted(name.nodes, key=lambda node: (node[2] or 0, node[0]), reverse=True)
    winner, first, last, made_by = nodes[0]
    retired = [each for each in sorted(name.retired, key=lambda each: each[0]) if each[0] > (last or 0)]
    current = None if retired else winner
    if name.current_given != (current is not None) or name.current != current:
        found = name.current if name.current is not None else ("nothing" if not name.current_given else "no node")
        audit.fault(item, "current", found, current or "nothing: it was retired")
    namer = audit.runs[first].id if first in audit.runs else made_by
    told: dict[str, list[str | None]] = {}
    for id_, run in name.seeds:
        told.setdefault(id_, []).append(run)
    for id_, *_ in nodes:
        wanted: list[str | None] = []
        if id_ != current and name.kind not in NEVER:
            wanted = [retired[0][1] if id_ == winner and retired else namer]
        found_ = told.get(id_, [])
        audit.node(found_ == wanted, id_, "what replaced it (seed: cause, node)", found_, wanted)
