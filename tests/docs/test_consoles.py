"""Every command that a page shows is run, and prints what the page says."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
BASH = shutil.which("bash") or "bash"
FENCE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


def steps_of(page):
    """Commands and what they should print, in the order of the page."""
    for block in FENCE.findall(page.read_text(encoding="utf-8")):
        for step in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, printed = step.partition("\n")
            while command.endswith("\\"):
                more, _, printed = printed.partition("\n")
                command = f"{command[:-1]}{more}"
            yield command, printed


def shown(folder, command):
    """The exit code of a command, and what a person sees: standard error and output as they come."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [BASH, "-c", command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"},
    )
    return done.returncode, done.stdout


def run_page(page, folder):
    if page.name == "real-tables.md":
        shutil.copytree(ROOT / "docs" / "tables", folder, dirs_exist_ok=True)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    for command, printed in steps_of(page):
        code, seen = shown(folder, command)
        assert code == 0, f"{page.name}: $ {command}\n{seen}"  # dots on a page must not hide an error
        assert doctest.OutputChecker().check_output(printed, seen, flags), f"{page.name}: $ {command}\n{seen}"


with_commands = [page for page in PAGES if FENCE.search(page.read_text(encoding="utf-8"))]
LONG = ("command-line.md", "real-tables.md", "what-you-know.md")
"""Pages whose commands take longer than those of all others together."""


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] if page.name in LONG else []) for page in with_commands],
    ids=lambda page: page.name,
)
def test_the_commands_of_a_page_print_what_it_says(page, tmp_path):
    run_page(page, tmp_path)
