"""Fit any classifier to a table in parts: plan, survey, learn, each in a few passes that Dask runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from dask.delayed import delayed
from numpy.typing import NDArray

from atfnb._errors import did_you_mean, listed_names
from atfnb._processes import Progress
from atfnb.classifiers import BaseNB
from atfnb.encoding import Survey, SurveyPass
from atfnb.scale.rows import RowsInParts, TableInParts
from atfnb.scale.running import Runner, client_of, frame_rows
from atfnb.scale.summary import RankErrors, ScaleSummary
from atfnb.tables import (
    FRAME_ROWS,
    ClassTotals,
    ColumnRoles,
    Dialect,
    FramePart,
    FrameReader,
    Plan,
    Policy,
    RareClasses,
    add_totals,
    case_variants,
    no_classes,
    on_case,
    one_class,
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
    columns = (target, _listed(ignore), weight, _listed(as_text))
    request = Request(*columns, max_distinct, dialect or Dialect(), policy or Policy())
    return _fit(estimator, frame, request, Runner(client, progress))[0]


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
        The memory limit of each worker, such as ``"2GB"``: starts a worker process for each core, which Dask holds to
        that limit. By default, threads of this process do the work.

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
    columns = (target, _listed(ignore), weight, _listed(as_text))
    request = Request(*columns, max_distinct, dialect or Dialect(), policy or Policy(), frame_rows(memory))
    with client_of(scheduler, memory) as client:
        return _fit(estimator, pattern, request, Runner(client, progress))


def _listed(names: Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


@dataclass(frozen=True)
class Request:
    """What the user asked for, besides the classifier and the data."""

    target: str
    ignore: tuple[str, ...]
    weight: str | None
    as_text: tuple[str, ...]
    max_distinct: int | None
    dialect: Dialect
    policy: Policy
    frame_rows: int = FRAME_ROWS

    def attributes_among(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the columns that are attributes; raise a ValueError if a requested column is missing."""
        special = (self.target, *([self.weight] if self.weight else []), *self.ignore)
        for name in (*special, *self.policy.keep):
            if name not in names:
                hint = did_you_mean(name, names) or f"it has {listed_names(names)}."
                raise ValueError(f"the table has no column {name!r}: {hint}")
        attributes = tuple(name for name in names if name not in special)
        if not attributes:
            raise ValueError("no column is left to learn from: ignore fewer of them.")
        return attributes


def _fit(estimator: Model, source: Any, request: Request, runner: Runner) -> tuple[Model, ScaleSummary]:
    """Plan the parts, survey their values and fit the classifier to them; return it, and a summary of the run."""
    if not isinstance(estimator, BaseNB):
        raise TypeError(f"a classifier of atfnb is needed, such as ATFNB(), not a {type(estimator).__name__}.")
    estimator._check_parameters()
    planned = _planned(source, request, runner)
    table, about_classes = _table_in_parts(planned, request, estimator, runner)
    surveying = SurveyPass(estimator.max_distinct if request.max_distinct is None else request.max_distinct)
    surveyed: Survey = table.rows.sum("classes and values", surveying.empty, surveying.fill)
    classes = _checked_classes(surveyed, request)
    review = request.policy.review(surveyed.facts, surveyed.unlabelled)
    surveyed = surveyed.without(review.left_out).without_needless_parts()
    with estimator._unchanged_if_it_fails():
        rank_errors = _learn(estimator, table, surveyed, classes)
        read_as = _record(estimator, planned, table.roles)
    values: dict[str | None, Iterable[Any]] = {None: [*classes.tolist(), *table.roles.spelling]}
    on_values = on_case(request.target, values | surveyed.categories, merged=request.policy.merge_case)
    notes = (*planned.notes, *about_classes, *review.notes, *read_as, *on_values)
    parts, passes = len(planned.parts), tuple(runner.passes)
    return estimator, ScaleSummary(surveyed.rows, parts, passes, rank_errors, notes, review.identifiers)


def _planned(source: Any, request: Request, runner: Runner) -> Plan:
    """Return the parts of a Dask data frame, or of files."""
    if not hasattr(source, "to_delayed"):
        return plan(source, runner.pieces, request.dialect, request.as_text, as_written=[request.target])
    if request.as_text or request.dialect != Dialect():
        raise ValueError("dialect and as_text are for files: convert the columns of a Dask data frame in it.")
    parts = (delayed(FramePart)(f"partition {i}", each) for i, each in enumerate(source.to_delayed()))
    return Plan(tuple(map(str, source.columns)), tuple(parts))


