"""What is not a sound model is refused, with one sentence that says why."""

import copy
import json
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from atfnb import NB, FusionNB, load, save
from atfnb.model_file import from_document, to_document
from atfnb.model_file.text import laid_out
from helpers.model_files import CASES, assert_one_sentence, small_model, small_table, unsealed

DOCUMENTS = {case: unsealed(small_model(case)) for case in CASES}


def refusal(content, tmp_path):
    """The sentence that refuses the content of a file."""
    path = tmp_path / "model.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        load(path)
    return assert_one_sentence(refused.value)


FILES = {
    b"": "is empty",
    b" \n ": "is empty",
    b"\x80\x04\x95pickled": "is not an atfnb model: it is not JSON at line 1, column 1",
    "ü".encode("utf-16"): "is not an atfnb model: it is not JSON",
    b'{"format": "\xff"}': "is not an atfnb model: it is not text in UTF-8",
    b'{"format": "atfnb model",\n "version": NaN}': "is damaged: it is not JSON at line 2, column 13",
    b'{"format": "atfnb model", "version": 1e999}': "is damaged: Number out of range",
    b"<PMML version='4.4'/>": "is not an atfnb model: it is not JSON at line 1, column 1",
    b"a,b\n1,2\n": "is not an atfnb model: it is not JSON",
    b"[1, 2]": 'is not an atfnb model: its "format" must be "atfnb model", not a list',
    b"null": 'is not an atfnb model: its "format" must be "atfnb model", not null',
    b"NaN": "is not an atfnb model: it is not JSON",
    b"{}": 'is not an atfnb model: its "format" must be "atfnb model", not null',
    b'{"learner": {}, "version": [2, 1, 0]}': 'is not an atfnb model: its "format" must be "atfnb model", not null',
    b'{"format": "pmml"}': 'is not an atfnb model: its "format" must be "atfnb model", not \'pmml\'',
    b'{"format": ["atfnb model"]}': 'is not an atfnb model: its "format" must be "atfnb model", not a list',
    b'{"format": "atfnb model"}': 'the file has no "version"',
    b'{"format": "atfnb model", "version": true}': '"version" must be a whole number, not true',
    b'{"format": "atfnb model", "version": 3}': "is of version 3, and this atfnb reads version 2: install a newer",
    b'{"format": "atfnb model", "version": 0}': '"version" must be a whole number of at least 1, not 0',
    b'{"format": "atfnb model", "version": 1}': 'the file has no "classifier"',
    b'{"format": "atfnb model", "version" 1}': "is damaged: it is not JSON at line 1, column 37",
    b'{"format": "atfnb model", "version": 1': "was cut off: it ends at line 1",
    '{"format": "ü'.encode()[:-1]: "was cut off: it ends at line 1",
    b"[" * 100_000: "is not an atfnb model: it is nested too deep",
    b'{"a":' * 100_000 + b"1" + b"}" * 100_000: "is not an atfnb model: it is nested too deep",
    b'{"format": ' + b"1" * 5000 + b"}": "is not an atfnb model: Integer value out of range",
}


@pytest.mark.parametrize("content", FILES, ids=lambda content: repr(content[:30]))
def test_a_file_that_is_no_model_is_refused_in_one_sentence(content, tmp_path):
    assert FILES[content] in refusal(content, tmp_path)


def test_every_beginning_of_a_model_is_refused(tmp_path):
    save(small_model("CFW", alpha=1), tmp_path / "whole.json")
    whole = (tmp_path / "whole.json").read_bytes()
    assert whole.endswith(b"}\n")
    for length in range(1, len(whole) - 1):
        assert "was cut off" in refusal(whole[:length], tmp_path)


def test_a_byte_order_mark_does_not_matter(tmp_path):
    text = laid_out(DOCUMENTS["NB"]).encode()
    (tmp_path / "model.json").write_bytes(b"\xef\xbb\xbf" + text)
    assert type(load(tmp_path / "model.json")) is NB


def test_what_cannot_be_read_is_an_os_error_that_names_the_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^none\.json cannot be read: "):
        load(tmp_path / "none.json")
    with pytest.raises(OSError, match=rf"^{tmp_path.name} cannot be read: "):
        load(tmp_path)


def put(*path):
    """Replace what stands at a place: the last of the path."""
    *keys, last, value = path

    def change(document):
        for key in keys:
            document = document[key]
        document[last] = value(document[last]) if callable(value) else value

    return change


