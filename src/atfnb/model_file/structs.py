"""The model file by declaration: the types that msgspec reads and writes, and the JSON Schema made from them.

What every file has is declared here. What a classifier adds follows from its constructor (the options) and from its
declaration (the fitted fields), so that a new classifier in the roster saves and loads without a change here.
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from inspect import Parameter, signature
from typing import Annotated, Any, Literal, Union

import msgspec
from msgspec import UNSET, Meta

from atfnb.classifiers import ROSTER, BaseNB, FittedField
from atfnb.editing import AnyEdit

FORMAT, EDITS_FORMAT = "atfnb model", "atfnb-edits"
VERSION = 2
"""Files of version 1 have no pairs of attributes."""
CLASSIFIERS: dict[str, type[BaseNB]] = {classifier.__name__: classifier for classifier in ROSTER}
"""The only classes that a file can name."""
FIRST_OPTIONS = ("alpha", "categorical_features", "class_prior", "fit_prior", "max_bins", "missing")
"""The parameters that every file has. A file may lack the others, which then have the default of the constructor."""
LARGEST = 2**63 - 1
MAX_GROUPS = 256
"""The number of groups of the values of a column in a pair, at most."""
DAY = r"^-?[0-9]{4,6}-[0-9]{2}-[0-9]{2}$"
DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"

CLASS_TYPES = {"text": str, "bool": bool}
CLASS_TYPES |= dict.fromkeys(("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"), int)
CLASS_TYPES |= dict.fromkeys(("float16", "float32", "float64"), float)
"""The types of classes, "text" or NumPy's name of the type, and how JSON holds them."""
Zone = Annotated[str, Meta(pattern=r"^(?:[A-Za-z0-9_+/-]{1,50}|[+-][0-9]{2}:[0-9]{2})$")]
"""The name of a time zone, or its offset from UTC."""
Whole = Annotated[int, Meta(ge=1, le=LARGEST)]
HUGE = 1e100
"""No number that was learned is larger: sums and squares of such numbers must not overflow."""
Learned = Annotated[float, Meta(ge=-HUGE, le=HUGE)]
Weight = Annotated[float, Meta(ge=0, le=HUGE)]
Share = Annotated[float, Meta(ge=0, le=1)]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]


