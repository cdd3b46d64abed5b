"""What every classifier shares: parameters, learning, and the answers of its model."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

import numpy as np
from narwhals.stable.v2.typing import IntoDataFrameT
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from atfnb._errors import AdvisedError, Setting, counted
from atfnb._pieces import on_cores
from atfnb._typing import CodeArray, FloatArray, IntArray
from atfnb.classifiers.declaration import (
    SHARED_CHECKS,
    ClassPrior,
    ClassWeight,
    Declaration,
    Meaning,
    ParameterChecks,
    given_prior,
    signature_in_full,
)
from atfnb.classifiers.edits import EditingMixin, edits_in_words
from atfnb.classifiers.explaining import PicturesMixin, like, long_table, report_room
from atfnb.counts import (
    Counts,
    Need,
    as_hex,
    centred_variance,
    count_pieces,
    log_likelihood,
    log_likelihood_variance,
    log_prior,
    pair_bytes,
    spread,
)
from atfnb.encoding import (
    MAX_DISTINCT,
    MaxBins,
    MinCategoryRows,
    Missing,
    Pooling,
    SpellingWarning,
    TableEncoder,
    wording_of,
    zones_in_words,
)
from atfnb.model import AdditiveModel
from atfnb.tables import Cuts, Dates, Orders, Table, read_again, taken_in_words
from atfnb.training import RowOptions, TableInMemory, TrainingRows, training_rows

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

MAX_PAIR_BYTES = 1 << 29
"""The memory that the tables of value pairs may take: 0.5 GB."""
MAX_MOMENT_BYTES = 1 << 31
"""The memory that the tables of Pearson's correlation may take, of which a fit holds several: 2 GB."""
UNEDITED = 1e-9
"""The grid of an edited model may be another one: scores that differ by less were not edited."""


