"""Programs that making an image takes: found, installed where that is allowed (as root, with apt), and run."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from tests.neo4j_server.tools import Missing

SECONDS = 600


class NoDocker(Missing):
    """No test by Docker can run here: no engine answers, or what an image takes may not be installed."""


def program(name: str, package: str) -> str:
    """The path of a program on PATH; its package is installed where it is not there.

    Raises :class:`NoDocker` where that may not be, :class:`Missing` where it fails.
    """
    if found := shutil.which(name):
        return found
    if os.geteuid() != 0:
        raise NoDocker(f"{name} is not on PATH, and only root may install {package}")
    if not shutil.which("apt-get"):
        raise NoDocker(f"{name} is not on PATH, and there is no apt-get to install {package}")
    print(f"installing {package}, for {name}", flush=True)
    _update_apt()
    run("apt-get", "-qq", "install", "--yes", "--no-install-recommends", package)
    if found := shutil.which(name):
        return found
    raise Missing(f"package {package} was installed and brought no {name}")


def run(*command: str) -> None:
    """Runs a program to its end. Raises :class:`Missing` with the last line that it printed where it fails."""
    name = Path(command[0]).name
    try:
        done = subprocess.run(
            command,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise Missing(f"{name} took more than {SECONDS} s") from None
    if done.returncode != 0:
        last = (done.stdout.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise Missing(f"{name} failed: {last}")


@cache
def _update_apt() -> None:
    run("apt-get", "-qq", "update")
