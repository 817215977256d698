"""Whether an answer's own scope lies in the validity of a text that got a newer edition.

An edition's correction does not pass to an answer that speaks of the old text's period or
case. Dates are compared as ISO 8601 text, which sorts by time; a validity is half open.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CASES = ("variant", "jurisdiction", "language")


def lies_in(scope: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether ``scope`` lies in ``old``'s validity and applicability, where ``new`` is the newer edition's.

    Everything that both sides state must agree, and something must tell the editions apart:
    the date, or a case that the new edition does not share. An answer without a scope of its
    own lies in none.
    """
    decided = False
    as_of = scope.get("as_of")
    if as_of is not None:
        begin, end = old.get("valid_from"), old.get("valid_to")
        if (begin is None and end is None) or (begin is not None and as_of < begin):
            return False
        if end is not None and as_of >= end:
            return False
        decided = True
    here, there = old.get("applicability") or {}, new.get("applicability") or {}
    for case in CASES:
        mine, theirs = scope.get(case), here.get(case)
        if mine is None or theirs is None:
            continue
        if mine != theirs:
            return False
        if there.get(case) not in (None, theirs):
            decided = True
    return decided


def merged(statements: list[Mapping[str, Any]]) -> dict[str, Any]:
    """What holds after all statements about a version, the oldest first: the last word on each field."""
    said: dict[str, Any] = {}
    for statement in statements:
        said.update({field: value for field, value in statement.items() if value is not None})
    return said
