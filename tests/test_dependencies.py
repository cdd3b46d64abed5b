"""What is imported is declared: in the dependencies, or in an extra."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import numpy as np
import pytest

from atfnb import NB

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")])
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FOR_DEVELOPERS = {"test", "check", "docs"}
"""Extras that a user of the library does not install."""


def plain(name):
    """A distribution's name as package indexes compare it: without versions, extras and markers."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", name)[0]).lower()


def imported(file):
    """The third-party modules that a file imports, at its top or in a function; those for type checkers left out."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module]
        yield from (name.split(".")[0] for name in names)


def declared(*extras):
    groups = [PROJECT["dependencies"], *(PROJECT["optional-dependencies"][extra] for extra in extras)]
    return {plain(name) for group in groups for name in group}


USED = {
    (file, name)
    for file in FILES
    for name in imported(file)
    if name not in {*sys.stdlib_module_names, "atfnb", "atfnb_study", "benchmarks"}
}
DISTRIBUTIONS = packages_distributions()


def undeclared(where, *extras, root=ROOT / "src" / "atfnb"):
    known = declared(*extras)
    used = {name for file, name in USED if (root / where) in (file, *file.parents)}
    return sorted(name for name in used if not known & {plain(each) for each in DISTRIBUTIONS.get(name, [name])})


def test_every_import_is_declared():
    extras = [extra for extra in PROJECT["optional-dependencies"] if extra not in FOR_DEVELOPERS]
    assert undeclared("src", *extras, root=ROOT) == []


@pytest.mark.parametrize("room", ["cli", "classifiers", "evaluation", "model_file", "report"])
def test_what_every_user_has_needs_no_extra(room):
    assert undeclared(room) == []


def test_workbooks_are_the_only_tables_that_need_an_extra():
    assert undeclared("tables") == ["python_calamine", "xlsxwriter"]
    assert undeclared("tables", "excel") == []


def test_the_sketch_of_numbers_in_parts_is_the_only_part_of_encoding_that_needs_an_extra(monkeypatch):
    assert undeclared("encoding") == ["datasketches"]
    assert undeclared("encoding", "scale") == []
    monkeypatch.setitem(sys.modules, "datasketches", None)  # as where it is not installed
    X = np.arange(60.0)[:, None]
    model = NB(max_distinct=20).fit(X, X[:, 0] > 29)
    assert model.score(X, X[:, 0] > 29) == 1.0


def test_training_in_parts_needs_no_extra_but_its_own():
    assert undeclared("scale", "scale") == []


def test_only_onnx_needs_the_extra_of_exported_models():
    assert undeclared("export") == ["onnx", "skl2onnx"]
    assert undeclared("export", "export") == []


def test_benchmarks_need_the_study_what_they_compare_with_and_the_tools_of_the_tests():
    assert undeclared("benchmarks", "study", "peers", "test", root=ROOT) == [
        "khiops",  # no extra: it excludes our scikit-learn
        "wnb",
    ]
