"""What is stated of a version: validity, applicability, labels, and where its pages and sections are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lineage.scope import merged
from lineage.stores.base import Transaction


def said_of(tx: Transaction, uri: str, edition: int, number: int) -> dict[str, Any]:
    """What is stated of a version now."""
    return merged([json.loads(body) for _, _, body in tx.sources.statements(uri, edition, number)])


def locate(said: Mapping[str, Any], start: int, end: int) -> tuple[str | None, str | None]:
    """The page labels and the innermost section heading of a range, where the version has such tables."""
    end = max(end, start + 1)
    pages = [page["label"] for page in said.get("pages") or () if page["start"] < end and start < page["end"]]
    sections = [part for part in said.get("sections") or () if part["start"] <= start < part["end"]]
    section = max(sections, key=lambda part: (part["start"], part["level"]))["heading"] if sections else None
    return ("–".join(dict.fromkeys((pages[0], pages[-1]))) if pages else None), section
