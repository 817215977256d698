"""Which server the tests use: a given one, else one in Docker, else one by Maven and Java.

``LINEAGE_TEST_NEO4J_URI`` gives one, with ``LINEAGE_NEO4J_USER`` and ``LINEAGE_NEO4J_PASSWORD``.
``LINEAGE_TEST_NEO4J_IMAGE`` names an image other than the official one.
``LINEAGE_TEST_NEO4J_VERSION`` chooses the line or version (:mod:`tests.neo4j_server.versions`).
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.neo4j_server.server import DATABASE, GivenServer, Server, ServerFailed
from tests.neo4j_server.tools import Missing
from tests.neo4j_server.versions import VARIABLE, asked, belongs, exact, image

URI = "LINEAGE_TEST_NEO4J_URI"
IMAGE = "LINEAGE_TEST_NEO4J_IMAGE"
USER = "LINEAGE_NEO4J_USER"
PASSWORD = "LINEAGE_NEO4J_PASSWORD"


def obtain(environ: Mapping[str, str], *, quick: bool = True) -> Server:
    """A running server; ``quick`` is what :class:`JavaServer` says of it.

    Raises :class:`Missing` when there is no way to one, :class:`ServerFailed` for a faulty way.
    """
    server = _given(environ) if environ.get(URI) else _started(environ, quick)
    wanted = environ.get(VARIABLE)
    if wanted and not belongs(server.version, asked(environ)):
        server.stop()
        raise ServerFailed(f"{VARIABLE} asks for {wanted}, but {server!r} answers")
    return server


def _given(environ: Mapping[str, str]) -> Server:
    if not environ.get(PASSWORD):
        raise ServerFailed(f"{URI} is set, but {PASSWORD} is not")
    server = GivenServer(URI, environ[URI].rstrip("/"), environ.get(USER) or "neo4j", environ[PASSWORD])
    server.answer(seconds=10)
    _refuse_foreign_data(server)
    return server


def _refuse_foreign_data(server: Server) -> None:
    """Tests delete whatever the database holds, so it must hold nothing before them."""
    with server.driver() as driver:
        records, _, _ = driver.execute_query("MATCH (n) RETURN count(n) AS nodes", database_=DATABASE)
    if nodes := records[0]["nodes"]:
        raise ServerFailed(f"database {DATABASE} of {server.uri} holds {nodes} nodes: the tests would delete them")


def _started(environ: Mapping[str, str], quick: bool) -> Server:
    lacks: list[str] = []
    try:
        return _in_docker(environ)
    except Missing as missing:
        lacks.append(f"Docker: {missing}")
    # Imported where needed: a given server needs none of this.
    from tests.neo4j_server.java_server import JavaServer

    try:
        return JavaServer(exact(asked(environ)), quick=quick)
    except Missing as missing:
        lacks.append(f"Maven and Java: {missing}")
    raise Missing(f"no Neo4j: {URI} is not set; {'; '.join(lacks)}")


def _in_docker(environ: Mapping[str, str]) -> Server:
    from tests.neo4j_server.container_server import ContainerServer, engine_answers

    named = environ.get(IMAGE)
    try:
        engine_answers()
        return ContainerServer(named or image(asked(environ)))
    except Missing as missing:
        if named:
            # Another server than the named one would not be what was asked for.
            raise ServerFailed(f"{IMAGE} is set, but {missing}") from None
        raise
