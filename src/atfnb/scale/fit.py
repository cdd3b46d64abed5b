"""Fit any classifier to a table in parts, in a few passes that Dask runs, and predict the rows of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from dask.delayed import delayed
from sklearn.utils.validation import check_is_fitted

from atfnb._pieces import on_cores
from atfnb._progress import Progress
from atfnb.classifiers import BaseNB
from atfnb.encoding import learned_kinds, learned_zones
from atfnb.scale.running import Runner, client_of, frame_rows
from atfnb.scale.summary import ScaleSummary
from atfnb.tables import FRAME_ROWS, Dialect, FramePart, Plan, Policy, check_needed, parts_as_learned, plan, read_frames
from atfnb.training import TableInParts, TrainingRows, training_rows

Model = TypeVar("Model", bound=BaseNB)


def fit_dask(
    estimator: Model,
    frame: Any,
    target: str,
    client: Any = None,
    *,
    ignore: Iterable[str] = (),
    weight: str | None = None,
    max_distinct: int | None = None,
    dialect: Dialect | None = None,
    as_text: Iterable[str] = (),
    policy: Policy | None = None,
    progress: Progress | None = None,
) -> Model:
    """Fit a classifier to a table that may be larger than memory, or than one machine.

    Parameters
    ----------
    estimator : a classifier of atfnb
        The classifier to fit.
    frame : Dask data frame, path, glob or list of paths
        The table: a Dask data frame; or files, folders, or patterns such as ``"data/*.parquet"``. Folders below named
        ``column=value`` are columns. If a file changes between two passes, that is an error.
    target : str
        The column with the class of each row.
    client : distributed.Client, optional
        The cluster to run on; by default, threads of this process.
    ignore : names
        Columns to leave out.
    weight : str, optional
        The column with the weight of each row.
    max_distinct : int, optional
        A number with more distinct values than this is cut at some of 2,000 quantiles, which are approximate in parts;
        a number with fewer is cut as in memory. The default is the classifier's own ``max_distinct``, usually 20,000.
    dialect : Dialect, optional
        What is known about the files (:class:`atfnb.tables.Dialect`): the encoding and the delimiter of CSV, marks
        for missing values. The rest is detected, as for one file that is read whole.
    as_text : names
        Columns of files to read as text, even if they look like numbers, such as postcodes.
    policy : Policy, optional
        What is done with rows without a class, classes with few rows, columns without any value and identifiers of the
        rows (:class:`atfnb.tables.Policy`). By default as in ``fit``: rows without a class are refused, every class is
        kept, columns without any value raise a warning, and every other column is used.
    progress : callable, optional
        Called after each part with the number of parts done, the number of all parts, and the name of the pass.

    Returns
    -------
    The estimator, fitted as if by ``fit``.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> from sklearn.datasets import load_iris
    >>> from atfnb import ATFNB
    >>> iris = load_iris(as_frame=True).frame
    >>> model = fit_dask(ATFNB(), dd.from_pandas(iris, npartitions=3), "target")
    >>> print("β from {:.4f} to {:.4f}".format(*model.beta_interval_))
    β from 0.4929 to 0.7353
    """
    _check(estimator)
    asked: Any = {"ignore": ignore, "weight": weight, "dialect": dialect, "as_text": as_text, "policy": policy}
    with on_cores(estimator.n_jobs):
        table = _table(frame, target, Runner(client, progress), **asked)
        return estimator.learn(_rows(table, estimator, max_distinct))


def fit_files(
    estimator: Model,
    pattern: Any,
    target: str,
    *,
    ignore: Iterable[str] = (),
    weight: str | None = None,
    scheduler: str | None = None,
    memory: str | int | None = None,
    max_distinct: int | None = None,
    dialect: Dialect | None = None,
    as_text: Iterable[str] = (),
    policy: Policy | None = None,
    progress: Progress | None = None,
) -> tuple[Model, ScaleSummary]:
    """Fit a classifier to files, in this process, in worker processes with limited memory, or on a cluster.

    Parameters
    ----------
    estimator, ignore, weight, max_distinct, dialect, as_text, policy, progress
        As in :func:`fit_dask`.
    pattern : path, glob or list of paths
        The files.
    target : str
        The column with the class of each row.
    scheduler : str, optional
        The address of a Dask scheduler, such as ``"tcp://10.0.0.1:8786"``.
    memory : str or int, optional
        The memory limit of each worker, such as ``"2GB"``: starts worker processes, as many as ``n_jobs`` says or one
        per core, which Dask holds to that limit. By default, threads of this process do the work.

    Returns
    -------
    The estimator, fitted as if by ``fit``, and a :class:`ScaleSummary` of the run.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from atfnb import NB
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load_iris(as_frame=True).frame.to_csv(f"{folder}/iris.csv", index=False)
    ...     model, summary = fit_files(NB(), f"{folder}/*.csv", "target")
    >>> summary.rows, summary.parts
    (150, 1)
    """
    _check(estimator)
    asked: Any = {"ignore": ignore, "weight": weight, "dialect": dialect, "as_text": as_text, "policy": policy}
    asked |= {"scheduler": scheduler, "memory": memory, "progress": progress}
    with on_cores(estimator.n_jobs), files_in_parts(pattern, target, **asked) as (table, runner):
        rows = _rows(table, estimator, max_distinct)
        return estimator.learn(rows), runner.summary(rows, len(table.plan.parts))


@contextmanager
def files_in_parts(
    pattern: Any,
    target: str,
    *,
    scheduler: str | None = None,
    memory: str | int | None = None,
    progress: Progress | None = None,
    **asked: Any,
) -> Iterator[tuple[TableInParts, Runner]]:
    """Yield files as a table in parts, and what runs the passes over it, until the block ends.

    The parameters are those of :func:`fit_files`.
    """
    rows = frame_rows(memory)
    with client_of(scheduler, memory) as client:
        runner = Runner(client, progress)
        yield _table(pattern, target, runner, frame_rows=rows, **asked), runner


def _table(
    source: Any,
    target: str,
    runner: Runner,
    *,
    ignore: Iterable[str],
    weight: str | None,
    dialect: Dialect | None,
    as_text: Iterable[str],
    policy: Policy | None,
    frame_rows: int = FRAME_ROWS,
) -> TableInParts:
    """Return a Dask data frame, or files, as a table in parts."""
    texts = _listed(as_text)
    if not hasattr(source, "to_delayed"):
        planned = plan(source, runner.pieces, dialect, texts, as_written=[target])
    elif texts or (dialect or Dialect()) != Dialect():
        raise ValueError("dialect and as_text are for files: convert the columns of a Dask data frame in it.")
    else:
        parts = (delayed(FramePart)(f"partition {i}", each) for i, each in enumerate(source.to_delayed()))
        planned = Plan(tuple(map(str, source.columns)), tuple(parts))
    asked = (weight, _listed(ignore), policy or Policy(), frame_rows)
    return TableInParts(planned, target, runner.pieces(planned.parts), *asked)


def _listed(names: Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _check(estimator: Any) -> None:
    """Raise an error, before any work is done, if this is no classifier of this library, or a parameter is wrong."""
    if not isinstance(estimator, BaseNB):
        raise TypeError(f"a classifier of atfnb is needed, such as ATFNB(), not a {type(estimator).__name__}.")
    estimator.check_parameters()


def _rows(table: TableInParts, estimator: BaseNB, max_distinct: int | None) -> TrainingRows:
    options = estimator.row_options
    if max_distinct is not None:
        options = replace(options, max_distinct=max_distinct)
    return training_rows(table, options)


# --- Predictions -------------------------------------------------------------------------------------


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
        check_needed(estimator.feature_names_in_, frame.columns, "the table")
        predicted = frame.map_partitions(_predict, estimator, nothing, meta=nothing)
    return predicted if client is None else client.persist(predicted)


def _predict(frame: Any, estimator: Any, nothing: Any) -> Any:
    import pandas as pd

    if len(frame) == 0:
        return pd.Series(nothing, index=frame.index)
    check_needed(estimator.feature_names_in_, frame.columns, "a partition")  # Dask knows those of the first one only
    with on_cores(1):  # Dask runs the partitions side by side
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
    with on_cores(1):
        classes = [estimator.predict(frame) for _, frame in read_frames(part, columns)]
    return pd.Series(np.concatenate([estimator.classes_[:0], *classes]), name="prediction")
