"""The classifiers of a comparison, by name: the paper's own, its combinations of indexes, ours beyond it, and peers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from atfnb.classifiers import ATFNB, CFW, DFW, KLNB, NB, WNB, CFWBeta, FusionNB

View = Literal["codes", "columns"]
"""What a classifier is given: the codes of the training part's encoder, or the columns as they are."""


@dataclass(frozen=True)
class Entry:
    """One classifier of a comparison; ``make`` is told the categorical and numeric columns and the values of each."""

    name: str
    make: Callable[..., Any]
    view: View = "codes"
    package: str = ""
    """What must be installed for it beside this library."""


def _coded(classifier: Callable[..., Any], **parameters: Any) -> Callable[..., Any]:
    """Our own classifiers need to know nothing of the columns: they are given codes."""
    return lambda **_: classifier(categorical_features="all", **parameters)


INDEXES = {"I": "information_gain", "M": "mutual_information", "P": "pearson", "G": "gain_ratio"}

PAPER = {
    entry.name: entry
    for entry in (
        Entry("NB", _coded(NB)),
        Entry("WNB", _coded(WNB)),
        Entry("KLNB", _coded(KLNB)),
        Entry("DFW", _coded(DFW)),
        Entry("CFW", _coded(CFW)),
        Entry("ATFNB", _coded(ATFNB)),
        Entry("CFW-β", _coded(CFWBeta)),
    )
}
"""The methods the paper compares or describes."""

COMBINATIONS = {
    a + b: Entry(a + b, _coded(ATFNB, relevance=INDEXES[a], redundancy=INDEXES[b])) for b in "PM" for a in "IMPG"
}
"""ATFNB with every pair of indexes: the paper's six (Section 5.3), and the gain ratio in their place."""

BEYOND = {
    entry.name: entry
    for entry in (
        Entry("Fusion-attribute", _coded(FusionNB, refine="attribute")),
        Entry("FusionNB", lambda **_: FusionNB(), "columns"),
    )
}
"""Many indexes, and finer weights. FusionNB cuts more finely than the shared codes do, so it is given the columns."""


def installed(package: str) -> str:
    """The version of a package that a classifier needs; one sentence if it is not there.

    >>> installed("numpy") >= "2"
    True
    """
    try:
        return version(package)
    except PackageNotFoundError:
        raise ImportError(f"{package} is not installed, and a peer needs it: pip install {package}") from None


def _categorical_nb(n_values: Any, **_: Any) -> Any:
    from sklearn.naive_bayes import CategoricalNB

    return CategoricalNB(min_categories=n_values + 1)


def _on_columns(classifier: Any, categorical: list[str], numeric: list[str], *, scale: bool) -> Any:
    """A scikit-learn classifier behind the usual preparation: one-hot categories, imputed (and scaled) numbers."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_pipeline(SimpleImputer(), StandardScaler()) if scale else SimpleImputer()
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_pipeline(make_column_transformer((one_hot, categorical), (numbers, numeric)), classifier)


def _logistic_regression(categorical: list[str], numeric: list[str], **_: Any) -> Any:
    from sklearn.linear_model import LogisticRegression

    return _on_columns(LogisticRegression(max_iter=2000), categorical, numeric, scale=True)


def _random_forest(categorical: list[str], numeric: list[str], **_: Any) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return _on_columns(RandomForestClassifier(random_state=0), categorical, numeric, scale=False)


def _hist_gradient_boosting(categorical: list[str], numeric: list[str], **_: Any) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    # rows of every class cannot be set aside for early stopping where a class has one: it watches all of them
    booster = HistGradientBoostingClassifier(random_state=0, validation_fraction=None)
    return _on_columns(booster, categorical, numeric, scale=False)


def _ebm(**_: Any) -> Any:
    """It takes the columns as they are, gaps and categories included."""
    installed("interpret-core")
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(n_jobs=1, random_state=0)


PEERS = {
    entry.name: entry
    for entry in (
        Entry("CategoricalNB", _categorical_nb),
        Entry("LogisticRegression", _logistic_regression, "columns"),
        Entry("RandomForest", _random_forest, "columns"),
        Entry("HistGradientBoosting", _hist_gradient_boosting, "columns"),
        Entry("EBM", _ebm, "columns", package="interpret-core"),
    )
}
"""scikit-learn's, and the best-known additive model; they may join."""

KNOWN = PAPER | COMBINATIONS | BEYOND | PEERS


def find(names: list[str]) -> list[Entry]:
    """The classifiers of these names.

    >>> [entry.name for entry in find(["NB", "IP"])]
    ['NB', 'IP']
    """
    unknown = [name for name in names if name not in KNOWN]
    if unknown:
        raise ValueError(f"classifier {unknown[0]!r} is not known. Known: {', '.join(KNOWN)}.")
    return [KNOWN[name] for name in names]
