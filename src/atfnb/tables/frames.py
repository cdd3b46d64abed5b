"""Data frames, arrays and lists of rows → plain columns.

Data frames of pandas, polars, pyarrow and others are read through narwhals; arrays and lists as they are. A column that
cannot be read is named in the error, with what to do about it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, time, timedelta
from decimal import Decimal
from numbers import Complex, Integral, Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import validate_data

from atfnb._pieces import BLOCK, on_all_cores
from atfnb._typing import BoolArray, FloatArray
from atfnb.tables.columns import Column, Dictionary, Table, is_missing, none_missing
from atfnb.tables.dates import holds_dates, zone_name

MAX_DENSE_BYTES = 1_000_000_000
"""The largest sparse matrix that is read, in bytes when its zeros are written out: 1 GB."""


def is_frame(X: Any) -> bool:
    """Return whether X is a data frame that narwhals can read."""
    return bool(nw.dependencies.is_into_dataframe(X))


def read_table(X: Any, categorical_features: Any = "from_dtype") -> Table:
    """Return the columns of a data frame, of a two-dimensional array, sparse or not, or of a list of rows.

    Parameters
    ----------
    X : data frame, array, sparse matrix or list of rows
        The table. A number that a sparse matrix does not store is 0, not missing.
    categorical_features : "from_dtype", "all", None, or a list of names, indices or booleans
        Which columns are categorical; "from_dtype" decides by the types of the columns.

    Examples
    --------
    >>> [(c.name, c.categorical) for c in read_table([[1.5, "a"], [2.5, "b"]]).columns]
    [('x0', False), ('x1', True)]
    """
    names, read = _frame_reader(X) if is_frame(X) else _array_reader(X)
    wanted = _categorical_mask(categorical_features, names)

    def column(j: int) -> Column:
        return _with_kind(read(j), None if wanted is None else bool(wanted[j]))

    large = nw.dependencies.is_pyarrow_table(X) and X.num_rows > BLOCK  # pyarrow releases the interpreter lock
    columns = on_all_cores(column, range(len(names)), worth=large, small=True)
    whole = isinstance(X, np.ndarray) and np.can_cast(X.dtype, np.int64) and X.dtype.kind in "iu"
    return Table(tuple(columns), X if whole else None)


def read_again(estimator: Any, X: Any) -> Table:
    """Return the columns of new rows, after checking that they are those the estimator was fitted with."""
    if not is_frame(X):
        X = _two_dimensional(X)
    validate_data(estimator, X, skip_check_array=True, reset=False)
    return read_table(X)


def numbers_of(table: Table) -> FloatArray:
    """Return a table of numbers as one array, (rows, columns); text and missing values raise a ValueError."""
    for column in table.columns:
        if not column.is_complete:
            row = np.flatnonzero(column.missing)[0]
            raise ValueError(f"column {column.name!r} is missing (NaN) in row {row}: ChiMerge takes complete columns.")
        if not column.is_number:
            held = "dates" if holds_dates(column) else "text"
            raise ValueError(f"column {column.name!r} holds {held}: ChiMerge takes numbers.")
    return np.column_stack([column.values.astype(np.float64) for column in table.columns])


def _with_kind(column: Column, categorical: bool | None) -> Column:
    """Return the column as categorical or numeric, as the user asked; unchanged for None."""
    if categorical is None or categorical == column.categorical:
        return column
    if holds_dates(column):
        if categorical:
            raise ValueError(f"column {column.name!r} holds dates, not categories: convert them to text first.")
        return column
    if not categorical and not column.is_number:
        raise ValueError(
            f"column {column.name!r} holds text, which is not a number: name it in categorical_features, "
            "or use categorical_features='from_dtype'."
        )
    return replace(column, categorical=categorical)


# --- Data frames -----------------------------------------------------------------------------------


def _frame_reader(X: Any) -> tuple[list[str], Callable[[int], Column]]:
    try:
        frame = nw.from_native(X, eager_only=True)
    except DuplicateError as error:
        raise ValueError(f"several columns of the table have the same name: give each its own. {error}") from None
    labels = list(frame.columns)
    _check_shape(len(frame), len(labels))
    columns = list(frame.iter_columns())
    return [str(label) for label in labels], lambda j: _from_series(str(labels[j]), columns[j])


def _from_series(name: str, series: nw.Series[Any]) -> Column:
    series = _run_ends_decoded(series)
    dtype = series.dtype
    if dtype.is_float() or dtype.is_decimal():
        return _numeric(name, series.cast(nw.Float64()).to_numpy().astype(np.float64, copy=False))
    if dtype == nw.Duration:
        return _from_moments(name, series.cast(nw.Duration("us")).to_numpy())
    if dtype == nw.Time:
        return _from_objects(name, _objects(series.to_list()))
    if dtype.is_temporal():
        return _from_moments(name, _in_utc(series).to_numpy(), getattr(dtype, "time_zone", None))
    missing = series.is_null().to_numpy().astype(bool)
    if dtype in (nw.Int128, nw.UInt128):  # NumPy has no such type
        return _from_objects(name, _objects(series.to_list()))
    if dtype.is_integer():
        whole = series.fill_null(0) if missing.any() else series
        return Column(name, whole.to_numpy(), missing if missing.any() else none_missing(missing), categorical=False)
    if dtype == nw.Boolean:
        return Column(name, series.fill_null(False).to_numpy().astype(bool), missing, categorical=True)
    if missing.all():
        return _numeric(name, np.full(len(missing), np.nan))  # missing numbers fit into any attribute
    if _is_arrow_text(series):
        return _from_arrow_text(name, series.to_arrow(), missing)
    if dtype == nw.String:
        cells = _trimmed(_objects(series.to_list()))
        cells[missing] = None  # pandas has other marks
        return Column(name, cells, missing if missing.any() else none_missing(missing), categorical=True)
    if isinstance(dtype, (nw.Categorical, nw.Enum)):
        plain = (cell if isinstance(cell, (str, Real)) else str(cell) for cell in series.to_list())
        known = [None if is_null else cell for cell, is_null in zip(plain, missing, strict=True)]
        return replace(_from_objects(name, _objects(known)), categorical=True)
    if dtype == nw.Object or dtype == nw.Unknown:
        return _from_objects(name, _objects(series.to_list()))
    raise TypeError(f"column {name!r} is of type {dtype}: each value must be a string or a number.")


def _run_ends_decoded(series: nw.Series[Any]) -> nw.Series[Any]:
    """Return a column with a cell for each row; Arrow can keep one for each run of equal ones."""
    if series.dtype != nw.Unknown or not series.implementation.is_pyarrow():
        return series
    from atfnb.tables.kinds import without_runs

    return nw.from_native(without_runs(series.to_native()), series_only=True)


def _in_utc(series: nw.Series[Any]) -> nw.Series[Any]:
    """Return dates as moments; those with a time zone in UTC."""
    if getattr(series.dtype, "time_zone", None) is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return series.cast(nw.Datetime("us"))


def _from_moments(name: str, moments: NDArray[Any], zone: Any = None) -> Column:
    """Return a column of dates, in UTC if they have a time zone, or of durations as numbers of days."""
    missing = np.isnat(moments)
    if moments.dtype.kind == "m":
        return _numeric(name, np.where(missing, np.nan, moments / np.timedelta64(1, "D")))
    missing = missing if missing.any() else none_missing(missing)
    named = None if zone is None else zone_name(zone)
    return Column(name, moments.astype("datetime64[us]"), missing, categorical=False, zone=named)


def _is_arrow_text(series: nw.Series[Any]) -> bool:
    """Return whether a column is text as Arrow keeps it: of polars, of pyarrow, or of pandas' type str."""
    native = series.to_native()
    if series.implementation.is_pyarrow() and str(getattr(native.type, "value_type", "")) in ("string", "large_string"):
        return True  # a dictionary of text
    in_arrow = series.implementation.is_pyarrow() or series.implementation.is_polars()
    return series.dtype == nw.String and (in_arrow or getattr(native.dtype, "storage", "") == "pyarrow")


