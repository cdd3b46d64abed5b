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
from atfnb.tables.row_names import counts_rows, is_identifier, named_as_identifier
from atfnb.tables.weights import (
    ClassTotals,
    Weighting,
    check_weights,
    read_weights,
    totals_of,
    weighting_of,
)

if TYPE_CHECKING:
    from atfnb.tables.binary import is_binary
    from atfnb.tables.columns import (
        constant,
        identifiers,
        looks_continuous,
        looks_unique,
        nearly_numbers,
        temporal,
        too_many_classes,
    )
    from atfnb.tables.formats import Dialect, Format
    from atfnb.tables.forms import Form
    from atfnb.tables.kinds import Batch, Kind, as_kinds, kinds_of
    from atfnb.tables.parts import ROWS, Frame, FramePart, Reader, counting_bytes
    from atfnb.tables.planning import InPieces, Plan, parts_as_learned, plan
    from atfnb.tables.reading import TableFile, open_table
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
    "constant": "columns",
    "counting_bytes": "parts",
    "identifiers": "columns",
    "is_binary": "binary",
    "kinds_of": "kinds",
    "looks_continuous": "columns",
    "looks_unique": "columns",
    "nearly_numbers": "columns",
    "open_table": "reading",
    "parts_as_learned": "planning",
    "plan": "planning",
    "spelled_classes": "spellings",
    "temporal": "columns",
    "too_many_classes": "columns",
}
"""The names that are loaded when they are first used, and the module that each is defined in."""

__all__ = [
    "ROWS",
    "Batch",
    "ClassTotals",
    "Column",
    "Dialect",
    "Form",
    "Format",
    "Frame",
    "FramePart",
    "InPieces",
    "Kind",
    "Plan",
    "Reader",
    "Table",
    "TableFile",
    "TableWriter",
    "Target",
    "Weighting",
    "Words",
    "as_kinds",
    "check_weights",
    "constant",
    "counting_bytes",
    "counts_rows",
    "encode_labels",
    "identifiers",
    "is_binary",
    "is_frame",
    "is_identifier",
    "is_missing",
    "kinds_of",
    "looks_continuous",
    "looks_unique",
    "named_as_identifier",
    "nearly_numbers",
    "none_missing",
    "numbers_of",
    "open_table",
    "parts_as_learned",
    "plan",
    "read_again",
    "read_table",
    "read_target",
    "read_weights",
    "spelled_classes",
    "temporal",
    "too_many_classes",
    "totals_of",
    "weighting_of",
]


if not TYPE_CHECKING:  # otherwise a type checker would believe that every name exists

    def __getattr__(name: str) -> Any:
        if name not in _OF_FILES:
            raise AttributeError(f"module 'atfnb.tables' has no attribute {name!r}")
        return getattr(import_module(f"atfnb.tables.{_OF_FILES[name]}"), name)
