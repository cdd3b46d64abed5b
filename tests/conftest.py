import os
import re
from pathlib import Path

import matplotlib
import pytest
from hypothesis import HealthCheck, settings

from helpers.browsers import browser, violations, visit

__all__ = ["browser", "violations", "visit"]

matplotlib.use("Agg")
settings.register_profile(
    "thorough",  # what make test-all runs
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
settings.register_profile("quick", settings.get_profile("thorough"), max_examples=20)
settings.register_profile("few", settings.get_profile("thorough"), max_examples=10)
settings.load_profile("few" if os.environ.get("ATFNB_FEW_EXAMPLES") else "quick")

SHARED = Path(__file__).resolve().parents[2] / "shared"
MADE_ONCE = {
    f"tests/{file}.py"
    for file in (
        "study/test_leaves",
        "study/test_reproduce",
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
        if "snapshot" in getattr(item, "fixturenames", ()):
            item.add_marker("snapshot")
    if not SHARED.exists():
        missing = pytest.mark.skip(reason="the real data sets are not beside the repository")
        for item in items:
            if item.get_closest_marker("shared"):
                item.add_marker(missing)


@pytest.fixture
def shared():
    return SHARED


def pytest_addoption(parser):
    parser.addoption("--rewrite-snapshots", action="store_true", help="write the texts of tests, compare nothing")


@pytest.fixture
def snapshot(request):
    """Compare a text with the one in the folder snapshots beside the test; ``make snapshots`` rewrites all of them.

    A second text of a test has a name of its own.
    """

    def compare(text, name=""):
        test = re.sub(r"\W+", "-", f"{request.node.name} {name}").strip("-")
        file = request.path.parent / "snapshots" / request.path.stem / f"{test}.txt"
        text = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
        if request.config.getoption("--rewrite-snapshots"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert file.exists(), f"{file} is not there: make snapshots writes it"
        assert text == file.read_text(encoding="utf-8"), f"{file} differs; if it should: make snapshots"

    return compare
