"""What is said about a release in several files agrees: its version, the oldest dependencies, the Pythons."""

import importlib.util
import re
import sys
import tomllib
from pathlib import Path

import pytest

from atfnb import __version__

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BOUND = re.compile(r"([\w.-]+)(?:\[\w+\])?>=([\d.]+)")


def pins(name):
    lines = (ROOT / name).read_text(encoding="utf-8").split()
    return {plain(line.split("==")[0]): line.split("==")[1] for line in lines}


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def release(script, monkeypatch):
    """A script of the folder release, as a module."""
    monkeypatch.syspath_prepend(ROOT / "release")
    spec = importlib.util.spec_from_file_location(script, ROOT / "release" / f"{script}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for each in ("environments", "dist"):
        monkeypatch.delitem(sys.modules, each, raising=False)
    return module


def test_the_version_is_in_one_place_and_the_citation_has_it():
    assert "version" in PROJECT["dynamic"]
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_oldest_versions_that_are_tried_are_those_that_are_promised(monkeypatch):
    extras = PROJECT["optional-dependencies"]
    for_users = set(extras) - release("dist", monkeypatch).FOR_DEVELOPERS
    promised = [*PROJECT["dependencies"], *(each for extra in sorted(for_users) for each in extras[extra])]
    oldest = pins("constraints-oldest.txt")
    for name, bound in (BOUND.match(each).groups() for each in promised):
        tried = oldest[plain(name)].split(".")
        wanted = bound.split(".")
        assert tried[: len(wanted)] == wanted, name
        assert not any(map(int, tried[len(wanted) :])), name


def test_the_pythons_that_are_promised_are_tried(monkeypatch):
    tried = list(release("matrix", monkeypatch).PYTHONS)
    promised = [each.rpartition(" ")[2] for each in PROJECT["classifiers"] if "Python :: 3." in each]
    assert promised == tried
    assert PROJECT["requires-python"] == f">={tried[0]}"
    only = re.search(r"only: \[(.*)\]", (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))[1]
    assert re.findall(r'"([^"]+)"', only) == [*tried, "oldest"]


def test_every_extra_of_a_user_has_tests_that_try_it(monkeypatch):
    dist = release("dist", monkeypatch)
    assert {"", *PROJECT["optional-dependencies"]} - dist.FOR_DEVELOPERS == set(dist.SLICES)
    for tests in dist.SLICES.values():
        assert all((ROOT / each).exists() for each in tests)


def test_the_core_of_the_suite_exists(monkeypatch):
    assert all((ROOT / each).exists() for each in release("matrix", monkeypatch).CORE)


@pytest.mark.parametrize("workflow", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_workflows_use_pinned_actions_and_tasks_that_exist(workflow):
    text = workflow.read_text(encoding="utf-8")
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", each) for each in re.findall(r"uses: (.+)", text))
    tasks = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"make ([a-z]+)", text)) - {"help"} <= tasks
