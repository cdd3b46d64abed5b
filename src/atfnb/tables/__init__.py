"""Read tables: files and data frames become columns, classes and weights.

::

    file ──sources──▶ CSV ──csv_layout, csv_rows──▶ text ──cells──▶ numbers, booleans, dates, text ─┐
                  ├──▶ Excel, .ods ──excel──▶ columns with types; text ──cells──▶ the same ─────────┤
                  └──▶ Parquet, Arrow, JSON lines ──────────────▶ columns with types ───────────────┴─reading─▶ table
    CSV, sheet ──headers, left_out──▶ the names of the columns, and the rows that are rows
    table ──screening, policy──▶ the rows and columns to learn from, and notes on the rest
    folder, pattern, several files ──paths──▶ files ──planning──▶ one table, as above
    many files ──planning, column_types──▶ parts ──▶ frames of some rows at a time
    data frame, array ──frames──▶ columns        y, sample_weight ──target──▶ classes and weights

The content of a file decides its format. A file that cannot be read is refused with one sentence (a ValueError or an
OSError) that says what to do.
"""

from atfnb.tables.column_types import Plan
from atfnb.tables.columns import Column, Table, is_missing, source_of
from atfnb.tables.dates import (
    NAMES_OF_PARTS,
    DatePart,
    Dates,
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
from atfnb.tables.frames import is_frame, read_again, read_table
from atfnb.tables.kinds import Batch, ColumnKind, as_kinds, kinds_of
from atfnb.tables.labelled import (
    WITHOUT_NAME,
    Relabelling,
    RowReader,
    add_totals,
    check_names,
    record_of,
    refuse_dates,
    weights_of_all,
)
from atfnb.tables.left_out import names_total
from atfnb.tables.naming import RareClasses, case_variants, on_case, renamed, spelled_classes, taken_for, taken_in_words
from atfnb.tables.parts import FRAME_ROWS, FramePart, counting_bytes, read_frames
from atfnb.tables.paths import table_paths
from atfnb.tables.planning import parts_as_learned, plan
from atfnb.tables.policy import (
    ENOUGH_ROWS,
    ColumnFacts,
    Policy,
    is_identifier,
    no_classes,
    nothing_to_learn_from,
    one_class,
)
from atfnb.tables.reading import TableFile, open_table
from atfnb.tables.record import TrainingRecord
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
from atfnb.tables.target import (
    ClassTotals,
    LabelledRows,
    check_classes,
    encode_labels,
    given_weights,
    join_rows,
    label_more_rows,
    label_rows,
    read_weights,
    totals_of,
    weighting_of,
)
from atfnb.tables.writing import TableWriter

# columns of data frames and arrays, and which of their parts are dates
__all__ = ["NAMES_OF_PARTS", "Column", "DatePart", "Dates", "Table", "aligned", "check_dates", "expand_dates"]
__all__ += ["holds_dates", "in_local_time", "is_frame", "is_missing", "moment_label", "needless_parts"]
__all__ += ["read_again", "read_table", "source_of", "titanic", "without_needless_parts"]
# files, whole and in parts
__all__ += ["FRAME_ROWS", "Batch", "ColumnKind", "Dialect", "Format", "FramePart"]
__all__ += ["Plan", "TableFile", "TableWriter", "add_totals", "as_kinds", "counting_bytes", "kinds_of"]
__all__ += [
    "WITHOUT_NAME",
    "RowReader",
    "TrainingRecord",
    "check_names",
    "open_table",
    "parts_as_learned",
    "plan",
    "read_frames",
    "record_of",
    "refuse_dates",
    "table_paths",
]
# what is learned from, and notes on the rest
__all__ += ["ENOUGH_ROWS", "ColumnFacts", "Policy", "case_variants", "classes_of", "is_identifier"]
__all__ += ["looks_like", "names_total", "no_classes", "nothing_to_learn_from", "on_case"]
__all__ += ["one_class", "refuse_infinite", "taken_for", "taken_in_words", "usable_columns", "with_class"]
__all__ += ["without_date_columns"]
# classes and weights
__all__ += [
    "ClassTotals",
    "LabelledRows",
    "RareClasses",
    "Relabelling",
    "check_classes",
    "encode_labels",
    "given_weights",
    "join_rows",
    "label_more_rows",
    "label_rows",
]
__all__ += ["plain_classes", "read_weights", "renamed", "spelled_classes", "totals_of"]
__all__ += ["weighting_of", "weights_of_all"]
