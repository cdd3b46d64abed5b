"""The files of a path or a pattern → parts that can be read one by one, and what their columns hold.

Planning does not know who reads the files. The caller gives a function ``each(what, function, items)`` that returns
what a function makes of each item (a path, a part), in their order: threads of one process may call it, or a cluster.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from atfnb._errors import and_more, did_you_mean, first_line, listed_names
from atfnb._pieces import on_all_cores
from atfnb.tables.cells import ColumnForm
from atfnb.tables.csv_layout import refuse_duplicates
from atfnb.tables.csv_planning import CsvHead, column_types, csv_parts, formats
from atfnb.tables.kinds import Batch, ColumnKind
from atfnb.tables.parts import FRAME_ROWS, ParquetPart, WholePart, count_bytes
from atfnb.tables.paths import TablePath, table_paths
from atfnb.tables.reading import SAMPLE, CsvFile, TableFile, open_file
from atfnb.tables.sources import Dialect, Format

PART_ROWS = (1 << 18, 1 << 22)
"""The approximate smallest and largest number of rows in a part of Parquet files."""
PARTS = 256
"""The approximate number of parts of a large table: enough to keep many workers busy, few for a scheduler."""
PART_BYTES = 1 << 24
"""The approximate size of a part of a CSV file."""


class Each(Protocol):
    """A function that calls another one on items, and so decides where this happens."""

    def __call__(self, what: str, function: Callable[[Any], Any], items: Sequence[Any], /) -> Iterable[Any]:
        """Return what a function makes of each item, in order; ``what`` names the pass."""
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
    each: Each,
    dialect: Dialect | None = None,
    as_text: Collection[str] = (),
    as_written: Collection[str] = (),
) -> Plan:
    r"""Return the parts of the files of a path, a folder or a pattern, or of several.

    Parameters
    ----------
    source : str, Path or list of these
        Files, folders, or patterns such as ``"data/*.csv"``.
    each : callable
        Runs the passes over the files; see :class:`Each`.
    dialect : Dialect, optional
        What is known about the files.
    as_text, as_written : names
        Columns that are read as text, and columns whose numbers with a sign or a unit stay text.

    Examples
    --------
    >>> import tempfile
    >>> def here(what, function, items):
    ...     return map(function, items)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "few.csv").write_text("size,kind\n1.5,a\n2,b\n")
    ...     plan(folder, here).names
    ('size', 'kind')
    """
    return planned(look_at(table_paths(source), each, dialect or Dialect()), each, as_text, as_written)


def planned(heads: Heads, each: Each, as_text: Collection[str], as_written: Collection[str]) -> Plan:
    """Return the parts of files of which the beginnings, or the ends, are known."""
    names = heads[0].names
    for name in as_text:
        if name not in names:
            raise ValueError(f"the table has no column {name!r}: it has {listed_names(names)}.")
    if isinstance(heads[0], ParquetFooter):
        return Plan(names, tuple(_parquet_parts(heads, as_text)), files=paths_of(heads))
    parts = _text_parts(heads, each)
    declared = heads[0].reader.layout.declared or () if isinstance(heads[0], CsvHead) else ()
    found = column_types(parts, names, {*as_text, *declared}, as_written, each)
    decided = {name: form.recorded for name, form in found.forms.items() if form.is_decided}
    signs = tuple((name, sign) for name, sign in decided.items() if sign is not None)
    parts = [replace(part, kinds=found.kinds, forms=signs, zones=found.zones) for part in parts]
    notes = (*map(str, formats(head.format for head in heads)), *notes_of(heads), *found.notes)
    return Plan(names, tuple(parts), found.dates, notes, found.forms, found.words, paths_of(heads))


def parts_as_learned(
    source: Any,
    each: Each,
    dialect: Dialect,
    kinds: dict[str, ColumnKind],
    forms: dict[str, str],
    zones: Mapping[str, str] | None = None,
) -> list[Any]:
    """Return the parts of files with new rows, whose columns are read as the kinds and forms that a model learned."""
    heads = look_at(table_paths(source, kinds), each, dialect)
    lost = [name for name in kinds if name not in heads[0].names]
    if lost:
        path, hint = heads[0].file.path, did_you_mean(lost[0], heads[0].names) or "add it."
        raise ValueError(f"{path} has no column {lost[0]!r}, which the model was fitted with: {hint}")
    if isinstance(heads[0], ParquetFooter):
        return _parquet_parts(heads, [name for name, kind in kinds.items() if kind == "text"])
    learned, signs, local = tuple(kinds.items()), tuple(forms.items()), tuple((zones or {}).items())
    return [replace(part, kinds=learned, forms=signs, zones=local) for part in _text_parts(heads, each)]


def notes_of(heads: Heads) -> list[str]:
    """Return what was left out when the files were opened, a sentence each."""
    notes: defaultdict[str, list[str]] = defaultdict(list)
    for head in heads:
        for note in head.notes:
            notes[note].append(head.format.name)
    several = len(heads) > 1
    return [f"{names[0]}{and_more(len(names), 1)}: " + note if several else note for note, names in notes.items()]


def paths_of(heads: Heads) -> tuple[str, ...]:
    """Return the paths of files."""
    return tuple(head.file.path for head in heads)


# --- Files -----------------------------------------------------------------------------------------


def look_at(files: Sequence[TablePath], each: Each, dialect: Dialect) -> Heads:
    """Return what is known of each file before its rows are read; all must be of one kind and have the same columns."""
    heads = list(each("files", partial(_look, dialect), files))
    for head in heads[1:]:
        if (type(head), head.format.kind) != (type(heads[0]), heads[0].format.kind):
            kinds = f"{heads[0].file.path} is {heads[0].format.kind}, {head.file.path} is {head.format.kind}"
            raise ValueError(f"the files are not of one kind ({kinds}): give those of one kind.")
    _check_names([(head.file.path, head.names) for head in heads])
    return heads


@dataclass(frozen=True)
class WholeHead:
    """What is known of a file that can only be read whole: a workbook, or a file of Arrow."""

    file: TablePath
    names: tuple[str, ...]
    format: Format
    dialect: Dialect
    notes: tuple[str, ...]


def _look(dialect: Dialect, file: TablePath) -> Any:
    """Return the head of a file, which depends on its kind."""
    if file.path.lower().endswith((".parquet", ".pq")):
        return _read_footer(file, dialect)
    with file.unchanged(), open_file(file.path, dialect) as opened:
        if isinstance(opened, CsvFile):
            head = CsvHead.of(file, opened)
            count_bytes(min(head.size, SAMPLE))
            return head
        if opened.format.kind == "Parquet" and opened.format.compression is None:
            return _read_footer(file, dialect)
        return WholeHead(file, file.names_with(opened.columns), opened.format, dialect, opened.notes)


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


def _text_parts(heads: Heads, each: Each) -> list[Any]:
    """Return the parts of files whose columns get their types later: CSV files in pieces, others whole."""
    if isinstance(heads[0], CsvHead):
        return csv_parts(heads, PART_BYTES, each)
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


# --- Several files as one table --------------------------------------------------------------------


def _on_all_cores(_: str, function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
    return on_all_cores(function, items)


class SeveralFiles(TableFile):
    """Several files of one kind with the same columns, as one table."""

    def __init__(self, files: Sequence[TablePath], dialect: Dialect) -> None:
        self._dialect, self._heads = dialect, look_at(files, _on_all_cores, dialect)
        self.files, self.path = paths_of(self._heads), None
        self.columns = list(self._heads[0].names)
        self.formats = formats(head.format for head in self._heads)
        self.format = replace(self.formats[0], name=self._heads[0].format.name + and_more(len(files), 1))
        self.notes = tuple(notes_of(self._heads))
        if len(self.formats) > 1:
            self.format = replace(self.format, encoding="utf-8")
            self.notes = (*map(str, self.formats), *self.notes)
        self.name = self.format.name

    def _whole(self, as_text: Collection[str], as_written: Collection[str]) -> Any:
        if self.format.kind in ("Parquet", "Arrow", "JSON lines"):
            return self._joined([self._typed_file(head.file, as_text, as_written) for head in self._heads])
        plan = planned(self._heads, _on_all_cores, as_text, as_written)
        self.forms, self.words = dict(plan.forms), dict(plan.words)
        self.notes += tuple(note for note in plan.notes[len(self.formats) :] if note not in self.notes)
        frames = on_all_cores(lambda part: [*part.frames(self.columns, FRAME_ROWS)], plan.parts, small=True)
        return self._joined([frame for some in frames for frame in some])

    def _typed_file(self, file: TablePath, as_text: Collection[str], as_written: Collection[str]) -> Any:
        """Return the rows of a file whose columns have types."""
        with file.unchanged(), open_file(file.path, self._dialect) as opened:
            return file.with_folders(opened.read(as_text, as_written)).select(self.columns)

    def _joined(self, tables: list[Any]) -> Any:
        try:
            return pa.concat_tables(tables, promote_options="permissive")
        except pa.ArrowException as error:
            raise ValueError(
                f"the columns of {self.name} are not of the same types ({first_line(error)}): convert them."
            ) from None

    def _numbered(self) -> Generator[Batch]:
        """Yield the batches of each file; their rows are numbered in each."""
        for head in self._heads:
            with head.file.unchanged(), open_file(head.file.path, self._dialect) as opened:
                for batch in opened.batches():
                    yield replace(batch, table=head.file.with_folders(batch.table).select(self.columns))
            later = opened.notes[len(head.notes) :]
            self.notes += tuple(f"{head.format.name}: " + note if len(self.files) > 1 else note for note in later)

    def _batches(self) -> Generator[Batch]:
        with closing(self._numbered()) as found:
            yield from found
