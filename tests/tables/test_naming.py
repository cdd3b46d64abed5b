"""Classes with few rows count as one, or are left out."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from atfnb.tables import RareClasses, Relabelling
from atfnb.tables.target import ClassTotals, Total

ROWS = {"cat": 9, "dog": 5, "newt": 1, "fish": 4}


def test_classes_with_fewer_rows_are_rare():
    assert RareClasses.of(ROWS, 5, "pool", "kind") == RareClasses(("fish", "newt"), "other")
    assert RareClasses.of(ROWS, 5, "drop", "kind") == RareClasses(("fish", "newt"), None)
    assert RareClasses.of(ROWS, 1, "pool", "kind") is None


@pytest.mark.parametrize(
    ("taken", "name"),
    [("cat", "other"), ("other", "rare")],
)
def test_the_pool_has_a_name_that_no_kept_class_has(taken, name):
    assert RareClasses.of({taken: 9, "a": 1, "b": 2}, 5, "pool", "kind").into == name
    assert RareClasses.of({"cat": 9, "other": 1, "b": 2}, 5, "pool", "kind").into == "other"


def test_too_few_classes_are_refused():
    with pytest.raises(
        ValueError, match="no class of the target 'kind' has 50 rows or more: use a lower min_class_rows"
    ):
        RareClasses.of(ROWS, 50, "pool", "kind")
    with pytest.raises(ValueError, match="only class 'cat' of the target 'kind' has 9 rows or more"):
        RareClasses.of(ROWS, 9, "drop", "kind")
    assert RareClasses.of(ROWS, 9, "pool", "kind").names == ("dog", "fish", "newt")


@pytest.mark.parametrize("classes", [np.array([1, 2, 10]), np.array([1.0, 2.0, 10.0])])
def test_numbers_become_text_if_they_are_pooled_and_stay_if_not(classes):
    y = np.array([0, 1, 2, 0], dtype=np.int32)
    pooled, codes, kept = Relabelling(rare=RareClasses((2,), "other"))(classes, y)
    assert pooled[codes].tolist() == ["1", "other", "10", "1"]
    assert kept.all()
    same, codes, kept = Relabelling(rare=RareClasses((2,), None))(classes, y)
    assert_array_equal(same[codes[kept]], [1, 10, 1])
    assert same.dtype == classes.dtype


def test_totals_follow_the_classes():
    totals = ClassTotals({c: Total(rows, Fraction(rows), 1.0, 1.0) for c, rows in ROWS.items()})
    pooled = Relabelling(rare=RareClasses(("fish", "newt"), "other")).of_totals(totals)
    assert {c: total.rows for c, total in pooled.items()} == {"cat": 9, "dog": 5, "other": 5}
    assert set(Relabelling(rare=RareClasses(("fish", "newt"), None)).of_totals(totals)) == {"cat", "dog"}


def test_the_record_gives_it_back_and_words_name_the_classes():
    for found in (RareClasses(("fish", "newt"), "other"), RareClasses((1,), None)):
        assert RareClasses.recorded({"rare_classes": found.record}) == found
    assert RareClasses.recorded({}) is None
    left_out = RareClasses(("fish", "newt"), None).in_words(ROWS, 5)
    assert left_out == "2 classes with fewer than 5 rows left out (5 rows): 'fish' (4), 'newt' (1)."
    many = RareClasses(tuple(range(9)), "other").in_words(dict.fromkeys(range(9), 1), 2)
    assert many.endswith("'4' (1) and 4 more.")
