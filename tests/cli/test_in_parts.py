"""atfnb train on files that need not fit into memory."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from atfnb.cli import app
from atfnb.encoding import MAX_DISTINCT

TABLE = pd.DataFrame(
    {
        "size": [i % 7 + 0.5 for i in range(90)],
        "colour": ["rgb"[i % 3] for i in range(90)],
        "times": [1 + i % 2 for i in range(90)],
        "kind": ["ab"[i % 7 > 3] for i in range(90)],
    }
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "parts").mkdir()
    for k in range(3):
        TABLE[30 * k : 30 * (k + 1)].to_parquet(tmp_path / "parts" / f"{k}.parquet")
    TABLE.to_parquet(tmp_path / "whole.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def train(*words):
    return CliRunner().invoke(app, ["train", *words, "-t", "kind", "-o", "model.json"])


def rounded(told):
    """Sums of numbers that are not whole depend on the parts, in their last digits."""
    if isinstance(told, dict):
        return {name: rounded(value) for name, value in told.items()}
    return (
        [rounded(each) for each in told]
        if isinstance(told, list)
        else round(told, 12)
        if isinstance(told, float)
        else told
    )


@pytest.mark.parametrize("classifier", ["fusion", "atfnb", "nb", "cfw"])
def test_a_pattern_and_a_folder_give_the_model_of_the_whole_file(folder, classifier):
    documents = []
    for data in ("whole.parquet", "parts/*.parquet", "parts"):
        done = train(data, "-c", classifier, "--weight", "times")
        assert done.exit_code == 0, done.stderr
        document = json.loads((folder / "model.json").read_text())
        assert document.pop("training")["source"] == data
        document.pop("checksum")
        if "beta" in document:
            document["beta"].pop("curve")
        documents.append(rounded(document))
    assert documents[1] == documents[0]
    assert documents[2] == documents[0]
    assert "90 rows in 3 parts" in done.stderr


def test_csv_in_parts_is_read_as_in_memory(folder):
    rows = [f"{i % 7},5;{'rgb'[i % 3]};{i % 5:02};{'' if i == 40 else 'ab'[i % 7 > 3]}" for i in range(90)]
    header, text = "größe;farbe;plz;kind", [row.replace("r", "kein", 1) for row in rows]
    (folder / "whole.csv").write_text("\n".join([header, *text]), encoding="cp1252")
    for k in range(3):
        (folder / "parts" / f"{k}.csv").write_text("\n".join([header, *text[30 * k : 30 * (k + 1)]]), encoding="cp1252")
    options = ["-c", "atfnb", "--missing-mark", "kein", "--categorical", "plz", "--delimiter", ";", "--encoding", "l1"]
    documents = []
    for data in ("whole.csv", "parts/*.csv"):
        done = train(data, *options)
        assert done.exit_code == 0, done.stderr
        document = json.loads((folder / "model.json").read_text())
        document.pop("training")
        document.pop("checksum")
        document["beta"].pop("curve")
        documents.append(document)
        assert "separated by semicolons, decimal comma" in done.stderr
        assert "1 row without a class left out." in done.stderr
    assert documents[0] == documents[1]
    assert "0.csv and 2 more: CSV, ISO8859-1" in done.stderr


@pytest.mark.parametrize("order", ["as counted", "shuffled", "anew in each file"])
def test_row_numbers_and_identifiers_are_left_out_in_parts_too(folder, order):
    rows = TABLE.assign(name=[f"n{i}" for i in range(90)], answer=TABLE["kind"].str.upper())
    numbers = {"as counted": range(90), "shuffled": [i * 7 % 90 for i in range(90)]}
    rows.insert(0, "row", numbers.get(order, [i % 30 for i in range(90)]))
    (folder / "numbered").mkdir()
    for k in range(3):
        rows[30 * k : 30 * (k + 1)].to_csv(folder / "numbered" / f"{k}.csv", index=False)
    done = train("numbered/*.csv", "-c", "nb")
    assert done.exit_code == 0, done.stderr
    assert "'row', 'name' left out: another value in every row" in done.stderr
    assert "'answer' alone predicts 'kind' in 100.0 % of the rows" in done.stderr
    names = [column["name"] for column in json.loads((folder / "model.json").read_text())["columns"]]
    assert names == ["size", "colour", "times", "answer"]
    done = train("numbered/*.csv", "-c", "nb", "--keep", "row", "--ignore", "answer")
    assert "'name' left out: another value in every row, as an identifier" in done.stderr
    names = [column["name"] for column in json.loads((folder / "model.json").read_text())["columns"]]
    assert names == ["row", "size", "colour", "times"]


def many_numbers(folder, rows):
    """Write three Parquet files with shuffled row numbers, incomes and customers' numbers."""
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "shuffled": random.permutation(rows),
            "income": random.gamma(2.0, 2000.0, rows).astype(int),
            "customer_id": random.integers(0, 10**12, rows),
            "kind": random.choice(["a", "b"], rows),
        }
    )
    (folder / "many").mkdir()
    for k in range(3):
        table[rows // 3 * k : rows // 3 * (k + 1)].to_parquet(folder / "many" / f"{k}.parquet")


def test_what_may_be_an_identifier_among_more_values_than_are_kept_is_said(folder):
    many_numbers(folder, MAX_DISTINCT + 4000)
    done = train("many/*.parquet", "-c", "nb")
    assert done.exit_code == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if "looks like an identifier" in line]
    assert [line.split("'")[1] for line in said] == ["shuffled", "customer_id"]
    assert said[0].endswith("leave it out with --ignore shuffled.")


