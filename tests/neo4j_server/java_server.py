"""A server without Docker: the jars of the community edition, run by our launcher in a process of its own."""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from neo4j import GraphDatabase

from tests.neo4j_server.jars import fetched
from tests.neo4j_server.server import SECONDS, Server, ServerFailed, free_port
from tests.neo4j_server.tools import java

LAUNCHER = Path(__file__).with_name("Launcher.java")
USER = "neo4j"
FIRST_PASSWORD = "neo4j"

_OPTIONS = (
    "-Xmx1g",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
)
# Half the time to start, because little is compiled thoroughly; long runs are slower for it. Small tests take a quarter
# less where a statement is not planned again after each of them.
_QUICK = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dreplan=PT1H")


class JavaServer(Server):
    """Starts a server of one whole version in a fresh home.

    ``imports`` is a folder of files for the import tool, with its README.txt: the server's database is made of them.
    ``quick`` halves the time to start, and slows what runs for long: not for measurements.
    Raises :class:`Missing` where Maven, a JDK or the jars cannot be had, and :class:`ServerFailed`.
    """

    def __init__(self, version: str, *, quick: bool = True, imports: Path | None = None) -> None:
        self._options = (*_OPTIONS, *_QUICK) if quick else _OPTIONS
        self._program = java(version)
        self._jars = fetched(version)
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = Path(tempfile.mkdtemp(prefix="neo4j-test-"))
        self.imported = ""
        super().__init__("Maven and Java", f"bolt://127.0.0.1:{self._port}", USER, secrets.token_urlsafe(16))
        try:
            if imports is not None:
                self.imported = self._import(imports)
            self._start()
            self._change_first_password()
            self.answer()
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        # Closing its connections and files takes a server ten seconds, and nothing of them is kept.
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process = None

    def start_again(self) -> None:
        if self.running:
            raise ServerFailed("the server is still running: kill it first")
        self._start()
        self.answer()

    def _start(self) -> None:
        output = self._folder / "output"
        command = [self._program, *self._options, "-cp", f"{self._jars}/*", str(LAUNCHER)]
        with output.open("wb") as file:
            self._process = subprocess.Popen(
                [*command, str(self._folder / "home"), str(self._port)],
                # Stays open as long as this process lives: its end tells the launcher to end too.
                stdin=subprocess.PIPE,
                # A file and no pipe, because nobody would read a pipe after the first line.
                stdout=file,
                stderr=subprocess.STDOUT,
                # An interrupt typed at a terminal is for the tests, which then end the server.
                start_new_session=True,
            )
        end = time.monotonic() + SECONDS
        while not (lines := output.read_text(errors="replace").splitlines()) or not _is_ready(lines):
            if not self.running or time.monotonic() > end:
                self.kill()
                reasons = [line for line in lines if line.startswith(("Caused by:", "Exception", "error:"))] or lines
                raise ServerFailed(f"the launcher did not get ready: {reasons[-1] if reasons else 'it said nothing'}")
            time.sleep(0.1)

    def _import(self, folder: Path) -> str:
        """Runs the command that stands in the folder's README.txt, with the real tool; returns what it printed."""
        said = (folder / "README.txt").read_text(encoding="utf-8")
        command = shlex.split(said[said.index("neo4j-admin ") :].partition("\n\n")[0].replace("\\\n", ""))
        home = self._folder / "home"
        (home / "conf").mkdir(parents=True)
        done = subprocess.run(
            [self._program, *self._options, "-cp", f"{self._jars}/*", "org.neo4j.cli.AdminTool", *command[1:]],
            cwd=folder,
            env={**os.environ, "NEO4J_HOME": str(home), "NEO4J_CONF": str(home / "conf")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise ServerFailed(f"the import tool failed: {(done.stderr or done.stdout)[-2000:]}")
        return done.stdout

    def _change_first_password(self) -> None:
        """Nothing else is allowed before, and only the database ``system`` takes it."""
        with GraphDatabase.driver(self.uri, auth=(USER, FIRST_PASSWORD)) as driver:
            driver.execute_query(
                "ALTER CURRENT USER SET PASSWORD FROM $first TO $password",
                first=FIRST_PASSWORD,
                password=self.password,
                database_="system",
            )


def _is_ready(lines: list[str]) -> bool:
    return any(line.startswith("ready ") for line in lines)
