"""Which Neo4j the tests run on, and which Java that needs."""

from __future__ import annotations

import re
from collections.abc import Mapping

VARIABLE = "LINEAGE_TEST_NEO4J_VERSION"
DEFAULT = "5.26"

# A line stands for its newest release when this was last edited, so that a run's result depends on the commit
# alone. Another release is asked for by its whole version.
LINES = {"5.26": "5.26.30", "2026": "2026.08.1"}


def asked(environ: Mapping[str, str]) -> str:
    """A line (``5.26``, ``2026``) or a whole version (``5.26.30``). Raises :class:`ValueError` for anything else."""
    said = environ.get(VARIABLE) or DEFAULT
    if said not in LINES and not re.fullmatch(r"\d+\.\d+\.\d+", said):
        raise ValueError(f"{VARIABLE} is {said!r}: expected {', '.join(LINES)} or a whole version like 5.26.30")
    return said


def exact(version: str) -> str:
    """The release that a line stands for; a whole version as it is."""
    return LINES.get(version, version)


def belongs(version: str, wanted: str) -> bool:
    """Whether a server's version is the one asked for, or of the line asked for."""
    return version == wanted or version.startswith(f"{wanted}.")


def java_releases(version: str) -> tuple[int, ...]:
    """The Java releases that this Neo4j supports."""
    return (17, 21) if version.startswith("5.") else (21, 25)


def image(version: str) -> str:
    """The official community image of a line or version."""
    return f"neo4j:{version}-community"
