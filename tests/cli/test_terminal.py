"""Errors as one sentence and an exit code, notes as they are, and help."""

import ast
import json
import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import typer

import atfnb
from atfnb import FusionNB, cli, indexes
from atfnb._errors import Message, Setting
from atfnb.classifiers import BaseNB
from atfnb.cli.terminal import in_command
from atfnb.cli.train import classifiers_by_name
from helpers.cli_tables import pets

BAD = {
    "empty": (b"", "is empty"),
    "header": (b"weight,height,colour,kind\n", "has a header and no rows"),
    "ragged": (b"weight,height,colour,kind\n1,2,red,cat\n1,2,cat\n", "row 2 below the header"),
    "twice": (b"weight,weight,kind\n1,2,cat\n3,4,dog\n", "more than one column named 'weight'"),
    "nul": (b"weight,kind\n1,c\0t\n2,dog\n", "NUL"),
    "same": (b"weight,kind\n1,cat\n2,cat\n", "holds one class only, 'cat'"),
    "one and a mark": (b"weight,kind\n1,NA\n2,EU\n3,NA\n", "In 2 rows it is missing, which empty cells, NA,"),
    "gaps": (b"weight,kind\n1,\n2,\n", "is missing in every row"),
    "alone": (b"kind\ncat\ndog\n", "no column has any value to predict the class from"),
    "an impossible date": (b"day,kind\n2024-01-02,cat\n2024-02-30,dog\n", "no date format reads '2024-02-30'"),
    "two orders of dates": (
        b"day,kind\n13/1/2024,cat\n1/13/2024,dog\n",
        "column 'day' holds dates in different formats, such as '13/1/2024' and '1/13/2024'",
    ),
    "dates in either order": (b"day,kind\n1/2/2024,cat\n3/4/2024,dog\n", "say which with --date-format %d/%m/%Y or"),
    "dates as classes": (b"kind,n\n2024-01-02,1\n2024-01-03,2\n", "the target 'kind' is of type date32"),
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
            "--classifier atfnb takes one --relevance, and pearson and gain_ratio were given",
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
            assert len([line for line in err.splitlines() if line]) <= 2, err  # some versions of rich add an empty one
    assert {path.name for path in folder.iterdir()} == {"pets.csv", "new.csv"}


def test_names_with_markup_and_control_characters_are_shown_as_they_are(run, folder):
    table = pets(30).rename(columns={"weight": "[red]x[/red]", "height": "a\x1b[31mb"})
    table["[bold]id"] = [f"n{i}" for i in range(30)]
    table.to_csv("odd.csv", index=False)
    code, _, err = run("train", "odd.csv", "-t", "kind", "-o", "model.json")
    assert code == 0
    assert "'[red]x[/red]'" in err
    assert "'[bold]id' left out: another value in every row" in err
    assert "\x1b[31m" not in err


def test_no_verb_prints_what_a_terminal_obeys(run, folder):
    """Whether in the name of a column, a class, a value or a file."""
    clipboard = "\x1b]52;c;aGk=\x07\x9b31m"
    kinds = {"cat": f"cat{clipboard}", "dog": f"[b]dog{clipboard}"}
    table = pets().replace({"kind": kinds}).rename(columns={"weight": f"weight{clipboard}"})
    data, model = f"data{clipboard}.csv", f"model{clipboard}.json"
    table.assign(colour=table["colour"] + clipboard).to_csv(data, index=False)
    table.to_csv("new.csv", index=False)
    edit = {"do": "remove", "column": f"weight{clipboard}", "reason": f"why{clipboard}"}
    edits = {"format": "atfnb-edits", "version": 1, "edits": [edit, edit]}
    Path("edits.json").write_text(json.dumps(edits), encoding="utf-8")
    calls = [
        ("train", data, "-t", "kind", "-c", "nb", "-o", model),
        ("edit", model, "edits.json", "-o", model),
        ("edit", model),
        ("evaluate", data, "-t", "kind", "-c", "nb", "--folds", "2"),
        ("test", model, "new.csv"),
        ("test", f"no{model}", data),
        ("drift", model, "new.csv", "--fail-above", "0"),
        ("predict", model, "new.csv", "--explain", "--proba", "-o", "out.csv"),
        ("update", model, "new.csv", "-o", model),
        ("export", model, "-o", f"{model}.sql"),
        ("export", model, "-o", f"{model}.nothing"),
        ("page", model, "-o", f"{model}.html"),
        ("report", model, data, "-o", f"{model}.html"),
    ]
    for words in calls:
        code, out, err = run(*words)
        assert code < 2, err
        assert "\x1b" not in out + err, words
        assert "\x9b" not in out + err, words
    assert r"[b]dog\x1b]52;c;aGk=\x07\x9b31m" in run("test", model, "new.csv")[1]


def test_help_that_cannot_be_printed_is_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["atfnb", "--help"])
    with suppress(OSError), open("/dev/full", "w") as full:
        monkeypatch.setattr("sys.stdout", full)
        assert cli.run() == 1
    assert capsys.readouterr().err == "atfnb: No space left on device.\n"


