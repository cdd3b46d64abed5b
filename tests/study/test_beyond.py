"""The tables beyond the paper, from results with known numbers."""

from dataclasses import replace

import numpy as np
import pytest

from atfnb_study import beyond
from atfnb_study.beyond import Duel, duel
from atfnb_study.sets import Flavia
from atfnb_study.study import StudyOptions, StudyResults

SETS = ("wine", "sonar", "diabetes", "chart_Input", "nursery", "pima")
"""wine, sonar and chart_Input stand at odd positions; the data of the last two are at even positions too."""
ROWS = np.array([178, 208, 768, 600, 12960, 768])
ODD = np.array([True, True, False, True, False, False])
NAMES = ("NB", "WNB", "KLNB", "ATFNB", "Fusion-attribute", "FusionNB", "RandomForest")


def results_of(names=NAMES, sets=SETS, seed=0):
    random = np.random.default_rng(seed)
    accuracy, log_loss, brier = random.random((3, len(sets), 2, len(names)))
    if "KLNB" in names:
        for part in (accuracy, log_loss, brier):
            part[:, :, 2] = part[:, :, 1]
    bins = np.zeros((len(names), 10, 3))
    seconds = random.random(accuracy.shape)
    return StudyResults(StudyOptions(sets, names, 2), accuracy, log_loss, brier, bins, seconds)


@pytest.fixture(scope="module")
def results():
    return results_of()


@pytest.fixture(scope="module")
def tables(results):
    return {table.name: table for table in beyond.tables(results)}


def row_of(table, name):
    return dict(zip(table.header, next(row for row in table.rows if row[0] == name), strict=True))


def test_f1_has_every_distinct_classifier_best_first(results, tables):
    table = tables["F1"]
    assert {row[0] for row in table.rows} == {*NAMES, "WNB = KLNB"} - {"WNB", "KLNB"}
    assert [row[1] for row in table.rows] == sorted((row[1] for row in table.rows), reverse=True)
    line, c = row_of(table, "FusionNB"), NAMES.index("FusionNB")
    assert line["accuracy"] == pytest.approx(results.accuracy[:, :, c].mean())
    assert line["log-loss"] == pytest.approx(results.log_loss[:, :, c].mean())
    assert line["Brier score"] == pytest.approx(results.brier[:, :, c].mean())
    assert len(set(table.header)) == len(table.header)


def test_f1_counts_wins_against_nb_with_the_lower_loss_as_the_better(results, tables):
    line, c = row_of(tables["F1"], "FusionNB"), NAMES.index("FusionNB")
    won = (results.mean[:, c] > results.mean[:, 0]).sum()
    assert line["accuracy vs NB"] == f"{won}/0/{6 - won}"
    won = (results.mean_log_loss[:, c] < results.mean_log_loss[:, 0]).sum()
    assert line["log-loss vs NB"] == f"{won}/0/{6 - won}"
    assert row_of(tables["F1"], "NB")["p, accuracy"] == ""


def test_f2_has_a_line_for_each_set(results, tables):
    table = tables["F2"]
    assert table.header[1:6] == ("NB", "ATFNB", "Fusion-attribute", "FusionNB", "RandomForest")
    assert [row[0] for row in table.rows] == list(SETS)
    line = row_of(table, "nursery")
    assert line["FusionNB"] == pytest.approx(results.accuracy[4, :, 5].mean())
    assert line["RandomForest, log-loss"] == pytest.approx(results.log_loss[4, :, 6].mean())


def test_f3_divides_by_rows(results, tables):
    table = tables["F3"]
    assert table.header[1:] == ("under 500 rows (sets: 2)", "500 to 2000 (sets: 3)", "above 2000 (sets: 1)")
    line, mean = row_of(table, "FusionNB"), results.mean[:, 5]
    parts = (ROWS < 500, (ROWS >= 500) & (ROWS <= 2000), ROWS > 2000)
    np.testing.assert_allclose(list(line.values())[1:], [mean[part].mean() for part in parts])


def test_f4_has_both_halves_and_names_what_is_in_both(results, tables):
    table = tables["F4"]
    line = row_of(table, "FusionNB")
    assert line["accuracy, chosen on"] == pytest.approx(results.mean[~ODD, 5].mean())
    assert line["accuracy, others"] == pytest.approx(results.mean[ODD, 5].mean())
    assert line["log-loss, others"] == pytest.approx(results.mean_log_loss[ODD, 5].mean())
    assert "would choose: here 3 sets." in table.note
    assert "on the others, here 3 sets, is" in table.note
    assert "the data of sonar, chart_Input are in the first half too" in table.note


def test_a_half_or_a_size_without_sets_is_blank():
    found = {table.name: table for table in beyond.tables(results_of(sets=("diabetes", "pima", "nursery")))}
    assert row_of(found["F4"], "NB")["accuracy, others"] is None
    assert row_of(found["F3"], "NB")["under 500 rows (sets: 0)"] is None
    assert "first half too" not in found["F4"].note


def test_without_fusion_there_are_no_tables_of_it():
    names = ("NB", "WNB", "ATFNB")
    assert [table.name for table in beyond.tables(results_of(names=names))] == ["All", "Pairs", "F1"]


def test_groups_of_leaves_are_not_in_the_catalogue_and_are_called_groups():
    found = beyond.tables(replace(results_of(sets=("G_1", "G_2", "G_3")), sets=Flavia("features.csv")))
    assert [table.name for table in found] == ["All", "Pairs", "F1", "F2", "F5"]
    assert "Means over the groups" in found[2].note
    assert found[3].header[0] == "group"
    assert "Means over the groups" in found[4].note


def test_f5_agrees_with_a_count_by_hand():
    made = results_of()
    right = {"FusionNB": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], "RandomForest": [0.8, 0.8, 0.6, 0.7, 0.5, 0.3]}
    loss = {"FusionNB": [0.3, 0.3, 0.3, 0.3, 0.3, 0.3], "RandomForest": [0.4, 0.2, 0.4, 0.3, 0.4, 0.4]}
    for name in right:
        for part, values in ((made.accuracy, right), (made.log_loss, loss)):
            part[:, :, NAMES.index(name)] = np.array(values[name])[:, None]
    table = {table.name: table for table in beyond.tables(made)}["F5"]
    assert {row[0] for row in table.rows} == {"Fusion-attribute", "FusionNB", "RandomForest"}
    line = row_of(table, "RandomForest")
    assert line["accuracy vs FusionNB"] == "1/2/3"
    assert line["log-loss vs FusionNB"] == "1/1/4"
    assert line["accuracy"] == pytest.approx(3.7 / 6)
    assert row_of(table, "FusionNB")["accuracy"] == pytest.approx(3.9 / 6)
    assert row_of(table, "FusionNB")["log-loss"] == pytest.approx(0.3)
    assert line["Brier score"] == pytest.approx(made.brier[:, :, 6].mean())
    assert line["fit, s"] == f"{made.seconds[:, :, 6].mean(axis=1).sum():.2f}"
    assert line["p, accuracy"] == f"{duel(np.array(right['RandomForest']), np.array(right['FusionNB'])).p_value:.2g}"
    assert row_of(table, "FusionNB")["p, accuracy"] == ""
    assert len(set(table.header)) == len(table.header)


def test_a_duel_is_wilcoxons():
    from scipy.stats import wilcoxon

    one, other = np.random.default_rng(3).random((2, 20))
    found = duel(one, other)
    assert found == Duel((one > other).sum(), 0, (one < other).sum(), pytest.approx(wilcoxon(one, other).pvalue))
