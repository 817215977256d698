"""A Docker engine: the one that answers, else one of our own that lasts as long as it is used."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.neo4j_server.container_server import engine_answers
from tests.neo4j_server.docker.mounts import unmount_below
from tests.neo4j_server.docker.programs import NoDocker, program
from tests.neo4j_server.tools import Missing

HOST = "DOCKER_HOST"
SECONDS = 60


@contextmanager
def engine() -> Iterator[None]:
    """An engine answers inside, by the environment that children inherit. Raises :class:`NoDocker`."""
    try:
        engine_answers()
    except Missing as missing:
        silent = str(missing)
    else:
        yield
        return
    if os.environ.get(HOST):
        # Another engine than the named one would not be what was asked for.
        raise NoDocker(f"{silent} at {HOST}={os.environ[HOST]}")
    if os.geteuid() != 0:
        raise NoDocker(f"{silent}, and only root may start one")
    try:
        daemon = program("dockerd", "docker.io")
    except Missing as missing:
        raise NoDocker(f"{silent}: {missing}") from None
    with _started(daemon):
        yield


@contextmanager
def _started(daemon: str) -> Iterator[None]:
    """An engine with its own socket and its own data, which no other client sees."""
    folder = Path(tempfile.mkdtemp(prefix="docker-engine-"))
    socket = f"unix://{folder}/docker.sock"
    try:
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [
                    *(daemon, "--host", socket, "--pidfile", f"{folder}/pid"),
                    *("--data-root", f"{folder}/data", "--exec-root", f"{folder}/exec"),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # An interrupt typed at a terminal is for the tests, which then end their containers.
                start_new_session=True,
            )
        os.environ[HOST] = socket
        try:
            _wait(process, folder / "log")
            print(f"started a Docker engine, process {process.pid}", flush=True)
            yield
        finally:
            del os.environ[HOST]
            _end(process)
    finally:
        # An engine leaves the namespaces of its networks mounted, and one that was killed its containers too.
        unmount_below(folder)
        shutil.rmtree(folder)


def _wait(process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + SECONDS
    while True:
        try:
            return engine_answers()
        except Missing as missing:
            if process.poll() is None and time.monotonic() < end:
                time.sleep(0.5)
                continue
            lines = log.read_text(errors="replace").strip().splitlines()
            raise NoDocker(f"{missing}: dockerd said {lines[-1] if lines else 'nothing'}") from None


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        # It stops its containers first.
        process.wait(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
