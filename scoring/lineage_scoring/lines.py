"""JSON Lines that callers give: one object a line; blank lines are passed over. Errors name file, line and field."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lineage_schema.errors import BadInput


@dataclass(frozen=True, slots=True)
class Line:
    """The object of a line, which errors call ``FILE line N``. Readers of fields raise :class:`BadInput`."""

    number: int
    said: dict[str, Any]
    file: str | None = None

    @property
    def item(self) -> str:
        """What errors call it."""
        return f"line {self.number}" if self.file is None else f"{self.file} line {self.number}"

    def refused(self, field: str, expected: str) -> BadInput:
        """The error that a field is in need of, with what it holds."""
        return BadInput(self.item, field, found=self.said.get(field), expected=expected)

    def only(self, fields: Collection[str], named: Collection[str] | None = None) -> None:
        """Refuses a field that is not among those; the error lists them, or those that are ``named``."""
        for field in sorted(self.said.keys() - set(fields)):
            raise self.refused(field, f"only {', '.join(sorted(named or fields))}")

    def text(self, field: str, expected: str) -> str:
        """A text that is not empty."""
        value = self.said.get(field)
        if not isinstance(value, str) or not value:
            raise self.refused(field, expected)
        return value

    def optional(self, field: str) -> str | None:
        """A text, or None where there is none."""
        value = self.said.get(field)
        if value is not None and not isinstance(value, str):
            raise self.refused(field, "text")
        return value

    def texts(self, field: str, *, needed: bool = True) -> list[str]:
        """A list of texts that are not blank: at least one, unless it may be left out."""
        value = self.said.get(field, None if needed else [])
        texts: list[Any] = value if isinstance(value, list) else [None]
        if not all(isinstance(each, str) and each.strip() for each in texts) or (needed and not texts):
            raise self.refused(field, "a list of texts, at least one" if needed else "a list of texts")
        return texts


def objects(lines: Iterable[str], file: str | None = None) -> Iterator[Line]:
    """The objects of lines, in order. Raises :class:`BadInput` for a line that holds none."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        found = Line(number, {"line": line}, file)
        try:
            said = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise found.refused("line", f"a JSON object ({error})") from None
        if not isinstance(said, dict):
            raise found.refused("line", "a JSON object")
        yield Line(number, said, file)
