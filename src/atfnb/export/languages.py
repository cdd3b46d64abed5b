"""A model as one file of Python (``score.py``) or JavaScript (``score.js`` and ``predict.js``), with the plan in it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from atfnb.export.plan import ModelPlan

NO_PLAN = """'{"classes": [], "attributes": []}'"""
"""What stands in ``score.py`` where a written file has the plan."""


@cache
def runtime(file: str = "score.js") -> str:
    """Return the functions that score a row by the JSON of a plan, without imports; by default as an ES module."""
    return Path(__file__).with_name(file).read_text(encoding="utf-8")


def python(plan: ModelPlan, *, explain: bool = False) -> str:
    """Return the model as a Python file that needs no package: ``CLASSES``, ``predict`` and ``predict_proba``.

    Parameters
    ----------
    plan : ModelPlan
    explain : bool, default=False
        Whether it has ``explain`` too, which returns the three largest contributions.
    """
    text = runtime("score.py") if explain else runtime("score.py").partition("\n\n\ndef explain(")[0] + "\n"
    return text.replace(NO_PLAN, repr(plan.json()), 1)


def javascript(plan: ModelPlan, *, explain: bool = False) -> str:
    """Return the model as an ES module that exports ``classes``, ``predict`` and ``predictProba``.

    Parameters
    ----------
    plan : ModelPlan
    explain : bool, default=False
        Whether it exports ``explain`` too, which returns the three largest contributions.
    """
    made = f"// {plan.classifier}, written by atfnb: the class of a row and its probabilities.\n//\n"
    text = runtime("predict.js") if explain else runtime("predict.js").partition("\n// The values that")[0]
    return f"{made}{runtime()}\n{text.replace('THE_PLAN', plan.json(), 1)}"
