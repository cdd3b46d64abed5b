"""A fitted model as a file that runs where no Python is: in a database, a browser, a service, a spreadsheet.

::

    model ──plan_of──▶ plan ──▶ sql │ onnx │ python │ javascript │ scorecard │ pmml ──write──▶ a file

A model is a sum of table look-ups. :class:`ModelPlan` is that sum as one frozen value: the columns, how each is coded,
what each code adds to each class. Every target is a function of it and of nothing else, in a file of its own:

=================  =====================================================================
``sql.py``         one query, in the dialects of ``dialects.py``; ``sql_tables.py``
``onnx.py``        a graph whose look-ups are decision trees (``trees.py``)
``python.py``      ``score.py`` and the plan: one file without dependencies
``javascript.py``  ``score.js`` and the plan: one ES module without imports
``scorecard.py``   whole points for two classes: CSV, Markdown, HTML
``pmml.py``        PMML 4.4, a RegressionModel over derived fields
=================  =====================================================================
"""

from atfnb.export.converter import register_with_skl2onnx
from atfnb.export.dialects import DialectName
from atfnb.export.javascript import javascript, runtime
from atfnb.export.onnx import onnx
from atfnb.export.plan import AttributePlan, ExportError, ModelPlan, PairPlan, plan_of
from atfnb.export.pmml import pmml
from atfnb.export.python import python
from atfnb.export.scorecard import Scorecard, scorecard
from atfnb.export.sql import sql, sql_statements
from atfnb.export.writing import Options, write

__all__ = [
    "AttributePlan",
    "DialectName",
    "ExportError",
    "ModelPlan",
    "Options",
    "PairPlan",
    "Scorecard",
    "javascript",
    "onnx",
    "plan_of",
    "pmml",
    "python",
    "register_with_skl2onnx",
    "runtime",
    "scorecard",
    "sql",
    "sql_statements",
    "write",
]
