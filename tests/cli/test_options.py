"""What is evaluated is what the next command trains."""

import shutil
import subprocess
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from atfnb import load
from atfnb._pieces import n_threads
from atfnb.cli import app
from atfnb.cli.options import TrainingTable

BASH = shutil.which("bash")
COMMANDS = typer.main.get_command(app).commands
OWN = {"classifiers", "others", "time", "folds", "repeats", "seed", "out", "quiet", "help"}
"""The options of evaluate that are about the evaluation, not about what is learned."""


def table(rows=120):
    random = np.random.default_rng(0)
    happy = random.random(rows) < 0.5
    return pd.DataFrame(
        {
            "number": np.arange(1, rows + 1),
            "size": np.where(happy, 3.0, 5.0) + random.normal(size=rows).round(2),
            "post code": np.where(happy, 10, 20) + random.integers(0, 9, rows),
            "the affair's": np.where(happy, "none", "some"),
            "--odd\tname": random.choice(["a", "b", "."], rows),
            "times": random.integers(1, 4, rows),
            "whose house": [f"house {number // 3}" for number in range(rows)],
            "is happy": np.where(happy, "yes", "no"),
        }
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table().to_csv(tmp_path / "my data.csv", index=False, sep=";")
    return tmp_path


def run(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def parsed(verb, words):
    return COMMANDS[verb].make_context(verb, list(words)).params


def in_the_shell(line):
    """The words of a command line, as the shell takes them apart."""
    shown = subprocess.run([BASH, "-c", f"printf '%s\\0' {line}"], stdout=subprocess.PIPE, check=True)
    return shown.stdout.decode().split("\0")[:-1]


EVERY = {
    "jobs": 1,
    "ignore": ["the affair's", "size"],
    "keep": ["number"],
    "categorical": ["post code", "--odd\tname"],
    "dates": "number",
    "cuts": ["number=40,80"],
    "order": ["--odd\tname=a,b"],
    "class_order": "no,yes",
    "weight": "times",
    "groups": "whose house",
    "min_class_rows": 2,
    "rare_classes": "drop",
    "missing": "value",
    "merge_case": True,
    "max_bins": 4,
    "min_category_rows": 3,
    "alpha": 0.5,
    "balance": True,
    "encoding": "latin-1",
    "delimiter": ";",
    "missing_mark": [".", "-99", "$HOME `x`"],
    "date_format": ["%d/%m/%y", "%b %d, %Y"],
    "sheet": "May & June",
    "skip_rows": 0,
    "header_rows": 1,
    "no_header": False,
    "keep_totals": True,
}


def as_words(options):
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        for one in value if isinstance(value, list) else [value]:
            if one is not False:
                yield from [option] if one is True else [option, str(one)]


@pytest.mark.skipif(BASH is None, reason="needs a shell")
@pytest.mark.parametrize("options", [{}, {"ignore": ["the affair's"]}, EVERY], ids=["none", "ignore", "every"])
def test_the_next_line_trains_what_was_evaluated(folder, options):
    if options is EVERY:
        of_fusion = {"rising", "falling", "shape"}
        assert {"data", "target", *of_fusion, *EVERY} == {each.name for each in fields(TrainingTable)}
    words = ("my data.csv", "--target", "is happy", "-c", "nb", *as_words(options))
    done = run("evaluate", *words, "--repeats", "1")
    assert done.exit_code == 0, done.stderr
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("To train it: "))
    program, verb, *rest = in_the_shell(line.removeprefix("To train it: "))
    assert (program, verb) == ("atfnb", "train")
    asked, understood = parsed("evaluate", words), parsed("train", rest)
    shared = asked.keys() & understood.keys() - OWN
    assert {name: understood[name] for name in shared} == {name: asked[name] for name in shared}
    assert understood["classifier"] == "nb"
    assert run("train", *rest).exit_code == 0
    names = [attribute.name for attribute in load("model.json").encoder_.attributes]
    assert ("the affair's" in names) is ("ignore" not in options)


def test_every_option_of_evaluate_is_one_of_train_or_about_the_evaluation():
    evaluate, train = ({option.name for option in COMMANDS[verb].params} for verb in ("evaluate", "train"))
    assert evaluate - train <= OWN
    assert set(EVERY) <= evaluate & train


def test_options_that_contradict_each_other_are_refused(folder):
    done = run("train", "my data.csv", "-t", "is happy", "--no-header", "--header-rows", "2")
    assert done.exit_code == 2
    assert "--no-header and --header-rows contradict each other" in done.stderr


def test_own_cuts_are_those_of_the_model_and_what_they_cannot_be_is_one_sentence(folder):
    words = ("train", "my data.csv", "-t", "is happy", "-c", "nb", "--categorical", "post code")
    assert run(*words, "--cuts", "times=2,3", "--cuts", "size = 4.5").exit_code == 0
    cuts = {each.name: each.cuts.tolist() for each in load("model.json").encoder_.attributes}
    assert (cuts["times"], cuts["size"]) == ([2, 3], [4.5])
    for given, code, sentence in [
        ("times", 2, "--cuts takes a column and its values, as in --cuts 'age=18,65', not 'times'."),
        ("time=2", 1, "--cuts names column 'time', which is not in the table: did you mean 'times'?"),
        ("times=two", 1, "--cuts of column 'times' must be numbers, or dates, that rise, not ['two']."),
        ("post code=15", 1, "--cuts of column 'post code' are numbers, and the column holds categories."),
    ]:
        done = run(*words, "--cuts", given)
        assert (done.exit_code, done.stderr.splitlines()[-1]) == (code, f"atfnb: {sentence}")


def test_a_file_without_a_header_is_read_by_position(folder):
    (folder / "bare.csv").write_text("".join(f"{i}.5,{'ab'[i % 2]},{'yn'[i % 2]}\n" for i in range(30)))
    words = ("train", "bare.csv", "-t", "column 3", "-c", "nb")
    assert "has no column 'column 3': give --no-header" in run(*words).stderr
    assert "though '0.5' is a number: if it is a row, give --no-header." in run("train", "bare.csv", "-t", "k").stderr
    assert run(*words, "--no-header").exit_code == 0
    assert "give --no-header" in run("predict", "model.json", "bare.csv").stderr
    assert run("predict", "model.json", "bare.csv", "--no-header").stdout.splitlines()[1] == "0.5,a,y,y"


def test_evaluate_learns_as_train_does(folder, monkeypatch):
    """The same model, by the same options, from all rows but those held out."""
    seen = []
    monkeypatch.setattr("atfnb.evaluation.evaluate_rows", lambda models, *_, **__: seen.append(models) or 1 / 0)
    words = ("my data.csv", "-t", "is happy", "-c", "atfnb", "--missing", "skip", "--max-bins", "5", "--alpha", "2")
    with pytest.raises(ZeroDivisionError):
        run("evaluate", *words)
    assert run("train", *words, "-o", "model.json").exit_code == 0
    evaluated = seen[0]["ATFNB"].get_params()
    assert {name: load("model.json").get_params()[name] for name in evaluated} == evaluated
    assert (evaluated["missing"], evaluated["max_bins"], evaluated["alpha"]) == ("skip", 5, 2.0)


def test_jobs_are_the_threads_that_a_verb_may_use(folder, monkeypatch):
    seen = []
    monkeypatch.setattr("joblib.cpu_count", lambda: 8)
    monkeypatch.setattr("atfnb._pieces._openmp_effective_n_threads", lambda **_: 8)
    monkeypatch.setattr("atfnb.evaluation.evaluate_rows", lambda *_, **__: seen.append(n_threads()) or 1 / 0)
    for jobs in ([], ["--jobs", "3"]):
        with pytest.raises(ZeroDivisionError):
            run("evaluate", "my data.csv", "-t", "is happy", *jobs)
    assert (seen, n_threads()) == ([8, 3], 8)


def test_without_options_a_classifier_does_as_it_does_in_python(folder):
    from atfnb import FusionNB

    assert run("train", "my data.csv", "-t", "is happy", "-o", "model.json").exit_code == 0
    assert load("model.json").get_params() == FusionNB().get_params()


def test_weights_count_in_training_and_in_the_scores(folder):
    """A whole weight is a repetition; the scores of guessing show it, and those of a row with weight zero are gone."""
    random = np.random.default_rng(1)
    rows = pd.DataFrame({"size": random.normal(size=100).round(2), "w": np.repeat([3, 1, 0], [40, 40, 20])})
    rows["kind"] = np.repeat(["a", "b", "c"], [40, 40, 20])
    rows.to_csv("weighted.csv", index=False)
    done = run("evaluate", "weighted.csv", "-t", "kind", "-c", "nb", "--repeats", "1", "--weight", "w", "-o", "n.csv")
    assert done.exit_code == 0, done.stderr
    assert pd.read_csv("n.csv").set_index("classifier").loc["guessing", "accuracy"] == pytest.approx(0.75)
    assert "80 rows, 2 classes" in done.stdout
    assert "weighted by 'w', in training and in the scores" in done.stderr
    assert "guessing 'a'" in done.stdout


def test_balance_gives_every_class_the_same_weight(folder):
    random = np.random.default_rng(2)
    rare = random.random(400) < 0.08
    rows = pd.DataFrame({"size": (random.normal(size=400) + 1.5 * rare).round(2), "fails": np.where(rare, "yes", "no")})
    rows.to_csv("rare.csv", index=False)
    found = {}
    for words in ((), ("--balance",)):
        words = ("rare.csv", "-t", "fails", "-c", "nb", *words)
        assert run("evaluate", *words, "--repeats", "1", "-o", "numbers.csv").exit_code == 0
        assert run("train", *words, "-o", "model.json").exit_code == 0
        told = pd.read_csv("numbers.csv").set_index("classifier").loc["NB", "balanced accuracy"]
        found[load("model.json").class_weight] = told
    assert found["balanced"] > found[None] + 0.1
