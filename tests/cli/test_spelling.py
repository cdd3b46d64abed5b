"""What goes into a prediction comes out in the same spelling, and what is new fits to it."""

import gzip
import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from atfnb import load
from atfnb.cli import app
from atfnb.tables import open_table


def run(*words):
    done = CliRunner().invoke(app, list(words))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.stderr
    return done.stdout


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(no, yes, rows=40, head="size;colour;kind", end="\n", decimal=","):
    """A file whose class the size tells."""
    lines = [f"{i % 4}{decimal}50;{'rg'[i % 2]};{(no, yes)[i % 4 > 1]}" for i in range(rows)]
    return end.join([head, *lines, ""])


def trained(no="a", yes="b", data="train.csv"):
    Path("train.csv").write_text(table(no, yes))
    run("train", data, "-t", "kind", "-c", "nb", "-o", "model.json")


NEW = 'size;colour\n0,50;r\n 3,5 ;"g;h"\n;NA\n1,0e1;007\n'


def test_cells_are_untouched_and_probabilities_have_the_decimal_sign_of_the_file():
    trained()
    Path("new.csv").write_text(NEW)
    run("predict", "model.json", "new.csv", "-o", "out.csv", "--proba")
    lines = Path("out.csv").read_text().splitlines()
    assert lines[0] == "size;colour;predicted;P(a);P(b)"
    for before, after in zip(NEW.splitlines()[1:], lines[1:], strict=True):
        cells, (_, *probabilities) = after[: len(before)], after[len(before) + 1 :].split(";")
        assert cells == before
        assert len(probabilities) == 2
        for one in probabilities:
            assert one[:2] in ("0,", "1,")
            assert len(one) == 8
            assert one[2:].isdigit()


def test_small_probabilities_are_in_the_same_notation(monkeypatch):
    trained()
    monkeypatch.setattr("atfnb.cli.predictor.logsumexp", lambda joint, **_: joint.max(axis=1, keepdims=True) + 11.5)
    Path("new.csv").write_text("size,colour\n0.5,r\n")
    run("predict", "model.json", "new.csv", "-o", "out.csv", "--proba")
    assert "0.000010" in Path("out.csv").read_text()
    assert "e-" not in Path("out.csv").read_text()


@pytest.mark.parametrize("data", ["train.csv", "tr*.csv"])
@pytest.mark.parametrize(
    ("no", "yes"), [("True", "False"), ("TRUE", "FALSE"), ("true", "false"), ("-1", "+1"), ("Ja", "nein"), ("0", "1")]
)
def test_classes_come_back_as_the_training_file_spells_them(no, yes, data):
    trained(no, yes, data)
    Path("new.csv").write_text("size,colour\n0.5,r\n3.5,g\n")
    assert [line.split(",")[2] for line in run("predict", "model.json", "new.csv").splitlines()] == [
        "predicted",
        no,
        yes,
    ]
    head = run("predict", "model.json", "new.csv", "--proba").splitlines()[0]
    assert set(head.split(",")[3:]) == {f"P({no})", f"P({yes})"}


@pytest.mark.parametrize("data", ["train.csv", "tr*.csv"])
def test_a_model_keeps_the_spelling_when_it_is_saved_again(data):
    from atfnb import save

    trained("TRUE", "FALSE", data)
    save(load("model.json"), "again.json")
    assert load("again.json").training_["class_spelling"] == ["FALSE", "TRUE"]
    assert load("again.json").classes_.tolist() == [False, True]


def test_classes_with_decimal_commas_come_back_so():
    trained("1,50", "2,25")
    assert load("model.json").classes_.tolist() == ["1.5", "2.25"]
    Path("new.csv").write_text("size,colour\n0.5,r\n3.5,g\n")
    run("predict", "model.json", "new.csv", "-o", "out.tsv")
    assert [line.split("\t")[2] for line in Path("out.tsv").read_text().splitlines()[1:]] == ["1,50", "2,25"]


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_columns_with_types_keep_them(ending):
    trained("TRUE", "FALSE")
    parquet.write_table(pa.table({"size": [0.5, 3.5], "colour": ["r", "g"]}), "new.parquet")
    run("predict", "model.json", "new.parquet", "-o", f"out.{ending}", "--proba")
    with open_table(f"out.{ending}") as file:
        found = file.read()
    assert found["predicted"].to_pylist() == [True, False]
    assert found.column_names[2:] == ["predicted", "P(FALSE)", "P(TRUE)"]
    assert found.schema.field("P(TRUE)").type == pa.float64()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("packed", [False, True])
def test_line_ends_are_kept(end, encoding, packed):
    trained("ä", "ü")
    text = end.join(["size;colour", "0,50;grün", '3,50;"zwei\nZeilen"', ""])
    data = text.encode(encoding)
    Path("new.csv").write_bytes(gzip.compress(data) if packed else data)
    run("predict", "model.json", "new.csv", "-o", "out.csv")
    expected = end.join(["size;colour;predicted", "0,50;grün;ä", '3,50;"zwei\nZeilen";ü', ""])
    assert Path("out.csv").read_bytes().decode(encoding) == expected


