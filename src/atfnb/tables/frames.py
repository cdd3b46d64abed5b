"""Data frames, arrays and lists of rows → plain columns.

Data frames of pandas, polars, pyarrow and others are read through narwhals; arrays and lists as they are. A column that
cannot be read is named in the error, with what to do about it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
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
from sklearn.utils.validation import check_array, validate_data

from atfnb._errors import listed_names
from atfnb._pieces import BLOCK, on_all_cores
from atfnb._typing import BoolArray
from atfnb.tables.columns import Column, Dictionary, Table, is_missing, none_missing, spared
from atfnb.tables.dates import holds_dates, zone_name
from atfnb.tables.kinds import without_runs

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


def _with_kind(column: Column, categorical: bool | None) -> Column:
    """Return the column as categorical or numeric, as the user asked; unchanged for None."""
    dates = holds_dates(column)
    if categorical is None or categorical == column.categorical or (dates and not categorical):
        return column
    if dates:
        raise ValueError(f"column {column.name!r} holds dates, not categories: convert them to text first.")
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
    _checked(np.broadcast_to(0, (len(frame), len(labels))))
    columns = list(frame.iter_columns())
    return [str(label) for label in labels], lambda j: _from_series(str(labels[j]), columns[j])


def _from_series(name: str, series: nw.Series[Any]) -> Column:
    column = _of_type(name, series)
    return replace(column, order=_order_of(name, series)) if column.categorical else column


def _order_of(name: str, series: nw.Series[Any]) -> tuple[Any, ...] | None:
    """Return the categories of an ordered categorical of pandas, an Enum of polars, or an ordered dictionary of Arrow.

    >>> import pandas as pd
    >>> sizes = pd.Series(pd.Categorical(["L", "S"], ["S", "M", "L"], ordered=True))
    >>> _order_of("size", nw.from_native(sizes, series_only=True))
    ('S', 'M', 'L')
    """
    native = series.to_native()
    if isinstance(series.dtype, nw.Enum):
        orders = {tuple(series.dtype.categories)}
    elif series.implementation.is_pyarrow() and getattr(native.type, "ordered", False):
        orders = {tuple(chunk.dictionary.to_pylist()) for chunk in native.chunks} or {()}
    else:
        return None
    if len(orders) > 1:
        raise ValueError(f"the categories of column {name!r} are in more than one order: give all rows the same one.")
    return tuple(dict.fromkeys(map(_plain, *orders)))


def order_of_type(y: Any) -> tuple[Any, ...] | None:
    """Return the categories of an ordered series of any library, in their order; None for anything else.

    >>> import pandas as pd
    >>> order_of_type(pd.Series(["b", "a"], dtype=pd.CategoricalDtype(["b", "a"], ordered=True))), order_of_type([2, 1])
    (('b', 'a'), None)
    """
    series = nw.from_native(y, series_only=True, pass_through=True)
    return _order_of("y", series) if isinstance(series, nw.Series) else None


def _plain(category: Any) -> Any:
    """Return a category as text without outer spaces, or as a number."""
    return category if isinstance(category, Real) else str(category).strip()


def _of_type(name: str, series: nw.Series[Any]) -> Column:
    if series.dtype == nw.Unknown and series.implementation.is_pyarrow():
        series = nw.from_native(without_runs(series.to_native()), series_only=True)
    dtype = series.dtype
    if dtype.is_float() or dtype.is_decimal():
        return _number_column(name, series.cast(nw.Float64()).to_numpy().astype(np.float64, copy=False))
    if dtype == nw.Duration:
        return _from_moments(name, series.cast(nw.Duration("us")).to_numpy())
    if dtype in (nw.Time, nw.Int128, nw.UInt128, nw.Object, nw.Unknown):  # of which NumPy has no type
        return _from_objects(name, _objects(series.to_list()))
    if dtype.is_temporal():
        zone = getattr(dtype, "time_zone", None)
        in_utc = series if zone is None else series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return _from_moments(name, in_utc.cast(nw.Datetime("us")).to_numpy(), zone)
    missing = series.is_null().to_numpy().astype(bool)
    if dtype.is_integer():
        whole = series.fill_null(0) if missing.any() else series
        return Column(name, whole.to_numpy(), spared(missing), categorical=False)
    if dtype == nw.Boolean:
        return Column(name, series.fill_null(False).to_numpy().astype(bool), missing, categorical=True)
    if missing.all():
        return _number_column(name, np.full(len(missing), np.nan))  # missing numbers fit into any attribute
    if _is_arrow_text(series):
        return _from_arrow_text(name, series.to_arrow(), missing)
    if dtype == nw.String:
        cells = _trimmed(_objects(series.to_list()))
        cells[missing] = None  # pandas has other marks
        return Column(name, cells, spared(missing), categorical=True)
    if isinstance(dtype, (nw.Categorical, nw.Enum)):
        plain = map(_plain, series.to_list())
        known = [None if is_null else cell for cell, is_null in zip(plain, missing, strict=True)]
        return replace(_from_objects(name, _objects(known)), categorical=True)
    raise TypeError(f"column {name!r} is of type {dtype}: each value must be a string or a number.")


def _from_moments(name: str, moments: NDArray[Any], zone: Any = None) -> Column:
    """Return a column of dates, in UTC if they have a time zone, or of durations as numbers of days."""
    missing = np.isnat(moments)
    if moments.dtype.kind == "m":
        return _number_column(name, np.where(missing, np.nan, moments / np.timedelta64(1, "D")))
    named = None if zone is None else zone_name(zone)
    return Column(name, moments.astype("datetime64[us]"), spared(missing), categorical=False, zone=named)


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
    return Column(name, cells, spared(missing), categorical=True, dictionary=Dictionary(distinct, position))


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
    return _checked(np.asarray(X) if hasattr(X, "__array__") else _rows_of_objects(X))


def _checked(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array, if it has two dimensions, a row, a column, and no complex numbers."""
    if array.ndim != 2 or not array.size or array.dtype.kind == "c":  # otherwise there is nothing to say
        check_array(array, dtype=None, ensure_all_finite=False)
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
    lengths = {len(row) for row in X if hasattr(row, "__len__") and not isinstance(row, str)}
    if len(lengths) > 1:
        raise ValueError(
            f"the rows of X differ in length, from {min(lengths)} to {max(lengths)}: a table needs equal rows."
        )
    return np.array(X, dtype=object) if len(X) else np.empty((0, 1))