def drop(*path):
    *keys, last = path

    def change(document):
        for key in keys:
            document = document[key]
        del document[last]

    return change


HUGE = 10**400
CHANGES = [
    # entries
    (
        "NB",
        put("columns", 0, lambda column: column | {"wieght": 1}),
        "column 'age' has an entry 'wieght', which is not",
    ),
    (
        "NB",
        put("training", lambda part: part | {"note": ""}),
        "\"training\" has an entry 'note', which is not known here",
    ),
    ("NB", drop("columns", 0, "counts"), "column 'age' has no \"counts\""),
    ("NB", drop("size"), 'the file has no "size"'),
    ("ATFNB", drop("beta"), 'the file has no "beta"'),
    ("FusionNB", drop("columns", 1, "effects"), "\"effects\" of column 'colour' must be 3 × 2 numbers"),
    ("NB", put("classes", []), '"classes" must be an object, not a list'),
    ("NB", put("columns", {}), '"columns" must be a list, not an object'),
    ("NB", put("columns", 0, []), "column 0 must be an object"),
    ("NB", put("classifier", "os.system"), '"classifier" must be one of FusionNB, ATFNB'),
    ("NB", put("classifier", "WNB"), None),  # NB's weights could be those of WNB: the same kind of file
    ("NB", put("classifier", "BaseNB"), "WeightedNB, not 'BaseNB'"),
    # larger, or smaller, than it should be
    ("NB", put("size", "classes", 2.0), '"classes" of "size" must be a whole number, not 2.0'),
    ("NB", put("columns", lambda columns: [*columns, columns[0]]), "two columns are named 'age'"),
    ("NB", put("columns", []), '"columns" must have at least 1 entries, not 0'),
    ("NB", put("columns", 0, "cuts", [30, 39]), "\"counts\" of column 'age' must be 3 × 2 numbers"),
    ("NB", put("columns", 0, "counts", lambda rows: rows[:1]), "\"counts\" of column 'age' must be 2 × 2 numbers"),
    ("NB", put("columns", 0, "adds", lambda rows: rows * 2), "\"adds\" of column 'age' must be 2 × 2 numbers"),
    (
        "NB",
        put("columns", 0, "adds", 0, [1, 2, 3]),
        "\"adds\" of column 'age' must be 2 × 2 numbers",
    ),
    ("NB", put("columns", 0, "adds", 0, 5), "an entry of \"adds\" of column 'age' must be a list, not 5"),
    ("NB", put("classes", "counts", [16, 8, 1]), '"counts" of "classes" must be 2 numbers.'),
    ("NB", put("classes", "names", ["no"]), '"names" of "classes" must have at least 2 entries, not 1'),
    ("FusionNB", put("fusion", "theta", [1]), '"theta" of "fusion" must be 6 numbers.'),
    ("FusionNB", put("columns", 0, "indexes", [1]), "\"indexes\" of column 'age' must be 6 numbers."),
    # numbers that are none
    (
        "NB",
        put("columns", 0, "counts", 0, 0, True),
        "an entry of \"counts\" of column 'age' must be a number, not true",
    ),
    (
        "NB",
        put("columns", 0, "counts", 0, 0, "13"),
        "an entry of \"counts\" of column 'age' must be a number, not '13'",
    ),
    (
        "NB",
        put("columns", 0, "counts", 0, 0, None),
        "an entry of \"counts\" of column 'age' must be a number, not null",
    ),
    (
        "NB",
        put("columns", 0, "counts", 0, 0, [13]),
        "an entry of \"counts\" of column 'age' must be a number, not a list",
    ),
    ("NB", put("columns", 0, "counts", 0, 0, HUGE), "must be a number that 64 bits can hold"),
    ("NB", put("columns", 0, "weight", True), "\"weight\" of column 'age' must be a number, not true"),
    ("NB", put("columns", 0, "weight", HUGE), "\"weight\" of column 'age' must be a number that 64 bits can hold"),
    ("NB", put("training", "rows", 24.0), '"rows" of "training" must be a whole number, not 24.0'),
    ("NB", put("training", "rows", HUGE), '"rows" of "training" must be a whole number of at most'),
    ("NB", put("training", "options", "alpha", HUGE), "alpha must be a number above 0, not 1000"),
    # text
    ("NB", put("columns", 0, "name", 7), '"name" of column 0 must be text, not 7'),
    ("NB", put("columns", 0, "name", "owner"), "two columns are named 'owner'"),
    ("NB", put("training", "target", 3), '"target" of "training" must be text or null, not 3'),
    ("NB", put("named_columns", 1), '"named_columns" must be true or false, not 1'),
    # classes and categories
    (
        "NB",
        put("classes", "names", ["yes", "no"]),
        "the classes must be sorted and differ, and 'no' stands after 'yes'",
    ),
    ("NB", put("classes", "names", ["no", "no"]), "the classes must be sorted and differ"),
    ("NB", put("classes", "names", ["no", 1]), 'an entry of "names" of "classes" must be text, not 1'),
    ("NB", put("classes", "names", ["no", "no\x00"]), "one of the classes is not of type text"),
    ("NB", put("classes", "names", ["no", "x" * 2**24]), "the names of the classes are too long"),
    ("NB", put("classes", "type", "O"), '"type" of "classes" must be "text", "bool" or the name of'),
    (
        "NB",
        put("classes", {"type": "int8", "names": [1, 300], "counts": [16, 8], "starts": [0, 0]}),
        "one of the classes is not of type int8",
    ),
    (
        "NB",
        put("classes", {"type": "bool", "names": [0, 1], "counts": [16, 8], "starts": [0, 0]}),
        "be true or false, not 0",
    ),
    (
        "NB",
        put("columns", 1, "categories", ["red", "green", "blüe"]),
        "the categories of column 'colour' must be sorted",
    ),
    ("NB", put("columns", 1, "categories", ["blüe", "blüe", "red"]), "must be sorted and differ"),
    ("NB", put("columns", 1, "categories", ["blüe", 5, "red"]), "must have numbers before text"),
    (
        "NB",
        put("columns", 1, "categories", [None, "green", "red"]),
        "an entry of \"categories\" of column 'colour' must be text, numbers or booleans, not null",
    ),
    ("NB", put("columns", 1, "categories", [{"decimal": "x"}, "green", "red"]), "must be a decimal number, not"),
    (
        "NB",
        put("columns", 1, "categories", [{"float": "nan"}, "green", "red"]),
        '"float" of "categories" of column \'colour\' must be',
    ),
    ("NB", put("columns", 1, "categories", []), "or the position of one of its 0 values"),
    ("NB", put("columns", 0, "cuts", [39, 39]), "the cuts of column 'age' must be sorted and differ"),
    (
        "NB",
        put("columns", 0, "whole", [20, 50.0]),
        "an entry of \"whole\" of column 'age' must be a whole number, not 50.0",
    ),
    ("NB", put("columns", 0, "whole", [20]), "\"whole\" of column 'age' must have at least 2 entries, not 1"),
    (
        "NB",
        put("columns", 0, "whole", [False, True]),
        "an entry of \"whole\" of column 'age' must be a whole number, not false",
    ),
    (
        "NB",
        put("columns", 0, "whole", [0, 10**16]),
        "\"whole\" of column 'age' must be a whole number of at most 1e+15",
    ),
    ("NB", put("columns", 1, "whole", [0, 1]), "column 'colour' has an entry 'whole', which is not known here"),
    ("NB", put("columns", 0, "kind", "categories"), "column 'age' has an entry 'cuts', which is not known here"),
    # missing cells
    (
        "NB",
        put("columns", 0, "missing", 2),
        '"missing" of column \'age\' must be "skip", "value" or the position of one of its 2 values',
    ),
    ("NB", put("columns", 0, "missing", True), '"skip", "value" or the position of a value, not true'),
    (
        "NB",
        put("training", "options", "missing", "drop"),
        "missing must be 'impute' or 'skip' or 'value', not 'drop'",
    ),
    # counts
    (
        "NB",
        put("columns", 0, "counts", 0, [-13, 4]),
        "an entry of \"counts\" of column 'age' must be a number of at least 0, not -13",
    ),
    ("NB", put("classes", "counts", [24, 0]), "must be a number above 0, not 0"),
    ("NB", put("columns", 0, "counts", 0, [14, 4]), "the counts of column 'age' for class 'no' add up to 17, and the"),
    ("NB", put("columns", 1, "skipped", [1, 0]), "the counts of column 'colour' for class 'no' add up to 17, and the"),
    ("NB", put("classes", "counts", [16, 9]), "the weight of the training rows is not the sum of the counts"),
    ("NB", put("training", "weight", 25), "the weight of the training rows is not the sum of the counts"),
    ("NB", put("training", "rows", 1), "the rows of the classes add up to 24, and it has 1 rows"),
    ("NB", put("classes", "rows", [1, 1]), "the rows of the classes add up to 2, and it has"),
    ("NB", put("classes", "rows", [1]), '"rows" of "classes" must be 2 numbers.'),
    # what follows from what
    (
        "NB",
        put("columns", 0, "adds", 0, 0, 1e308),
        "an entry of \"adds\" of column 'age' must be a number of at most 1e+100",
    ),
    (
        "FusionNB with pairs",
        put("pairs", 0, "adds", 0, 0, 0, -1e308),
        'an entry of "adds" of "pairs" must be a number of at least',
    ),
    (
        "FusionNB",
        put("columns", 0, "indexes", 0, 1e300),
        "an entry of \"indexes\" of column 'age' must be a number of at most",
    ),
    ("NB", put("training", "options", "max_bins", -1), "max_bins must be"),
    ("NB", put("training", "options", "merge_case", "maybe"), "merge_case must be True or False, not 'maybe'"),
    ("NB", put("training", "options", "alpha", "one"), "alpha must be a number above 0, not 'one'"),
    ("NB", put("training", "options", "x", 1), '"options" of "training" has an entry \'x\', which is not known here'),
    ("NB", drop("training", "options", "alpha"), '"options" of "training" has no "alpha"'),
    ("ATFNB", put("beta", "value", 2), '"value" of "beta" must be a number of at most 1, not 2'),
    ("ATFNB", put("beta", "interval", [0]), '"interval" of "beta" must have at least 2 entries, not 1'),
    ("ATFNB", put("beta", "intervals", []), '"intervals" of "beta" must have at least 1 entries'),
    ("ATFNB", put("beta", "curve", "edges", []), '"edges" of "curve" of "beta" must have at least 2 entries'),
    (
        "ATFNB",
        put("beta", "curve", "accuracy", 0, -1),
        'an entry of "accuracy" of "curve" of "beta" must be a number of at least 0',
    ),
    ("ATFNB", put("beta", "curve", "whole", 1), '"whole" of "curve" of "beta" must be true or false, not 1'),
    ("ATFNB", put("training", "options", "search", "x"), "search must be 'qsf' or 'sls', not 'x'"),
    ("CFW", put("value_pairs", []), '"value_pairs" must be 10 lists'),
    ("CFW", put("value_pairs", 0, lambda row: row[1:]), 'list 0 of "value_pairs" must be 7 numbers'),
    ("CFW", put("value_pairs", 0, 0, -1), 'an entry of "value_pairs" must be a number of at least 0, not -1'),
    ("NB", put("training", "updates", 0), '"updates" of "training" must be a whole number of at least 1'),
    ("NB", put("training", "fit", {"accuracy": 2, "log_loss": 1, "calibration_error": 0}), "must be a number of at mo"),
    ("NB", put("training", "fit", {"accuracy": 1}), '"fit" of "training" has no "log_loss"'),
    ("FusionNB with pairs", put("pairs", 0, "columns", [1, 0]), "a pair of columns is 1 and 0, and must be two of the"),
    ("FusionNB with pairs", put("pairs", 0, "columns", [0, 7]), "a pair of columns is 0 and 7, and must be two of the"),
    ("FusionNB with pairs", put("pairs", 0, "rows", []), "of the pair 'age' and 'owner' must be 5 × 2 numbers"),
    ("FusionNB with pairs", put("pairs", 0, "adds", [[[1, 2]]]), "must be 5 × 2 × 2 numbers"),
    ("FusionNB with pairs", put("columns", 0, "groups", 0, 2**63), "must be a whole number of at most 255"),
    ("FusionNB with pairs", put("columns", 0, "groups", 0, 200), "must be 201 × 2 × 2 numbers"),
    ("FusionNB with pairs", put("fusion", "pair_shrinkage", None), '"pair_shrinkage" of "fusion" must not be null'),
    ("FusionNB", put("fusion", "pair_shrinkage", 1), '"pair_shrinkage" of "fusion" must be null with these options'),
    ("FusionNB fused", put("fusion", "shrinkage", 1), '"shrinkage" of "fusion" must be null with these options'),
    ("FusionNB", put("fusion", "steps", -1), '"steps" of "fusion" must be a whole number of at least 0'),
    ("FusionNB", put("training", "options", "refine", "no"), "refine must be 'attribute' or 'value' or None, not 'no'"),
]


