"""Judgments, how judges do, scores, and splittings: keys are re-derived from what was asked and of whom."""

from __future__ import annotations

import json

from lineage.verify.report import Audit, canonical
from lineage_schema.identity import content_hash
from lineage_schema.judgments import Judgment, Passage, Request
from lineage_schema.vocabulary import Kind

PAGE = 1000
WHOLE = 1_000_000
"""1 in millionths."""


def verify_judgments(audit: Audit) -> None:
    """All judgments in pages, the choices between them, calibrations, scores, and what claims were split into."""
    after = ""
    while keys := audit.tx.judgments.keys(after=after, limit=PAGE):
        found = _read(audit, keys)
        for key in keys:
            rows = found.get(key)
            if rows is None:
                continue
            if not rows:
                audit.fault(f"judgment {key}", "judge, statement", None, "a judge and a statement")
            _key(audit, key, rows)
        after = keys[-1]
    for key, number, known, seq in audit.tx.auditing.choices():
        item = f"choice of judgment {key}"
        audit.number(item, "seq", seq)
        if not known:
            audit.fault(item, "hash, number", number, "a verdict that was given")
    for row in audit.tx.judgments.calibrations():
        audit.count("calibrations")
        item = f"calibration of judge {row.judge.name}@{row.judge.version}"
        audit.number(item, "seq", row.seq)
        if row.kappa is not None and not -WHOLE <= row.kappa <= WHOLE:
            audit.fault(item, "kappa", row.kappa, f"from {-WHOLE} to {WHOLE}")
        try:
            canonical(row.body)
        except ValueError as error:
            audit.fault(item, "body", str(error), "canonical JSON")
    for node, kind, body, seq in audit.tx.auditing.scores():
        audit.count("scores")
        item = f"score of {audit.label(node)}"
        audit.number(item, "seq", seq)
        try:
            said = json.loads(body).get("id")
        except (ValueError, AttributeError):
            said = None
        if kind != Kind.ANSWER or said != node:
            audit.fault(item, "node, body", said, "an answer, and its score")
    _splittings(audit)


def _splittings(audit: Audit) -> None:
    for row in audit.tx.auditing.splittings():
        audit.count("splittings")
        item = f"splitting of {audit.label(row.node)}"
        audit.number(item, "seq", row.seq)
        if row.kind != Kind.CLAIM:
            audit.fault(item, "node", row.kind, "a claim")
        elif row.purged:
            audit.same(item, "parts", row.parts, None)
        else:
            try:
                said = canonical(row.parts or "")
            except ValueError as error:
                audit.fault(item, "parts", str(error), "canonical JSON")
                continue
            if not isinstance(said, list) or not said or not all(isinstance(each, str) and each for each in said):
                audit.fault(item, "parts", said, "a list of texts, at least one")


def _read(audit: Audit, keys: list[str]) -> dict[str, list[Judgment]]:
    """The judgments of a page; where one has no verdict that there is, the others one by one."""
    try:
        return {key: [] for key in keys} | audit.tx.judgments.find(keys)
    except ValueError as error:
        if len(keys) == 1:
            audit.fault(f"judgment {keys[0]}", "verdict", str(error), "a verdict")
            return {}
        return {key: rows for each in keys for key, rows in _read(audit, [each]).items()}


def _key(audit: Audit, key: str, rows: list[Judgment]) -> None:
    item = f"judgment {key}"
    for place, row in enumerate(rows, 1):
        audit.count("judgments")
        audit.same(item, "number", row.number, place)
        audit.number(item, "seq", row.seq)
        if row.score is not None and not 0 <= row.score <= 1:
            audit.fault(item, "score", row.score, "a number from 0 to 1")
        if not row.passages:
            audit.fault(item, "judgment_passage (judgment, place)", None, "at least one passage")
        for shown in row.passages:
            if shown.text is not None:
                audit.same(item, "text", content_hash(shown.text), shown.sha256)
        texts = [Passage(shown.text, shown.source) for shown in row.passages if shown.text is not None]
        # What was purged cannot be asked again: its key stays as it was given.
        if row.statement is not None and len(texts) == len(row.passages):
            expected = row.judge.key(Request(row.statement, tuple(texts)))
            fields = "key (hash, statement, judge, name, version, configuration, judgment, place, text, source)"
            audit.same(item, fields, key, expected)
    verdicts = [row.verdict for row in rows]
    if len(set(verdicts)) < len(verdicts):
        audit.fault(item, "verdict", [verdict.value for verdict in verdicts], "differing verdicts")
