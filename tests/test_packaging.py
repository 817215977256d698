"""The built wheel holds what an installation needs, and nothing that would overwrite other people's packages."""

import subprocess
import sys
import zipfile
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = {"lineage", "lineage_schema", "lineage_scoring", "lineage_cli"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    # Without isolation the build takes no build requirements from the network.
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


def test_top_level_is_the_four_packages(wheel):
    top = {name.split("/")[0] for name in wheel.namelist()}
    (metadata,) = (name for name in top if name.endswith(".dist-info"))
    assert top - {metadata} == PACKAGES


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_package_is_importable_and_typed(wheel, package):
    assert {f"{package}/__init__.py", f"{package}/py.typed"} <= set(wheel.namelist())


def test_command_is_declared(wheel):
    (name,) = (name for name in wheel.namelist() if name.endswith("/entry_points.txt"))
    entry_points = ConfigParser()
    entry_points.read_string(wheel.read(name).decode())
    assert dict(entry_points["console_scripts"]) == {"lineage": "lineage_cli.main:run"}
