"""Where there can be no Docker, one line says why; what a test brings up is its own, and only this machine's."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.neo4j_server.choice import obtain
from tests.neo4j_server.docker import compose, engine, image
from tests.neo4j_server.docker.__main__ import main
from tests.neo4j_server.docker.programs import NoDocker
from tests.neo4j_server.server import ServerFailed
from tests.neo4j_server.tools import Missing


@pytest.fixture
def silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No engine answers; the folder is all of PATH, and the parent of temporary folders is beside it."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(engine, "engine_answers", _no_answer)
    monkeypatch.delenv(engine.HOST, raising=False)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    return tmp_path / "bin"


def _no_answer() -> None:
    raise Missing("no engine answers")


def script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


def test_without_an_engine_one_line_says_why(
    silent: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*arguments: str) -> tuple[int, str]:
        code = main([*arguments, "tests/conformance"])
        return code, capsys.readouterr().err

    start = "no Docker, so no test of it: no engine answers"
    no_apt = f"{start}: dockerd is not on PATH, and there is no apt-get to install docker.io\n"
    assert said() == (1, no_apt)
    assert said("--where-possible") == (0, no_apt)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert said() == (1, f"{start}, and only root may start one\n")
    monkeypatch.setenv(engine.HOST, "unix:///none")
    assert said() == (1, f"{start} at DOCKER_HOST=unix:///none\n")


def test_an_engine_that_does_not_start_leaves_nothing(silent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(silent / "dockerd", "echo starting; echo 'not permitted' >&2; exit 1")
    with pytest.raises(NoDocker, match=r"^no engine answers: dockerd said not permitted$"), engine.engine():
        pytest.fail("there is no engine")
    assert list((silent.parent / "tmp").iterdir()) == []
    assert engine.HOST not in os.environ


def test_a_named_image_is_not_replaced_by_another_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no-engine")
    with pytest.raises(ServerFailed, match=r"^LINEAGE_TEST_NEO4J_IMAGE is set, but no engine answers$"):
        obtain({"LINEAGE_TEST_NEO4J_IMAGE": "an/image:1"})


def test_an_image_is_of_the_files_that_it_was_made_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(image.HERE, tmp_path / "docker")
    home = Path("/usr/lib/jvm/one")
    before = image.fingerprint(home)
    monkeypatch.setattr(image, "HERE", tmp_path / "docker")
    assert image.fingerprint(home) == before
    assert image.fingerprint(Path("/usr/lib/jvm/other")) != before
    for name in (*image.SOURCES, *image.SCRIPTS):
        with (tmp_path / "docker" / name).open("a") as file:
            file.write("\n")
        after = image.fingerprint(home)
        assert after != before, name
        before = after


@pytest.mark.parametrize(("version", "named"), [("1.29.2", False), ("2.29.7", True), ("v2.29.7", True)])
def test_only_the_first_compose_loses_the_name(version: str, named: bool, tmp_path: Path) -> None:
    script(tmp_path / "docker-compose", f"echo {version}")
    text = compose.FILE.read_text(encoding="utf-8")
    lines = compose.understood(text, [str(tmp_path / "docker-compose")]).splitlines()
    left_out = [line for line in text.splitlines() if line not in lines]
    assert left_out == ([] if named else ["name: evidence-lineage"])


def test_compose_publishes_to_this_machine_alone() -> None:
    text = compose.FILE.read_text(encoding="utf-8")
    (ports,) = re.findall(r"^    ports:\n((?: {6}.*\n)+)", text, re.M)
    published = [line.strip() for line in ports.splitlines() if not line.strip().startswith("#")]
    assert published, "no port"
    assert all(each.startswith("- 127.0.0.1:") for each in published), published
