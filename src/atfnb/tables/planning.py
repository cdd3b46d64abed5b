"""The files of a path or a pattern → parts that can be read one by one, and what their columns hold.

Planning does not know who reads the files. The caller gives a function that turns items (paths, parts) into pieces
(:class:`atfnb._pieces.Pieces`), over which planning runs its passes: in threads of this process, or on a cluster.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from operator import add, or_
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from atfnb._errors import and_more, first_line
from atfnb._pieces import KeptPieces, Pieces
from atfnb.tables.cells import ColumnForm, Marked, merge_types, settled
from atfnb.tables.kinds import KINDS, Batch, ColumnKind, kind_of
from atfnb.tables.left_out import LeftOut
from atfnb.tables.naming import MOST_WORDS, parse_spelled
from atfnb.tables.number_cells import Form
from atfnb.tables.parts import FRAME_ROWS, ParquetPart, TextPart, TypedPart, count_bytes, whole_part
from atfnb.tables.paths import TablePath, table_paths
from atfnb.tables.reading import SAMPLE, TableFile, check_names, check_needed, open_file
from atfnb.tables.sources import Dialect, Format

PART_ROWS = (1 << 18, 1 << 22)
"""The approximate smallest and largest number of rows in a part of Parquet files."""
PARTS = 256
"""The approximate number of parts of a large table: enough to keep many workers busy, few for a scheduler."""


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
    """How the values are spelled in columns of booleans, and in those that are kept as they are written."""
    files: tuple[str, ...] = ()
    """The paths of the files."""


PiecesOf = Callable[[Sequence[Any]], Pieces[Any]]
"""Returns items as pieces, each by itself, and so decides who runs the passes over them."""


def in_threads(items: Sequence[Any]) -> KeptPieces[Any]:
    """Return items as pieces over which threads of this process run the passes."""
    return KeptPieces(items, len(items), together=1)


def plan(
    source: Any,
    pieces: PiecesOf = in_threads,
    dialect: Dialect | None = None,
    as_text: Collection[str] = (),
    as_written: Collection[str] = (),
) -> Plan:
    r"""Return the parts of the files of a path, a folder or a pattern, or of several.

    Parameters
    ----------
    source : str, Path or list of these
        Files, folders, or patterns such as ``"data/*.csv"``.
    pieces : callable, optional
        Turns files and parts into pieces, over which the passes run; threads of this process run them by default.
    dialect : Dialect, optional
        What is known about the files.
    as_text, as_written : names
        Columns that are read as text, and columns whose numbers with a sign or a unit stay text.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "few.csv").write_text("size,kind\n1.5,a\n2,b\n")
    ...     plan(folder).names
    ('size', 'kind')
    """
    return _planned(_look_at(table_paths(source), pieces, dialect or Dialect()), pieces, as_text, as_written)


def _planned(heads: Sequence[Head], pieces: PiecesOf, as_text: Collection[str], as_written: Collection[str]) -> Plan:
    """Return the parts of files of which the beginnings, or the ends, are known."""
    names, files = heads[0].names, tuple(head.file.path for head in heads)
    check_names(as_text, names, "the table")
    if (typed := _typed_parts(heads, as_text)) is not None:
        return Plan(names, tuple(typed), files=files)
    as_text, parts = frozenset({*as_text, *heads[0].declared}), _text_parts(heads)
    seen = pieces(parts).sum("types of columns", Seen, partial(_see, as_text=as_text, as_written=frozenset(as_written)))
    both = reduce(_merged_types, seen.types.values(), dict.fromkeys(names, pa.null()))
    both |= dict.fromkeys(as_text, pa.string())
    found = {name: form for name, form in both.items() if not isinstance(form, pa.DataType)}
    forms = {name: form for name, form in found.items() if settled(form) is not None}
    both |= {name: forms[name].type if name in forms else pa.string() for name in found}
    kinds = {name: kind_of(kind) or "number" for name, kind in both.items()}
    signs = {name: sign for name, form in forms.items() if (sign := form.recorded) is not None}
    zones = {name: kind.tz for name, kind in both.items() if pa.types.is_timestamp(kind) and kind.tz}
    words = {name: few if len(few) <= MOST_WORDS else frozenset[str]() for name, few in seen.words.items()}
    held = {name: _words_in(name, seen.types) for name in names if name not in as_text}
    are_dates = [name for name in held if _word(both[name]) == "dates"]
    dates = {name: next(path for path, word in held[name].items() if word == "dates") for name in are_dates}
    mixed = [name for name in held if _word(both[name]) == "text"]
    on_types = (note for name in mixed for note in _taken_as_text(name, held[name]))
    notes = (*map(str, _formats(heads)), *_notes(heads), *_on_rows(seen.left_out), *on_types)
    of_text = tuple(replace(part, kinds=kinds, forms=signs, zones=zones) for part in parts)
    return Plan(names, of_text, dates, notes, forms, words, files)


def parts_as_learned(
    source: Any,
    pieces: PiecesOf,
    dialect: Dialect,
    kinds: Mapping[str, ColumnKind],
    forms: Mapping[str, str],
    zones: Mapping[str, str],
) -> Sequence[TypedPart | TextPart]:
    """Return the parts of files with new rows, whose columns are read as the kinds and forms that a model learned."""
    heads = _look_at(table_paths(source, kinds), pieces, dialect)
    check_needed(kinds, heads[0].names, heads[0].file.path)
    parts = _typed_parts(heads, [name for name, kind in kinds.items() if kind == "text"])
    if parts is not None:
        return parts
    return [replace(part, kinds=kinds, forms=forms, zones=zones) for part in _text_parts(heads)]


# --- Files -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Head:
    """What the beginning of a file shows, or the end of a Parquet file, before its rows are read."""

    names: tuple[str, ...]
    """The names of the columns."""
    format: Format
    notes: tuple[str, ...]
    """What was left out when the file was opened, a sentence each."""
    declared: tuple[str, ...]
    """The columns that the file itself says hold text."""
    part: TypedPart | TextPart
    """The file as one part."""

    @property
    def file(self) -> TablePath:
        """The path of the file."""
        return self.part.file


def _look_at(files: Sequence[TablePath], pieces: PiecesOf, dialect: Dialect) -> list[Head]:
    """Return what is known of each file before its rows are read; all must be of one kind and have the same columns."""
    heads: list[Head] = pieces(files).map(partial(_look, dialect)).listed("files")
    first = heads[0]
    for head in heads[1:]:
        if head.format.kind != first.format.kind:
            kinds = f"{first.file.path} is {first.format.kind}, {head.file.path} is {head.format.kind}"
            raise ValueError(f"the files are not of one kind ({kinds}): give those of one kind.")
        for one, other in ((first, head), (head, first)):
            known = set(other.names)
            if lost := [name for name in one.names if name not in known]:
                fault = f"{other.file.path} has no column {lost[0]!r}, which {one.file.path} has"
                raise ValueError(f"{fault}: every file needs the same columns.")
    return heads


def _look(dialect: Dialect, file: TablePath) -> Head:
    """Return what is known of a file before its rows are read."""
    with file.unchanged(), open_file(file.path, dialect) as opened:
        count_bytes(min(os.path.getsize(file.path), SAMPLE))
        names = file.names_with(opened.columns)
        return Head(names, opened.format, opened.notes, opened.declared, whole_part(file, opened, dialect))


def _notes(heads: Sequence[Head]) -> list[str]:
    """Return what was left out when the files were opened, a sentence each."""
    notes: defaultdict[str, list[str]] = defaultdict(list)
    for head in heads:
        for note in head.notes:
            notes[note].append(head.format.name)
    several = len(heads) > 1
    return [f"{names[0]}{and_more(len(names), 1)}: " + note if several else note for note, names in notes.items()]


def _formats(heads: Sequence[Head]) -> list[Format]:
    """Return the formats of files, one for all files of the same format, which names the first and counts the rest."""
    alike: defaultdict[Format, list[Format]] = defaultdict(list)
    for head in heads:
        alike[replace(head.format, name="", line_end="\n")].append(head.format)
    return [replace(same[0], name=same[0].name + and_more(len(same), 1)) for same in alike.values()]


# --- Parts -----------------------------------------------------------------------------------------


def _typed_parts(heads: Sequence[Head], as_text: Collection[str]) -> list[TypedPart] | None:
    """Return the parts of files whose columns have types; None for other files."""
    whole = [head.part for head in heads if isinstance(head.part, TypedPart)]
    if not whole:
        return None
    n_rows = sum(sum(part.groups.values()) for part in whole if isinstance(part, ParquetPart))
    rows = int(np.clip(n_rows // PARTS, *PART_ROWS))
    return [cut for part in whole for cut in replace(part, as_text=tuple(as_text)).cut(rows)]


def _text_parts(heads: Sequence[Head]) -> list[TextPart]:
    """Return the parts of other files, one for each."""
    return [head.part for head in heads if isinstance(head.part, TextPart)]


# --- Types of columns ------------------------------------------------------------------------------


Types = Mapping[str, Any]
"""The type that each column would have in a table read whole, or the form of its numbers or dates."""


@dataclass(frozen=True)
class Seen:
    """What rows show, which adds up."""

    types: Mapping[str, Types] = field(default_factory=dict)
    """The types of the columns in each file."""
    words: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """How the values are spelled in columns of booleans, and in those that are kept as they are written."""
    left_out: Mapping[str, LeftOut] = field(default_factory=dict)
    """What is no row in each file."""

    def __add__(self, other: Seen) -> Seen:
        return Seen(
            _merged(_merged_types, self.types, other.types),
            _merged(or_, self.words, other.words),
            _merged(add, self.left_out, other.left_out),
        )


def _merged(both: Callable[[Any, Any], Any], one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of two mappings; ``both`` makes one of those under the same name."""
    return {**one, **{name: both(one[name], value) if name in one else value for name, value in other.items()}}


