"""The walks of CONTRIBUTING name real files and functions, in the order in which they are called."""

import re
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine

import atfnb
from atfnb import ATFNB
from atfnb.__main__ import main
from atfnb.classifiers import wnb
from atfnb.indexes import RELEVANCE, relevances

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


def train(folder, monkeypatch):
    load_wine(as_frame=True).frame.to_csv(folder / "x.csv", index=False)
    options = ["--target", "target", "-o", str(folder / "model.json"), "--quiet"]
    monkeypatch.setattr(sys, "argv", ["atfnb", "train", str(folder / "x.csv"), *options])
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


@pytest.mark.parametrize(("steps", "most"), [(FIT, 8), (TRAIN, 12)], ids=["fit", "train"])
def test_a_walk_goes_through_few_files_that_exist(steps, most):
    files = [file for file, _ in steps]
    assert 5 <= len(files) == len(set(files)) <= most
    assert [file for file in files if not (SOURCE / file).is_file()] == []


def test_a_fit_goes_the_way_that_is_described():
    X, y = load_wine(as_frame=True, return_X_y=True)
    assert_called_in_order(FIT, calls_of(lambda: ATFNB().fit(X, y)))


def test_training_from_the_command_goes_the_way_that_is_described(tmp_path, monkeypatch):
    assert_called_in_order(TRAIN, calls_of(lambda: train(tmp_path, monkeypatch)))


def test_every_room_and_file_that_is_named_exists():
    named = set(re.findall(r"`((?:\w+/)*\w+(?:\.py|/))`", PAGE))
    assert len(named) > 30
    places = (SOURCE, ROOT, SOURCE / "classifiers", SOURCE / "indexes")
    assert [name for name in sorted(named) if not any((place / name).exists() for place in places)] == []


def example(section, module):
    """Run the example of a section as if it stood at the end of a module, and return what it defines."""
    code = re.search(r"^ *```python\n(.*?)^ *```$", PAGE.split(f"## {section}\n")[1], re.M | re.S)[1]
    names = dict(vars(module))
    exec(textwrap.dedent(code), names)  # noqa: S102
    return names


def test_the_index_that_is_added_as_an_example_is_what_its_docstring_says(monkeypatch):
    monkeypatch.setitem(RELEVANCE, "gini_gain", None)
    del RELEVANCE["gini_gain"]
    example("Adding an index", relevances)
    X, y = load_wine(return_X_y=True)
    model = ATFNB(relevance="gini_gain", normalize=None).fit(X, y)
    shares = [model.counts_.of(j) / len(y) for j in range(X.shape[1])]
    gain = [(t**2 / t.sum(axis=1, keepdims=True)).sum() - (t.sum(axis=0) ** 2).sum() for t in shares]
    assert_allclose(model.relevance_, gain)


def test_the_classifier_that_is_added_as_an_example_works():
    sharpened = example("Adding a classifier", wnb)["SharpenedNB"]
    X, y = load_wine(return_X_y=True)
    model = sharpened().fit(X, y)
    assert model.declaration.command == "sharpened"
    assert np.mean(model.weights_) == pytest.approx(1)
    assert model.score(X, y) > 0.9


def test_every_room_is_described():
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    rows = set(re.findall(r"^\| `(\w+)/` \|", PAGE, re.M))
    assert rows == rooms
