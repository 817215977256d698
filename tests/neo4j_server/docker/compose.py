"""compose.yaml brought up to its health check with an image, and a store made and asked on its server."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import docker

from tests.neo4j_server.docker.programs import program
from tests.neo4j_server.server import ServerFailed

FILE = Path(__file__).parents[3] / "compose.yaml"
# Not the project that compose.yaml names: what somebody keeps in its volume must not be taken down with this one's.
PROJECT = f"evidence-lineage-test-{os.getpid()}"
URL = "neo4j://127.0.0.1:7687/neo4j"
SECONDS = 240


def command() -> list[str]:
    """Compose as a plugin of ``docker``, else as a program, which is installed where it may be. Raises ``Missing``."""
    docker_program = shutil.which("docker")
    if docker_program and _succeeds(docker_program, "compose", "version"):
        return [docker_program, "compose"]
    return [program("docker-compose", "docker-compose")]


def understood(text: str, compose: Sequence[str]) -> str:
    """A compose file as this Compose takes it: version 1 refuses a file that names its project."""
    told = subprocess.run([*compose, "version", "--short"], capture_output=True, text=True, check=True).stdout
    if not told.strip().removeprefix("v").startswith("1."):
        return text
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("name:"))


def checked(compose: Sequence[str], image: str) -> None:
    """Up, healthy, ``lineage init`` and ``lineage doctor``, down with the volume. Raises :class:`ServerFailed`."""
    environment = {
        **os.environ,
        "LINEAGE_NEO4J_IMAGE": image,
        "LINEAGE_NEO4J_USER": "neo4j",
        "LINEAGE_NEO4J_PASSWORD": secrets.token_urlsafe(16),
    }
    text = understood(FILE.read_text(encoding="utf-8"), compose)

    def run(*arguments: str) -> None:
        _run([*compose, "--project-name", PROJECT, "--file", "-", *arguments], environment, text)

    try:
        run("up", "--detach")
        _wait_until_healthy()
        lineage = str(Path(sys.executable).with_name("lineage"))
        for asked in ("init", "doctor"):
            _run([lineage, "--store", URL, asked], environment)
    finally:
        run("down", "--volumes")


def _wait_until_healthy() -> None:
    client = docker.from_env()
    begin = time.monotonic()
    try:
        (container,) = client.containers.list(all=True, filters={"label": f"com.docker.compose.project={PROJECT}"})
        while (health := container.attrs["State"]["Health"])["Status"] != "healthy":
            if time.monotonic() > begin + SECONDS or health["Status"] == "unhealthy":
                said = container.logs(tail=20).decode(errors="replace")
                raise ServerFailed(
                    f"{container.name} is {health['Status']}: {health['Log'][-1:]}; its log ends:\n{said}"
                )
            time.sleep(1)
            container.reload()
        print(f"{container.name} is healthy, {time.monotonic() - begin:.0f} s after its start", flush=True)
    finally:
        client.close()


def _run(command: Sequence[str], environment: dict[str, str], text: str = "") -> None:
    try:
        done = subprocess.run(command, env=environment, input=text, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise ServerFailed(f"not done after {SECONDS} s: {' '.join(command)}") from None
    if done.returncode != 0:
        raise ServerFailed(f"exit code {done.returncode}: {' '.join(command)}")


def _succeeds(*command: str) -> bool:
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
