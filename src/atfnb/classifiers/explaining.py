"""How a fitted classifier is shown: its plots and pages, and the contributions to each row in a long table."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from atfnb._files import check_writable
from atfnb._progress import Progress
from atfnb._typing import FloatArray, IntArray
from atfnb.encoding import Attribute, Wording
from atfnb.tables import is_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from atfnb.report import Page

# --- Contributions in a long table ------------------------------------------------------------------


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


# --- Plots and pages --------------------------------------------------------------------------------


def report_room() -> Any:
    """Return the module of plots and pages, which imports this one, and so is loaded when it is first used."""
    return import_module("atfnb.report")


def drawn(plot: str, *given: Any, **options: Any) -> Axes:
    """Return the axes of a plot of :mod:`atfnb.report`."""
    axes: Axes = getattr(report_room(), plot)(*given, **options)
    return axes


class PicturesMixin:
    """Methods that draw a fitted classifier."""

    def plot_weights(self, *, ax: Axes | None = None, top: int = 30) -> Axes:
        """Draw a bar for the weight of each attribute: see :func:`atfnb.plot_weights`."""
        return drawn("plot_weights", self, ax=ax, top=top)

    def plot_effects(self, attribute: str | int, *, classes: Any = None, ax: Axes | None = None, top: int = 30) -> Axes:
        """Draw what each value of an attribute adds to the joint log-likelihoods: see :func:`atfnb.plot_effects`."""
        return drawn("plot_effects", self, attribute, classes=classes, ax=ax, top=top)

    def plot_pair(self, first: str | int, second: str | int, *, top: int = 6) -> list[Axes]:
        """Draw what the values of two attributes add together: see :func:`atfnb.plot_pair`."""
        axes: list[Axes] = report_room().plot_pair(self, first, second, top=top)
        return axes

    def plot_row(self, row: Any, *, ax: Axes | None = None, top: int = 12) -> Axes:
        """Draw how the values of one row lead to its predicted class: see :func:`atfnb.plot_row`."""
        return drawn("plot_row", self, row, ax=ax, top=top)

    def plot_confusion(self, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
        """Draw how many rows of each actual class are predicted as each class; best on rows not trained on."""
        return drawn("plot_confusion", self, X, y, ax=ax)

    def plot_reliability(self, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
        """Draw how often the predicted class is right against its probability; best on rows not trained on."""
        return drawn("plot_reliability", self, X, y, ax=ax)

    def plot_roc(self, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
        """Draw the ROC curve of a model with two classes; best on rows not trained on."""
        return drawn("plot_roc", self, X, y, ax=ax)

    def report(
        self,
        X: Any,
        y: Any,
        path: str | Path | None = None,
        *,
        folds: int = 5,
        random_state: int = 0,
        title: str | None = None,
        target: str | None = None,
        test: tuple[Any, Any] | None = None,
        test_name: str = "the test rows",
        notes: Sequence[str] = (),
        class_order: Any = None,
        groups: Any = None,
        time: Any = None,
        progress: Progress | None = None,
    ) -> Page:
        """Make a page that shows what was learned and how accurate it is: one HTML file that needs no network.

        Parameters
        ----------
        X : data frame or two-dimensional array-like of shape (rows, columns)
            The training rows, usually: models trained like this one are then cross-validated on them. On other rows,
            the accuracy is that of this model itself. Some of the rows can be explained on the page.
        y : array-like of shape (rows,)
            The class of each row.
        path : str or Path, optional
            A file to write the page to as well; whether it can be written is checked before the cross-validation.
        folds : int, default=5
            The number of folds of the cross-validation.
        random_state : int, default=0
            What the folds are drawn with.
        title : str, optional
            The title of the page.
        target : str, optional
            The name of what is predicted.
        test : tuple of a table and the class of each row, optional
            Rows that the model was not trained on; its accuracy on them is shown too.
        test_name : str, default="the test rows"
            What the page calls these rows.
        notes : sequence of str, optional
            Sentences to show near the top, before those on columns that look like identifiers or give the class away.
        class_order : list of classes or "sorted", optional
            The order of the classes: the page then says how far predictions are off along it.
        groups : array-like of shape (rows,), optional
            The group of each row: all rows of a group are in one fold.
        time : array-like of shape (rows,), optional
            A number or a date for each row: rows are predicted by models of earlier rows.
        progress : callable, optional
            Called with the number of fits that are done, the number of all fits, and what is being fitted.

        Returns
        -------
        Page
            A notebook shows it; ``str`` gives its HTML, and ``save`` writes it.
        """
        if path is not None:
            check_writable(Path(path))
        room = report_room()
        options = room.PageOptions(
            folds, random_state, title, target, test, test_name, notes, progress, class_order, groups, time
        )
        page: Page = room.model_page(self, X, y, options)
        if path is not None:
            page.save(path)
        return page
