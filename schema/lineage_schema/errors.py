"""Errors that users meet. Every one has a stable ``code`` and, where one helps, a ``hint``.

Stores translate their driver's errors into these in one place; nothing else
reaches a caller for a known fault.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class LineageError(Exception):
    """Base of all known faults. ``code`` is stable, ``exit_code`` is what the command line returns."""

    code = "error"
    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def to_json(self) -> dict[str, object]:
        """The error as the command line prints it under ``--json``."""
        body: dict[str, object] = {"code": self.code, "message": self.message}
        if self.hint is not None:
            body["hint"] = self.hint
        return body


class NotFound(LineageError):
    """Nothing in the store answers to that id, name, alias or number."""

    code = "not_found"
    exit_code = 3


class Ambiguous(LineageError):
    """Several things answer to one argument; ``candidates`` lists them all."""

    code = "ambiguous"
    exit_code = 3

    def __init__(self, message: str, candidates: Sequence[str], *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.candidates = tuple(candidates)

    def to_json(self) -> dict[str, object]:
        return {**super().to_json(), "candidates": list(self.candidates)}


class BadInput(LineageError):
    """Input that cannot be taken: names the item, the field, what was found and what was expected.

    The store is left as it was.
    """

    code = "bad_input"
    exit_code = 6

    def __init__(
        self,
        item: object,
        field: str,
        *,
        found: object,
        expected: str,
        hint: str | None = None,
    ) -> None:
        super().__init__(f"{item}: {field}: expected {expected}, found {_shown(found)}", hint=hint)
        self.item = str(item)
        self.field = field
        self.found = found
        self.expected = expected

    def to_json(self) -> dict[str, object]:
        return {
            **super().to_json(),
            "item": self.item,
            "field": self.field,
            "found": _shown(self.found),
            "expected": self.expected,
        }


class Conflict(LineageError):
    """The store moved on, or two inputs disagree: the message names the choices."""

    code = "conflict"
    exit_code = 6


class StoreUnavailable(LineageError):
    """The store cannot be reached, is locked past the time-out, or may not be written."""

    code = "store_unavailable"
    exit_code = 4


class SchemaMismatch(LineageError):
    """The store's schema is older or newer than this program's, or is not a lineage store at all."""

    code = "schema_mismatch"
    exit_code = 4


class Integrity(LineageError):
    """What the store holds contradicts itself; ``faults`` names each place."""

    code = "integrity"
    exit_code = 5

    def __init__(self, message: str, faults: Sequence[Mapping[str, object]] = (), *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.faults = tuple(dict(fault) for fault in faults)

    def to_json(self) -> dict[str, object]:
        return {**super().to_json(), "faults": list(self.faults)}


class MissingJudgment(LineageError):
    """A verdict is needed and is not stored: nothing is guessed. ``requests`` lists all that have no answer."""

    code = "missing_judgment"
    exit_code = 7

    def __init__(self, message: str, requests: Sequence[Mapping[str, object]] = (), *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.requests = tuple(dict(request) for request in requests)

    def to_json(self) -> dict[str, object]:
        return {**super().to_json(), "requests": list(self.requests)}


class MissingDependency(LineageError):
    """An optional part is not installed; the message names the extra that brings it."""

    code = "missing_dependency"
    exit_code = 6

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}'", hint=f"pip install 'evidence-lineage[{extra}]'")
        self.extra = extra


_SHOWN = 200


def _shown(value: object) -> str:
    """``value`` for a message: its repr, shortened in the middle with the number of characters left out."""
    text = repr(value)
    if len(text) <= _SHOWN:
        return text
    half = _SHOWN // 2
    return f"{text[:half]}…({len(text) - 2 * half} more)…{text[-half:]}"
