import pytest

from benchmarks import towns


@pytest.mark.slow
def test_every_classifier_is_measured_on_drawn_tables_and_on_one_of_your_own(tmp_path, capsys):
    towns.main(["--rows", "300", "--tables", "1"])
    page = capsys.readouterr().out
    for name in ("NB", "WNB", "ATFNB", "CFW", "FusionNB"):
        assert page.count(f"| {name} |") == 2
    X, y = towns.town_table(300, relevant=True)
    X.assign(kind=y).to_csv(tmp_path / "own.csv", index=False)
    towns.main(["--csv", str(tmp_path / "own.csv"), "--target", "kind", "--column", "town", "--tables", "1"])
    assert "own.csv: town | FusionNB |" in capsys.readouterr().out
