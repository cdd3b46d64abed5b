"""Fitting any classifier to a table in parts."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from dask.delayed import delayed
from numpy.typing import NDArray

from atfnb._errors import AdvisedError
from atfnb._processes import Progress
from atfnb.classifiers import BaseNB
from atfnb.encoding.encoder import check_missing
from atfnb.scale.encoders import fit_encoder_to
from atfnb.scale.labelled import Reading, add_totals
from atfnb.scale.rows import RowsInParts, TableInParts
from atfnb.scale.running import Runner, client_of, frame_rows
from atfnb.scale.summary import ScaleSummary
from atfnb.scale.survey import MAX_DISTINCT, Survey, Usable, survey, usable, with_values
from atfnb.tables import (
    ROWS,
    ClassTotals,
    Dialect,
    FramePart,
    Plan,
    Reader,
    Weighting,
    plan,
    spelled_classes,
    weighting_of,
)

Model = TypeVar("Model", bound=BaseNB)


def fit_dask(
    estimator: Model,
    frame: Any,
    target: str,
    client: Any = None,
    *,
    ignore: Iterable[str] = (),
    weight: str | None = None,
    max_distinct: int = MAX_DISTINCT,
    dialect: Dialect | None = None,
    as_text: Iterable[str] = (),
    as_command: bool = False,
    keep: Iterable[str] = (),
    progress: Progress | None = None,
) -> Model:
    """Fit a classifier to a table that may be larger than memory, or than one machine.

    Parameters
    ----------
    estimator : a classifier of atfnb
    frame : Dask data frame, path or glob
        Or the name of a Parquet or CSV file, of a folder of them, or a pattern such as ``"data/*.parquet"``.
    target : str
        The column of the classes.
    client : distributed.Client, optional
        The cluster to run on; otherwise Dask's threads in this process.
    ignore : names
        Columns to leave out.
    weight : str, optional
        The column of the rows' weights.
    max_distinct : int, default=10000
        A number with more distinct values is cut at some of 2,000 quantiles; otherwise just as in memory.
    dialect : Dialect, optional
        What is known about the files (:class:`atfnb.tables.Dialect`): the encoding and the delimiter of CSV, marks
        for missing cells. The rest is found out, as for one file that is read whole.
    as_text : names
        Columns of files that hold text, even if it looks like numbers, as postcodes.
    as_command : bool, default=False
        Do as ``atfnb train``: leave out rows without a class and columns without any value, and refuse a target that
        looks like a measurement; and leave out columns that number the rows or differ in every row. Otherwise as
        ``fit``, which refuses such rows, warns of empty columns, and uses every other.
    keep : names
        Columns to use with ``as_command`` even if they number the rows or differ in every row.
    progress : callable, optional
        Told after each part: how many are done, of how many, and in which pass.

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
    files = FileOptions(dialect, _listed(as_text), as_command, _listed(keep))
    options = Options(target, _listed(ignore), weight, max_distinct, files=files)
    return _fit(estimator, frame, options, Runner(client, progress))[0]


def fit_files(
    estimator: Model,
    pattern: Any,
    target: str,
    *,
    ignore: Iterable[str] = (),
    weight: str | None = None,
    scheduler: str | None = None,
    memory: str | int | None = None,
    max_distinct: int = MAX_DISTINCT,
    dialect: Dialect | None = None,
    as_text: Iterable[str] = (),
    as_command: bool = False,
    keep: Iterable[str] = (),
    progress: Progress | None = None,
) -> tuple[Model, ScaleSummary]:
    """Fit a classifier to files, on the cluster at ``scheduler``, or here.

    Parameters
    ----------
    estimator, ignore, weight, max_distinct, dialect, as_text, as_command, keep, progress
        As in :func:`fit_dask`.
    pattern : path or glob
        The files.
    target : str
        The column of the classes.
    scheduler : str, optional
        The address of a Dask scheduler, such as ``"tcp://10.0.0.1:8786"``.
    memory : str or int, optional
        What each worker may use, such as ``"2GB"``: starts a process for each core, which Dask holds to that. Without,
        threads of this process do the work.

    Returns
    -------
    The estimator, fitted as if by ``fit``; and a summary of the run.
    """
    with client_of(scheduler, memory) as client:
        files = FileOptions(dialect, _listed(as_text), as_command, _listed(keep))
        options = Options(target, _listed(ignore), weight, max_distinct, frame_rows(memory), files)
        return _fit(estimator, pattern, options, Runner(client, progress))


