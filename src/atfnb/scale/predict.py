"""The way back: the class of each row of a table in parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted


def predict_dask(estimator: Any, frame: Any, client: Any = None) -> Any:
    """Predict the class of each row of a Dask data frame, of Parquet or of CSV files.

    Parameters
    ----------
    estimator : a fitted classifier
        However it was fitted; it needs the names of its columns.
    frame : Dask data frame, path or glob
    client : distributed.Client, optional
        The cluster to compute on at once; the predictions stay on its workers. Without, nothing is computed yet.

    Returns
    -------
    A Dask series of classes, with the index of the frame: ``.compute()`` it, or put it beside the frame's columns.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> from sklearn.datasets import load_iris
    >>> from atfnb import NB
    >>> iris = load_iris(as_frame=True)
    >>> model = NB().fit(iris.data, iris.target)
    >>> predict_dask(model, dd.from_pandas(iris.data, npartitions=3)).compute().value_counts().sum()
    np.int64(150)
    """
    import pandas as pd

    check_is_fitted(estimator)
    names = list(estimator.feature_names_in_)
    parts = _read(frame, names)
    lost = [name for name in names if name not in parts.columns]
    if lost:
        raise ValueError(f"the table has no column {lost[0]!r}, which the model was fitted with.")
    nothing = pd.Series(np.asarray(estimator.classes_)[:0], name="prediction")
    predicted = parts[names].map_partitions(_predict, estimator, nothing, meta=nothing)
    return predicted if client is None else client.persist(predicted)


def _predict(frame: Any, estimator: Any, nothing: Any) -> Any:
    import pandas as pd

    if len(frame) == 0:
        return pd.Series(nothing, index=frame.index)
    return pd.Series(estimator.predict(frame), index=frame.index, name="prediction")


def _read(frame: Any, names: list[str]) -> Any:
    import dask.dataframe as dd

    if not isinstance(frame, (str, Path)):
        return frame
    return (
        dd.read_csv(str(frame)) if str(frame).lower().endswith(".csv") else dd.read_parquet(str(frame), columns=names)
    )
