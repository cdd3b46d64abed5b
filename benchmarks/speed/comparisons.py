"""What is measured in this process: each group of comparisons is a function.

Every comparison is our time against that of a peer on the same data in the same process, the best of several
alternating repeats. Nothing here is a test: a ratio above its aim is shown, not hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder, StandardScaler

from atfnb._typing import CodeArray, FloatArray, IntArray
from atfnb.classifiers import ATFNB, NB, CFWBeta, FusionNB
from atfnb.counts import count
from atfnb.encoding import ChiMerge
from atfnb.switching import reach, search_grid
from atfnb_study import datasets
from atfnb_study.published import table as published_table
from atfnb_study.searches import beta_of_set, lines_of, rows_of, search_qsf, search_sls
from benchmarks.speed.measuring import (
    Comparison,
    Task,
    acting_together,
    coded,
    floats,
    race,
    scattered,
    seconds,
    slope,
    worded,
)


def on_codes(shrink: int = 1) -> Iterator[Comparison]:
    """Compare fits and predictions on a million rows of codes with CategoricalNB."""
    X, y = coded(1_000_000 // shrink, 20, 5, 3)
    atfnb, nb, peer = ATFNB(categorical_features="all"), NB(categorical_features="all"), CategoricalNB()
    size = "1M rows × 20 attributes × 3 classes"
    times = race(lambda: atfnb.fit(X, y), lambda: peer.fit(X, y))
    yield Comparison(f"ATFNB fit on codes, {size}", "CategoricalNB fit", *times, 0.4)
    times = race(lambda: atfnb.predict(X), lambda: peer.predict(X))
    yield Comparison("ATFNB predict, same", "CategoricalNB predict", *times, 0.2)
    times = race(lambda: nb.fit(X, y), lambda: peer.fit(X, y))
    yield Comparison("NB fit on codes, same", "CategoricalNB fit", *times, 0.15)
    yield from _passes(atfnb, X, y)
    X, y = coded(200_000 // shrink, 60, 6, 6)
    pairs = CFWBeta(categorical_features="all")
    times = race(lambda: pairs.fit(X, y), lambda: peer.fit(X, y), 3)
    yield Comparison("CFWBeta fit (tables of value pairs), 200k × 60 × 6", "CategoricalNB fit", *times, 1.0)


def _passes(model: ATFNB, X: CodeArray, y: IntArray) -> Iterator[Comparison]:
    """Compare single passes over the codes with reading their bytes once."""
    classes, weight = y.astype(np.int32), np.broadcast_to(1.0, len(y))
    n_values, n_classes = model.encoder_.n_values, len(model.classes_)
    lines, rows = lines_of(model), rows_of(X, y)

    def read() -> int:
        return int(X.ravel().view(np.uint64).sum(dtype=np.uint64))

    for what, task in (
        ("count, one pass over the same codes", lambda: count(X, classes, weight, n_values, n_classes)),
        ("interval pass (each row's interval of β)", lambda: reach(rows, lines)),
    ):
        yield Comparison(what, "reading these bytes once", *race(task, read), None)


def switching_factor(shrink: int = 1) -> Iterator[Comparison]:
    """Compare QSF with the grid search on 100,000 rows."""
    X, y = coded(100_000 // shrink, 20, 5, 3)
    model = ATFNB(categorical_features="all").fit(X, y)
    for step, aim, repeats in ((0.01, 1 / 40, 20), (0.0001, 1 / 2000, 1)):
        what, against = f"QSF, 100k × 20 × 3, against step {step:g}", f"SLS: classify the rows at {1 / step + 1:.0f} β"
        grid = partial(search_sls, model, X, y, step)
        yield Comparison(what, against, *race(lambda: search_qsf(model, X, y), grid, repeats), aim)
    times = race(lambda: search_qsf(model, X, y), lambda: _sls(model, X, y), 20)
    yield Comparison("QSF, same", "our own SLS, which makes each row's lines once, step 0.01", *times, None)


def _sls(model: ATFNB, X: CodeArray, y: IntArray) -> float:
    return search_grid(rows_of(X, y), lines_of(model), float(len(y)), 0.01).beta


def paper_sets(shrink: int = 1) -> Iterator[Comparison]:
    """Compare QSF with SLS on the four sets of the paper's T4, where they are available."""
    for line in published_table("T4"):
        name = str(line["set"])
        against = f"SLS, step 0.01, same loops; the paper prints ×{line['speedup']}"
        if datasets.where(name) == "not available":
            note = "needs its file: make bench DATA=folder"
            yield Comparison(f"QSF on {name}", against, float("nan"), None, None, note)
            continue
        one = beta_of_set(name, *datasets.load(name))
        yield Comparison(f"QSF on {name}, all rows", against, one.qsf_seconds, one.sls_seconds, None)


