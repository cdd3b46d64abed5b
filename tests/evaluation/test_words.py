"""Results in words: names are kept apart, and nothing is claimed that was not shown."""

from functools import partial

import numpy as np
import pytest

from atfnb._errors import percent
from atfnb.evaluation import Difference, Measured, Name
from atfnb.evaluation.words import (
    acting_together,
    compared,
    difference_in_words,
    doubtful_probabilities,
    how_many_found,
    how_right,
    joined,
    quoted,
)


def test_words_never_call_two_equal_that_were_not_shown_to_differ():
    doubtful = Difference(0.105, -0.02, 0.23, 0.09)
    assert joined(difference_in_words(doubtful, ("guessing",), 0.733)) == (
        "10.5 points higher than guessing (73.3 %), which may be chance (95 % interval −2.0 to 23.0)"
    )
    assert joined(difference_in_words(Difference(-0.1, -0.15, -0.05, 0.01), ("guessing",), 0.9)) == (
        "10.0 points (95 % interval −15.0 to −5.0) lower than guessing (90.0 %)"
    )
    assert "less than 0.1 points" in joined(compared(0.0001, ("x",), "9 %", sure=False, evidence="p = 0.8"))
    assert joined(difference_in_words(Difference(0.0, 0.0, 0.0, 1.0), ("x",), 0.9)) == "the same as x (90.0 %)"
    assert quoted(("a ", "b")) == "a b"


def found_in(confusion, log_loss=0.3):
    """The figures of a classifier with this confusion matrix; guessing has no part in most of these tests."""
    confusion, classes = np.array(confusion), tuple("abcdefgh"[: len(confusion)])
    recall = np.diag(confusion) / confusion.sum(axis=1)
    over = Difference(0.1, 0.05, 0.15, 0.001)
    accuracy = np.diag(confusion).sum() / confusion.sum()
    return Measured(classes, confusion, np.ones((10, 3)), accuracy, recall, log_loss, "a", 0.5, 0.5, 0.7, over, over)


def test_even_classes_have_their_accuracy_and_uneven_ones_their_recalls():
    assert joined(how_right(found_in([[40, 10], [5, 45]]))).startswith("is right for 85.0 % of the rows, 10.0 points")
    assert how_many_found(found_in([[40, 10], [5, 45]])) == ()
    found = found_in([[90, 5], [4, 1]])
    assert joined(how_right(found)) == (
        "has a balanced accuracy of 57.4 %, 10.0 points (95 % interval 5.0 to 15.0) higher than "
        "always guessing a (50.0 %), and an accuracy of 91.0 % (guessing: 50.0 %)"
    )
    said = how_many_found(found)
    assert joined(said) == "It finds 20.0 % of b (5 rows) and 94.7 % of a (95 rows)."
    assert [part for part in said if isinstance(part, Name)] == ["b", "a"]


@pytest.mark.parametrize(
    ("of_others", "said"),
    [
        ((0, 1, 2, 3), "It finds 25.0 % of e (4 rows), 50.0 % of d (4 rows) and 75.0 % of c (4 rows), the lowest of 5"),
        ((0, 0, 2, 3), "It finds 25.0 % of e (4 rows), 50.0 % of d (4 rows) and all rows of the other 3 classes."),
        ((0, 0, 0, 3), "It finds 25.0 % of e (4 rows) and all rows of the other 4 classes."),
        ((0, 0, 0, 0), "It finds all rows of 5 classes."),
    ],
)
def test_of_many_classes_those_with_the_lowest_recall_are_named_unless_all_is_found(of_others, said):
    confusion = np.diag([90, *(4 - missed for missed in of_others)])
    confusion[1:, 0] += of_others
    assert joined(how_many_found(found_in(confusion))).startswith(said)


@pytest.mark.parametrize(
    ("confusion", "missed"),
    [
        ([[90, 5], [5, 0]], True),
        ([[90, 5], [4, 1]], False),
        ([[0, 50], [5, 45]], False),
        ([[95, 0, 0, 0, 0], *([[5, 0, 0, 0, 0]] * 4)], True),
    ],
    ids=["missed", "a fifth is found", "even classes", "many"],
)
def test_a_class_is_missed_if_less_than_a_fifth_of_it_is_found_and_classes_are_uneven(confusion, missed):
    assert ("Try --balance" in quoted(how_many_found(found_in(confusion)))) == missed
    assert "Try --balance" not in quoted(how_many_found(found_in(confusion), weighted=True))


def test_probabilities_that_are_no_better_than_the_frequencies_are_said():
    even = [[40, 10], [5, 45]]
    assert doubtful_probabilities(found_in(even)) == ""
    assert "(log-loss 3.549, guessing 0.700)" in doubtful_probabilities(found_in(even, log_loss=3.549))


def test_pairs_whose_figure_prints_as_0_are_counted_and_not_named():
    pairs = [("a", "b"), ("a", "c"), ("b", "c"), ("a", "d"), ("b", "d")]
    few = partial(acting_together, noun="columns", figure="{:.2f}".format, little="an effect below 0.01")
    assert quoted(few(pairs, np.full(5, 0.004))) == "5 pairs of columns learned, each with an effect below 0.01."
    assert quoted(few(pairs[:1], np.array([0.5]))) == "1 pair of columns acts together: 'a' × 'b' (0.50)."
    assert quoted(few(pairs, np.array([0.1, 0.2, 0.3, 0.4, 0.001]))) == (
        "4 pairs of columns act together, above all 'a' × 'd' (0.40), 'b' × 'c' (0.30), 'a' × 'c' (0.20); 1 more with "
        "an effect below 0.01."
    )
    share = partial(acting_together, noun="attributes", figure=percent, little="less than 0.1 % of the total effect")
    assert joined(share(pairs[:3], np.array([0.0001, 0.3, 0.0002]))) == (
        "1 pair of attributes acts together: a × c (30.0 %); 2 more, each with less than 0.1 % of the total effect."
    )
