"""The file shown in docs/model-format.md is the one that its example writes, and its tables name every entry."""

import doctest
import json
import re
from pathlib import Path

import pytest

from atfnb.model_file import from_document, to_document
from helpers.model_files import CASES, small_model

PAGE = (Path(__file__).parents[2] / "docs" / "model-format.md").read_text(encoding="utf-8")
SHOWN = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)[1]


def test_the_page_shows_the_file_that_its_example_writes():
    first = doctest.DocTestParser().get_examples(PAGE[: PAGE.index("This is the whole file")])
    names = {}
    exec("".join(example.source for example in first), names)  # noqa: S102
    written = names["file"].read_text(encoding="utf-8")
    names["folder"].cleanup()
    changing = r'"(checksum|date|library)": "[^"]*"'
    number = r"-?\d+\.\d+(e-?\d+)?"  # their last digits may differ on another machine
    assert re.sub(number, "x", re.sub(changing, "", SHOWN)) == re.sub(number, "x", re.sub(changing, "", written))
    numbers = [[float(m[0]) for m in re.finditer(number, re.sub(changing, "", text))] for text in (SHOWN, written)]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-9)


def test_the_file_of_the_page_can_be_loaded():
    assert from_document(json.loads(SHOWN)).beta_accuracy_ == 0.875


@pytest.mark.parametrize("case", CASES)
def test_the_page_describes_every_entry(case):
    document = to_document(small_model(case, missing="skip"))
    told = set(re.findall(r"`(?:\w+\.)?(\w+)`", PAGE))
    for part in (document, document["training"], document["classes"], document["columns"][0]):
        assert set(part) <= told | {"training", "classes"}
    for name in ("beta", "fusion"):
        assert set(document.get(name, ())) <= told
