"""The files of a path or a pattern → parts that can be read one by one, and what their columns hold.

Planning does not know who reads the files. The caller gives a function ``pieces(items, opener)`` that returns the
:class:`~atfnb._pieces.Pieces` which ``opener`` makes of each item (a path, a block of a file, a part), and planning
adds up over these: threads of one process may run the passes, or a cluster.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from atfnb._errors import and_more, did_you_mean, first_line, listed_names
from atfnb.tables.cells import ColumnForm
from atfnb.tables.csv_layout import refuse_duplicates
from atfnb.tables.csv_planning import CsvHead, append, column_types, csv_parts, formats
from atfnb.tables.kinds import Kind
from atfnb.tables.parts import ParquetPart, WholePart, count_bytes
from atfnb.tables.paths import TablePath, table_paths
from atfnb.tables.reading import SAMPLE, CsvFile, open_file
from atfnb.tables.sources import Dialect, Format

PART_ROWS = (1 << 18, 1 << 22)
"""The approximate smallest and largest number of rows in a part of Parquet files."""
PARTS = 256
"""The approximate number of parts of a large table: enough to keep many workers busy, few for a scheduler."""
PART_BYTES = 1 << 24
"""The approximate size of a part of a CSV file."""


class InPieces(Protocol):
    """A function that makes pieces of items, and so decides where the items are opened and added up."""

    def __call__(self, items: Sequence[Any], opener: Callable[[Any], Iterator[Any]], /) -> Any:
        """Return the pieces that ``opener`` makes of each item, whose ``sum`` adds up over them."""
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
    files: tuple[str, ...] = ()
    """The paths of the files."""


Heads = Sequence[Any]
"""What is known of each file before its rows are read: CsvHead, ParquetFooter or WholeHead, all of one type."""


def plan(
    source: Any,
    pieces: InPieces,
    dialect: Dialect | None = None,
    as_text: Collection[str] = (),
    as_written: Collection[str] = (),
) -> Plan:
    r"""Return the parts of the files of a path, a folder or a pattern, or of several.

    Parameters
    ----------
    source : str, Path or list of these
        Files, folders, or patterns such as ``"data/*.csv"``.
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
    return planned(look_at(table_paths(source), pieces, dialect or Dialect()), pieces, as_text, as_written)


def planned(heads: Heads, pieces: InPieces, as_text: Collection[str], as_written: Collection[str]) -> Plan:
    """Return the parts of files of which the beginnings, or the ends, are known."""
    names = heads[0].names
    for name in as_text:
        if name not in names:
            raise ValueError(f"the table has no column {name!r}: it has {listed_names(names)}.")
    if isinstance(heads[0], ParquetFooter):
        return Plan(names, tuple(_parquet_parts(heads, as_text)), files=paths_of(heads))
    parts = _text_parts(heads, pieces)
    declared = heads[0].reader.layout.declared or () if isinstance(heads[0], CsvHead) else ()
    found = column_types(parts, names, {*as_text, *declared}, as_written, pieces)
    decided = {name: form.recorded for name, form in found.forms.items() if form.is_decided}
    signs = tuple((name, sign) for name, sign in decided.items() if sign is not None)
    parts = [replace(part, kinds=found.kinds, forms=signs, zones=found.zones) for part in parts]
    notes = (*map(str, formats(head.format for head in heads)), *notes_of(heads), *found.notes)
    return Plan(names, tuple(parts), found.dates, notes, found.forms, found.words, paths_of(heads))


def parts_as_learned(
    source: Any,
    pieces: InPieces,
    dialect: Dialect,
    kinds: dict[str, Kind],
    forms: dict[str, str],
    zones: Mapping[str, str] | None = None,
) -> list[Any]:
    """Return the parts of files with new rows, whose columns are read as the kinds and forms that a model learned."""
    heads = look_at(table_paths(source, kinds), pieces, dialect)
    lost = [name for name in kinds if name not in heads[0].names]
    if lost:
        path, hint = heads[0].file.path, did_you_mean(lost[0], heads[0].names) or "add it."
        raise ValueError(f"{path} has no column {lost[0]!r}, which the model was fitted with: {hint}")
    if isinstance(heads[0], ParquetFooter):
        return _parquet_parts(heads, [name for name, kind in kinds.items() if kind == "text"])
    learned, signs, local = tuple(kinds.items()), tuple(forms.items()), tuple((zones or {}).items())
    return [replace(part, kinds=learned, forms=signs, zones=local) for part in _text_parts(heads, pieces)]


