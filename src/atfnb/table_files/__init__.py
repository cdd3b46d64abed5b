"""Any table file in, and out again: CSV, TSV, Parquet, Arrow, compressed or not, and standard input and output.

What a file is, is told by its content. Everything that cannot be read is refused with one sentence (ValueError or
OSError) that says what to do.

::

    bytes ──sources──▶ CSV ──encodings, text, dialects──▶ text cells ──cells──▶ numbers, truth values, dates, text
                   └──▶ Parquet, Arrow ──────────────────────────────────────▶ columns as they are

A model that was trained with ``read`` and is asked with ``batches`` and ``as_kinds`` sees the same cells.
"""

from atfnb.table_files.binary import is_binary
from atfnb.table_files.columns import (
    constant,
    identifiers,
    looks_continuous,
    looks_unique,
    nearly_numbers,
    temporal,
    too_many_classes,
)
from atfnb.table_files.formats import Dialect, Format
from atfnb.table_files.forms import Form
from atfnb.table_files.kinds import Batch, Kind, as_kinds, kinds_of
from atfnb.table_files.reading import TableFile, open_table
from atfnb.table_files.spelling import spelling
from atfnb.table_files.writing import TableWriter

__all__ = [
    "Batch",
    "Dialect",
    "Form",
    "Format",
    "Kind",
    "TableFile",
    "TableWriter",
    "as_kinds",
    "constant",
    "identifiers",
    "is_binary",
    "kinds_of",
    "looks_continuous",
    "looks_unique",
    "nearly_numbers",
    "open_table",
    "spelling",
    "temporal",
    "too_many_classes",
]
