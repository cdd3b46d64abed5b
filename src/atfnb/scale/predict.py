"""Predict the class of each row of a table in parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from dask.delayed import delayed
from sklearn.utils.validation import check_is_fitted

from atfnb._errors import did_you_mean
from atfnb.encoding import learned_kinds, learned_zones
from atfnb.scale.running import Runner
from atfnb.tables import Dialect, parts_as_learned, read_frames


def predict_dask(estimator: Any, frame: Any, client: Any = None, *, dialect: Dialect | None = None) -> Any:
    """Predict the class of each row of a Dask data frame, of Parquet or of CSV files.

    Parameters
    ----------
    estimator : a fitted classifier
        The model, fitted in memory or in parts to columns with names.
    frame : Dask data frame, path, glob or list of paths
        The rows to predict.
    client : distributed.Client, optional
        The cluster that computes the predictions at once and keeps them on its workers. By default nothing is computed
        before ``.compute()``.
    dialect : Dialect, optional
        What is known about the files, as in :func:`fit_dask`.

    Returns
    -------
    dask.dataframe.Series
        The classes, with the index of the frame. For files, the rows in their order, file by file in the order of the
        names.

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
    nothing = pd.Series(np.asarray(estimator.classes_)[:0], name="prediction")
    if isinstance(frame, (str, Path, list, tuple)):
        predicted = _of_files(estimator, frame, Runner(client), dialect or Dialect(), nothing)
    else:
        _check_columns(estimator, frame, "the table")
        predicted = frame.map_partitions(_predict, estimator, nothing, meta=nothing)
    return predicted if client is None else client.persist(predicted)


def _check_columns(estimator: Any, frame: Any, what: str) -> None:
    """Raise a ValueError if a frame lacks a column that the model was fitted with."""
    lost = [name for name in estimator.feature_names_in_ if name not in frame.columns]
    if lost:
        hint = did_you_mean(lost[0], frame.columns) or "add it."
        raise ValueError(f"{what} has no column {lost[0]!r}, which the model was fitted with: {hint}")


def _predict(frame: Any, estimator: Any, nothing: Any) -> Any:
    import pandas as pd

    if len(frame) == 0:
        return pd.Series(nothing, index=frame.index)
    _check_columns(estimator, frame, "a partition")  # Dask knows the columns of the first one only
    classes = estimator.predict(frame[list(estimator.feature_names_in_)])
    return pd.Series(classes, index=frame.index, name="prediction")


def _of_files(estimator: Any, source: Any, runner: Runner, dialect: Dialect, nothing: Any) -> Any:
    import dask.dataframe as dd

    encoder, forms = estimator.encoder_, getattr(estimator, "training_", {}).get("forms") or {}
    parts = parts_as_learned(source, runner.pieces, dialect, learned_kinds(encoder), forms, learned_zones(encoder))
    shared = delayed(estimator, traverse=False)
    return dd.from_delayed([delayed(_predict_part)(part, shared) for part in parts], meta=nothing, verify_meta=False)


def _predict_part(part: Any, estimator: Any) -> Any:
    """Return the predicted class of each row of a part as a series; rows are predicted some at a time."""
    import pandas as pd

    columns = tuple(estimator.encoder_.sources)
    classes = [estimator.predict(frame) for _, frame in read_frames(part, columns)]
    return pd.Series(np.concatenate([estimator.classes_[:0], *classes]), name="prediction")
