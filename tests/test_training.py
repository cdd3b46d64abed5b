"""The one door for training rows: the same rows from any source, read and encoded once."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from atfnb import ATFNB, NB, FusionNB
from atfnb.encoding import TableEncoder
from atfnb.evaluation import measure_fit, score_on
from atfnb.scale import files_in_parts
from atfnb.tables import Policy, RareClasses, read_training_table
from atfnb.training import TableInMemory, training_rows

ROWS = 120


def frame():
    rng = np.random.default_rng(0)
    kind = np.array(["ash", "birch"])[rng.integers(0, 2, ROWS)]
    kind[:2] = "cedar"
    size = (rng.normal(size=ROWS) + (kind == "ash")).round(1)
    return pd.DataFrame({"id": range(ROWS), "size": size, "colour": rng.choice(["r", "g"], ROWS), "kind": kind})


@pytest.fixture
def encoded(monkeypatch):
    """How many times all rows of the table are encoded by each encoder; folds of them do not count."""
    calls, encode = Counter(), TableEncoder.encode_table

    def counting(self, table):
        if table.n_rows == ROWS:
            calls[id(self)] += 1
        return encode(self, table)

    monkeypatch.setattr(TableEncoder, "encode_table", counting)
    return calls


@pytest.mark.parametrize(("model", "encoders"), [(NB(), 1), (ATFNB(), 1), (FusionNB(), 2)])
def test_a_fit_encodes_the_table_once_with_each_encoder_and_measuring_it_not_again(encoded, model, encoders):
    rows = training_rows(TableInMemory(frame()[["size", "colour"]], frame()["kind"]), model.row_options)
    measure_fit(model.learn(rows), rows)
    assert list(encoded.values()) == [1] * encoders


def test_scores_encode_the_table_once(encoded):
    X, y = frame()[["size", "colour"]], frame()["kind"]
    model = NB().fit(X, y)
    encoded.clear()
    score_on(model, X, y)
    assert list(encoded.values()) == [1]


def test_a_file_in_memory_and_in_parts_give_the_same_record_and_model(tmp_path):
    frame().to_csv(tmp_path / "trees.csv", index=False)
    policy, model = Policy(leave_out=True, min_class_rows=5), NB()
    read = read_training_table(tmp_path / "trees.csv", "kind", policy=policy)
    asked = {"ignore": (), "weight": None, "dialect": None, "as_text": (), "policy": policy}
    with files_in_parts(tmp_path / "trees.csv", "kind", **asked) as (table, _):
        rows = training_rows(table, model.row_options)
    assert rows.record.rare == read.record.rare == RareClasses(("cedar",), "other")
    assert rows.record.entries == replace(read.record, source=None).entries
    whole, parts = NB().learn(training_rows(read, model.row_options)), NB().learn(rows)
    assert_array_equal(parts.table_, whole.table_)
    assert parts.training_["target"] == "kind"
