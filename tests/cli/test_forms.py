"""Numbers with signs, units and separators: in one file, in parts and at prediction, and a note that says so."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from atfnb import NB, load
from atfnb.cli import app
from atfnb.scale import fit_dask, predict_dask

FEES = ["$3.50", "$4", "$1,200", "?", "$ 12.25", "-$3"]
PEOPLE = ["2,701", "12", "1,234,567", "900", "", "3,000"]
SHARES = ["72%", "3.5 %", "12%", "?", "9%", "55%"]
LOADS = ["12 kg", "3kg", "1,000 kg", "7 kg", "8 kg", "NA"]
CLASSES = ["5%", "10%"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        f'"{FEES[i % 6]}";"{PEOPLE[(i + 1) % 6]}";"{SHARES[i % 5]}";"{LOADS[i % 4]}";{CLASSES[i % 3 > 0]}'.replace(
            ";", ","
        )
        for i in range(36)
    ]
    header = "fee,people,share,load,kind"
    (tmp_path / "whole.csv").write_text("\n".join([header, *rows]))
    (tmp_path / "parts").mkdir()
    for k in range(3):
        (tmp_path / "parts" / f"{k}.csv").write_text("\n".join([header, *rows[12 * k : 12 * (k + 1)]]))
    return tmp_path


def run(*words):
    done = CliRunner().invoke(app, list(words))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stderr


def train(data, *words):
    code, err = run("train", data, "-t", "kind", "-c", "nb", "-o", "model.json", *words)
    assert code == 0, err
    document = json.loads(Path("model.json").read_text(encoding="utf-8"))
    forms = document.pop("training").get("forms")
    return document, forms, err


@pytest.mark.parametrize("data", ["whole.csv", "parts/*.csv"])
def test_such_columns_are_numbers_and_that_is_said(folder, data):
    document, forms, err = train(data)
    assert [column["kind"] for column in document["columns"]] == ["number"] * 4
    assert forms == {"fee": "$", "people": "", "share": "%", "load": "kg"}
    assert document["classes"]["names"] == ["10%", "5%"]
    for said in (
        "'fee' is read as numbers without the sign $ and the thousands separator ,; --categorical fee keeps it",
        "'people' is read as numbers without the thousands separator ,; --categorical people keeps it as text.",
        "'share' is read as numbers without the sign % (72% is 72); --categorical share keeps it as text.",
        "'load' is read as numbers without the unit kg and the thousands separator ,; --categorical load keeps it",
    ):
        assert said in err
    document, forms, err = train(data, "--categorical", "fee", "--ignore", "people")
    assert [column["kind"] for column in document["columns"]] == ["categories", "number", "number"]
    assert forms == {"share": "%", "load": "kg"}
    assert "'fee' is read" not in err
    assert "'people' is read" not in err


def test_parts_give_the_model_of_one_file(folder):
    assert train("whole.csv")[:2] == train("parts/*.csv")[:2]


def test_a_column_in_a_form_in_one_file_and_plain_in_another(folder):
    (folder / "parts" / "3.csv").write_text("fee,people,share,load,kind\n3.5,12,7%,3kg,5%\n4,13,8%,3kg,10%\n")
    document, forms, err = train("parts/*.csv")
    assert [column["kind"] for column in document["columns"]] == ["categories", "number", "number", "number"]
    assert forms == {"people": "", "share": "%", "load": "kg"}
    assert "column 'fee' holds numbers with $ in parts/0.csv and numbers in parts/3.csv: it is read as text." in err


def test_new_files_with_the_form_or_plain_numbers_are_classified_and_others_refused(folder):
    train("whole.csv")
    assert load("model.json").training_["forms"]["fee"] == "$"
    text = 'fee,people,share,load\n$3.50,"2,701",72%,12 kg\n'
    (folder / "new.csv").write_text(text)
    (folder / "plain.csv").write_text("fee,people,share,load\n3.50,2701,72,12\n")
    for name in ("new.csv", "plain.csv", "whole.csv"):
        code, err = run("predict", "model.json", name, "-o", f"out-{name}")
        assert code == 0, err
    written = (folder / "out-new.csv").read_text()
    assert written.startswith('fee,people,share,load,predicted\n$3.50,"2,701",72%,12 kg,')
    assert written.split(",")[-1] == (folder / "out-plain.csv").read_text().split(",")[-1]
    for odd in ("12 lb", "12-13 kg", "many"):
        (folder / "odd.csv").write_text(text.replace("12 kg", odd))
        code, err = run("predict", "model.json", "odd.csv", "-o", "out.csv")
        assert code == 1
        assert f"'{odd}' in column 'load', row 1, is not a number, which the model learned there" in err
    assert run("report", "model.json", "whole.csv", "-o", "report.html", "--folds", "2")[0] == 0


def test_a_model_that_was_trained_and_asked_in_parts_reads_the_same_numbers(folder):
    model = fit_dask(NB(), "parts/*.csv", "kind")
    train("whole.csv")
    assert predict_dask(model, "parts/*.csv").compute().tolist() == (
        predict_dask(load("model.json"), "parts/*.csv").compute().tolist()
    )
    run("predict", "model.json", "whole.csv", "-o", "out.csv")
    predicted = [line.split(",")[-1] for line in (folder / "out.csv").read_text().splitlines()[1:]]
    assert predict_dask(model, "parts/*.csv").compute().tolist() == predicted


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("3 544", "is read as numbers without spaces between thousands; --categorical amount keeps it as text."),
        ("−3544", "is read as numbers (− is a minus); "),
        ("<1000", "is read as numbers (<5 is 5); "),
        (
            "-",
            ": '-' is read as a missing value, as all other cells are numbers; --categorical amount keeps it",
        ),
    ],
)
@pytest.mark.parametrize("data", ["odd.csv", "months/*.csv"])
def test_numbers_as_people_write_them_are_numbers_whole_and_in_parts(folder, cell, said, data):
    Path("months").mkdir()
    for name, cells in {
        "odd.csv": [*"12345" * 8, cell],
        "months/1.csv": [*"12345" * 8],
        "months/2.csv": [cell],
    }.items():
        rows = "".join(f"{each};{'ab'[i % 2]}\n" for i, each in enumerate(cells))
        Path(name).write_text(f"amount;kind\n{rows}", encoding="utf-8")
    document, _, err = train(data)
    assert f"'amount'{'' if said[0] == ':' else ' '}{said}" in err
    assert document["columns"][0]["kind"] == "number"
    assert run("predict", "model.json", "odd.csv", "-o", "out.csv")[0] == 0


@pytest.mark.parametrize("odd", ["3~544", "about 3", "3544?!"])
def test_a_column_that_is_nearly_numbers_is_named_with_a_cell_that_is_none(folder, odd):
    cells = [*(str(i % 17) for i in range(40)), odd]
    rows = "".join(f"{cell};{'ab'[i % 2]}\n" for i, cell in enumerate(cells))
    Path("odd.csv").write_text(f"amount;kind\n{rows}", encoding="utf-8")
    said = f"'amount' is taken for text because {odd!r} in row 41 is no number, though most of its cells are: "
    assert said in train("odd.csv")[2]
    assert "taken for text" not in train("odd.csv", "--categorical", "amount")[2]
    assert "taken for text" not in train("odd.csv", "--missing-mark", odd)[2]


@pytest.mark.parametrize(
    "cells",
    [["1st", "2nd"], ["12A", "7b"], ["007", "12"], ["2020.01.02", "2020.01.03"], ["A12", "B7"], ["30-39", "40-49"]],
)
def test_ordinals_seats_codes_dates_and_ranges_are_text_without_a_word(folder, cells):
    rows = "".join(f"{cells[i // 2 % 2]};{'ab'[i % 2]}\n" for i in range(40))
    Path("codes.csv").write_text(f"code;kind\n{rows}", encoding="utf-8")
    assert "taken for text" not in train("codes.csv")[2]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (
            ["$3", "€4", "$5"],
            "it holds amounts in different currencies, $ in 26 rows and € in 13 (rows 2, 6, 9 and 10 more)",
        ),
        (
            ["3 kg", "4 lb"],
            "it holds numbers with different units, kg in 20 rows and lb in 19 (rows 2, 5, 7 and 16 more)",
        ),
        (
            ["31.1.2020", "Feb 1, 20", "1.2.2020"],
            "dates in different formats, most of them as day.month.year, and 'Feb 1, 20' in rows 2, 6, 9 and 10 more",
        ),
        (
            ["2020-01-31", "3/4/20", "2020-02-01"],
            "most of them as year-month-day, and '3/4/20' in rows 2, 6, 9 and 10 more",
        ),
        (
            ["3.5", "4,25", "5.1"],
            "'4,25' in rows 2, 6, 9 and 10 more have a comma: if it is the decimal sign, write a point",
        ),
        (
            [*"123456789" * 3, "-", "k.A.", "none", "x"],
            "because 'k.A.', 'x' in rows 30, 32 are no numbers, though most of its cells are: write them as numbers",
        ),
    ],
)
def test_numbers_and_dates_written_in_several_ways_are_named_with_the_rows_that_differ(folder, cells, said):
    kinds = ["a", "b", "", *"ab" * 19][:40]  # the third row has no class, and is a row all the same
    rows = [f'"{cells[(i - (i > 2)) % len(cells)]}",{i % 5},{kind}' for i, kind in enumerate(kinds)]
    Path("odd.csv").write_text("\n".join(["amount,n,kind", *rows]), encoding="utf-8")
    assert said in train("odd.csv")[2]
    assert "different" not in train("odd.csv", "--categorical", "amount")[2]
