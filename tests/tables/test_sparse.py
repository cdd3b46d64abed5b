"""Sparse matrices of SciPy: read as the array they stand for, unless that would be large."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from atfnb import NB, ChiMerge, FusionNB
from atfnb.classifiers import ROSTER
from atfnb.evaluation import cross_validate
from atfnb.tables import frames

RNG = np.random.default_rng(0)
Y = np.arange(60) % 2
DENSE = np.where(RNG.random((60, 4)) < 0.7, 0.0, RNG.normal(size=(60, 4)) + Y[:, None])


@pytest.mark.parametrize("classifier", ROSTER)
def test_a_sparse_matrix_gives_the_model_of_its_array(classifier):
    model = classifier().fit(sparse.csr_array(DENSE), Y)
    expected = classifier().fit(DENSE, Y)
    np.testing.assert_array_equal(model.table_, expected.table_)
    np.testing.assert_array_equal(model.predict_proba(sparse.csc_matrix(DENSE)), expected.predict_proba(DENSE))


@pytest.mark.parametrize("layout", ["coo", "csr", "csc", "lil", "dok", "bsr", "dia"])
def test_every_layout_is_read(layout):
    rows, model = sparse.csr_matrix(DENSE).asformat(layout), NB().fit(DENSE, Y)
    np.testing.assert_array_equal(NB().fit(rows, Y).predict_proba(rows), model.predict_proba(DENSE))
    np.testing.assert_array_equal(ChiMerge().fit(rows, Y).transform(rows), ChiMerge().fit(DENSE, Y).transform(DENSE))
    assert model.explain(rows).equals(model.explain(DENSE))
    assert repr(cross_validate({"NB": NB()}, rows, Y)) == repr(cross_validate({"NB": NB()}, DENSE, Y))


def test_counts_of_words_are_learned_from():
    texts = ["red apple", "green apple", "red bus", "green bus"] * 10
    model = make_pipeline(CountVectorizer(), FusionNB()).fit(texts, ["fruit", "fruit", "vehicle", "vehicle"] * 10)
    assert model.predict(["an apple", "the bus"]).tolist() == ["fruit", "vehicle"]
    said = model[-1].explain(model[0].transform(["apple"])).drop_duplicates("attribute")
    assert dict(zip(model[0].get_feature_names_out(), said["value"], strict=True)) == {
        "apple": "= 1",
        "bus": "= 0",
        "green": "= 0",
        "red": "= 0",
    }


def test_a_large_sparse_matrix_is_refused_with_its_size(monkeypatch):
    huge = sparse.csr_array((2_000_000, 100_000))
    for estimator in (NB(), ChiMerge()):
        with pytest.raises(ValueError, match=r"2,000,000 × 100,000 takes 1,600\.0 GB with its zeros.*at most 1 GB"):
            estimator.fit(huge, np.arange(2_000_000) % 2)
    model = NB().fit(DENSE, Y)
    monkeypatch.setattr(frames, "MAX_DENSE_BYTES", DENSE.nbytes)
    assert model.predict(sparse.csr_array(DENSE)).shape == (60,)
    monkeypatch.setattr(frames, "MAX_DENSE_BYTES", DENSE.nbytes - 1)
    with pytest.raises(ValueError, match=r"60 × 4 takes 0\.0 GB"):
        model.predict(sparse.csr_array(DENSE))
