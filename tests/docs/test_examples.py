"""Every example runs, prints what its page says, and draws its picture."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_prints_and_draws_what_its_page_shows(script, tmp_path):
    command = [sys.executable, "-W", "error", str(script)]
    environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (ROOT / "docs" / "examples" / f"{script.stem}.txt").read_text(encoding="utf-8")
    assert (tmp_path / f"{script.stem}.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert (ROOT / "docs" / "examples" / f"{script.stem}.png").is_file(), "make pictures draws it for the site"


def test_the_index_of_the_examples_lists_each_of_them_once():
    index = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert {script.name: index.count(f"({script.name})") for script in SCRIPTS} == {
        script.name: 1 for script in SCRIPTS
    }
    assert len(SCRIPTS) >= 7


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_an_example_is_short_enough_to_read(script):
    assert len(script.read_text(encoding="utf-8").splitlines()) <= 60
