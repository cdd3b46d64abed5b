"""What the page shows of each attribute: how much it counts, its values, their effects and their distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import BoolArray, CodeArray, FloatArray, IntArray
from atfnb.classifiers import BaseNB
from atfnb.report.plots import NINETY
from atfnb.report.sentences import LONGEST, Payload, one_line, packed, short
from atfnb.tables import Column, Table

MOST_BYTES = 4_400_000
"""The approximate limit, in bytes, on the values of all attributes together in a page."""
FINE_CELLS = 1_000_000
"""With up to this number of effects, each takes two bytes in the page, and one more for its band; with more, one."""
MOST_VALUES = 400
"""The largest number of categories of one attribute in a page: the most frequent, and those of the rows to explain."""
MOST_LETTERS = 200_000
"""The approximate limit on the characters of all categories together in a page."""
BARS = 30
"""The largest number of bars of a histogram."""
SERIES = 8
"""The number of classes that have a colour of their own, the most frequent ones; the other classes share one colour."""
TAIL = 0.005
"""The share of the rows at either end that the outermost bar of a histogram may hold in addition to its own."""


def attributes_of(
    model: BaseNB, table: Table, truth: IntArray, shares: FloatArray, explained: CodeArray, taken: int
) -> tuple[list[Payload], dict[int, IntArray]]:
    """Return what the page shows of each attribute, and the codes of the values of those for which it has room.

    Of each attribute: its ``name``; whether it ``isNumber``; which ``part`` of a date or time it is, if any; whether
    its values are ``ordered``, as numbers, months and weekdays are; whether it is ``constant``, with one value only;
    how many values a column has that is ``unused`` because they do not help to predict the class, otherwise 0; in how
    many rows the value is ``missing``; its ``share`` of the total effect of all attributes and pairs, by
    :func:`atfnb.model.spread`; and the ``detail`` of its values, None where the page has no room for them.

    Parameters
    ----------
    model : classifier
        A fitted one.
    table : Table
        The rows of the page, with a column for each attribute.
    truth : (rows,) array
        The code of each row's class.
    shares : (attributes,) array
        The share of the total effect that each has.
    explained : (rows to explain, attributes) array
        The codes that must be among the values.
    taken : int
        How many bytes of the page are needed for something else.
    """
    attributes, n_classes = model.encoder_.attributes, len(model.classes_)
    values = np.array([attribute.n_values + 1 for attribute in attributes])  # with "unknown"
    cells = np.where([attribute.is_numeric for attribute in attributes], values, np.minimum(values, MOST_VALUES))
    fine = bool(cells.sum() * n_classes <= FINE_CELLS)
    # a number takes some bytes as text, and a byte of the packed effects 4/3 of a character
    per_cell, bars = 4 / 3 * (3 if fine else 1) * n_classes + 13, BARS * min(n_classes, SERIES + 1) * 2.2
    fits = _first_that_fit(cells * per_cell + bars + 10 * len(explained), shares, MOST_BYTES - taken)
    codes = {j: _shown_codes(model, j, explained[:, j]) for j in np.flatnonzero(fits).tolist()}
    n_labels = sum(len(some) for j, some in codes.items() if not attributes[j].is_numeric)
    labels = int(np.clip(MOST_LETTERS / max(n_labels, 1), 16, LONGEST))
    names = int(np.clip(100_000 // len(shares), 40, 200))  # the more names, the less room for each
    errors = model.effect_errors_ if fine else None
    return [
        {
            "name": one_line(attribute.name, names),
            "isNumber": attribute.is_numeric,
            "part": attribute.part,
            "ordered": attribute.is_number or attribute.ordered,
            "constant": _is_constant(column),
            "unused": attribute.pooled if attribute.is_unused else 0,
            "missing": 0 if column.is_complete else int(column.missing.sum()),
            "share": short(shares[j], 6)[0],
            "detail": _detail(model, j, codes[j], errors, labels, column, truth) if j in codes else None,
        }
        for j, (attribute, column) in enumerate(zip(attributes, table.columns, strict=True))
    ], codes


def _is_constant(column: Column) -> bool:
    """Return whether all values that are not missing are equal."""
    values = column.values[~column.missing]
    return bool((values == values[0]).all()) if len(values) else True


def _first_that_fit(sizes: FloatArray, shares: FloatArray, room: float) -> BoolArray:
    """Return which attributes there is room for, those with the largest share first: one at least, (attributes,)."""
    order, fits = np.argsort(-shares, kind="stable"), np.zeros(len(sizes), dtype=bool)
    fits[order] = np.cumsum(sizes[order]) <= room
    fits[order[0]] = True
    return fits


def _shown_codes(model: BaseNB, j: int, explained: CodeArray) -> IntArray:
    """Return the codes of the values of attribute j that are shown: all, or the frequent ones and those to explain."""
    attribute = model.encoder_.attributes[j]
    n_values = attribute.n_values
    if attribute.is_numeric or n_values <= MOST_VALUES:
        return np.arange(n_values)
    frequent = np.argsort(-model.counts_.of_attribute(j).sum(axis=1), kind="stable")[: MOST_VALUES // 2]
    return np.union1d(frequent, explained[explained < n_values])


def _detail(
    model: BaseNB,
    j: int,
    codes: IntArray,
    errors: FloatArray | None,
    longest: int,
    column: Column,
    truth: IntArray,
) -> Payload:
    """Return the values of attribute j with these codes, and what each adds to the joint log-likelihood of each class.

    ``errors`` is the model's ``effect_errors_``, and ``truth`` (rows,) the class of each row of the column. The result:

    - ``cuts``, where a number is cut, and ``whole``, the lowest and the highest one if all were whole numbers in
      training; None for categories
    - ``labels`` of the categories, of at most ``longest`` characters; None for a number, whose intervals follow from
      the cuts
    - ``asked``, the shape that the effects were asked to have, in words; None without one, and of edited effects
    - ``values``, their number, the last of which is "unknown"; ``missingIsValue``, whether a missing value counts as
      one; ``leftOut``, the number of categories that the page has no room for, and then the ``codes`` of the values
    - ``rows`` (values − 1,), the weight of the training rows with each value
    - ``effects`` (values, classes), what each value adds, less the mean over the classes; ``bands``, how far the 90 %
      band of each effect reaches to either side, 0 for an edited one, None without standard errors
    - ``histogram`` of a number; ``counts`` (values − 1, series) of categories, the weight of the training rows by
      series
    """
    attribute, counts = model.encoder_.attributes[j], model.counts_.of_attribute(j)[codes]
    number = attribute if attribute.is_numeric else None
    cells = model.model_.offsets[j] + np.append(codes, attribute.n_values)
    effects, words = model.model_.table[cells], attribute.labels
    series, present = series_of(model.counts_.classes), ~column.missing
    of_rows, n_series = series[truth[present]], int(series.max()) + 1
    return {
        "cuts": short(number.cuts, 9 if number.whole is None else 17) if number else None,
        "whole": number.whole if number else None,
        "labels": None if number else [one_line(words[code], longest) for code in codes],
        "asked": None if any(edit.column == attribute.name for edit in model.edits_) else model.shapes_in_words.get(j),
        "values": len(cells),
        "missingIsValue": attribute.n_values > attribute.n_known,
        "leftOut": attribute.n_values - len(codes),
        "codes": codes.tolist() if len(codes) < attribute.n_values else None,
        "rows": short(counts.sum(axis=1)),
        "effects": packed(effects - effects.mean(axis=1, keepdims=True), np.int8 if errors is None else np.int16),
        "bands": None if errors is None else packed(NINETY * np.nan_to_num(errors[cells]), np.uint8),
        "histogram": histogram(column.values[present], of_rows, n_series) if number and present.any() else None,
        "counts": None if number else short(counts @ np.eye(n_series)[series]),
    }


# --- classes in series, rows in bars ---------------------------------------------------------------


def series_of(class_rows: FloatArray) -> IntArray:
    """Return the series in which each class is drawn: 0, 1, … for the eight most frequent, in order; 8 for the others.

    >>> series_of(np.array([5.0, 9.0, 1.0]))
    array([0, 1, 2])
    """
    frequent = np.sort(np.argsort(-class_rows, kind="stable")[:SERIES])
    series = np.full(len(class_rows), SERIES, dtype=np.int64)
    series[frequent] = np.arange(len(frequent))
    return series


def histogram(values: NDArray[Any], series: IntArray, n_series: int) -> Payload:
    """Return the number of rows in bars of equal width over the values of a number, bar by bar and by series.

    ``low`` and ``high`` are the ends of the bars; ``below`` and ``above`` say whether the outermost bars also hold the
    rows beyond them.

    >>> histogram(np.array([1, 1, 3]), np.array([0, 1, 1]), 2)
    {'low': 0.5, 'high': 3.5, 'counts': [1, 1, 0, 0, 0, 1], 'below': False, 'above': False}
    """
    numbers = values.astype(np.float64)
    lowest, highest = float(numbers.min()), float(numbers.max())
    edges = _edges(numbers, lowest, highest)
    bar = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, len(edges) - 2)
    counts = np.bincount(bar * n_series + series, minlength=(len(edges) - 1) * n_series)
    low, high = short(edges[[0, -1]], 7)
    beyond = {"below": bool(lowest < edges[0]), "above": bool(highest > edges[-1])}
    return {"low": low, "high": high, "counts": counts.tolist(), **beyond}


def _edges(numbers: FloatArray, lowest: float, highest: float) -> FloatArray:
    """Return the edges of the bars: one bar per value for a few whole numbers, else bars of equal width."""
    low, high = _body(numbers, lowest, highest)
    if high / 2 - low / 2 < BARS / 2 and np.array_equal(numbers, np.floor(numbers)):
        return np.arange(low, high + 2) - 0.5
    if low == high:
        around = max(abs(low) * 0.05, 0.5)
        low, high = low - around, high + around
    share = np.linspace(0.0, 1.0, min(BARS, max(5, int(2 * np.sqrt(len(numbers))))) + 1)
    return np.unique(low * (1 - share) + high * share)  # the difference of two numbers may be too large for a float


def _body(numbers: FloatArray, lowest: float, highest: float) -> tuple[float, float]:
    """Return the ends of the range of nearly all rows, extended to the lowest or highest value if that is near."""
    low = float(np.quantile(numbers, TAIL, method="lower"))
    high = float(np.quantile(numbers, 1 - TAIL, method="higher"))
    near = (high / 2 - low / 2) / 4
    if low == high:
        return lowest, highest
    return (lowest if low / 2 - lowest / 2 <= near else low), (highest if highest / 2 - high / 2 <= near else high)
