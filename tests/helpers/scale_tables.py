"""Tables in parts, and what must be the same whoever runs the parts."""

from itertools import pairwise

import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.delayed import delayed
from numpy.testing import assert_allclose, assert_array_equal

from atfnb.model_file import to_bytes, to_document


def frame_of(rows, y, weights=None):
    """The rows of ``strategies.mixed_table`` as a data frame with the classes, and with weights if there are any."""
    frame = pd.DataFrame(rows, columns=["size", "gappy", "colour"]).assign(kind=np.array(["no", "yes", "so", "it"])[y])
    return frame if weights is None else frame.assign(w=weights)


def big_frame(rows=6000, seed=0):
    """Numbers, gaps, text and truth values, and three classes of which one is rare and comes last."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(rows) > rows - 200, 2, rng.integers(0, 2, rows))
    frame = pd.DataFrame(
        {
            "size": (rng.normal(size=rows) + y).round(1),
            "count": rng.integers(0, 9, rows) + y,
            "colour": np.array(["red", "green", "blue"])[(rng.integers(0, 2, rows) + y) % 3],
            "flag": rng.random(rows) < 0.3 + 0.2 * y,
            "kind": np.array(["ash", "birch", "cedar"])[y],
        }
    )
    frame.loc[rng.random(rows) < 0.1, "size"] = np.nan
    frame.loc[rows - 5, "colour"] = "violet"  # seen in the last part only
    return frame


def in_parts(frame, sizes):
    """A Dask data frame with partitions of these sizes; what is left makes the last one."""
    cuts = [*np.minimum(np.cumsum([0, *sizes]), len(frame)).tolist(), len(frame)]
    parts = [delayed(frame.iloc[low:high]) for low, high in pairwise(cuts)]
    return dd.from_delayed(parts, meta=frame.iloc[:0], verify_meta=False)


def in_memory(model, frame, target="kind", weight=None):
    """The same fit, on the whole table."""
    features = frame.drop(columns=[target] + ([weight] if weight else []))
    return model.fit(features, frame[target].to_numpy(), None if weight is None else frame[weight].to_numpy())


def assert_same_model(one, other, tolerance=1e-12):
    assert_array_equal(one.classes_, other.classes_)
    assert one.n_rows_ == other.n_rows_
    assert list(one.feature_names_in_) == list(other.feature_names_in_)
    for a, b in zip(one.encoder_.attributes, other.encoder_.attributes, strict=True):
        assert (a.name, a.n_values, a.missing_code) == (b.name, b.n_values, b.missing_code)
        for kept in ("cuts", "categories", "whole", "pooled"):
            assert_array_equal(getattr(a, kept, ()), getattr(b, kept, ()))
    for counted in ("classes", "values", "fingerprint"):
        assert_array_equal(getattr(one.counts_, counted), getattr(other.counts_, counted))
    moments = one.counts_.moments, other.counts_.moments  # sums of products: with fractional weights they may round
    exact = np.array_equal(*moments)
    assert exact or np.allclose(*moments, rtol=1e-12)
    if hasattr(one, "beta_"):
        assert_allclose(one.beta_intervals_, other.beta_intervals_, rtol=0, atol=0 if exact else 1e-9)
        assert one.beta_accuracy_ == other.beta_accuracy_
    assert_allclose(one.weights_, other.weights_, rtol=tolerance, atol=tolerance)
    assert_allclose(one.table_, other.table_, rtol=tolerance, atol=tolerance)


def saved(model):
    """The model to the last bit, as a file has it; when it was trained is left out."""
    document = to_document(model)
    return to_bytes({**document, "training": {**document["training"], "date": ""}})


def fine_frame(rows=40_000):
    """Two numbers with all their decimals, and weights."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, rows)
    columns = {"fine": rng.normal(size=rows) + y, "skewed": rng.lognormal(size=rows) * (1 + y)}
    return pd.DataFrame({**columns, "w": rng.random(rows), "kind": y})
