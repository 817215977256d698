"""Where the shipped files are, also in an installed package, and what they are to be registered as."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

GRAPHRAG_NAMESPACE: Final = "demo"
"""Of the graph index, and of the answers."""
RAPTOR_NAMESPACE: Final = "demo-tree"
"""Of the tree. Apart from the graph's, so that a complete run over one index retires nothing of the other."""
DESK_NAMESPACE: Final = "desk"


@dataclass(frozen=True, slots=True)
class Correction:
    """One replacement in one document: ``old`` occurs once in its text."""

    uri: str
    old: str
    new: str
    reason: str


def handbook() -> tuple[Path, ...]:
    """The handbook's pages. Their file names are their uris in the answers and the correction."""
    return tuple(sorted(_root("handbook").glob("*.md")))


def graphrag() -> Path:
    """The folder of the graph index's tables."""
    return _root("graphrag")


def raptor() -> Path:
    """The pickled tree."""
    return _root("raptor") / "tree.pkl"


def raptor_sources() -> tuple[Path, ...]:
    """The pages that the tree was built over, in the order in which they were put end to end."""
    return tuple(_root("handbook") / name for name in ("returns.md", "receipts.md", "clearance.md"))


def answers() -> Path:
    """The answers as recorded forms. They refer to nodes of both indexes, which come first."""
    return _root("answers.jsonl")


def correction() -> Correction:
    """The correction to try."""
    return Correction(**json.loads(_root("correction.json").read_text(encoding="utf-8")))


def desk() -> Path:
    """The citation desk as recorded forms. They need nothing before them."""
    return _root("desk") / "citation_desk.jsonl"


def desk_judgments() -> Path:
    """A verdict on each question that scoring the desk asks, one a line."""
    return _root("desk") / "citation_desk_judgments.jsonl"


def _root(name: str) -> Path:
    # Wheels are installed unpacked, and importers read folders: a path, not a stream, is what they need.
    return Path(str(files("lineage.demo"))) / name
