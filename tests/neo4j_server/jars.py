"""The server's jars: fetched once by Maven (about 150 MB) into a cache outside the repository."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.neo4j_server.tools import Missing, maven

POM = Path(__file__).with_name("pom.xml")
SECONDS = 900


def fetched(version: str) -> Path:
    """The folder that holds the jars of one whole version. Raises :class:`Missing` when they cannot be fetched."""
    folder = _cache() / version
    if folder.is_dir():
        return folder
    program = maven()
    with _locked(_cache() / f"{version}.lock"):
        # Another test run may have fetched them while this one waited.
        if not folder.is_dir():
            part = _cache() / f"{version}.part"
            shutil.rmtree(part, ignore_errors=True)
            _copy(program, version, part)
            # The final name appears only when everything is there, so a run cut short leaves no half set.
            part.rename(folder)
    return folder


def _cache() -> Path:
    said = os.environ.get("XDG_CACHE_HOME", "")
    # By its specification a relative path there is to be ignored.
    base = Path(said) if os.path.isabs(said) else Path.home() / ".cache"
    return base / "evidence-lineage" / "neo4j-jars"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Waits until no other process holds the lock; it falls with its process, however that ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _copy(program: str, version: str, folder: Path) -> None:
    command = [
        *(program, "--batch-mode", "--quiet", "--no-transfer-progress", "--file", str(POM)),
        "dependency:copy-dependencies",
        f"-Dneo4j.version={version}",
        f"-DoutputDirectory={folder}",
        "-DincludeScope=runtime",
    ]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        raise Missing(f"Maven fetched no jars of Neo4j {version} within {SECONDS} s") from None
    if done.returncode != 0 or not folder.is_dir():
        first = next((line for line in done.stdout.splitlines() if "ERROR" in line), f"exit code {done.returncode}")
        raise Missing(f"Maven fetched no jars of Neo4j {version}: {first}")