def _from_arrow_text(name: str, text: Any, missing: BoolArray) -> Column:
    """Return a column of text of pyarrow; each distinct value becomes one Python object."""
    coded = text.dictionary_encode()
    chunks = coded.unify_dictionaries().chunks if hasattr(coded, "chunks") else [coded]
    names = chunks[0].dictionary.to_pylist()
    position = np.concatenate([chunk.indices.fill_null(0).to_numpy(zero_copy_only=False) for chunk in chunks])
    trimmed = [name if name is None else name.strip() for name in names]
    if trimmed != names:  # some may be the same now
        code = {name: code for code, name in enumerate(dict.fromkeys(trimmed))}
        names, position = list(code), np.array([code[name] for name in trimmed], dtype=np.int64)[position]
    distinct = _objects(names)
    cells = distinct[position]
    cells[missing] = None
    missing = missing if missing.any() else none_missing(missing)
    return Column(name, cells, missing, categorical=True, dictionary=Dictionary(distinct, position))


def _trimmed(cells: NDArray[Any]) -> NDArray[Any]:
    """Return cells without the spaces around those that are text."""
    given = cells.tolist()
    trimmed = [cell.strip() if isinstance(cell, str) else cell for cell in given]
    return cells if trimmed == given else _objects(trimmed)


