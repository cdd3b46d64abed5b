"""The cells of rows in words: true of the cell, and never confused with a category of the same name."""

import numpy as np
import pytest

from atfnb.encoding import CategoricalAttribute, NumericAttribute, wording_of
from atfnb.encoding.attributes import without_values
from atfnb.tables import read_table


def words(attribute, cells):
    table = read_table([[cell] for cell in cells])
    codes = attribute.encode(table.columns[0])[:, None].astype(np.uint8)
    found = wording_of([attribute], table, codes)
    return [found.statement(row, 0) for row in range(len(cells))]


def test_categories_missing_and_unseen_values():
    town = CategoricalAttribute("town", 4, 3, categories=("Bonn", "Ulm", "unknown"))
    said = words(town, ["Ulm", None, "Rome", "unknown"])
    assert said == ["town = Ulm", "town missing", "town not seen in training", "town = unknown"]


def test_a_missing_value_that_is_imputed_is_called_missing():
    town = CategoricalAttribute("town", 2, 0, categories=("Bonn", "Ulm"))
    assert words(town, [None, "Bonn"]) == ["town missing", "town = Bonn"]
    assert words(NumericAttribute("size", 2, 1, cuts=np.array([2.5])), [np.nan, 3.0]) == ["size missing", "size ≥ 2.5"]


def test_pooled_categories_and_unseen_ones_share_a_label():
    town = CategoricalAttribute("town", 2, 0, categories=("Bonn",), pooled=12)
    assert words(town, ["Bonn", "Rome"]) == ["town = Bonn", "town = any of 12 rare values"]


def test_a_column_without_values_in_training():
    assert words(without_values("gone"), ["here", None]) == ["gone not seen in training", "gone missing"]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (19000, "d before 2024-03-01"),
        (18000, "d before 2024-03-01"),
        (25000, "d from 2024-03-19 on"),
        (19790.0, "d 2024-03-01 to 2024-03-18"),
        (19782.75, "d 2024-02-29 12:00 to 2024-03-18 12:00"),
    ],
)
def test_days_outside_those_of_training_are_described_by_days(cell, said):
    day = NumericAttribute("d", 3, 0, "date", cuts=np.array([19782.5, 19800.5]), whole=(19000, 20000))
    assert words(day, [cell]) == [said]


def test_names_and_values_can_be_shown_otherwise():
    table = read_table([["Ulm"]])
    found = wording_of(
        [CategoricalAttribute("town", 1, 0, categories=("Ulm",))], table, np.zeros((1, 1), dtype=np.uint8)
    )
    assert found.statement(0, 0, str.upper, "\n") == "TOWN\n= ULM"
