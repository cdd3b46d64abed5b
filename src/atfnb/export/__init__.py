"""A fitted model as a file that runs where no Python is."""

from atfnb.export.javascript import javascript, runtime
from atfnb.export.plan import AttributePlan, ExportError, ModelPlan, PairPlan, plan_of
from atfnb.export.python import python
from atfnb.export.sql import sql, sql_statements

__all__ = [
    "AttributePlan",
    "ExportError",
    "ModelPlan",
    "PairPlan",
    "javascript",
    "plan_of",
    "python",
    "runtime",
    "sql",
    "sql_statements",
]
