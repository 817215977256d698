"""The report of a correction as CSV: for spreadsheets, and for ``cut``."""

from __future__ import annotations

import csv
import io
from typing import Any

COLUMNS = (
    "correction",
    "severity",
    "namespace",
    "answer",
    "answer_id",
    "cache_key",
    "question",
    "claim",
    "claim_id",
    "claim_severity",
    "level",
    "changes",
    "path",
)


def render(body: dict[str, Any]) -> str:
    """One row a claim, and one an answer that no claim of it was reached through; then those that were not marked.

    These have ``cannot_exclude``, ``spared``, or while work is pending ``not_reached``, for their
    severity, and the reason for their path.
    """
    stream = io.StringIO()
    rows = csv.writer(stream, lineterminator="\n")
    rows.writerow(COLUMNS)
    correction = body["correction"]["id"]
    for answer in body["answers"]:
        head = [
            correction,
            answer["severity"],
            answer["namespace"],
            answer["key"],
            answer["id"],
            answer["cache_key"] or "",
            answer["question"] or "",
        ]
        for claim in answer["claims"]:
            path = " > ".join(step["label"] for step in claim["path"])
            changes = " ".join(map(str, claim["changes"]))
            rows.writerow([*head, claim["text"], claim["id"], claim["severity"], claim["level"], changes, path])
        if not answer["claims"]:
            rows.writerow([*head, "", "", "", "", "", answer["reached_by"]])
    spared = "not_reached" if body["correction"]["state"] == "propagating" else "spared"
    for word, listed in (("cannot_exclude", body["cannot_exclude"]), (spared, body["spared"])):
        for each in listed:
            rows.writerow([correction, word, "", each["key"], each["id"], "", "", "", "", "", "", "", each["because"]])
    return stream.getvalue()
