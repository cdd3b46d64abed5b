"""What is measured: each group of rows is a function.

Every row is our time against a peer's, or a limit's, on the same data in the same process, the best of several
alternating repeats. Nothing here is a test: a ratio above its aim is shown, not hidden.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder

from atfnb._typing import CodeArray, FloatArray, IntArray
from atfnb.classifiers import ATFNB, NB, CFWBeta, FusionNB
from atfnb.counts import count
from atfnb.encoding import ChiMerge
from atfnb.paper import datasets, published
from atfnb.paper.searches import beta_of_set, lines_of, rows_of, search_qsf, search_sls
from atfnb.switching import reach, search_grid
from benchmarks.speed.memory import PEAK_OF_FIT

Run = Callable[[], object]


@dataclass(frozen=True)
class Row:
    """One comparison; without a peer's time the peer is not installed, or ``ours`` is the figure itself."""

    what: str
    against: str
    ours: float
    theirs: float | None
    aim: float | None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours divided by theirs."""
        return None if self.theirs is None else self.ours / self.theirs


def race(ours: Run, theirs: Run, repeats: int = 5) -> tuple[float, float]:
    """The best time of each, in seconds, run in turn."""
    times = np.min([[seconds(ours), seconds(theirs)] for _ in range(repeats)], axis=0)
    return float(times[0]), float(times[1])


def seconds(run: Run) -> float:
    """How long one run takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def coded(rows: int, attributes: int, values: int, classes: int, seed: int = 0) -> tuple[CodeArray, IntArray]:
    """Codes that tell something of the class: three cells in ten follow it."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows, dtype=np.uint8)
    X = rng.integers(0, values, (rows, attributes), dtype=np.uint8)
    for j in range(attributes):
        follows = rng.random(rows, dtype=np.float32) < 0.3
        X[:, j] = np.where(follows, (X[:, j] + y) % values, X[:, j])
    return X, y.astype(np.int64)


# --- The rows --------------------------------------------------------------------------------------


def on_codes(shrink: int = 1) -> Iterator[Row]:
    """A million rows of codes against CategoricalNB."""
    X, y = coded(1_000_000 // shrink, 20, 5, 3)
    atfnb, nb, peer = ATFNB(categorical_features="all"), NB(categorical_features="all"), CategoricalNB()
    what = "1M rows × 20 attributes × 3 classes"
    yield Row(
        f"ATFNB fit on codes, {what}", "CategoricalNB fit", *race(lambda: atfnb.fit(X, y), lambda: peer.fit(X, y)), 0.4
    )
    yield Row(
        "ATFNB predict, same", "CategoricalNB predict", *race(lambda: atfnb.predict(X), lambda: peer.predict(X)), 0.2
    )
    yield Row("NB fit on codes, same", "CategoricalNB fit", *race(lambda: nb.fit(X, y), lambda: peer.fit(X, y)), 0.15)
    yield from _passes(atfnb, X, y)
    X, y = coded(200_000 // shrink, 60, 6, 6)
    pairs = CFWBeta(categorical_features="all")
    times = race(lambda: pairs.fit(X, y), lambda: peer.fit(X, y), 3)
    yield Row("CFWBeta fit (tables of value pairs), 200k × 60 × 6", "CategoricalNB fit", *times, 1.0)


def _passes(model: ATFNB, X: CodeArray, y: IntArray) -> Iterator[Row]:
    """Single passes against reading the same bytes once."""
    classes, weight = y.astype(np.int32), np.broadcast_to(1.0, len(y))
    n_values, n_classes = model.encoder_.n_values, len(model.classes_)
    lines, rows = lines_of(model), rows_of(X, y)

    def read() -> int:
        return int(X.ravel().view(np.uint64).sum(dtype=np.uint64))

    for what, run in (
        ("count, one pass over the same codes", lambda: count(X, classes, weight, n_values, n_classes)),
        ("interval pass (each row's interval of β)", lambda: reach(rows, lines)),
    ):
        yield Row(what, "reading these bytes once", *race(run, read), None)


def switching_factor(shrink: int = 1) -> Iterator[Row]:
    """QSF against the grid, 100,000 rows."""
    X, y = coded(100_000 // shrink, 20, 5, 3)
    model = ATFNB(categorical_features="all").fit(X, y)
    for step, aim, repeats in ((0.01, 1 / 40, 20), (0.0001, 1 / 2000, 1)):
        grid = partial(search_sls, model, X, y, step)
        what, against = (
            f"QSF, 100k × 20 × 3, against step {step:g}",
            f"SLS: classify the rows at {round(1 / step) + 1} β",
        )
        yield Row(what, against, *race(lambda: search_qsf(model, X, y), grid, repeats), aim)
    times = race(lambda: search_qsf(model, X, y), lambda: _sls(model, X, y), 20)
    yield Row("QSF, same", "our own SLS, which makes each row's lines once, step 0.01", *times, None)


def _sls(model: ATFNB, X: CodeArray, y: IntArray) -> float:
    return search_grid(rows_of(X, y), lines_of(model), float(len(y)), 0.01).beta


def paper_sets(shrink: int = 1) -> Iterator[Row]:
    """The four sets of the paper's T4, those that can be had."""
    for line in published.table("T4"):
        name = str(line["set"])
        against = f"SLS, step 0.01, same loops; the paper prints ×{line['speedup']}"
        if datasets.where(name) == "not available":
            yield Row(f"QSF on {name}", against, float("nan"), None, None, "needs its file: make bench DATA=folder")
            continue
        one = beta_of_set(name, *datasets.load(name))
        yield Row(f"QSF on {name}, all rows", against, one.qsf_seconds, one.sls_seconds, None)


