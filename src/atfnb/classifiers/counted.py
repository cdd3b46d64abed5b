"""Classifiers whose weights follow from counts alone: they take in new rows exactly, because counts add up."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from copy import copy
from typing import Any, Self

import numpy as np

from atfnb._errors import AdvisedError, Setting, listed_names
from atfnb._pieces import CodedRows, on_cores
from atfnb._typing import FloatArray
from atfnb.classifiers.base import BaseNB
from atfnb.counts import Counts, Need, as_hex, count_pieces, fingerprint_of
from atfnb.encoding import EmptyColumnWarning, moved_cells, widened
from atfnb.tables import check_classes, label_more_rows, read_again
from atfnb.training import TableInMemory, TrainingRows, training_rows

MAX_PAIR_VALUES = 1000
"""Tables of value pairs are kept in a fitted model, and in its file, if the columns have at most this many values."""

TRAIN_AGAIN = "train again on old and new rows together"
"""What to do where new rows cannot be added, in Python and in the command."""
OF_ONE_FIT = ("rows", "weight", "fingerprint", "fit")
"""What the record of a training says of its rows alone, so that it is left out when rows are added."""


class CountedNB(BaseNB):
    """Naive Bayes whose weights follow from counts alone; the base class of the classifiers with ``partial_fit``.

    A subclass returns the weights of the attributes in ``_weights_of``.
    """

    @abstractmethod
    def _weights_of(self, counts: Counts) -> FloatArray:
        """Return how much each attribute counts, from the counts alone: (attributes,)."""

    def _weigh(self, counts: Counts, rows: TrainingRows) -> FloatArray:
        return self._weights_of(counts)

    def _kept(self, counts: Counts) -> Counts:
        """Return the counts that stay in the fitted model: all that an update needs, unless there are many pairs."""
        return counts if int(counts.n_values.sum()) <= MAX_PAIR_VALUES else super()._kept(counts)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows, in addition to those that the model has learned from.

        The result is what a fit on all rows gives with the cuts of the first: the same counts, weights and answers, to
        the bit (with weights of rows that are no whole numbers, up to rounding). The first call on a new model is a
        fit. To cut numbers anew, fit on all rows together.

        - *New categories and new classes* are taken in. In a column whose rare categories were pooled, new ones count
          as pooled.
        - *Missing values*: with ``missing="impute"``, they are replaced as in the first rows, also if another category
          has become the most frequent one. With ``missing="value"``, the first missing value of a column gives it the
          value "missing", which no earlier row had.
        - *A column without any value in the first rows* stays without effect, and a warning names it.
        - *Edits* of the model are replayed on what it has learned then.

        Parameters
        ----------
        X : data frame or two-dimensional array-like of shape (rows, columns)
            The new rows, with the columns of the first ones.
        y : array-like of shape (rows,)
            The class of each row.
        classes : array-like of shape (classes,), optional
            All classes that may occur, also those that have no rows yet; another class in ``y`` is then refused. A
            model can be saved when every class has rows.
        sample_weight : array-like of shape (rows,), optional
            How much each row counts, as a number of rows: these weights are not scaled, so they must mean the same as
            those of the earlier rows.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the new rows cannot be added exactly: with ``class_weight="balanced"``, which depends on all rows; and if
            pairs of values are needed that the model does not keep, because its columns have more than 1,000 values.
            The model is then as it was.

        Examples
        --------
        >>> from atfnb import NB
        >>> model = NB().fit([["red"], ["blue"]], ["no", "yes"])
        >>> model.partial_fit([["green"], ["blue"]], ["yes", "yes"]).encoder_.attributes[0].categories
        ('blue', 'green', 'red')
        >>> model.n_rows_, model.counts_.of_attribute(0)
        (4, array([[0., 2.],
               [0., 1.],
               [1., 0.]]))
        """
        is_fitted = "model_" in vars(self)
        if is_fitted:
            self._check_updatable()
        self.check_parameters()
        if isinstance(self.class_weight, str):
            why = ", unlike fixed weights of classes, depends on all rows, so new ones cannot be added: "
            raise AdvisedError(Setting("class_weight", self.class_weight), why, f"{TRAIN_AGAIN}.")
        if not is_fitted:
            with on_cores(self.n_jobs):
                return self.learn(training_rows(TableInMemory(X, y, sample_weight, classes), self.row_options))
        with on_cores(self.n_jobs), self._unchanged_if_it_fails():
            if self.learned_ is None:
                return self._add(X, y, classes, sample_weight)
            updated = copy(self.learned_)._add(X, y, classes, sample_weight).replayed(self.edits_)
            self.__dict__.update((name, each) for name, each in vars(updated).items() if name.endswith("_"))
            return self

    def _add(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        """Add the counts of new rows to those of the model, and derive the weights and the model from the sums."""
        table = self.encoder_.aligned(read_again(self, X))
        weight_before = float(self.counts_.classes.sum())
        new = label_more_rows(table, y, sample_weight, self.classes_, weight_before, self.class_weight)
        table, names = new.table, new.classes if classes is None else check_classes(classes, new.classes)
        encoder = widened(self.encoder_, table, self.missing, merge_case=self.merge_case)
        old = self.counts_.relaid(
            encoder.n_values, moved_cells(self.encoder_, encoder), len(names), _at(names, self.classes_)
        )
        rows = CodedRows(encoder.encode_table(table), _at(names, new.classes)[new.y], new.weight)
        counts = self._sum(old, rows)
        self._record_update(names, old, rows)
        self.encoder_, self.classes_, self.n_rows_ = encoder, names, self.n_rows_ + len(new.y)
        self.counts_ = self._kept(counts)
        self._set_weights(self._weights_of(counts))
        pairs = zip(encoder.attributes, table.columns, strict=True)
        now = [each.name for each, column in pairs if not column.missing.all()]
        if filled := [name for name in encoder.empty if name in now]:
            warnings.warn(describe_filled(filled), EmptyColumnWarning, stacklevel=3)
        return self

    def _check_updatable(self) -> None:
        """Raise a ValueError if the weights need what the fitted model does not keep."""
        needs, counts = self._needs(), self.counts_
        if ("pairs" in needs and counts.pairs is None) or ("moments" in needs and counts.moments is None):
            raise ValueError(
                f"a {type(self).__name__} needs pairs of values to take in new rows, and this one does not keep them: "
                f"{TRAIN_AGAIN}."
            )

    def _sum(self, old: Counts, rows: CodedRows) -> Counts:
        """Return the counts with new rows; refuse new categories that move the codes that moments are made of."""
        if "moments" in self._needs() and old.moments is None:
            raise ValueError(
                "the new rows have categories that change the codes of others, on which the weights depend: fit on old "
                "and new rows together."
            )
        needs: set[Need] = {*self._needs(), "fingerprint"}
        return old + count_pieces(rows.in_blocks(len(old.values)), old.n_values, len(old.classes), needs)

    def _record_update(self, names: Any, before: Counts, rows: CodedRows) -> None:
        """Count the update in the record of the training, spell new classes, and leave out what is true no longer.

        The fingerprints of the rows of the first fit and of each update are kept, so that rows which are given again
        can be recognised. They hash codes: a new value or class that changes codes makes those so far useless.
        """
        record = {entry: value for entry, value in self.training_record.items() if entry not in OF_ONE_FIT}
        if spelled := record.get("class_spelling"):
            spelling = dict(zip(self.classes_.tolist(), spelled, strict=True))
            record["class_spelling"] = [spelling.get(name, str(name)) for name in names.tolist()]
        earlier = [] if before.fingerprint is None else [as_hex(before.fingerprint)]
        counted = record.get("counted", []) if before.fingerprint is None else record.get("counted") or earlier
        counted = [*counted, as_hex(fingerprint_of(rows.codes[:, before.used], rows.y))]
        self.training_ = record | {"updates": record.get("updates", 0) + 1, "counted": counted}


def _at(among: Any, classes: Any) -> Any:
    """Return the position of each class among others, which are sorted."""
    return np.searchsorted(among, classes).astype(np.int32)


def describe_filled(columns: list[str]) -> str:
    """Return a sentence that names columns without any value in the first rows, which have some now.

    >>> describe_filled(["a"])
    "column 'a' has values now, and had none when the model was first fitted: it stays without effect."
    """
    named = listed_names(columns)
    if len(columns) == 1:
        return f"column {named} has values now, and had none when the model was first fitted: it stays without effect."
    return f"columns {named} have values now, and had none when the model was first fitted: they stay without effect."
