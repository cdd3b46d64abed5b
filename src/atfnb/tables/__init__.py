"""Read tables: files and data frames become columns, classes and weights.

::

    file ──sources──▶ CSV ──csv_layout, csv_rows──▶ text ──cells──▶ numbers, booleans, dates, text ─┐
                  ├──▶ Excel, .ods ──excel──▶ columns with types; text ──cells──▶ the same ─────────┤
                  └──▶ Parquet, Arrow, JSON lines ──────────────▶ columns with types ───────────────┴─reading─▶ table
    CSV, sheet ──headers, left_out──▶ the names of the columns, and the rows that are rows
    table ──screening, policy──▶ the rows and columns to learn from, and notes on the rest
    folder, pattern, several files ──paths──▶ files ──several──▶ one table, as above
    many files ──planning──▶ parts ──▶ frames of some rows at a time
    data frame, array ──frames──▶ columns        y, sample_weight ──target──▶ classes and weights

The content of a file decides its format. A file that cannot be read is refused with one sentence (a ValueError or an
OSError) that says what to do. The names that read files are loaded when they are first used: they need pyarrow, and
fitting a classifier to a data frame does not.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from atfnb.tables.columns import Column, Table, is_missing, source_of
from atfnb.tables.dates import (
    NAMES_OF_PARTS,
    Dates,
    Part,
    aligned,
    check_dates,
    expand_dates,
    holds_dates,
    in_local_time,
    moment_label,
    needless_parts,
    without_needless_parts,
)
from atfnb.tables.example import titanic
from atfnb.tables.frames import is_frame, numbers_of, read_again, read_table
from atfnb.tables.policy import (
    ENOUGH,
    ColumnFacts,
    Policy,
    are_row_numbers,
    is_identifier,
    named_as_identifier,
    no_classes,
    nothing_to_learn_from,
    one_class,
)
from atfnb.tables.rare_classes import Rare, RareClasses
from atfnb.tables.spelling import case_variants, on_case, renamed, taken_for, taken_in_words
from atfnb.tables.target import (
    ClassTotals,
    LabelledRows,
    Target,
    Weighting,
    check_classes,
    encode_labels,
    given_weights,
    read_more,
    read_target,
    read_weights,
    totals_of,
    weighting_of,
)

if TYPE_CHECKING:
    from atfnb.tables.kinds import Batch, Kind, as_kinds, kinds_of, spelled_classes
    from atfnb.tables.labelled import ColumnRoles, add_totals, labelled_rows
    from atfnb.tables.left_out import names_total
    from atfnb.tables.parts import FRAME_ROWS, Frame, FramePart, FrameReader, counting_bytes
    from atfnb.tables.paths import table_paths
    from atfnb.tables.planning import Plan, parts_as_learned, plan
    from atfnb.tables.reading import TableFile, open_table
    from atfnb.tables.screening import (
        classes_of,
        looks_like,
        plain_classes,
        refuse_infinite,
        usable_columns,
        with_class,
        without_date_columns,
    )
    from atfnb.tables.sources import Dialect, Format
    from atfnb.tables.writing import TableWriter

_NEED_PYARROW = {
    "kinds": "Batch Kind as_kinds kinds_of spelled_classes",
    "labelled": "ColumnRoles add_totals labelled_rows",
    "left_out": "names_total",
    "parts": "FRAME_ROWS Frame FramePart FrameReader counting_bytes",
    "paths": "table_paths",
    "planning": "Plan parts_as_learned plan",
    "reading": "TableFile open_table",
    "screening": "classes_of looks_like plain_classes refuse_infinite usable_columns with_class without_date_columns",
    "sources": "Dialect Format",
    "writing": "TableWriter",
}
"""The modules that are loaded when one of their names is first used."""

__all__ = [
    "ENOUGH",
    "FRAME_ROWS",
    "NAMES_OF_PARTS",
    "Batch",
    "ClassTotals",
    "Column",
    "ColumnFacts",
    "ColumnRoles",
    "Dates",
    "Dialect",
    "Format",
    "Frame",
    "FramePart",
    "FrameReader",
    "Kind",
    "LabelledRows",
    "Part",
    "Plan",
    "Policy",
    "Rare",
    "RareClasses",
    "Table",
    "TableFile",
    "TableWriter",
    "Target",
    "Weighting",
    "add_totals",
    "aligned",
    "are_row_numbers",
    "as_kinds",
    "case_variants",
    "check_classes",
    "check_dates",
    "classes_of",
    "counting_bytes",
    "encode_labels",
    "expand_dates",
    "given_weights",
    "holds_dates",
    "in_local_time",
    "is_frame",
    "is_identifier",
    "is_missing",
    "kinds_of",
    "labelled_rows",
    "looks_like",
    "moment_label",
    "named_as_identifier",
    "names_total",
    "needless_parts",
    "no_classes",
    "nothing_to_learn_from",
    "numbers_of",
    "on_case",
    "one_class",
    "open_table",
    "parts_as_learned",
    "plain_classes",
    "plan",
    "read_again",
    "read_more",
    "read_table",
    "read_target",
    "read_weights",
    "refuse_infinite",
    "renamed",
    "source_of",
    "spelled_classes",
    "table_paths",
    "taken_for",
    "taken_in_words",
    "titanic",
    "totals_of",
    "usable_columns",
    "weighting_of",
    "with_class",
    "without_date_columns",
    "without_needless_parts",
]

if not TYPE_CHECKING:  # otherwise a type checker would believe that every name exists

    def __getattr__(name: str) -> Any:
        for module, names in _NEED_PYARROW.items():
            if name in names.split():
                return getattr(import_module(f"atfnb.tables.{module}"), name)
        raise AttributeError(f"module 'atfnb.tables' has no attribute {name!r}")
