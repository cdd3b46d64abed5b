"""No content of a file gives anything but a model that answers, or one sentence."""

import json
import os
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atfnb.model_file import from_bytes
from atfnb.model_file.text import laid_out
from helpers.model_files import (
    CASES,
    as_text,
    assert_one_sentence,
    edited_model,
    mutated,
    rows_for,
    small_model,
    unsealed,
)
from helpers.strategies import examples

DOCUMENTS = {case: unsealed(small_model(case)) for case in CASES} | {"edited": unsealed(edited_model())}


def read_or_refuse(content):
    """The model, or the sentence that refuses it."""
    try:
        model = from_bytes(content, "model.json")
    except ValueError as error:
        return assert_one_sentence(error)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the rows come without the names of the columns
        model.predict(rows_for(model))
    return model


@examples(400)
@given(st.sampled_from(sorted(DOCUMENTS)), st.randoms(use_true_random=False))
def test_a_document_with_something_changed_is_refused_or_answers(case, random):
    read_or_refuse(as_text(mutated(DOCUMENTS[case], random)).encode())


@given(st.sampled_from(sorted(CASES)), st.randoms(use_true_random=False))
def test_bytes_that_flip_are_refused_or_answer(case, random):
    content = bytearray(laid_out(DOCUMENTS[case]).encode())
    for _ in range(random.choice([1, 2, 5])):
        content[random.randrange(len(content))] = random.randrange(256)
    read_or_refuse(bytes(content))


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_refused(content):
    assert isinstance(read_or_refuse(content), str)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(json_values)
def test_any_json_is_refused(document):
    assert "is not an atfnb model" in read_or_refuse(json.dumps(document).encode())


@given(st.sampled_from(sorted(DOCUMENTS["FusionNB"])), json_values)
def test_any_json_in_place_of_a_part_is_refused_or_answers(name, part):
    read_or_refuse(json.dumps(DOCUMENTS["FusionNB"] | {name: part}).encode())


@pytest.mark.slow
@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris is not there for this platform")
def test_atheris_finds_nothing(tmp_path):
    seeds = tmp_path / "seeds"
    seeds.mkdir()
    for place, document in enumerate(DOCUMENTS.values()):
        (seeds / f"{place}.json").write_text(as_text(document))
    limits = ["-runs=5000", "-max_len=20000", "-seed=1", "-timeout=300"]
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("fuzz_loader.py"), seeds, f"-artifact_prefix={tmp_path}/", *limits],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert "Done " in done.stderr
