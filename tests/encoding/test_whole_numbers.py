"""A number that was whole in training is described in whole numbers; the cuts stay where they were."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from atfnb import NB, FusionNB
from atfnb.encoding import NumericAttribute
from helpers.model_files import small_table


def attribute(cuts, whole, missing_value=False):
    n_values = len(cuts) + 1 + missing_value
    return NumericAttribute("x", n_values, n_values - 1, cuts=np.array(cuts), whole=whole)


@pytest.mark.parametrize(
    ("cuts", "whole", "labels"),
    [
        ([2007.5, 2010.5], (2000, 2014), ["≤ 2007", "2008 to 2010", "≥ 2011"]),
        ([2007.5, 2008.5], (2000, 2014), ["≤ 2007", "= 2008", "≥ 2009"]),
        ([0.5], (0, 1), ["= 0", "= 1"]),
        ([0.5, 2.5], (0, 9), ["= 0", "1 to 2", "≥ 3"]),
        ([4.0], (3, 5), ["= 3", "≥ 4"]),
        ([-1.5, 0.5], (-2, 40), ["= -2", "-1 to 0", "≥ 1"]),
        ([1234567.5], (1000000, 2000000), ["≤ 1234567", "≥ 1234568"]),
        ([3.2, 3.7], (1, 9), ["≤ 3", "3.2 to 3.7", "≥ 4"]),  # only the imputed mean is between these cuts
        ([], (3, 5), ["any"]),
        ([2007.5, 2010.5], None, ["< 2007.5", "2007.5 to 2010.5", "≥ 2010.5"]),
    ],
)
def test_labels_show_whole_numbers_where_training_had_nothing_else(cuts, whole, labels):
    assert attribute(cuts, whole).labels == labels
    assert attribute(cuts, whole, missing_value=True).labels == [*labels, "missing"]


def test_every_whole_number_in_range_is_what_its_label_says():
    random = np.random.default_rng(0)
    for _ in range(200):
        low, high = np.sort(random.integers(-9, 9, 2))
        cuts = np.unique(random.uniform(low, high, random.integers(0, 5)).round(random.integers(0, 2)))
        one = attribute(cuts[cuts > low], (int(low), int(high)))
        for value in range(low, high + 1):
            label = one.labels[int((one.cuts <= value).sum())]
            first, *rest = label.split()
            says = {"any": True}.get(label)
            if first in "=≤≥":
                says = {"=": value == int(rest[0]), "≤": value <= int(rest[0]), "≥": value >= int(rest[0])}[first]
            elif says is None:
                says = int(first) <= value <= int(rest[-1])
            assert says, (value, label, one)


@pytest.mark.parametrize("values", [np.arange(12), np.arange(12.0), pd.array(range(12), dtype="Int64")])
@pytest.mark.parametrize("classifier", [NB(), FusionNB()])
def test_whole_numbers_are_known_by_their_values_not_by_their_type(values, classifier):
    model = classifier.fit(pd.DataFrame({"n": values}), np.arange(12) // 4)
    assert model.encoder_.attributes[0].whole == (0, 11)


@pytest.mark.parametrize("odd", [2.5, 1e16, -1e300])
def test_a_fraction_or_a_number_too_large_to_count_in_ones_is_no_whole_number(odd):
    model = NB().fit([[1.0], [2.0], [odd], [4.0]], [0, 0, 1, 1])
    assert model.encoder_.attributes[0].whole is None


def test_missing_values_do_not_matter_though_their_mean_is_a_fraction():
    X, y = small_table()
    for missing in ("impute", "skip", "value"):
        assert NB(missing=missing).fit(X, y).encoder_.attributes[0].whole == (20, 50)


def test_the_cuts_and_the_codes_of_fractions_stay_as_they_were():
    model = NB().fit([[0], [1], [4], [5]], ["a", "a", "b", "b"])
    assert model.encoder_.attributes[0].labels == ["≤ 2", "≥ 3"]
    assert_array_equal(model.encoder_.attributes[0].cuts, [2.5])
    assert_array_equal(model.predict([[2.4], [2.6]]), ["a", "b"])