EDITS = [
    ("NB", put("size", "columns", 10**12)),
    ("NB", put("size", "values", 6)),
    ("NB", put("columns", 0, "name", "years")),
    ("NB", put("columns", 0, "cuts", [38])),
    ("NB", put("columns", 0, "whole", None)),
    ("NB", put("columns", 1, "categories", ["blüe", "green", "ruby"])),
    ("NB", put("columns", 1, "missing", 0)),
    ("NB", put("columns", 0, "weight", 1.1)),
    ("NB", put("columns", 0, "counts", [[12, 4], [4, 4]])),
    ("NB", put("columns", 0, "adds", 0, 0, lambda a: a + 1e-15)),
    ("NB", put("training", "options", "alpha", 1.001)),
    ("NB", put("training", "options", "class_prior", [1, 1])),
    ("NB", put("classes", "names", ["no", "yea"])),
    ("NB", put("classes", "starts", [-0.42, -1.06])),
    ("CFW", put("columns", 0, "relevance", 0.1)),
    ("CFW", put("value_pairs", 0, 0, lambda rows: rows + 1)),
    ("ATFNB", put("beta", "value", lambda b: b + 1e-6)),
    ("ATFNB", put("beta", "intervals", [[0.5, 0.1]])),
    ("ATFNB", put("beta", "curve", "edges", 0, 0.5)),
    ("FusionNB", put("columns", 1, "effects", 0, [0.5, -0.5])),
    ("FusionNB fused", put("fusion", "gamma", 0.5)),
    ("FusionNB with pairs", put("pairs", 0, "weight", 9)),
    ("FusionNB with pairs", put("pairs", 0, "adds", 0, 0, 0, 1)),
]
"""Changes after which a file is still one that predicts."""