def _listed(names: Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


@dataclass(frozen=True)
class FileOptions:
    """How files are to be read."""

    dialect: Dialect | None = None
    as_text: tuple[str, ...] = ()
    as_command: bool = False
    keep: tuple[str, ...] = ()


@dataclass(frozen=True)
class Options:
    """What a training run was asked for."""

    target: str
    ignore: tuple[str, ...] = ()
    weight: str | None = None
    max_distinct: int = MAX_DISTINCT
    frame_rows: int = ROWS
    files: FileOptions = FileOptions()


def _fit(estimator: Model, source: Any, options: Options, runner: Runner) -> tuple[Model, ScaleSummary]:
    """Files → values → cuts → counts → weights, each a pass."""
    if not isinstance(estimator, BaseNB):
        raise TypeError(f"a classifier of atfnb is needed, such as ATFNB(), not a {type(estimator).__name__}.")
    check_missing(estimator.missing)
    planned = _planned(source, options, runner)
    features = _features(planned.names, options)
    tolerant, categorical = options.files.as_command, estimator.categorical_features
    reading = Reading(features, options.target, options.weight, categorical, leave_out_unlabelled=tolerant)
    _refuse_dates(planned, reading.columns)
    if options.weight is not None or estimator.class_weight is not None:
        reading = replace(reading, weighting=_weighting(planned.parts, reading, estimator.class_weight, runner))
    table = TableInParts(planned.parts, reading, options.frame_rows, runner)
    surveyed: Survey = table.rows.sum("classes and values", Survey, partial(survey, options.max_distinct))
    classes = _checked_classes(surveyed)
    found = usable(surveyed, options.target, options.files.keep) if tolerant else Usable(surveyed)
    surveyed = found.surveyed
    features = tuple(column.name for column in surveyed.columns)
    empty = {j: column.name for j, column in enumerate(surveyed.columns) if column.is_empty}
    surveyed = with_values(surveyed)
    table = table.of_surveyed(tuple(column.name for column in surveyed.columns))
    with estimator._unchanged_if_it_fails():
        estimator.__dict__.pop("training_", None)  # a loaded model's record tells of other rows
        coding = fit_encoder_to(surveyed, table, max_bins=estimator.max_bins, missing=estimator.missing)
        estimator.classes_, estimator.n_rows_, estimator.encoder_ = classes, surveyed.rows, coding.encoder
        estimator.n_features_in_, estimator.feature_names_in_ = len(features), np.array(features, dtype=object)
        rows = RowsInParts(table, classes, coding.encoder, coding.distributions, surveyed.rows)
        estimator._learn_from(rows, empty)
        forms = {name: planned.forms[name] for name in features if name in planned.forms}
        signs = {name: form.sign for name, form in forms.items()}
        spelled = spelled_classes(planned.words.get(options.target, ()), classes)
        if record := {name: kept for name, kept in (("forms", signs), ("class_spelling", spelled)) if kept}:
            estimator.training_ = record
    notes = (*planned.notes, *found.notes, *(form.described(name) for name, form in forms.items()))
    done = tuple(runner.passes), coding.rank_errors, notes, found.identifiers
    return estimator, ScaleSummary(surveyed.rows, len(planned.parts), *done)


def _planned(source: Any, options: Options, runner: Runner) -> Plan:
    """Return the parts of a Dask data frame, or of files."""
    files = options.files
    if not hasattr(source, "to_delayed"):
        return plan(source, runner.pieces, files.dialect, files.as_text, as_written=[options.target])
    if files.as_text or (files.dialect or Dialect()) != Dialect():
        raise ValueError("dialect and as_text are for files: convert the columns of a Dask data frame in it.")
    parts = (delayed(FramePart)(f"partition {i}", each) for i, each in enumerate(source.to_delayed()))
    return Plan(tuple(map(str, source.columns)), tuple(parts))


def _features(names: Sequence[str], options: Options) -> tuple[str, ...]:
    """The columns that are attributes."""
    special = (options.target, *([options.weight] if options.weight else []), *options.ignore)
    for name in (*special, *options.files.keep):
        if name not in names:
            raise ValueError(f"column {name!r} is not in the data. Columns: {', '.join(names)}.")
    features = tuple(name for name in names if name not in special)
    if not features:
        raise ValueError("no column is left to learn from: ignore fewer of them.")
    return features


def _refuse_dates(planned: Plan, columns: Sequence[str]) -> None:
    dates = [name for name in columns if name in planned.dates]
    if dates:
        turn = "turn them into numbers or categories (days since some day, the month), or leave them out"
        raise AdvisedError(
            f"{planned.dates[dates[0]]} holds dates or times in {', '.join(map(repr, dates))}",
            turn,
            f"{turn} with {' '.join(f'--ignore {shlex.quote(name)}' for name in dates[:3])}",
        )


def _weighting(parts: Sequence[Any], reading: Reading, class_weight: Any, runner: Runner) -> Weighting:
    """Read the weights and the classes of all rows, and return how the rows are weighted."""
    columns = (reading.target, *([reading.weight] if reading.weight else []))
    frames = runner.pieces(parts, Reader(columns))
    return weighting_of(frames.sum("weights", ClassTotals, partial(add_totals, reading)), class_weight)


def _checked_classes(surveyed: Survey) -> NDArray[Any]:
    if surveyed.classes is None and surveyed.unlabelled:
        raise ValueError("the target is missing in every row: choose another column.")
    if surveyed.classes is None:
        raise ValueError("the data hold no rows: there is nothing to learn from.")
    if len(surveyed.classes) < 2:
        raise ValueError(
            f"the target holds one class only, {surveyed.classes[0].item()!r}: there is nothing to tell apart."
        )
    return surveyed.classes