def _objects(cells: list[Any]) -> NDArray[Any]:
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


# --- Arrays ----------------------------------------------------------------------------------------


def _array_reader(X: Any) -> tuple[list[str], Callable[[int], Column]]:
    array = _two_dimensional(X)
    names = [f"x{j}" for j in range(array.shape[1])]
    return names, lambda j: _from_array(names[j], array[:, j])


def _two_dimensional(X: Any) -> NDArray[Any]:
    """Return an array, a sparse matrix or a list of rows as a two-dimensional array."""
    if sparse.issparse(X):
        X = _dense(X)
    if hasattr(X, "collect"):
        raise TypeError(f"X is a {type(X).__name__}, which has not been computed yet: pass X.collect().")
    array = np.asarray(X) if hasattr(X, "__array__") else _rows_of_objects(X)
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {'scalar' if array.ndim == 0 else f'{array.ndim}D'} array instead. "
            "Reshape your data: X.reshape(-1, 1) if it is one attribute, X.reshape(1, -1) if it is one row."
        )
    _check_shape(*array.shape)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: pass the real and the imaginary part as two columns.")
    return array


def _dense(X: Any) -> NDArray[Any]:
    """Return a sparse matrix of SciPy as an array, in which what it does not store is 0; refuse a large one."""
    size = math.prod(X.shape) * X.dtype.itemsize
    if size > MAX_DENSE_BYTES:
        shape = " × ".join(f"{length:,}" for length in X.shape)
        raise ValueError(
            f"a sparse matrix of {shape} takes {size / 1e9:,.1f} GB with its zeros, and at most "
            f"{MAX_DENSE_BYTES / 1e9:g} GB is read: leave out rare columns, or pass X.toarray() if it fits into memory."
        )
    return np.asarray(X.toarray())


def _rows_of_objects(X: Any) -> NDArray[Any]:
    """Return a list of rows as an array of objects, so that numbers beside text stay numbers."""
    if not isinstance(X, Sequence) or isinstance(X, str):
        raise ValueError(f"Expected 2D array, got a {type(X).__name__} instead: pass a data frame or a list of rows.")
    if len(X) == 0:
        _check_shape(0, 1)
    lengths = {len(row) for row in X if hasattr(row, "__len__") and not isinstance(row, str)}
    if len(lengths) > 1:
        raise ValueError(
            f"the rows of X differ in length, from {min(lengths)} to {max(lengths)}: a table needs equal rows."
        )
    return np.array(X, dtype=object)


def _from_array(name: str, values: NDArray[Any]) -> Column:
    kind = values.dtype.kind
    if kind in "fiu":
        return _numeric(name, values)
    if kind in "mM":
        return _from_moments(name, values)
    if kind == "b":
        return Column(name, values, none_missing(values), categorical=True)
    return _from_objects(name, values.astype(object))


def _from_objects(name: str, cells: NDArray[Any]) -> Column:
    """Return a column of Python objects as numbers if all of them are, otherwise as categories."""
    missing = is_missing(cells)
    types = {type(cell) for cell in cells[~missing]}

    def all_are(*kinds: type) -> bool:
        return all(issubclass(t, kinds) for t in types)

    if types and all_are(bool, np.bool_):
        return Column(name, np.where(missing, False, cells).astype(bool), missing, categorical=True)
    if all_are(Real, Decimal, np.bool_):
        return _from_numbers(name, cells, missing, whole=bool(types) and all_are(Integral))
    if all_are(str, Real, Decimal, np.bool_):
        return Column(name, _trimmed(cells), missing, categorical=True)
    for kinds, dtype in _MOMENTS:
        if all_are(*kinds):
            return _from_moment_objects(name, cells, missing, dtype)
    if any(issubclass(t, (date, time, timedelta, np.datetime64, np.timedelta64)) for t in types):
        raise ValueError(f"column {name!r} holds dates or times beside other values: make all of its values dates.")
    if all_are(Complex, Decimal):
        raise ValueError(f"Complex data not supported: column {name!r} holds complex numbers.")
    odd = min(t.__name__ for t in types if not issubclass(t, (str, Real, Decimal, np.bool_)))
    advice = " (decode it to text first)" if odd == "bytes" else ""
    raise TypeError(f"column {name!r} holds a {odd}: each argument must be a string or a number{advice}.")


