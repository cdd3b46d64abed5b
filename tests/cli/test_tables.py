"""evaluate, train, predict and report, as a person would call them."""

import gzip
import json
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import atfnb.fusion
from atfnb import NB, load, save
from atfnb.cli import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Call the command in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def call(*words, text=None):
        done = CliRunner().invoke(app, [str(word) for word in words], input=text)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert "Traceback" not in done.output
        return done.exit_code, done.stdout, done.stderr

    return call


def pets(rows=80, seed=0):
    """A table with a number, a number with gaps, text and a class that the first two tell."""
    random = np.random.default_rng(seed)
    cat = random.random(rows) < 0.5
    return pd.DataFrame(
        {
            "weight": np.where(cat, 4.0, 12.0) + random.normal(size=rows).round(2),
            "height": np.where(random.random(rows) < 0.2, np.nan, np.where(cat, 25, 50) + random.integers(-9, 9, rows)),
            "colour": random.choice(["black", "white", "brown, light"], rows),
            "kind": np.where(cat, "cat", "dog"),
        }
    )


@pytest.fixture
def folder(tmp_path):
    pets().to_csv(tmp_path / "pets.csv", index=False)
    pets(30, seed=1).drop(columns="kind").to_csv(tmp_path / "new.csv", index=False)
    return tmp_path


def test_evaluate_compares_says_which_to_take_and_writes_the_numbers(run, folder):
    code, out, err = run("evaluate", "pets.csv", "--target", "kind", "--repeats", "1", "--out", "numbers.csv")
    assert code == 0, err
    assert "pets.csv: CSV, UTF-8, separated by commas" in err
    for name in ("FusionNB", "ATFNB", "CFW-β", "CFW", "DFW", "WNB", "NB", "guessing"):
        assert f"│ {name} " in out
    assert "80 rows, 2 classes; 5 folds" in out
    assert "Take " in out
    numbers = pd.read_csv(folder / "numbers.csv")
    assert list(numbers.columns[:3]) == ["classifier", "accuracy", "accuracy error"]
    assert numbers["accuracy"].is_monotonic_decreasing
    assert numbers.set_index("classifier").loc["NB", "accuracy"] > 0.95


def test_evaluate_says_when_nothing_is_better_than_guessing(run, folder):
    table = pets(200)
    table["kind"] = np.random.default_rng(5).permutation(table["kind"])
    table.to_csv(folder / "noise.csv", index=False)
    code, out, err = run("evaluate", "noise.csv", "-t", "kind", "-c", "fusion", "-c", "nb", "--repeats", "1")
    assert code == 0
    assert "None is reliably more often right than always guessing" in out
    assert "nothing shows that these columns tell the classes apart, and nothing is recommended." in out
    assert "Take" not in out
    assert "next:" not in err


def test_train_predict_and_back(run, folder):
    code, out, err = run("train", "pets.csv", "--target", "kind", "-o", "model.json")
    assert (code, out) == (0, "")
    assert "FusionNB learned 'kind' (2 classes) from 80 rows and 3 columns." in err
    assert "What counts most: 'weight'" in err
    model = load("model.json")
    assert model.training_["target"] == "kind"
    assert model.training_["source"] == "pets.csv"
    assert model.training_["rows"] == 80
    code, out, err = run("predict", "model.json", "new.csv", "-o", "out.csv", "--proba", "--explain")
    assert (code, out) == (0, ""), err
    assert "30 rows classified: out.csv" in err
    new, told = pd.read_csv("new.csv"), pd.read_csv("out.csv")
    pd.testing.assert_frame_equal(told[new.columns], new)
    assert list(told.columns) == [*new.columns, "predicted", "P(cat)", "P(dog)", "because"]
    np.testing.assert_array_equal(told["predicted"], model.predict(new))
    np.testing.assert_allclose(told[["P(cat)", "P(dog)"]], model.predict_proba(new), rtol=0, atol=5.1e-7)
    assert told["because"].str.match(r"(weight|height|colour) .*\(\+\d+\.\d\d\)").all()


