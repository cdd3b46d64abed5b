"""Columns of text that are almost numbers or dates: what they are, and which rows differ."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from atfnb._errors import listed_names
from atfnb._typing import BoolArray, IntArray
from atfnb.tables.cells import DOUBTFUL_MARKS, without_missing
from atfnb.tables.date_cells import formats_of, like_dates
from atfnb.tables.number_cells import CURRENCIES, like_numbers, signs_of

MOST = 0.9
"""A column is almost numbers, or dates, if at least this share of its cells is."""
_SAMPLE = 1000
"""So many cells are looked at before all are."""


def mixture(column: Any, rows: IntArray) -> str | None:
    """Return why a column of text cannot be read as numbers or dates, though it is almost that; None for other text.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        The cells; null where a value is missing.
    rows : (rows,) array
        The numbers of the rows, for the sentence.

    Examples
    --------
    >>> mixture(pa.chunked_array([["$3", "€4", "$5", None]]), np.arange(1, 5))
    'it holds amounts in different currencies, $ in 2 rows and € in 1 (row 2): convert them to one'
    >>> mixture(pa.chunked_array([["red", "blue"]]), np.arange(1, 3))
    """
    column = without_missing(pc.cast(column, pa.string()), DOUBTFUL_MARKS)  # beside numbers, these mean missing values
    rows = rows[column.is_valid().to_numpy()]
    cells = column.drop_null().combine_chunks()
    if not len(cells):
        return None
    sample = cells.take(pa.array(np.unique(np.linspace(0, len(cells) - 1, _SAMPLE).astype(np.int64))))
    for like, one, all_alike in ((like_numbers, "number", _on_signs), (like_dates, "date", _on_formats)):
        if like(sample).mean() >= MOST / 2 and (are := like(cells)).mean() >= MOST:
            return all_alike(cells, rows) if are.all() else _on_odd(cells, rows, ~are, one)
    return None


def _on_odd(cells: Any, rows: IntArray, odd: BoolArray, one: str) -> str:
    """Return a clause on the few cells that are no number, or no date."""
    several = len(pc.unique(cells.filter(pa.array(odd)))) > 1
    are, it = (f"are no {one}s", f"them as {one}s") if several else (f"is no {one}", "it as one")
    return (
        f"{_example(cells, rows, odd)} {are}, though most of its cells are: write {it}, or name what means "
        "a missing value with --missing-mark"
    )


def _on_signs(cells: Any, rows: IntArray) -> str | None:
    """Return a clause on numbers with different signs or units, if they are."""
    coded = signs_of(cells).dictionary_encode()
    code, signs = coded.indices.to_numpy(), coded.dictionary.to_pylist()
    if len(signs) < 2:
        return _on_decimal_signs(cells, rows)
    times = np.bincount(code)
    order = sorted(range(len(signs)), key=lambda k: (-times[k], signs[k]))
    each = [f"{signs[k] or 'none'} in {times[k]:,}" for k in order[:3]]
    each[0] += " rows"
    money = all(re.fullmatch(CURRENCIES, sign) for sign in signs if sign)
    what = "amounts in different currencies" if money else "numbers with different units"
    more = " and others" if len(order) > len(each) else ""
    named = f"{', '.join(each[:-1])} and {each[-1]}{more}"
    return f"it holds {what}, {named} ({_rows(rows[code != order[0]])}): convert them to one"


def _on_decimal_signs(cells: Any, rows: IntArray) -> str | None:
    """Return a clause on numbers that have another decimal sign than the numbers of the file, or not the same one.

    >>> _on_decimal_signs(pa.array(["3,5", "1,25"]), np.arange(1, 3))
    "'3,5', '1,25' in rows 1, 2 have a comma: if it is the decimal sign, write a point"
    """
    odd = {sign: ~like_numbers(cells, decimals=other) for sign, other in ((",", "."), (".", ","))}
    sign, name, right = (",", "comma", "point") if odd[","].any() else (".", "point", "comma")
    if not odd[sign].any():
        return None
    has = "have" if odd[sign].sum() > 1 else "has"
    return f"{_example(cells, rows, odd[sign])} {has} a {name}: if it is the decimal sign, write a {right}"


def _on_formats(cells: Any, rows: IntArray) -> str | None:
    """Return a clause on dates in different formats."""
    words, read = formats_of(cells)
    if read.all():
        return None
    most = f"most of them {words}, and " if words else ""
    return f"it holds dates in different formats, {most}{_example(cells, rows, ~read)}: write them in one"


def _example(cells: Any, rows: IntArray, odd: BoolArray) -> str:
    """Return the first different ones of some cells, and the rows of all."""
    return f"{listed_names(pc.unique(cells.filter(pa.array(odd))).to_pylist(), 3)} in {_rows(rows[odd])}"


def _rows(rows: IntArray) -> str:
    """Return the numbers of some rows in words.

    >>> _rows(np.array([7])), _rows(np.array([1, 2, 3, 4]))
    ('row 7', 'rows 1, 2, 3 and 1 more')
    """
    more = f" and {len(rows) - 3:,} more" if len(rows) > 3 else ""
    return f"row{'s' if len(rows) > 1 else ''} {', '.join(map(str, rows[:3].tolist()))}{more}"
