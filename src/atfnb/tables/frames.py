"""Any table, as it comes → one plain column per attribute.

Data frames go through narwhals (pandas, polars, pyarrow and others alike); arrays and lists are read as
they are. What cannot be read is named, with what to do about it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
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
from atfnb.tables.missing import is_missing, none_missing


@dataclass(frozen=True)
class Words:
    """The distinct values of a column of text, and the place of each cell's among them; of a missing one's, any."""

    distinct: NDArray[Any]
    place: NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Column:
    """One attribute of a table, not yet encoded.

    ``values`` are numbers, or else text or other plain objects; ``missing`` marks the cells without a value.
    """

    name: str
    values: NDArray[Any]
    missing: BoolArray
    categorical: bool
    words: Words | None = None
    """Where they are known without a look at every cell."""

    @property
    def is_complete(self) -> bool:
        """Whether no cell is missing."""
        return self.missing.strides == (0,) or not self.missing.any()

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers (or truth values), categorical or not."""
        return self.values.dtype != object

    def take(self, rows: BoolArray) -> Column:
        """Only the rows marked."""
        missing = none_missing(self.values[rows]) if self.is_complete else self.missing[rows]
        words = None if self.words is None else Words(self.words.distinct, self.words.place[rows])
        return Column(self.name, self.values[rows], missing, self.categorical, words)


@dataclass(frozen=True)
class Table:
    """The columns of a table; and the table itself, where it is a matrix of whole numbers."""

    columns: tuple[Column, ...]
    integers: NDArray[np.integer[Any]] | None = None

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.columns[0].values)

    def take(self, rows: BoolArray) -> Table:
        """Only the rows marked."""
        integers = None if self.integers is None else self.integers[rows]
        return Table(tuple(column.take(rows) for column in self.columns), integers)

    def empty(self) -> dict[int, str]:
        """Return the position and the name of each column that is missing in every row."""
        return {j: column.name for j, column in enumerate(self.columns) if column.missing.all()}

    def with_values(self) -> Table:
        """Without the columns that are missing in every row; without any, if there are no rows."""
        empty = self.empty()
        return Table(tuple(column for j, column in enumerate(self.columns) if j not in empty)) if empty else self

    def like(self, other: Table) -> Table:
        """Only the columns that another table of the same has."""
        if len(self.columns) == len(other.columns):
            return self
        names = {column.name for column in other.columns}
        return Table(tuple(column for column in self.columns if column.name in names))


def is_frame(X: Any) -> bool:
    """Whether X is a data frame that narwhals can read."""
    return bool(nw.dependencies.is_into_dataframe(X))


def read_table(X: Any, categorical_features: Any = "from_dtype") -> Table:
    """Read the columns of a data frame, of a two-dimensional array or of a list of rows.

    >>> [(c.name, c.categorical) for c in read_table([[1.5, "a"], [2.5, "b"]]).columns]
    [('x0', False), ('x1', True)]
    """
    names, read = _frame_reader(X) if is_frame(X) else _array_reader(X)
    wanted = _categorical_mask(categorical_features, names)

    def column(j: int) -> Column:
        return _with_kind(read(j), None if wanted is None else bool(wanted[j]))

    large = nw.dependencies.is_pyarrow_table(X) and X.num_rows > BLOCK  # reads columns without Python's lock
    columns = on_all_cores(column, range(len(names)), worth=large, small=True)
    whole = isinstance(X, np.ndarray) and np.can_cast(X.dtype, np.int64) and X.dtype.kind in "iu"
    return Table(tuple(columns), X if whole else None)


def read_again(estimator: Any, X: Any) -> Table:
    """Read a table that must have the columns the estimator was fitted with; the names come first."""
    if not is_frame(X):
        X = _two_dimensional(X)
    validate_data(estimator, X, skip_check_array=True, reset=False)
    return read_table(X)


def numbers_of(table: Table) -> FloatArray:
    """The numbers of a table without text and gaps: (rows, columns)."""
    for column in table.columns:
        if not column.is_complete:
            row = np.flatnonzero(column.missing)[0]
            raise ValueError(f"column {column.name!r} is missing (NaN) in row {row}: ChiMerge takes complete columns.")
        if not column.is_number:
            raise ValueError(f"column {column.name!r} holds text: ChiMerge takes numbers.")
    return np.column_stack([column.values.astype(np.float64) for column in table.columns])


def _with_kind(column: Column, categorical: bool | None) -> Column:
    """The column with the kind the user asked for; None leaves it to the dtype."""
    if categorical is None or categorical == column.categorical:
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
        raise ValueError(f"a column stands more than once in the table, give each its own name. {error}") from None
    labels = list(frame.columns)
    _check_shape(len(frame), len(labels))
    columns = list(frame.iter_columns())
    return [str(label) for label in labels], lambda j: _from_series(str(labels[j]), columns[j])


