"""Well-known classifiers of scikit-learn, with the usual preparation, to see beside those of this library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from atfnb._typing import FloatArray
from atfnb.tables import Table, expand_dates, read_table


def prepared(
    path: str, *, categorical: Sequence[Any], numeric: Sequence[Any], scale: bool = False, **parameters: Any
) -> Any:
    """Return a pipeline of the usual preparation, one-hot categories and imputed (scaled) numbers, and a classifier.

    Parameters
    ----------
    path : str
        The class of the classifier, such as "sklearn.naive_bayes.GaussianNB", which is imported only now.
    categorical, numeric : list of str or int
        The names or the positions of the columns.
    scale : bool, default=False
        Whether numbers are scaled to a variance of 1.
    **parameters
        Those of the classifier.
    """
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    module, _, name = path.rpartition(".")
    numbers = make_pipeline(SimpleImputer(), StandardScaler()) if scale else SimpleImputer()
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer((one_hot, categorical), (numbers, numeric))
    return make_pipeline(columns, getattr(import_module(module), name)(**parameters))


PEERS: dict[str, Callable[..., Any]] = {
    "LogisticRegression": partial(prepared, "sklearn.linear_model.LogisticRegression", max_iter=2000, scale=True),
    "RandomForest": partial(prepared, "sklearn.ensemble.RandomForestClassifier", random_state=0),
    # early stopping cannot hold out a row of a class that has only one, so it watches the training rows
    "HistGradientBoosting": partial(
        prepared, "sklearn.ensemble.HistGradientBoostingClassifier", random_state=0, validation_fraction=None
    ),
}
"""What makes each classifier, called with ``categorical`` and ``numeric`` columns."""


class Peer(ClassifierMixin, BaseEstimator):
    """A classifier of scikit-learn on tables with text, dates and missing values.

    Parameters
    ----------
    name : str
        One of :data:`PEERS`.

    Attributes
    ----------
    classes_ : array of shape (classes,)
        The classes, sorted.

    Examples
    --------
    >>> X = [[1.0, "red"], [2.0, None], [None, "blue"], [4.0, "blue"]]
    >>> Peer("LogisticRegression").fit(X, ["no", "no", "yes", "yes"]).predict([[3.5, "blue"]])
    array(['yes'], dtype='<U3')
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table, the class of each row, and the weight of each row."""
        self.columns_ = [column.name for column in _numbers_and_text(X).columns if not column.missing.all()]
        table = _numbers_and_text(X).only(self.columns_)
        of_kind = [column.categorical for column in table.columns]
        categorical, numeric = np.flatnonzero(of_kind), np.flatnonzero(~np.array(of_kind))
        self.pipeline_ = PEERS[self.name](categorical=categorical, numeric=numeric)
        weighted = {} if sample_weight is None else {f"{self.pipeline_.steps[-1][0]}__sample_weight": sample_weight}
        self.pipeline_.fit(_cells(table), y, **weighted)
        self.classes_ = self.pipeline_.classes_
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class: (rows, classes)."""
        return np.asarray(self.pipeline_.predict_proba(_cells(_numbers_and_text(X).only(self.columns_))))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row: (rows,)."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def _numbers_and_text(X: Any) -> Table:
    """Return the columns of a table, with dates as numbers of days."""
    return expand_dates(read_table(X), "number")


def _cells(table: Table) -> NDArray[Any]:
    """Return the cells of a table, categories as text: (rows, columns)."""
    cells = np.empty((table.n_rows, len(table.columns)), dtype=object)
    for j, column in enumerate(table.columns):
        cells[:, j] = [str(cell) for cell in column.values.tolist()] if column.categorical else column.values
        cells[column.missing, j] = "(missing)" if column.categorical else np.nan
    return cells
