"""What the tests of model files share: every kind of model, what makes two of them equal, and broken documents."""

import copy
import json
from decimal import Decimal

import numpy as np
import pandas as pd

from atfnb import ATFNB, DFW, FusionNB, WeightedNB
from atfnb.classifiers import ROSTER
from atfnb.model_file import to_document

CASES = {
    **{classifier.__name__: classifier for classifier in ROSTER},
    "DFW without locally predictive": lambda **shared: DFW(locally_predictive=False, **shared),
    "ATFNB by steps": lambda **shared: ATFNB(search="sls", step=0.05, relevance="gain_ratio", **shared),
    "WeightedNB": lambda **shared: WeightedNB(weights="pearson", **shared),
    "weights given": lambda **shared: WeightedNB(weights=[0.5, -1.0, 2.0], **shared),
    "FusionNB": lambda **shared: FusionNB(shrinkage=[1.0, 10.0], **shared),
    "FusionNB with pairs": lambda **shared: FusionNB(pairs=2, shrinkage=[1.0, 10.0], **shared),
    "FusionNB per attribute": lambda **shared: FusionNB(refine="attribute", **shared),
    "FusionNB fused": lambda **shared: FusionNB(refine=None, **shared),
    "FusionNB by accuracy": lambda **shared: FusionNB(
        refine=None, criterion="accuracy", relevance=["pearson"], **shared
    ),
}
"""Every classifier of the roster, some with other parameters than by default, for tables of three columns."""


def small_table(rows=24):
    """A table with names, gaps, text and truth values, and two classes."""
    place = np.arange(rows)
    frame = pd.DataFrame(
        {
            "age": np.where(place % 7 == 3, np.nan, 20.0 + (place * 5) % 31),
            "colour": np.array(["red", "green", "blüe"], dtype=object)[(place // 3) % 3],
            "owner": place % 5 < 2,
        }
    )
    return frame, np.array(["no", "yes"])[(place % 7 + place // 3 % 3 > 4).astype(int)]


def small_model(case="ATFNB", **shared):
    return CASES[case](**shared).fit(*small_table())


EDITS = [
    {"do": "flatten", "column": "age", "from": 30, "reason": "an artefact of how ages were noted"},
    {"do": "set", "column": "colour", "values": ["red"], "class": "yes", "effect": 0.5, "reason": "they sell"},
    {"do": "remove", "column": "owner", "reason": "it is not known in time"},
]
"""Edits of the models of the small table."""


def edited_model(case="FusionNB with pairs", **shared):
    return small_model(case, **shared).edit(EDITS)


def unsealed(model):
    """The document of a model without its checksum, as files of version 0.2.0 are."""
    document = to_document(model)
    del document["checksum"]
    return document


def rows_for(model):
    """Two rows that a model must be able to answer."""
    return [[_cell(attribute) for attribute in model.encoder_.attributes], [None] * model.n_features_in_]


def _cell(attribute):
    first = (1.0,)[0] if attribute.is_numeric else attribute.categories[0]
    return None if isinstance(first, Decimal) or first in (float("inf"), float("-inf")) else first


def ask_everything(model, X):
    """All that a model can say of some rows."""
    answers = [model.predict_proba(X), model.predict_joint_log_proba(X), model.contributions(X), model.predict(X)]
    if hasattr(model, "accuracy_curve"):
        answers += model.accuracy_curve()
    return [*answers, np.array(model.summary())]


def assert_same(found, expected):
    """Two fitted models have the same fitted attributes, to the bit."""
    left, right = fitted(found), fitted(expected)
    assert left.keys() == right.keys()
    for name in left:
        assert left[name] == right[name], name
    assert repr(found.get_params()) == repr(expected.get_params())


def fitted(model):
    """What was fitted, in a form that == compares to the bit."""
    public = {name: value for name, value in vars(model).items() if name.endswith("_") and name != "training_"}
    counts = public.pop("counts_")
    public |= {"n_values": counts.n_values, "classes": counts.classes, "values": counts.values}
    public["value_rows"] = counts.value_rows
    public["encoder_"] = [
        {name: bits(value) for name, value in vars(attribute).items()} for attribute in model.encoder_.attributes
    ]
    return {name: bits(value) for name, value in public.items()}


def bits(value):
    if isinstance(value, np.ndarray):
        kind = value.dtype.kind if value.dtype.kind in "UO" else value.dtype.str
        return kind, value.shape, value.tolist() if value.dtype.kind in "UO" else value.tobytes()
    return type(value), repr(value)


def assert_one_sentence(error):
    """The error of a refused file tells its name and the reason, on one line."""
    sentence = str(error)
    assert type(error) is ValueError, repr(error)
    assert sentence.startswith("model.json "), sentence
    assert sentence.endswith("."), sentence
    assert "\n" not in sentence, sentence
    return sentence


# --- broken documents ------------------------------------------------------------------------------

OTHER_VALUES = [
    *(None, True, False, 0, 1, -1, 2, 3, 0.5, -0.0, 1e308, -1e308, 1e-320, 2**53, 2**63, 2**64, 10**30, 10**400),
    *("", "x", "skip", "value", "impute", "number", "categories", "text", "int8", "float16", "bool", "NB", "FusionNB"),
    *("\ud800", "\x00", "nan", "attribute", "qsf", "sls", "__class__", "os.system"),
    *([], [[]], [1], [0, 1], [[0, 1]], [None], ["a", "b"], {}, {"a": 1}, {"float": "inf"}, {"decimal": "1e99"}),
    *({"function": "os.system"}, {"object": "x"}, {"decimal": "sNaN"}, [True, 2], [{"decimal": "0.5"}, 1]),
    *(float("inf"), float("nan")),
]


def mutated(document, random):
    """A document with something in it deleted, replaced, repeated, exchanged or changed a little."""
    document = copy.deepcopy(document)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        place = random.choice(list(_places(document)))
        random.choice([_delete, _replace, _replace, _repeat, _exchange, _nudge])(*place, random)
    return document


def _places(node):
    """Every container with a key in it."""
    for key in list(node) if isinstance(node, dict) else range(len(node)):
        yield node, key
        if isinstance(node[key], (dict, list)):
            yield from _places(node[key])


def _delete(parent, key, random):
    if len(parent) > 1:
        del parent[key]


def _replace(parent, key, random):
    parent[key] = copy.deepcopy(random.choice(OTHER_VALUES))


def _repeat(parent, key, random):
    if isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    else:
        parent[random.choice(["again", *parent])] = copy.deepcopy(parent[key])


def _exchange(parent, key, random):
    other = random.choice(list(parent) if isinstance(parent, dict) else range(len(parent)))
    parent[key], parent[other] = parent[other], parent[key]


def _nudge(parent, key, random):
    value = parent[key]
    if isinstance(value, str):
        parent[key] = value[:-1]
    elif isinstance(value, (int, float)) and abs(value) < 2**64:
        parent[key] = value + random.choice([1, -1, 0.5])
    elif isinstance(value, list):
        random.shuffle(value)


def as_text(document):
    return json.dumps(document)