def _from_series(name: str, series: nw.Series[Any]) -> Column:
    dtype = series.dtype
    if dtype.is_float() or dtype.is_decimal():
        return _numeric(name, series.cast(nw.Float64()).to_numpy().astype(np.float64, copy=False))
    if dtype.is_temporal():
        raise ValueError(_DATES.format(name=name))
    missing = series.is_null().to_numpy().astype(bool)
    if dtype.is_integer():
        whole = series.fill_null(0) if missing.any() else series
        return Column(name, whole.to_numpy(), missing if missing.any() else none_missing(missing), categorical=False)
    if dtype == nw.Boolean:
        return Column(name, series.fill_null(False).to_numpy().astype(bool), missing, categorical=True)
    if missing.all():
        return _numeric(name, np.full(len(missing), np.nan))  # it fits any attribute
    if series.implementation.is_pyarrow() and (dtype == nw.String or _is_text_by_code(series.to_native())):
        return _from_arrow_text(name, series.to_native(), missing)
    if dtype == nw.String:
        cells = _objects(series.to_list())
        cells[missing] = None  # whatever stood for it
        return Column(name, cells, missing if missing.any() else none_missing(missing), categorical=True)
    if isinstance(dtype, (nw.Categorical, nw.Enum)):
        plain = (cell if isinstance(cell, (str, Real)) else str(cell) for cell in series.to_list())
        known = [None if gap else cell for cell, gap in zip(plain, missing, strict=True)]
        return replace(_from_objects(name, _objects(known)), categorical=True)
    if dtype == nw.Object or dtype == nw.Unknown:
        return _from_objects(name, _objects(series.to_list()))
    raise TypeError(f"column {name!r} is of type {dtype}: each value must be a string or a number.")


def _is_text_by_code(column: Any) -> bool:
    """Whether a column of pyarrow's is a dictionary of text."""
    return str(getattr(column.type, "value_type", "")) in ("string", "large_string")


def _from_arrow_text(name: str, text: Any, missing: BoolArray) -> Column:
    """Text that pyarrow has looked at: each word becomes an object once."""
    chunks = text.dictionary_encode().unify_dictionaries().chunks
    distinct = _objects(chunks[0].dictionary.to_pylist())
    place = np.concatenate([chunk.indices.fill_null(0).to_numpy(zero_copy_only=False) for chunk in chunks])
    cells = distinct[place]
    cells[missing] = None
    gaps = missing if missing.any() else none_missing(missing)
    return Column(name, cells, gaps, categorical=True, words=Words(distinct, place))


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
    """An array or a list of rows as an array of rows and columns."""
    if sparse.issparse(X):
        raise TypeError("A sparse matrix was passed, but atfnb takes dense data: use X.toarray() or a data frame.")
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
    if array.dtype.kind in "mM":
        raise ValueError(_DATES.format(name="x0"))
    return array


def _rows_of_objects(X: Any) -> NDArray[Any]:
    """A list of rows as an array that does not turn numbers into text."""
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
    if kind == "b":
        return Column(name, values, none_missing(values), categorical=True)
    return _from_objects(name, values.astype(object))


def _from_objects(name: str, cells: NDArray[Any]) -> Column:
    """A column of Python objects: numbers if all of them are, else categories."""
    missing = is_missing(cells)
    types = {type(cell) for cell in cells[~missing]}

    def all_are(*kinds: type) -> bool:
        return all(issubclass(t, kinds) for t in types)

    if types and all_are(bool, np.bool_):
        return Column(name, np.where(missing, False, cells).astype(bool), missing, categorical=True)
    if all_are(Real, Decimal, np.bool_):
        return _from_numbers(name, cells, missing, whole=bool(types) and all_are(Integral))
    if all_are(str, Real, Decimal, np.bool_):
        return Column(name, cells, missing, categorical=True)
    if any(issubclass(t, (date, time, timedelta, np.datetime64, np.timedelta64)) for t in types):
        raise ValueError(_DATES.format(name=name))
    if all_are(Complex, Decimal):
        raise ValueError(f"Complex data not supported: column {name!r} holds complex numbers.")
    odd = min(t.__name__ for t in types if not issubclass(t, (str, Real, Decimal, np.bool_)))
    advice = " (decode it to text first)" if odd == "bytes" else ""
    raise TypeError(f"column {name!r} holds a {odd}: each argument must be a string or a number{advice}.")


def _from_numbers(name: str, cells: NDArray[Any], missing: BoolArray, *, whole: bool) -> Column:
    """Numbers as Python objects: whole ones stay whole where 64 bits hold them."""
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


_DATES = (
    "column {name!r} holds dates or times: convert them to numbers (days since some day, the hour) or to "
    "categories (the month, the weekday) first."
)


# --- What the user says of the columns -------------------------------------------------------------


def _categorical_mask(categorical_features: Any, names: Sequence[str]) -> Sequence[bool] | None:
    """Which columns are categorical: None leaves it to the dtypes."""
    if isinstance(categorical_features, str):
        if categorical_features == "from_dtype":
            return None
        if categorical_features == "all":
            return [True] * len(names)
        raise ValueError(
            "categorical_features must be 'from_dtype', 'all', None, or a list of names, indices or truth values, "
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
            f"categorical_features must be a list of names, indices or truth values, not {categorical_features!r}."
        )
    if chosen.dtype.kind == "b":
        if chosen.shape != (len(names),):
            raise ValueError(
                f"categorical_features has {chosen.size} truth values for {len(names)} columns: give one for each."
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
