"""Which store a command works on: ``--store``, then ``LINEAGE_STORE``, then ``lineage.toml``, then the default."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict

from lineage_schema.errors import BadInput

DEFAULT = "sqlite:///lineage.db"
FILE = "lineage.toml"


class Environment(BaseSettings):
    """What the environment says."""

    model_config = SettingsConfigDict(env_prefix="LINEAGE_")

    store: str | None = None


def store_url(given: str | None) -> str:
    """The URL of the store. Raises :class:`BadInput` for a ``lineage.toml`` that cannot be read."""
    if given:
        return given
    said = Environment().store
    if said:
        return said
    path = Path(FILE)
    if path.is_file():
        try:
            body = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise BadInput(FILE, "content", found=str(error), expected="TOML with a key 'store'") from None
        value = body.get("store")
        if not isinstance(value, str):
            raise BadInput(FILE, "store", found=value, expected="the URL of a store")
        return value
    return DEFAULT
