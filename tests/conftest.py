import os
from pathlib import Path

import matplotlib
import pytest
from hypothesis import HealthCheck, settings

from browsers import browser, violations, visit

__all__ = ["browser", "violations", "visit"]

matplotlib.use("Agg")
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
settings.register_profile("few", settings.get_profile("repeatable"), max_examples=10)
settings.load_profile("few" if os.environ.get("ATFNB_FEW_EXAMPLES") else "repeatable")

SHARED = Path(__file__).resolve().parents[2] / "shared"
MADE_ONCE = {
    f"tests/{file}.py"
    for file in (
        "paper/test_leaves",
        "paper/test_reproduce",
        "scale/test_cluster",
        "report/test_page",
        "docs/test_site",
    )
}
"""Files whose tests share what takes long to make."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Such a file goes to one worker, and early; any other test to whichever is free."""
    from xdist.scheduler import LoadScopeScheduling

    class FilesMadeOnce(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file, *_ = nodeid.split("::")
            return file if file in MADE_ONCE else nodeid

    return FilesMadeOnce(config, log)


def pytest_collection_modifyitems(items):
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("no_cover")  # it would double the time of a hundred cases; other tests run the same lines
    if not SHARED.exists():
        missing = pytest.mark.skip(reason="the real data sets are not beside the repository")
        for item in items:
            if item.get_closest_marker("shared"):
                item.add_marker(missing)


@pytest.fixture
def shared():
    return SHARED
