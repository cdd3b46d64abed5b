"""How sure the effects are: 90 % bands contain what refits on bootstrap samples find, 80 to 100 times in 100."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from atfnb import ATFNB, CFW, NB, FusionNB, WeightedNB, load, save
from atfnb.counts import centred_variance, log_likelihood_variance
from atfnb.fusion.effects import Effects, sum_over_rows
from atfnb.fusion.learning import FLOOR, effect_errors
from helpers.fusion_rows import fine_rows

NINETY = 1.6448536
REFITS = 12


def drawn(n, classes, seed):
    """Two numbers, noise, and two columns of categories; only the first three say something."""
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, n)
    frame = pd.DataFrame(
        {
            "size": 0.8 * y + random.normal(size=n),
            "wait": 0.5 * y + random.gamma(2, size=n),
            "colour": np.array(list("abcde"))[np.minimum(random.poisson(1 + 0.7 * y), 4)],
            "day": np.array(list("uvw"))[random.integers(0, 3, n)],
            "noise": random.normal(size=n),
        }
    )
    return frame, y


def centred(model, X):
    parts = model.contributions(X)[:, : X.shape[1]]
    return parts - parts.mean(axis=2, keepdims=True)


def coverage(model, again, X, y, seed=5):
    """Return the share of rows, attributes, classes and refits whose effect lies in the band of the model."""
    codes = model.encoder_.encode(X).astype(int) + model.model_.offsets[:-1]
    effects, half = centred(model, X), NINETY * model.effect_errors_[codes]
    random, inside = np.random.default_rng(seed), []
    for _ in range(REFITS):
        rows = random.integers(0, len(y), len(y))
        refit = again().fit(X.iloc[rows].reset_index(drop=True), y[rows])
        inside.append((np.abs(centred(refit, X) - effects) <= half + 1e-12).mean())
    return np.mean(inside)


@pytest.mark.parametrize(("n", "classes"), [(300, 2), (1000, 2), (1500, 3)])
def test_bands_of_fusion_cover_refits_of_the_same_shrinkage(n, classes):
    X, y = drawn(n, classes, seed=n)
    model = FusionNB(pairs=0).fit(X, y)
    again = lambda: FusionNB(pairs=0, shrinkage=model.shrinkage_)  # noqa: E731
    assert 0.8 <= coverage(model, again, X, y) <= 1


@pytest.mark.parametrize("kind", [NB, CFW, ATFNB])
@pytest.mark.parametrize("classes", [2, 4])
def test_bands_from_counts_cover_refits_with_the_same_bins_and_weights(kind, classes):
    X, y = drawn(800, classes, seed=classes)
    X = X.assign(**{name: pd.qcut(X[name], 5).astype(str) for name in ("size", "wait", "noise")})  # the same bins
    model = kind().fit(X, y)
    assert 0.8 <= coverage(model, lambda: WeightedNB(weights=model.weights_), X, y) <= 1


@pytest.mark.parametrize("slope", [0.03, 1.0])
def test_errors_are_those_of_the_inverse_of_each_attributes_hessian(slope):
    X, y = drawn(60, 3, seed=2)
    X.loc[:4, "wait"] = np.nan
    _, setting, rows = fine_rows(X, y, np.ones(60))
    setting, counts = setting.shrunk(2.0, slope), setting.counts
    blocks, effects = rows.in_blocks(), Effects.none(setting)
    curved = sum_over_rows(effects, setting, blocks, curvature=True)
    found = effect_errors(curved, setting, len(setting.own))
    chance = np.exp(setting.prior)
    least = FLOOR * curved.weight * chance * (1 - chance) * (setting.share + FLOOR)
    others = 1 - (counts.values + 1) / (counts.values.sum(axis=1, keepdims=True) + 3)
    penalty = np.diag(setting.own[:, 0])
    lines = zip(setting.across.cells, setting.across.before, setting.across.precision[:, 0], strict=True)
    for k, before, precision in [*lines, *((k, k - 1, link) for k, link in enumerate(setting.link[:, 0]))]:
        penalty[[k, before], [k, before]] += precision
        penalty[[k, before], [before, k]] -= precision
    variance = np.zeros_like(found)
    for c in range(3):
        covariance = np.linalg.inv(np.diag((curved.values / others + least)[:, c]) + penalty)
        for start, end in zip(counts.offsets[:-1], counts.offsets[1:], strict=True):
            cells = slice(start, end - 1)
            centring = np.eye(end - 1 - start) - setting.present[cells] * setting.share[cells, 0]
            variance[cells, c] = np.diag(centring @ covariance[cells, cells] @ centring.T)
    assert_allclose(found, np.sqrt(centred_variance(variance)), rtol=1e-6, atol=1e-9)


def test_with_pairs_the_bands_are_those_of_the_values():
    X, y = drawn(500, 2, seed=1)
    model = FusionNB(pairs=2, shrinkage=1.0).fit(X, y)
    assert model.effect_errors_.shape == model.table_.shape
    assert (model.effect_errors_ >= 0).all()
    alone = FusionNB(pairs=0, shrinkage=1.0).fit(X, y)
    assert 0.5 < np.median(model.value_errors_) / np.median(alone.value_errors_) < 2


def test_more_rows_make_narrower_bands():
    few, many = (FusionNB(pairs=0, shrinkage=1.0).fit(*drawn(n, 2, seed=0)).value_errors_ for n in (200, 5000))
    assert np.median(many) < np.median(few) / 2


def test_the_variance_of_a_log_probability_is_that_of_drawn_shares():
    X, y = drawn(400, 2, seed=3)
    counts = NB().fit(X[["colour"]], y).counts_
    random = np.random.default_rng(0)
    shares = random.dirichlet(counts.of_attribute(0)[:, 1] + 1, size=200_000)
    np.testing.assert_allclose(log_likelihood_variance(counts, 1.0)[:-1, 1], np.log(shares).var(axis=0), rtol=0.03)
    draws = random.normal(size=(200_000, 3)) * np.sqrt([1.0, 2.0, 5.0])
    away = draws - draws.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(centred_variance(np.array([[1.0, 2.0, 5.0]]))[0], away.var(axis=0), rtol=0.03)


def test_a_file_keeps_the_errors_and_one_without_them_loads(tmp_path):
    import json

    X, y = drawn(200, 2, seed=2)
    X["nothing"] = None
    with pytest.warns(UserWarning, match="no value in any row"):
        model = FusionNB(pairs=0, shrinkage=1.0).fit(X, y)
    save(model, tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").effect_errors_, model.effect_errors_)
    document = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    del document["checksum"]  # as files of version 0.2.0 are
    for column in document["columns"]:
        del column["errors"]
    (tmp_path / "old.json").write_text(json.dumps(document), encoding="utf-8")
    old = load(tmp_path / "old.json")
    assert old.effect_errors_ is None
    np.testing.assert_array_equal(old.predict_proba(X), model.predict_proba(X))
    document["columns"][0]["errors"] = [[0.1, 0.1]] * len(document["columns"][0]["counts"])
    (tmp_path / "odd.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ValueError, match=r'"errors" of column .* must be'):
        load(tmp_path / "odd.json")
