"""The examples of docs/ecosystem.md that need other packages, run where these are; the rest is run as a doctest."""

import re
from doctest import DocTestParser
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "ecosystem.md").read_text(encoding="utf-8")
SETTING, *EXAMPLES = re.findall(r"```python\n(>>> import numpy.*?|(?!>>>).*?)```", PAGE, re.DOTALL)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of these packages
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: re.search(r"\w+", example.split()[1])[0])
def test_the_example_runs(example, tmp_path, monkeypatch):
    for package in re.findall(r"^(?:from|import) (\w+)", example, re.MULTILINE):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "mlruns").as_uri())
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    names = {}
    exec("".join(each.source for each in DocTestParser().get_examples(SETTING)), names)  # noqa: S102
    exec(example, names)  # noqa: S102