def test_identifiers_are_left_out_while_all_their_values_are_kept(folder):
    many_numbers(folder, 12_000)
    done = train("many/*.parquet", "-c", "nb")
    assert done.exit_code == 0, done.stderr
    assert "'shuffled', 'customer_id' left out: another value in every row, as identifiers have" in done.stderr
    assert "looks like an identifier" not in done.stderr


def test_measurements_are_used_in_parts(folder):
    rows = TABLE.assign(income=[1000 + 37 * i for i in range(90)], share=[float(i) for i in range(90)])
    rows["age"] = [20 + i * 7 % 50 for i in range(90)]
    for k in range(3):
        rows[30 * k : 30 * (k + 1)].to_parquet(folder / "parts" / f"{k}.parquet")
    done = train("parts/*.parquet", "-c", "nb")
    assert done.exit_code == 0, done.stderr
    assert "left out" not in done.stderr


def test_advice_in_parts_names_options_of_the_command(folder):
    rows = TABLE.assign(day="01/02/2024", share=TABLE["size"] + 0.25)
    rows[:45].to_csv(folder / "parts" / "0.csv", index=False)
    rows[45:].assign(times=-1).to_csv(folder / "parts" / "1.csv", index=False)
    done = train("parts/*.csv", "-c", "nb")
    assert "the dates of column 'day', such as '01/02/2024', can be read as day/month/year or month" in done.stderr
    assert done.stderr.endswith("or take the column as text with --categorical day.\n")
    done = train("parts/*.csv", "-c", "nb", "--ignore", "day", "--weight", "times")
    assert "column 'times': the weight is negative in row 0" in done.stderr
    done = CliRunner().invoke(app, ["train", "parts/*.csv", "-t", "share", "-c", "nb", "--ignore", "day"])
    assert "if they name classes, take the column as text, with --categorical." in done.stderr


def test_what_goes_wrong_is_one_sentence_and_no_model(folder):
    (folder / "parts" / "3.parquet").write_bytes(b"PAR1 and nothing more")
    done = train("parts/*.parquet", "-c", "nb")
    assert done.exit_code == 1
    assert "3.parquet" in done.stderr
    done = train("nowhere/*.parquet", "-c", "nb")
    assert done.exit_code == 1
    assert "names no file" in done.stderr
    done = train("parts/*.parquet", "-c", "nb", "--weight", "kind")
    assert done.exit_code == 2
    assert "'kind' is the target" in done.stderr
    done = train("-", "-c", "nb", "--memory", "1GB")
    assert done.exit_code == 2
    assert "write it to a file first" in done.stderr
    assert not (folder / "model.json").exists()