def _from_array(name: str, values: NDArray[Any]) -> Column:
    kind = values.dtype.kind
    if kind in "fiu":
        return _number_column(name, values)
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
    for dtype, kinds in _MOMENTS.items():
        if all_are(*kinds):
            return _from_moment_objects(name, cells, missing, dtype)
    if any(issubclass(t, kinds) for t in types for kinds in _MOMENTS.values()):
        raise ValueError(f"column {name!r} holds dates or times beside other values: make all of its values dates.")
    if all_are(Complex, Decimal):
        raise ValueError(f"Complex data not supported: column {name!r} holds complex numbers.")
    odd = min(t.__name__ for t in types if not issubclass(t, (str, Real, Decimal, np.bool_)))
    advice = " (decode it to text first)" if odd == "bytes" else ""
    raise TypeError(f"column {name!r} holds a {odd}: each argument must be a string or a number{advice}.")


_MOMENTS: dict[str, tuple[type, ...]] = {"datetime64[us]": (date, np.datetime64), "time of day": (time,)}
_MOMENTS["timedelta64[us]"] = (timedelta, np.timedelta64)
"""What a column of dates, of times of day and of durations becomes, and the types of Python and NumPy for them."""


def _from_moment_objects(name: str, cells: NDArray[Any], missing: BoolArray, dtype: str) -> Column:
    """Return a column of Python objects that are dates, times of day, or durations."""
    present = cells[~missing].tolist()
    if dtype == "time of day":
        moments = np.zeros(len(cells), dtype="timedelta64[us]")
        moments[~missing] = [timedelta(0, t.second, t.microsecond, 0, t.minute, t.hour) for t in present]
        return Column(name, moments, spared(missing), categorical=False)
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
    return _number_column(name, values)


def _number_column(name: str, values: NDArray[Any]) -> Column:
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return Column(name, values, none_missing(values), categorical=False)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise ValueError(
            f"column {name!r} is infinite (inf) in row {infinite[0]}: replace it by a number or a missing value."
        )
    return Column(name, values, np.isnan(values), categorical=False)


# --- categorical_features --------------------------------------------------------------------------


def _categorical_mask(given: Any, names: Sequence[str]) -> Sequence[bool] | None:
    """Return which columns ``categorical_features`` makes categorical, (columns,), or None if their types decide."""
    if given is None or (isinstance(given, str) and given in ("from_dtype", "all")):
        return None if given == "from_dtype" else [given == "all"] * len(names)
    if isinstance(given, str) or not isinstance(given, Iterable):
        kinds = "'from_dtype', 'all', None, or a list of names, indices or booleans"
        raise ValueError(f"categorical_features must be {kinds}, not {given!r}.")
    chosen = list(given)
    if chosen and all(isinstance(each, (bool, np.bool_)) for each in chosen):
        if len(chosen) != len(names):
            booleans = f"{len(chosen)} booleans for {len(names)} columns"
            raise ValueError(f"categorical_features has {booleans}: give one for each.")
        return [bool(each) for each in chosen]
    known: dict[Any, int] = {name: j for j, name in enumerate(names)}
    known |= {j: j % len(names) for j in range(-len(names), len(names))}
    if unknown := [each for each in chosen if not isinstance(each, Hashable) or each not in known]:
        columns = f"the {len(names):,} columns: {listed_names(names)}"
        raise ValueError(f"categorical_features names {unknown[0]!r}, which is not one of {columns}.")
    positions = {known[each] for each in chosen}
    return [j in positions for j in range(len(names))]
