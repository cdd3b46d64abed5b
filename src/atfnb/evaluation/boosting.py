"""Whether three or more columns act together, which boosted trees hold and no additive model does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from atfnb._typing import FloatArray
from atfnb.classifiers import BaseNB
from atfnb.encoding import TableEncoder
from atfnb.evaluation.cross_validation import Evaluation, take
from atfnb.evaluation.metrics import losses_of, over_classes
from atfnb.fusion import is_reliable
from atfnb.tables import read_table

MOST_ROWS, MOST_COLUMNS = 5000, 300
"""The largest number of rows to learn from and to be scored on, and of columns, for which a fit of trees is quick."""
MOST_CATEGORIES = 255
"""The largest number of categories that the trees keep apart; all others count as the last one."""
FAR = 0.1
"""Trees are far ahead if they take this share off a log-loss, by more than chance would."""


def beyond_pairs(found: Evaluation, name: str, model: BaseNB, encoder: TableEncoder, X: Any) -> Iterator[str]:
    """Generate a sentence if boosted trees are far ahead of a model with pairs, and of such trees of two columns each.

    The trees learn from the rows of all folds but one, or a sample of them, and are scored on those of that fold. Of a
    model that does not look for pairs nothing is said: trees may be ahead of it as they hold pairs.

    Parameters
    ----------
    found : Evaluation
    name : str
        The name under which the model took part.
    model : classifier of this library
        Fitted or not.
    encoder : TableEncoder
        What the columns of the table hold.
    X : data frame or two-dimensional array-like of shape (rows, columns)
        The table of the evaluation.
    """
    answers = found.once(name)
    held_out = np.isin(answers.rows, found.splits[name][0].rows)
    truth, weight = answers.truth, np.ones(len(held_out)) if answers.weight is None else answers.weight
    rest, random, weighted = np.flatnonzero(~held_out), np.random.default_rng(0), answers.weight is not None
    share = weight[rest] / weight[rest].sum()  # drawn by their weights, as trees of weighted rows are slow to fit
    train = random.choice(rest, min(len(rest), MOST_ROWS), replace=weighted, p=share)
    test = random.permutation(np.flatnonzero(held_out))[:MOST_ROWS]
    looks_for_pairs = isinstance(getattr(model, "pairs", None), str)  # "auto"
    if not looks_for_pairs or len(encoder.attributes) > MOST_COLUMNS or len(np.unique(truth[train])) < 2:
        return
    learned, scored = (_as_numbers(encoder, take(X, answers.rows[part])) for part in (train, test))

    def losses_of_trees(**options: Any) -> FloatArray:
        """Return the log-loss of each row that is scored: (test,)."""
        from sklearn.ensemble import HistGradientBoostingClassifier  # which nothing else needs

        categorical = [not each.is_numeric for each in encoder.attributes]
        options |= {"learning_rate": 0.3, "max_iter": 30, "early_stopping": False, "random_state": 0}
        trees = HistGradientBoostingClassifier(categorical_features=categorical, **options)
        trees.fit(learned, truth[train])
        p = over_classes(trees.predict_proba(scored), trees.classes_, np.arange(len(found.classes)))
        return losses_of(p, truth[test])

    def far_ahead(ours: FloatArray, theirs: FloatArray) -> bool:
        """Return whether a log-loss is lower than another by a share that matters, and not by chance."""
        lower = theirs - ours
        return bool(weight[test] @ (lower - FAR * theirs) > 0) and is_reliable(lower, weight[test])

    theirs, ours = losses_of(answers.probability[test], truth[test]), losses_of_trees()
    if far_ahead(ours, theirs) and far_ahead(ours, of_pairs := losses_of_trees(interaction_cst="pairwise")):
        boosted, fitted, confined = (np.average(each, weights=weight[test]) for each in (ours, theirs, of_pairs))
        yield (
            f"HistGradientBoosting, a quick fit of boosted trees, has log-loss {boosted:.2f} where {name} has "
            f"{fitted:.2f} on the same held-out rows, and such trees of two columns {confined:.2f}: three or more "
            "columns act together, which no additive model holds. Consider boosted trees, or make one column of them."
        )


def _as_numbers(encoder: TableEncoder, X: Any) -> FloatArray:
    """Return numbers as they are, NaN if missing, and the codes of categories: (rows, attributes)."""
    table = encoder.aligned(read_table(X))
    return np.column_stack(
        [
            np.where(column.missing, np.nan, column.values).astype(np.float64)
            if attribute.is_numeric
            else np.minimum(attribute.encode(column), MOST_CATEGORIES - 1)
            for attribute, column in zip(encoder.attributes, table.columns, strict=True)
        ]
    )