@pytest.mark.parametrize("spelled", [["x"], "x", ["x", 1], ["x", "y", "z"]])
def test_a_spelling_that_does_not_fit_is_refused(spelled):
    import json

    trained("TRUE", "FALSE")
    document = json.loads(Path("model.json").read_text())
    document["training"]["class_spelling"] = spelled
    Path("model.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match=r"model.json is inconsistent: .*spell"):
        load("model.json")


@pytest.mark.parametrize(("no", "yes", "python"), [("FALSE", "TRUE", "True"), ("1,50", "2,25", "2.25")])
def test_sentences_pages_and_cards_spell_classes_as_the_training_file_does(no, yes, python):
    trained(no, yes)
    run("report", "model.json", "train.csv", "-o", "report.html", "--folds", "2")
    run("page", "model.json", "-o", "page.html")
    run("export", "model.json", "-o", "card.md", "--positive", yes)
    said = [run("evaluate", "train.csv", "-t", "kind", "-c", "nb"), run("test", "model.json", "train.csv")]
    for text in (*said, *(Path(name).read_text("utf-8") for name in ("report.html", "card.md"))):
        assert no in text or yes in text
        assert f"'{python}'" not in text
        assert f">{python}<" not in text
    for name in ("report.html", "page.html"):
        data = re.search('id="data">(.*?)</script>', Path(name).read_text("utf-8"))[1]
        assert json.loads(data)["classes"] == [no, yes]


@pytest.mark.parametrize("data", ["train.csv", "tr*.csv"])
@pytest.mark.parametrize(("no", "yes"), [("FALSE", "TRUE"), ("false", "true"), ("False", "True")])
def test_booleans_are_shown_as_the_training_file_spells_them(no, yes, data):
    lines = [f"{(no, yes)[i % 4 > 1]};{i % 3};{'ab'[i % 4 > 1]}" for i in range(40)]
    Path("train.csv").write_text("\n".join(["member;size;kind", ";;a", *lines, ""]))
    run("train", data, "-t", "kind", "-c", "nb", "-o", "model.json")
    assert f"member = {yes} (+" in run("predict", "model.json", "train.csv", "--explain")
    run("page", "model.json", "-o", "page.html")
    (plan, *_) = json.loads(re.search('id="data">(.*?)</script>', Path("page.html").read_text("utf-8"))[1])["whatIf"][
        "plan"
    ]["attributes"]
    assert (plan["kind"], plan["categories"], plan["labels"][:2]) == ("boolean", [False, True], [no, yes])
    Path("more.csv").write_text("\n".join(["member;size;kind", *lines[:9], ""]))
    run("update", "model.json", "more.csv", "-o", "more.json")
    assert load("more.json").encoder_.attributes[0].labels == [no, yes]


CASES = (
    "If case does not count, the 4 classes of 'kind' are 2, and the 3 values of 'colour' are 2: --merge-case merges "
)
MERGED = "Merged, as case does not count: the 4 classes of 'kind' are 2, and the 3 values of 'colour' are 2."


@pytest.mark.parametrize("data", ["whole.csv", "parts/*.csv"])
def test_values_and_classes_that_differ_by_case_are_named_and_merged_if_the_user_says_so(data):
    kinds = ["Yes", "no", "yes ", "NO", "Yes", "no"]
    lines = [f"{i % 4},{('red', 'Red', ' blue')[i % 3]},{kinds[i % 6]}" for i in range(60)]
    Path("whole.csv").write_text("\n".join(["size,colour,kind", *lines]))
    Path("parts").mkdir()
    for k in range(2):
        Path(f"parts/{k}.csv").write_text("\n".join(["size,colour,kind", *lines[30 * k : 30 * k + 30]]))
    apart = CliRunner().invoke(app, ["train", data, "-t", "kind", "-c", "nb", "-o", "model.json"])
    assert CASES in apart.stderr
    merged = CliRunner().invoke(app, ["train", data, "-t", "kind", "-c", "nb", "-o", "model.json", "--merge-case"])
    assert MERGED in merged.stderr
    model = load("model.json")
    assert model.classes_.tolist() == ["Yes", "no"]
    assert model.encoder_.attributes[1].categories == ("Red", "blue")


def test_what_is_new_is_taken_for_the_known_value_or_class_that_differs_by_case_and_that_is_said_once():
    trained("a", "b")
    Path("new.csv").write_text(table("A", "b ").replace(";r;", ";R;"))
    for verb in ("predict", "test", "drift"):
        done = CliRunner().invoke(app, [verb, "model.json", "new.csv"])
        assert done.exit_code == 0, done.stderr
        assert done.stderr.count("'colour': 'R' is taken for 'r', as they differ by case only.") == 1
        assert done.stderr.count("'kind': 'A' is taken for 'a', as they differ by case only.") == (verb != "predict")
    assert run("test", "model.json", "new.csv").splitlines()[-1] == (
        run("test", "model.json", "train.csv").splitlines()[-1].replace("train.csv", "new.csv")
    )