_merged_types = partial(_merged, merge_types)
"""Return the types of columns from those in two parts of a table."""


def _see(seen: Seen, part: TextPart, as_text: Collection[str], as_written: Collection[str]) -> Seen:
    """Return what all rows of a part show, together with what others did."""
    path = part.file.path
    seen += Seen(left_out={path: LeftOut()})
    for batch in part.batches(FRAME_ROWS):
        names = [name for name in batch.table.column_names if name not in as_text]
        found = {name: _type_of(batch, name, as_written=name in as_written) for name in names}
        types = {name: kind for name, (kind, _) in found.items()}
        words = {name: words for name, (_, words) in found.items() if words is not None}
        seen += Seen({path: types}, words, {path: batch.left_out})
    return seen


def _type_of(batch: Batch, name: str, *, as_written: bool) -> tuple[Any, frozenset[str] | None]:
    """Return the type or form of a column, and how its values are spelled if that matters."""
    text = pa.chunked_array([pc.unique(batch.table.column(name))])  # has the same type with fewer cells to parse
    if not pa.types.is_string(text.type):
        return text.type, None
    column, form, words = parse_spelled(text, batch.rules, as_written=as_written)
    return (column.type if form is None else form), words


# --- Types in words -----------------------------------------------------------------------------------------


def _word(kind: Any) -> str:
    """Return what a column of a type or form holds, in words for a message."""
    kind = kind.kind if isinstance(kind, Marked) else kind
    if isinstance(kind, Form):
        return f"numbers with {kind.sign}" if kind.sign else "numbers"
    known = kind_of(getattr(kind, "type", kind))
    return "nothing" if known is None else KINDS[known].words


