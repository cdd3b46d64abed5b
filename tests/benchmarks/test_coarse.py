"""The measurement of few intervals, on a small drawn table."""

import numpy as np
import pandas as pd

from benchmarks.coarse import models, scores


def test_each_way_to_few_intervals_has_as_many_and_is_scored(monkeypatch):
    monkeypatch.setattr("benchmarks.coarse.DIVISIONS", 1)
    monkeypatch.setattr("benchmarks.coarse.BINS", (3,))
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=200), "b": rng.choice(["x", "y"], 200)})
    y = np.where(X["a"] + rng.normal(size=200) > 0, "yes", "no")
    assert {len(model.fit(X, y).encoder_.attributes[0].cuts) for model in models(X, y, 3).values()} == {2}
    found = scores(X, y)
    assert found["how"].tolist() == ["fine", "max_bins", "ChiMerge", "quantiles"]
    assert found["accuracy"].between(0.5, 1).all()