def test_every_classifier_trains_with_the_indexes_asked_for(run, folder):
    for name in ("fusion", "atfnb", "cfw-beta", "cfw", "dfw", "wnb", "klnb", "nb"):
        assert run("train", "pets.csv", "-t", "kind", "-c", name, "-o", f"{name}.json", "-q") == (0, "", "")
        assert run("predict", f"{name}.json", "new.csv", "-o", "out.csv", "-q") == (0, "", "")
    options = ("-c", "atfnb", "--relevance", "gain_ratio", "--redundancy", "mutual_information", "--missing", "value")
    assert run("train", "pets.csv", "-t", "kind", *options, "--max-bins", "4", "--alpha", "0.5", "-o", "m.json")[0] == 0
    told = load("m.json").get_params()
    assert told["relevance"], told["redundancy"] == ("gain_ratio", "mutual_information")
    assert (told["missing"], told["max_bins"], told["alpha"]) == ("value", 4, 0.5)
    both = ("-c", "fusion", "--relevance", "gain_ratio", "--relevance", "pearson")
    assert run("train", "pets.csv", "-t", "kind", *both, "-o", "m.json")[0] == 0
    assert load("m.json").indexes_[1:3] == ["gain_ratio", "pearson"]


def test_standard_input_and_output(run, folder):
    text = (folder / "pets.csv").read_text()
    assert run("train", "-", "-t", "kind", "-o", "model.json", text=text)[0] == 0
    code, out, err = run("predict", "model.json", "-", text=(folder / "new.csv").read_text())
    assert code == 0, err
    assert out.splitlines()[0] == "weight,height,colour,predicted"
    assert len(out.splitlines()) == 31
    assert "standard input: CSV" in err


def test_tsv_parquet_arrow_and_compressed_files_are_all_the_same(run, folder):
    table = pets()
    table.to_csv("pets.tsv", sep="\t", index=False)
    table.to_parquet("pets.parquet")
    table.to_feather("pets.arrow")
    (folder / "pets.csv.gz").write_bytes(gzip.compress((folder / "pets.csv").read_bytes()))
    tables = []
    for name in ("pets.csv", "pets.tsv", "pets.parquet", "pets.arrow", "pets.csv.gz"):
        assert run("train", name, "-t", "kind", "-o", "model.json")[0] == 0
        document = json.loads((folder / "model.json").read_text())
        document.pop("training")
        tables.append(document)
    assert all(document == tables[0] for document in tables)
    for ending in ("tsv", "parquet", "arrow", "csv.gz"):
        assert run("predict", "model.json", "pets.parquet", "-o", f"out.{ending}")[0] == 0
    pd.testing.assert_frame_equal(pd.read_parquet("out.parquet"), pd.read_feather("out.arrow"))
    assert (
        pd.read_csv("out.tsv", sep="\t")["predicted"].tolist() == pd.read_parquet("out.parquet")["predicted"].tolist()
    )


def test_what_a_person_should_know_is_said(run, folder):
    table = pets().assign(id=np.arange(80), empty=np.nan)
    table.loc[3, "kind"] = None
    table.to_csv("odd.csv", index=False)
    code, _, err = run("train", "odd.csv", "-t", "kind", "-o", "model.json")
    assert code == 0
    assert "1 row without a class left out." in err
    assert "1 column without any value left out: 'empty'." in err
    assert (
        "'id' left out: another value in every row, as an identifier or a row number has; to use it: --keep id" in err
    )
    assert [a.name for a in load("model.json").encoder_.attributes] == ["weight", "height", "colour"]
    code, _, err = run("train", "odd.csv", "-t", "kind", "--ignore", "id", "-o", "model.json")
    assert "identifier" not in err
    pets(30).assign(colour="green", shoe=1).to_csv("new.csv", index=False)
    code, _, err = run("predict", "model.json", "new.csv", "-o", "out.csv")
    assert code == 0
    assert "column 'colour': 30 of 30 rows hold a value that was not seen in training" in err
    assert "kept, though the model does not know it: 'shoe'." in err


