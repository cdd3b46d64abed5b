"""A model as an ES module: the runtime of ``score.js``, the plan as data, and functions of one row."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from atfnb.export.plan import MOST_REASONS, ModelPlan

PREDICT = """
const PLAN = prepare({plan});

// The classes, in the order of the probabilities.
export const classes = PLAN.classes;

// The class of a row, an object of column → value with null for a missing value.
export function predict(row) {{
  return score(PLAN, row).class;
}}

// The probability of each class.
export function predictProba(row) {{
  return score(PLAN, row).probabilities;
}}
"""
EXPLAIN = """
// The values that contribute most to the class of a row: their names, what they stand for, and by how much they raise
// the joint log-likelihood of this class above that of the second most probable one.
export function explain(row) {{
  return reasonsOf(PLAN, score(PLAN, row), {most});
}}
"""


@cache
def runtime() -> str:
    """Return the functions that score a row by the JSON of a plan, as the text of an ES module without imports."""
    return Path(__file__).with_name("score.js").read_text(encoding="utf-8")


def javascript(plan: ModelPlan, *, explain: bool = False) -> str:
    """Return the model as an ES module that exports ``classes``, ``predict`` and ``predictProba``.

    Parameters
    ----------
    plan : ModelPlan
    explain : bool, default=False
        Whether it exports ``explain`` too, which returns the three largest contributions.
    """
    made = f"// {plan.classifier}, written by atfnb: the class of a row and its probabilities.\n//\n"
    functions = PREDICT.format(plan=plan.json()) + (EXPLAIN.format(most=MOST_REASONS) if explain else "")
    return made + runtime() + functions
