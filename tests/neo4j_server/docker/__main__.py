"""Runs the Neo4j tests and compose.yaml on a local image, in a Docker engine that is started where none answers.

``python -m tests.neo4j_server.docker [--where-possible] [TESTS…]``: ``LINEAGE_TEST_NEO4J_VERSION`` chooses the server.
Exit code 1 where a test fails or something is missing; with ``--where-possible``, 0 where there can be no Docker.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys

from tests.neo4j_server.choice import IMAGE, URI
from tests.neo4j_server.docker import compose
from tests.neo4j_server.docker.engine import engine
from tests.neo4j_server.docker.image import built
from tests.neo4j_server.docker.programs import NoDocker
from tests.neo4j_server.server import ServerFailed
from tests.neo4j_server.tools import Missing
from tests.neo4j_server.versions import VARIABLE, asked, exact

TESTS = ("tests/conformance", "tests/neo4j_server")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make test-docker")
    parser.add_argument("--where-possible", action="store_true")
    parser.add_argument("tests", nargs="*", default=TESTS)
    options = parser.parse_args(arguments)
    # The engine is ended in either case.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    version = exact(asked(os.environ))
    try:
        with engine():
            by = compose.command()
            image = built(version)
            failed = _tested(options.tests, image, version)
            compose.checked(by, image)
            return failed
    except NoDocker as missing:
        print(f"no Docker, so no test of it: {missing}", file=sys.stderr)
        return 0 if options.where_possible else 1
    except (Missing, ServerFailed) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _tested(tests: list[str], image: str, version: str) -> int:
    given = {key: value for key, value in os.environ.items() if key != URI}
    # Testcontainers' own reaper is an image that has to be pulled; fixtures end what they started.
    chosen = {IMAGE: image, VARIABLE: version, "TESTCONTAINERS_RYUK_DISABLED": "true"}
    command = [sys.executable, "-m", "pytest", "-m", "neo4j", *tests]
    return subprocess.run(command, env={**given, **chosen}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
