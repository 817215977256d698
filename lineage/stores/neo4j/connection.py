"""The driver, its sessions, and the one place where its errors become ours."""

from __future__ import annotations

import logging
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

import neo4j
from neo4j import exceptions

from lineage_schema.errors import BadInput, Conflict, Integrity, LineageError, StoreUnavailable

SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
USER, PASSWORD = "LINEAGE_NEO4J_USER", "LINEAGE_NEO4J_PASSWORD"
CONNECT_SECONDS = 1.5
"""A server that is away is told within two seconds."""
RETRY_SECONDS = 15.0

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
        max_transaction_retry_time=RETRY_SECONDS,
        notifications_min_severity="OFF",
        user_agent="evidence-lineage",
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
        raise StoreUnavailable(f"{at.shown} cannot be reached", hint="is the server up?") from error
    except exceptions.ConstraintError as error:
        raise Conflict(f"{at.shown}: another writer was there first ({error.code})", hint="try again") from error
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
    if "Forbidden" in code or "NotALeader" in code or "ReadOnly" in code:
        return StoreUnavailable(f"{at.shown} is read-only for {at.user!r}", hint="another user, or another database")
    if "TransactionTimedOut" in code:
        return StoreUnavailable(f"{at.shown}: the transaction took too long", hint="try again")
    return Integrity(f"{at.shown}: {code}: {(error.message or '')[:200]}")
