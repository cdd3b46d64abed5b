"""Read tables: files and data frames become columns, classes and weights.

::

    bytes ──sources──▶ CSV ──encodings, text, dialects──▶ text cells ──cells──▶ numbers, booleans, dates, text
                   └──▶ Parquet, Arrow ──────────────────────────────────────▶ columns as they are
    data frame, array ──frames──▶ columns        y, sample_weight ──labels, weights──▶ classes and weights

The content of a file decides what it is read as. Whatever cannot be read is refused with one sentence (a ValueError or
an OSError) that says what to do. The names that read files are loaded when they are first used, because they need
pyarrow, and fitting a classifier to a data frame does not.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from atfnb.tables.frames import Column, Table, Words, is_frame, numbers_of, read_again, read_table
from atfnb.tables.labels import Target, encode_labels, read_target
from atfnb.tables.missing import is_missing, none_missing
from atfnb.tables.policy import (
    ENOUGH,
    ColumnFacts,
    Policy,
    counts_rows,
    holds_dates,
    is_identifier,
    named_as_identifier,
    no_classes,
    nothing_to_learn_from,
    one_class,
)
from atfnb.tables.weights import (
    ClassTotals,
    Weighting,
    check_weights,
    read_weights,
    totals_of,
    weighting_of,
)

if TYPE_CHECKING:
    from atfnb.tables.formats import Dialect, Format
    from atfnb.tables.forms import Form
    from atfnb.tables.kinds import Batch, Kind, as_kinds, kinds_of
    from atfnb.tables.parts import ROWS, Frame, FramePart, Reader, counting_bytes
    from atfnb.tables.planning import InPieces, Plan, parts_as_learned, plan
    from atfnb.tables.reading import TableFile, open_table
    from atfnb.tables.screening import (
        classes_of,
        plain_classes,
        refuse_infinite,
        usable_columns,
        with_class,
    )
    from atfnb.tables.spellings import spelled_classes
    from atfnb.tables.writing import TableWriter

_OF_FILES = {
    "Batch": "kinds",
    "Dialect": "formats",
    "Form": "forms",
    "Format": "formats",
    "Frame": "parts",
    "FramePart": "parts",
    "InPieces": "planning",
    "Kind": "kinds",
    "Plan": "planning",
    "ROWS": "parts",
    "Reader": "parts",
    "TableFile": "reading",
    "TableWriter": "writing",
    "as_kinds": "kinds",
    "classes_of": "screening",
    "counting_bytes": "parts",
    "kinds_of": "kinds",
    "open_table": "reading",
    "parts_as_learned": "planning",
    "plain_classes": "screening",
    "plan": "planning",
    "refuse_infinite": "screening",
    "spelled_classes": "spellings",
    "usable_columns": "screening",
    "with_class": "screening",
}
"""The names that are loaded when they are first used, and the module that each is defined in."""

__all__ = [
    "ENOUGH",
    "ROWS",
    "Batch",
    "ClassTotals",
    "Column",
    "ColumnFacts",
    "Dialect",
    "Form",
    "Format",
    "Frame",
    "FramePart",
    "InPieces",
    "Kind",
    "Plan",
    "Policy",
    "Reader",
    "Table",
    "TableFile",
    "TableWriter",
    "Target",
    "Weighting",
    "Words",
    "as_kinds",
    "check_weights",
    "classes_of",
    "counting_bytes",
    "counts_rows",
    "encode_labels",
    "holds_dates",
    "is_frame",
    "is_identifier",
    "is_missing",
    "kinds_of",
    "named_as_identifier",
    "no_classes",
    "none_missing",
    "nothing_to_learn_from",
    "numbers_of",
    "one_class",
    "open_table",
    "parts_as_learned",
    "plain_classes",
    "plan",
    "read_again",
    "read_table",
    "read_target",
    "read_weights",
    "refuse_infinite",
    "spelled_classes",
    "totals_of",
    "usable_columns",
    "weighting_of",
    "with_class",
]


if not TYPE_CHECKING:  # otherwise a type checker would believe that every name exists

    def __getattr__(name: str) -> Any:
        if name not in _OF_FILES:
            raise AttributeError(f"module 'atfnb.tables' has no attribute {name!r}")
        return getattr(import_module(f"atfnb.tables.{_OF_FILES[name]}"), name)
