"""Every parameter and every fitted attribute has an entry of its own in the docstring of its class."""

import ast
import inspect
import re
import textwrap

import pytest

import atfnb
from atfnb.classifiers import BaseNB
from helpers.model_files import small_table

CLASSIFIERS = [c for _, c in inspect.getmembers(atfnb, inspect.isclass) if issubclass(c, BaseNB)]


def entries(classifier, section):
    """Return the type and the text of each entry of a section of the class docstring, which the class has itself."""
    doc = inspect.cleandoc(classifier.__dict__["__doc__"])
    body = re.search(rf"^{section}\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", doc, re.DOTALL | re.MULTILINE)
    assert body, f"{classifier.__name__} has no section {section}"
    found = {}
    for entry in re.split(r"^(?=\S)", body[1], flags=re.MULTILINE):
        if entry.strip():
            head, _, text = entry.partition("\n")
            name, colon, kind = head.partition(" : ")
            assert colon, f"{classifier.__name__}: {head!r} has no type"
            found[name] = kind, textwrap.dedent(text).strip()
    return found


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_every_parameter_is_documented_in_full(classifier):
    documented = entries(classifier, "Parameters")
    parameters = inspect.signature(classifier).parameters
    assert list(documented) == list(parameters)
    for name, (kind, text) in documented.items():
        assert len(text.split()) >= 4, name
        assert not text.startswith("As in"), name
        default = kind.rpartition("default=")[2]
        assert ast.literal_eval(default) == parameters[name].default, name


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_every_fitted_attribute_is_documented_in_full(classifier):
    documented = entries(classifier, "Attributes")
    model = classifier().fit(*small_table())
    derived = {"table_", "class_log_prior_", "feature_importances_"}
    derived |= {"pairs_", "pair_effects_", "pair_weights_"} & set(documented)
    assert set(documented) == derived | {name for name in vars(model) if name.endswith("_")}
    assert ("pairs_" in documented) == ("pairs" in model.get_params())
    for name, (kind, text) in documented.items():
        assert kind, name
        assert len(text.split()) >= 3, name
        assert not text.startswith("As in"), name
