"""Finds the programs that a server without Docker needs: Maven, and a JDK of a release that this Neo4j supports."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.neo4j_server.versions import java_releases

INSTALLED = Path("/usr/lib/jvm")


class Missing(Exception):
    """This machine lacks what one way to a server needs. The message is one line and names it."""


def maven() -> str:
    """The path of ``mvn``. Raises :class:`Missing`."""
    if found := shutil.which("mvn"):
        return found
    raise Missing("mvn is not on PATH")


def java(version: str) -> str:
    """The path of a ``java`` that can run this Neo4j: JAVA_HOME, PATH, what is installed. Raises :class:`Missing`."""
    wanted = java_releases(version)
    seen: list[str] = []
    for program in _candidates():
        release = _jdk_release(program)
        if release in wanted:
            return program
        seen.append(f"{program} ({f'JDK {release}' if release else 'no JDK'})")
    names = " or ".join(map(str, wanted))
    raise Missing(f"Neo4j {version} needs JDK {names}, found {', '.join(seen) or 'no java'}")


def _candidates() -> Iterator[str]:
    """Programs named ``java``, each once."""
    home = os.environ.get("JAVA_HOME")
    on_path = shutil.which("java")
    found = [Path(home) / "bin" / "java"] if home else []
    found += [Path(on_path)] if on_path else []
    found += sorted(INSTALLED.glob("*/bin/java"))
    done: set[Path] = set()
    for program in found:
        real = program.resolve()
        if real not in done and os.access(real, os.X_OK):
            done.add(real)
            yield str(program)


def _jdk_release(program: str) -> int | None:
    """The release of a JDK; None for a Java without a compiler, which cannot run a source file."""
    command = [program, "--describe-module", "jdk.compiler"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    described = re.match(r"jdk\.compiler@(\d+)", told)
    return int(described[1]) if described else None
