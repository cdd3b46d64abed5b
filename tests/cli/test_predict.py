"""atfnb predict: classes, probabilities, explanations, and what is said about the rows."""

import re

import numpy as np
import pandas as pd
import pytest

from atfnb import load
from atfnb.encoding import TableEncoder
from atfnb.model import AdditiveModel
from helpers.cli_tables import pets


def test_train_predict_and_back(run, folder):
    code, out, err = run("train", "pets.csv", "--target", "kind", "-o", "model.json")
    assert (code, out) == (0, "")
    assert "FusionNB trained to predict 'kind' (2 classes) from 80 rows and 3 columns." in err
    assert "Largest weights: 'weight'" in err
    model = load("model.json")
    assert model.training_["target"] == "kind"
    assert model.training_["source"] == "pets.csv"
    assert model.training_["rows"] == 80
    code, out, err = run("predict", "model.json", "new.csv", "-o", "out.csv", "--proba", "--explain")
    assert (code, out) == (0, ""), err
    assert "Predicted 30 rows, written to out.csv." in err
    new, told = pd.read_csv("new.csv"), pd.read_csv("out.csv")
    pd.testing.assert_frame_equal(told[new.columns], new)
    assert list(told.columns) == [*new.columns, "predicted", "P(cat)", "P(dog)", "because"]
    np.testing.assert_array_equal(told["predicted"], model.predict(new))
    np.testing.assert_allclose(told[["P(cat)", "P(dog)"]], model.predict_proba(new), rtol=0, atol=5.1e-7)
    assert told["because"].str.match(r"(weight|height|colour) .*\(\+\d+\.\d\d\)").all()


@pytest.mark.parametrize("words", [(), ("--proba",), ("--explain",), ("--proba", "--explain")])
def test_every_row_is_scored_once(run, folder, monkeypatch, words):
    assert run("train", "pets.csv", "-t", "kind", "-c", "nb", "-o", "model.json")[0] == 0
    scored, score = [], AdditiveModel.joint_of_block
    monkeypatch.setattr(AdditiveModel, "joint_of_block", lambda self, codes: scored.append(codes) or score(self, codes))
    assert run("predict", "model.json", "new.csv", "-o", "out.csv", *words)[0] == 0
    assert sum(map(len, scored)) == 30


@pytest.mark.parametrize("columns", [3, 30])
def test_the_values_of_all_columns_are_counted_once_not_for_each_column(run, folder, monkeypatch, columns):
    table = pd.DataFrame({f"x{j}": [0, 1, 2, 3] * 5 for j in range(columns)}).assign(kind=["cat", "dog"] * 10)
    table.to_csv("wide.csv", index=False)
    assert run("train", "wide.csv", "-t", "kind", "-c", "nb", "-o", "model.json")[0] == 0
    counted, count = [], TableEncoder.n_values.fget
    monkeypatch.setattr(TableEncoder, "n_values", property(lambda self: counted.append(1) or count(self)))
    assert run("predict", "model.json", "wide.csv", "-o", "out.csv")[0] == 0
    assert len(counted) < 30


def test_standard_input_and_output(run, folder):
    text = (folder / "pets.csv").read_text()
    assert run("train", "-", "-t", "kind", "-o", "model.json", text=text)[0] == 0
    code, out, err = run("predict", "model.json", "-", text=(folder / "new.csv").read_text())
    assert code == 0, err
    assert out.splitlines()[0] == "weight,height,colour,predicted"
    assert len(out.splitlines()) == 31
    assert "standard input: CSV" in err


def test_a_column_named_as_ours_keeps_its_name(run, folder):
    assert run("train", "pets.csv", "-t", "kind", "-o", "model.json")[0] == 0
    pets(5).assign(predicted="mine").to_csv("new.csv", index=False)
    assert run("predict", "model.json", "new.csv", "-o", "out.csv")[0] == 0
    told = pd.read_csv("out.csv")
    assert set(told["predicted"]) == {"mine"}
    assert "predicted_" in told


def test_bad_rows_at_predict_time_leave_the_old_output(run, folder):
    assert run("train", "pets.csv", "-t", "kind", "-o", "model.json")[0] == 0
    (folder / "out.csv").write_text("as it was")
    cases = [
        ("weight,colour\n1,black\n", "lacks the column 'height', which the model was trained on: add it."),
        ("weight,colour,HEIGHT\n1,black,2\n", "which the model was trained on: did you mean 'HEIGHT'?"),
        ("Weight,colour,Height\n1,black,2\n", "which the model was trained on: for 'weight', did you mean 'Weight'?"),
        ("weight,height,colour\nheavy,2,black\n", "'heavy' in column 'weight', row 1"),
        ("weight,height,colour\n1,2,black\n1,2\n", "row 2 below the header"),
        ("weight,height,colour\n", "has a header and no rows"),
    ]
    for text, sentence in cases:
        (folder / "bad.csv").write_text(text)
        code, _, err = run("predict", "model.json", "bad.csv", "-o", "out.csv")
        assert code == 1
        assert sentence in err
        assert (folder / "out.csv").read_text() == "as it was"
    code, _, err = run("predict", "model.json", "new.csv", "-o", "new.csv")
    assert code == 1
    assert "would replace the input" in err
    assert {path.name for path in folder.iterdir()} == {"pets.csv", "new.csv", "model.json", "out.csv", "bad.csv"}


