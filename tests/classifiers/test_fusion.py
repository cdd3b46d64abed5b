"""FusionNB as a user meets it."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score

from atfnb import NB, FusionNB, WeightedNB
from atfnb.encoding import NumericAttribute

IRIS = load_iris(return_X_y=True)
WINE = load_wine(return_X_y=True)


def steps(rows=600, seed=0):
    """Two classes told apart by a number in the middle of its range, which no single cut can do; and noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (rows, 3))
    return X, (np.abs(X[:, 0]) + 0.1 * rng.normal(size=rows) < 0.5).astype(int)


def test_it_is_better_calibrated_and_more_accurate_than_naive_bayes():
    for X, y in (IRIS, steps()):
        ours, theirs = (cross_val_predict(m, X, y, cv=5, method="predict_proba") for m in (FusionNB(), NB()))
        assert log_loss(y, ours) < log_loss(y, theirs)
    assert np.mean(ours.argmax(axis=1) == y) > np.mean(theirs.argmax(axis=1) == y) + 0.05


def test_effects_follow_a_number_up_and_down():
    X, y = steps()
    model = FusionNB().fit(X, y)
    names = [a.name for a in model.encoder_.attributes]
    assert names[int(np.argmax(model.weights_))] == "x0"
    curve = model.value_effects_[: model.counts_.n_values[0], 1]
    middle = len(curve) // 2
    assert curve[middle] > curve[0] + 1
    assert curve[middle] > curve[-1] + 1


def test_fused_weights_are_the_matrix_times_the_coefficients():
    model = FusionNB(refine=None, redundancy=["pearson", "mutual_information"]).fit(*IRIS)
    assert model.indexes_[0] == "uniform"
    assert model.indexes_[-1] == "less mutual_information (redundancy)"
    assert_allclose(model.index_matrix_ @ model.theta_, model.weights_)
    assert_array_equal(model.index_matrix_[:, 0], 1)
    assert (model.index_matrix_[:, -2:] <= 0).all()
    assert_array_equal(WeightedNB(weights=model.weights_).fit(*IRIS).predict(IRIS[0]), model.predict(IRIS[0]))


def test_any_index_can_take_part():
    def by_place(counts):
        return np.arange(len(counts.n_values))

    model = FusionNB(relevance=["information_gain", by_place], redundancy="pearson", refine=None).fit(*IRIS)
    assert model.indexes_ == ["uniform", "information_gain", "by_place", "less pearson (redundancy)"]
    with pytest.raises(ValueError, match="relevance 'ig' is not known"):
        FusionNB(relevance=["ig"]).fit(*IRIS)


def test_naive_bayes_sum_enters_where_it_helps():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 300)
    follows = rng.random((300, 30)) < 0.2  # naive Bayes is the truth, and the rows are few
    X = np.where(follows, y[:, None], rng.integers(0, 2, (300, 30)))
    model = FusionNB(categorical_features="all").fit(X, y)
    assert 0.5 < model.gamma_ < 1.5
    assert f"is added {model.gamma_:.2f} times" in model.summary()
    assert FusionNB().fit(*steps()).gamma_ == 0


@pytest.mark.parametrize("refine", [None, "attribute", "value"])
def test_accuracy_is_a_criterion(refine):
    model = FusionNB(criterion="accuracy", refine=refine).fit(*WINE)
    again = FusionNB(criterion="accuracy", refine=refine).fit(*WINE)
    assert_array_equal(model.theta_, again.theta_)
    assert model.score(*WINE) >= 0.95
    assert FusionNB(criterion="accuracy", refine=None, random_state=1).fit(*WINE).n_iter_ > 10


def test_a_summary_tells_what_carried():
    frame = load_wine(as_frame=True)
    model = FusionNB().fit(frame.data, frame.target)
    text = model.summary()
    assert "13 attributes predict 3 classes." in text
    lines = text.splitlines()
    shown = [float(line.split()[0]) for line in lines[-13:]]
    assert shown == sorted(shown, reverse=True)
    assert max(frame.data.columns, key=lambda c: model.weights_[list(frame.data.columns).index(c)]) in lines[-13]


