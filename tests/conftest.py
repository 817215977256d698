"""What all tests share: hypothesis profiles, and the sample data of real pipelines."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.neo4j_server.fixtures"]

ROOT = Path(__file__).parent.parent
IN_CI = os.environ.get("CI") == "true"
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "default")

# No deadlines: an example's time depends on the machine, and says nothing about its result.
_SHARED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("default", parent=_SHARED, max_examples=25)
# Fixed examples, so that a run's result depends on the commit alone; `soak` is what searches.
settings.register_profile("ci", parent=_SHARED, max_examples=300, derandomize=True, database=None)
settings.register_profile("soak", parent=_SHARED, max_examples=10_000)
settings.load_profile(PROFILE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if PROFILE == "soak":
        return
    skip = pytest.mark.skip(reason="runs only under HYPOTHESIS_PROFILE=soak (make soak)")
    for item in items:
        if item.get_closest_marker("soak"):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def sample_data() -> Path:
    """The folder of real pipelines' files."""
    default = ROOT.parent / "shared" / "data"
    path = Path(os.environ.get("LINEAGE_SAMPLE_DATA", default)).resolve()
    if not path.is_dir():
        message = f"no sample data at {path}: set LINEAGE_SAMPLE_DATA to its folder"
        if IN_CI:
            # Skipped there, the tests against real files would be lost without anyone seeing it.
            pytest.fail(message)
        pytest.skip(message)
    return path
