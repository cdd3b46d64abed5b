"""The paper's tables as data: all there, of one shape, and as in the source where that is at hand."""

import csv

import numpy as np
import pytest

from atfnb_study.published import TABLES, number_columns, table

SHARED_TABLES = {
    "T2": "table2_uci_datasets",
    "T3": "table3_flavia_groups",
    "T4": "table4_qsf_vs_sls",
    "T5": "table5_uci_accuracy",
    "T6": "table6_uci_ttest",
    "T7": "table7_uci_wilcoxon",
    "T9": "table9_flavia_accuracy",
    "T10": "table10_flavia_ttest",
    "T11": "table11_flavia_wilcoxon",
    "T14": "table14_uci_beta_intervals",
}
LENGTHS = {"T2": 50, "T3": 15, "T4": 4, "T5": 50, "T5-foot": 5, "T9": 15, "T9-foot": 5, "T13": 8, "T14": 50, "T15": 8}


@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_there_with_all_its_rows(name):
    rows = table(name)
    assert len(rows) == LENGTHS.get(name, 4)
    assert len({tuple(row) for row in rows}) == 1


def test_all_tables_name_the_sets_as_the_first_does():
    names = [row["set"] for row in table("T2")]
    assert len(set(names)) == 50
    assert [row["set"] for row in table("T5")] == names
    assert [row["set"] for row in table("T14")] == names
    assert {row["set"] for row in table("T4")} < set(names)
    assert [row["group"] for row in table("T9")] == [row["group"] for row in table("T3")]


def test_cells_are_whole_numbers_numbers_or_text():
    first = table("T5")[0]
    assert first["set"] == "abalone"
    assert first["CFW-β"] == 0.5926
    assert first["ATFNB_beats_WNB"] == 1
    assert isinstance(first["ATFNB_beats_WNB"], int)
    assert table("T6")[1]["ATFNB"] == "48(28)"
    assert table("T8")[0] == {"row": "ATFNB", "ATFNB": "", "WNB": "○", "CFW": "○", "NB": "○"}
    assert table("T15")[4]["division"] == "instances < 500, attributes < 15"


def test_a_row_that_is_changed_changes_nobody_elses():
    table("T2")[0]["instances"] = 0
    assert table("T2")[0]["instances"] == 4177


def test_blank_cells_are_nan():
    ranks = number_columns("T7", ["ATFNB", "WNB", "CFW", "NB"])
    np.testing.assert_array_equal(np.isnan(ranks), np.eye(4, dtype=bool))
    assert np.isnan(number_columns("T5-foot", ["win"])).sum() == 2


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="no table 'T1'; there are T2, T3"):
        table("T1")
    with pytest.raises(ValueError, match="no column 'KNN' of numbers; its columns are set, NB"):
        number_columns("T5", ["KNN"])
    with pytest.raises(ValueError, match="no column 'row' of numbers"):
        number_columns("T7", ["row"])


@pytest.mark.shared
@pytest.mark.parametrize("name", SHARED_TABLES)
def test_figures_are_those_of_the_source(name, shared):
    with (shared / "paper" / "tables" / f"{SHARED_TABLES[name]}.csv").open(encoding="utf-8") as file:
        theirs = sorted(tuple(map(_plain, row.values())) for row in csv.DictReader(file))
    assert sorted(tuple(map(_plain, row.values())) for row in table(name)) == theirs


def _plain(cell):
    try:
        return str(float(cell))
    except ValueError:
        return cell
