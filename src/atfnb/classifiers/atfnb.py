"""Adaptive two-index fusion: the paper's own classifier."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from atfnb._pieces import CodedRows, KeptPieces, Pieces
from atfnb._typing import FloatArray
from atfnb.classifiers.base import BaseNB, TrainingRows
from atfnb.counts import Counts, Need
from atfnb.encoding import MaxBins, Missing
from atfnb.indexes import find_redundancy, find_relevance, mean_redundancy, normalized
from atfnb.likelihood import Scorer, log_likelihood, on_grid, scorer
from atfnb.report import plot_beta
from atfnb.switching import BetaSearch, Reach, Swept, reach, search_grid, step_function, sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Search = Literal["qsf", "sls"]


def fuse(beta: float, relevance: FloatArray, redundancy: FloatArray) -> FloatArray:
    """w_j = β·CA_j − (1 − β)·AA_j (Eq. 15)."""
    return beta * relevance - (1 - beta) * redundancy


@dataclass(frozen=True)
class ScoreLines:
    """T_c = β·K_c + M_c of each row of a block (Eq. 16): (rows, 2, classes)."""

    score: Scorer

    def __call__(self, rows: CodedRows) -> FloatArray:
        """K and M of each class, by the values of the row."""
        scores = self.score(rows.codes)
        return scores.reshape(len(scores), 2, -1)


def score_lines(
    relevance: FloatArray, redundancy: FloatArray, evidence: FloatArray, prior: FloatArray, counts: Counts
) -> ScoreLines:
    """The lines of Eq. 16: K weighs log P(a|c) by CA + AA; M weighs it by −AA and adds log P(c)."""
    slopes = counts.per_cell(relevance + redundancy)[:, None] * evidence
    intercepts = counts.per_cell(-redundancy)[:, None] * evidence
    table, start = on_grid(np.hstack([slopes, intercepts]), np.append(np.zeros_like(prior), prior), counts)
    return ScoreLines(scorer(table, start, counts))  # (cells, 2 × classes)


class ATFNB(BaseNB):
    """Naive Bayes weighted by relevance and redundancy, in the ratio that suits the data (Algorithm 2).

    The weight of an attribute is w = β·(its relevance to the class) − (1 − β)·(its redundancy with the others). The
    switching factor β is the one with the highest training accuracy, found exactly.

    Parameters
    ----------
    relevance : str or callable, default="information_gain"
        "information_gain" (or "mutual_information"), "gain_ratio" (or "kullback_leibler"), "pearson",
        "symmetric_uncertainty", "uniform", or a function of the :class:`~atfnb.counts.Counts`.
    redundancy : str or callable, default="pearson"
        "pearson", "mutual_information", "symmetric_uncertainty", "zero", or a function of the counts.
    normalize : {"max", "mean", "sum", "minmax", None}, default="max"
        How both are scaled before they are fused.
    search : {"qsf", "sls"}, default="qsf"
        Exact, or by trying β = 0, step, 2·step, …, 1.
    step : float, default=0.01
        The step of "sls".
    categorical_features, max_bins, missing, alpha, fit_prior, class_prior, class_weight
        As in :class:`~atfnb.NB`.

    Attributes
    ----------
    weights_, relevance_, redundancy_ : (attributes,) arrays
        How much each attribute counts, and what that was made of.
    beta_ : float
        The switching factor: the middle of ``beta_interval_``.
    beta_interval_ : (low, high)
        The widest interval of β with the highest training accuracy.
    beta_intervals_ : (k, 2) array
        All intervals with that accuracy.
    beta_accuracy_ : float
        The training accuracy there.
    table_, class_log_prior_, classes_, encoder_, counts_
        As in :class:`~atfnb.NB`.

    References
    ----------
    Zhou, X., Wu, D., You, Z., Zhang, L., Ye, N. A general framework for adaptive two-index fusion attribute
    weighted naive Bayes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ATFNB().fit(X, y)
    >>> low, high = model.beta_interval_
    >>> print(f"β from {low:.4f} to {high:.4f}, training accuracy {model.beta_accuracy_:.2f}")
    β from 0.4929 to 0.7353, training accuracy 0.96
    >>> model.weights_.round(2)
    array([ 0.02, -0.  ,  0.3 ,  0.32])
    """

    def __init__(
        self,
        *,
        relevance: Any = "information_gain",
        redundancy: Any = "pearson",
        normalize: str | None = "max",
        search: Search = "qsf",
        step: float = 0.01,
        categorical_features: Any = "from_dtype",
        max_bins: MaxBins = "n_classes",
        missing: Missing = "impute",
        alpha: float = 1.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.relevance = relevance
        self.redundancy = redundancy
        self.normalize = normalize
        self.search = search
        self.step = step
        super().__init__(
            categorical_features=categorical_features,
            max_bins=max_bins,
            missing=missing,
            alpha=alpha,
            fit_prior=fit_prior,
            class_prior=class_prior,
            class_weight=class_weight,
        )

    def _needs(self) -> AbstractSet[Need]:
        return find_relevance(self.relevance).needs | find_redundancy(self.redundancy).needs

    def _weigh(self, counts: Counts, rows: TrainingRows) -> FloatArray:
        self.relevance_ = normalized(find_relevance(self.relevance)(counts), self.normalize)
        self.redundancy_ = mean_redundancy(find_redundancy(self.redundancy)(counts), self.normalize)
        found = self._search(counts, rows)
        self.beta_, self.beta_accuracy_ = found.beta, found.accuracy
        self.beta_interval_, self.beta_intervals_ = found.interval, found.intervals
        return fuse(self.beta_, self.relevance_, self.redundancy_)

    def _search(self, counts: Counts, rows: TrainingRows) -> BetaSearch:
        """β by QSF or by SLS."""
        if self.search not in ("qsf", "sls"):
            raise ValueError(f"search must be 'qsf' or 'sls', not {self.search!r}.")
        evidence, total = log_likelihood(counts, self.alpha), float(counts.classes.sum())
        lines = score_lines(self.relevance_, self.redundancy_, evidence, self.class_log_prior_, counts)
        reached = reach(rows.pieces, lines)
        swept = sweep(reached, total) if self.search == "qsf" or not reached.kept else None
        self._keep_curve(reached, swept)
        return swept.found if swept and self.search == "qsf" else search_grid(rows.pieces, lines, total, self.step)

    def _keep_curve(self, reached: Pieces[Reach], swept: Swept | None) -> None:
        """The intervals of the rows, where they are in memory, for the curve; otherwise what the sweep knows of it."""
        for earlier in ("_curve", "_reach", "_thinned"):
            self.__dict__.pop(earlier, None)
        if isinstance(reached, KeptPieces):
            self._reach: KeptPieces[Reach] = reached
        elif swept:
            self._curve, self._thinned = swept.curve, True

    def accuracy_curve(self) -> tuple[FloatArray, FloatArray]:
        """The training accuracy as a function of β: ``accuracy[k]`` between ``edges[k]`` and ``edges[k + 1]``.

        Of rows that were not in memory (:mod:`atfnb.scale`) it is exact where it is highest, and at the 2¹⁶ lines of a
        grid.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> edges, accuracy = ATFNB().fit(*load_iris(return_X_y=True)).accuracy_curve()
        >>> print(f"{len(accuracy)} steps, the highest at {accuracy.max():.2f}")
        21 steps, the highest at 0.96
        """
        check_is_fitted(self)
        if not hasattr(self, "_curve"):
            ends, weight = zip(*((block.ends, block.weight) for block in self._reach), strict=True)
            self._curve = step_function(np.concatenate(ends), np.concatenate(weight))
        return self._curve

    def plot_beta(self, *, ax: Axes | None = None, step: float | None = None) -> Axes:
        """Draw the training accuracy against β: see :func:`atfnb.plot_beta`."""
        return plot_beta(self, ax=ax, step=step)

    def __getstate__(self) -> Any:
        """A saved model keeps the curve, not a number for each training row."""
        if hasattr(self, "_reach"):
            self.accuracy_curve()
        state = dict(super().__getstate__())
        state.pop("_reach", None)
        return state


class CFWBeta(ATFNB):
    """CFW with the switching factor: mutual information twice, fused by β (Section 4.2).

    CFW passes the difference through a sigmoid; here it is linear, as β needs it. Parameters and attributes
    are those of :class:`ATFNB`, without the choice of indexes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> CFWBeta().fit(*load_iris(return_X_y=True)).beta_accuracy_
    0.96
    """

    def __init__(
        self,
        *,
        normalize: str | None = "max",
        search: Search = "qsf",
        step: float = 0.01,
        categorical_features: Any = "from_dtype",
        max_bins: MaxBins = "n_classes",
        missing: Missing = "impute",
        alpha: float = 1.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        class_weight: Any = None,
    ) -> None:
        super().__init__(
            relevance="mutual_information",
            redundancy="mutual_information",
            normalize=normalize,
            search=search,
            step=step,
            categorical_features=categorical_features,
            max_bins=max_bins,
            missing=missing,
            alpha=alpha,
            fit_prior=fit_prior,
            class_prior=class_prior,
            class_weight=class_weight,
        )
