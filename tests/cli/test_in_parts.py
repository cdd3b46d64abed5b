"""atfnb train on files that need not fit into memory."""

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from atfnb.cli import app

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


@pytest.mark.parametrize("classifier", ["fusion", "atfnb", "nb", "cfw"])
def test_a_pattern_and_a_folder_give_the_model_of_the_whole_file(folder, classifier):
    documents = []
    for data in ("whole.parquet", "parts/*.parquet", "parts"):
        done = train(data, "-c", classifier, "--weight", "times")
        assert done.exit_code == 0, done.stderr
        document = json.loads((folder / "model.json").read_text())
        assert document.pop("training")["source"] == data
        if "beta" in document:
            document["beta"].pop("curve")
        documents.append(document)
    assert documents[1] == documents[0]
    assert documents[2] == documents[0]
    assert "90 rows in 3 parts" in done.stderr


def test_what_goes_wrong_is_one_sentence_and_no_model(folder):
    (folder / "parts" / "3.parquet").write_bytes(b"PAR1 and nothing more")
    done = train("parts/*.parquet", "-c", "nb")
    assert done.exit_code == 1
    assert "3.parquet" in done.stderr
    done = train("nowhere/*.parquet", "-c", "nb")
    assert done.exit_code == 1
    assert "names no file" in done.stderr
    done = train("parts/*.parquet", "-c", "nb", "--encoding", "latin-1")
    assert done.exit_code == 2
    assert "go with one file that fits into memory" in done.stderr
    assert not (folder / "model.json").exists()
