"""What people know of columns beside the data: where numbers are to be cut, and the order of categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from atfnb._errors import AdvisedError, Setting, did_you_mean
from atfnb.tables.columns import Column, Table
from atfnb.tables.dates import DAY, holds_dates

Cuts = Mapping[Any, Sequence[Any]] | None
"""Where a user cuts columns of numbers or of dates, by their names or positions."""
Orders = Mapping[Any, Sequence[Any] | None] | None
"""The order of the categories of columns, by their names or positions; None for a column whose order does not count."""


@dataclass(frozen=True)
class Knowledge:
    """What is known of the columns of a table, by their names.

    Examples
    --------
    >>> from atfnb.tables import read_table
    >>> known = Knowledge.of(["x0", "x1"], cuts={0: [18, 65]})
    >>> known.told(read_table([[20, "b"], [40, "a"]])).columns[0].cuts
    array([18., 65.])
    """

    cuts: Mapping[str, Any] = field(default_factory=dict)
    """The cuts of columns of numbers or dates: these and no others."""
    orders: Mapping[str, Any] = field(default_factory=dict)
    """The order of the categories of columns; it goes before the one that the type of a column has."""

    @classmethod
    def of(cls, names: Sequence[str], cuts: Cuts = None, orders: Orders = None) -> Self:
        """Return what is known of a table with columns of these names, which may be given by name or by position."""
        return cls(_by_name("cuts", cuts, names), _by_name("orders", orders, names))

    def told(self, table: Table) -> Table:
        """Return a table, or some of its columns, with what is known of them."""
        if not (self.cuts or self.orders):
            return table
        return replace(table, columns=tuple(map(self._told, table.columns)))

    def _told(self, column: Column) -> Column:
        if column.missing.all():  # of no type
            return column
        if column.name in self.cuts:
            column = replace(column, cuts=_cuts_for(column, self.cuts[column.name]))
        if column.name in self.orders:
            column = replace(column, order=_order_for(column, self.orders[column.name]))
        return column


def _by_name(parameter: str, given: Mapping[Any, Any] | None, names: Sequence[str]) -> dict[str, Any]:
    """Return what is given for columns, by name or by position, by the names of the columns."""
    found = dict[str, Any]()
    for key, value in (given or {}).items():
        is_position = isinstance(key, Integral) and not isinstance(key, bool)
        if key not in (range(len(names)) if is_position else names):
            hint = f"a number is a position, from 0 to {len(names) - 1}." if is_position else ""
            hint = hint or did_you_mean(str(key), names) or "name one of its columns."
            raise AdvisedError(Setting(parameter), f" names column {key!r}, which is not in the table: {hint}")
        found[names[int(key)] if is_position else key] = value
    return found


def _cuts_for(column: Column, cuts: Any) -> NDArray[np.float64]:
    """Return given cuts as numbers; dates as days since 1970-01-01, as the attribute that is made of them has them."""
    given = _as_numbers(cuts)
    held, wanted = "dates" if holds_dates(column) else "numbers", "dates" if given.dtype.kind == "M" else "numbers"
    if column.categorical or column.values.dtype.kind == "m":
        held = "times of day" if holds_dates(column) else "categories"
    if held != wanted and len(given):
        raise AdvisedError(Setting("cuts"), f" of column {column.name!r} are {wanted}, and the column holds {held}.")
    return given.astype(np.int64) / DAY if held == "dates" else given.astype(np.float64)


def _order_for(column: Column, order: Any) -> tuple[Any, ...] | None:
    """Return a given order of categories, texts without outer spaces as in a table that was read."""
    if not column.categorical:
        held = "dates" if holds_dates(column) else "numbers"
        raise AdvisedError(Setting("orders"), f" names column {column.name!r}, whose {held} have an order already.")
    trimmed = () if order is None else (each.strip() if isinstance(each, str) else each for each in order)
    return tuple(dict.fromkeys(trimmed)) or None


def _as_numbers(cuts: Any) -> NDArray[Any]:
    """Return cuts as an array of floats, or of dates; raise a TypeError for what is neither."""
    if all(isinstance(each, Real) and not isinstance(each, bool) for each in cuts):
        return np.array(cuts, dtype=np.float64)
    if not all(isinstance(each, (str, date, np.datetime64)) for each in cuts):
        raise TypeError
    return np.array(cuts, dtype="datetime64[us]")


def check_cuts(name: str, cuts: Any) -> None:
    """Raise a ValueError unless cuts are None, or a dict of numbers, or of dates, that rise.

    >>> check_cuts("cuts", {"age": [30, 18]})
    Traceback (most recent call last):
    ...
    atfnb._errors.AdvisedError: cuts of column 'age' must be numbers, or dates, that rise, not [30, 18].
    """
    _check_mapping(name, cuts, "numbers")
    for column, values in (cuts or {}).items():
        try:
            array = _as_numbers(values)
            rises = array.ndim == 1 and bool(np.isfinite(array).all() and (array[1:] > array[:-1]).all())
        except (TypeError, ValueError):
            rises = False
        if not rises:
            wanted = f" of column {column!r} must be numbers, or dates, that rise, not {values!r}."
            raise AdvisedError(Setting(name), wanted)


def check_orders(name: str, orders: Any) -> None:
    """Raise a ValueError unless orders are None, or a dict of lists of different values, or of None.

    >>> check_orders("orders", {"size": ["S", "M", "S"]})
    Traceback (most recent call last):
    ...
    atfnb._errors.AdvisedError: orders of column 'size' must be a list of different values, not ['S', 'M', 'S'].
    """
    _check_mapping(name, orders, "values in order")
    for column, values in (orders or {}).items():
        is_list = isinstance(values, (Sequence, np.ndarray)) and not isinstance(values, str)
        if values is not None and not (is_list and 1 < len(values) == len({*map(repr, values)})):
            wanted = f" of column {column!r} must be a list of different values, not {values!r}."
            raise AdvisedError(Setting(name), wanted)


def _check_mapping(name: str, given: Any, of: str) -> None:
    if not (given is None or isinstance(given, Mapping)):
        raise AdvisedError(Setting(name), f" must be a dict of columns and their {of}, not {given!r}.")
