"""A fitted model as a file that runs where no Python is."""

from atfnb.export.javascript import javascript, runtime
from atfnb.export.plan import AttributePlan, ExportError, ModelPlan, PairPlan, plan_of

__all__ = ["AttributePlan", "ExportError", "ModelPlan", "PairPlan", "javascript", "plan_of", "runtime"]
