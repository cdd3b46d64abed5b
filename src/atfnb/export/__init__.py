"""A fitted model as a file that runs where no Python is: in a database, a browser, a service, a spreadsheet.

::

    model ──plan_of──▶ plan ──▶ sql │ onnx │ python │ javascript │ scorecard │ pmml ──write──▶ a file

A model is a sum of table look-ups. :class:`ModelPlan` is that sum as one frozen value: the columns, how each is coded,
what each code adds to each class. Every target is a function of it and of nothing else, in a file of its own:

=================  =====================================================================
``sql.py``         one query, in the dialects of ``dialects.py``; ``sql_tables.py``
``onnx.py``        a graph that searches for codes and looks scores up; skl2onnx
``plan.py``        ``score.py``, or ``score.js`` and ``predict.js``, with the plan in it
``scorecard.py``   whole points for two classes: CSV, Markdown, HTML
``pmml.py``        PMML 4.4: ``pmml.xml``, a RegressionModel over derived fields
=================  =====================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

from atfnb._errors import AdvisedError, Setting
from atfnb._files import write_whole
from atfnb.classifiers import BaseNB
from atfnb.export.dialects import DialectName
from atfnb.export.onnx import onnx, register_with_skl2onnx
from atfnb.export.plan import AttributePlan, ExportError, ModelPlan, PairPlan, javascript, plan_of, python, runtime
from atfnb.export.pmml import pmml
from atfnb.export.scorecard import Scorecard, scorecard, scorecard_text
from atfnb.export.sql import sql, sql_statements

__all__ = ["TARGETS", "Options", "write"]
__all__ += ["AttributePlan", "ExportError", "ModelPlan", "PairPlan", "plan_of"]
__all__ += ["DialectName", "Scorecard", "javascript", "onnx", "pmml", "python", "scorecard", "sql", "sql_statements"]
__all__ += ["register_with_skl2onnx", "runtime"]

TARGETS: Mapping[str, Callable[..., str | bytes]] = {
    ".sql": sql,
    ".onnx": onnx,
    ".py": python,
    ".js": javascript,
    ".mjs": javascript,
    ".csv": partial(scorecard_text, form="csv"),
    ".md": partial(scorecard_text, form="markdown"),
    ".html": partial(scorecard_text, form="html"),
    ".pmml": pmml,
}
"""The targets by the ends of their files. Each takes a plan, and the options that are parameters of it."""


@dataclass(frozen=True)
class Options:
    """The options of an exported file; each is for some targets only.

    The attributes are the parameters of :func:`~atfnb.export.sql`, :func:`~atfnb.export.onnx` and
    :func:`~atfnb.export.scorecard`.
    """

    table: str | Sequence[str] = "data"
    dialect: DialectName = "duckdb"
    keep: Sequence[str] = ()
    with_tables: bool = False
    explain: bool = False
    double: bool = False
    positive: Any = None
    score: float = 600.0
    odds: float = 50.0
    double_odds: float = 20.0


def write(model: BaseNB, path: str | Path, options: Options | None = None) -> None:
    """Write a fitted model to a file that runs without this library; the end of the name says which.

    Parameters
    ----------
    model : a fitted classifier
    path : str or Path
        ``.sql`` is a query, ``.onnx`` a graph, ``.py`` and ``.js`` are one file of Python or JavaScript; ``.csv``,
        ``.md`` and ``.html`` are scorecards, and ``.pmml`` is PMML 4.4. The file is replaced whole or not at all.
    options : Options, optional

    Raises
    ------
    ExportError
        If the target cannot hold the model; the message names what, and which target can.

    Examples
    --------
    >>> import tempfile
    >>> from atfnb import NB
    >>> from atfnb.export import write
    >>> model = NB().fit([[1.0], [2.0], [3.0]], ["a", "a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(model, f"{folder}/model.py")
    ...     Path(folder, "model.py").read_text(encoding="utf-8").count("def predict_proba")
    1
    """
    path = Path(path)
    given = {name: value for name, value in vars(options or Options()).items() if value != getattr(Options, name)}
    make = TARGETS.get(path.suffix.lower())
    if make is None:
        raise ValueError(f"{path.name} does not say what to write: let its name end in one of {', '.join(TARGETS)}.")
    for name in given:
        ends = [end for end, each in TARGETS.items() if name in signature(each).parameters]
        if path.suffix.lower() not in ends:
            where = f" is an option for {', '.join(ends)} only, and {path.name} is none of them."
            raise AdvisedError(Setting(f"Options.{name}"), where)
    write_whole(path, make(plan_of(model), **given))
