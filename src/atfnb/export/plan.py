"""A fitted model as one frozen value that every target is written from: columns, codes, scores and classes.

As JSON it is all of a file of Python or JavaScript but its functions, which are those of ``score.py`` or ``score.js``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from atfnb._errors import AdvisedError, shortened
from atfnb._typing import FloatArray
from atfnb.classifiers import BaseNB, edits_in_words
from atfnb.encoding import Attribute
from atfnb.model import TIE
from atfnb.tables import DatePart

Kind = Literal["number", "whole", "boolean", "text", "mixed", "date", "time", "nothing"]
"""What a column must hold. "mixed" is text beside numbers; "nothing" has no value of its own: none in training,
or only rare ones, which have one code together."""
MIXED: Mapping[Kind, str] = {"mixed": "text beside numbers"}
"""The kind of columns that most targets cannot hold, and the words for it."""
NUL = ("\0", "a NUL character")
MOST_REASONS = 3
"""How many contributions an explanation names."""
DAY, HOUR = 86_400_000_000, 3_600_000_000
"""Microseconds in a day and in an hour."""
EXACT = 2**53
"""Up to here, every whole number is a 64-bit float."""


class ExportError(AdvisedError):
    """A target cannot hold the model; the message names what, and which target can."""


@dataclass(frozen=True)
class AttributePlan:
    """How one attribute is read from a row, coded and scored."""

    name: str
    """The name of the attribute, as ``contribution_names_`` has it."""
    column: str
    """The column that it is read from; several attributes share a column of dates."""
    part: DatePart | None
    """Which part of a date it is: "date" in days since 1970-01-01, "month", "weekday", "hour"; or "time" in hours."""
    zone: str | None
    """The time zone that a part of a date is in; None for dates without a zone."""
    kind: Kind
    """What the column must hold."""
    cuts: tuple[float, ...] | None
    """The code of a number is the number of cuts that do not exceed it; None for categories."""
    categories: tuple[Any, ...] | None
    """The code of a category is its position; None for numbers that are cut."""
    missing: int
    """The code of a missing value."""
    unseen: int
    """The code of a category that did not occur in training."""
    labels: tuple[str, ...]
    """(values + 1,) what each code stands for, in words; the last is "unknown"."""
    scores: FloatArray
    """(values + 1, classes) what each code adds to the joint log-likelihood of each class."""


@dataclass(frozen=True)
class PairPlan:
    """How two attributes that act together are scored: the groups of their codes, and the scores of each two groups."""

    name: str
    """The names of the attributes, as "a × b"."""
    of: tuple[int, int]
    """The positions of the two attributes."""
    groups: tuple[tuple[int, ...], tuple[int, ...]]
    """The group of each code of the two attributes; for "unknown" it is the number of groups."""
    shape: tuple[int, int]
    """The number of groups of each."""
    scores: FloatArray
    """(groups · groups + 1, classes) row by row; the last is for rows in which either value is unknown."""


@dataclass(frozen=True)
class ModelPlan:
    """All that a target needs to predict as the model does."""

    classifier: str
    target: str | None
    """The column that the model predicts, if it was trained from a file."""
    classes: tuple[Any, ...]
    """The classes as Python values: text, booleans, whole numbers or floats."""
    class_labels: tuple[str, ...]
    """The classes in words, as the training file spells them."""
    starts: FloatArray
    """(classes,) what the joint log-likelihood of each class starts from."""
    attributes: tuple[AttributePlan, ...]
    pairs: tuple[PairPlan, ...]
    edits: tuple[str, ...] = ()
    """That the model was edited, and what each edit did and why, a line each."""

    @property
    def columns(self) -> dict[str, Kind]:
        """The columns of a row, in the order of training, and what each must hold."""
        return {attribute.column: attribute.kind for attribute in self.attributes}

    @property
    def zones(self) -> dict[str, str]:
        """The columns of dates with a time zone, and their zones in training."""
        return {each.column: each.zone for each in self.attributes if each.zone is not None}

    @property
    def terms(self) -> tuple[AttributePlan | PairPlan, ...]:
        """The attributes, and then the pairs: each adds its score."""
        return (*self.attributes, *self.pairs)

    @property
    def texts(self) -> Iterator[tuple[str, str]]:
        """Every name and every text of the model, each with the words that an error calls it by."""
        yield from ((f"the name of column {column!r}", column) for column in self.columns)
        yield from ((f"the class {each!r}", each) for each in self.classes if isinstance(each, str))
        for attribute in self.attributes:
            for each in attribute.categories or ():
                if isinstance(each, str):
                    yield f"the category {shortened(each)!r} of column {attribute.column!r}", each

    def refuse(self, target: str, others: str, kinds: Mapping[Kind, str] = MIXED, signs: tuple[str, str] = NUL) -> None:
        """Raise an error if a target cannot hold a column, or a name, a class or a category.

        Parameters
        ----------
        target : str
            What cannot hold it, as "a SQL query".
        others : str
            The targets that can.
        kinds : mapping
            The kinds of columns that the target cannot hold, each with the words for it.
        signs : (str, str)
            The characters that the target cannot hold, beside halves of characters, which UTF-8 cannot encode; and the
            words for one of them.
        """
        for column, kind in self.columns.items():
            if kind in kinds:
                raise ExportError(f"column {column!r} holds {kinds[kind]}, which {target} cannot hold: {others}.")
        for words, text in self.texts:
            if not set(text).isdisjoint(signs[0]):
                raise ExportError(f"{words} has {signs[1]}, which {target} cannot hold: {others}.")
            if any("\ud800" <= each <= "\udfff" for each in text):
                raise ExportError(f"{words} has half a character (a surrogate), which {target} cannot hold: {others}.")

    def json(self) -> str:
        """Return the plan as JSON of ASCII characters, for the scripts of a page too: it has no "<".

        Whole numbers beyond 2⁵³, which JavaScript would round, are written as ``{"whole": "9007199254740993"}``.
        """
        document = {
            "classifier": self.classifier,
            "target": self.target,
            "tie": TIE,
            "classes": _json_values(self.classes),
            "starts": self.starts.tolist(),
            "attributes": [vars(each) | {"categories": _json_values(each.categories)} for each in self.attributes],
            "pairs": [vars(each) for each in self.pairs],
        }
        text = json.dumps(document, allow_nan=False, separators=(",", ":"), default=np.ndarray.tolist)
        return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def plan_of(model: BaseNB) -> ModelPlan:
    """Return the plan of a fitted classifier.

    Raises
    ------
    ExportError
        If no target can hold the model: a column mixes text with decimal or infinite numbers.

    Examples
    --------
    >>> from atfnb import NB
    >>> plan = plan_of(NB().fit([[1.0, "red"], [2.0, "blue"], [3.0, "blue"]], ["a", "a", "b"]))
    >>> plan.columns, plan.attributes[0].cuts
    ({'x0': 'number', 'x1': 'text'}, (2.5,))
    """
    check_is_fitted(model)
    offsets, scores = model.counts_.offsets, model.table_
    attributes = tuple(
        _attribute_plan(attribute, scores[first:last])
        for attribute, first, last in zip(model.encoder_.attributes, offsets[:-1], offsets[1:], strict=True)
    )
    return ModelPlan(
        type(model).__name__,
        model.training_record.get("target"),
        tuple(np.asarray(model.classes_).tolist()),
        tuple(model.class_labels),
        np.asarray(model.model_.log_prior),
        attributes,
        tuple(_pair_plans(model)),
        tuple(edits_in_words(model)),
    )


def _attribute_plan(attribute: Attribute, scores: FloatArray) -> AttributePlan:
    numeric = attribute.is_numeric
    categories = None if numeric else tuple(attribute.categories)
    return AttributePlan(
        attribute.name,
        attribute.source,
        attribute.part,
        attribute.zone,
        _kind_of(attribute),
        tuple(attribute.cuts.tolist()) if numeric else None,
        categories,
        min(attribute.missing_code, attribute.unknown),
        attribute.unseen,
        (*attribute.labels, "unknown"),
        np.asarray(scores),
    )


def _kind_of(attribute: Attribute) -> Kind:
    """Return what the column of an attribute must hold."""
    if attribute.part is not None or attribute.is_numeric:
        return attribute.kind
    types = {type(category) for category in attribute.categories}
    if types <= {str}:
        return "text" if types else "nothing"
    if types <= {bool, int, float}:
        return "number" if len(types) > 1 else attribute.kind
    for category in attribute.categories:
        if not isinstance(category, (str, int, float)) or category in (math.inf, -math.inf):
            raise ExportError(
                f"column {attribute.name!r} mixes text with {category!r}, which no target can hold: convert it all "
                "to text before training."
            )
    return "mixed"


def _pair_plans(model: BaseNB) -> Iterator[PairPlan]:
    grids, scores = model.model_.grids, model.model_.pair_table
    for pair, (a, b) in enumerate(grids.of.tolist()):
        groups = [tuple(grids.groups[grids.starts[j] : grids.starts[j + 1]].tolist()) for j in (a, b)]
        yield PairPlan(
            model.contribution_names_[len(model.encoder_.attributes) + pair],
            (a, b),
            (groups[0], groups[1]),
            (int(grids.n_groups[a]), int(grids.n_groups[b])),
            np.asarray(scores[grids.offsets[pair] : grids.offsets[pair + 1]]),
        )


def _json_values(values: tuple[Any, ...] | None) -> list[Any] | None:
    """Return classes or categories as JSON can hold them without loss."""
    if values is None:
        return None
    return [{"whole": str(each)} if type(each) is int and abs(each) > EXACT else each for each in values]


# --- Files that stand beside the code ----------------------------------------------------------------

NO_PLAN = """'{"classes": [], "attributes": []}'"""
"""What stands in ``score.py`` where a written file has the plan."""


def filled_in(template: str, *, finalize: Callable[[Any], Any] | None = None, **given: Any) -> str:
    """Return a template of this folder, filled in; in HTML and XML, nothing that is given is markup.

    ``finalize`` returns how a value is written.
    """
    from jinja2 import Environment, FileSystemLoader, select_autoescape

    layout: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "keep_trailing_newline": True}
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=select_autoescape(), finalize=finalize, **layout)
    return environment.get_template(template).render(**given)


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
    return "".join(f"# {line}\n" for line in plan.edits) + text.replace(NO_PLAN, repr(plan.json()), 1)


def javascript(plan: ModelPlan, *, explain: bool = False) -> str:
    """Return the model as an ES module that exports ``classes``, ``predict`` and ``predictProba``.

    Parameters
    ----------
    plan : ModelPlan
    explain : bool, default=False
        Whether it exports ``explain`` too, which returns the three largest contributions.
    """
    about = (f"{plan.classifier}, written by atfnb: the class of a row and its probabilities.", *plan.edits)
    made = "".join(f"// {line}\n" for line in about) + "//\n"
    text = runtime("predict.js") if explain else runtime("predict.js").partition("\n// The values that")[0]
    return f"{made}{runtime()}\n{text.replace('THE_PLAN', plan.json(), 1)}"
