"""atfnb drift: what changed since training, in words, as a file and as an exit code."""

import json

import pandas as pd
import pytest

from helpers.cli_tables import pets


@pytest.fixture
def trained(run, folder, trained_on):
    moved = pets(400, seed=2)
    moved["colour"] = ["green"] * 300 + ["black"] * 100
    moved.loc[:10, "kind"] = None
    options = (("nb", "impute"), ("fusion", "value"))
    words = (f"pets.csv -t kind -c {name} --missing {missing} -o {name}.json" for name, missing in options)
    return trained_on({"pets.csv": pets(), "same.csv": pets(400, seed=1), "moved.csv": moved}, *words)


def test_rows_that_did_not_change_are_said_to_be_the_same(run, trained, snapshot):
    code, out, err = run("drift", "nb.json", "same.csv", "--fail-above", "0.25")
    assert code == 0, err
    assert "400 new rows, 80 rows in training" in out
    snapshot(out)


def test_rows_that_changed_are_named_and_end_the_command_if_asked(run, trained):
    code, out, err = run("drift", "fusion.json", "moved.csv")
    assert code == 0
    assert "'colour' has changed most, with a PSI of" in out
    assert "(large: above 0.25)" in out
    assert "75.0 %" in out
    assert "11 rows have no class." in err
    code, out, err = run("drift", "fusion.json", "moved.csv", "--fail-above", "0.25")
    assert code == 1
    assert err.splitlines()[-1] == "atfnb: the PSI is above 0.25 in 'colour'."
    assert run("drift", "fusion.json", "moved.csv", "--fail-above", "100", "-q")[0] == 0


def test_the_figures_are_written_as_json_or_csv(run, trained):
    assert run("drift", "fusion.json", "moved.csv", "-o", "drift.json", "-q") == (0, "", "")
    told = json.loads((trained / "drift.json").read_text(encoding="utf-8"))
    first = told["columns"][0]
    assert (first["column"], first["change"], first["unseen"], first["missing"]) == ("colour", "large", 0.75, 0.0)
    gaps = next(one for one in told["columns"] if one["column"] == "height")
    assert gaps["missing_before"] == pytest.approx(pets()["height"].isna().mean())
    assert gaps["missing"] == pytest.approx(pets(400, seed=2)["height"].isna().mean())
    assert (told["rows_before"], told["rows"], told["labelled_rows"]) == (80, 400, 389)
    fit = json.loads((trained / "fusion.json").read_text(encoding="utf-8"))["training"]["fit"]
    assert told["fit_before"] == fit
    assert set(told["fit_now"]) == set(fit)
    assert run("drift", "nb.json", "moved.csv", "-o", "drift.csv", "-q") == (0, "", "")
    lines = pd.read_csv("drift.csv")
    assert lines["psi"].is_monotonic_decreasing
    assert lines["missing_before"].isna().all()  # imputed: not known
    code, _, err = run("drift", "nb.json", "moved.csv", "-o", "drift.txt")
    assert code == 2
    assert "ends in .json or .csv" in err
    assert run("drift", "nb.json", "moved.csv", "-o", "moved.csv")[0] == 1


def test_rows_without_classes_are_compared_without_scores(run, trained):
    code, out, _ = run("drift", "nb.json", "new.csv")
    assert code == 0
    assert "accuracy" not in out
    pets(30).assign(kind=None).to_csv("later.csv", index=False)
    code, out, err = run("drift", "nb.json", "later.csv")
    assert code == 0
    assert "30 rows have no class." in err
    assert "accuracy" not in out
    code, _, err = run("drift", "nb.json", "new.csv", "-t", "kind")
    assert code == 1
    assert "has no column 'kind'" in err


def test_the_training_rows_and_a_model_without_a_fit_are_said(run, trained):
    _, out, _ = run("drift", "nb.json", "pets.csv", "-q")
    assert "These are the rows that the model was trained on." in out
    assert run("update", "nb.json", "same.csv", "-o", "nb.json", "-q")[0] == 0
    _, out, _ = run("drift", "nb.json", "pets.csv", "-q")
    assert "The model file does not say how good the model was in training" in out


@pytest.mark.parametrize("name", ["nb", "fusion"])
def test_the_fit_is_the_same_in_memory_and_in_parts(run, trained, name):
    (trained / "parts").mkdir()
    for part in range(2):
        pets().iloc[40 * part : 40 * part + 40].to_csv(trained / "parts" / f"{part}.csv", index=False)
    missing = "impute" if name == "nb" else "value"
    words = ("train", "parts/*.csv", "-t", "kind", "-c", name, "--missing", missing, "-o", "parts.json", "-q")
    assert run(*words)[0] == 0
    fits = [
        json.loads((trained / f"{file}.json").read_text(encoding="utf-8"))["training"]["fit"]
        for file in (name, "parts")
    ]
    assert fits[0] == pytest.approx(fits[1], abs=1e-8)


