"""atfnb train: classifiers, columns, weights, and what is said about the table."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from atfnb import ATFNB, NB, load
from atfnb.classifiers import ROSTER, Declaration
from atfnb.cli.train import classifiers_by_name, make_classifier
from helpers.cli_tables import pets

NAMES = ("fusion", "atfnb", "cfw-beta", "cfw", "dfw", "wnb", "klnb", "nb")


def test_the_names_of_version_0_1_0_are_known_and_in_their_order():
    assert tuple(name for name in classifiers_by_name() if name in NAMES) == NAMES


@pytest.mark.parametrize("name", classifiers_by_name())
def test_every_classifier_is_trained_by_its_name(run, folder, name):
    assert run("train", "pets.csv", "-t", "kind", "-c", name, "-o", "model.json", "-q") == (0, "", "")
    assert type(load("model.json")) is classifiers_by_name()[name]
    assert run("predict", "model.json", "new.csv", "-o", "out.csv", "-q") == (0, "", "")


def test_a_classifier_that_is_new_in_the_roster_is_trained_and_evaluated_by_its_name(run, folder, monkeypatch):
    class Constant(NB):
        declaration = Declaration("Constant", command="constant")

    monkeypatch.setattr("atfnb.classifiers.ROSTER", (*ROSTER, Constant))
    _, out, _ = run("evaluate", "pets.csv", "-t", "kind", "-c", "constant", "--repeats", "1", "-q")
    assert out.startswith("Recommended: Constant. ")
    assert type(make_classifier("constant", max_bins=3)) is Constant
    code, _, err = run("train", "pets.csv", "-t", "kind", "-c", "forest")
    assert code == 2
    assert "--classifier 'forest' is not known. Known: fusion, atfnb, cfw-beta," in err
    assert ", constant." in err


def test_indexes_and_parameters_reach_the_classifier(run, folder):
    options = ("-c", "atfnb", "--relevance", "gain_ratio", "--redundancy", "mutual_information", "--missing", "value")
    assert run("train", "pets.csv", "-t", "kind", *options, "--max-bins", "4", "--alpha", "0.5", "-o", "m.json")[0] == 0
    given = load("m.json").get_params()
    assert (given["relevance"], given["redundancy"]) == ("gain_ratio", "mutual_information")
    assert (given["missing"], given["max_bins"], given["alpha"]) == ("value", 4, 0.5)
    both = ("-c", "fusion", "--relevance", "gain_ratio", "--relevance", "pearson")
    assert run("train", "pets.csv", "-t", "kind", *both, "-o", "m.json")[0] == 0
    assert load("m.json").indexes_[1:3] == ["gain_ratio", "pearson"]


def test_pairs_of_columns_are_learned_named_and_explained(run, folder, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.choice(["n", "s"], (400, 3)), columns=["roof", "door", "wall"])
    frame["kind"] = np.where(frame["roof"] == frame["door"], "alike", "unlike")
    frame.to_csv("houses.csv", index=False)
    train = "train", "houses.csv", "-t", "kind", "-o", "model.json"
    _, _, err = run(*train)
    assert "act together, above all 'roof' × 'door' (" in err or "act together: 'roof' × 'door' (" in err
    assert run("predict", "model.json", "houses.csv", "-o", "out.csv", "--explain", "-q") == (0, "", "")
    assert pd.read_csv("out.csv")["because"].str.match(r"roof = [ns] × door = [ns] \(\+\d+\.\d\d\)").all()
    _, _, err = run(*train, "--pairs", "1")
    assert "1 pair of columns acts together: 'roof' × 'door' (" in err
    assert "together" not in run(*train, "--pairs", "0")[2]
    assert run(*train, "--pairs", "auto")[0] == 0
    for words, problem in ((("--pairs", "x"), "'x' is neither 'auto' nor a number from 0 on"), (("--pairs", "-1"), "")):
        code, _, err = run(*train, *words)
        assert code == 2
        assert problem in err
    code, _, err = run(*train, "--pairs", "3", "-c", "nb")
    assert (code, "--pairs does not go with --classifier nb." in err) == (2, True)
    monkeypatch.setattr("atfnb.fusion.refining.MANY_CLASSES", 1.0)
    assert "There are too many classes to look for pairs that act together, so none is learned." in run(*train)[2]


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
    assert "'colour' has a value that did not occur in training in 30 of 30 rows" in err
    assert "Columns that the model does not use are copied unchanged: 'shoe'." in err


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
    table = pets().drop(columns="weight").assign(owner=[f"person {i % 70}" for i in range(80)])
    table["animal's <b>sound"] = np.where(table["kind"] == "cat", "meow", "bark")
    table.to_csv("leaking.csv", index=False)
    leak = "alone predicts 'kind' in 100.0 % of the rows"
    names = "'owner': most of its values occur only once"
    for words in (("evaluate", "--repeats", "1", "-c", "nb"), ("train", "-o", "model.json")):
        code, _, err = run(*words, "leaking.csv", "-t", "kind")
        assert code == 0, err
        assert f'"animal\'s <b>sound" {leak}' in err
        assert """leave it out and train again (--ignore 'animal'"'"'s <b>sound').""" in err
        assert names in err
        assert err.count("alone predicts") == 1
    assert run("report", "model.json", "leaking.csv", "-o", "report.html", "--folds", "2")[0] == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    notes = page[page.index('id="notes"') :].partition("</ul>")[0]
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
    assert "trained on weighted rows; here every row counts the same." in err
    assert "trained on weighted rows; here every row" in (folder / "report.html").read_text(encoding="utf-8")
    assert run("predict", "model.json", "coded.csv", "-o", "out.csv")[0] == 0
    table.to_parquet("coded.parquet")
    code, _, err = run("predict", "model.json", "coded.parquet", "-o", "again.csv")
    assert code == 0
    assert "did not occur" not in err
    assert pd.read_csv("again.csv")["predicted"].tolist() == pd.read_csv("out.csv")["predicted"].tolist()


@pytest.mark.slow
@pytest.mark.no_cover
def test_thousands_of_columns(run, folder):
    random = np.random.default_rng(0)
    wide = pd.DataFrame(random.integers(0, 3, (40, 3000))).add_prefix("c")
    wide["kind"] = np.where(wide["c7"] > 0, "a", "b")
    wide.to_csv("wide.csv", index=False)
    code, _, err = run("train", "wide.csv", "-t", "kind", "-c", "nb", "-o", "model.json")
    assert code == 0, err
    assert run("predict", "model.json", "wide.csv", "-o", "out.csv")[0] == 0
    assert pd.read_csv("out.csv").shape == (40, 3002)


def test_nested_columns_of_parquet_are_refused_and_can_be_left_out(run, folder):
    pets().assign(tags=[["a"]] * 80).to_parquet("nested.parquet")
    code, _, err = run("train", "nested.parquet", "-t", "kind", "-o", "model.json")
    assert code == 1
    assert "holds neither numbers nor text in 'tags'" in err
    assert run("train", "nested.parquet", "-t", "kind", "--ignore", "tags", "-o", "model.json")[0] == 0


def test_classes_with_fractions_are_names(run, folder):
    pets().assign(kind=np.tile([1.0, 2.5], 40)).to_csv("grades.csv", index=False)
    assert run("train", "grades.csv", "-t", "kind", "-c", "nb", "-o", "model.json")[0] == 0
    assert load("model.json").classes_.tolist() == ["1.0", "2.5"]
    assert run("predict", "model.json", "grades.csv", "-o", "out.csv")[0] == 0
    assert run("report", "model.json", "grades.csv", "-o", "report.html", "--folds", "2")[0] == 0


def test_pairs_are_named_even_if_no_column_says_anything_alone(run, tmp_path):
    rows = [(a, b, "same" if a == b else "different") for a in "xy" for b in "xy"] * 25
    pd.DataFrame(rows, columns=["a", "b", "class"]).to_csv(tmp_path / "xor.csv", index=False)
    _, _, err = run("train", "xor.csv", "-t", "class")
    assert "1 pair of columns acts together: 'a' × 'b' (" in err
    _, _, err = run("train", "xor.csv", "-t", "class", "--pairs", "0")
    assert "together" not in err
    for wrong in ("-1", "1.5", "many", ""):
        code, _, err = run("train", "xor.csv", "-t", "class", "--pairs", wrong)
        assert code == 2
        assert f"{wrong!r} is neither 'auto' nor a number from 0 on." in err


# --- text with many values -------------------------------------------------------------------------


def towns(rows=900):
    """A table with a column of three towns and 200 villages, and a class that the size tells."""
    place = np.arange(rows)
    town = np.where(place % 3 == 0, "Bonn", np.where(place % 3 == 1, "Ulm", [f"village {i * 7 % 200}" for i in place]))
    return pd.DataFrame({"size": place % 10, "town": town, "kind": np.where(place % 10 < 6, "small", "large")})


def telling_towns():
    """The same table with a class that the town tells."""
    return towns().assign(kind=lambda table: np.where(table["town"].str.startswith("village"), "large", "small"))


@pytest.mark.parametrize("data", ["towns.csv", "towns*.csv"], ids=["in memory", "in parts"])
def test_rare_values_that_count_as_one_are_said(run, tmp_path, data):
    telling_towns().to_csv(tmp_path / "towns.csv", index=False)
    code, _, told = run("train", data, "-t", "kind")
    assert code == 0
    assert "'town' has 202 values; 200 with fewer than 10 rows count as one." in " ".join(told.split())
    assert load("model.json").encoder_.attributes[1].labels == ["Bonn", "Ulm", "any of 200 rare values"]
    _, _, told = run("train", data, "-t", "kind", "--min-category-rows", "1")
    assert "count as one" not in told
    assert load("model.json").encoder_.attributes[1].n_values == 202


def test_a_column_without_effect_is_not_among_the_largest_weights(run, tmp_path):
    place = np.arange(400)
    table = towns(400).assign(name=[f"n{i % 200}" for i in place], country="FR", town=place % 2)
    table.to_csv(tmp_path / "names.csv", index=False)
    _, _, told = run("train", "names.csv", "-t", "kind", "-c", "cfw")
    weights = next(line for line in told.splitlines() if line.startswith("Largest weights"))
    assert "'size'" in weights
    assert "'name'" not in weights
    assert "'country'" not in weights
    table.assign(name=table["name"].where(place % 3 > 0)).to_csv(tmp_path / "gaps.csv", index=False)
    _, _, told = run("train", "gaps.csv", "-t", "kind")
    said = "'name' has 200 values, with too few rows each to help predict the class: only whether it is missing has an"
    assert said in " ".join(told.split())


@pytest.mark.parametrize("data", ["towns.csv", "towns*.csv"], ids=["in memory", "in parts"])
def test_values_that_do_not_help_are_said(run, tmp_path, data):
    towns().to_csv(tmp_path / "towns.csv", index=False)
    _, _, told = run("train", data, "-t", "kind")
    assert "'town' has 202 values, with too few rows each to help predict the class: it has no effect." in " ".join(
        told.split()
    )
    assert load("model.json").encoder_.attributes[1].is_unused
    code, shown, told = run("predict", "model.json", "towns.csv", "--explain")
    assert code == 0
    assert "town" not in shown.split("\n", 1)[1].replace("towns", "")
    assert "did not occur" not in told
    assert run("drift", "model.json", "towns.csv")[0] == 0
    assert run("report", "model.json", "towns.csv", "-o", "report.html")[0] == 0
    assert run("export", "model.json", "-o", "model.sql")[0] == 0


def test_an_explanation_names_the_pooled_value(run, tmp_path):
    telling_towns().to_csv(tmp_path / "towns.csv", index=False)
    assert run("train", "towns.csv", "-t", "kind", "-c", "nb")[0] == 0
    code, shown, told = run("predict", "model.json", "towns.csv", "--explain")
    assert code == 0
    assert "town = any of 200 rare values (+" in shown
    assert "did not occur" not in told


# --- classes with few rows -------------------------------------------------------------------------


def zoo(kinds=("cat", "dog", "fish", "newt", "owl")):
    """A table with three frequent classes and two rare ones."""
    rng = np.random.default_rng(0)
    kind = np.repeat(np.array(kinds), [40, 30, 20, 2, 1])
    return pd.DataFrame({"size": rng.normal(size=93) + np.repeat(range(5), [40, 30, 20, 2, 1]), "kind": kind})


@pytest.mark.parametrize("data", ["zoo.csv", "zoo*.csv"], ids=["in memory", "in parts"])
@pytest.mark.parametrize("kinds", [("cat", "dog", "fish", "newt", "owl"), (1, 2, 3, 10, 11)], ids=["text", "numbers"])
@pytest.mark.parametrize("how", ["pool", "drop"])
def test_rare_classes_count_as_one_or_are_left_out(run, tmp_path, data, kinds, how):
    zoo(kinds).to_csv(tmp_path / "zoo.csv", index=False)
    words = (
        data,
        "-t",
        "kind",
        "-c",
        "atfnb",
        "--min-class-rows",
        "5",
        "--rare-classes",
        how,
        "--balance",
    )
    code, _, told = run("train", *words)
    assert code == 0, told
    named = f"(3 rows): '{kinds[3]}' (2), '{kinds[4]}' (1)."
    does = "count as one, 'other'" if how == "pool" else "left out"
    assert f"2 classes with fewer than 5 rows {does} {named}" in " ".join(told.split())
    model = load("model.json")
    assert model.training_["rare_classes"] == {"names": [*kinds[3:]], "into": "other" if how == "pool" else None}
    kept = [str(kind) for kind in kinds[:3]] if how == "pool" else [*kinds[:3]]
    assert model.classes_.tolist() == [*kept, *(["other"] if how == "pool" else [])]
    assert model.n_rows_ == (93 if how == "pool" else 90)
    again = ATFNB(class_weight="balanced")
    table = zoo(kinds)
    rare = table["kind"].isin(kinds[3:])
    y = table["kind"].astype(str).mask(rare, "other") if how == "pool" else table["kind"][~rare]
    again.fit(table.loc[y.index, ["size"]], y.to_numpy())
    assert_array_equal(again.table_, model.table_)
    for verb, out in (("test", "scores.json"), ("report", "report.html")):
        code, shown, told = run(verb, "model.json", "zoo.csv", "-o", out)
        assert code == 0, told
        done = "count as 'other', as in training" if how == "pool" else "left out, as in training"
        assert f"3 rows of classes that were rare in training {done}." in " ".join(told.split())
        if verb == "test":
            assert "These are the rows that the model was trained on" in shown
    assert "cross-validated on the 9" in (tmp_path / "report.html").read_text(encoding="utf-8")
    table.iloc[:-3].to_csv(tmp_path / "new.csv", index=False)
    assert "rare in training" not in run("test", "model.json", "new.csv")[2]


@pytest.mark.parametrize("data", ["zoo.csv", "zoo*.csv"], ids=["in memory", "in parts"])
def test_rows_of_rare_classes_are_those_that_count(run, tmp_path, data):
    zoo().assign(times=[0] * 20 + [1] * 73).to_csv(tmp_path / "zoo.csv", index=False)
    code, _, told = run("train", data, "-t", "kind", "-c", "nb", "--weight", "times", "--min-class-rows", "25")
    assert code == 0, told
    told = " ".join(told.split())
    assert "count as one, 'other' (43 rows): 'cat' (20), 'fish' (20), 'newt' (2), 'owl' (1)." in told
    assert load("model.json").classes_.tolist() == ["dog", "other"]
    assert load("model.json").counts_.classes.tolist() == [30, 43]


def test_too_high_a_number_of_rows_is_refused(run, tmp_path):
    zoo().to_csv(tmp_path / "zoo.csv", index=False)
    code, _, told = run("train", "zoo.csv", "-t", "kind", "--min-class-rows", "35", "--rare-classes", "drop")
    assert code == 1
    assert "only class 'cat' of the target 'kind' has 35 rows or more: use a lower --min-class-rows." in told
    code, _, told = run("train", "zoo.csv", "-t", "kind", "--rare-classes", "drop")
    assert code == 2
    assert "--rare-classes needs --min-class-rows" in told


def test_a_file_whose_rows_were_all_left_out_is_refused(run, tmp_path):
    zoo().to_csv(tmp_path / "zoo.csv", index=False)
    words = ("-t", "kind", "-c", "nb", "--min-class-rows", "5", "--rare-classes", "drop")
    assert run("train", "zoo.csv", *words)[0] == 0
    zoo().iloc[-3:].to_csv(tmp_path / "owls.csv", index=False)
    code, _, told = run("test", "model.json", "owls.csv")
    assert code == 1
    assert "no row has a class that the model was trained on" in told


def test_a_pool_that_is_no_class_is_refused(run, tmp_path):
    zoo().to_csv(tmp_path / "zoo.csv", index=False)
    assert run("train", "zoo.csv", "-t", "kind", "-c", "nb", "--min-class-rows", "5")[0] == 0
    document = json.loads((tmp_path / "model.json").read_text())
    document["training"]["rare_classes"]["into"] = "others"
    (tmp_path / "model.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match="its rare classes count as 'others', which is none of its classes"):
        load(tmp_path / "model.json")


@pytest.fixture
def doses(folder):
    rng = np.random.default_rng(0)
    dose, age = rng.integers(0, 8, 200), rng.integers(20, 80, 200)
    ill = (dose + rng.normal(0, 3, 200) > 4).astype(int)
    pd.DataFrame({"dose": dose, "age": age, "a=b": age % 7, "ill": ill}).to_csv("doses.csv", index=False)


def test_shapes_are_asked_for_and_said(run, doses):
    options = ("--rising", "dose", "--falling", "age", "--shape", "a=b=convex:1", "--shape", "dose=concave:1:0")
    code, _, err = run("train", "doses.csv", "-t", "ill", *options)
    assert code == 0
    assert "'dose' is rising and concave, as asked, which costs" in err
    shapes = {"dose": [["rising"], ["concave", "1", "0"]], "age": [["falling"]], "a=b": [["convex", "1"]]}
    assert load("model.json").shapes == shapes


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (
            ("--shape", "dose"),
            2,
            "--shape is a column, =, and rising, falling, convex or concave, such as dose=rising:t",
        ),
        (("--rising", "doze"), 1, "a shape names column 'doze', which is not in the table: did you mean 'dose'?"),
        (("--rising", "dose", "-c", "nb"), 2, "a shape does not go with --classifier nb."),
        (("--shape", "dose=rising:2"), 1, "a shape names the class '2', which no row has: there are '0', '1'."),
    ],
)
def test_shapes_that_cannot_be_are_one_sentence(run, doses, options, code, said):
    found, _, err = run("train", "doses.csv", "-t", "ill", *options)
    assert found == code
    assert said in err


def test_shapes_are_compared_with_the_classifiers_that_have_none(run, doses):
    options = ("evaluate", "doses.csv", "-t", "ill", "--repeats", "1", "--folds", "2", "--rising", "dose")
    code, _, err = run(*options, "-c", "fusion", "-c", "nb")
    assert code == 0
    assert "Of the classifiers, FusionNB alone obeys the shapes of 'dose'." in err
    code, _, err = run(*options, "-c", "nb")
    assert code == 2
    assert "--rising, --falling and --shape are for fusion" in err
