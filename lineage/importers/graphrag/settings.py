"""What ``settings.yaml`` says of the model. Only lines ``key: value`` and their indentation are read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from lineage.importers.report import Notes
from lineage_schema.errors import BadInput
from lineage_schema.identity import content_hash

_LINE = re.compile(r"(?P<indent> *)(?P<key>[\w.\-]+) *:(?: +(?P<value>.*))?$")
_NAMES = ("settings.yaml", "settings.yml")


@dataclass(frozen=True)
class Settings:
    """The settings file, its hash, and the model that wrote texts (None: not said)."""

    path: Path
    model: str | None
    config_hash: str


def find_settings(folder: Path, given: Path | None, notes: Notes) -> Settings | None:
    """The settings given, else those in the tables' folder or beside it; None where there are none."""
    if given is None:
        paths = [parent / name for parent in (folder, folder.parent) for name in _NAMES]
        path = next((path for path in paths if path.is_file()), None)
        if path is None:
            return None
    else:
        path = given
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(str(path), "settings", found=str(error), expected="a settings.yaml in UTF-8") from None
    model = chat_model(text)
    if model is None:
        notes.find("model_unknown", path.name, "no line says which model wrote the texts")
    return Settings(path, model, content_hash(text))


def chat_model(text: str) -> str | None:
    """The first ``model`` that is not one of embeddings."""
    above: list[tuple[int, str]] = []
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        indent = len(match["indent"])
        above = [(depth, key) for depth, key in above if depth < indent]
        value = _plain(match["value"] or "")
        if match["key"] == "model" and value and not any("embed" in key for _, key in above):
            return value
        above.append((indent, match["key"]))
    return None


def _plain(value: str) -> str:
    """A scalar without its comment and quotes."""
    value = value.strip()
    if value[:1] in ("'", '"') and (end := value.find(value[0], 1)) > 0:
        return value[1:end]
    return re.sub(r"(?:^|\s)#.*$", "", value).strip()
