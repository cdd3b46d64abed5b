"""Compare with Khiops, wnb, WEKA and R: ``python -m benchmarks.others --data folder --khiops --wnb --r Rscript``.

The splits are those of ``atfnb reproduce``. WEKA and e1071 get numbers, categories and missing values as they are;
bnclassify, which takes categories only, gets the codes that the study gives to naive Bayes; Khiops and wnb get the data
frame, as ours do. The probabilities of all are scored by the same functions, and the seconds are processor time. WEKA
and R train in one process for all tables. Nothing is downloaded or built.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from atfnb import ATFNB, NB, FusionNB
from atfnb._errors import counted
from atfnb.tables import read_table
from atfnb_study import datasets
from atfnb_study.text_table import TextTable
from benchmarks.others.tasks import Figures, Task, make_task

HERE = Path(__file__).parent
BAYES, FILTERED = "weka.classifiers.bayes.", "weka.classifiers.meta.FilteredClassifier"
DISCRETIZE = "weka.filters.supervised.attribute.Discretize"
COMPLETED = f'"weka.filters.MultiFilter -F weka.filters.unsupervised.attribute.ReplaceMissingValues -F {DISCRETIZE}"'
WEKA = {
    "WEKA NaiveBayes": f"{BAYES}NaiveBayes",
    "WEKA NaiveBayes -D": f"{BAYES}NaiveBayes -D",
    "WEKA BayesNet": f"{BAYES}BayesNet -D",
    "WEKA BayesNet, TAN": f"{BAYES}BayesNet -D -Q {BAYES}net.search.local.TAN",
    "WEKA AODE": f"{FILTERED} -F {DISCRETIZE} -W {BAYES}AODE",
    "WEKA WAODE": f"{FILTERED} -F {COMPLETED} -W {BAYES}WAODE",
}
"""The classifiers of WEKA, by the command that makes them. Only jars of version 3.6 hold AODE and WAODE.

``-D`` of BayesNet is the default of WEKA's window: without it, counts are kept in a tree that can fill the memory.
"""

Found = dict[str, dict[tuple[str, int], Figures | None]]
"""The figures of each classifier, by set and split; None where it gave no probabilities."""


def rscript(program: str) -> str:
    """Return the path of R's program for scripts, or refuse the argument and say what to install."""
    return _installed(program, "install R, and its packages e1071 and bnclassify")


def weka_jar(file: str) -> Path:
    """Return the path of a jar, or refuse the argument and say what to install."""
    _installed("java", "install a Java runtime, version 11 or newer")
    if not Path(file).is_file():
        raise argparse.ArgumentTypeError(
            f"{file} is not there: it is part of WEKA, and of python-weka-wrapper3 on PyPI"
        )
    return Path(file)


def _installed(program: str, advice: str) -> str:
    if path := shutil.which(program):
        return path
    raise argparse.ArgumentTypeError(f"{program} is not there: {advice}")


