"""The commands for leaves, as a person runs them."""

import re
import sys

import pytest
from typer.testing import CliRunner

from atfnb.cli import app
from atfnb_study.leaf import SPECIES


def run(*arguments):
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return done, re.sub(r"[\s│]+", " ", done.output)


@pytest.fixture(scope="module")
def studied(tmp_path_factory):
    out = tmp_path_factory.mktemp("leaves") / "out"
    done, output = run("reproduce", "flavia", "--drawn", "--splits", 2, "--out", out, "--jobs", 1)
    assert done.exit_code == 0, done.output
    return out, output


@pytest.mark.slow
def test_the_study_of_drawn_leaves_is_a_demonstration(studied):
    out, output = studied
    assert "240 leaves measured" in output
    assert "Drawn leaves, a demonstration: attribute-weighted naive Bayes" in output
    assert "paper" not in output
    names = {"Groups", "Accuracy", "Accuracy-foot", "T-tests", "Ranks", "Signs", "All", "Pairs", "F1", "F2", "F5"}
    assert {path.stem for path in (out / "tables").iterdir()} == names
    for path in (out / "tables").iterdir():
        assert "drawn leaves, a demonstration" in path.read_text().splitlines()[0]
        assert "paper" not in path.read_text()
    lines = (out / "tables" / "Accuracy.csv").read_text().splitlines()
    assert lines[0] == '"group (drawn leaves, a demonstration)",NB,WNB,CFW,ATFNB,CFW-β,ATFNB beats'
    assert len(lines) == 16
    assert (out / "results.csv").read_text().splitlines()[1].startswith("drawn-1,0,NB,")
    assert "over 15 groups and 2 splits of each" in output
    assert re.search(r"FusionNB's accuracy is higher on \d+ groups? and lower on \d+", output)


@pytest.mark.slow
def test_the_page_of_drawn_leaves_says_so(studied):
    page = (studied[0] / "report.html").read_text()
    assert "<h1>Drawn leaves, a demonstration: attribute-weighted naive Bayes on eight imaginary species</h1>" in page
    assert "run again" not in page
    assert "beta-intervals" in page
    assert "ow far probabilities can be trusted" in page
    assert "The paper's claim" not in page
    assert 4 <= page.count('<img src="data:image/jpeg;base64,') <= 8
    assert re.search(r'alt="egg-\d+.jpg, with its outline, its length and its width"', page)


@pytest.mark.slow
def test_a_second_start_measures_and_runs_nothing_again(studied, monkeypatch):
    monkeypatch.setattr("atfnb_study.study.run_split", None)
    monkeypatch.setattr(sys.modules["atfnb_study.leaf.extract"], "measure", None)
    done, output = run("reproduce", "flavia", "--drawn", "--splits", 2, "--out", studied[0], "--jobs", 1)
    assert done.exit_code == 0, done.output
    assert "240 of the files were looked at in an earlier run" in output


@pytest.fixture(scope="module")
def from_table(studied, tmp_path_factory):
    """The study on a table of attributes, as of photographs, on three of the groups."""
    out = tmp_path_factory.mktemp("features")
    groups = [part for name in ("G_1", "G_2", "G_3") for part in ("--set", name)]
    features = studied[0] / "features.csv"
    done, output = run("reproduce", "flavia", "--features", features, "--splits", 2, "--out", out, "--jobs", 1, *groups)
    assert done.exit_code == 0, done.output
    return out, output


@pytest.mark.slow
def test_a_table_of_attributes_will_do(studied, from_table):
    ours, drawn = ((out / "results.csv").read_text().splitlines() for out in (from_table[0], studied[0]))
    assert ours == [line.replace("drawn-", "G_", 1) for line in drawn[: len(ours)]]


@pytest.mark.slow
def test_the_study_of_a_table_writes_the_papers_tables(from_table):
    out, output = from_table
    for table in ("T3", "T9", "T9-foot", "T10", "T11", "T12", "All", "Pairs", "F1", "F2"):
        assert (out / "tables" / f"{table}.md").read_text().startswith(f"## {table}: ")
    for table in ("T5", "T13", "F3", "F4"):
        assert not (out / "tables" / f"{table}.md").exists()
    lines = (out / "tables" / "T9.csv").read_text().splitlines()
    assert lines[0].startswith("group,NB,WNB,CFW,ATFNB,CFW-β,")
    assert lines[1].endswith("0.8253,0.8506,0.8552,0.8805,0.9011")
    assert "demonstration" not in output
    page = (out / "report.html").read_text()
    assert "<h1>The paper, run again: attribute-weighted naive Bayes on leaves</h1>" in page
    assert re.search(r"On its own groups the paper prints 0\.\d+ against 0\.\d+, \d groups? above and \d below", page)


def test_leaves_are_drawn_and_extracted(tmp_path):
    done, output = run("leaf", "draw", tmp_path / "drawn", "--each", 1)
    assert done.exit_code == 0, done.output
    assert f"{len(SPECIES)} leaves of {len(SPECIES)} species" in output
    (tmp_path / "drawn" / "egg-000.jpg").write_text("not any more")
    out = tmp_path / "features.csv"
    done, output = run("leaf", "extract", tmp_path / "drawn", "-o", out, "--preview", tmp_path / "seen", "--jobs", 1)
    assert done.exit_code == 0, done.output
    assert "7 leaves measured" in output
    assert "left out 1 is no image egg-000.jpg" in output
    assert len(list((tmp_path / "seen").iterdir())) == 7


def test_many_files_of_a_kind_are_counted_and_few_are_named(tmp_path):
    for number in range(5):
        (tmp_path / f"{number}.jpg").write_text("no image")
    labels = tmp_path / "labels.csv"
    labels.write_text("file,class\n" + "".join(f"{n}.jpg,a\n" for n in range(5)))
    done, output = run("leaf", "extract", tmp_path, "-o", tmp_path / "features.csv")
    assert done.exit_code == 1
    assert "5 is no image 0.jpg, 1.jpg, 2.jpg and 2 more" in output
    assert "could be measured" in output


def test_bad_requests_are_one_sentence(tmp_path):
    cases = [
        (["leaf", "extract", tmp_path / "nowhere"], "there is no folder"),
        (["leaf", "extract", tmp_path], "there is no table of labels"),
        (["reproduce", "flavia"], "needs one of --images FOLDER, --features FILE and --drawn"),
        (["reproduce", "flavia", "--drawn", "--features", "f.csv"], "needs one of"),
        (["reproduce", "flavia", "--features", tmp_path / "f.csv"], "there is no table"),
        (["reproduce", "--drawn"], "belong to: atfnb reproduce flavia"),
    ]
    for arguments, message in cases:
        done, output = run(*arguments)
        assert done.exit_code == 1, done.output
        assert message in output
        assert "Traceback" not in output


def test_help_shows_an_example():
    for verb in (("leaf", "extract"), ("leaf", "draw"), ("reproduce",)):
        assert "Example: atfnb" in run(*verb, "--help")[1]
