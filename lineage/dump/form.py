"""The lines around the rows: the first names the form, the last tells whether all came through."""

from __future__ import annotations

from typing import Any, Final

FORM: Final = {"type": "lineage-dump", "form": 1, "rules": ["a1", "l1"]}
"""The first line. ``rules`` name how texts were aligned and how ids were made: a program with others cannot go on."""
END: Final = "end"
"""The type of the last line: ``counts`` by section, and the ``sha256`` of all bytes before it."""


def end(counts: dict[str, int], sha256: str) -> dict[str, Any]:
    """The last line."""
    return {"counts": counts, "sha256": sha256, "type": END}
