"""Where there is no way to a server, one line says what each way lacks; jars are fetched once and wholly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.neo4j_server import tools
from tests.neo4j_server.choice import obtain
from tests.neo4j_server.jars import fetched
from tests.neo4j_server.server import ServerFailed
from tests.neo4j_server.tools import Missing, java
from tests.neo4j_server.versions import LINES, asked, belongs, exact

FETCHING = "import sys; from tests.neo4j_server.jars import fetched; print(fetched(sys.argv[1]))"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH; no Java elsewhere, no Docker engine, an empty cache."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no-engine")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(tools, "INSTALLED", tmp_path / "jvm")
    return folder


def script(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


def jdk(path: Path, release: int) -> None:
    script(path, f'echo "jdk.compiler@{release}.0.1"')


def test_one_line_says_what_each_way_lacks(programs: Path) -> None:
    with pytest.raises(Missing) as told:
        obtain({})
    assert str(told.value) == (
        "no Neo4j: LINEAGE_TEST_NEO4J_URI is not set; Docker: no engine answers; "
        "Maven and Java: Neo4j 5.26.30 needs JDK 17 or 21, found no java"
    )
    jdk(programs / "java", 17)
    with pytest.raises(Missing, match=r"Maven and Java: mvn is not on PATH$"):
        obtain({})
    with pytest.raises(Missing, match=rf"needs JDK 21 or 25, found {programs}/java \(JDK 17\)$"):
        obtain({"LINEAGE_TEST_NEO4J_VERSION": "2026"})


def test_java_is_the_first_that_fits(programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(programs / "java", "echo 'jdk.compiler not found' >&2; exit 1")  # a Java without a compiler
    jdk(tmp_path / "jvm" / "a" / "bin" / "java", 25)
    jdk(tmp_path / "jvm" / "b" / "bin" / "java", 21)
    assert java("5.26.30") == str(tmp_path / "jvm" / "b" / "bin" / "java")
    assert java("2026.08.1") == str(tmp_path / "jvm" / "a" / "bin" / "java")
    jdk(tmp_path / "home" / "bin" / "java", 21)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert java("2026.08.1") == str(tmp_path / "home" / "bin" / "java")


def test_a_given_server_needs_a_password() -> None:
    given = {"LINEAGE_TEST_NEO4J_URI": "bolt://127.0.0.1:1"}
    with pytest.raises(ServerFailed, match=r"LINEAGE_NEO4J_PASSWORD is not$"):
        obtain(given)


def test_runs_at_the_same_time_fetch_once(programs: Path, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    script(
        programs / "mvn",
        f'echo call >>{calls}\nfor a; do case $a in -DoutputDirectory=*) out="${{a#*=}}";; esac; done\n'
        'mkdir -p "$out"; touch "$out/one.jar"; sleep 0.5; touch "$out/two.jar"',
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", FETCHING, "5.26.30"], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    folders = {run.communicate(timeout=60)[0].strip() for run in runs}
    assert [run.returncode for run in runs] == [0, 0, 0]
    (folder,) = folders
    assert sorted(path.name for path in Path(folder).iterdir()) == ["one.jar", "two.jar"]
    assert calls.read_text() == "call\n"


def test_a_fetch_that_fails_leaves_no_jars(programs: Path, tmp_path: Path) -> None:
    script(
        programs / "mvn",
        'for a; do case $a in -DoutputDirectory=*) mkdir -p "${a#*=}"; touch "${a#*=}/one.jar";; esac; done\n'
        "echo '[ERROR] no network'; echo '[ERROR] more'; exit 1",
    )
    with pytest.raises(Missing, match=r"^Maven fetched no jars of Neo4j 5\.26\.30: \[ERROR\] no network$"):
        fetched("5.26.30")
    assert not (tmp_path / "cache" / "evidence-lineage" / "neo4j-jars" / "5.26.30").exists()


def test_lines_and_versions() -> None:
    assert asked({}) == "5.26"
    assert asked({"LINEAGE_TEST_NEO4J_VERSION": "2026.08.1"}) == "2026.08.1"
    with pytest.raises(ValueError, match=r"expected 5\.26, 2026 or a whole version"):
        asked({"LINEAGE_TEST_NEO4J_VERSION": "latest"})
    assert all(belongs(exact(line), line) for line in LINES)
    assert not belongs("5.26.3", "5.26.30")