def test_row_numbers_and_identifiers_are_left_out_unless_kept(run, folder):
    """As R's write.csv and pandas' to_csv write them: a first column without a name that counts the rows."""
    table = pets().sort_values("kind", ignore_index=True)
    table.insert(0, "", range(1, 81))
    table["name"] = [f"pet {i * 7 % 80}" for i in range(80)]
    table.to_csv("numbered.csv", index=False)
    code, _, err = run("evaluate", "numbered.csv", "-t", "kind", "-c", "nb", "--repeats", "1")
    assert code == 0
    said = (
        "'column 1', 'name' left out: another value in every row, as identifiers have; to use them: --keep 'column 1'"
    )
    assert said in err
    names = []
    for words in ((), ("--keep", "column 1"), ("--keep", "name", "--keep", "colour")):
        code, _, err = run("train", "numbered.csv", "-t", "kind", "-c", "nb", "-o", "model.json", *words)
        assert code == 0, err
        names.append([attribute.name for attribute in load("model.json").encoder_.attributes])
    assert names[0] == ["weight", "height", "colour"]
    assert names[1] == ["column 1", "weight", "height", "colour"]
    assert names[2] == ["weight", "height", "colour", "name"]
    assert "occur only once" not in err
    code, _, err = run("train", "numbered.csv", "-t", "kind", "--keep", "name", "--ignore", "name")
    assert code == 2
    assert "--keep name" in err
    table[["", "kind"]].to_csv("alone.csv", index=False)
    code, _, err = run("train", "alone.csv", "-t", "kind", "-c", "nb", "-o", "model.json")
    assert code == 1
    assert "no column to predict the class from besides 'column 1'" in err


def test_names_and_answers_in_disguise_are_said_and_stand_on_the_page(run, folder):
    table = pets().drop(columns="weight").assign(owner=[f"person {i % 60}" for i in range(80)])
    table["animal's <b>sound"] = np.where(table["kind"] == "cat", "meow", "bark")
    table.to_csv("leaking.csv", index=False)
    leak = "alone predicts 'kind' in 100.0 % of the rows"
    names = "'owner': most of its values occur only once"
    for words in (("evaluate", "--repeats", "1", "-c", "nb"), ("train", "-o", "model.json")):
        code, _, err = run(*words, "leaking.csv", "-t", "kind")
        assert code == 0, err
        assert f'"animal\'s <b>sound" {leak}' in err
        assert """leave it out with --ignore 'animal'"'"'s <b>sound'.""" in err
        assert names in err
        assert err.count("alone predicts") == 1
    assert run("report", "model.json", "leaking.csv", "-o", "report.html", "--folds", "2")[0] == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    notes = page[page.index('id="notes"') : page.index("</header>")]
    assert "<b>sound" not in notes
    assert "sound&#34; alone predicts &#39;kind&#39; in 100.0 % of the rows" in notes
    assert "&#39;owner&#39;: most of its values occur only once" in notes
    code, _, err = run("train", "leaking.csv", "-t", "kind", "--ignore", "animal's <b>sound", "--keep", "owner")
    assert "alone predicts" not in err
    assert "occur only once" not in err