def test_a_file_that_was_changed_is_refused_by_its_checksum(tmp_path):
    for case, change in EDITS:
        document = to_document(small_model(case))
        change(document)
        assert refusal(json.dumps(document), tmp_path).startswith("model.json was changed after it was saved")
        del document["checksum"]
        (tmp_path / "model.json").write_text(json.dumps(document))
        save(load(tmp_path / "model.json"), tmp_path / "model.json")
        assert load(tmp_path / "model.json").n_rows_ == 24


def test_the_checksum_is_of_the_content_not_of_its_form(tmp_path):
    document = to_document(small_model("FusionNB with pairs"), source="cars.csv")
    document["training"] |= {"source": "elsewhere.csv", "date": "2020-01-01T00:00:00Z"}
    numbers_as_floats = [[float(count) for count in row] for row in document["columns"][0]["counts"]]
    document["columns"][0]["counts"] = numbers_as_floats
    (tmp_path / "model.json").write_text(json.dumps(document, sort_keys=True, indent=1))
    assert load(tmp_path / "model.json").training_["source"] == "elsewhere.csv"
    with pytest.raises(ValueError, match='"checksum" must be 16 hexadecimal digits, not 7'):
        from_document(document | {"checksum": 7})


@pytest.mark.parametrize(("case", "change", "reason"), CHANGES, ids=[f"{i} {c[2]}" for i, c in enumerate(CHANGES)])
def test_a_document_that_was_changed_is_refused_with_the_reason(case, change, reason, tmp_path):
    document = copy.deepcopy(DOCUMENTS[case])
    change(document)
    content = json.dumps(document)
    if reason is None:
        (tmp_path / "model.json").write_text(content)
        load(tmp_path / "model.json")
    else:
        sentence = refusal(content, tmp_path)
        assert sentence.startswith("model.json is inconsistent: ")
        assert reason in sentence


