"""Results in words: names are kept apart, and nothing is claimed that was not shown."""

import numpy as np
import pytest

from atfnb.evaluation import Difference, Measured, Name
from atfnb.evaluation.words import compared, difference_in_words, how_right, joined, missed_in_words, quoted


def test_words_never_call_two_equal_that_were_not_shown_to_differ():
    doubtful = Difference(0.105, -0.02, 0.23, 0.09)
    assert joined(difference_in_words(doubtful, ("guessing",), 0.733)) == (
        "10.5 points higher than guessing (73.3 %), which may be chance (95 % interval −2.0 to 23.0)"
    )
    assert joined(difference_in_words(Difference(-0.1, -0.15, -0.05, 0.01), ("guessing",), 0.9)) == (
        "10.0 points lower than guessing (90.0 %; 95 % interval −15.0 to −5.0)"
    )
    assert "less than 0.1 points" in joined(compared(0.0001, ("x",), "9 %", sure=False, evidence="p = 0.8"))
    assert joined(difference_in_words(Difference(0.0, 0.0, 0.0, 1.0), ("x",), 0.9)) == "the same as x (90.0 %)"
    assert quoted(("a ", "b")) == "a b"


def found_in(confusion):
    """The figures of a classifier with this confusion matrix; guessing has no part in these tests."""
    confusion, classes = np.array(confusion), tuple("abcdefgh"[: len(confusion)])
    recall = np.diag(confusion) / confusion.sum(axis=1)
    over = Difference(0.1, 0.05, 0.15, 0.001)
    accuracy = np.diag(confusion).sum() / confusion.sum()
    return Measured(classes, confusion, np.ones((10, 3)), accuracy, recall.mean(), "a", 0.5, 0.5, over, over)


def test_even_classes_have_their_accuracy_and_uneven_ones_their_recalls():
    assert joined(how_right(found_in([[40, 10], [5, 45]]))).startswith("is right for 85.0 % of the rows, 10.0 points")
    said = how_right(found_in([[90, 5], [4, 1]]))
    assert joined(said).startswith("finds 1 of 5 rows of b and 90 of 95 of a: a balanced accuracy of 57.4 %, ")
    assert [part for part in said if isinstance(part, Name)] == ["b", "a", "a"]


def test_of_many_classes_those_with_the_lowest_recall_are_named():
    confusion = np.diag([90, 4, 3, 2, 1])
    confusion[:, 0] += [0, 0, 1, 2, 3]
    said = joined(how_right(found_in(confusion)))
    assert said.startswith(
        "finds 1 of 4 rows of e, 2 of 4 of d and 3 of 4 of c, the 3 of 5 classes that it finds least:"
    )


@pytest.mark.parametrize(
    ("confusion", "missed"),
    [
        ([[90, 5], [5, 0]], "It misses most rows of 'b'. Try --balance"),
        ([[90, 5], [4, 1]], ""),
        ([[0, 50], [5, 45]], ""),
        (
            [[95, 0, 0, 0, 0], *([[5, 0, 0, 0, 0]] * 4)],
            "It misses most rows of 'b', 'c', 'd' and 1 more. Try --balance",
        ),
    ],
    ids=["missed", "a fifth is found", "even classes", "many"],
)
def test_a_class_is_missed_if_less_than_a_fifth_of_it_is_found_and_classes_are_uneven(confusion, missed):
    said = quoted(missed_in_words(found_in(confusion)))
    assert said.startswith(missed)
    assert bool(said) == bool(missed)