_MOMENTS: tuple[tuple[tuple[type, ...], str], ...] = (
    ((date, np.datetime64), "datetime64[us]"),
    ((time,), "time of day"),
    ((timedelta, np.timedelta64), "timedelta64[us]"),
)
"""Types of Python and NumPy for dates, times of day and durations, and what a column of them becomes."""


def _from_moment_objects(name: str, cells: NDArray[Any], missing: BoolArray, dtype: str) -> Column:
    """Return a column of Python objects that are dates, times of day, or durations."""
    present = cells[~missing].tolist()
    if dtype == "time of day":
        moments = np.zeros(len(cells), dtype="timedelta64[us]")
        moments[~missing] = [timedelta(0, t.second, t.microsecond, 0, t.minute, t.hour) for t in present]
        return Column(name, moments, missing if missing.any() else none_missing(missing), categorical=False)
    moments = np.full(len(cells), np.array("NaT", dtype=dtype))
    zones = {None if (zone := getattr(moment, "tzinfo", None)) is None else zone_name(zone) for moment in present}
    if None in zones and len(zones) > 1:
        raise ValueError(f"column {name!r} holds dates with a time zone beside dates without: give all of them one.")
    in_utc = [moment.astimezone(UTC).replace(tzinfo=None) for moment in present] if None not in zones else present
    moments[~missing] = in_utc
    return _from_moments(name, moments, *zones if len(zones) == 1 else ["UTC"])


def _from_numbers(name: str, cells: NDArray[Any], missing: BoolArray, *, whole: bool) -> Column:
    """Return a column of numbers that are Python objects; whole numbers stay whole where 64 bits hold them."""
    present = cells[~missing]
    if whole and all(-(2**63) <= cell < 2**63 for cell in present):
        integers = np.zeros(len(cells), dtype=np.int64)
        integers[~missing] = present.astype(np.int64)
        return Column(name, integers, missing, categorical=False)
    values = np.full(len(cells), np.nan)
    try:
        values[~missing] = [float(cell) for cell in present]
    except OverflowError:
        raise ValueError(f"column {name!r} holds a number too large for a float: scale it.") from None
    return _numeric(name, values)


def _numeric(name: str, values: NDArray[Any]) -> Column:
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return Column(name, values, none_missing(values), categorical=False)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise ValueError(
            f"column {name!r} is infinite (inf) in row {infinite[0]}: replace it by a number or a missing value."
        )
    return Column(name, values, np.isnan(values), categorical=False)


# --- categorical_features --------------------------------------------------------------------------


def _categorical_mask(categorical_features: Any, names: Sequence[str]) -> Sequence[bool] | None:
    """Return which columns are categorical, or None if their types decide: (columns,)."""
    if isinstance(categorical_features, str):
        if categorical_features == "from_dtype":
            return None
        if categorical_features == "all":
            return [True] * len(names)
        raise ValueError(
            "categorical_features must be 'from_dtype', 'all', None, or a list of names, indices or booleans, "
            f"not {categorical_features!r}."
        )
    if categorical_features is None:
        return [False] * len(names)
    try:
        chosen = np.asarray(list(categorical_features))
    except (TypeError, ValueError):
        chosen = np.empty((0, 0))
    if chosen.shape == (0,):
        return [False] * len(names)
    if chosen.ndim != 1:
        raise ValueError(
            f"categorical_features must be a list of names, indices or booleans, not {categorical_features!r}."
        )
    if chosen.dtype.kind == "b":
        if chosen.shape != (len(names),):
            raise ValueError(
                f"categorical_features has {chosen.size} booleans for {len(names)} columns: give one for each."
            )
        return [bool(c) for c in chosen]
    if chosen.dtype.kind in "iu":
        outside = [int(c) for c in chosen if not -len(names) <= c < len(names)]
        if outside:
            raise ValueError(f"categorical_features names column {outside[0]}, but there are only {len(names)}.")
        positions = {int(c) % len(names) for c in chosen}
        return [j in positions for j in range(len(names))]
    unknown = [str(c) for c in chosen if str(c) not in names]
    if unknown:
        raise ValueError(
            f"categorical_features names {unknown[0]!r}, which is not a column. Columns: {', '.join(names)}."
        )
    return [name in chosen.astype(str) for name in names]


def _check_shape(rows: int, columns: int) -> None:
    if columns == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required: it has no columns."
        )
    if rows == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape=(0, {columns})) while a minimum of 1 is required: it has no rows."
        )