def test_columns_that_are_codes_and_weights_of_rows(run, folder):
    table = pets().assign(code=np.tile([1, 2, 3, 5], 20), times=np.tile([1, 2], 40))
    table.to_csv("coded.csv", index=False)
    words = ("train", "coded.csv", "-t", "kind", "--categorical", "code", "--weight", "times", "-o", "model.json")
    assert run(*words)[0] == 0
    model = load("model.json")
    assert model.encoder_.attributes[3].categories == ("1", "2", "3", "5")
    assert model.counts_.classes.sum() == 120
    code, _, err = run("report", "model.json", "coded.csv", "-o", "report.html", "--folds", "2")
    assert "trained on weighted rows; in these results every row counts the same" in err
    assert "trained on weighted rows; in these results" in (folder / "report.html").read_text(encoding="utf-8")
    assert run("predict", "model.json", "coded.csv", "-o", "out.csv")[0] == 0
    table.to_parquet("coded.parquet")
    code, _, err = run("predict", "model.json", "coded.parquet", "-o", "again.csv")
    assert code == 0
    assert "not seen" not in err
    assert pd.read_csv("again.csv")["predicted"].tolist() == pd.read_csv("out.csv")["predicted"].tolist()


def test_a_column_named_as_ours_keeps_its_name(run, folder):
    assert run("train", "pets.csv", "-t", "kind", "-o", "model.json")[0] == 0
    pets(5).assign(predicted="mine").to_csv("new.csv", index=False)
    assert run("predict", "model.json", "new.csv", "-o", "out.csv")[0] == 0
    told = pd.read_csv("out.csv")
    assert set(told["predicted"]) == {"mine"}
    assert "predicted_" in told


def test_report_writes_a_page(run, folder):
    assert run("train", "pets.csv", "-t", "kind", "-o", "model.json")[0] == 0
    code, _, err = run("report", "model.json", "pets.csv", "-o", "report.html")
    assert code == 0, err
    assert "the report: report.html" in err
    assert "<title>" in (folder / "report.html").read_text(encoding="utf-8")


# --- what is at fault ------------------------------------------------------------------------------

