"""A fitted model → a file whose name says what it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from atfnb._files import write_whole
from atfnb.classifiers import BaseNB
from atfnb.export.dialects import DialectName
from atfnb.export.javascript import javascript
from atfnb.export.plan import ModelPlan, plan_of
from atfnb.export.pmml import pmml
from atfnb.export.python import python
from atfnb.export.scorecard import Scorecard, scorecard
from atfnb.export.sql import sql


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

    @property
    def given(self) -> list[str]:
        """The names of the options that differ from their defaults."""
        return [each.name for each in fields(self) if getattr(self, each.name) != each.default]


def _sql(plan: ModelPlan, options: Options) -> str:
    names = {"keep": options.keep, "explain": options.explain, "with_tables": options.with_tables}
    return sql(plan, options.table, dialect=options.dialect, **names)  # type: ignore[arg-type]


def _onnx(plan: ModelPlan, options: Options) -> bytes:
    from atfnb.export.onnx import onnx

    return onnx(plan, double=options.double)


def _card(plan: ModelPlan, options: Options) -> Scorecard:
    return scorecard(
        plan, positive=options.positive, score=options.score, odds=options.odds, double=options.double_odds
    )


_CARD = ("positive", "score", "odds", "double_odds")
_TARGETS: dict[str, tuple[Callable[[ModelPlan, Options], str | bytes], tuple[str, ...]]] = {
    ".sql": (_sql, ("table", "dialect", "keep", "with_tables", "explain")),
    ".onnx": (_onnx, ("double",)),
    ".py": (lambda plan, options: python(plan, explain=options.explain), ("explain",)),
    ".js": (lambda plan, options: javascript(plan, explain=options.explain), ("explain",)),
    ".mjs": (lambda plan, options: javascript(plan, explain=options.explain), ("explain",)),
    ".csv": (lambda plan, options: _card(plan, options).csv(), _CARD),
    ".md": (lambda plan, options: _card(plan, options).markdown(), _CARD),
    ".html": (lambda plan, options: _card(plan, options).html(), _CARD),
    ".pmml": (lambda plan, _: pmml(plan), ()),
}
"""The targets by the ends of their files, and the options that each takes."""


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
    path, options = Path(path), options or Options()
    if path.suffix.lower() not in _TARGETS:
        known = ", ".join(_TARGETS)
        raise ValueError(f"{path.name} does not say what to write: let its name end in one of {known}.")
    make, taken = _TARGETS[path.suffix.lower()]
    other = [name for name in options.given if name not in taken]
    if other:
        where = ", ".join(end for end, (_, names) in _TARGETS.items() if other[0] in names)
        raise ValueError(f"{other[0]} is an option for {where} only, and {path.name} is none of them.")
    write_whole(path, make(plan_of(model), options))
