"""The real command with pipes at its ends: pure data, no escapes, whole ids, and readers that go away."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.places import Place

COMMAND = f"{sys.executable} -m lineage_cli"


def test_json_is_pure_data_and_errors_are_json_too(corrected: Place, pipe) -> None:
    good = pipe("affected", "last", "--json")
    assert json.loads(good.out)["schema"] == "affected/1"
    assert good.err == ""
    assert "\n" not in good.out.rstrip("\n"), "one line, for programs"
    bad = pipe("trace", "nothing", "--json")
    assert bad.code == 3
    assert bad.error()["code"] == "not_found"


def test_no_escapes_and_whole_ids_also_where_colour_is_forced(corrected: Place, pipe) -> None:
    for environment in ({}, {"FORCE_COLOR": "1", "TTY_COMPATIBLE": "1", "COLUMNS": "40"}):
        told = pipe("affected", "last", **environment)
        assert "\x1b" not in told.out + told.err
        assert len(told.out.split()[0]) == 43
        assert "…" not in told.out


def test_data_is_utf_8_whatever_the_locale(corrected: Place, pipe) -> None:
    told = pipe("affected", "last", LC_ALL="POSIX", PYTHONIOENCODING="ascii", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert told.code == 0
    assert "v1→v2" in told.out


def shell(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", script], capture_output=True, text=True, check=False, timeout=120
    )


def test_a_reader_that_goes_away_is_no_error() -> None:
    done = shell(f"{COMMAND} schema | head -c 10")
    assert (done.returncode, done.stderr) == (0, "")


def test_and_does_not_make_a_stale_answer_fresh(corrected: Place) -> None:
    done = shell(f"{COMMAND} check returns | true; exit ${{PIPESTATUS[0]}}")
    assert (done.returncode, done.stderr) == (1, "")


def test_without_a_standard_output(corrected: Place) -> None:
    done = shell(f"{COMMAND} check returns >&-")
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_told() -> None:
    done = shell(f"{COMMAND} schema >/dev/full")
    assert done.returncode == 74
    assert done.stderr == "error: No space left on device\n"


def test_nothing_heavy_is_loaded_where_it_is_not_needed(stored: Path) -> None:
    """Start-up is most of what a short command takes."""
    heavy = ("networkx", "pyarrow", "hypothesis", "neo4j", "pydantic_settings", "rich", "asyncio")
    script = (
        "import sys; from lineage_cli.main import call; code = call(sys.argv[1:]);"
        f"print([name for name in {(*heavy, 'lineage')!r} if name in sys.modules], file=sys.stderr);"
        "sys.exit(code)"
    )

    def loaded(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False, timeout=120
        )
        return done.returncode, done.stderr.splitlines()[-1]

    code, names = loaded("check", "returns")
    assert code == 0
    assert not [name for name in heavy if f"'{name}'" in names], names
    # Completion and help run at each key press and look-up: not even the library is loaded.
    code, names = loaded("check", "--help")
    assert code == 0
    assert "'lineage'" not in names


def test_completion(here: Path) -> None:
    environment = {**os.environ, "_LINEAGE_COMPLETE": "complete_bash", "COMP_WORDS": "lineage aff", "COMP_CWORD": "1"}
    script = f"{sys.executable} -c 'from lineage_cli.main import run; run([])'"
    done = subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout.split() == ["affected"]
