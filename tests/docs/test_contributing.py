"""The walks of CONTRIBUTING name real files and functions, in the order in which they are called."""

import importlib
import inspect
import re
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine
from typer.testing import CliRunner

import atfnb
from atfnb import ATFNB, NB, WNB, export, load, save
from atfnb.__main__ import main
from atfnb.cli import app
from atfnb.indexes import RELEVANCE

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(atfnb.__file__).parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
STEP = re.compile(r"^\d+\. `([\w/]+\.py)`: ((?:`\w+`(?:, )?)+)\. ", re.M)


def walk(title):
    """Return the steps of a walk: the file of each, and the functions to read there."""
    section = PAGE.split(f"### `{title}`")[1].split("\n#")[0]
    steps = [(file, re.findall(r"`(\w+)`", functions)) for file, functions in STEP.findall(section)]
    assert len(steps) == len(re.findall(r"^\d+\. ", section, re.M)), "a step that names no file and no function"
    return steps


FIT, TRAIN = walk("ATFNB().fit(X, y)"), walk("atfnb train x.csv --target y")
REPORT = walk("atfnb report model.json x.csv")


def calls_of(function):
    """Return the file and the name of every function of the library, in the order of its first call."""
    calls = {}

    def note(frame, event, _):
        if event == "call":
            calls.setdefault((frame.f_code.co_filename, frame.f_code.co_name))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(before)
    paths = ((Path(file), name) for file, name in calls)
    return [(path.relative_to(SOURCE).as_posix(), name) for path, name in paths if path.is_relative_to(SOURCE)]


def run(monkeypatch, *words):
    """Run the command in this process."""
    monkeypatch.setattr(sys, "argv", ["atfnb", *map(str, words), "--quiet"])
    for name in ("handle_stops", "prepare_streams"):
        monkeypatch.setattr(f"atfnb.__main__.{name}", lambda: None)  # this process keeps its own
    monkeypatch.setattr("atfnb.__main__._end", sys.exit)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0


def assert_called_in_order(steps, calls):
    position = {call: i for i, call in enumerate(calls)}
    missing = [(file, name) for file, names in steps for name in names if (file, name) not in position]
    assert missing == [], "not called"
    entered = [position[file, names[0]] for file, names in steps]
    assert entered == sorted(entered), "the files stand in another order than they are entered in"


@pytest.mark.parametrize(("steps", "most"), [(FIT, 7), (TRAIN, 10), (REPORT, 8)], ids=["fit", "train", "report"])
def test_a_walk_goes_through_few_files_that_exist(steps, most):
    files = [file for file, _ in steps]
    assert 5 <= len(files) == len(set(files)) <= most
    assert [file for file in files if not (SOURCE / file).is_file()] == []


def test_a_fit_goes_the_way_that_is_described():
    X, y = load_wine(as_frame=True, return_X_y=True)
    assert_called_in_order(FIT, calls_of(lambda: ATFNB().fit(X, y)))


def test_training_and_reporting_from_the_command_go_the_way_that_is_described(tmp_path, monkeypatch):
    data, model, page = tmp_path / "x.csv", tmp_path / "model.json", tmp_path / "page.html"
    load_wine(as_frame=True).frame.to_csv(data, index=False)
    train = ("train", data, "--target", "target", "-o", model)
    assert_called_in_order(TRAIN, calls_of(lambda: run(monkeypatch, *train)))
    report = ("report", model, data, "-o", page, "--folds", 2)
    assert_called_in_order(REPORT, calls_of(lambda: run(monkeypatch, *report)))


def test_every_room_and_file_that_is_named_exists():
    named = set(re.findall(r"`((?:\w+/)*\w+(?:\.py|/))`", PAGE))
    assert len(named) > 30
    places = (SOURCE, ROOT, SOURCE / "classifiers", SOURCE / "indexes")
    assert [name for name in sorted(named) if not any((place / name).exists() for place in places)] == []


def example(section, beside):
    """Run the example of a section as if it stood in the file of a function or a class; return what it defines."""
    code = re.search(r"^ *```python\n(.*?)^ *```$", PAGE.split(f"## {section}\n")[1], re.M | re.S)[1]
    names = dict(vars(inspect.getmodule(beside)))
    exec(textwrap.dedent(code), names)  # noqa: S102
    return names


def test_the_index_that_is_added_as_an_example_is_what_its_docstring_says(monkeypatch):
    monkeypatch.setitem(RELEVANCE, "gini_gain", None)
    del RELEVANCE["gini_gain"]
    example("Adding an index", RELEVANCE["gain_ratio"].function)
    X, y = load_wine(return_X_y=True)
    model = ATFNB(relevance="gini_gain", normalize=None).fit(X, y)
    shares = [model.counts_.of_attribute(j) / len(y) for j in range(X.shape[1])]
    gain = [(t**2 / t.sum(axis=1, keepdims=True)).sum() - (t.sum(axis=0) ** 2).sum() for t in shares]
    assert_allclose(model.relevance_, gain)


def test_the_classifier_that_is_added_as_an_example_works():
    sharpened = example("Adding a classifier", WNB)["SharpenedNB"]
    X, y = load_wine(return_X_y=True)
    model = sharpened().fit(X, y)
    assert model.declaration.command == "sharpened"
    assert np.mean(model.weights_) == pytest.approx(1)
    assert model.score(X, y) > 0.9


def test_the_export_target_that_is_added_as_an_example_works(tmp_path, monkeypatch):
    make = example("Adding an export target", importlib.import_module("atfnb.export.pmml"))["value_table"]
    monkeypatch.setitem(export.TARGETS, ".tsv", make)
    X, y = load_wine(return_X_y=True)
    save(NB().fit(X, y), tmp_path / "model.json")
    done = CliRunner().invoke(app, ["export", str(tmp_path / "model.json"), "-o", str(tmp_path / "model.tsv")])
    assert done.exit_code == 0, done.output
    heading, *lines = (tmp_path / "model.tsv").read_text(encoding="utf-8").splitlines()
    assert heading.split("\t") == ["attribute", "value", "0", "1", "2"]
    assert len(lines) == sum(len(each.labels) for each in export.plan_of(load(tmp_path / "model.json")).attributes)


def test_every_room_is_described():
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    rows = set(re.findall(r"^\| `(\w+)/` \|", PAGE, re.M))
    assert rows == rooms
