"""Which attributes count, which are redundant and what is missing, in the words of the page."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from atfnb import ATFNB, NB, FusionNB
from atfnb.evaluation import joined
from atfnb.report.pairs import in_words
from atfnb.report.sentences import (
    one_line,
    packed,
    what_counts,
    what_is_missing,
    what_was_redundant,
)


def test_text_of_strangers_is_one_line_and_can_be_written():
    assert one_line("a\u2028b\x00\ud800c") == "a b c"
    assert len(one_line("x" * 10_000)) == 200
    assert one_line("x" * 200) == "x" * 200
    assert one_line("y" * 201).endswith("y…")
    one_line("\ud800" * 50).encode()


def test_what_counts_is_said_by_shares(facts_for):
    iris = load_iris(as_frame=True)
    X, y = iris.data, iris.target
    said = joined(facts_for(NB(), X, y).sentences[1])
    assert said == (
        "petal width (cm) counts most: 31.0 % of the total effect, then petal length (cm) (30.9 %) and sepal length "
        "(cm) (22.5 %); together they have 84.4 %."
    )
    alone = facts_for(ATFNB(), X[["petal width (cm)"]], y)
    assert joined(alone.sentences[1]).startswith("There is one attribute only, petal")
    assert joined(what_counts(["a", "b"], np.zeros(2))) == "None of the attributes predicts anything."


def test_what_was_redundant_names_pairs_and_those_below_zero(facts_for):
    X, y = load_iris(return_X_y=True)
    facts = facts_for(ATFNB(), np.column_stack([X, np.ones(150)]), y)
    said = joined(facts.how_sentence)
    assert said.startswith("x2 and x3 are similar (similarity 0.96 of 1), so one of them is partly redundant")
    assert joined(facts.data_sentence) == "No value is missing. x4 has one value only and predicts nothing."


def redundant(weights, redundancy, similarity=None):
    """Return the sentence on a model with these weights and redundancies, and one similarity of all attributes."""
    counts = SimpleNamespace(moments=similarity)
    model = SimpleNamespace(weights_=np.array(weights), redundancy_=np.array(redundancy), counts_=counts)
    return joined(what_was_redundant(model, [f"x{j}" for j in range(len(weights))]))


def test_redundancy_is_told_by_similarities_where_they_are_known(monkeypatch):
    pearson = lambda counts: np.full((2, 2), counts.moments)  # noqa: E731
    monkeypatch.setattr("atfnb.report.sentences.find_redundancy", lambda name: pearson)
    assert redundant([1.0, 1.0], [0.0, 0.0]) == "No attribute repeats what the others say."
    assert "x1 mostly repeats what the others say (redundancy 0.4)" in redundant([1.0, 1.0], [0.0, 0.4])
    apart = "No two attributes are similar: the most similar, x0 and x1, have a similarity of 0.10"
    assert apart in redundant([1.0, 1.0], [0.0, 0.0], 0.1)
    below = "2 attributes have a weight below zero, so their evidence is reversed, the lowest x0"
    assert below in redundant([-0.2, -0.1], [0.0, 0.0], 0.1)
    assert "x0 has a weight below zero" in redundant([-0.1, 1.0], [0.0, 0.0], 0.1)
    assert redundant([1.0], [0.0]) == "With one attribute nothing can be redundant."


@pytest.mark.parametrize("kind", [np.int8, np.int16])
def test_packed_effects_are_off_by_half_a_step_at_most(kind):
    effects = np.random.default_rng(0).normal(size=(40, 7))
    found = packed(effects, kind)
    shown = np.frombuffer(found["numbers"], kind).reshape(effects.shape) * found["scale"]
    assert np.abs(shown - effects).max() <= found["scale"] / 2 * (1 + 1e-9)
    assert not any(packed(np.zeros((2, 2)), kind)["numbers"])


def test_of_many_gaps_the_largest_are_named():
    many = [{"name": f"a{k}", "missing": k, "constant": False} for k in range(8)]
    assert joined(what_is_missing(many, 100)) == (
        "7 of 8 attributes have missing values: a7 (7.0 %), a6 (6.0 %), a5 (5.0 %), a4 (4.0 %), a3 (3.0 %) and 2 more."
    )


def test_pairs_are_part_of_the_total_effect(facts_for):
    truth_table = [[a, b] for a in "xy" for b in "xy"] * 25
    only_together = facts_for(FusionNB(), truth_table, [a == b for a, b in truth_table])
    assert joined(only_together.sentences[1]) == "None of the attributes predicts anything alone."
    assert joined(only_together.sentences[2]) == ("1 pair of attributes acts together: x0 × x1 (100.0 %).")
    X = np.array(["x", "y"])[np.random.default_rng(0).integers(0, 2, (400, 2))]
    model = FusionNB()
    said = joined(facts_for(model, X, (X[:, 0] == X[:, 1]).astype(int)).sentences[1])
    share = model.weights_.sum() / (model.weights_.sum() + model.pair_weights_.sum())
    assert share < 0.5
    assert said.endswith(f"; together they have {100 * share:.1f} %.")


def test_a_pair_names_no_two_values_that_no_row_has():
    effects = np.array([[[0.5, -0.2, -0.3], [0.1, 0.0, -0.1]]])
    heads = [[("a",)], [("b",), ("c",)]]
    said = joined(in_words(heads, np.array([[0.0, 40.0]]), effects, ["x", "y", "z"], 2))
    assert said == "a with c counts for less than the two alone (the likelihood of z × 0.905, 40 rows)."
