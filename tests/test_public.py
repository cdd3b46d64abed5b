import ast
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from coverage import Coverage

import atfnb


def test_all_is_exactly_the_public_names():
    assert all(getattr(atfnb, name) is not None for name in atfnb.__all__)
    assert set(atfnb.__all__) <= set(dir(atfnb))
    assert atfnb.__all__ == sorted(atfnb.__all__, key=lambda n: (n.upper() != n, n[0].islower(), n))
    code = (
        "import inspect, atfnb; print([n for n, v in vars(atfnb).items() if n[0] != '_' and not inspect.ismodule(v)])"
    )
    own = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert own.strip() == "['annotations', 'import_module', 'TYPE_CHECKING']", "public, and not in __all__"


def test_dir_lists_public_names_and_dunders_only():
    assert {name for name in dir(atfnb) if not (name.startswith("__") and name.endswith("__"))} == set(atfnb.__all__)
    assert {"__all__", "__doc__", "__version__"} <= set(dir(atfnb))


def test_a_name_that_is_not_there_is_said_as_of_any_module():
    with pytest.raises(AttributeError, match="module 'atfnb' has no attribute 'ATNFB'"):
        atfnb.ATNFB  # noqa: B018


def imports_of(file):
    """Yield each module that a file imports, and the names that it imports from there."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.module or "", {each.name for each in node.names}
        elif isinstance(node, ast.Import):
            yield from ((each.name, set()) for each in node.names)


def test_tests_reach_into_the_room_that_they_mirror_only():
    """As code outside a room does, tests and helpers of others import what its door offers."""
    here, reached = Path(__file__).parent, []
    rooms = {each.parent.name for each in Path(atfnb.__file__).parent.glob("*/__init__.py")}
    for file in here.rglob("*.py"):
        folder = file.relative_to(here).parts[0]
        own = file.stem.partition("_")[0] if folder == "helpers" else folder
        for module, names in imports_of(file):
            package, _, rest = module.partition(".")
            room, *inside = rest.split(".")
            if package == "atfnb" and room in rooms and own not in (room.lstrip("_"), *inside):
                offered = getattr(import_module(f"atfnb.{room}"), "__all__", ())
                reached += [(file.name, module, names)] if inside or not names <= {*offered} else []
    assert not reached


def test_help_imports_neither_scikit_learn_nor_numba():
    heavy = ("sklearn", "numba", "scipy", "numpy", "pyarrow", "matplotlib", "jinja2", "pandas", "dask", "distributed")
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom atfnb.cli import app\n"
        "verbs = ['', 'evaluate', 'train', 'test', 'predict', 'report', 'reproduce', 'datasets', 'leaf']\n"
        "verbs += ['drift', 'update', 'page', 'export', 'leaf extract']\n"
        "for verb in verbs:\n    assert CliRunner().invoke(app, [*verb.split(), '--help']).exit_code == 0, verb\n"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_importing_leaves_the_heavy_libraries_alone():
    heavy = ("numba", "matplotlib", "rich", "typer", "jinja2", "skimage", "PIL", "pyarrow", "dask", "datasketches")
    code = f"import sys, atfnb; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_laws_of_the_loops_hold_without_compiling_them():
    """What Numba compiles is run as plain Python, and seen by coverage: same laws, same oracles."""
    tests = Path(__file__).parent
    measured = ["-m", "coverage", "run", "--parallel-mode"] if Coverage.current() else []
    parts = ["test_counts.py", "switching/test_searches.py", "encoding/test_chimerge.py", "encoding/test_integers.py"]
    parts.append("test_laws.py::test_6_contributions_sum_to_the_joint_and_probabilities_to_one")
    parts.append("fusion/test_likelihood.py::test_the_fused_target_never_ends_above_its_start_and_has_its_gradient")
    parts.append("classifiers/test_fusion.py::test_a_missing_value_has_a_value_of_its_own_if_asked")
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-cov", "-x"]
    done = subprocess.run(
        [sys.executable, *measured, "-m", "pytest", *options, *(tests / part for part in parts)],
        cwd=tests.parent,
        capture_output=True,
        text=True,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "ATFNB_FEW_EXAMPLES": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_without_jit_the_answers_are_the_same():
    code = """
from sklearn.datasets import load_iris
from atfnb import ATFNB, CFW
X, y = load_iris(return_X_y=True)
X, y = X[::3], y[::3]
model = ATFNB().fit(X, y)
print(model.beta_intervals_.tolist(), model.weights_.tolist(), CFW().fit(X, y).table_.tolist())
"""
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"NUMBA_DISABLE_JIT": flag},
        ).stdout
        for flag in "01"
    }
    assert len(answers) == 1
