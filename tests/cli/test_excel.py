"""Every verb reads workbooks as the same table in a CSV file, and predict writes them."""

import json

import numpy as np
import pandas as pd
import pytest

from atfnb.tables import open_table
from helpers.cli_tables import pets
from helpers.workbooks import xlsx


def rows_of(frame):
    """A header and rows, with None for what is missing, and 15 digits, which every writer keeps."""
    frame = frame.assign(weight=frame["weight"].round(2)).astype(object)
    return [list(frame.columns), *frame.where(frame.notna(), None).to_numpy().tolist()]


def as_csv(rows):
    cells = [["" if cell is None else f"{cell:g}" if isinstance(cell, float) else cell for cell in row] for row in rows]
    return pd.DataFrame(cells[1:], columns=cells[0]).to_csv(index=False)


@pytest.fixture
def books(tmp_path):
    """The same pets as CSV, with a title and a note as .xlsx, and as Parquet; and new ones."""
    rows, new = rows_of(pets()), rows_of(pets(30, seed=1))
    (tmp_path / "pets.csv").write_text(as_csv(rows))
    around = [["Our pets"], [], *rows, [], ["Source: the vet"]]
    (tmp_path / "pets.xlsx").write_bytes(xlsx(("Notes", [["read", "me"]]), ("Pets", around)))
    with open_table(str(tmp_path / "pets.csv")) as file:
        table = file.read()
    import pyarrow.parquet

    pyarrow.parquet.write_table(table, tmp_path / "pets.parquet")
    (tmp_path / "new.csv").write_text(as_csv(new))
    (tmp_path / "new.xlsx").write_bytes(xlsx(new))
    return tmp_path


def model(path):
    """A model file without when and from what it was trained."""
    document = json.loads(path.read_text())
    document["training"] = {
        name: value for name, value in document["training"].items() if name not in ("date", "source", "seconds")
    }
    return document


def test_a_workbook_a_csv_file_and_a_parquet_file_give_the_same_model(run, books):
    for ending in ("csv", "xlsx", "parquet"):
        more = ("--sheet", "Pets") if ending == "xlsx" else ()
        assert run("train", f"pets.{ending}", "-t", "kind", "-o", f"{ending}.json", "-q", *more)[0] == 0
    assert model(books / "xlsx.json") == model(books / "csv.json") == model(books / "parquet.json")


def test_what_is_beside_the_table_is_said_by_every_verb(run, books):
    said = [
        "pets.xlsx: Excel, sheet 'Pets'",
        "The names of the columns are in row 3; left out above it: 'Our pets'.",
        "1 row that is a note left out: row 85 ('Source: the vet').",
    ]
    book = ("pets.xlsx", "--sheet", "2")
    for words in (
        ("train", *book, "-t", "kind", "-c", "nb", "-o", "m.json"),
        ("evaluate", *book, "-t", "kind", "-c", "nb", "--repeats", 1),
        ("test", "m.json", *book),
        ("predict", "m.json", *book, "-o", "out.csv"),
        ("report", "m.json", *book, "-o", "page.html"),
    ):
        code, _, noted = run(*words)
        assert code == 0
        assert noted.splitlines()[:3] == said


def test_predictions_are_written_to_a_workbook(run, books):
    run("train", "pets.csv", "-t", "kind", "-c", "nb", "-o", "m.json", "-q")
    outputs = []
    for ending in ("csv", "xlsx"):
        code, _, noted = run("predict", "m.json", f"new.{ending}", "-o", f"from {ending}.xlsx", "--proba", "--explain")
        assert code == 0
        assert noted.splitlines()[-1] == f"Predicted 30 rows, written to from {ending}.xlsx."
        with open_table(f"from {ending}.xlsx") as file:
            outputs.append(file.read())
            numbers = file._columns[0].type, file._columns[1].type
        assert [str(kind) for kind in numbers] == ["double", "double"]  # not text that looks like numbers
    assert outputs[0] == outputs[1]
    run("predict", "m.json", "new.csv", "-o", "out.csv", "--proba")
    plain = pd.read_csv("out.csv")
    assert outputs[0].column("predicted").to_pylist() == plain["predicted"].tolist()
    np.testing.assert_allclose(outputs[0].column("P(cat)").to_pylist(), plain["P(cat)"], atol=1e-6)
    assert outputs[0].column("weight").to_pylist() == plain["weight"].tolist()


def test_a_cell_that_looks_like_a_formula_stays_text(run, books):
    (books / "odd.csv").write_text("weight,height,colour,note\n4,25,black,=1+1\n12,50,white,=cmd|' /C calc'!A0\n")
    run("train", "pets.csv", "-t", "kind", "-c", "nb", "-o", "m.json", "-q")
    assert run("predict", "m.json", "odd.csv", "-o", "out.xlsx")[0] == 0
    with open_table("out.xlsx") as file:
        assert file.read().column("note").to_pylist() == ["=1+1", "=cmd|' /C calc'!A0"]


def test_a_workbook_is_read_from_standard_input(run, books):
    run("train", "pets.csv", "-t", "kind", "-c", "nb", "-o", "m.json", "-q")
    code, out, _ = run("predict", "m.json", "-", "-q", text=(books / "new.xlsx").read_bytes())
    assert code == 0
    assert out == run("predict", "m.json", "new.xlsx", "-q")[1]


NO_KIND = (
    "atfnb: pets.xlsx has no column 'kind': it has 'read', 'me'. Other sheets are not read: 'Pets'; to choose one: "
)
NO_KIND += "--sheet NAME."


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("pets.xlsx", "--sheet", "Cats"), "atfnb: pets.xlsx has no sheet 'Cats': it has 'Notes', 'Pets'."),
        (("pets.xlsx", "--sheet", "3"), "atfnb: pets.xlsx has no sheet '3': it has 'Notes', 'Pets'."),
        (("pets.xlsx",), NO_KIND),
        (("pet*.xlsx",), NO_KIND),
    ],
)
def test_what_cannot_be_read_is_refused_and_nothing_is_written(run, books, words, sentence):
    code, _, said = run("train", *words, "-t", "kind", "-o", "model.json", "-q")
    assert code == 1
    assert said.strip() == sentence
    assert not (books / "model.json").exists()


def test_a_folder_of_workbooks_gives_the_model_of_one(run, books):
    rows = rows_of(pets())
    (books / "months").mkdir()
    for month, some in enumerate((rows[1:30], rows[30:])):
        (books / "months" / f"{month}.xlsx").write_bytes(xlsx([rows[0], *some]))
    assert run("train", "pets.csv", "-t", "kind", "-c", "nb", "-o", "one.json", "-q")[0] == 0
    assert run("train", "months", "-t", "kind", "-c", "nb", "-o", "months.json", "-q")[0] == 0
    one, months = model(books / "one.json"), model(books / "months.json")
    assert months.pop("training")["files"] == ["months/0.xlsx", "months/1.xlsx"]
    one.pop("training")
    assert months == one