class Part(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """An object of the file. An entry that is not declared is refused, as it is most likely a slip."""


class Versioned(msgspec.Struct):
    """What is read of a document first, as a later version may have other entries and classifiers."""

    version: Annotated[int, Meta(ge=1)]


class Named(msgspec.Struct):
    """What is read of a document next: by its classifier, the types of all its entries are known."""

    classifier: Literal[*CLASSIFIERS]  # type: ignore[valid-type]


class Size(Part, kw_only=False):
    """The number of columns, of classes, and of the values of all columns together."""

    columns: Whole
    classes: Annotated[int, Meta(ge=2, le=LARGEST)]
    values: Whole


class FitFigures(Part):
    """How well the model did on the rows that it was trained on."""

    accuracy: Share
    log_loss: Weight
    calibration_error: Share


class RareClassNames(Part):
    """The classes that had few rows, and the class that they count as; null if their rows were left out."""

    names: Annotated[list[bool | int | float | str], Meta(min_length=1)]
    into: str | None


class Training(Part, kw_only=True):
    """How the model was trained."""

    rows: Whole
    weight: Weight
    fingerprint: Hash | None = None
    date: Annotated[str, Meta(pattern=DATE)]
    library: str
    target: str | None
    source: str | None
    missing_marks: list[str] | None
    forms: dict[str, str] | None = None
    class_spelling: Annotated[list[str], Meta(min_length=2)] | None = None
    class_order: Annotated[list[str], Meta(min_length=2)] | None = None
    rare_classes: RareClassNames | None = None
    fit: FitFigures | None = None
    files: Annotated[list[str], Meta(min_length=2)] | None = None
    updates: Whole | None = None
    counted: list[Hash] | None = None
    options: Any


def _classes(name: str, kind: Any) -> Any:
    """Return the classes of one type, the weight and the number of their rows, and what their scores start from."""
    entries: list[Any] = [
        ("names", Annotated[list[kind], Meta(min_length=2)]),
        ("counts", list[Annotated[float, Meta(gt=0, le=HUGE)]]),
        ("rows", list[Whole] | None, None),
        ("starts", list[Learned]),
    ]
    config: Any = {"bases": (Part,), "kw_only": True, "tag_field": "type", "tag": name}
    return msgspec.defstruct(f"{name} classes", entries, **config)


CLASSES = {name: _classes(name, kind) for name, kind in CLASS_TYPES.items()}
"""The types of the entry "classes", by the type of the classes."""


class Curve(Part):
    """A step function of β: ``accuracy[k]`` holds from ``edges[k]`` to ``edges[k + 1]``."""

    whole: bool
    edges: Annotated[list[Share], Meta(min_length=2)]
    accuracy: Annotated[list[Weight], Meta(min_length=1)]


class Pair(Part):
    """Two columns that act together: the grid of what each two groups of their values add to each class."""

    columns: Annotated[list[Annotated[int, Meta(ge=0, le=LARGEST)]], Meta(min_length=2, max_length=2)]
    weight: Weight
    rows: list[list[Weight]]
    adds: list[list[list[Learned]]]


class Edited(Part):
    """The edits of a model, and the scores that result, each where the same entry stands of what was learned."""

    edits: Annotated[list[AnyEdit], Meta(min_length=1)]
    starts: list[Learned]
    adds: list[list[list[Learned]]]
    pairs: list[list[list[list[Learned]]]] | None = None


class EditsFile(Part, kw_only=True):
    """A file of edits, which the report page or a person wrote: edits of a model with these training rows."""

    format: Literal[EDITS_FORMAT]  # type: ignore[valid-type]
    version: Literal[1]
    model: Hash | None = None
    edits: list[AnyEdit]


class SpecialNumber(Part):
    """A category that JSON cannot write as a number: a decimal number, or an infinite one."""

    decimal: Decimal | None = None
    float: Literal["inf", "-inf"] | None = None


ONE_ENTRY = {"minProperties": 1, "maxProperties": 1}
Category = bool | int | float | str | Annotated[SpecialNumber, Meta(extra_json_schema=ONE_ENTRY)]
Ends = Annotated[list[Annotated[int, Meta(ge=-(10**15), le=10**15)]], Meta(min_length=2, max_length=2)]
"""The lowest and the highest whole number of a column; larger ones are described as numbers with a point."""

Missing = Annotated[int, Meta(ge=0)] | Literal["skip", "value"]


class NumberColumn(Part, kw_only=True, tag_field="kind", tag="number"):
    """How a column of numbers is coded; what was learned of it comes after."""

    name: str
    part: Literal["date", "hour", "time"] | None = None
    zone: Zone | None = None
    since: Annotated[str, Meta(pattern=DAY)] | None = None
    cuts: list[float]
    whole: Ends | None = None
    missing: Missing


class CategoryColumn(Part, kw_only=True, tag_field="kind", tag="categories"):
    """How a column of categories is coded; what was learned of it comes after."""

    name: str
    part: Literal["month", "weekday"] | None = None
    zone: Zone | None = None
    categories: list[Category]
    ordered: bool = False
    pooled: Annotated[int, Meta(ge=0, le=LARGEST)] = 0
    spelling: Annotated[list[str], Meta(min_length=2, max_length=2)] | None = None
    missing: Missing


WEIGHT = FittedField("weights_", "weight", ("attributes",))
COUNTS = FittedField("counts_", "counts", ("cells", "classes"), low=0)
SKIPPED = FittedField("counts_", "skipped", ("attributes", "classes"), low=0, optional=True)
ROWS = FittedField("counts_", "rows", ("cells",), kind="whole", low=0, high=LARGEST, optional=True)
ADDS = FittedField("model_", "adds", ("cells", "classes"))
GROUPS = FittedField("model_", "groups", ("cells",), kind="whole", low=0, high=MAX_GROUPS - 1, optional=True)
"""What every classifier learns of its columns; a file keeps it as it keeps the fields that a classifier declares."""


def saved_parameters(classifier: type[BaseNB]) -> dict[str, Parameter]:
    """Return the parameters that a file holds: all but ``n_jobs``, on which nothing that is learned depends."""
    return {name: each for name, each in signature(classifier).parameters.items() if name != "n_jobs"}


@cache
def file_type(classifier: type[BaseNB]) -> Any:
    """Return the type of the files of one classifier, a msgspec Struct."""
    sections: dict[str, list[Any]] = {}
    for field in classifier.declaration.fields:
        if not field.of_columns:
            section, entry = field.saved_as.split(".")
            sections.setdefault(section, []).append(_entry(field, entry))
    numbers, categories = column_types(classifier).values()
    column: Any = numbers | categories
    entries: list[Any] = [
        ("format", Literal[FORMAT]),
        ("version", Literal[*range(1, VERSION + 1)]),
        ("classifier", Literal[classifier.__name__]),
        ("size", Size),
        ("checksum", Hash | None, None),
        ("training", training_type(classifier)),
        ("classes", Union[*CLASSES.values()]),
        *((name, _part(classifier, name, fields, omit_defaults=False)) for name, fields in sections.items()),
        ("named_columns", bool),
        ("columns", Annotated[list[column], Meta(min_length=1)]),
        ("pairs", Annotated[list[Pair], Meta(min_length=1)] | None, None),
        ("value_pairs", list[list[Weight]] | None, None),
        ("edited", Edited | None, None),
    ]
    return _part(classifier, "file", entries)


@cache
def training_type(classifier: type[BaseNB]) -> Any:
    """Return the type of the record of the training, with the parameters of a classifier: any plain values."""
    names = sorted(saved_parameters(classifier))
    entries = [(n, Any) if n in FIRST_OPTIONS else (n, Any, UNSET) for n in names]
    options = _part(classifier, "options", entries)
    return _part(classifier, "training", [("options", options)], bases=(Training,))


@cache
def column_types(classifier: type[BaseNB]) -> dict[str, Any]:
    """Return the types of the columns in the files of one classifier, by kind."""
    added = [field for field in classifier.declaration.fields if field.of_columns]
    of_attributes = [field for field in added if field.shape[0] == "attributes"]
    of_cells = [field for field in added if field.shape[0] == "cells"]
    learned = (WEIGHT, *of_attributes, COUNTS, SKIPPED, ROWS, ADDS, *of_cells, GROUPS)

    entries = [_entry(field, field.saved_as) for field in learned]
    return {
        kind: _part(classifier, f"{kind} column", entries, bases=(base,), tag_field="kind", tag=kind)
        for kind, base in (("number", NumberColumn), ("categories", CategoryColumn))
    }


def _part(classifier: type[BaseNB], name: str, entries: list[Any], **config: Any) -> Any:
    """Return a type of objects of the files of one classifier."""
    config.setdefault("bases", (Part,))
    return msgspec.defstruct(f"{classifier.__name__} {name}", entries, kw_only=True, **config)


def _entry(field: FittedField, name: str) -> Any:
    """Return an entry for a fitted field; one that may be lacking is None then."""
    kind = fitted_type(field)
    return (name, kind) if field.always and not field.optional else (name, kind | None, None)


def fitted_type(field: FittedField) -> Any:
    """Return the type of a fitted field in the file: of one column, or of the section that it stands in."""
    if field.kind == "curve":
        return Curve
    kind: Any = str
    if field.kind != "text":
        number: Any = {"number": float, "whole": int}[field.kind]
        most = {"number": HUGE, "whole": LARGEST}[field.kind]
        kind = Annotated[number, Meta(ge=number(max(field.low, -most)), le=number(min(field.high, most)))]
    for length in reversed(field.shape[1:] if field.shape[:1] == ("attributes",) else field.shape):
        least, longest = (length, length) if isinstance(length, int) else (int(length != "cells"), None)
        kind = Annotated[list[kind], Meta(min_length=least, max_length=longest)]
    return kind


def model_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of model files, generated from the declared types.

    Lengths that depend on each other (a row for each value, a number for each class) and the arithmetic between the
    parts are not in the schema: :func:`~atfnb.load` checks them.

    Returns
    -------
    dict
        A schema for any validator, with a variant for each classifier.

    Examples
    --------
    >>> schema = model_schema()
    >>> schema["title"], schema["$defs"]["Size"]["required"]
    ('A model of atfnb, version 2', ['columns', 'classes', 'values'])
    """
    types = [file_type(classifier) for classifier in ROSTER]
    variants, definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A model of atfnb, version {VERSION}",
        "anyOf": list(variants),
        "$defs": definitions,
    }