def notes_of(heads: Heads) -> list[str]:
    """Return what was left out when the files were opened, a sentence each."""
    notes: defaultdict[str, list[str]] = defaultdict(list)
    for head in heads:
        for note in head.notes:
            notes[note].append(head.format.name)
    several = len(heads) > 1
    return [f"{names[0]}{and_more(len(names), 1)}: {note}" if several else note for note, names in notes.items()]


def paths_of(heads: Heads) -> tuple[str, ...]:
    """Return the paths of files."""
    return tuple(head.file.path for head in heads)


# --- Files -----------------------------------------------------------------------------------------


def look_at(files: Sequence[TablePath], pieces: InPieces, dialect: Dialect) -> Heads:
    """Return what is known of each file before its rows are read; all must be of one kind and have the same columns."""
    heads: Any = pieces(files, partial(_look, dialect)).sum("files", list, append)
    for head in heads[1:]:
        if (type(head), head.format.kind) != (type(heads[0]), heads[0].format.kind):
            kinds = f"{heads[0].file.path} is {heads[0].format.kind}, {head.file.path} is {head.format.kind}"
            raise ValueError(f"the files are not of one kind ({kinds}): give those of one kind.")
    _check_names([(head.file.path, head.names) for head in heads])
    return heads  # type: ignore[no-any-return]


@dataclass(frozen=True)
class WholeHead:
    """What is known of a file that can only be read whole: a workbook, or a file of Arrow."""

    file: TablePath
    names: tuple[str, ...]
    format: Format
    dialect: Dialect
    notes: tuple[str, ...]


def _look(dialect: Dialect, file: TablePath) -> Iterator[Any]:
    """Yield the head of a file, which depends on its kind."""
    if file.path.lower().endswith((".parquet", ".pq")):
        yield _read_footer(file, dialect)
        return
    with file.unchanged(), open_file(file.path, dialect) as opened:
        if isinstance(opened, CsvFile):
            head = CsvHead.of(file, opened)
            count_bytes(min(head.size, SAMPLE))
            yield head
        elif opened.format.kind == "Parquet" and opened.format.compression is None:
            yield _read_footer(file, dialect)
        else:
            yield WholeHead(file, file.names_with(opened.columns), opened.format, dialect, opened.notes)


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


def _text_parts(heads: Heads, pieces: InPieces) -> list[Any]:
    """Return the parts of files whose columns get their types later: CSV files in pieces, others whole."""
    if isinstance(heads[0], CsvHead):
        return csv_parts(heads, PART_BYTES, pieces)
    return [WholePart(head.file, head.dialect) for head in heads]


# --- Parquet ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ParquetFooter:
    """What the end of a Parquet file says about it."""

    file: TablePath
    names: tuple[str, ...]
    rows: tuple[int, ...]
    """The number of rows in each row group."""
    dialect: Dialect
    notes: tuple[str, ...] = ()

    @property
    def format(self) -> Format:
        """The format, for messages."""
        return Format(Path(self.file.path).name, "Parquet")


def _read_footer(file: TablePath, dialect: Dialect) -> ParquetFooter:
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(file.path) as opened:
            meta, names = opened.metadata, tuple(opened.schema_arrow.names)
            rows = tuple(meta.row_group(group).num_rows for group in range(meta.num_row_groups))
            count_bytes(meta.serialized_size)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(
            f"{file.path} cannot be read as a Parquet file: {first_line(error)}. Write it again, or leave it out."
        ) from None
    refuse_duplicates(names, file.path)
    return ParquetFooter(file, file.names_with(names), rows, dialect)


def _parquet_parts(footers: Heads, as_text: Collection[str]) -> list[ParquetPart]:
    fewest, most = PART_ROWS
    rows = min(max(sum(sum(footer.rows) for footer in footers) // PARTS, fewest), most)
    return [
        ParquetPart(footer.file, groups, tuple(as_text), footer.dialect.missing)
        for footer in footers
        for groups in _grouped(footer.rows, rows)
    ]


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
