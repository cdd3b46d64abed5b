"""The page's scripts: what Biome cannot see in one file alone."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from atfnb.report.page import SCRIPTS, joined_script

TEMPLATES = Path(sys.modules["atfnb.report.page"].__file__).parent / "templates"
RULES = ("correctness/noUndeclaredVariables", "correctness/noUnusedVariables", "style/useConst")


def test_every_script_is_part_of_the_page():
    assert sorted(SCRIPTS) == sorted(file.stem for file in TEMPLATES.glob("*.js"))


def test_every_script_can_be_parsed(browser):
    tab = browser.new_page()
    for name in SCRIPTS:
        text = (TEMPLATES / f"{name}.js").read_text(encoding="utf-8")
        tab.evaluate("text => { new Function(text); }", f'"use strict";\n{text}')
    tab.close()


def lint(text, folder):
    biome = shutil.which("biome", path=Path(sys.executable).parent)
    if biome is None:
        pytest.skip("Biome is not installed here")
    (folder / "page.js").write_text(text, encoding="utf-8")
    (folder / "biome.json").write_text(json.dumps({"root": True}), encoding="utf-8")
    rules = [f"--only={rule}" for rule in RULES]
    command = [biome, "lint", "--error-on-warnings", *rules, "page.js"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_together_the_scripts_use_what_they_declare_and_nothing_else(tmp_path):
    done = lint(joined_script(), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("wrong", ["missing();", "const unused = 1;"])
def test_a_name_that_is_not_declared_or_not_used_is_found(tmp_path, wrong):
    assert lint(joined_script().replace("setUpTheme();", f"setUpTheme();\n{wrong}"), tmp_path).returncode == 1