BAD = {
    "empty": (b"", "is empty"),
    "header": (b"weight,height,colour,kind\n", "has a header and no rows"),
    "ragged": (b"weight,height,colour,kind\n1,2,red,cat\n1,2,cat\n", "row 2 below the header"),
    "twice": (b"weight,weight,kind\n1,2,cat\n3,4,dog\n", "more than one column named 'weight'"),
    "nul": (b"weight,kind\n1,c\0t\n2,dog\n", "NUL"),
    "same": (b"weight,kind\n1,cat\n2,cat\n", "holds one class only, 'cat'"),
    "gaps": (b"weight,kind\n1,\n2,\n", "is missing in every row"),
    "alone": (b"kind\ncat\ndog\n", "no column has any value to predict the class from"),
    "dates": (b"day,kind\n2024-01-02,cat\n2024-01-03,dog\n", "holds dates or times in 'day'"),
    "quantity": (b"weight,kind\n" + b"".join(b"1,%d.5\n" % i for i in range(40)), "looks like a measurement"),
    "names": (b"weight,kind\n" + b"".join(b"1,name %d\n" % i for i in range(40)), "looks like a name for each row"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("verb", ["evaluate", "train"])
def test_a_bad_file_is_one_sentence_and_nothing_is_touched(run, folder, verb, case):
    content, sentence = BAD[case]
    (folder / "bad.csv").write_bytes(content)
    (folder / "model.json").write_text("as it was")
    words = ("evaluate", "bad.csv", "-t", "kind") if verb == "evaluate" else ("train", "bad.csv", "-t", "kind")
    code, out, err = run(*words)
    assert (code, out) == (1, "")
    assert sentence in err
    assert len(err.splitlines()) == 1, err
    assert (folder / "bad.csv").read_bytes() == content
    assert (folder / "model.json").read_text() == "as it was"
    assert {path.name for path in folder.iterdir()} == {"bad.csv", "model.json", "pets.csv", "new.csv"}


def test_bad_requests(run, folder):
    cases = [
        (("train", "pets.csv", "-t", "kin"), 1, "has no column 'kin': did you mean 'kind'?"),
        (("train", "pets.csv", "-t", "kind", "--ignore", "zzz"), 1, "it has 'weight', 'height', 'colour', 'kind'"),
        (("train", "nowhere.csv", "-t", "kind"), 1, "nowhere.csv"),
        (("train", "pets.csv", "-t", "kind", "-o", "nowhere/m.json"), 1, "there is no folder nowhere"),
        (("train", "pets.csv", "-t", "kind", "-o", "."), 1, "is a folder"),
        (
            ("train", "pets.csv", "-t", "kind", "-c", "nb", "--relevance", "pearson"),
            2,
            "does not go with --classifier nb",
        ),
        (
            ("train", "pets.csv", "-t", "kind", "-c", "atfnb", "--relevance", "peerson"),
            2,
            "--relevance 'peerson' is not known. Known: ",
        ),
        (
            ("train", "pets.csv", "-t", "kind", "-c", "atfnb", "--relevance", "pearson", "--relevance", "gain_ratio"),
            2,
            "only --classifier fusion takes several indexes",
        ),
        (("train", "pets.csv", "-t", "kind", "--weight", "colour"), 1, "column 'colour' cannot be the weight"),
        (("train", "pets.csv", "-t", "kind", "--encoding", "utf-9"), 2, "there is no encoding 'utf-9'"),
        (("train", "pets.csv", "-t", "kind", "--ignore", "kind"), 2, "'kind' is the target: it cannot be left out"),
        (("train", "pets.csv", "-t", "kind", "-o", "-"), 2, "give the name of a file"),
        (("train", "pets.csv", "-t", "kind", "-o", "pets.csv"), 1, "would replace the input pets.csv"),
        (("evaluate", "pets.csv", "-t", "kind", "-o", "pets.csv"), 1, "would replace the input pets.csv"),
        (("evaluate", "pets.csv", "-t", "kind", "-o", "no/x.csv"), 1, "there is no folder no"),
        (("evaluate", "pets.csv", "-t", "kind", "--folds", "70"), 1, "no class has 70 rows"),
        (("predict", "pets.csv", "new.csv"), 1, "pets.csv"),
        (("train", "pets.csv"), 2, "--target"),
        (("train", "pets.csv", "-t", "kind", "-c", "forest"), 2, "forest"),
        (("frobnicate",), 2, "frobnicate"),
    ]
    for words, expected, sentence in cases:
        code, out, err = run(*words)
        assert (code, out) == (expected, ""), words
        assert sentence in err, words
        if expected == 1:
            assert len(err.splitlines()) <= 2, err
    assert {path.name for path in folder.iterdir()} == {"pets.csv", "new.csv"}


def test_bad_rows_at_predict_time_leave_the_old_output(run, folder):
    assert run("train", "pets.csv", "-t", "kind", "-o", "model.json")[0] == 0
    (folder / "out.csv").write_text("as it was")
    cases = [
        ("weight,colour\n1,black\n", "lacks what the model was trained on: 'height'"),
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


@pytest.mark.no_cover
def test_ten_thousand_columns(run, folder):
    random = np.random.default_rng(0)
    wide = pd.DataFrame(random.integers(0, 3, (40, 10_000))).add_prefix("c")
    wide["kind"] = np.where(wide["c7"] > 0, "a", "b")
    wide.to_csv("wide.csv", index=False)
    code, _, err = run("train", "wide.csv", "-t", "kind", "-c", "nb", "-o", "model.json")
    assert code == 0, err
    assert run("predict", "model.json", "wide.csv", "-o", "out.csv")[0] == 0
    assert pd.read_csv("out.csv").shape == (40, 10_002)


def test_names_with_markup_and_control_characters_are_shown_as_they_are(run, folder):
    table = pets(30).rename(columns={"weight": "[red]x[/red]", "height": "a\x1b[31mb"})
    table["[bold]id"] = [f"n{i}" for i in range(30)]
    table.to_csv("odd.csv", index=False)
    code, _, err = run("train", "odd.csv", "-t", "kind", "-o", "model.json")
    assert code == 0
    assert "'[red]x[/red]'" in err
    assert "'[bold]id' left out: another value in every row" in err
    assert "\x1b[31m" not in err


def test_help_shows_an_example_that_works_and_completion_installs(run):
    for verb in ("evaluate", "train", "test", "predict", "report"):
        code, out, _ = run(verb, "--help")
        assert code == 0
        assert "Example: atfnb" in out
    code, out, _ = run("--help")
    assert "--install-completion" in out
    assert run("--version")[1].startswith("atfnb ")


def test_a_classifier_that_cannot_learn_from_the_table_is_left_out_and_said(run, folder, monkeypatch):
    monkeypatch.setattr("atfnb.classifiers.base.MAX_PAIR_BYTES", 100)
    words = ("evaluate", "pets.csv", "-t", "kind", "--repeats", "1", "-c", "dfw")
    code, out, err = run(*words, "-c", "nb")
    assert code == 0
    assert "DFW is left out: the tables of value pairs would need" in err
    assert "leave it out with --ignore colour, or use a classifier that needs no pairs, as --classifier fusion" in err
    assert "│ DFW" not in out
    code, out, err = run(*words)
    assert (code, out) == (1, "")
    assert "atfnb: the tables of value pairs would need" in err
    assert "redundancy='pearson'" not in err


def test_evaluate_fits_every_classifier_as_often_as_there_are_splits(run, folder, monkeypatch):
    fitted = []
    fit = NB.fit
    monkeypatch.setattr("atfnb.classifiers.cfw.CFW.fit", lambda self, *of: fitted.append(1) or fit(self, *of))
    assert run("evaluate", "pets.csv", "-t", "kind", "-c", "cfw", "--repeats", "2", "--folds", "3")[0] == 0
    assert len(fitted) == 6


def test_probabilities_may_tell_something_where_classes_do_not(run, folder):
    random = np.random.default_rng(3)
    risk = random.random(2000) < 0.5
    rare = random.random(2000) < np.where(risk, 0.3, 0.02)
    pd.DataFrame({"risk": risk.astype(int), "fails": np.where(rare, "yes", "no")}).to_csv("rare.csv", index=False)
    code, out, _ = run("evaluate", "rare.csv", "-t", "fails", "-c", "nb", "--repeats", "2")
    assert code == 0
    assert "None is reliably more often right than always guessing 'no'" in out
    assert "Still, the columns tell something: the probabilities of NB are better" in out


def test_nested_columns_of_parquet_are_refused_and_can_be_left_out(run, folder):
    pets().assign(tags=[["a"]] * 80).to_parquet("nested.parquet")
    code, _, err = run("train", "nested.parquet", "-t", "kind", "-o", "model.json")
    assert code == 1
    assert "holds neither numbers nor text in 'tags'" in err
    assert run("train", "nested.parquet", "-t", "kind", "--ignore", "tags", "-o", "model.json")[0] == 0


def test_a_model_that_does_not_name_its_target_asks_for_it(run, folder):
    table = pets()
    save(NB().fit(table.drop(columns="kind"), table["kind"]), "model.json")
    code, _, err = run("report", "model.json", "pets.csv", "-o", "report.html")
    assert code == 1
    assert "name it with --target" in err
    assert run("report", "model.json", "pets.csv", "-o", "report.html", "--target", "kind", "--folds", "2")[0] == 0


def test_no_output_replaces_what_it_is_made_of(run, folder):
    assert run("train", "pets.csv", "-t", "kind", "-c", "nb", "-o", "model.json")[0] == 0
    (folder / "link.csv").symlink_to("pets.csv")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for out in ("model.json", "pets.csv", "link.csv"):
        code, _, err = run("report", "model.json", "pets.csv", "-o", out)
        assert code == 1
        assert "would replace the input" in err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_gaps_are_told_as_gaps_and_not_as_what_stands_in_for_them(run, folder):
    assert run("train", "pets.csv", "-t", "kind", "-o", "model.json")[0] == 0
    (folder / "gaps.csv").write_text("weight,height,colour\n4,,\n,50,\n")
    code, _, err = run("predict", "model.json", "gaps.csv", "-o", "out.csv", "--explain")
    assert code == 0
    assert "4 cells missing, in 'weight', 'height', 'colour'." in err
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
    assert "2 cells missing, in 'weight', 'height'." in err
    assert run("report", "model.json", "marked.csv", "-o", "report.html", "--folds", "2")[0] == 0


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


def test_classes_with_fractions_are_names(run, folder):
    pets().assign(kind=np.tile([1.0, 2.5], 40)).to_csv("grades.csv", index=False)
    assert run("train", "grades.csv", "-t", "kind", "-c", "nb", "-o", "model.json")[0] == 0
    assert load("model.json").classes_.tolist() == ["1.0", "2.5"]
    assert run("predict", "model.json", "grades.csv", "-o", "out.csv")[0] == 0
    assert run("report", "model.json", "grades.csv", "-o", "report.html", "--folds", "2")[0] == 0


def test_rare_classes_and_constant_columns_are_said(run, folder):
    table = pets().assign(planet="earth")
    table.loc[0, "kind"] = "fish"
    table.to_csv("rare.csv", index=False)
    code, _, err = run("evaluate", "rare.csv", "-t", "kind", "-c", "nb", "--repeats", "1")
    assert code == 0
    assert "'fish': fewer rows than folds, so it is not in every part" in err
    assert "'planet' holds one value only" in err
    assert "next: atfnb train rare.csv --target kind --classifier nb -o model.json" in err


def test_advice_names_options_of_the_command(run, folder, monkeypatch):
    """Not the parameters that Python has for them."""
    table = pets().assign(none=0, far=1e300, odd=np.inf, one=np.where(pets()["kind"] == "cat", 1, 0))
    table.to_csv("weights.csv", index=False)
    cases = {
        "none": "it is 0 in every row",
        "odd": "every row needs a number",
        "one": "the target holds one class only",
    }
    for name, sentence in cases.items():
        for verb in ("train", "evaluate"):
            code, _, err = run(
                verb, "weights.csv", "-t", "kind", "--weight", name, *(["--ignore", "odd"] * (name != "odd"))
            )
            assert code == 1
            assert sentence in err
            assert "sample_weight" not in err
    assert run("train", "pets.csv", "-t", "kind", "-c", "nb", "-o", "model.json")[0] == 0
    pets().replace({"kind": {"cat": "cow"}}).to_csv("cows.csv", index=False)
    code, _, err = run("report", "model.json", "cows.csv", "-o", "report.html")
    assert code == 1
    assert "atfnb: the target holds the class 'cow', which the model does not know" in err


def test_a_fit_that_stops_too_early_is_said_in_words_of_the_command(run, folder, monkeypatch):
    monkeypatch.setattr("atfnb.fusion.fitting.learn_effects", partial(_impatient, atfnb.fusion.learn_effects))
    for words in (("train", "-o", "model.json"), ("evaluate", "-c", "fusion", "--folds", "2", "--repeats", "1")):
        code, _, err = run(*words, "pets.csv", "-t", "kind")
        assert code == 0
        assert "FusionNB stopped" in err
        assert "max_iter" not in err
        assert "Warning" not in err
    assert "stopped 2 times before its fit had settled" in err


def _impatient(learn, *of, max_iter, **options):
    return learn(*of, max_iter=1, **options)


def test_too_little_memory_is_one_sentence(run, folder, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr("atfnb.classifiers.base.BaseNB.fit", fail)
    code, _, err = run("train", "pets.csv", "-t", "kind", "-o", "model.json")
    assert code == 1
    assert "there is not enough memory for a table of this size" in err
