"""How far predictions are off along the order of the classes."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score

from atfnb import NB
from atfnb.evaluation import cross_validate, measured, ranks_of, score_on
from atfnb.evaluation.metrics import along_order
from helpers.strategies import examples

LEVELS = ["low", "medium", "high"]


def graded(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    rank = rng.integers(0, 3, rows)
    return pd.DataFrame({"x": rank + rng.normal(0, 0.8, rows)}), np.array(LEVELS)[rank]


@given(st.integers(2, 6).flatmap(lambda n: arrays(int, (n, n), elements=st.integers(0, 9))), st.randoms())
@examples(50)
def test_figures_agree_with_scikit_learn_and_with_a_count_row_by_row(confusion, random):
    if not confusion.any():
        return
    rank = np.array(random.sample(range(len(confusion) + 2), len(confusion)))
    found = along_order(confusion, rank)
    truth, predicted = (np.repeat(each.ravel(), confusion.ravel()) for each in np.indices(confusion.shape))
    off = np.abs(rank[truth] - rank[predicted])
    assert found["mean distance in ranks"] == pytest.approx(off.mean())
    assert found["wrong by more than 0 ranks"] == pytest.approx((off > 0).mean())
    if "wrong by more than 1 rank" in found:
        assert found["wrong by more than 1 rank"] == pytest.approx((off > 1).mean())
    if len(np.unique(np.concatenate([truth, predicted]))) > 1:
        labels = np.arange(rank.max() + 1)
        kappa = cohen_kappa_score(rank[truth], rank[predicted], labels=labels, weights="quadratic")
        assert found["quadratic weighted kappa"] == pytest.approx(kappa)
    else:
        assert np.isnan(found["quadratic weighted kappa"])


def test_figures_of_a_table_by_hand():
    found = along_order(np.array([[3, 1, 0], [0, 2, 0], [1, 0, 3]]), np.arange(3))
    assert [round(each, 6) for each in found.values()] == [0.3, 0.666667, 0.2, 0.1]


def test_no_order_gives_no_figures_and_guessing_agrees_no_better_than_chance():
    X, y = graded()
    assert score_on(NB().fit(X, y), X, y).measured.along_order == {}
    guess = score_on(NB().fit(X, y), X, y, LEVELS).measured.guess_along_order
    assert guess["quadratic weighted kappa"] == 0


def test_an_order_is_given_or_brought_by_the_type_of_the_classes():
    X, y = graded()
    typed = pd.Series(pd.Categorical(y, LEVELS, ordered=True))
    found = [score_on(NB().fit(X, y), X, *given).measured.along_order for given in ((y, LEVELS), (typed,))]
    assert found[0] == found[1]
    models = {"NB": NB(), "guess": NB(class_prior=[0.8, 0.1, 0.1])}
    crossed = [
        measured(cross_validate(models, X, one, class_order=order), "NB", "guess")
        for one, order in ((y, LEVELS), (typed, None), (y, LEVELS[::-1]))
    ]
    assert crossed[0].along_order == crossed[1].along_order == pytest.approx(crossed[2].along_order)


def test_ranks_are_those_of_an_order_with_other_classes_too():
    assert ranks_of(["none", *LEVELS], np.array(LEVELS)).tolist() == [1, 2, 3]
    assert ranks_of("sorted", np.array([1, 5, 10])).tolist() == [0, 1, 2]
    assert ranks_of([10, 5, 1], np.array([1, 5, 10])).tolist() == [2, 1, 0]
    with pytest.raises(ValueError, match="class_order lacks the class 'high': give it a place there"):
        ranks_of(LEVELS[:2], np.array(LEVELS))
    for wrong in ("low", ["low", "low", "high", "medium"]):
        with pytest.raises(ValueError, match="class_order must be a list of different classes, not"):
            ranks_of(wrong, np.array(LEVELS))
