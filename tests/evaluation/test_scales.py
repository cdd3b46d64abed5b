"""Which texts suggest an order."""

import numpy as np
import pandas as pd
import pytest

from atfnb import NB
from atfnb.evaluation import order_of, orders_in_words

SUGGESTED = [
    ["XS", "S", "M", "L", "XL", "XXL", "3XL"],
    ["low", "medium", "high"],
    ["vlow", "low", "med", "high", "vhigh"],
    ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"],
    ["very dissatisfied", "neutral", "very satisfied"],
    ["never", "rarely", "sometimes", "often", "always"],
    ["none", "mild", "moderate", "severe"],
    ["poor", "fair", "good", "very good", "excellent"],
    ["F", "D", "C", "B", "A"],
    ["B-", "B", "B+", "A-", "A"],
    ["I", "II", "III", "IV"],
    ["1 - poor", "2 - fair", "10 - superb"],
    ["3) bad", "4) better", "5) best"],
    ["<18", "18-25", "26-64", "65+"],
    ["under 20", "20 to 40", "over 40"],
    ["2", "3", "4", "5more"],
    ["$0-20k", "$20k-50k", ">$50k"],
]


@pytest.mark.parametrize("order", SUGGESTED, ids=lambda order: order[0])
def test_texts_on_a_scale_suggest_its_order(order):
    for shuffled in (order[::-1], [order[k] for k in np.random.default_rng(0).permutation(len(order))]):
        assert order_of(shuffled) == order


@pytest.mark.parametrize(
    "values",
    [
        ["a", "b", "c", "d", "e", "f"],
        ["low", "high"],
        ["low", "medium", "high", "blue"],
        ["medium", "med", "low"],
        ["v", "x", "i"],
        ["s", "m", "f"],
        ["18-30", "25-40", "41-50"],
        ["1", "2", "3"],
        ["red", "green", "blue"],
        ["555-1234", "555-2345", "556-3456"],
        [1, 2, 3],
        ["2020-01-31", "2021-01-31", "2022-01-31"],
        [f"{k} - answer" for k in range(31)],
    ],
    ids=lambda values: str(values[0]),
)
def test_other_values_suggest_none(values):
    assert order_of(values) is None


def test_columns_without_an_order_are_named_with_what_to_give():
    frame = pd.DataFrame(
        {"size": ["S", "L", "M"] * 4, "rank": ["low", "high", "medium"] * 4, "hue": ["a", "b", "c"] * 4}
    )
    y = [0, 1] * 6
    (note,) = orders_in_words(NB().fit(frame, y))
    assert note.startswith("2 columns have values that suggest an order; if it is one, FusionNB smooths along it with ")
    assert note.endswith("orders={'size': ['S', 'M', 'L'], 'rank': ['low', 'medium', 'high']}.")
    ordered = NB(orders={"size": ["S", "M", "L"], "rank": ["low", "medium", "high"]})
    assert not [*orders_in_words(ordered.fit(frame, y))]
