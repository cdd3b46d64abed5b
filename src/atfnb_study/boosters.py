"""LightGBM, XGBoost and CatBoost, each with its own treatment of categories and missing values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Self

import numpy as np

from atfnb._typing import FloatArray

MISSING = "(missing)"
"""The text that stands for a missing category where a library takes text only."""


def text_of(column: Any) -> Any:
    """Return a column with text for its values; missing values stay missing."""
    return column.astype(object).map(str, na_action="ignore")


def as_categories(column: Any, known: list[str]) -> Any:
    """Return a column as pandas categories; missing values and those not in ``known`` have none.

    >>> import pandas as pd
    >>> list(as_categories(pd.Series(["a", None, "c"]), ["a", "b"]))
    ['a', nan, nan]
    """
    import pandas as pd

    categories = pd.Index(known, dtype=object)
    return pd.Categorical.from_codes(categories.get_indexer(text_of(column)), categories=categories)


def as_text(column: Any, _: list[str]) -> Any:
    """Return a column as text; a missing value is a text too.

    >>> import pandas as pd
    >>> list(as_text(pd.Series(["a", None]), []))
    ['a', '(missing)']
    """
    return text_of(column).fillna(MISSING).to_numpy(dtype=object)


def made(path: str, **parameters: Any) -> Any:
    """Return an object of a class of another library, which is imported only now."""
    module, name = path.rsplit(".", 1)
    return getattr(import_module(module), name)(**parameters)


@dataclass
class Booster:
    """A classifier of another library, on tables with text, missing values and classes of any kind.

    Classes become integers and columns become what the library takes. A column without a value in the training rows
    teaches nothing, and some libraries refuse it: it is left out.

    Parameters
    ----------
    make : callable
        Called with the names of the categorical columns, as the library sees them, and with settings as keywords;
        returns its classifier.
    prepare : callable
        Returns a categorical column as the library takes it; called with the column and its values in training.
    categorical, numeric : list of str
        The names of the columns.
    settings : dict, optional
        What differs from the defaults of the library.

    Attributes
    ----------
    classes_ : array
        The classes, sorted.
    """

    make: Callable[..., Any]
    prepare: Callable[[Any, list[str]], Any]
    categorical: list[str]
    numeric: list[str]
    settings: dict[str, Any] = field(default_factory=dict)

    def fit(self, X: Any, y: Any) -> Self:
        """Train on a pandas frame and the class of each row."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        known = {name: sorted(text_of(X[name]).dropna().unique()) for name in self.categorical}
        self._known = {name: values for name, values in known.items() if values}
        self._numbers = [name for name in self.numeric if X[name].notna().any()]
        table = self._table(X)
        self._model = self.make([name for name in table.columns if name.startswith("c")], **self.settings)
        self._model.fit(table, codes)
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class: (rows, classes)."""
        return np.asarray(self._model.predict_proba(self._table(X)), dtype=np.float64)

    def predict(self, X: Any) -> Any:
        """Return the most probable class of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _table(self, X: Any) -> Any:
        """Return the columns as the library takes them, under plain names: LightGBM and XGBoost refuse brackets."""
        import pandas as pd

        numbers = {f"n{i}": X[name].to_numpy(np.float64, na_value=np.nan) for i, name in enumerate(self._numbers)}
        texts = {f"c{i}": self.prepare(X[name], self._known[name]) for i, name in enumerate(self._known)}
        return pd.DataFrame(numbers | texts)


def light_gbm(categorical: list[str], numeric: list[str], **_: Any) -> Booster:
    """Return LightGBM's classifier, on pandas categories."""
    # without force_col_wise, LightGBM times two ways of counting and takes the faster: sums may then differ
    one_way = {"n_jobs": 1, "deterministic": True, "force_col_wise": True}
    path, options = "lightgbm.LGBMClassifier", {"random_state": 0, "verbose": -1, **one_way}
    return Booster(lambda _, **settings: made(path, **options, **settings), as_categories, categorical, numeric)


def xgboost(categorical: list[str], numeric: list[str], **_: Any) -> Booster:
    """Return XGBoost's classifier, on pandas categories."""
    path, options = "xgboost.XGBClassifier", {"random_state": 0, "n_jobs": 1, "verbosity": 0}
    options["enable_categorical"] = True
    return Booster(lambda _, **settings: made(path, **options, **settings), as_categories, categorical, numeric)


def cat_boost(categorical: list[str], numeric: list[str], **_: Any) -> Booster:
    """Return CatBoost's classifier, on text; a missing category is one more text."""
    path, options = "catboost.CatBoostClassifier", {"random_seed": 0, "thread_count": 1, "verbose": False}
    options["allow_writing_files"] = False
    return Booster(
        lambda names, **settings: made(path, cat_features=names, **options, **settings), as_text, categorical, numeric
    )
