"""A model as one file of Python: the runtime of ``score.py``, the plan as data, and functions of one row."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from atfnb.export.plan import MOST_REASONS, ModelPlan

PREDICT = '''

# --- The model ---------------------------------------------------------------------------------------

PLAN = prepare({plan})
CLASSES = PLAN["classes"]


def predict(row: dict[str, Any]) -> Any:
    """Return the class of a row: a dict of column → value, with None for a missing value."""
    return score(PLAN, row)["class"]


def predict_proba(row: dict[str, Any]) -> list[float]:
    """Return the probability of each class, in the order of CLASSES."""
    return score(PLAN, row)["probabilities"]
'''
EXPLAIN = '''

def explain(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the values that contribute most to the class of a row: name, label and lead.

    The lead is by how much the value raises the joint log-likelihood of this class above that of the second most
    probable one.
    """
    return reasons_of(PLAN, score(PLAN, row), {most})
'''


@cache
def _runtime() -> str:
    return Path(__file__).with_name("score.py").read_text(encoding="utf-8")


def python(plan: ModelPlan, *, explain: bool = False) -> str:
    """Return the model as a Python file that needs no package: ``CLASSES``, ``predict`` and ``predict_proba``.

    Parameters
    ----------
    plan : ModelPlan
    explain : bool, default=False
        Whether it has ``explain`` too, which returns the three largest contributions.
    """
    ending = EXPLAIN.format(most=MOST_REASONS) if explain else ""
    return _runtime() + PREDICT.format(plan=repr(plan.json())) + ending
