"""The documentation is run: commands, snippets, example records, links, and the generated reference."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lineage_cli.reference import commands, reference
from lineage_schema.records import RECORD
from lineage_schema.vocabulary import Kind

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def fenced(path: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.S)


def test_the_readme_tour_runs(tmp_path: Path) -> None:
    """Every command of the tour, in order, in one shell. ``make demo`` is `lineage demo` after an installation, and
    ``make test`` would run this test: neither is fenced as a console."""
    script = ["set -e"]
    for block in fenced(ROOT / "README.md", "console"):
        script += [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
    assert len(script) > 8
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {key: value for key, value in os.environ.items() if key != "LINEAGE_STORE"} | {"PATH": path}
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for word in ("INVALID", "SPARED", "not from the cache", "bottleneck", "to rebuild", "DRY RUN", "0 faults"):
        assert word in done.stdout


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "pipeline-author.md"], ids=lambda page: page.name)
def test_snippets_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = fenced(page, "python")
    assert blocks
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)


def test_example_records_are_valid() -> None:
    lines = [line for block in fenced(DOCS / "forms.md", "json") for line in block.splitlines()]
    types = {RECORD.validate_python(json.loads(line)).type for line in lines}
    assert types == set(RECORD.json_schema()["discriminator"]["mapping"])


def test_every_kind_is_documented() -> None:
    text = (DOCS / "kinds.md").read_text(encoding="utf-8")
    assert all(f"| `{kind.value}` |" in text for kind in Kind)


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            assert target.startswith("http") or (page.parent / target).exists(), (page.name, target)


def test_the_reference_is_what_the_commands_say() -> None:
    assert (DOCS / "reference.md").read_text(encoding="utf-8") == reference()


def test_every_command_has_help_and_an_example() -> None:
    for name, command in commands():
        assert f"lineage {name}" in (command.help or "").replace("lineage --store sqlite:///lineage.db ", "lineage "), (
            name
        )
        assert "Example" in (command.help or ""), name
