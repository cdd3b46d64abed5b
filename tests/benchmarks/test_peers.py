import pandas as pd
import pytest

from benchmarks import peers

FIGURES = (0.9, 0.3, 0.2, 0.5, "package 1.0")


@pytest.fixture
def fits(monkeypatch):
    """The fits that were run, of which each gives the same figures."""
    seen = []

    def measure(name, classifier, split, data):
        seen.append((name, classifier, split))
        return name, classifier, split, *FIGURES

    monkeypatch.setattr(peers, "measure", measure)
    return seen


def test_a_fit_is_that_of_the_study():
    *key, accuracy, log_loss, brier, seconds, version = peers.measure("iris", "LogisticRegression", 0, None)
    assert key == ["iris", "LogisticRegression", 0]
    assert (accuracy, log_loss, brier) == (0.9, pytest.approx(0.254, abs=0.01), pytest.approx(0.142, abs=0.01))
    assert seconds > 0
    assert version.startswith("scikit-learn ")
    assert peers.measure("iris", "FusionNB", 0, None)[-1].startswith("atfnb ")


def test_what_the_file_holds_is_not_run_again_unless_asked(fits, tmp_path, capsys):
    options = ["--out", str(tmp_path / "peers.csv"), "--set", "wine", "--set", "iris", "--set", "fertility"]
    peers.main([*options, "--only", "FusionNB"])
    assert len(fits) == 9
    peers.main([*options, "--only", "FusionNB", "--only", "XGBoost"])
    assert [one[1] for one in fits[9:]] == ["XGBoost"] * 9
    whole = pd.read_csv(tmp_path / "peers.csv")
    assert list(whole.columns) == peers.HEADER
    assert whole.equals(whole.sort_values(peers.KEY, ignore_index=True))
    peers.main([*options, "--table"])
    assert len(fits) == 18
    peers.main([*options, "--only", "FusionNB", "--again", "--set", "iris"])
    assert len(fits) == 27
    assert pd.read_csv(tmp_path / "peers.csv").equals(whole)
    assert "| XGBoost | 3 | 0.9000 (0.9000) |" in capsys.readouterr().out


def test_short_fits_come_first_and_long_searches_of_catboost_are_left_out(fits):
    names = ["CatBoost", "CatBoost tuned", "XGBoost"]
    known = [("wine", "CatBoost", split, 0.9, 0.3, 0.2, seconds, "") for split, seconds in enumerate((9.0, 11.0, 9.0))]
    *_, last = peers.run(pd.DataFrame(known, columns=peers.HEADER), names, ["wine", "iris"], None)
    assert fits[:3] == [("iris", "XGBoost", split) for split in range(3)]
    assert [one for one in fits if one[1] == "CatBoost tuned"] == [
        *(("iris", "CatBoost tuned", split) for split in range(3)),
        *(("wine", "CatBoost tuned", split) for split in (0, 2)),
    ]
    assert len(last) == len(known) + len(fits)


def test_a_classifier_is_compared_where_it_has_every_split_and_a_twin_counts_twice():
    sets = {"iris": (0.95, 0.90), "wine": (0.95, 0.95), "pima": (0.70, 0.80), "magic": (0.85, 0.80)}
    lines = [
        (name, classifier, split, accuracy, 1 - accuracy, 0.2, 2.0, "")
        for name, both in sets.items()
        for classifier, accuracy in zip(("FusionNB", "EBM"), both, strict=True)
        for split in range(2 if (name, classifier) == ("magic", "EBM") else 3)
    ]
    table = peers.compare(pd.DataFrame(lines, columns=peers.HEADER))
    rows = {row[0]: dict(zip(table.header, row, strict=True)) for row in table.rows}
    assert rows["FusionNB"]["sets"] == 5  # with diabetes, the same data as pima
    ebm = rows["EBM"]
    assert ebm["sets"] == 4
    assert ebm["accuracy"] == "0.8625 (0.8250)"
    assert ebm["vs accuracy"].startswith("1/1/2, p = ")
    assert ebm["vs smallest third"].startswith("1/1/0, ")  # iris and wine
    assert ebm["vs largest third"].startswith("0/0/1, ")
    assert ebm["vs log-loss"].startswith("1/1/2, ")
    assert ebm["fit, s"] == "8.0 (8.0)"
    few = peers.compare(pd.DataFrame([line for line in lines if line[0] == "wine"], columns=peers.HEADER))
    assert few.rows[0][few.header.index("vs largest third")] == ""
