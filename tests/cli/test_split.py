"""The verb split: two files, with every row in one of them."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def visits(tmp_path):
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {"id": np.arange(120), "size": random.normal(size=120).round(3), "patient": np.arange(120) // 4}
    )
    table["day"] = pd.date_range("2024-01-01", periods=120).astype(str)
    table["ill"] = np.where(random.random(120) < 0.3, "yes", "no")
    table.sample(frac=1, random_state=0).to_csv(tmp_path / "visits.csv", index=False, sep=";")
    return table


def parts(tmp_path, table):
    train, test = (pd.read_csv(tmp_path / f"visits_{name}.csv", sep=";") for name in ("train", "test"))
    both = pd.concat([train, test]).sort_values("id", ignore_index=True)
    pd.testing.assert_frame_equal(both, table)
    return train, test


def test_a_split_has_the_same_shares_of_classes_and_all_rows_once(run, tmp_path, visits):
    code, _, err = run("split", "visits.csv", "-t", "ill")
    assert (code, "24 rows (20.0 %) written to visits_test.csv." in err) == (0, True)
    train, test = parts(tmp_path, visits)
    assert abs((train["ill"] == "yes").mean() - (test["ill"] == "yes").mean()) < 0.05


def test_no_group_is_in_both_files_and_no_time_is_later_in_training(run, tmp_path, visits):
    assert run("split", "visits.csv", "-t", "ill", "--groups", "patient", "--test", "0.3")[0] == 0
    train, test = parts(tmp_path, visits)
    assert not set(train["patient"]) & set(test["patient"])
    assert 24 <= len(test) <= 48
    assert run("split", "visits.csv", "-t", "ill", "--time", "day", "--test", "10%", "-q")[0] == 0
    train, test = parts(tmp_path, visits)
    assert len(test) == 12
    assert train["day"].max() < test["day"].min()


def test_copies_are_in_one_file_though_a_row_number_differs(run, tmp_path, visits):
    twice = pd.concat([visits, visits], ignore_index=True).assign(id=np.arange(240))
    twice.to_csv(tmp_path / "visits.csv", index=False, sep=";")
    assert run("split", "visits.csv", "-t", "ill")[0] == 0
    train, test = parts(tmp_path, twice)
    assert not set(train["id"] % 120) & set(test["id"] % 120)


def test_what_cannot_be_split_is_refused(run, tmp_path, visits):
    for words, said in {
        ("--test", "7"): "--test '7' is no share of the rows",
        ("--test", "soon"): "--test 'soon' is no share of the rows",
        ("--groups", "patient", "--time", "day"): "give --groups or --time, not both.",
        ("--train-file", "visits.csv"): "the output would replace the input",
        ("--train-file", "a.csv", "--test-file", "a.csv"): "give each a name of its own",
        ("--groups", "patients"): "did you mean 'patient'?",
    }.items():
        code, _, err = run("split", "visits.csv", "-t", "ill", *words)
        assert code != 0
        assert said in err
    assert "standard input cannot be read twice" in run("split", "-", "-t", "ill")[2]
    assert [each.name for each in tmp_path.iterdir()] == ["visits.csv"]
