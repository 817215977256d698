"""The driver, its sessions, and the one place where its errors become ours."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

import neo4j
from neo4j import exceptions

from lineage_schema.errors import BadInput, Conflict, Integrity, LineageError, StoreUnavailable

SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
USER, PASSWORD = "LINEAGE_NEO4J_USER", "LINEAGE_NEO4J_PASSWORD"
CONNECT_SECONDS = 1.1
"""With a command's start, a server that is away is told within two seconds; a first packet that is lost is sent again
after one."""
ANSWER_SECONDS = 10.0
"""A server that takes a connection and says nothing, as one does that hangs, is told after this."""
RETRY_SECONDS = 15.0
TRANSACTION_SECONDS = 600.0
"""A transaction that takes longer is ended by the server: also one that waits for a lock that is never given back."""
LEAST_VERSION = (5, 26)
NOTIFICATIONS = "neo4j.notifications"
"""The logger of what the server remarks on statements: asked for only where somebody listens (``--debug``)."""

# What the driver logs is for those who ask for it: our own errors say the same, in one line.
logging.getLogger("neo4j").addHandler(logging.NullHandler())


@dataclass(frozen=True)
class Address:
    """Where a store is, and who logs in. The password is in no representation of it."""

    uri: str
    database: str
    user: str
    password: str = field(repr=False)

    @property
    def shown(self) -> str:
        """What messages call it."""
        return f"{self.uri}/{self.database}"


def address(url: str) -> Address:
    """Reads a URL; user and password are in the environment, never in the URL. Raises :class:`BadInput`."""
    parts = urlsplit(url)
    if parts.username is not None or parts.password is not None:
        raise BadInput(
            "store", "url", found=f"{parts.scheme}://…@{parts.hostname}", expected=f"{USER} and {PASSWORD} instead"
        )
    database = unquote(parts.path.strip("/"))
    if parts.scheme not in SCHEMES or not parts.hostname or not database or "/" in database:
        raise BadInput("store", "url", found=url, expected="neo4j://HOST:7687/DATABASE")
    user, password = os.environ.get(USER), os.environ.get(PASSWORD)
    if not user or password is None:
        missing = USER if not user else PASSWORD
        raise BadInput("store", missing, found=None, expected=f"who logs in to {parts.hostname}, in the environment")
    return Address(f"{parts.scheme}://{parts.netloc}", database, user, password)


def driver(at: Address) -> neo4j.Driver:
    """A driver; nothing is connected yet."""
    return neo4j.GraphDatabase.driver(
        at.uri,
        auth=(at.user, at.password),
        connection_timeout=CONNECT_SECONDS,
        connection_acquisition_timeout=ANSWER_SECONDS,
        max_transaction_retry_time=RETRY_SECONDS,
        notifications_min_severity=None if _listened() else "OFF",
        user_agent="evidence-lineage",
    )


def _listened() -> bool:
    """Whether notifications go anywhere: a logger that was set to tell them."""
    logger = logging.getLogger(NOTIFICATIONS)
    return logger.level != logging.NOTSET and logger.isEnabledFor(logging.INFO)


def check_version(agent: str, shown: str) -> None:
    """Raises :class:`StoreUnavailable` where a server (``Neo4j/5.26.30``) is older than what this program sends."""
    match = re.match(r"Neo4j/(\d+)\.(\d+)", agent)
    if match is not None and (int(match[1]), int(match[2])) < LEAST_VERSION:
        least = ".".join(map(str, LEAST_VERSION))
        raise StoreUnavailable(
            f"{shown} is {agent}, this program needs Neo4j {least} or later", hint="upgrade the server"
        )


@contextmanager
def translated(at: Address) -> Generator[None]:
    """Turns the driver's errors into ours. No message holds the password."""
    try:
        yield
    except LineageError:
        raise
    except exceptions.AuthError as error:
        raise StoreUnavailable(
            f"{at.shown} refuses the user {at.user!r}", hint=f"{USER} and {PASSWORD} name who logs in"
        ) from error
    except (exceptions.ServiceUnavailable, exceptions.SessionExpired) as error:
        raise StoreUnavailable(f"{at.shown} cannot be reached: is the server up?") from error
    except exceptions.ConstraintError as error:
        raise Conflict(f"{at.shown}: another writer was there first ({error.code})", hint="try again") from error
    except (exceptions.NotALeader, exceptions.ForbiddenOnReadOnlyDatabase) as error:
        raise _read_only(at) from error
    except exceptions.TransientError as error:
        raise StoreUnavailable(
            f"{at.shown}: gave up after {RETRY_SECONDS:g} s ({error.code})", hint="try again"
        ) from error
    except exceptions.ClientError as error:
        raise _client(at, error) from error
    except exceptions.Neo4jError as error:
        raise StoreUnavailable(f"{at.shown}: {error.code}") from error
    except exceptions.DriverError as error:
        raise StoreUnavailable(f"{at.shown} cannot be reached: {type(error).__name__}") from error


def _client(at: Address, error: exceptions.ClientError) -> LineageError:
    code = error.code or ""
    if "DatabaseNotFound" in code:
        return StoreUnavailable(f"no database {at.database!r} at {at.uri}", hint="the URL ends with its name")
    if "AuthenticationRateLimit" in code:
        return StoreUnavailable(f"{at.shown} refuses {at.user!r} for a while: too many wrong passwords", hint="wait")
    if "Forbidden" in code or "AccessMode" in code or "ReadOnly" in code:
        return _read_only(at)
    if "TimedOut" in code or "LockAcquisitionTimeout" in code:
        return StoreUnavailable(f"{at.shown}: the transaction took too long ({code})", hint="try again")
    return Integrity(f"{at.shown}: {code}: {(error.message or '')[:200]}")


def _read_only(at: Address) -> StoreUnavailable:
    return StoreUnavailable(f"{at.shown} is read-only for {at.user!r}", hint="another user, or another database")
