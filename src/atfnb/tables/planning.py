"""The files of a path or a pattern → parts that can be read one by one, and what their columns hold.

Planning does not know who reads the files. The caller gives a function ``pieces(items, opener)`` that returns the
:class:`~atfnb._pieces.Pieces` which ``opener`` makes of each item (a path, a block of a file, a part), and planning
adds up over these: threads of one process may run the passes, or a cluster.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from atfnb._errors import first_line
from atfnb._pieces import Piece, Pieces
from atfnb.tables.cells import ColumnForm
from atfnb.tables.csv_layout import refuse_duplicates
from atfnb.tables.csv_planning import CsvHead, append, column_types, csv_parts, formats
from atfnb.tables.kinds import Kind
from atfnb.tables.parts import ParquetPart, count_bytes
from atfnb.tables.reading import SAMPLE, CsvFile, open_table
from atfnb.tables.sources import Dialect

PART_ROWS = (1 << 18, 1 << 22)
"""The approximate smallest and largest number of rows in a part of Parquet files."""
PARTS = 256
"""The approximate number of parts of a large table: enough to keep many workers busy, few for a scheduler."""
PART_BYTES = 1 << 24
"""The approximate size of a part of a CSV file."""
_TABLES = re.compile(r"(?i)\.(parquet|pq|xls[xmb]|ods|(csv|tsv)(\.(gz|bz2|xz|zst|lz4|zip))?)$")
"""The names of table files, in a folder."""


class InPieces(Protocol):
    """A function that makes pieces of items, and so decides where the items are opened and added up."""

    def __call__(self, items: Sequence[Any], opener: Callable[[Any], Iterator[Piece]], /) -> Pieces[Piece]:
        """Return the pieces that ``opener`` makes of each item."""
        ...


@dataclass(frozen=True)
class Plan:
    """The parts of a table, and what its files hold."""

    names: tuple[str, ...]
    """The names of the columns, in the order of the first file."""
    parts: tuple[Any, ...]
    """The parts, each with a method ``frames``."""
    dates: dict[str, str] = field(default_factory=dict)
    """The columns of CSV files that hold dates, and for each a file in which it does."""
    notes: tuple[str, ...] = ()
    """A sentence on each thing to know about the files."""
    forms: dict[str, ColumnForm] = field(default_factory=dict)
    """The columns of CSV files with numbers that have a sign, a unit or thousands separators, and with dates."""
    words: dict[str, frozenset[str]] = field(default_factory=dict)
    """How the values are spelled in the columns of CSV files that are kept as they are written."""


def plan(
    source: Any,
    pieces: InPieces,
    dialect: Dialect | None = None,
    as_text: Collection[str] = (),
    as_written: Collection[str] = (),
) -> Plan:
    r"""Return the parts of the Parquet or CSV files of a path, a folder or a pattern.

    Parameters
    ----------
    source : str or Path
        A file, a folder, or a pattern such as ``"data/*.csv"``.
    pieces : callable
        Runs the passes over the files; see :class:`InPieces`.
    dialect : Dialect, optional
        What is known about the files.
    as_text, as_written : names
        Columns that are read as text, and columns whose numbers with a sign or a unit stay text.

    Examples
    --------
    >>> import tempfile
    >>> from atfnb._pieces import KeptPieces
    >>> def here(items, opener):
    ...     return KeptPieces([piece for item in items for piece in opener(item)], len(items))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "few.csv").write_text("size,kind\n1.5,a\n2,b\n")
    ...     plan(folder, here).names
    ('size', 'kind')
    """
    dialect = dialect or Dialect()
    files = _files(source, pieces, dialect)
    for name in as_text:
        if name not in files[0].names:
            raise ValueError(f"column {name!r} is not in the data. Columns: {', '.join(files[0].names)}.")
    if isinstance(files[0], CsvHead):
        return _plan_csv(files, as_text, as_written, pieces)
    return _plan_parquet(files, dialect, as_text)


def parts_as_learned(
    source: Any,
    pieces: InPieces,
    dialect: Dialect,
    kinds: dict[str, Kind],
    forms: dict[str, str],
    zones: Mapping[str, str] | None = None,
) -> list[Any]:
    """Return the parts of files with new rows, whose columns are read as the kinds and forms that a model learned."""
    files = _files(source, pieces, dialect)
    lost = [name for name in kinds if name not in files[0].names]
    if lost:
        raise ValueError(f"{files[0].path} has no column {lost[0]!r}, which the model was fitted with.")
    if isinstance(files[0], CsvHead):
        learned, signs, local = tuple(kinds.items()), tuple(forms.items()), tuple((zones or {}).items())
        return [replace(part, kinds=learned, forms=signs, zones=local) for part in csv_parts(files, PART_BYTES, pieces)]
    as_text = [name for name, kind in kinds.items() if kind == "text"]
    return [*_plan_parquet(files, dialect, as_text).parts]


def _files(source: Any, pieces: InPieces, dialect: Dialect) -> list[Any]:
    """Return the heads of CSV files or the footers of Parquet files, after checking that all have the same columns."""
    files: list[Any] = pieces(_paths(source), partial(_look, dialect)).sum("files", list, append)
    if len({type(file) for file in files}) > 1:
        raise ValueError(f"{source} holds both CSV and Parquet files: name one kind.")
    _check_names([(file.path, file.names) for file in files])
    return files


def _paths(source: Any) -> list[str]:
    if not isinstance(source, (str, Path)):
        raise TypeError(f"training data must be a Dask data frame, a path or a glob, not a {type(source).__name__}.")
    text = str(source)
    is_folder = Path(text).is_dir()
    found = glob.glob(os.path.join(glob.escape(text), "*") if is_folder else text, recursive=True)
    paths = sorted(path for path in found if not is_folder or _TABLES.search(path))
    if not paths and os.path.exists(text) and not is_folder:
        return [text]  # a file whose name looks like a pattern
    if not paths:
        raise FileNotFoundError(f"{text} names no file: check the path, and put a pattern with * into quotes.")
    return paths


def _look(dialect: Dialect, path: str) -> Iterator[Any]:
    """Yield the head of a CSV file, or the footer of a Parquet file."""
    if path.lower().endswith((".parquet", ".pq")):
        yield _read_footer(path)
        return
    with open_table(path, dialect) as file:
        if isinstance(file, CsvFile):
            head = CsvHead.of(path, file)
            count_bytes(min(head.size, SAMPLE))
            yield head
        elif file.format.kind == "Parquet" and file.format.compression is None:
            yield _read_footer(path)
        else:
            raise ValueError(f"{path} can only be read whole: write it as Parquet without compression, or as CSV.")


def _check_names(files: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Raise a ValueError if the columns of a file are not those of the first; their order does not matter."""
    first, names = files[0]
    for path, others in files[1:]:
        for here, there, has, lacks in ((names, others, first, path), (others, names, path, first)):
            known = set(there)
            lost = [name for name in here if name not in known]
            if lost:
                raise ValueError(
                    f"{lacks} has no column {lost[0]!r}, which {has} has: every file needs the same columns."
                )


