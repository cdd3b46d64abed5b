"""Without any extra, everything imports that every user has; what needs an extra says so in one sentence."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pyarrow as pa
import pytest
import xlsxwriter

from atfnb import NB, save

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SENTENCE = re.compile(r"^[^\n]+ pip install 'atfnb\[(\w+)\]'$")
WITH_EXTRA = {"atfnb_study.leaf": "leaf", "atfnb.scale": "scale"}
"""Packages that need an extra as a whole, with the modules inside them."""


def plain(name):
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", name)[0]).lower()


def modules_of_extras():
    """The modules that only an extra installs."""
    always = {plain(each) for each in PROJECT["dependencies"]} | {"pillow"}  # which matplotlib needs
    extras = {plain(each) for group in PROJECT["optional-dependencies"].values() for each in group}
    found = packages_distributions().items()
    return sorted(name for name, owners in found if {plain(each) for each in owners} & (extras - always - {"atfnb"}))


BLOCKED = [*(name for name in modules_of_extras() if name.isidentifier() and name != "_pytest"), "dask", "skimage"]
PREAMBLE = f"""
import sys

class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {BLOCKED!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hide())
"""
IMPORT_ALL = (
    PREAMBLE
    + """
import importlib, json, pkgutil, atfnb, atfnb_study
failed = {}
walks = [pkgutil.walk_packages(each.__path__, f"{each.__name__}.", lambda name: None) for each in (atfnb, atfnb_study)]
for found in (each for walk in walks for each in walk):
    if not found.name.endswith("__main__"):
        try:
            importlib.import_module(found.name)
        except ImportError as error:
            failed[found.name] = str(error)
for name in atfnb.__all__:
    getattr(atfnb, name)
print(json.dumps(failed))
"""
)
COMMAND = PREAMBLE + "from atfnb.__main__ import main\nsys.argv[0] = 'atfnb'\nmain()"


def run(program, *words, folder=None):
    return subprocess.run(
        [sys.executable, "-c", program, *words], cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_extras_are_hidden():
    assert {"dask", "skimage", "pandas", "python_calamine", "xlsxwriter", "datasketches"} <= set(BLOCKED)
    assert not {"numpy", "sklearn", "matplotlib", "atfnb"} & set(BLOCKED)


def test_every_module_imports_without_extras_or_says_which_one_it_needs():
    done = run(IMPORT_ALL)
    assert done.returncode == 0, done.stderr
    failed = json.loads(done.stdout)
    for name, message in failed.items():
        said = SENTENCE.match(message)
        assert said, f"{name}: {message}"
        needed = next((extra for package, extra in WITH_EXTRA.items() if f"{name}.".startswith(f"{package}.")), None)
        assert said[1] == needed, name
    assert set(WITH_EXTRA) <= set(failed)


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["leaf", "extract", "photographs"], "leaf"),
        (["train", "*.csv", "--target", "kind"], "scale"),
        (["train", "rows.xlsx", "--target", "kind"], "excel"),
        (["predict", "model.json", "one.csv", "-o", "predicted.xlsx"], "excel"),
        (["export", "model.json", "-o", "model.onnx"], "export"),
        (["reproduce", "--set", "iris", "--out", "results"], "study"),
    ],
)
def test_a_command_without_its_extra_is_one_sentence(tmp_path, words, extra):
    rows = "size,kind\n" + "1,a\n2,b\n" * 9
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text(rows)
    with xlsxwriter.Workbook(tmp_path / "rows.xlsx") as book:
        book.add_worksheet().write_row(0, 0, ["size", "kind"])
    (tmp_path / "photographs").mkdir()
    save(NB().fit(pa.table({"size": [1, 2] * 9}), ["a", "b"] * 9), tmp_path / "model.json")
    before = sorted(tmp_path.iterdir())
    done = run(COMMAND, *words, folder=tmp_path)
    assert done.returncode == 1, done.stderr
    said = SENTENCE.match(" ".join(done.stderr.split()))
    assert said, done.stderr
    assert said[1] == extra
    assert sorted(tmp_path.iterdir()) == before


def test_without_extras_a_table_is_learned_and_predicted(tmp_path):
    (tmp_path / "rows.csv").write_text("size,kind\n" + "1,a\n2,b\n" * 9)
    for words in (
        ["train", "rows.csv", "-t", "kind", "-o", "m.json"],
        ["predict", "m.json", "rows.csv", "-o", "p.csv"],
    ):
        done = run(COMMAND, *words, folder=tmp_path)
        assert done.returncode == 0, done.stderr
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 19
