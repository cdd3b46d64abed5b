"""The groups of values that pairs are made of, in words."""

import numpy as np
import pandas as pd
from numpy.testing import assert_array_equal

from atfnb import FusionNB, load, save
from atfnb.report.pairs import group_labels


def test_a_pair_keeps_the_order_of_categories_and_names_what_lies_between(tmp_path):
    rng = np.random.default_rng(0)
    many = [f"grade {k:02}" for k in range(20)]
    rank, other = rng.integers(0, 20, 1500), rng.integers(0, 20, 1500)
    frame = pd.DataFrame({"a": np.array(many)[rank], "b": np.array(many)[other]})
    model = FusionNB(orders={"a": many, "b": many[::-1]}, pairs=[("a", "b")]).fit(frame, (rank > 9) ^ (other > 9))
    labels = group_labels(model, 0)
    assert any(" to " in label for label in labels)
    assert labels[0].startswith("grade 00")
    assert np.diff(model.model_.grids.groups[:20]).min() >= 0
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.encoder_ == model.encoder_
    assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