def test_a_document_is_refused_by_its_name():
    with pytest.raises(ValueError, match=r'^the document is not an atfnb model: its "format" must be "atfnb model"'):
        from_document({})


def test_loading_executes_nothing(monkeypatch, tmp_path):
    """No module is imported, no object is unpickled and nothing is evaluated, whatever a file names."""
    document = copy.deepcopy(DOCUMENTS["ATFNB"])
    for option in document["training"]["options"]:
        if option in ("categorical_features", "class_weight", "redundancy", "relevance", "step"):
            document["training"]["options"][option] = {"function": "antigravity.fly"}
    document["training"]["source"] = "__import__('antigravity')"
    (tmp_path / "model.json").write_text(json.dumps(document))

    events = []
    watched = ("import", "exec", "compile", "pickle.find_class", "os.system", "subprocess.Popen", "marshal.loads")
    watching = [True]
    sys.addaudithook(lambda event, args: events.append((event, args)) if watching[0] and event in watched else None)
    try:
        model = load(tmp_path / "model.json")
    finally:
        watching[0] = False
    assert events == []
    assert model.relevance == "antigravity.fly"
    assert "antigravity" not in sys.modules


# --- saving ----------------------------------------------------------------------------------------


class OwnFusion(FusionNB):
    """A class that no file can name, and whose scores are more than weights."""


