"""Which store a command works on: ``--store``, then ``LINEAGE_STORE``, then ``lineage.toml``, then the default.

Read with the standard library: a settings framework takes longer to import than ``check`` takes
to answer, and there is one value to read.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from lineage_schema.errors import BadInput

DEFAULT = "sqlite:///lineage.db"
VARIABLE = "LINEAGE_STORE"
FILE = "lineage.toml"


@dataclass(frozen=True, slots=True)
class Address:
    """A store's URL, and who named it."""

    url: str
    origin: str


def address(given: str | None) -> Address:
    """Where the store is. Raises :class:`BadInput` for a ``lineage.toml`` that cannot be read."""
    if given:
        return Address(given, "--store")
    if said := os.environ.get(VARIABLE):
        return Address(said, VARIABLE)
    path = Path(FILE)
    if path.is_file():
        return Address(_from_file(path), FILE)
    return Address(DEFAULT, "the default")


def _from_file(path: Path) -> str:
    try:
        body = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(FILE, "file", found=error.strerror, expected="a file that can be read") from None
    except ValueError as error:  # no TOML, or no UTF-8
        raise BadInput(FILE, "content", found=str(error), expected="TOML with a key 'store'") from None
    value = body.get("store")
    if not isinstance(value, str) or not value:
        raise BadInput(FILE, "store", found=value, expected="the URL of a store")
    return value
