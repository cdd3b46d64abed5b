"""Which attributes matter and which are redundant, in the words of the page."""

from dataclasses import replace

import numpy as np
from sklearn.datasets import load_iris

from atfnb import ATFNB, DFW, NB, FusionNB
from atfnb.evaluation import joined
from atfnb.report.sentences import one_line, what_matters, what_was_redundant


def test_text_of_strangers_is_one_line_and_can_be_written():
    assert one_line("a\u2028b\x00\ud800c") == "a b c"
    assert len(one_line("x" * 10_000)) == 200
    assert one_line("x" * 200) == "x" * 200
    assert one_line("y" * 201).endswith("y…")
    one_line("\ud800" * 50).encode()


def test_what_matters_is_said_for_each_kind_of_weights(facts_for):
    iris = load_iris(as_frame=True)
    X, y = iris.data, iris.target

    def second(model):
        return joined(facts_for(model, X, y).sentences[1])

    assert second(ATFNB()).startswith("petal width (cm) matters most (weight 0.317), then petal length (cm) (0.299)")
    assert second(NB()).startswith(
        "Every attribute has the same weight; by how far it moves the joint log-likelihood, pet"
    )
    assert second(DFW()) == ("petal length (cm) and petal width (cm) matter most: they share the highest weight, 2.")
    assert "(effect 1." in second(FusionNB())
    assert joined(facts_for(ATFNB(), X[["petal width (cm)"]], y).sentences[1]).startswith(
        "There is one attribute only, petal"
    )


def test_what_was_redundant_names_pairs_those_below_zero_and_the_silent(facts_for):
    X, y = load_iris(return_X_y=True)
    facts = facts_for(ATFNB(), np.column_stack([X, np.ones(150)]), y)
    said = joined(facts.sentences[2])
    assert said.startswith("x2 and x3 are similar (similarity 0.96 of 1), so one of them is partly redundant")
    assert "; x4 has one value only and predicts nothing." in said
    lone = [replace(one, similar=None, weight=1.0, redundancy=0.0) for one in facts.attributes[:2]]
    assert joined(what_was_redundant(lone)) == "No attribute repeats what the others say."
    assert "x1 mostly repeats what the others say (redundancy 0.4)" in joined(
        what_was_redundant([lone[0], replace(lone[1], redundancy=0.4)])
    )
    apart = [replace(lone[0], similar=(1, 0.1)), replace(lone[1], similar=(0, 0.1))]
    assert "No two attributes are similar: the most similar, x0 and x1, have a similarity of 0.10" in joined(
        what_was_redundant(apart)
    )
    below = [replace(one, weight=-0.1) for one in apart]
    assert "2 attributes have a weight below zero, so their evidence is reversed, the lowest x0" in joined(
        what_was_redundant(below)
    )
    assert "x0 has a weight below zero" in joined(what_was_redundant([below[0], apart[1]]))
    assert joined(what_was_redundant(lone[:1])) == "With one attribute nothing can be redundant."
    silent = [replace(one, weight=0.0, spread=0.0) for one in lone]
    assert joined(what_matters(silent, "given")) == "None of the attributes predicts anything."


def test_pairs_are_part_of_the_total_effect(facts_for):
    truth_table = [[a, b] for a in "xy" for b in "xy"] * 25
    only_together = facts_for(FusionNB(), truth_table, [a == b for a, b in truth_table])
    assert joined(only_together.sentences[1]) == "None of the attributes predicts anything alone."
    assert joined(only_together.sentences[3]).startswith("One pair of attributes acts together")
    X = np.array(["x", "y"])[np.random.default_rng(0).integers(0, 2, (400, 2))]
    model = FusionNB()
    said = joined(facts_for(model, X, (X[:, 0] == X[:, 1]).astype(int)).sentences[1])
    share = model.weights_.sum() / (model.weights_.sum() + model.pair_weights_.sum())
    assert share < 0.5
    assert said.endswith(f"; together they have {100 * share:.0f} % of the total effect.")
