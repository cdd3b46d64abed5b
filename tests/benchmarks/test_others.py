import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from benchmarks.others import __main__ as others
from benchmarks.others import tasks

UNIFORM = """#!{python}
import pathlib, sys
print("R 0", "pretend 1", sep="\\n")
for table in pathlib.Path(sys.argv[2]).iterdir():
    header, rows = (table / "test.arff").read_text().split("@data\\n")
    classes = header.rsplit("{{", 1)[1].count(",") + 1
    answer = ",".join(["NA" if table.name == "{failing}" else str(1 / classes)] * classes)
    (table / "uniform.csv").write_text("0.5\\n" + (answer + "\\n") * rows.count("\\n"))
"""


def pretended(folder: Path, name: str, text: str) -> Path:
    program = folder / name
    program.write_text(text)
    program.chmod(0o755)
    return program


def test_probabilities_of_another_program_are_scored_beside_ours(tmp_path, capsys):
    program = pretended(tmp_path, "Rscript", UNIFORM.format(python=sys.executable, failing="iris-0"))
    others.main(["--set", "fertility", "--set", "iris", "--splits", "1", "--r", str(program)])
    page = capsys.readouterr().out
    assert all(f"| {name} | 0." in page for name in ("FusionNB", "ATFNB", "NB"))
    assert "| uniform (1 set) |" in page
    assert "| 0.693 |" in page  # log 2, of a guess between two classes
    assert "2 sets × 1 split; R 0, pretend 1; uniform failed on iris: on the other sets FusionNB has 0." in page


def test_a_program_that_fails_everywhere_has_no_line(tmp_path, capsys):
    program = pretended(tmp_path, "Rscript", UNIFORM.format(python=sys.executable, failing="iris-0"))
    others.main(["--set", "iris", "--splits", "1", "--r", str(program)])
    page = capsys.readouterr().out
    assert "| uniform" not in page
    assert "uniform failed on every set" in page


def test_a_table_that_a_classifier_of_python_refuses_is_named(monkeypatch, capsys):
    given = []

    class Refuses:
        def fit(self, X, y):
            raise ValueError("only two classes")

    def general_nb(distributions):
        given.append(distributions)
        return GaussianNB()

    kinds = SimpleNamespace(CATEGORICAL="categories", NORMAL="numbers")
    monkeypatch.setitem(
        sys.modules, "wnb", SimpleNamespace(GaussianWNB=Refuses, GeneralNB=general_nb, Distribution=kinds)
    )
    monkeypatch.setattr(others, "find_spec", lambda name: name)
    monkeypatch.setattr(others, "version", lambda name: "0")
    others.main(["--set", "iris", "--splits", "1", "--wnb"])
    page = capsys.readouterr().out
    assert "| wnb GeneralNB | 0.9" in page
    assert "1 set × 1 split; wnb 0; wnb GaussianWNB failed on every set." in page
    assert given[0] == ["numbers"] * 4


def test_the_files_hold_what_the_training_part_knows_and_no_class_of_the_test_part(tmp_path):
    X = pd.DataFrame({"number": [1.0, np.nan, 3.0, 4.0], "colour": ["red", "blue", None, "green"]})
    task = tasks.Task(X, np.array([0, 2, 0, 1]), train=np.array([0, 1]), test=np.array([2, 3]))
    task.write(tmp_path / "table")
    header = ["@relation table", "@attribute a0 numeric", "@attribute a1 {0,1}", "@attribute class {0,2}", "@data"]
    assert (tmp_path / "table" / "train.arff").read_text().splitlines() == [*header, "1.0,0,0", "?,1,2"]
    assert (tmp_path / "table" / "test.arff").read_text().splitlines() == [*header, "3.0,?,?", "4.0,?,?"]
    assert "?" not in (tmp_path / "table" / "train-codes.arff").read_text()


def test_figures_of_a_file_are_those_of_its_probabilities(tmp_path):
    task = tasks.make_task("iris", 0, None)
    p = np.random.default_rng(0).dirichlet([1, 1, 1], size=len(task.test))
    (tmp_path / "one.csv").write_text("0.25\n" + pd.DataFrame(p).to_csv(index=False, header=False))
    assert task.read_figures(tmp_path / "one.csv") == task.figures(p, 0.25)
    assert task.figures(np.eye(3)[task.y[task.test]], 1.0)[0] == 1.0
    assert task.read_figures(tmp_path / "none.csv") is None


def test_a_jar_trains_only_what_it_holds_and_no_jar_before_it_held(tmp_path, monkeypatch):
    jar, work = tmp_path / "weka.jar", tmp_path / "work"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("weka/core/version.txt", "3-9-7\n")
        archive.writestr("weka/classifiers/bayes/NaiveBayes.class", "")
        archive.writestr("weka/classifiers/bayes/BayesNet.class", "")
    (work / "iris-0").mkdir(parents=True)
    (work / "iris-0" / "WEKA NaiveBayes.csv").touch()
    pretended(
        tmp_path,
        "java",
        f"#!{sys.executable}\nimport sys\nprint(*sys.argv, sep='\\n', file=open('{tmp_path}/asked', 'w'))\n",
    )
    monkeypatch.setenv("PATH", str(tmp_path))
    assert others.run_weka(jar, work) == "WEKA 3.9.7 (WEKA NaiveBayes -D, WEKA BayesNet)"
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[-4:] == [
        text for name in ("WEKA NaiveBayes -D", "WEKA BayesNet") for text in (name, others.WEKA[name])
    ]


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        (
            ["--weka", "no/weka.jar"],
            "no/weka.jar is not there: it is part of WEKA, and of python-weka-wrapper3 on PyPI",
        ),
        (["--r", "no-Rscript"], "no-Rscript is not there: install R, and its packages e1071 and bnclassify"),
        (["--khiops"], "khiops is not installed: pip install khiops"),
        (["--wnb"], "wnb is not installed: pip install wnb"),
    ],
)
def test_what_is_missing_is_named_with_what_to_install(option, sentence, tmp_path, monkeypatch, capsys):
    pretended(tmp_path, "java", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(others, "find_spec", {}.get)
    with pytest.raises(SystemExit):
        others.main(option)
    assert sentence in capsys.readouterr().err


def test_a_jar_needs_java(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit):
        others.main(["--weka", "weka.jar"])
    assert "java is not there: install a Java runtime, version 11 or newer" in capsys.readouterr().err
