"""The schema holds for real models, and refuses what is none."""

import copy
import json

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from atfnb import NB
from atfnb.model_file import model_schema, to_document
from helpers.model_files import CASES, edited_model, small_model, small_table

SCHEMA = model_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("missing", ["impute", "skip", "value"])
def test_every_model_is_as_the_schema_says(case, missing):
    document = json.loads(json.dumps(to_document(small_model(case, missing=missing), target="sold")))
    assert [error.message for error in VALIDATOR.iter_errors(document)] == []


def test_an_edited_model_is_as_the_schema_says():
    VALIDATOR.validate(json.loads(json.dumps(to_document(edited_model()))))


@pytest.mark.parametrize("classes", [["a", "b"], [1, 2], [True, False], [0.0, 1.0]], ids=repr)
def test_every_type_of_class_and_category_is(classes):
    table = [[1, "b"], ["a", float("inf")]]
    document = to_document(NB(categorical_features="all", class_prior=np.array([1, 2])).fit(table, classes))
    VALIDATOR.validate(json.loads(json.dumps(document)))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore::atfnb.encoding.EmptyColumnWarning")
def test_a_column_without_values_is(case):
    frame, y = small_table()
    document = to_document(CASES[case]().fit(frame.assign(owner=None), y))
    assert document["columns"][2]["categories"] == []
    VALIDATOR.validate(json.loads(json.dumps(document)))


def change(path, value):
    def apply(document):
        *parents, last = path
        for key in parents:
            document = document[key]
        document[last] = value

    return apply


BROKEN = {
    "another format": change(["format"], "pmml"),
    "a newer version": change(["version"], 3),
    "an unknown classifier": change(["classifier"], "Forest"),
    "a classifier without beta": change(["classifier"], "NB"),
    "a classifier with fusion": change(["classifier"], "FusionNB"),
    "an unknown entry": change(["wieght"], 1),
    "an unknown entry of a column": change(["columns", 0, "wieght"], 1),
    "one class": change(["classes", "names"], ["a"]),
    "numbers that are text": change(["classes", "type"], "int64"),
    "a negative count": change(["columns", 0, "counts", 0, 0], -1),
    "text for a number": change(["columns", 0, "adds", 0, 0], "1"),
    "a kind that is not its": change(["columns", 0, "kind"], "categories"),
    "a date in words": change(["training", "date"], "yesterday"),
    "beta above one": change(["beta", "value"], 1.5),
    "a fraction in whole": change(["columns", 0, "whole"], [20.5, 50]),
    "one end of whole": change(["columns", 0, "whole"], [20]),
    "no columns": change(["columns"], []),
    "skipped that is negative": change(["columns", 0, "skipped"], [1, -1]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_schema_refuses(name):
    document = copy.deepcopy(to_document(small_model("ATFNB")))
    BROKEN[name](document)
    assert not VALIDATOR.is_valid(document)
