"""Any name and any value changes nothing but itself: a fuzz of every target."""

import contextlib

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from atfnb import NB
from atfnb.export import ExportError
from helpers.export_targets import TARGETS, assert_same
from helpers.strategies import examples

ODD = [
    "'; DROP TABLE x; --",
    "</script>",
    "${x}",
    '"""',
    "\\",
    "\\'",
    "'",
    '"',
    "`",
    "{plan}",
    "%s",
    "\n",
    "--",
    "/*",
    "$$",
    "é",
    "😀",
    "\u202e",
    "\u2028",
]
PIECES = st.sampled_from([*ODD, "a", "B", " ", "0"]) | st.characters(exclude_categories=("Cs",))
TEXT = st.lists(PIECES, min_size=1, max_size=4).map("".join)
EXAMPLES = {"python": 25, "node": 20, "sqlite": 100, "duckdb": 40, "postgres": 40, "onnx": 40, "pmml": 20}


def check(target, name, other, values, classes, numbers):
    X = pd.DataFrame({name: pd.Series((values * 6)[:6], dtype=object), other: (numbers * 6)[:6]})
    model = NB().fit(X, [classes[0]] * 3 + [classes[1]] * 3)
    more = X.copy()
    more[name] = more[name].str.strip()  # exports compare text as it is
    more.iloc[0, 0] = f"{values[0].strip()}'s own"
    more.iloc[1, 0] = None
    with contextlib.suppress(ExportError):  # control characters, or spaces that PMML does not keep
        assert_same(model, more, target)


@pytest.mark.hypothesis
@pytest.mark.parametrize("target", EXAMPLES)
def test_names_and_values_are_only_names_and_values(target):
    @examples(EXAMPLES[target])
    @given(
        names=st.lists(TEXT, min_size=2, max_size=2, unique_by=str.lower),
        values=st.lists(TEXT, min_size=2, max_size=5, unique=True),
        classes=st.lists(TEXT, min_size=2, max_size=2, unique=True),
        numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False, width=64), min_size=2, max_size=6),
    )
    @example(
        names=["'; DROP TABLE x; --", "</script>"],
        values=["${x}", '"""', "\\"],
        classes=["'; DROP TABLE x; --", "</script>"],
        numbers=[0.1, -0.0, 1e300],
    )
    def fuzz(names, values, classes, numbers):
        if len(set(numbers)) == 1:
            numbers = [*numbers, 1.0]
        check(target, *names, values, classes, numbers)

    if target == "pmml":
        TARGETS["pmml"](NB().fit([[1.0], [2.0]], ["a", "b"]), pd.DataFrame({"x0": [1.0]}))  # skipped without Java
    fuzz()
