"""Rows in a long table: what each attribute, and each pair, adds to each class."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from numbers import Integral
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from atfnb._typing import FloatArray, IntArray
from atfnb.encoding import Attribute, Wording
from atfnb.tables import is_frame


def long_table(
    attributes: Sequence[Attribute],
    pairs: IntArray,
    classes: NDArray[Any],
    words: Wording,
    contributions: FloatArray,
    top: int | None,
) -> Any:
    """Return a pyarrow table with a line for each row, attribute or pair, and class.

    Parameters
    ----------
    attributes : sequence of Attribute
    pairs : (pairs, 2) array
        The positions of the two attributes of each pair.
    classes : (classes,) array
    words : Wording
        The values of the rows.
    contributions : (rows, attributes + pairs, classes) array
    top : int or None
        The largest number of attributes and pairs of each row; None for all of them, in the order of the model.
    """
    import pyarrow as pa

    labels, position = _all_values(words, pairs)
    shown = _shown(contributions, top)  # (rows, shown)
    n_rows, n_classes = len(contributions), len(classes)

    def column(distinct: Sequence[str], which: IntArray) -> Any:
        return pa.array(distinct, pa.large_string()).take(pa.array(np.repeat(which.ravel(), n_classes)))

    sources = [attribute.source for attribute in attributes]
    return pa.table(
        {
            "row": pa.array(np.repeat(np.arange(n_rows), shown.shape[1] * n_classes)),
            "attribute": column([*words.names, *(_joined(words.names, pair) for pair in pairs)], shown),
            "source": column([*sources, *(_joined(sources, pair) for pair in pairs)], shown),
            "value": column(labels, np.take_along_axis(position, shown, axis=1)),
            "class": pa.array(classes.tolist()).take(pa.array(np.tile(np.arange(n_classes), shown.size))),
            "contribution": pa.array(np.take_along_axis(contributions, shown[:, :, None], axis=1).ravel()),
        }
    )


def _shown(contributions: FloatArray, top: int | None) -> IntArray:
    """Return the attributes and pairs of each row to show: all, or those that favour one class over another most."""
    n_rows, n_terms, _ = contributions.shape
    if top is None:
        return np.broadcast_to(np.arange(n_terms), (n_rows, n_terms))
    if isinstance(top, bool) or not isinstance(top, Integral) or top < 1:
        raise ValueError(f"top must be None or a whole number from 1 on, not {top!r}.")
    return np.asarray(np.argsort(-np.ptp(contributions, axis=2), axis=1, kind="stable")[:, : int(top)])


def _all_values(words: Wording, pairs: IntArray) -> tuple[list[str], IntArray]:
    """Return distinct values in words, and which of them each attribute and each pair has: (rows, attributes + pairs).

    The two values of a pair are joined by ×.
    """
    labels, positions, n_words = [*words.values], [words.position], len(words.values)
    for a, b in pairs:
        both = words.position[:, a] * n_words + words.position[:, b]
        distinct, which = np.unique(both, return_inverse=True)
        positions.append(len(labels) + which[:, None])
        labels += [f"{words.values[one // n_words]} × {words.values[one % n_words]}" for one in distinct]
    return labels, np.hstack(positions)


def _joined(names: Sequence[str], pair: IntArray) -> str:
    """Return the names of the two sides of a pair, joined by ×; one name if both sides have the same."""
    a, b = (names[one] for one in pair)
    return a if a == b else f"{a} × {b}"


def like(table: Any, X: Any) -> Any:
    """Return a pyarrow table as a data frame of the library that X is from; for an array or a list, of pandas.

    If pandas is not installed, arrays and lists give the pyarrow table itself.
    """
    if is_frame(X):
        library = nw.from_native(X, eager_only=True).implementation
    else:
        library = nw.Implementation.PANDAS if find_spec("pandas") else nw.Implementation.PYARROW
    return nw.from_arrow(table, backend=library).to_native()
