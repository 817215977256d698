"""Cells of GraphRAG tables as Python values. CSV writes lists as text, and every version writes numbers its own way."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable
from typing import Any

from lineage_schema.errors import BadInput

# A list as NumPy or Python prints it: quoted strings or bare words, between blanks, line ends or commas.
_ITEM = re.compile(r"""[\s,]*(?:('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|([\w.+\-]+))""")
_END = re.compile(r"[\s,]*\Z")
_LEFT_OUT = "..."
"""What NumPy prints for the middle of a long list."""


def text(value: Any) -> str:
    """A string cell; what is missing is empty."""
    return "" if value is None or _is_nan(value) else str(value)


def optional(value: Any) -> str | None:
    """A string cell; None where it is missing or empty."""
    return text(value) or None


def number(value: Any) -> str | None:
    """A number used as a name: ``7``, ``7.0``, ``"7"`` and ``"7.0"`` are one."""
    if value is None or _is_nan(value):
        return None
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    written = str(value).strip()
    if re.fullmatch(r"-?\d+\.0+", written):
        written = written.partition(".")[0]
    return written if written.lower() not in ("", "nan", "none") else None


def integer(value: Any, *, item: str, column: str) -> int:
    """A whole number, or BadInput."""
    written = number(value)
    try:
        return int(written if written is not None else "")
    except ValueError:
        raise BadInput(item, column, found=value, expected="a whole number") from None


def figure(value: Any) -> Any:
    """A figure that stands beside: as it is, None where it is missing or not finite; text of a number as the number."""
    if isinstance(value, str):
        try:
            value = float(value) if re.search(r"[.eE]", value) else int(value)
        except ValueError:
            return value or None
    return None if isinstance(value, float) and not math.isfinite(value) else value


def names(value: Any, *, item: str, column: str) -> tuple[tuple[str, ...], bool]:
    """A list cell of ids or numbers, each once and in order, and whether the file holds only part of it.

    Versions before 1 put several ids into one string, joined by commas; no id has a comma.
    """
    if value is None or _is_nan(value):
        return (), False
    if isinstance(value, str):
        found = _written_list(value, item=item, column=column)
    elif isinstance(value, Iterable):
        found = [text(member) for member in value]
    else:
        raise BadInput(item, column, found=value, expected="a list")
    parts = [part.strip() for member in found for part in member.split(",")]
    return tuple(dict.fromkeys(part for part in parts if part and part != _LEFT_OUT)), _LEFT_OUT in parts


def _written_list(written: str, *, item: str, column: str) -> list[str]:
    written = written.strip()
    if not written.startswith("["):
        return [written]
    body = written[1:-1] if written.endswith("]") else ""
    found: list[str] = []
    at = 0
    while match := _ITEM.match(body, at):
        quoted, bare = match.groups()
        found.append(str(ast.literal_eval(quoted)) if quoted else bare)
        at = match.end()
    if not written.endswith("]") or not _END.match(body, at):
        raise BadInput(item, column, found=written, expected="a list as Python or NumPy prints it")
    return found


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