def test_classes_that_changed_or_are_new_are_said(run, trained):
    pets(400, seed=3).query("kind == 'cat'").to_csv("cats.csv", index=False)
    _, out, _ = run("drift", "nb.json", "cats.csv", "-q")
    assert "The classes have changed, with a PSI of" in out
    pets(400, seed=3).replace({"kind": {"cat": "lynx"}}).to_csv("lynxes.csv", index=False)
    _, out, _ = run("drift", "nb.json", "lynxes.csv", "-q")
    assert "rows of classes that the model does not know, which are not in the scores: " in out
    scored = (pets(400, seed=3)["kind"] == "dog").sum()
    assert f"{scored} rows with a class that the model knows" in run("drift", "nb.json", "lynxes.csv")[1]


@pytest.mark.parametrize("weighting", [["--balance"], ["--weight", "times"], ["--balance", "--weight", "times"]])
def test_the_training_rows_of_a_weighted_model_have_not_changed(run, folder, weighting):
    pets(200).assign(times=range(1, 201)).query("kind == 'cat' or times < 60").to_csv("rows.csv", index=False)
    ignored = () if "--weight" in weighting else ("--ignore", "times")
    assert run("train", "rows.csv", "-t", "kind", *weighting, *ignored, "-c", "nb", "-q")[0] == 0
    words = ("drift", "model.json", "rows.csv", "--fail-above", "0.001")
    code, out, err = run(*words)
    assert code == 0, out
    assert ("to count by weight, name the column with --weight" in err) == (len(weighting) == 2)
    code, out, err = run(*words, "--weight", "times")
    if "--balance" in weighting:
        assert (code, "compare rows with rows, without the weight." in err) == (1, True)
    else:
        assert (code, "No column has changed much: the highest PSI is 0.000" in out) == (0, True)


def test_an_attribute_of_the_model_cannot_be_the_weight(run, trained):
    code, _, err = run("drift", "nb.json", "same.csv", "--weight", "weight")
    assert (code, err) == (1, "atfnb: column 'weight' is an attribute of the model, so it cannot be the weight.\n")


def test_a_column_that_the_model_does_not_use_fails_nothing(run, folder):
    pets(200).assign(country="de").to_csv("then.csv", index=False)
    pets(200, seed=1).assign(country="fr").to_csv("now.csv", index=False)
    assert run("train", "then.csv", "-t", "kind", "-c", "nb", "--keep", "country", "-q")[0] == 0
    code, out, err = run("drift", "model.json", "now.csv", "--fail-above", "0.5", "-q", "-o", "drift.json")
    assert code == 0, err
    _, out, _ = run("drift", "model.json", "now.csv", "-q")
    assert "Changed, which is not counted, as the model does not use these columns: 'country'." in out
    used = {each["column"]: each["used"] for each in json.loads((folder / "drift.json").read_text())["columns"]}
    assert used["country"] is False
    assert used["weight"] is True


def test_few_rows_are_said_to_be_too_few(run, trained):
    pets(6, seed=5).to_csv("few.csv", index=False)
    _, out, _ = run("drift", "fusion.json", "few.csv", "-q")
    assert "6 rows are too few to tell whether" in out
    assert "No column is known to have changed: the highest PSI, " in out
    assert run("drift", "fusion.json", "few.csv", "-q", "--fail-above", "0.1")[0] == 0


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_no_number_is_cut_off_at_any_width(run, trained, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, _ = run("drift", "nb.json", "moved.csv")
    assert code == 0
    drawn = [line for line in out.splitlines() if set(line) & set("│┃┏┗└")]
    assert max(map(len, drawn)) <= width
    assert not any("…" in line for line in drawn)


def test_later_rows_are_of_another_time_which_is_no_change(run, tmp_path):
    days = pd.date_range("2024-01-01", periods=400, freq="D")
    table = pd.DataFrame({"day": days, "size": [i % 9 for i in range(400)], "kind": ["a", "b"] * 200})
    table[:200].to_csv(tmp_path / "earlier.csv", index=False)
    table[200:].to_csv(tmp_path / "later.csv", index=False)
    assert run("train", "earlier.csv", "-t", "kind", "-c", "nb", "-q")[0] == 0
    code, out, err = run("drift", "model.json", "later.csv", "--fail-above", "0.25", "-q")
    assert code == 0, err
    assert "'day: date', 'day: month': the new rows are of another time" in out
    assert "No column has changed much: the highest PSI is 0.0" in out
    table[200:].assign(size=5).to_csv(tmp_path / "changed.csv", index=False)
    code, out, err = run("drift", "model.json", "changed.csv", "--fail-above", "0.25", "-q")
    assert code == 1
    assert "'size' has changed most" in out
    assert err.splitlines()[-1] == "atfnb: the PSI is above 0.25 in 'size'."
    assert run("train", "earlier.csv", "-t", "kind", "-c", "nb", "--ignore", "size", "--dates", "number", "-q")[0] == 0
    assert "uses no columns besides dates" in run("drift", "model.json", "later.csv", "-q")[1]
