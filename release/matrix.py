"""Run the core of the suite in each supported Python with the newest dependencies, and once with the oldest.

Run by ``make matrix``; ``python release/matrix.py 3.12 oldest`` runs these only, and fails if one cannot be had. An
interpreter is looked for on the path, under pyenv, and among those that uv manages, which it downloads where it can.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path

from dist import SLICES, TOOLS
from environments import ROOT, FailedError, install, make_environment, run, run_tests

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
OLDEST = "oldest"
"""The oldest supported Python, with the oldest supported version of each dependency and of every extra."""

CORE = [
    "tests/test_laws.py",
    "tests/test_counts.py",
    "tests/test_files.py",
    "tests/test_scikit_learn.py",
    *(f"tests/{room}" for room in ("indexes", "switching", "encoding", "tables", "model_file", "evaluation")),
    *(f"tests/cli/test_{verb}.py" for verb in ("train", "predict", "terminal", "options")),
    "tests/report/test_plots.py",
]
"""Every step from a table to a model file, the classifiers' laws, scikit-learn's checks, and the command."""

NEEDED = (
    "pytest",
    "pytest-cov",
    "pytest-xdist",
    "hypothesis",
    "pandas",
    "polars",
    "jsonschema",
    "dask[dataframe]",
    "distributed",
    "datasketches; python_version < '3.14'",
)
"""What these tests use beside the library and its extra `excel`. Datasketches has no wheel for Python 3.14."""


def works(python: str | Path, version: str) -> bool:
    """Return whether a program is an interpreter of this version that can make environments."""
    code = f"import ensurepip, ssl, sys; sys.exit('%d.%d' % sys.version_info[:2] != {version!r})"
    try:
        return subprocess.run([python, "-c", code], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def managed(version: str) -> str | None:
    """Return uv's interpreter of a version, downloaded if it must be; None where it cannot be reached."""
    uv = shutil.which("uv") or _installed_uv()
    subprocess.run([uv, "--quiet", "python", "install", version], capture_output=True, check=False)
    found = subprocess.run([uv, "python", "find", version], capture_output=True, text=True, check=False)
    return found.stdout.strip() or None


def _installed_uv() -> Path:
    """Install uv in an environment of its own, and return the program."""
    python = make_environment("uv")
    install(python, "-r", ROOT / "release" / "tools.txt")
    return python.with_name("uv")


def find(version: str) -> Path | str | None:
    """Return an interpreter of a version, or None."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    present = [sys.executable, f"python{version}", *sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True)]
    for python in present:
        if works(python, version):
            return python
    python = managed(version)
    return python if python and works(python, version) else None


def try_python(name: str, python: str | Path) -> None:
    """Run the core in an environment of its own; with the oldest dependencies, the tests of each extra too."""
    inside = make_environment(f"matrix-{name}", python)
    pins, extras, tools, tests = [], "excel", NEEDED, CORE
    if name == OLDEST:
        pins = ["-c", ROOT / "constraints-oldest.txt"]
        extras = ",".join(filter(None, SLICES))
        tools = [*NEEDED, *chain(*TOOLS.values())]
        tests = [*CORE, *(each for each in chain(*SLICES.values()) if not {each, str(Path(each).parent)} & {*CORE})]
    install(inside, *pins, "-e", f"{ROOT}[{extras}]", *tools)
    run(inside, "-m", "pip", "check")
    run_tests(inside, tests)


def main(chosen: list[str]) -> int:
    """Try each, go on after a failure, and say at the end what passed, what failed and what was not tried."""
    outcomes = {}
    for name in chosen or [*PYTHONS, OLDEST]:
        python = find(PYTHONS[0] if name == OLDEST else name)
        if python is None:
            outcomes[name] = "not tried: no such interpreter here, and uv could not provide one"
            continue
        try:
            try_python(name, python)
            outcomes[name] = "passed"
        except FailedError as error:
            outcomes[name] = f"failed: {error}"
    for name, outcome in outcomes.items():
        print(f"{name:>7}  {outcome}")
    wrong = [name for name, outcome in outcomes.items() if outcome != "passed" and (chosen or "failed" in outcome)]
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