def _words_in(name: str, files: Mapping[str, Types]) -> dict[str, str]:
    """Return what a column holds in each file in which it has values, in words."""
    return {path: _word(types[name]) for path, types in files.items() if types[name] != pa.null()}


def _on_rows(files: Mapping[str, LeftOut]) -> Iterator[str]:
    """Yield a sentence on the rows of each file that are left out."""
    for path, left_out in files.items():
        yield from ((f"{path}: " if len(files) > 1 else "") + note for note in left_out.described())


def _taken_as_text(name: str, files: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence on a column that is read as text only because its files hold different kinds of values."""
    (first, one), *others = files.items()
    for path, word in others:
        if word != one:
            yield f"column {name!r} holds {one} in {first} and {word} in {path}: it is read as text."
            return


# --- Several files as one table --------------------------------------------------------------------


class SeveralFiles(TableFile):
    """Several files of one kind with the same columns, as one table."""

    path = None

    def __init__(self, files: Sequence[TablePath], dialect: Dialect) -> None:
        self._dialect, self._heads = dialect, _look_at(files, in_threads, dialect)
        self.files, self.columns = tuple(file.path for file in files), list(self._heads[0].names)
        self.formats = _formats(self._heads)
        self.name = self._heads[0].format.name + and_more(len(files), 1)
        self.format, self.notes = replace(self.formats[0], name=self.name), tuple(_notes(self._heads))
        if len(self.formats) > 1:
            self.format = replace(self.format, encoding="utf-8")
            self.notes = (*map(str, self.formats), *self.notes)

    def read(self, as_text: Collection[str] = (), as_written: Collection[str] = ()) -> Any:
        """Return all rows as a pyarrow.Table of numbers, booleans, dates and text; missing values are null."""
        plan = _planned(self._heads, in_threads, as_text, as_written)
        self.forms, self.words = plan.forms, plan.words
        self.notes += tuple(note for note in plan.notes[len(self.formats) :] if note not in self.notes)
        frames = in_threads(plan.parts).map(lambda part: [*part.frames(self.columns, FRAME_ROWS)])
        try:
            return self._joined([frame for some in frames for frame in some])
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

    _batches = _numbered