class OwnScores(NB):
    """A class whose scores do not follow from its weights."""

    def predict_joint_log_proba(self, X):
        return -super().predict_joint_log_proba(X)


def test_what_cannot_be_saved_is_refused_and_nothing_is_touched(tmp_path):
    path = tmp_path / "model.json"
    path.write_text("what was there before")
    frame, y = small_table()
    table = [[cell] for cell in (Fraction(1, 3), "a", "a")]
    changed = small_model("NB")
    changed.weights_ = np.array([1.0, 2.0, np.inf])
    for model, error, reason in [
        (NB(), NotFittedError, "not fitted"),
        (
            OwnFusion(refine=None).fit(frame, y),
            ValueError,
            "a OwnFusion cannot be saved, because it has its own '_evidence'",
        ),
        (OwnScores().fit(frame, y), ValueError, "a OwnScores cannot be saved, because it has its own 'predict_joint_l"),
        (OwnScores(), NotFittedError, "not fitted"),
        ("NB", ValueError, "a str cannot be saved; these can: FusionNB, ATFNB"),
        (
            NB().fit(table, [0, 1, 1]),
            ValueError,
            "column 'x0' has the category .* of type Fraction, which a model file",
        ),
        (NB().fit([["\ud800"], ["b"]], [0, 1]), ValueError, "contains half of a surrogate pair"),
        (changed, ValueError, "cannot be saved, as it is inconsistent: \"weight\" of column 'owner' must be a number"),
    ]:
        with pytest.raises(error, match=reason):
            save(model, path)
    with pytest.raises(ValueError, match='"target" of "training" must be text or null, not 3'):
        save(small_model("NB"), path, target=3)
    assert path.read_text() == "what was there before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_crash_while_writing_leaves_the_file_that_was_there_and_nothing_else(step, tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    save(small_model("NB"), path)
    before = path.read_bytes()

    def crash(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync" if step == "fsync" else "pathlib.Path.replace", crash)
    with pytest.raises(KeyboardInterrupt):
        save(small_model("ATFNB"), path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]


def test_a_folder_is_no_place_for_a_model(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        save(small_model("NB"), tmp_path / "folder")
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize("odd", ["", "12", "G" * 16, "0" * 17, 12])
def test_a_fingerprint_that_is_none_is_refused(odd, tmp_path):
    document = copy.deepcopy(DOCUMENTS["NB"])
    document["training"]["fingerprint"] = odd
    assert '"fingerprint" of "training"' in refusal(laid_out(document), tmp_path)


def _dated_document():
    when, clock = np.datetime64("2024-01-01") + np.arange(40), np.arange(40) * np.timedelta64(1800, "s")
    frame = pd.DataFrame({"when": when, "clock": [(np.datetime64(0, "s") + each).item().time() for each in clock]})
    return to_document(NB().fit(frame, np.array(["a", "b"])[np.arange(40) // 20]))


@pytest.mark.parametrize(("column", "cut"), [("when: date", 1e9), ("when: date", -1e300), ("clock: time", 1e12)])
def test_a_cut_beyond_all_dates_and_times_is_refused(column, cut, tmp_path):
    document = _dated_document()
    (changed,) = (each for each in document["columns"] if each["name"] == column)
    changed.pop("whole", None)
    changed["cuts"] = [cut] * len(changed["cuts"])
    assert f"the cuts of column {column!r} are beyond any" in refusal(json.dumps(document), tmp_path)