def test_gaps_text_and_unseen_values_are_at_home():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    frame = pd.DataFrame({"size": rng.normal(size=200) + y, "colour": np.where(y == 1, "red", "blue")})
    frame.loc[::7, "size"] = np.nan
    frame.loc[::5, "colour"] = None
    for missing in ("impute", "skip", "value"):
        model = FusionNB(missing=missing).fit(frame, y)
        assert model.score(frame, y) > 0.85
        new = pd.DataFrame({"size": [None, 99.0], "colour": ["green", None]}, dtype=object)
        new["size"] = new["size"].astype(float)
        proba = model.predict_proba(new)
        assert np.isfinite(proba).all()
        unknown = model.contributions(pd.DataFrame({"size": [0.0], "colour": ["green"]}))[0, 1]
        assert_array_equal(unknown, 0)


def test_a_missing_value_has_a_value_of_its_own_if_asked():
    y = np.arange(200) % 2
    X = np.where(y == 1, np.nan, np.arange(200.0))[:, None]
    X[1, 0] = 3.0
    model = FusionNB(missing="value").fit(X, y)
    assert model.score(X, y) > 0.98
    (attribute,) = model.encoder_.attributes
    assert attribute.labels[attribute.missing_code] == "missing"


def test_given_priors_move_the_answer():
    X, y = steps()
    even, skewed = (FusionNB(class_prior=p).fit(X, y) for p in ([0.5, 0.5], [0.99, 0.01]))
    assert_allclose(even.table_, skewed.table_, atol=1e-9)
    assert (skewed.predict(X) == 1).mean() < (even.predict(X) == 1).mean()


def test_more_rows_than_enough_choose_on_a_sample(monkeypatch):
    monkeypatch.setattr("atfnb.fusion.refining.ENOUGH", 200)
    X, y = steps(rows=3000)
    model = FusionNB().fit(X, y)
    assert model.score(X, y) > 0.85
    assert model.counts_.classes.sum() == 3000


def test_fine_cuts_include_chimerges():
    coarse, fine = NB().fit(*IRIS), FusionNB(max_cuts=5).fit(*IRIS)
    for few, many in zip(coarse.encoder_.attributes, fine.encoder_.attributes, strict=True):
        assert isinstance(many, NumericAttribute)
        assert set(few.cuts) <= set(many.cuts)
        assert len(many.cuts) <= len(few.cuts) + 5


def test_a_shrinkage_can_be_given():
    weak, strong = (FusionNB(shrinkage=s).fit(*IRIS) for s in (0.1, 1000.0))
    assert weak.shrinkage_ == 0.1
    assert np.abs(strong.value_effects_).max() < np.abs(weak.value_effects_).max()
    assert FusionNB(shrinkage=[0.5, 5.0]).fit(*IRIS).shrinkage_ in (0.5, 5.0)


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"criterion": "luck"}, "criterion must be 'likelihood' or 'accuracy', not 'luck'"),
        ({"refine": "cell"}, "refine must be 'attribute' or 'value' or None, not 'cell'"),
        ({"max_cuts": 0}, "max_cuts must be a whole number from 1 on, not 0"),
        ({"max_iter": 1.5}, "max_iter must be a whole number from 1 on, not 1.5"),
        ({"shrinkage": -1}, "shrinkage must be 'auto', a number above 0, or some of them, not -1"),
        ({"shrinkage": "much"}, "shrinkage must be 'auto'"),
        ({"shrinkage": []}, "shrinkage must be 'auto'"),
        ({"shrinkage": [1, 2], "refine": "attribute"}, "shrinkage must be one number"),
    ],
)
def test_wrong_parameters_are_told(parameters, told):
    with pytest.raises(ValueError, match=told):
        FusionNB(**parameters).fit(*IRIS)


def test_too_many_attributes_for_a_weight_each(monkeypatch):
    monkeypatch.setattr("atfnb.classifiers.fusion.MAX_ATTRIBUTES", 3)
    with pytest.raises(ValueError, match="takes at most 3 attributes, not 4: use refine='value'"):
        FusionNB(refine="attribute").fit(*IRIS)


@pytest.mark.shared
def test_it_beats_naive_bayes_on_a_real_set(shared):
    frame = pd.read_csv(shared / "datasets" / "car.csv", dtype=str)
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    folds = StratifiedKFold(2, shuffle=True, random_state=0)  # the file is sorted
    naive, ours, alone = (cross_val_score(m, X, y, cv=folds).mean() for m in (NB(), FusionNB(), FusionNB(pairs=0)))
    assert alone > naive + 0.03
    assert ours > alone + 0.03
