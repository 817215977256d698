"""A server in a Docker container, by testcontainers."""

from __future__ import annotations

import gc
import secrets
import warnings

from docker.errors import DockerException
from requests.exceptions import RequestException
from testcontainers.core.container import DockerContainer
from testcontainers.core.docker_client import DockerClient
from testcontainers.core.wait_strategies import LogMessageWaitStrategy

from tests.neo4j_server.server import SECONDS, Server, ServerFailed, free_port
from tests.neo4j_server.tools import Missing

USER = "neo4j"
BOLT = 7687
READY = r"Started\."

_FAULTS = (DockerException, RequestException)


def engine_answers() -> None:
    """Raises :class:`Missing` where no Docker engine answers."""
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        answers = _ping()
        # A failed attempt leaves its socket to the garbage collector, which would warn in the middle of a test.
        gc.collect()
    if not answers:
        raise Missing("no engine answers")


def _ping() -> bool:
    try:
        client = DockerClient(timeout=10).client
        try:
            client.ping()
        finally:
            client.close()
    except _FAULTS:
        return False
    return True


class ContainerServer(Server):
    """Starts a server from an image. Raises :class:`Missing` without the image, and :class:`ServerFailed`."""

    def __init__(self, image: str) -> None:
        self._stopped = False
        password = secrets.token_urlsafe(16)
        # A fixed port: one that the engine chose would be another after each start. Routing needs no more than
        # that, because a single server names itself in routing tables as its client called it.
        port = free_port()
        self._container = DockerContainer(image).with_bind_ports(BOLT, port)
        # The port may be open before the password is set, so the first thing to wait for is the log.
        self._container.waiting_for(LogMessageWaitStrategy(READY).with_startup_timeout(SECONDS))
        self._container.with_envs(
            NEO4J_AUTH=f"{USER}/{password}",
            NEO4J_server_memory_heap_max__size="1g",
            NEO4J_server_memory_pagecache_size="128m",
            NEO4J_dbms_usage__report_enabled="false",
        )
        try:
            self._container.start()
            host = self._container.get_container_host_ip()
            # By name this may mean an IPv6 address first, where the engine need not listen.
            host = "127.0.0.1" if host == "localhost" else host
            super().__init__(f"Docker image {image}", f"bolt://{host}:{port}", USER, password)
            self.answer()
        except _FAULTS as error:
            self.stop()
            raise Missing(f"no container of {image}: {' '.join(str(error).split())}") from None
        except (TimeoutError, RuntimeError) as error:
            self.stop()
            raise ServerFailed(f"{image} did not get ready: {' '.join(str(error).split())}") from None
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int | None:
        """The server's process as the engine's machine numbers it."""
        if self._stopped:
            return None
        wrapped = self._container.get_wrapped_container()
        wrapped.reload()
        return wrapped.attrs["State"]["Pid"] or None

    @property
    def running(self) -> bool:
        return self.pid is not None

    def stop(self) -> None:
        if not self._stopped:
            self._stopped = True
            self._container.stop()

    def kill(self) -> None:
        if self.running:
            wrapped = self._container.get_wrapped_container()
            wrapped.kill("SIGKILL")
            wrapped.wait()

    def start_again(self) -> None:
        if self.running:
            raise ServerFailed("the server is still running: kill it first")
        self._container.get_wrapped_container().start()
        self.answer()