def from_floats(shrink: int = 1) -> Iterator[Comparison]:
    """Compare fits from raw numbers, encoding included, with KBinsDiscretizer and CategoricalNB."""
    rng = np.random.default_rng(0)
    n = 100_000 // shrink
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 20)) + 0.5 * y[:, None]
    peer = make_pipeline(KBinsDiscretizer(encode="ordinal", quantile_method="averaged_inverted_cdf"), CategoricalNB())
    against = "KBinsDiscretizer + CategoricalNB"
    times = race(lambda: ATFNB().fit(X, y), lambda: peer.fit(X, y))
    yield Comparison("ATFNB fit from raw floats, 100k × 20 × 2 (encoding included)", against, *times, 1.0)
    for rows, classes in product((100_000, 300_000, 1_000_000), (2, 3, 10)):
        numbers, labels = floats(rows // shrink, 20, classes)
        times = race(lambda: ATFNB().fit(numbers, labels), lambda: peer.fit(numbers, labels), 2)  # noqa: B023
        what = f"ATFNB fit from raw floats, {rows // shrink:,} × 20 × {classes}, some attributes weak"
        yield Comparison(what, against, *times, 1.0)
    for classes in (2, 10):
        labels = rng.integers(0, classes, n)
        values = rng.normal(size=n) + 0.1 * labels
        ours = min(seconds(lambda: ChiMerge(max_bins=classes).fit(values[:, None], labels)) for _ in range(5))  # noqa: B023
        what = f"ChiMerge, one column of 100k distinct values, {classes} classes"
        yield Comparison(what, "toad's ChiMerge", ours, _toad(values, labels, classes), 0.01)


def _toad(values: FloatArray, labels: IntArray, bins: int) -> float | None:
    """Return the seconds of toad's ChiMerge, or None if toad is not installed."""
    try:
        from toad.merge import ChiMerge as Peer
    except ImportError:
        return None
    return seconds(lambda: Peer(values, labels, n_bins=bins))


def fusion(shrink: int = 1) -> Iterator[Comparison]:
    """Compare FusionNB with ATFNB on codes, and with scikit-learn's forests on the same raw floats."""
    X, y = coded(1_000_000 // shrink, 20, 5, 3)
    ours, atfnb = FusionNB(refine="attribute", categorical_features="all"), ATFNB(categorical_features="all")
    times = race(lambda: ours.fit(X, y), lambda: atfnb.fit(X, y), 3)
    yield Comparison("FusionNB 'attribute' fit on codes, 1M × 20 × 3", "ATFNB fit", *times, 10.0)
    numbers, labels = floats(1_000_000 // shrink, 20, 3)
    fit = seconds(lambda: FusionNB().fit(numbers, labels))
    boosting = seconds(lambda: HistGradientBoostingClassifier(random_state=0).fit(numbers, labels))
    what = "FusionNB fit from raw floats, 1M × 20 × 3"
    yield Comparison(what, "HistGradientBoosting fit", fit, boosting, 1.0)
    yield from _against_boosters(what, fit, numbers, labels)
    few = RandomForestClassifier(10, random_state=0, n_jobs=-1)
    forest = 10 * seconds(lambda: few.fit(numbers, labels))
    yield Comparison(what, "RandomForest fit, all cores: 10 of its 100 trees, times 10", fit, forest, 0.1)
    sizes = [n // shrink for n in (10**5, 3 * 10**5, 10**6)]
    spent = [seconds(lambda: FusionNB().fit(numbers[:n], labels[:n])) for n in sizes]  # noqa: B023
    note = ", ".join(f"{n:.0e} rows {t:.2f} s" for n, t in zip(sizes, spent, strict=True))
    yield Comparison("FusionNB, growth in rows: slope in log-log", "1 is linear", slope(sizes, spent), 1.0, 1.1, note)


def _against_boosters(what: str, fit: float, numbers: FloatArray, labels: IntArray) -> Iterator[Comparison]:
    """FusionNB's seconds against those of the boosted trees of other libraries, on all cores."""
    for name, aim in (("LightGBM", 1.5), ("XGBoost", None), ("CatBoost", None)):
        booster = _booster(name)
        theirs = None if booster is None else seconds(lambda: booster.fit(numbers, labels))  # noqa: B023
        yield Comparison(what, f"{name} fit", fit, theirs, aim)


def _booster(name: str) -> Any:
    """Return a classifier of another library, mostly with its defaults, or None if the library is not installed."""
    try:
        if name == "LightGBM":
            from lightgbm import LGBMClassifier

            return LGBMClassifier(random_state=0, verbose=-1)
        if name == "LogisticRegression":
            return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        if name == "XGBoost":
            from xgboost import XGBClassifier

            return XGBClassifier(random_state=0)
        from catboost import CatBoostClassifier

        return CatBoostClassifier(random_seed=0, verbose=0, allow_writing_files=False)
    except ImportError:
        return None


def pairs(shrink: int = 1) -> Iterator[Comparison]:
    """FusionNB with pairs of attributes: what they cost, and against LightGBM where attributes act together."""
    numbers, labels = acting_together(1_000_000 // shrink, 20)
    ours, booster = seconds(lambda: FusionNB().fit(numbers, labels)), _booster("LightGBM")
    theirs = None if booster is None else seconds(lambda: booster.fit(numbers, labels))
    yield Comparison("FusionNB fit, 1M × 20 × 3, attributes act together", "LightGBM fit", ours, theirs, 1.5)
    few = slice(0, 20_000 // shrink)
    wide, sides = acting_together(20_000 // shrink, 300)
    for what, X, y in (("20k × 20 × 3", numbers[few], labels[few]), ("20k × 300 × 3 (44,850 pairs)", wide, sides)):
        times = race(lambda: FusionNB().fit(X, y), lambda: FusionNB(pairs=0).fit(X, y), 2)  # noqa: B023
        yield Comparison(f"FusionNB fit, {what}, attributes act together", "the same with pairs=0", *times, None)


def middle_sized(shrink: int = 1) -> Iterator[Comparison]:
    """Compare FusionNB with LightGBM on tables of ten to thirty thousand rows, where it may be slower."""
    tables = {"30k × 20 × 3, attributes act together": acting_together(30_000 // shrink, 20)}
    tables |= {name: datasets.load(name) for name in ("nursery", "magic") if datasets.where(name) != "not available"}
    for what, (X, y) in tables.items():
        codes, booster = OrdinalEncoder().fit_transform(X), _booster("LightGBM")
        theirs = None if booster is None else seconds(lambda: booster.fit(codes, y))  # noqa: B023
        yield Comparison(f"FusionNB fit, {what}", "LightGBM fit", seconds(lambda: FusionNB().fit(X, y)), theirs, None)  # noqa: B023


def small_tables(shrink: int = 1) -> Iterator[Comparison]:
    """Compare FusionNB with other libraries on the sets of the paper that have fewer than 500 rows, one fit each."""
    names = [each.name for each in datasets.catalogue().values() if each.instances < 500]
    there = [name for name in names if datasets.where(name) != "not available"][:: min(shrink, 8)]
    tables = [datasets.load(name) for name in there]
    what = f"FusionNB, one fit each of {len(tables)} of the {len(names)} sets with fewer than 500 rows"
    if len(there) < len(names):
        what += "; the others need their files: make bench DATA=folder"
    yield from _against_all(what, ("LightGBM", "CatBoost"), tables)


def wide(shrink: int = 1) -> Iterator[Comparison]:
    """Compare FusionNB with other libraries on tables of thousands of columns and some hundred rows."""
    for rows, columns, classes in ((100, 2500, 4), (500, 10_000, 2)):
        columns //= min(shrink, 50)
        what = f"FusionNB fit, {rows} × {columns:,} × {classes}, wide"
        yield from _against_all(what, ("LogisticRegression", "LightGBM"), [floats(rows, columns, classes)])


def _against_all(what: str, names: Sequence[str], tables: Sequence[tuple[Any, Any]]) -> Iterator[Comparison]:
    """FusionNB's seconds for one fit of each table against those of other classifiers, text given to them as codes."""
    ours = sum(seconds(lambda: FusionNB().fit(X, y)) for X, y in tables)  # noqa: B023
    for name in names:
        peer = _booster(name)
        coded = [(OrdinalEncoder().fit_transform(X) if hasattr(X, "columns") else X, y) for X, y in tables]
        theirs = None if peer is None else sum(seconds(lambda: peer.fit(X, y)) for X, y in coded)  # noqa: B023
        yield Comparison(what, f"{name} fit", ours, theirs, None)


def many_classes(shrink: int = 1) -> Iterator[Comparison]:
    """Compare FusionNB with HistGradientBoosting on tables of many classes."""
    numbers, letters = scattered(20_000 // shrink, 16, 26)
    boosting = HistGradientBoostingClassifier(random_state=0)
    times = race(lambda: FusionNB().fit(numbers, letters), lambda: boosting.fit(numbers, letters), 2)
    yield Comparison("FusionNB fit, 20k × 16 numbers × 26 classes", "HistGradientBoosting fit", *times, 1.0)
    words, labels = worded(3000 // shrink, (12, 40, 8, 150, 25), 56)
    by_code = HistGradientBoostingClassifier(random_state=0, categorical_features=[*range(words.shape[1])])
    peer = make_pipeline(OrdinalEncoder(), by_code)
    times = race(lambda: FusionNB().fit(words, labels), lambda: peer.fit(words, labels), 2)
    yield Comparison("FusionNB fit, 3,000 × 5 columns of text × 56 classes", "HistGradientBoosting fit", *times, 1.0)


def small(shrink: int = 1) -> Iterator[Comparison]:
    """Compare ten thousand fits on the codes of iris with CategoricalNB."""
    X, y = load_iris(return_X_y=True)
    codes = ChiMerge().fit(X, y).transform(X)
    ours, theirs = ATFNB(categorical_features="all"), CategoricalNB()

    def many(task: Task) -> Task:
        return lambda: [task() for _ in range(1000 // shrink)]

    rounds = [race(many(lambda: ours.fit(codes, y)), many(lambda: theirs.fit(codes, y)), 1) for _ in range(10)]
    our_time, their_time = np.sum(rounds, axis=0).tolist()
    what = "ATFNB fit on the codes of iris, 10,000 times"
    yield Comparison(what, "CategoricalNB on the same", our_time, their_time, 3.0)


def growth(shrink: int = 1) -> Iterator[Comparison]:
    """Measure how the time of a fit grows with rows and attributes: its slope in log-log."""
    sizes = [n // shrink for n in (10**5, 10**6, 10**7)]
    X, y = coded(sizes[-1], 20, 5, 3)
    times = [_best_fit(X[:n], y[:n]) for n in sizes]
    note = ", ".join(f"{n:.0e} rows {t:.3f} s" for n, t in zip(sizes, times, strict=True))
    what = "growth in rows, 20 attributes: slope in log-log"
    yield Comparison(what, "1 is linear", slope(sizes, times), 1.0, 1.05, note)
    widths = [10, 20, 40, 80]
    X, y = coded(300_000 // shrink, 80, 5, 3)
    times = [_best_fit(np.ascontiguousarray(X[:, :width]), y) for width in widths]
    note = ", ".join(f"{n} attributes {t:.3f} s" for n, t in zip(widths, times, strict=True))
    what = "growth in attributes, 300k rows: slope in log-log"
    yield Comparison(what, "1 is linear", slope(widths, times), 1.0, 1.1, note)


def _best_fit(X: CodeArray, y: IntArray) -> float:
    """Return the seconds of ATFNB's fit on codes, the best of three."""
    return min(seconds(lambda: ATFNB(categorical_features="all").fit(X, y)) for _ in range(3))


GROUPS = [on_codes, switching_factor, paper_sets, from_floats, fusion, pairs, middle_sized, small_tables, wide]
GROUPS += [many_classes, small, growth]
