"""Whatever is in a file, the command ends with an answer or with one sentence."""

import contextlib
import os
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from atfnb.classifiers import BaseNB
from atfnb.cli import app
from atfnb.model import AdditiveModel
from helpers.strategies import examples

GOOD = "size,colour,kind\n" + "".join(f"{i % 7}.5,{'rg'[i % 2]},{'ab'[i % 3 > 0]}\n" for i in range(30))

cells = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.floats(allow_nan=True, allow_infinity=True).map(str),
    st.sampled_from(["", "NA", "?", "true", "2024-01-02", "007", "a", "b", '"', "\x00", "é", "1,5", "\t", "inf"]),
    st.text(max_size=8),
)
tables = st.builds(
    lambda head, rows, mark: "\n".join(mark.join(row) for row in [head, *rows]).encode("utf-8", "surrogatepass"),
    st.lists(st.sampled_from(["kind", "size", "colour", "", "id", "<b>", "size "]), min_size=1, max_size=4),
    st.lists(st.lists(cells, min_size=1, max_size=4), max_size=12),
    st.sampled_from([",", ";", "\t", "|"]),
)


@st.composite
def damaged(draw):
    """A good file with some bytes changed, cut out or put in."""
    content = bytearray(GOOD.encode())
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(content) - 1))
        match draw(st.sampled_from(["change", "cut", "insert"])):
            case "change":
                content[place] = draw(st.integers(0, 255))
            case "cut":
                del content[place : place + draw(st.integers(1, 40))]
            case "insert":
                content[place:place] = draw(st.binary(max_size=6))
        if not content:
            break
    return bytes(content)


def ends_well(folder, *words):
    with contextlib.chdir(folder):
        before = set(os.listdir())
        done = CliRunner().invoke(app, list(words))
        after = set(os.listdir())
    assert done.exception is None or isinstance(done.exception, SystemExit), (words, done.exception)
    assert done.exit_code in (0, 1)
    if done.exit_code == 1:
        assert done.stderr.splitlines()[-1].startswith("atfnb: ")
        assert before == after
    return done.exit_code


@examples(60)
@given(content=st.one_of(tables, damaged(), st.binary(max_size=200)))
def test_any_file_trains_or_is_refused_in_a_sentence(content):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "data.csv").write_bytes(content)
        ends_well(folder, "train", "data.csv", "-t", "kind", "-c", "nb", "-o", "model.json")


@examples(60)
@given(content=st.one_of(tables, damaged()))
def test_any_file_is_classified_or_refused_in_a_sentence(content):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "good.csv").write_text(GOOD)
        assert ends_well(folder, "train", "good.csv", "-t", "kind", "-c", "nb", "-o", "model.json") == 0
        Path(folder, "data.csv").write_bytes(content)
        ends_well(folder, "predict", "model.json", "data.csv", "-o", "out.csv", "--proba", "--explain")


def test_interrupted_work_leaves_nothing_half_written(tmp_path, monkeypatch):
    (tmp_path / "good.csv").write_text(GOOD)
    (tmp_path / "model.json").write_text("as it was")
    monkeypatch.chdir(tmp_path)

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(BaseNB, "learn", interrupt)
        done = CliRunner().invoke(app, ["train", "good.csv", "-t", "kind"])
    assert done.exit_code == 130
    assert "interrupted; nothing was written." in done.stderr
    assert (tmp_path / "model.json").read_text() == "as it was"
    assert CliRunner().invoke(app, ["train", "good.csv", "-t", "kind", "-c", "nb"]).exit_code == 0
    (tmp_path / "out.csv").write_text("as it was")
    monkeypatch.setattr(AdditiveModel, "classify", interrupt)
    done = CliRunner().invoke(app, ["predict", "model.json", "good.csv", "-o", "out.csv"])
    assert done.exit_code == 130
    assert (tmp_path / "out.csv").read_text() == "as it was"
    assert sorted(os.listdir()) == ["good.csv", "model.json", "out.csv"]
