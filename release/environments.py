"""Empty environments, and commands that are shown and must succeed: what the scripts beside this file share."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "release"
"""Where the environments are made; `make clean` removes them."""

QUIET = ("--quiet", "--disable-pip-version-check")
ALONE = {"PYTHONPATH": "", "PYTHONNOUSERSITE": "1", "OMP_NUM_THREADS": "1", "ATFNB_FEW_EXAMPLES": "1", "NO_COLOR": "1"}
"""An environment sees its own packages only; a test has one core, and hypothesis tries ten examples."""


class FailedError(Exception):
    """A command that did not succeed."""


def run(*words: str | Path, cwd: Path = ROOT, path: Path | None = None) -> None:
    """Show a command, run it, and raise a :class:`FailedError` unless it succeeds."""
    shown = shlex.join(str(word).removeprefix(f"{ROOT}/") for word in words)
    print(f"$ {shown}", flush=True)
    before = [str(path)] if path else []
    loops = Path(words[0]).parent.parent / "numba"  # compiled by one Numba, and not to be mixed with those of another
    settings = os.environ | ALONE | {"PATH": os.pathsep.join([*before, os.environ["PATH"]])}
    if WORK in loops.parents:
        settings["NUMBA_CACHE_DIR"] = str(loops)
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=settings, check=False)
    if done.returncode:
        raise FailedError(f"exit code {done.returncode}: {shown}")


def make_environment(name: str, python: str | Path = sys.executable) -> Path:
    """Make an empty environment of some interpreter, and return the path of its own interpreter."""
    folder = WORK / name
    run(python, "-m", "venv", "--clear", folder)
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def install(python: Path, *wanted: str | Path) -> None:
    """Install packages; wheels only where there are any."""
    run(python, "-m", "pip", "install", *QUIET, "--prefer-binary", *wanted)


def run_tests(python: Path, tests: Sequence[str]) -> None:
    """Run some tests of the suite, in no more processes than this machine has cores, against what is installed."""
    options = ["-q", "-p", "no:cacheprovider", "-n", str(min(2, os.cpu_count() or 1)), "-o", "addopts="]
    run(python, "-m", "pytest", *options, "--import-mode=importlib", "--strict-markers", *tests)
