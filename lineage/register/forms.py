"""From what a caller hands over to validated recorded forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from lineage_schema.errors import BadInput
from lineage_schema.records import RECORD, RECORDS, Form, Record


def parse(records: Iterable[Record | Mapping[str, Any]]) -> list[Record]:
    """Validated forms, in the order given.

    Raises :class:`BadInput` naming the record by its number from 1 and its type.
    """
    items = list(records)
    if all(isinstance(item, Form) for item in items):
        return items  # type: ignore[return-value]
    try:
        return RECORDS.validate_python(items)
    except ValidationError as error:
        raise bad_input(error, items) from None


def bad_input(error: ValidationError, items: list[Any]) -> BadInput:
    """The first fault of a validation, as an error that names item, field, what was found and expected."""
    fault = error.errors(include_url=False)[0]
    place = [str(part) for part in fault["loc"]]
    item = "record"
    if place and place[0].isdigit():
        number = int(place.pop(0))
        raw = items[number]
        kind = raw.get("type") if isinstance(raw, Mapping) else type(raw).__name__
        item = f"record {number + 1} ({kind})"
        if place and place[0] == kind:
            place.pop(0)
    return BadInput(item, ".".join(place) or "type", found=fault.get("input"), expected=fault["msg"])


def parse_one(record: Mapping[str, Any], *, item: object) -> Record:
    """One validated form; ``item`` names it in errors."""
    try:
        return RECORD.validate_python(record)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = [str(part) for part in fault["loc"]][1:]
        raise BadInput(item, ".".join(place) or "type", found=fault.get("input"), expected=fault["msg"]) from None
