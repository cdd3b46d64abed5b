"""Plots and pages of a fitted classifier, as its methods."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atfnb._files import check_writable
from atfnb._processes import Progress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from atfnb.report import Page


def report_room() -> Any:
    """Return the module of plots and pages, which imports this one, and so is loaded when it is first used."""
    return import_module("atfnb.report")


class PicturesMixin:
    """Methods that draw a fitted classifier."""

    def plot_weights(self, *, ax: Axes | None = None, top: int = 30) -> Axes:
        """Draw a bar for the weight of each attribute: see :func:`atfnb.plot_weights`."""
        axes: Axes = report_room().plot_weights(self, ax=ax, top=top)
        return axes

    def plot_effects(self, attribute: str | int, *, classes: Any = None, ax: Axes | None = None, top: int = 30) -> Axes:
        """Draw what each value of an attribute adds to the joint log-likelihoods: see :func:`atfnb.plot_effects`."""
        axes: Axes = report_room().plot_effects(self, attribute, classes=classes, ax=ax, top=top)
        return axes

    def plot_pair(self, first: str | int, second: str | int, *, top: int = 6) -> list[Axes]:
        """Draw what the values of two attributes add together: see :func:`atfnb.plot_pair`."""
        axes: list[Axes] = report_room().plot_pair(self, first, second, top=top)
        return axes

    def plot_row(self, row: Any, *, ax: Axes | None = None, top: int = 12) -> Axes:
        """Draw how the values of one row lead to its predicted class: see :func:`atfnb.plot_row`."""
        axes: Axes = report_room().plot_row(self, row, ax=ax, top=top)
        return axes

    def plot_confusion(self, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
        """Draw how many rows of each actual class are predicted as each class; best on rows not trained on."""
        axes: Axes = report_room().plot_confusion(self, X, y, ax=ax)
        return axes

    def plot_reliability(self, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
        """Draw how often the predicted class is right against its probability; best on rows not trained on."""
        axes: Axes = report_room().plot_reliability(self, X, y, ax=ax)
        return axes

    def plot_roc(self, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
        """Draw the ROC curve of a model with two classes; best on rows not trained on."""
        axes: Axes = report_room().plot_roc(self, X, y, ax=ax)
        return axes

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
        options = room.PageOptions(folds, random_state, title, target, test, test_name, notes, progress)
        page: Page = room.model_page(self, X, y, options)
        if path is not None:
            page.save(path)
        return page
