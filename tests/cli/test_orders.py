"""Orders of categories and of classes on the command line."""

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose

from atfnb import load

SIZES, LEVELS = ["S", "M", "L", "XL"], ["low", "medium", "high"]


def shirts(rows=240, seed=0):
    """Sizes, a feeling that goes with them, and a level that goes with both."""
    rng = np.random.default_rng(seed)
    rank = rng.integers(0, 4, rows)
    level = np.clip((rank + rng.integers(-1, 2, rows)) // 2, 0, 2)
    frame = pd.DataFrame({"size": np.array(SIZES)[rank], "mood": rng.choice(["red", "blue", "green"], rows)})
    return frame.assign(level=np.array(LEVELS)[level])


def test_an_order_on_the_command_line_is_that_of_a_file_with_types(run, tmp_path):
    plain = shirts()
    plain.to_csv(tmp_path / "plain.csv", index=False)
    plain.assign(size=pd.Categorical(plain["size"], SIZES, ordered=True)).to_parquet(tmp_path / "typed.parquet")
    run("train", "plain.csv", "-t", "level", "--order", "size=S, M,L,XL", "-o", "plain.json", "-q")
    (tmp_path / "parts").mkdir()
    for name, rows in (("a", slice(0, 100)), ("b", slice(100, None))):
        typed = plain.assign(size=pd.Categorical(plain["size"], SIZES, ordered=True))
        typed.iloc[rows].to_parquet(tmp_path / "parts" / f"{name}.parquet", row_group_size=60)
    run("train", "typed.parquet", "-t", "level", "-o", "typed.json", "-q")
    run("train", "typed.parquet", "-t", "level", "-o", "marked.json", "-q", "--missing-mark", "none")
    run("train", "parts/*.parquet", "-t", "level", "-o", "parts.json", "-q")
    first, *others = [load(tmp_path / f"{name}.json") for name in ("plain", "typed", "marked", "parts")]
    assert first.encoder_.attributes[0].labels == SIZES
    for other in others:
        assert other.encoder_ == first.encoder_
        assert_allclose(other.table_, first.table_, rtol=0, atol=1e-12)
    predicted = [run("predict", model, "plain.csv", "-q")[1] for model in ("plain.json", "typed.json")]
    assert predicted[0] == predicted[1]


def test_models_like_one_from_a_typed_file_are_smoothed_along_the_order_too(run, tmp_path):
    plain = shirts(60)
    plain.to_csv(tmp_path / "plain.csv", index=False)
    plain.assign(size=pd.Categorical(plain["size"], SIZES, ordered=True)).to_parquet(tmp_path / "typed.parquet")
    run("train", "plain.csv", "-t", "level", "--order", "size=S,M,L,XL", "-o", "plain.json", "-q")
    run("train", "typed.parquet", "-t", "level", "-o", "typed.json", "-q")
    figures = []
    for name in ("plain", "typed"):
        run("report", f"{name}.json", "plain.csv", "-o", f"{name}.html", "-q")
        page = (tmp_path / f"{name}.html").read_text()
        figures.append(page[page.index("<h3>Figures</h3>") : page.index("Recall and precision")])
    assert figures[0] == figures[1]


def test_evaluate_names_the_option_for_a_column_that_suggests_an_order(run, tmp_path):
    shirts().to_csv(tmp_path / "plain.csv", index=False)
    words = ("evaluate", "plain.csv", "-t", "level", "-c", "nb", "--repeats", "1")
    note = "FusionNB smooths along it with --order size=S,M,L,XL."
    assert note in run(*words)[2]
    assert note not in run(*words, "--order", "size=S,M,L,XL")[2]


def test_what_an_order_cannot_be_is_one_sentence(run, tmp_path):
    shirts().to_csv(tmp_path / "plain.csv", index=False)
    for given, code, sentence in [
        ("size", 2, "--order takes a column and its values, as in --order 'size=S,M,L', not 'size'."),
        ("sise=S,M", 1, "--order names column 'sise', which is not in the table: did you mean 'size'?"),
        (
            "size=S,M,L",
            1,
            "column 'size' has the value 'XL', which is not in its order, 'S', 'M', 'L': give it a place",
        ),
        ("size=S", 1, "--order of column 'size' must be a list of different values, not ['S']."),
    ]:
        found, _, said = run("train", "plain.csv", "-t", "level", "--order", given)
        assert found == code
        assert sentence in said


def test_the_command_says_how_far_off_and_the_model_file_keeps_the_order_of_classes(run, tmp_path):
    shirts().to_csv(tmp_path / "plain.csv", index=False)
    words, order = ("plain.csv", "-t", "level", "-c", "nb"), ("--class-order", "low,medium,high")
    assert "Along the order of the classes, it is off by 0." in run("evaluate", *words, "--repeats", "1", *order)[1]
    run("train", *words, *order, "-o", "model.json")
    assert load(tmp_path / "model.json").training_["class_order"] == LEVELS
    kept = run("test", "model.json", "plain.csv")[1]
    assert "quadratic weighted kappa" in kept
    assert kept == run("test", "model.json", "plain.csv", "--class-order", "high,medium,low")[1]
    run("report", "model.json", "plain.csv", "-o", "page.html")
    assert "quadratic weighted kappa" in (tmp_path / "page.html").read_text()
    refused = run("train", *words, "--class-order", "low,high")[2]
    assert "--class-order lacks the class 'medium': give it a place there." in refused