def run_weka(jar: Path, work: Path) -> str:
    """Train the classifiers that this jar holds and that no jar before it held; return its version and their names."""
    with zipfile.ZipFile(jar) as archive:
        held = {name.removesuffix(".class").replace("/", ".") for name in archive.namelist()}
        release = archive.read("weka/core/version.txt").decode().strip().replace("-", ".")
    done = {file.stem for file in work.glob("*/*.csv")}
    chosen = [one for one in WEKA.items() if one[0] not in done and held.issuperset(re.findall(r"weka[.\w]+", one[1]))]
    java = ["java", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-XX:+UseSerialGC", "-cp", str(jar)]
    subprocess.run([*java, HERE / "Weka.java", work, *(text for one in chosen for text in one)], check=True)
    return f"WEKA {release} ({', '.join(name for name, _ in chosen)})"


def run_r(program: str, work: Path) -> str:
    """Train the classifiers of R; return its version and those of the packages."""
    printed = subprocess.run([program, HERE / "others.R", work], check=True, stdout=subprocess.PIPE, text=True).stdout
    return ", ".join(line.strip() for line in printed.splitlines())


def khiops(_: Task) -> Any:
    """Return Khiops' classifier."""
    from khiops.sklearn import KhiopsClassifier

    return KhiopsClassifier()


def gaussian_wnb(_: Task) -> Any:
    """Return wnb's weighted naive Bayes, for two classes and numbers."""
    from wnb import GaussianWNB

    return GaussianWNB()


def general_nb(task: Task) -> Any:
    """Return wnb's naive Bayes with a distribution for each column: categories, or normal for numbers."""
    from wnb import Distribution, GeneralNB

    columns = read_table(task.X).columns
    return GeneralNB([Distribution.CATEGORICAL if one.categorical else Distribution.NORMAL for one in columns])


def fit_here(make: Callable[[Task], Any], task: Task) -> Figures | None:
    """Return the figures of a classifier of Python on a split, on one core; None if it refuses the table."""
    with threadpool_limits(1):
        started = _processor_seconds()
        try:
            model = make(task).fit(task.X.iloc[task.train], task.y[task.train])
        except ValueError:
            return None
        seconds = _processor_seconds() - started
        return task.figures(np.asarray(model.predict_proba(task.X.iloc[task.test])), seconds)


def _processor_seconds() -> float:
    """Return the processor time of this process and of those that it started and that have ended."""
    return time.process_time() + sum(os.times()[2:4])


def comparison(found: Found, note: str) -> TextTable:
    """Return a table of means over sets. A set counts for a classifier that gave probabilities on all its splits."""
    n_sets = len({name for name, _ in found["FusionNB"]})
    means = {name: of_sets for name, figures in found.items() if (of_sets := _means(figures))}
    note += "".join(f"; {name} failed on every set" for name in found if name not in means)
    rows = []
    for name, of_sets in sorted(means.items(), key=lambda one: -np.mean([own[0] for own in one[1].values()])):
        accuracy, loss, _ = np.mean(list(of_sets.values()), axis=0)
        leads = np.array([means["FusionNB"][one][0] - own[0] for one, own in of_sets.items()]).round(9)
        versus = f"{(leads > 0).sum()} / {(leads == 0).sum()} / {(leads < 0).sum()}" if name != "FusionNB" else ""
        label = name if len(of_sets) == n_sets else f"{name} ({counted(len(of_sets), 'set')})"
        seconds = sum(own[2] for own in of_sets.values())
        rows.append((label, f"{accuracy:.4f}", f"{loss:.3f}", versus, f"{seconds:.2g}"))
        if len(of_sets) < n_sets:
            same = np.mean([means["FusionNB"][one] for one in of_sets], axis=0)
            failed = ", ".join(sorted({one for one, _ in found[name]} - set(of_sets)))
            note += f"; {name} failed on {failed}: on the other sets FusionNB has {same[0]:.4f} / {same[1]:.3f}"
    header = ("", "accuracy", "log-loss", "FusionNB ahead / level / behind", "fitting each set once, s")
    return TextTable("others", "classifiers of other programs", header, tuple(rows), f"{note}.")


def _means(figures: dict[tuple[str, int], Figures | None]) -> dict[str, Any]:
    """Return the means over the splits of each set on which no split failed."""
    of_sets: dict[str, list[Any]] = {}
    for (name, _), one in figures.items():
        of_sets.setdefault(name, []).append(one)
    return {name: np.mean(splits, axis=0) for name, splits in of_sets.items() if None not in splits}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with the CSV files of the sets that need one")
    parser.add_argument("--splits", type=int, default=3, help="random splits of each set")
    parser.add_argument("--set", action="append", help="only this set; may be repeated")
    parser.add_argument("--weka", type=weka_jar, action="append", default=[], help="a weka.jar; may be repeated")
    parser.add_argument("--r", type=rscript, help="the program Rscript")
    parser.add_argument("--khiops", action="store_true", help="Khiops too, if the package khiops is installed")
    parser.add_argument("--wnb", action="store_true", help="wnb too, if the package wnb is installed")
    chosen = parser.parse_args(arguments)
    makers: dict[str, Callable[[Task], Any]] = {"FusionNB": lambda _: FusionNB(), "ATFNB": lambda _: ATFNB()}
    makers["NB"] = lambda _: NB()
    packages = [package for package in ("khiops", "wnb") if vars(chosen)[package]]
    for package in packages:
        if find_spec(package) is None:
            parser.error(f"{package} is not installed: pip install {package}")
    notes = [f"{package} {version(package)}" for package in packages]
    if chosen.khiops:
        os.environ["PATH"] += os.pathsep + sysconfig.get_path("scripts")  # where pip puts the programs of Khiops
        os.environ["KHIOPS_PROC_NUMBER"] = "1"
        makers["Khiops"] = khiops
    if chosen.wnb:
        makers |= {"wnb GaussianWNB": gaussian_wnb, "wnb GeneralNB": general_nb}
    sets = chosen.set or [name for name in datasets.catalogue() if datasets.where(name, chosen.data) != "not available"]
    tasks = {(name, split): make_task(name, split, chosen.data) for name in sets for split in range(chosen.splits)}
    found: Found = {}
    for name, make in makers.items():
        fit_here(make, next(iter(tasks.values())))  # compiles our loops before the clock runs
        found[name] = {key: fit_here(make, task) for key, task in tasks.items()}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for (name, split), task in tasks.items():
            task.write(work / f"{name}-{split}")
        notes += [run_weka(jar, work) for jar in chosen.weka]
        notes += [run_r(chosen.r, work)] if chosen.r else []
        for name in sorted({file.stem for file in work.glob("*/*.csv")}):
            files = {key: work / f"{key[0]}-{key[1]}" / f"{name}.csv" for key in tasks}
            found[name] = {key: task.read_figures(files[key]) for key, task in tasks.items()}
    note = "; ".join([f"{counted(len(sets), 'set')} × {counted(chosen.splits, 'split')}", *notes])
    print(comparison(found, note).markdown())  # noqa: T201


if __name__ == "__main__":
    main()
