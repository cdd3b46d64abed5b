"""What every classifier here shares: an encoder, a prior, and one table of additive scores."""

from __future__ import annotations

import shlex
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from atfnb._errors import AdvisedError
from atfnb._processes import Progress
from atfnb._typing import CodeArray, FloatArray
from atfnb.classifiers.declaration import Declaration, Meaning
from atfnb.classifiers.empty import describe, put_back
from atfnb.classifiers.parameters import ParameterChecks, above_0, by_value, true_or_false
from atfnb.counts import Counts, Need, RowsInMemory, TrainingRows, count_pieces, pair_bytes
from atfnb.encoding import (
    EmptyColumnWarning,
    MaxBins,
    Missing,
    TableEncoder,
    check_max_bins,
    check_missing,
    learn_coding,
)
from atfnb.model import AdditiveModel, log_likelihood, log_prior
from atfnb.tables import LabelledRows, read_again, read_table, read_target

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MAX_PAIR_BYTES = 1 << 29


def _report() -> Any:
    """Load the room of plots and pages, which reads classifiers and so stands to their right, when it is first used."""
    return import_module("atfnb.report")


class BaseNB(ClassifierMixin, BaseEstimator, ABC):
    """Naive Bayes whose attributes count as much as ``_weigh`` says.

    A subclass says what must be counted (``_needs``) and how much each attribute counts (``_weigh``). The weights
    enter the model in one place, ``_set_weights``; predictions, explanations and plots read the table made there.

    The parameters and the fitted attributes are told in :class:`~atfnb.NB`.
    """

    classes_: Any
    encoder_: TableEncoder
    counts_: Counts
    weights_: FloatArray
    model_: AdditiveModel
    n_rows_: int
    training_: dict[str, Any]
    _empty: Mapping[int, str]

    declaration: ClassVar[Declaration] = Declaration()
    """What the command, the model file, the report and the studies need to know of the classifier."""
    _parameter_checks: ClassVar[ParameterChecks] = {
        "max_bins": by_value(check_max_bins),
        "missing": by_value(check_missing),
        "alpha": above_0,
        "fit_prior": true_or_false,
    }
    """What ``fit`` checks first; what depends on the data is checked when they are read."""

    def __init__(
        self,
        *,
        categorical_features: Any = "from_dtype",
        max_bins: MaxBins = "n_classes",
        missing: Missing = "impute",
        alpha: float = 1.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.missing = missing
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.class_weight = class_weight

    # --- learning -------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table and the class of each row.

        Parameters
        ----------
        X : data frame or two-dimensional array-like of shape (rows, columns)
            Numbers, text, booleans and missing values, as they come. A column without any value counts nothing, and a
            warning names it.
        y : array-like of shape (rows,)
            The class of each row.
        sample_weight : array-like of shape (rows,), optional
            How much each row counts: an integer weight is a repetition, a zero weight an absence. Weights that cannot
            be numbers of rows, as they add up to less than 2 or to more than 2⁴⁰ (1.1·10¹²), are ratios: they are
            scaled to a mean of 1, so that multiplying all of them by a constant changes nothing. The largest may be
            10¹² times the smallest.

        Returns
        -------
        self
        """
        self._check_parameters()
        with self._unchanged_if_it_fails():
            self.__dict__.pop("training_", None)  # a loaded model's record describes other rows
            return self._learn_from(*self._encode(X, y, sample_weight))

    def _learn_from(self, rows: TrainingRows, empty: Mapping[int, str]) -> Self:
        """Learn from the columns that have values; the others, position → name, count nothing."""
        self._empty = empty
        self._learn(rows)
        del self._empty
        if empty:
            put_back(self, empty)
            warnings.warn(describe(empty), EmptyColumnWarning, stacklevel=3)
        return self

    def _learn(self, rows: TrainingRows) -> Self:
        """Codes → counts → weights → model."""
        counts = self._count(rows)
        self.counts_ = replace(counts, pairs=None)  # the largest table, and of no use later
        return self._set_weights(self._weigh(counts, rows))

    def _check_parameters(self, *names: str) -> None:
        """Raise a ValueError for the first parameter that cannot be used; of all of them, or of these."""
        for name in names or self._parameter_checks:
            self._parameter_checks[name](name, getattr(self, name))

    @contextmanager
    def _unchanged_if_it_fails(self) -> Iterator[None]:
        """What was fitted before, or nothing, is still there after an error."""
        before = self.__dict__.copy()
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _encode(self, X: Any, y: Any, sample_weight: Any) -> tuple[RowsInMemory, dict[int, str]]:
        """Table → codes, and the encoder that does it again; and the columns without any value."""
        table = read_table(X, self.categorical_features)
        validate_data(self, X, skip_check_array=True)
        target = read_target(y, sample_weight, table.n_rows, self.class_weight)
        if target.counting is not None:
            table = table.take(target.counting)
        self.classes_, self.n_rows_ = target.classes, table.n_rows
        empty, table = table.empty(), table.with_values()
        if not table.columns:
            raise ValueError("no column has any value: there is nothing to tell the classes by.")
        training = LabelledRows(table, target.classes, target.y, target.weight)
        coding = learn_coding(training, max_bins=self.max_bins, missing=self.missing)
        self.encoder_ = coding.encoder
        codes, cells = coding.encoder.encode_table(table), int(coding.encoder.n_values.sum())
        return RowsInMemory(codes, target.y, target.weight, table, cells, coding.distributions), empty

    def _count(self, rows: TrainingRows) -> Counts:
        """Codes → counts of what the weights need."""
        n_values, needs = self.encoder_.n_values, self._needs()
        if "pairs" in needs and pair_bytes(n_values) > MAX_PAIR_BYTES:
            name = self.encoder_.attributes[int(np.argmax(n_values))].name
            size, most = pair_bytes(n_values) / 1e9, n_values.max()
            raise AdvisedError(
                f"the tables of value pairs would need {size:.1f} GB, as column {name!r} alone has {most} values",
                "leave it out, or use ATFNB with redundancy='pearson', which needs no pairs",
                f"leave it out with --ignore {shlex.quote(name)}, or use a classifier that needs no pairs, as "
                "--classifier fusion or --classifier atfnb",
            )
        return count_pieces(rows.pieces, n_values, len(self.classes_), needs | {"fingerprint"})

    def _needs(self) -> AbstractSet[Need]:
        """Return what must be counted beside the class tables."""
        return self.declaration.needs

    @abstractmethod
    def _weigh(self, counts: Counts, rows: TrainingRows) -> FloatArray:
        """How much each attribute counts."""

    def _log_prior(self, counts: Counts) -> FloatArray:
        """Log P(c): smoothed frequencies (Eq. 2), equal ones, or the user's."""
        n_classes = len(self.classes_)
        if self.class_prior is None:
            return log_prior(counts, self.alpha) if self.fit_prior else np.full(n_classes, -np.log(n_classes))
        prior = np.asarray(self._prior_by_class() if isinstance(self.class_prior, Mapping) else self.class_prior)
        if prior.shape != (n_classes,) or prior.dtype.kind not in "fiu":
            raise ValueError(f"Number of priors must match number of classes: class_prior needs {n_classes} numbers.")
        if not ((prior > 0) & (prior < 1e100)).all():
            raise ValueError("class_prior must be above 0, and finite, for every class.")
        return np.asarray(np.log(prior / prior.sum()))

    def _prior_by_class(self) -> list[Any]:
        """Return the user's prior of each class, which was given by class."""
        for name in self.classes_.tolist():
            if name not in self.class_prior:
                raise ValueError(f"class_prior has no probability for the class {name!r}: give one for each class.")
        return [self.class_prior[name] for name in self.classes_.tolist()]

    def _set_weights(self, weights: FloatArray) -> Self:
        """Set the model of weighted naive Bayes: log P(c) + Σ_j w_j log P(x_j|c) (Eq. 4)."""
        evidence = self._evidence(self.counts_, self.encoder_)
        prior = self._log_prior(self.counts_)
        return self._set_model(AdditiveModel.weighted(weights, evidence, prior, self.counts_), weights)

    def _set_model(self, model: AdditiveModel, weights: FloatArray) -> Self:
        """Set what every fit ends in: the model, and how much each attribute counts in it."""
        self.model_, self.weights_ = model, weights
        return self

    def _evidence(self, counts: Counts, encoder: TableEncoder) -> FloatArray:
        """Return log P(a|c) (Eq. 3): (cells, classes). A missing value that is a value is one like the others."""
        return log_likelihood(counts, self.alpha)

    @property
    def fingerprint_(self) -> str | None:
        """The fingerprint of the training rows with their classes, in any order; None if an old file has none."""
        check_is_fitted(self)
        found = self.counts_.fingerprint
        return None if found is None else f"{int(found[0]):016x}"

    @property
    def table_(self) -> FloatArray:
        """What each value of each attribute adds to the joint log-likelihood of each class: (cells, classes)."""
        return self.model_.scores

    @property
    def class_log_prior_(self) -> FloatArray:
        """What the joint log-likelihood of each class starts from, log P(c): (classes,)."""
        return self.model_.start

    @property
    def training_record(self) -> Mapping[str, Any]:
        """How a model that was loaded, or trained from files, was trained: its ``training_``; otherwise empty."""
        record: Mapping[str, Any] = self.__dict__.get("training_", {})
        return record

    @property
    def weights_meaning(self) -> Meaning:
        """What the weights of the fitted model are, as :data:`~atfnb.classifiers.Meaning` lists."""
        return "equal" if np.ptp(self.weights_) == 0 else "given"

    def _check_fitted(self) -> None:
        """Raise a ValueError, one sentence, if the fitted fields that the classifier declares contradict each other."""

    def _start_again(self) -> FloatArray:
        """Return what the classes start from, as the counts and the parameters give it: (classes,)."""
        return self._log_prior(self.counts_)

    def _weights_again(self) -> tuple[FloatArray | None, FloatArray | float]:
        """Return the weights as the other fitted attributes give them, and the size of the terms they are a sum of.

        A model file is checked by them. None says that the weights follow from nothing else that is kept.
        """
        return None, 0.0

    def _scores_again(self) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and the highest score that each value can have by the weights, the counts and alpha."""
        expected = self.counts_.per_cell(self.weights_)[:, None] * log_likelihood(self.counts_, self.alpha)
        return expected, expected

    # --- answering ------------------------------------------------------------------------------------

    def _codes(self, X: Any) -> CodeArray:
        check_is_fitted(self)
        return self.encoder_.encode_table(read_again(self, X))

    def predict_joint_log_proba(self, X: Any) -> FloatArray:
        """Log P(c) + Σ_j w_j log P(x_j|c), the joint log-likelihood: (rows, classes)."""
        codes = self._codes(X)
        return self.model_.joint(codes)

    def predict(self, X: Any) -> Any:
        """The most probable class of each row, the first of those that tie."""
        codes = self._codes(X)
        return self.classes_[self.model_.classify(codes)]

    def predict_log_proba(self, X: Any) -> FloatArray:
        """The logarithm of each class's probability: (rows, classes)."""
        joint = self.predict_joint_log_proba(X)
        return np.asarray(joint - logsumexp(joint, axis=1, keepdims=True))

    def predict_proba(self, X: Any) -> FloatArray:
        """Each class's probability: (rows, classes)."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def contributions(self, X: Any) -> FloatArray:
        """What each attribute adds to the score of each class: (rows, attributes, classes).

        With ``class_log_prior_``, which no attribute adds, they sum to :meth:`predict_joint_log_proba`, to the bit.
        """
        codes = self._codes(X)
        return self.model_.contributions(codes)

    # --- showing --------------------------------------------------------------------------------------

    def plot_weights(self, *, ax: Axes | None = None, top: int = 30) -> Axes:
        """Draw how much each attribute counts: see :func:`atfnb.plot_weights`."""
        axes: Axes = _report().plot_weights(self, ax=ax, top=top)
        return axes

    def plot_effects(self, attribute: str | int, *, ax: Axes | None = None, top: int = 30) -> Axes:
        """Draw what each value of an attribute adds to each class: see :func:`atfnb.plot_effects`."""
        axes: Axes = _report().plot_effects(self, attribute, ax=ax, top=top)
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
    ) -> Any:
        """Make a page that shows what was learned and how good it is: one HTML file that needs nothing else.

        Parameters
        ----------
        X, y
            A table and the class of each row, usually those of the fit: models trained like this one are then
            cross-validated on them. On other rows, this model itself is scored. Some of the rows can be explained.
        path : str or Path, optional
            Where to write the page, too.
        folds, random_state : int
            The parts of the cross-validation, and how they are drawn.
        title, target : str, optional
            The page's title, and the name of what is predicted.
        test : tuple of a table and the class of each row, optional
            Rows that the model was not trained on, to score it on besides.
        test_name : str, default="the test rows"
            What these rows are called on the page.
        notes : sequence of str, optional
            Sentences to show near the top, before those on columns that look like identifiers or give the class away.
        progress : callable, optional
            Told how many fits are done, of how many, and of what.

        Returns
        -------
        Page
            A notebook shows it; ``str`` gives its text, and ``save`` writes it.
        """
        page = _report().model_page(
            self,
            X,
            y,
            folds=folds,
            random_state=random_state,
            title=title,
            target=target,
            test=test,
            test_name=test_name,
            notes=notes,
            progress=progress,
        )
        if path is not None:
            page.save(path)
        return page

    def _repr_html_inner(self) -> str:
        return f"{super()._repr_html_inner()}{_report().weights_html(self)}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += _report().weights_html(self)
        return bundle

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
