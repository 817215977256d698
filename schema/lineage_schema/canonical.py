"""Canonical JSON: the one byte form of a value that identity is made of.

The rule, named ``l1``:

- objects have their keys sorted by code point, and string keys only;
- no blanks between tokens;
- UTF-8, characters outside ASCII as themselves, never as escapes, and no half surrogates;
- integers, strings, booleans, null, arrays and objects; **no floats**, which have more than one
  decimal form.

Two values have the same canonical form exactly when they are equal, so the form can be
hashed, compared and sorted.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from lineage_schema.errors import BadInput

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


encode_string: Final[Callable[[str], str]] = json.encoder.encode_basestring
"""The canonical form of a string."""


def canonical_json(value: Any, *, item: object = "value") -> str:
    """``value`` as canonical JSON text.

    ``item`` names the thing in errors. Raises :class:`BadInput` for a float, a key that is not
    a string, a half surrogate, or a type that JSON does not have.
    """
    _check(value, item, "")
    return _ENCODER.encode(value)


def canonical_bytes(value: Any, *, item: object = "value") -> bytes:
    """The UTF-8 bytes of :func:`canonical_json`."""
    return canonical_json(value, item=item).encode("utf-8")


def check_text(text: str, *, item: object, field: str) -> str:
    """``text`` itself, or :class:`BadInput` where it holds half of a surrogate pair (it has no UTF-8 form)."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput(
            item,
            field,
            found=f"U+{ord(text[error.start]):04X} at {error.start}",
            expected="text without half surrogates",
        ) from None
    return text


def _check(value: Any, item: object, where: str) -> None:
    # Exact types first: this runs for each node that is registered.
    kind = type(value)
    if kind is str:
        if not value.isascii():
            check_text(value, item=item, field=where or "value")
    elif kind is int or kind is bool or value is None:
        pass
    elif isinstance(value, (list, tuple)):
        for index, member in enumerate(value):
            _check(member, item, f"{where}[{index}]")
    elif isinstance(value, dict):
        for key, member in value.items():
            if not isinstance(key, str):
                raise BadInput(item, where or "key", found=key, expected="string keys")
            _check(key, item, where or "key")
            _check(member, item, f"{where}.{key}" if where else key)
    elif isinstance(value, float):
        raise BadInput(item, where or "value", found=value, expected="no float where identity is made (use a string)")
    elif isinstance(value, (str, int)):
        # A subclass, such as an enum member: its plain value is what is encoded.
        _check(str(value) if isinstance(value, str) else int(value), item, where)
    else:
        raise BadInput(item, where or "value", found=value, expected="a JSON value")
