"""A Neo4j server that tests use: where it is, who logs in, and how it is ended, killed and started again."""

from __future__ import annotations

import random
import socket
import time
from abc import ABC, abstractmethod

from neo4j import Driver, GraphDatabase
from neo4j.exceptions import AuthError, DriverError, Neo4jError, ServiceUnavailable, SessionExpired, TransientError

DATABASE = "neo4j"
SECONDS = 180


class ServerFailed(Exception):
    """A server that could be started did not come up, or is not the one asked for. The message is one line."""


class Server(ABC):
    """A running server, with one database for the tests.

    ``uri`` is a ``bolt://`` or ``neo4j://`` address without a database. ``version`` and ``edition`` are what the
    server says of itself; ``how`` says in a few words where it came from. ``pid`` is its process on this machine,
    None where there is none or it was killed.
    """

    def __init__(self, how: str, uri: str, user: str, password: str) -> None:
        self.how = how
        self.uri = uri
        self.user = user
        self.password = password
        self.version = ""
        self.edition = ""

    def __repr__(self) -> str:
        return f"<Neo4j {self.version} {self.edition} at {self.uri}, {self.how}>"

    @property
    @abstractmethod
    def pid(self) -> int | None: ...

    @property
    @abstractmethod
    def running(self) -> bool: ...

    @property
    def can_be_killed(self) -> bool:
        return True

    @abstractmethod
    def stop(self) -> None:
        """Ends the server and removes what it stored. Does nothing the second time."""

    @abstractmethod
    def kill(self) -> None:
        """Ends the server by SIGKILL; what it stored stays. Does nothing where it does not run."""

    @abstractmethod
    def start_again(self) -> None:
        """Starts a killed server on what it had stored, at the same address; returns when it answers."""

    def driver(self) -> Driver:
        """A new driver; the caller closes it."""
        return GraphDatabase.driver(self.uri, auth=(self.user, self.password))

    def answer(self, seconds: float = SECONDS) -> None:
        """Waits until the database answers; sets ``version`` and ``edition``. Raises :class:`ServerFailed`."""
        end = time.monotonic() + seconds
        while True:
            try:
                # A plain query: the driver would try a managed one again for half a minute, at growing intervals.
                with self.driver() as driver, driver.session(database=DATABASE) as session:
                    records = list(session.run("CALL dbms.components()"))
            except (ServiceUnavailable, SessionExpired, TransientError) as error:
                # A process that ended will not answer any more.
                if self.running and time.monotonic() < end:
                    time.sleep(0.2)
                    continue
                raise ServerFailed(f"no answer from {self.uri}: {_line(error)}") from None
            except AuthError as error:
                raise ServerFailed(f"{self.uri} refuses user {self.user}: {_line(error)}") from None
            except (DriverError, Neo4jError) as error:
                raise ServerFailed(f"{self.uri}: {_line(error)}") from None
            (kernel,) = (record for record in records if record["name"] == "Neo4j Kernel")
            self.version, self.edition = kernel["versions"][0], kernel["edition"]
            return


class GivenServer(Server):
    """A server that somebody else runs: tests use it, and neither end it nor kill it."""

    @property
    def pid(self) -> None:
        return None

    @property
    def running(self) -> bool:
        return True

    @property
    def can_be_killed(self) -> bool:
        return False

    def stop(self) -> None:
        return None

    def kill(self) -> None:
        raise ServerFailed(f"{self.uri} was not started here, so it cannot be killed here")

    def start_again(self) -> None:
        raise ServerFailed(f"{self.uri} was not started here, so it cannot be started again here")


def free_port() -> int:
    """A port of 127.0.0.1 that nothing listens on.

    Below the range from which outgoing connections get theirs: otherwise one of them could take the port of a
    killed server, even a client's that tries to reach it again, and then the server could not come back.
    """
    for _ in range(100):
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe:
            # As servers do: a port whose last connections are only timing out is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise ServerFailed("no free port between 20000 and 32000")


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