@pytest.mark.parametrize("verb", ["predict", "test", "drift", "report", "update"])
def test_leniently_cells_that_cannot_be_read_are_missing_and_said(run, folder, verb):
    assert run("train", "pets.csv", "-t", "kind", "-c", "nb", "-o", "model.json")[0] == 0
    (folder / "bad.csv").write_text("weight,height,colour,kind\nheavy,20,black,cat\n4,?,grey,cat\n-?-,low,black,dog\n")
    out = {"predict": "out.csv", "report": "out.html"}.get(verb, "out.json")
    code, _, err = run(verb, "model.json", "bad.csv", "-o", out)
    assert code == 1
    assert "or take every such cell as missing with --lenient." in err
    code, _, err = run(verb, "model.json", "bad.csv", "-o", out, "--lenient")
    assert code == 0
    assert "Cells that cannot be read are taken as missing values: 2 in 'weight', 1 in 'height'." in err


def test_gaps_are_told_as_gaps_and_not_as_what_stands_in_for_them(run, folder):
    assert run("train", "pets.csv", "-t", "kind", "-o", "model.json")[0] == 0
    (folder / "gaps.csv").write_text("weight,height,colour\n4,,\n,50,\n")
    code, _, err = run("predict", "model.json", "gaps.csv", "-o", "out.csv", "--explain")
    assert code == 0
    assert "4 missing values, in 'weight', 'height', 'colour'." in err
    because = pd.read_csv("out.csv")["because"]
    assert "weight <" in because[0] or "weight 3" in because[0] or "weight 4" in because[0]
    assert not because.str.contains("colour =").any()


def test_whole_numbers_are_explained_in_whole_numbers(run, folder):
    rows = [f"{2005 + k % 8},{int(k % 8 > 3)},{'new' if k % 8 > 3 else 'old'}" for k in range(64)]
    (folder / "cars.csv").write_text("year,abs,kind\n" + "\n".join(rows))
    assert run("train", "cars.csv", "-t", "kind", "-c", "nb", "-o", "cars.json")[0] == 0
    (folder / "more.csv").write_text("year,abs\n2006,0\n2011,1\n2008.4,0\n2011,7\n")
    assert run("predict", "cars.json", "more.csv", "-o", "out.csv", "--explain")[0] == 0
    because = [re.sub(r" \(\S+\)", "", words).split("; ") for words in pd.read_csv("out.csv")["because"]]
    assert [sorted(words) for words in because] == [
        ["abs = 0", "year ≤ 2008"],
        ["abs = 1", "year ≥ 2009"],
        ["abs = 0", "year < 2008.5"],  # the label of whole numbers would be false for a fraction
        ["abs ≥ 0.5", "year ≥ 2009"],  # and "= 1" for another number
    ]


def test_the_marks_of_missing_cells_stay_with_the_model(run, folder):
    text = (folder / "pets.csv").read_text().replace(",,", ",-99,")
    (folder / "marked.csv").write_text(text)
    words = ("--missing-mark", "-99", "--missing-mark", ".")
    assert run("train", "marked.csv", "-t", "kind", "-o", "model.json", *words)[0] == 0
    (folder / "new.csv").write_text("weight,height,colour\n.,-99,black\n")
    code, _, err = run("predict", "model.json", "new.csv", "-o", "out.csv")
    assert code == 0
    assert "2 missing values, in 'weight', 'height'." in err
    assert run("report", "model.json", "marked.csv", "-o", "report.html", "--folds", "2")[0] == 0


def test_a_word_that_the_model_learned_makes_no_row_a_total(run, folder):
    rows = [("Total" if i % 3 else "part", i % 7, i % 3 > 0) for i in range(60)]
    pd.DataFrame(rows, columns=["loss", "size", "paid"]).to_csv("losses.csv", index=False)
    assert run("train", "losses.csv", "-t", "paid", "-c", "nb", "-o", "model.json")[0] == 0
    (folder / "one.csv").write_text("loss,size\npart,1\nTotal,2\n")
    assert run("predict", "model.json", "one.csv")[1].splitlines() == [
        *("loss,size,predicted", "part,1,False", "Total,2,True"),
    ]


def test_an_infinite_number_is_named_with_its_row(run, folder):
    assert run("train", "pets.csv", "-t", "kind", "-c", "nb", "-o", "model.json")[0] == 0
    (folder / "bad.csv").write_text("weight,height,colour,kind\n1,2,black,cat\n2,inf,black,dog\n")
    for words in (
        ("train", "bad.csv", "-t", "kind", "-o", "m.json"),
        ("predict", "model.json", "bad.csv", "-o", "o.csv"),
    ):
        code, _, err = run(*words)
        assert code == 1
        assert "column 'height' is infinite in row 2" in err