def _table_in_parts(
    planned: Plan, request: Request, estimator: BaseNB, runner: Runner
) -> tuple[TableInParts, list[str]]:
    """Return the table with the roles of its columns, and a note on rare classes.

    If rows have weights, or classes with few rows are to be found, there is a pass over these.

    Raises
    ------
    ValueError
        If a column holds dates that cannot be read, or the target or the weight is a column of dates.
    """
    roles = ColumnRoles(
        request.attributes_among(planned.names),
        request.target,
        request.weight,
        estimator.categorical_features,
        dates=estimator.dates,
        leave_out_unlabelled=request.policy.leave_out,
    )
    for name in roles.columns:
        form = planned.forms.get(name)
        if form is not None and (refusal := form.refusal(planned.dates.get(name, "the data"), name)) is not None:
            raise refusal
    for column, role in ((request.target, "target"), (request.weight, "weight")):
        if column in planned.dates:
            file = planned.dates[column]
            raise ValueError(f"the {role} {column!r} is a column of dates in {file}: give another column.")
    notes, fewest = [], request.policy.min_class_rows
    weighted = request.weight is not None or estimator.class_weight is not None
    if weighted or fewest > 1 or request.policy.merge_case:
        totals = _class_totals(planned.parts, roles, runner)
        if request.policy.merge_case:
            spelling = case_variants({name: total.weight for name, total in totals.items()})
            roles, totals = replace(roles, spelling=spelling), totals.renamed(spelling)
        rows = {name: total.rows for name, total in totals.items()}
        rare = RareClasses.of(rows, fewest, request.policy.rare_classes, request.target)
        if rare is not None:
            roles, totals = replace(roles, rare=rare), rare.regrouped(totals)
            notes.append(rare.in_words(rows, fewest))
        if weighted:
            roles = replace(roles, weighting=weighting_of(totals, estimator.class_weight))
    return TableInParts(planned.parts, roles, request.frame_rows, runner), notes


def _class_totals(parts: Sequence[Any], roles: ColumnRoles, runner: Runner) -> ClassTotals:
    """Return the number of rows and the weight of each class, from a pass over weights and classes."""
    columns = (roles.target, *([roles.weight] if roles.weight else []))
    frames = runner.pieces(parts, FrameReader(columns))
    totals: ClassTotals = frames.sum("weights", ClassTotals, partial(add_totals, roles))
    return totals


def _checked_classes(surveyed: Survey, request: Request) -> NDArray[Any]:
    """Return the classes, sorted; raise a ValueError if there are none, only one, or too many."""
    target, classes = request.target, surveyed.classes
    if classes is None and surveyed.unlabelled:
        raise no_classes(target)
    if classes is None:
        raise ValueError("the data hold no rows: there is nothing to learn from.")
    if len(classes) < 2:
        raise one_class(target, classes[0].item())
    request.policy.check_classes(target, surveyed.kind_of_classes, len(classes), surveyed.rows)
    return classes


def _learn(estimator: BaseNB, table: TableInParts, surveyed: Survey, classes: NDArray[Any]) -> RankErrors:
    """Fit the encoder and then the classifier; return the rank errors of the candidate cuts."""
    estimator.__dict__.pop("training_", None)  # the record of a loaded model describes other rows
    names = tuple(dict.fromkeys(column.source for column in surveyed.columns))
    empty = {j: column.source for j, column in enumerate(surveyed.columns) if column.is_empty}
    filled = surveyed.with_values()
    table = table.of_surveyed(filled)
    coding = table.coding(filled, estimator.max_bins, estimator.missing, estimator._pooling())
    estimator._warn_of_pooled(coding.encoder, {c.name: getattr(c, "known", ()) for c in filled.columns}.__getitem__)
    coding, unused = coding.of_use(empty)
    table = table.of_surveyed(filled.without({attribute.name for attribute in unused.values()}))
    estimator.classes_, estimator.n_rows_, estimator.encoder_ = classes, surveyed.rows, coding.encoder
    estimator.n_features_in_, estimator.feature_names_in_ = len(names), np.array(names, dtype=object)
    estimator._learn_from(RowsInParts(table, classes, coding.encoder, coding.distributions, surveyed.rows), unused)
    return coding.rank_errors


def _record(estimator: BaseNB, planned: Plan, roles: ColumnRoles) -> list[str]:
    """Record in the classifier how cells and classes are written in the files; return a note on each such column."""
    rare = None if roles.rare is None else roles.rare.record
    forms = {name: form for name in estimator.feature_names_in_ if (form := planned.forms.get(name)) is not None}
    signs = {name: form.recorded for name, form in forms.items() if form.recorded is not None}
    spelled = spelled_classes(planned.words.get(roles.target, ()), estimator.classes_)
    estimator.encoder_ = estimator.encoder_.spelled(planned.words)
    files = [*planned.files] if len(planned.files) > 1 else None
    entries = (("forms", signs), ("class_spelling", spelled), ("rare_classes", rare), ("files", files))
    if record := {name: kept for name, kept in entries if kept}:
        estimator.training_ = record
    return [form.described(name) for name, form in forms.items()]