def from_floats(shrink: int = 1) -> Iterator[Row]:
    """Raw numbers: encoding included."""
    rng = np.random.default_rng(0)
    n = 100_000 // shrink
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 20)) + 0.5 * y[:, None]
    peer = make_pipeline(KBinsDiscretizer(encode="ordinal", quantile_method="averaged_inverted_cdf"), CategoricalNB())
    times = race(lambda: ATFNB().fit(X, y), lambda: peer.fit(X, y))
    yield Row(
        "ATFNB fit from raw floats, 100k × 20 × 2 (encoding included)", "KBinsDiscretizer + CategoricalNB", *times, 1.0
    )
    for rows, classes in product((100_000 // shrink, 1_000_000 // shrink), (2, 3, 10)):
        numbers, labels = floats(rows, 20, classes)
        times = race(lambda: ATFNB().fit(numbers, labels), lambda: peer.fit(numbers, labels), 2)  # noqa: B023
        what = f"ATFNB fit from raw floats, {rows:,} × 20 × {classes}, some attributes weak"
        yield Row(what, "KBinsDiscretizer + CategoricalNB", *times, None)
    for classes in (2, 10):
        labels = rng.integers(0, classes, n)
        values = rng.normal(size=n) + 0.1 * labels
        ours = min(seconds(lambda: ChiMerge(max_bins=classes).fit(values[:, None], labels)) for _ in range(5))  # noqa: B023
        what = f"ChiMerge, one column of 100k distinct values, {classes} classes"
        yield Row(what, "toad's ChiMerge", ours, _toad(values, labels, classes), 0.01)


def _toad(values: FloatArray, labels: IntArray, bins: int) -> float | None:
    try:
        from toad.merge import ChiMerge as Peer
    except ImportError:
        return None
    return seconds(lambda: Peer(values, labels, n_bins=bins))


def fusion(shrink: int = 1) -> Iterator[Row]:
    """FusionNB against ATFNB on codes, and against scikit-learn's forests on the same raw floats."""
    X, y = coded(1_000_000 // shrink, 20, 5, 3)
    ours, atfnb = FusionNB(refine="attribute", categorical_features="all"), ATFNB(categorical_features="all")
    times = race(lambda: ours.fit(X, y), lambda: atfnb.fit(X, y), 3)
    yield Row("FusionNB 'attribute' fit on codes, 1M × 20 × 3", "ATFNB fit", *times, 10.0)
    numbers, labels = floats(1_000_000 // shrink, 20, 3)
    fit = seconds(lambda: FusionNB().fit(numbers, labels))
    boosting = seconds(lambda: HistGradientBoostingClassifier(random_state=0).fit(numbers, labels))
    yield Row("FusionNB fit from raw floats, 1M × 20 × 3", "HistGradientBoosting fit", fit, boosting, 1.0)
    few = RandomForestClassifier(10, random_state=0, n_jobs=-1)
    forest = 10 * seconds(lambda: few.fit(numbers, labels))
    yield Row("the same", "RandomForest fit, all cores: 10 of its 100 trees, times 10", fit, forest, 0.1)
    sizes = [n // shrink for n in (10**5, 3 * 10**5, 10**6)]
    spent = [seconds(lambda: FusionNB().fit(numbers[:n], labels[:n])) for n in sizes]  # noqa: B023
    note = ", ".join(f"{n:.0e} rows {t:.2f} s" for n, t in zip(sizes, spent, strict=True))
    yield Row("FusionNB, growth in rows: slope in log-log", "1 is linear", _slope(sizes, spent), 1.0, 1.1, note)


def many_classes(shrink: int = 1) -> Iterator[Row]:
    """FusionNB on tables of many classes, against HistGradientBoosting on the same."""
    numbers, letters = scattered(20_000 // shrink, 16, 26)
    boosting = HistGradientBoostingClassifier(random_state=0)
    times = race(lambda: FusionNB().fit(numbers, letters), lambda: boosting.fit(numbers, letters), 2)
    yield Row("FusionNB fit, 20k × 16 numbers × 26 classes", "HistGradientBoosting fit", *times, 1.0)
    words, labels = worded(2300 // shrink, (12, 40, 8, 150, 25), 56)
    by_code = HistGradientBoostingClassifier(random_state=0, categorical_features=[*range(words.shape[1])])
    peer = make_pipeline(OrdinalEncoder(), by_code)
    times = race(lambda: FusionNB().fit(words, labels), lambda: peer.fit(words, labels), 2)
    yield Row("FusionNB fit, 2,300 × 5 columns of text × 56 classes", "HistGradientBoosting fit", *times, 1.0)


def scattered(rows: int, attributes: int, classes: int, seed: int = 0) -> tuple[FloatArray, IntArray]:
    """Draw whole numbers from 0 to 15 around a centre for each class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    centre = rng.uniform(3, 12, (classes, attributes))
    return np.clip(np.rint(rng.normal(centre[y], 2.0)), 0, 15), y


def worded(rows: int, n_values: Sequence[int], classes: int, seed: int = 0) -> tuple[NDArray[Any], IntArray]:
    """Draw columns of words, half of which follow the class, with classes from frequent to rare."""
    rng = np.random.default_rng(seed)
    y = np.minimum(rng.geometric(3 / classes, rows) - 1, classes - 1)
    columns = [
        np.where(rng.random(rows) < 0.5, rng.permutation(classes)[y] % n, rng.integers(0, n, rows)) for n in n_values
    ]
    return np.array([[f"word {v}" for v in column] for column in columns], dtype=object).T, y


def floats(rows: int, attributes: int, classes: int, seed: int = 0) -> tuple[FloatArray, IntArray]:
    """Numbers that tell something of the class, the last attributes more than the first."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    return rng.normal(size=(rows, attributes)) + y[:, None] * np.linspace(0, 0.6, attributes), y


def small(shrink: int = 1) -> Iterator[Row]:
    """Iris, ten thousand times."""
    X, y = load_iris(return_X_y=True)
    codes = ChiMerge().fit(X, y).transform(X)
    ours, theirs = ATFNB(categorical_features="all"), CategoricalNB()

    def many(run: Run) -> Run:
        return lambda: [run() for _ in range(1000 // shrink)]

    rounds = [race(many(lambda: ours.fit(codes, y)), many(lambda: theirs.fit(codes, y)), 1) for _ in range(10)]
    our_time, their_time = np.sum(rounds, axis=0).tolist()
    yield Row("ATFNB fit on the codes of iris, 10,000 times", "CategoricalNB on the same", our_time, their_time, 3.0)


def growth(shrink: int = 1) -> Iterator[Row]:
    """The slope of the fit's time in log-log."""
    sizes = [n // shrink for n in (10**5, 10**6, 10**7)]
    X, y = coded(sizes[-1], 20, 5, 3)
    times = [min(seconds(lambda: ATFNB(categorical_features="all").fit(X[:n], y[:n])) for _ in range(3)) for n in sizes]  # noqa: B023
    note = ", ".join(f"{n:.0e} rows {t:.3f} s" for n, t in zip(sizes, times, strict=True))
    yield Row("growth in rows, 20 attributes: slope in log-log", "1 is linear", _slope(sizes, times), 1.0, 1.05, note)
    widths = [10, 20, 40, 80]
    X, y = coded(300_000 // shrink, 80, 5, 3)
    times = []
    for width in widths:
        part = np.ascontiguousarray(X[:, :width])
        times.append(min(seconds(lambda: ATFNB(categorical_features="all").fit(part, y)) for _ in range(3)))  # noqa: B023
    note = ", ".join(f"{n} attributes {t:.3f} s" for n, t in zip(widths, times, strict=True))
    yield Row("growth in attributes, 300k rows: slope in log-log", "1 is linear", _slope(widths, times), 1.0, 1.1, note)


def _slope(sizes: list[int], times: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def memory(shrink: int = 1) -> Iterator[Row]:
    """The peak of a fit on ten million rows, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK_OF_FIT, str(10_000_000 // shrink)], capture_output=True, text=True, check=True
    )
    peak, codes = map(float, done.stdout.split())
    note = f"{peak / 1e6:.0f} MB, the codes included, for {codes / 1e6:.0f} MB of codes"
    yield Row("peak memory of ATFNB fit, 10M × 20 codes", "the codes themselves", peak, codes, 2.5, note)


def compilation(shrink: int = 1) -> Iterator[Row]:
    """The first fit of a process: everything is compiled, or found on disk."""
    code = "import time, sklearn.datasets as d; from atfnb import ATFNB; X, y = d.load_iris(return_X_y=True)\n"
    code += "s = time.perf_counter(); ATFNB().fit(X, y); print(time.perf_counter() - s)"
    with tempfile.TemporaryDirectory() as folder:
        for what, limit in (
            ("first fit on a new machine: everything is compiled", 10.0),
            ("first fit of the next process", 1.0),
        ):
            environment = os.environ | {"NUMBA_CACHE_DIR": folder}
            done = subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
            )
            yield Row(what, f"{limit:g} s", float(done.stdout), limit, 1.0)


GROUPS = [on_codes, switching_factor, paper_sets, from_floats, fusion, many_classes, small, growth, memory, compilation]
