"""A store on a server, as commands tell of it: away, and with a password that nobody is ever shown."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from lineage.stores.neo4j.connection import PASSWORD, USER
from tests.neo4j_server.fixtures import logged_in
from tests.neo4j_server.server import DATABASE, Server, free_port

CANARY = "canary-3f0c7d"
COMMANDS = (["check", "returns"], ["init"], ["migrate"], ["doctor"], ["demo"], ["verify", "--json"])


@pytest.mark.parametrize("scheme", ["neo4j", "bolt"])
def test_a_server_that_is_away_is_one_line(pipe: Callable, scheme: str) -> None:
    url = f"{scheme}://127.0.0.1:{free_port()}/neo4j"
    told = pipe("check", "returns", "--store", url, **{USER: "ann", PASSWORD: CANARY})
    assert (told.code, told.out) == (4, "")
    assert told.err == f"error: {url} cannot be reached: is the server up?\n"
    told = pipe("check", "returns", "--store", url, "--json", **{USER: "ann", PASSWORD: CANARY})
    assert told.code == 4
    assert told.error()["code"] == "store_unavailable"


@pytest.mark.parametrize("arguments", COMMANDS)
def test_no_traceback_shows_the_password_of_a_server_that_is_away(pipe: Callable, arguments: list[str]) -> None:
    url = f"neo4j://127.0.0.1:{free_port()}/neo4j"
    told = pipe("--debug", *arguments, "--store", url, **{USER: "ann", PASSWORD: CANARY})
    assert told.code == 4
    assert "Traceback" in told.err
    assert CANARY not in told.out + told.err


@pytest.mark.neo4j
@pytest.mark.parametrize("arguments", COMMANDS)
@pytest.mark.parametrize("wrong", ["password", "database"])
def test_nor_does_one_of_a_server_that_refuses(
    pipe: Callable, neo4j_server: Server, monkeypatch: pytest.MonkeyPatch, arguments: list[str], wrong: str
) -> None:
    url = logged_in(neo4j_server, monkeypatch)
    # Where the database is wrong, the password is the right one.
    given, says = {}, "no database 'nowhere'"
    if wrong == "password":
        # A user of whom there is none: the tests' own would be kept out for a while.
        given, says = {USER: "nobody", PASSWORD: CANARY}, "refuses (the user )?'nobody'"
    else:
        url = url.removesuffix(DATABASE) + "nowhere"
    for debug in ([], ["--debug"]):
        told = pipe(*debug, *arguments, "--store", url, **given)
        assert told.code == 4
        assert re.search(says, told.err)
        assert ("Traceback" in told.err) is bool(debug)
        assert given.get(PASSWORD, neo4j_server.password) not in told.out + told.err