def _plan_csv(
    files: Sequence[CsvHead], as_text: Collection[str], as_written: Collection[str], pieces: InPieces
) -> Plan:
    names = files[0].names
    parts = csv_parts(files, PART_BYTES, pieces)
    found = column_types(parts, names, as_text, as_written, pieces)
    decided = {name: form.recorded for name, form in found.forms.items() if form.is_decided}
    signs = tuple((name, sign) for name, sign in decided.items() if sign is not None)
    parts = [replace(part, kinds=found.kinds, forms=signs, zones=found.zones) for part in parts]
    return Plan(names, tuple(parts), found.dates, (*formats(files), *found.notes), found.forms, found.words)


# --- Parquet ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Footer:
    path: str
    names: tuple[str, ...]
    rows: tuple[int, ...]
    """The number of rows in each row group."""


def _read_footer(path: str) -> _Footer:
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            meta = file.metadata
            rows = tuple(meta.row_group(group).num_rows for group in range(meta.num_row_groups))
            count_bytes(meta.serialized_size)
            return _Footer(path, tuple(file.schema_arrow.names), rows)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(
            f"{path} cannot be read as a Parquet file: {first_line(error)}. Write it again, or leave it out."
        ) from None


def _plan_parquet(footers: Sequence[_Footer], dialect: Dialect, as_text: Collection[str]) -> Plan:
    for footer in footers:
        refuse_duplicates(footer.names, footer.path)
    fewest, most = PART_ROWS
    rows = min(max(sum(sum(footer.rows) for footer in footers) // PARTS, fewest), most)
    parts = [
        ParquetPart(footer.path, groups, tuple(as_text), dialect.missing)
        for footer in footers
        for groups in _grouped(footer.rows, rows)
    ]
    return Plan(footers[0].names, tuple(parts))


def _grouped(rows: Sequence[int], most: int) -> Iterator[tuple[int, ...]]:
    """Yield the numbers of neighbouring row groups that have up to ``most`` rows together."""
    together: list[int] = []
    for group, n in enumerate(rows):
        if together and sum(rows[g] for g in together) + n > most:
            yield tuple(together)
            together = []
        together.append(group)
    if together:
        yield tuple(together)