class BaseNB(EditingMixin, PicturesMixin, ClassifierMixin, BaseEstimator, ABC):
    """Naive Bayes in which each attribute counts as much as ``_weigh`` returns; the base class of all classifiers here.

    A subclass returns the weights of the attributes in ``_weigh``. In ``_needs``, or in its declaration, it names what
    must be counted for them beside the values of each class. Every fit ends in ``model_``, a table of additive scores;
    predictions, explanations, plots, pages and files read that.

    The parameters and the fitted attributes are described in :class:`~atfnb.NB`.
    """

    classes_: Any
    encoder_: TableEncoder
    counts_: Counts
    weights_: FloatArray
    model_: AdditiveModel
    n_rows_: int
    training_: dict[str, Any]

    declaration: ClassVar[Declaration] = Declaration()
    """What the command, the model file, the report and the studies need to know of the classifier."""

    # --- parameters -----------------------------------------------------------------------------------

    parameter_checks: ClassVar[ParameterChecks] = SHARED_CHECKS
    """What ``fit`` checks before any work. What depends on the columns or classes is checked when they are read."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Name the shared parameters in the signature of the class, from which scikit-learn reads the parameters."""
        super().__init_subclass__(**kwargs)
        if init := vars(cls).get("__init__"):
            init.__signature__ = signature_in_full(init, BaseNB.__init__)

    def __init__(
        self,
        *,
        categorical_features: Any = "from_dtype",
        cuts: Cuts = None,
        orders: Orders = None,
        max_bins: MaxBins = "n_classes",
        max_distinct: int | None = MAX_DISTINCT,
        min_category_rows: MinCategoryRows = "auto",
        merge_case: bool = False,
        missing: Missing = "impute",
        dates: Dates = "expand",
        alpha: float = 1.0,
        fit_prior: bool = True,
        class_prior: ClassPrior = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.categorical_features = categorical_features
        self.cuts = cuts
        self.orders = orders
        self.max_bins = max_bins
        self.max_distinct = max_distinct
        self.min_category_rows = min_category_rows
        self.merge_case = merge_case
        self.missing = missing
        self.dates = dates
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def check_parameters(self, *names: str) -> None:
        """Raise a ValueError, one sentence, for the first parameter that cannot be used: of all, or of these."""
        for name in names or self.parameter_checks:
            self.parameter_checks[name](name, getattr(self, name))

    # --- learning -------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table and the class of each row.

        Parameters
        ----------
        X : data frame or two-dimensional array-like of shape (rows, columns)
            Numbers, text, booleans, dates and missing values, as they come. A column without any value gets a weight
            of 0, and a warning names it. A sparse matrix of SciPy is read if it takes at most 1 GB with its zeros.
        y : array-like of shape (rows,)
            The class of each row.
        sample_weight : array-like of shape (rows,), optional
            How much each row counts: an integer weight is a repetition, a zero weight an absence. Weights that add up
            to less than 2 or to more than 2⁴⁰ (1.1·10¹²) cannot be numbers of rows, and are taken as ratios: they are
            scaled to a mean of 1, so that multiplying all of them by a constant changes nothing. The largest may be
            10¹² times the smallest.

        Returns
        -------
        self
        """
        self.check_parameters()
        with on_cores(self.n_jobs):
            return self.learn(training_rows(TableInMemory(X, y, sample_weight), self.row_options))

    @property
    def row_options(self) -> RowOptions:
        """How the classifier has its training rows read, weighted and coded."""
        pooling = Pooling.of(self.min_category_rows, merge_case=self.merge_case, shrunk=self._shrinks())
        encoding = (self.max_bins, self.missing, self.max_distinct, pooling)
        return RowOptions(*encoding, self.categorical_features, self.dates, self.class_weight, self.cuts, self.orders)

    def _shrinks(self) -> bool:
        """Return whether what a category adds is shrunk the more, the fewer rows it has."""
        return False

    def learn(self, rows: TrainingRows) -> Self:
        """Learn from training rows, in memory or in parts, that were read with the options of this classifier.

        Parameters
        ----------
        rows : TrainingRows
            What :func:`~atfnb.training.training_rows` returns for a table and ``row_options``.

        Returns
        -------
        self
        """
        self.check_parameters()
        with on_cores(self.n_jobs), self._unchanged_if_it_fails():
            self.classes_, self.n_rows_, self.encoder_ = rows.classes, rows.n_rows, rows.encoder
            self.n_features_in_ = rows.n_columns
            record = {"feature_names_in_": rows.names, "training_": rows.record.entries or None}
            for name in ("edits_", "learned_", *record):
                self.__dict__.pop(name, None)  # those of an earlier fit
            self.__dict__.update((name, value) for name, value in record.items() if value is not None)
            return self._learn(rows)

    @contextmanager
    def _unchanged_if_it_fails(self) -> Iterator[None]:
        """Restore what was fitted before, if anything, when an error occurs."""
        before = self.__dict__.copy()
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _learn(self, rows: TrainingRows) -> Self:
        """Go from coded rows to counts, from counts to weights, and from weights to the model."""
        counts = self._count(rows)
        self.counts_ = self._kept(counts)
        return self._set_weights(self._weigh(counts, rows))

    def _kept(self, counts: Counts) -> Counts:
        """Return the counts that stay in the fitted model: without pairs, the largest table and of no use later."""
        return replace(counts, pairs=None)

    def _count(self, rows: TrainingRows) -> Counts:
        """Return the counts that the weights need; refuse tables of pairs that are too large."""
        n_values, needs = self.encoder_.n_values, self._needs()
        moments = 32 * len(n_values) ** 2
        if "moments" in needs and moments > MAX_MOMENT_BYTES:
            fault = f"the correlations of {len(n_values):,} columns would need tables of {moments / 1e9:.1f} GB: "
            nb, wnb = Setting("classifier", "nb", act="NB"), Setting("classifier", "wnb", act="WNB")
            other = (", or use ", nb, " or ", wnb, ", which look at one column at a time.")
            raise AdvisedError(fault, Setting("ignore", act="leave columns out"), *other)
        if "pairs" in needs and pair_bytes(n_values) > MAX_PAIR_BYTES:
            raise self._too_many_pairs(n_values)
        return count_pieces(rows.pieces, n_values, len(self.classes_), needs | {"fingerprint"})

    def _too_many_pairs(self, n_values: IntArray) -> AdvisedError:
        """Return an error that names the column with too many values, or says that there are too many columns."""
        largest = int(np.argmax(n_values))
        name = self.encoder_.attributes[largest].name
        if pair_bytes(np.delete(n_values, largest)) > MAX_PAIR_BYTES:
            why = f"the {len(n_values):,} columns have {n_values.sum():,} values together"
            leave_out = Setting("ignore", act="leave columns out")
        else:
            why = f"column {name!r} alone has {n_values[largest]} values"
            leave_out = Setting("ignore", [name], "leave it out")
        fault = f"the tables of value pairs would need {pair_bytes(n_values) / 1e9:.1f} GB"
        other = (Setting("classifier", "atfnb", act="ATFNB"), " with ", Setting("redundancy", "pearson"))
        return AdvisedError(f"{fault}, as {why}: ", leave_out, ", or use ", *other, ", which needs no pairs.")

    def _needs(self) -> AbstractSet[Need]:
        """Return what must be counted beside the values of each class: "pairs", "moments", both or nothing."""
        return self.declaration.needs

    @abstractmethod
    def _weigh(self, counts: Counts, rows: TrainingRows) -> FloatArray:
        """Return how much each attribute counts, from the counts or from the rows themselves: (attributes,)."""

    def _evidence(self, counts: Counts, encoder: TableEncoder) -> FloatArray:
        """Return log P(a|c) (Eq. 3): (cells, classes)."""
        return log_likelihood(counts, self.alpha)

    def _log_prior(self, counts: Counts) -> FloatArray:
        """Return log P(c): smoothed frequencies (Eq. 2), equal probabilities, or the user's: (classes,)."""
        if self.class_prior is not None:
            return np.log(given_prior(self.class_prior, self.classes_))
        n_classes = len(self.classes_)
        return log_prior(counts, self.alpha) if self.fit_prior else np.full(n_classes, -np.log(n_classes))

    def _set_weights(self, weights: FloatArray) -> Self:
        """Set the model of weighted naive Bayes: log P(c) + Σ_j w_j log P(x_j|c) (Eq. 4)."""
        evidence = self._evidence(self.counts_, self.encoder_)
        prior, weights = self._log_prior(self.counts_), np.where(self.counts_.used, weights, 0.0)
        self.weights_, offsets = weights, self.counts_.offsets
        self.model_ = AdditiveModel.weighted(weights, evidence, prior, offsets)
        return self

    # --- what was learned -----------------------------------------------------------------------------

    @property
    def table_(self) -> FloatArray:
        """What each value of each attribute adds to the joint log-likelihood of each class: (cells, classes)."""
        return self.model_.table[: len(self.counts_.values)]

    @property
    def class_log_prior_(self) -> FloatArray:
        """What the joint log-likelihood of each class starts from, log P(c): (classes,)."""
        return self.model_.log_prior

    @property
    def pairs_(self) -> list[tuple[str, str]]:
        """The names of the two attributes of each pair that acts together; empty for classifiers without pairs."""
        attributes = self.encoder_.attributes
        return [(attributes[a].name, attributes[b].name) for a, b in self.model_.pairs]

    @property
    def pair_effects_(self) -> list[FloatArray]:
        """The effects of each pair on each class: arrays of shape (groups, groups, classes)."""
        grids, scores = self.model_.grids, self.model_.pair_table
        return [grids.table(pair, scores) for pair in range(len(grids.of))]

    @property
    def pair_weights_(self) -> FloatArray:
        """How far each pair moves the joint log-likelihood of a class, up or down: (pairs,)."""
        grids = self.model_.grids
        if not len(grids.of):
            return np.zeros(0)
        return spread(self.model_.pair_table, Counts(grids.n_cells, self.counts_.classes, grids.rows[:, None]))

    @property
    def feature_importances_(self) -> FloatArray:
        """The share of each column in how far the model moves the joint log-likelihoods, from 0 to 1: (columns,).

        Shares sum to 1, or are all 0 if the model ignores every column. What the parts of a date move is added up, and
        what a pair of attributes moves is divided equally between the two.
        """
        check_is_fitted(self)
        moved = spread(self.table_, self.counts_)
        np.add.at(moved, self.model_.pairs, self.pair_weights_[:, None] / 2)
        of_columns = np.bincount(self.encoder_.source_positions, weights=moved)
        return np.asarray(of_columns / max(of_columns.sum(), 1e-300))

    @property
    def effect_errors_(self) -> FloatArray | None:
        """The standard error of what each value adds to each class, less its mean over the classes: (cells, classes).

        It follows from the counts, w²·(ψ′(n_ac + α) − ψ′(n_c + α·V)) before the mean is taken off, and takes the
        weights as given; that of a FusionNB from the curvature of its loss. NaN for values that were edited; None for
        a FusionNB of a file that does not have it.
        """
        if self.learned_ is None:
            return self._errors()
        errors, moved = self.learned_.effect_errors_, np.abs(self.table_ - self.learned_.table_).max(axis=1)
        return None if errors is None else np.where(moved[:, None] > UNEDITED, np.nan, errors)

    def _errors(self) -> FloatArray | None:
        return np.sqrt(centred_variance(self._evidence_variance(self.weights_)))

    def _evidence_variance(self, weights: FloatArray) -> FloatArray:
        """Return the variance of w_j log P(a|c): (cells, classes)."""
        counts = self.counts_
        return np.asarray(counts.per_cell(weights**2)[:, None] * log_likelihood_variance(counts, self.alpha))

    @property
    def contribution_names_(self) -> list[str]:
        """The names of the columns of :meth:`contributions`: the attributes, and then the pairs as "a × b"."""
        return [*(each.name for each in self.encoder_.attributes), *(f"{a} × {b}" for a, b in self.pairs_)]

    @property
    def fingerprint_(self) -> str | None:
        """A hash of the training rows and their classes, in any order; None for a model of an old file without one."""
        check_is_fitted(self)
        return None if self.counts_.fingerprint is None else as_hex(self.counts_.fingerprint)

    @property
    def training_record(self) -> Mapping[str, Any]:
        """How a model that was loaded, or trained from files, was trained: its ``training_``; otherwise empty."""
        record: Mapping[str, Any] = self.__dict__.get("training_", {})
        return record

    @property
    def class_labels(self) -> list[str]:
        """The classes in words, as the file that the model was trained from spells them, such as ``TRUE`` or ``+1``."""
        return list(self.training_record.get("class_spelling") or map(str, self.classes_.tolist()))

    @property
    def weights_meaning(self) -> Meaning:
        """What the weights of the fitted model are, as :data:`~atfnb.classifiers.Meaning` lists."""
        return "equal" if np.ptp(self.weights_) == 0 else "given"

    # --- answering ------------------------------------------------------------------------------------

    def encode(self, X: Any) -> CodeArray:
        """Return the codes of new rows, by which the model knows their values: (rows, attributes)."""
        with on_cores(self.n_jobs):
            table = self.new_rows(X)
            return self.encoder_.encode_table(table)

    def new_rows(self, X: Any) -> Table:
        """Return new rows with one column for each attribute; warn of texts that differ from known ones by case."""
        check_is_fitted(self)
        with on_cores(self.n_jobs):
            table = self.encoder_.aligned(read_again(self, X))
        found = {} if self.merge_case else self.encoder_.taken_for(table)
        if found:
            said = " ".join(taken_in_words(name, other) for name, other in found.items())
            warnings.warn(said, SpellingWarning, stacklevel=4)
        return table

    def predict_joint_log_proba(self, X: Any) -> FloatArray:
        """Return the joint log-likelihood of each row and class, log P(c) + Σ_j w_j log P(x_j|c).

        Parameters
        ----------
        X : data frame or two-dimensional array-like of shape (rows, columns)

        Returns
        -------
        array of shape (rows, classes)
        """
        with on_cores(self.n_jobs):
            codes = self.encode(X)
            return self.model_.joint(codes)

    def predict(self, X: Any) -> Any:
        """Return the most probable class of each row, the first in ``classes_`` of those that tie.

        Parameters
        ----------
        X : data frame or two-dimensional array-like of shape (rows, columns)

        Returns
        -------
        array of shape (rows,)
        """
        with on_cores(self.n_jobs):
            codes = self.encode(X)
            return self.classes_[self.model_.classify(codes)]

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : data frame or two-dimensional array-like of shape (rows, columns)

        Returns
        -------
        array of shape (rows, classes)
        """
        joint = self.predict_joint_log_proba(X)
        return np.asarray(joint - logsumexp(joint, axis=1, keepdims=True))

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class.

        Parameters
        ----------
        X : data frame or two-dimensional array-like of shape (rows, columns)

        Returns
        -------
        array of shape (rows, classes)
        """
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def contributions(self, X: Any) -> FloatArray:
        """Return what each attribute, and each pair of attributes, adds to the joint log-likelihood of each class.

        With ``class_log_prior_``, which no attribute adds, they sum to :meth:`predict_joint_log_proba`, to the bit.
        Only FusionNB has pairs; ``contribution_names_`` names the columns.

        Parameters
        ----------
        X : data frame or two-dimensional array-like of shape (rows, columns)

        Returns
        -------
        array of shape (rows, attributes + pairs, classes)
        """
        codes = self.encode(X)
        return self.model_.contributions(codes)

    @overload
    def explain(self, X: IntoDataFrameT, *, top: int | None = None) -> IntoDataFrameT: ...

    @overload
    def explain(self, X: object, *, top: int | None = None) -> pd.DataFrame | pa.Table: ...

    def explain(self, X: Any, *, top: int | None = None) -> Any:
        """Return a data frame of what each value of each row adds to the joint log-likelihood of each class.

        It has a line for each row, attribute (or pair of attributes) and class, of about 100 bytes: some 3 GB for
        100,000 rows, 100 attributes and 3 classes. Explain large tables in parts, or with ``top``.

        Parameters
        ----------
        X : data frame or two-dimensional array-like of shape (rows, columns)
        top : int, optional
            Only the attributes and pairs that favour one class over another most in each row, this number of them, the
            strongest first. By default all of them, in the order of ``contribution_names_``.

        Returns
        -------
        data frame
            Of the library that X is from: pandas, polars, pyarrow. For arrays and lists of pandas, or of pyarrow if
            pandas is not installed. Its columns:

            ========================= =====================================================================
            ``row``                   the position of the row in X, from 0 on, whatever index X has
            ``attribute``             the name of the attribute, or of a pair as "a × b"
            ``source``                the column of X that it is made from, or the two columns as "a × b"
            ``value``                 the value in words, such as ``≥ 320``, ``March``, ``missing``, or
                                      ``not seen in training``, which adds nothing
            ``class``                 the class, as in ``classes_``
            ``contribution``          what the value adds to the joint log-likelihood of the class
            ========================= =====================================================================

            Without ``top``, the contributions to a class in a row and its entry of ``class_log_prior_`` sum to its
            :meth:`predict_joint_log_proba`, to the bit.

        See Also
        --------
        contributions : The contributions alone, as an array.
        atfnb.plot_row : Draw the contributions of one row.

        Examples
        --------
        >>> from atfnb import NB
        >>> model = NB().fit([["red", 1.0], ["red", 2.0], ["blue", 3.0], ["blue", 5.0]], ["a", "a", "b", "b"])
        >>> model.explain([["red", 4.0]], top=1).round(2)
           row attribute source value class  contribution
        0    0        x0     x0   red     a         -0.29
        1    0        x0     x0   red     b         -1.39
        """
        table, attributes = self.new_rows(X), self.encoder_.attributes
        with on_cores(self.n_jobs):
            codes = self.encoder_.encode_table(table)
        words, added = wording_of(attributes, table, codes), self.model_.contributions(codes)
        return like(long_table(attributes, self.model_.pairs, self.classes_, words, added, top), X)

    def summary(self) -> str:
        """Return sentences on how the model was made, and the weight of each attribute and pair, the largest first.

        Examples
        --------
        >>> from atfnb import WNB
        >>> print(WNB().fit([["red", "a"], ["red", "b"], ["blue", "b"]], ["no", "no", "yes"]).summary())
        2 attributes predict 2 classes.
        The weight of each attribute, 1 being that of naive Bayes:
            1.570   78%  x0
            0.430   22%  x1
        """
        check_is_fitted(self)
        weights, terms = np.append(self.weights_, self.pair_weights_), self.contribution_names_
        total = max(float(np.abs(weights).sum()), 1e-300)
        used = np.append(self.encoder_.n_values > 0, np.ones(len(self.pairs_), dtype=bool))
        order = [j for j in np.argsort(-np.abs(weights), kind="stable").tolist() if used[j]]
        lines = [f"  {weights[j]:7.3f}  {abs(weights[j]) / total:4.0%}  {terms[j]}" for j in order]
        first = f"{counted(len(self.weights_), 'attribute')} {'predicts' if len(self.weights_) == 1 else 'predict'}"
        said = [f"{first} {len(self.classes_)} classes.", *zones_in_words(self.encoder_), *edits_in_words(self)]
        said += self._sentences()
        return "\n".join([*said, *lines])

    def _sentences(self) -> Iterator[str]:
        """Yield what the summary says before the weights, and last what they are."""
        yield "The weight of each attribute, 1 being that of naive Bayes:"

    def shape_sentences(self) -> Iterator[str]:
        """Yield sentences on the shapes that columns were asked to have; only FusionNB has any."""
        yield from ()

    @property
    def shapes_in_words(self) -> dict[int, str]:
        """The shapes that effects were asked to have, by the position of the attribute; only FusionNB has any."""
        return {}

    # --- scikit-learn's hooks -------------------------------------------------------------------------

    def _repr_html_inner(self) -> str:
        return f"{super()._repr_html_inner()}{report_room().weights_html(self)}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += report_room().weights_html(self)
        return bundle

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        return tags