def test_a_model_file_that_names_no_target_or_no_columns_is_no_trouble(run, folder):
    assert run("train", "pets.csv", "-t", "kind", "-c", "nb", "-o", "model.json")[0] == 0
    document = json.loads((folder / "model.json").read_text())
    (folder / "array.json").write_text(json.dumps(document | {"named_columns": False, "checksum": None}))
    (folder / "blank.json").write_text(json.dumps(document | {"training": document["training"] | {"target": ""}}))
    assert run("report", "array.json", "pets.csv", "-o", "report.html")[0] == 0
    code, _, err = run("test", "blank.json", "pets.csv")
    assert (code, err) == (1, "atfnb: the model file does not say which column it predicts: name it with --target.\n")


VERBS = ("evaluate", "train", "test", "predict", "report", "page", "reproduce", "datasets", "leaf extract", "leaf draw")


@pytest.mark.parametrize("verb", ["", "leaf", "drift", "update", "export", *VERBS])
def test_a_flag_is_shown_as_a_flag(run, verb):
    _, out, _ = run(*verb.split(), "--help")
    assert "--help" in out
    assert "bool" not in out


def test_the_help_of_max_bins_says_what_it_does_for_fusion(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    for verb in ("train", "evaluate"):
        out = run(verb, "--help")[1]
        assert "Default: the number of classes, up to 32; for fusion no limit but that of its cuts" in out
        assert f"up to {FusionNB().max_cuts} quantiles" in out


@pytest.mark.parametrize("verb", VERBS)
def test_help_says_what_when_and_an_example(run, verb):
    code, out, _ = run(*verb.split(), "--help")
    assert code == 0
    assert "Use it " in out
    assert f"Example: atfnb {verb}" in out


def test_help_names_all_classifiers_and_indexes_that_exist(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    _, out, _ = run("train", "--help")
    classifiers, relevance, redundancy = (
        re.search(rf"{option} .*?: (.*?)[.│]", out)[1] for option in ("--classifier", "--relevance", "--redundancy")
    )
    for names, known in (
        (classifiers, classifiers_by_name()),
        (relevance, indexes.RELEVANCE),
        (redundancy, indexes.REDUNDANCY),
    ):
        said = re.split(r",? or |, ", re.sub(r" \(.*?\)", "", names))
        assert len(said) > 3
        assert set(said) <= set(known), said
        told = {getattr(known[name], "function", name) for name in said}  # an index may have two names
        missing = [name for name, one in known.items() if getattr(one, "function", name) not in told]
        assert missing == [], "not in the help of atfnb train"


def test_the_version_and_completion(run):
    assert run("--version")[1].startswith("atfnb ")
    assert "--install-completion" in run("--help")[1]


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
    monkeypatch.setitem(FusionNB.__init__.__kwdefaults__, "max_iter", 1)
    for words in (("train", "-o", "model.json"), ("evaluate", "-c", "fusion", "--folds", "2", "--repeats", "1")):
        code, _, err = run(*words, "pets.csv", "-t", "kind")
        assert code == 0
        assert "stopped before converging" in err
        assert "max_iter" not in err
        assert "Warning" not in err
    assert " fits stopped before converging" in err


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "there is not enough memory for a table of this size"),
        (RuntimeError("can't start new thread"), "the system allows no more threads: end other programs"),
        (EOFError("the file ends too early"), "the file ends too early"),
    ],
)
def test_what_the_system_lacks_is_one_sentence(run, folder, monkeypatch, error, sentence):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(BaseNB, "learn", fail)
    code, _, err = run("train", "pets.csv", "-t", "kind", "-o", "model.json")
    assert code == 1
    assert sentence in err


def test_whole_numbers_that_floats_cannot_tell_apart_are_named(run, folder):
    table = pets()
    table.assign(code=2**53 + (table["kind"] == "cat")).to_csv("codes.csv", index=False)
    _, _, err = run("train", "codes.csv", "-t", "kind", "-c", "nb", "-o", "model.json")
    assert "'code' holds whole numbers beyond 2^53, of which neighbours count as one: to keep them apart, give" in err


def test_every_parameter_that_a_message_names_has_an_option():
    source, verbs = Path(atfnb.__file__).parent, typer.main.get_command(cli.app).commands.values()
    options = {option for verb in verbs for parameter in verb.params for option in parameter.opts}
    calls = (node for file in source.rglob("*.py") for node in ast.walk(ast.parse(file.read_text("utf-8"))))
    settings = (call.args[0] for call in calls if isinstance(call, ast.Call) and ast.unparse(call.func) == "Setting")
    named = {name.value for name in settings if isinstance(name, ast.Constant)}
    worded = {
        name: in_command(Message(Setting(name))) for name in named - {"class_weight"}
    }  # --balance is a value of it
    assert {"y": "the target", "sample_weight": "the weight", "as_text": "--categorical"}.items() <= worded.items()
    assert {option for option in worded.values() if option.startswith("--")} <= options, worded
