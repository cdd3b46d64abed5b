"""Read tables: files and data frames become columns, classes and weights.

::

    file ──sources──▶ CSV ──csv_layout, csv_rows──▶ text ──cells──▶ numbers, booleans, dates, text ─┐
                  ├──▶ Excel, .ods ──excel──▶ columns with types; text ──cells──▶ the same ─────────┤
                  └──▶ Parquet, Arrow, JSON lines ──────────────▶ columns with types ───────────────┴─reading─▶ table
    CSV, sheet ──headers, left_out──▶ the names of the columns, and the rows that are rows
    table ──screening, policy──▶ the rows and columns to learn from, and notes on the rest
    folder, pattern, several files ──paths──▶ files ──planning──▶ one table, as above
    many files ──planning──▶ parts ──▶ frames of some rows at a time
    data frame, array ──frames──▶ columns        y, sample_weight ──target──▶ classes and weights

The content of a file decides its format. A file that cannot be read is refused with one sentence (a ValueError or an
OSError) that says what to do.
"""

from atfnb.tables.columns import Column, Table, is_missing, source_of
from atfnb.tables.dates import (
    NAMES_OF_PARTS,
    DatePart,
    Dates,
    aligned,
    expand_dates,
    holds_dates,
    in_local_time,
    moment_label,
    needless_parts,
    without_needless_parts,
)
from atfnb.tables.frames import is_frame, order_of_type, read_again, read_table
from atfnb.tables.groups import given_groups, given_times
from atfnb.tables.kinds import Batch, ColumnKind, as_kinds
from atfnb.tables.knowledge import Cuts, Knowledge, Orders, check_cuts, check_orders
from atfnb.tables.left_out import names_total
from atfnb.tables.naming import RareClasses, Relabelling, case_variants, on_case, taken_for, taken_in_words
from atfnb.tables.parts import FRAME_ROWS, FramePart, counting_bytes, read_frames
from atfnb.tables.paths import table_paths
from atfnb.tables.planning import Plan, parts_as_learned, plan
from atfnb.tables.policy import (
    ENOUGH_ROWS,
    ColumnFacts,
    Policy,
    is_identifier,
    named_as_identifier,
    nothing_to_learn_from,
)
from atfnb.tables.reading import WITHOUT_NAME, TableFile, check_names, check_needed, open_table
from atfnb.tables.screening import identifiers, looks_like, plain_classes, refuse_infinite, with_class
from atfnb.tables.sources import Dialect
from atfnb.tables.target import (
    LabelledRows,
    check_classes,
    distinct_numbers,
    encode_labels,
    given_weights,
    join_rows,
    label_more_rows,
    label_rows,
    read_weights,
)
from atfnb.tables.training_table import TableInMemory, TableInParts, TrainingRecord, read_training_table, weights_of_all
from atfnb.tables.writing import TableWriter

# columns of data frames and arrays, which of their parts are dates, and what is known of them beside the data
__all__ = ["NAMES_OF_PARTS", "Column", "Cuts", "DatePart", "Dates", "Knowledge", "Table", "aligned", "check_cuts"]
__all__ += ["Orders", "check_orders", "expand_dates", "order_of_type"]
__all__ += ["holds_dates", "in_local_time", "is_frame", "is_missing", "moment_label", "needless_parts"]
__all__ += ["read_again", "read_table", "source_of", "without_needless_parts"]
# files, whole and in parts
__all__ += ["FRAME_ROWS", "WITHOUT_NAME", "Batch", "ColumnKind", "Dialect", "FramePart", "Plan", "TableFile"]
__all__ += ["TableWriter", "as_kinds", "check_names", "check_needed", "counting_bytes", "names_total", "open_table"]
__all__ += ["parts_as_learned", "plan", "read_frames", "refuse_infinite", "table_paths"]
# what is learned from, and notes on the rest
__all__ += ["ENOUGH_ROWS", "ColumnFacts", "Policy", "TableInMemory", "TableInParts", "TrainingRecord", "case_variants"]
__all__ += ["identifiers", "is_identifier", "looks_like", "named_as_identifier", "nothing_to_learn_from", "on_case"]
__all__ += ["read_training_table", "taken_for"]
__all__ += ["taken_in_words"]
# classes, weights, groups and times
__all__ += ["LabelledRows", "RareClasses", "Relabelling", "check_classes", "distinct_numbers", "encode_labels"]
__all__ += ["given_groups", "given_times", "given_weights", "join_rows", "label_more_rows", "label_rows"]
__all__ += ["plain_classes", "read_weights"]
__all__ += ["weights_of_all", "with_class"]
