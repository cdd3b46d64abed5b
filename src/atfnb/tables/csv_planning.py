"""CSV files → parts of whole rows, and the kind of each column, the same as if one file with all rows was read whole.

A CSV file can be cut after a line end that is not inside a quoted cell, and whether it is depends on everything before
it. So each block of a file is scanned once for each of the four states that a reader can be in when it gets there, and
reports the state in which it would end; going through the blocks in order then shows which of the four it was.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from atfnb._errors import and_more
from atfnb._pieces import Pieces
from atfnb.tables.cells import ColumnForm, Marked, merge_types, parse, parse_plain, settled
from atfnb.tables.csv_rows import CsvReader, count_line_ends
from atfnb.tables.date_cells import MOMENT, DateForm
from atfnb.tables.kinds import WORDS, Batch, Kind, SpelledType, kinds_of, words_of
from atfnb.tables.left_out import LeftOut
from atfnb.tables.number_cells import Form
from atfnb.tables.parts import FRAME_ROWS, CsvPart, Stretch, TextPart, count_bytes
from atfnb.tables.paths import TablePath
from atfnb.tables.reading import CsvFile
from atfnb.tables.sources import Format

# --- Cuts ------------------------------------------------------------------------------------------

STATES = range(4)
"""The states of a CSV reader: 0, a cell begins; 1, inside a cell; 2, inside a quoted cell; 3, after a quotation mark
inside a quoted cell. :func:`atfnb._kernels.tables.row_end` has the transitions between them.
"""
_LINE_ENDS = b"\r\n"


@dataclass(frozen=True)
class CsvHead:
    """What the beginning of a CSV file shows: how it is written, and where its rows begin."""

    file: TablePath
    """The file."""
    reader: CsvReader
    """Reads the rows."""
    format: Format
    """The format, for messages."""
    size: int
    """The number of bytes in the file."""
    first_row: int | None
    """The position of the first row; None if the file cannot be cut."""
    notes: tuple[str, ...] = ()
    """What was left out when the file was opened, a sentence each."""

    @classmethod
    def of(cls, file: TablePath, opened: CsvFile) -> CsvHead:
        """Return the head of an open file."""
        size = Path(file.path).stat().st_size
        return cls(file, opened.reader, opened.format, size, opened.first_row(), opened.notes)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.file.names_with(self.reader.layout.columns)

    def blocks(self, size: int) -> list[CsvBlock]:
        """Return the file as blocks of ``size`` bytes, cut anywhere; none if it cannot be cut."""
        first, delimiter = self.first_row, self.reader.layout.delimiter or ","
        begins = () if first is None else range(first, self.size, size)
        return [
            CsvBlock(self.file, begin, min(begin + size, self.size), delimiter, begin if begin == first else 0)
            for begin in begins
        ]


@dataclass(frozen=True)
class CsvBlock:
    """Some bytes of a CSV file, cut anywhere."""

    file: TablePath
    begin: int
    end: int
    delimiter: str
    header: int = 0
    """The number of bytes in the header, for the first block of a file."""


@dataclass(frozen=True)
class ScannedBlock:
    """What a scan of a block found, for each of the four states in which the block can begin."""

    block: CsvBlock
    cuts: tuple[tuple[int, int], ...]
    """(4,) where the first row begins in the file, or −1 if none does, and the number of line ends before it."""
    states: tuple[int, ...]
    """(4,) the state at the end of the block."""
    lines: int
    """The number of line ends in the block."""


def scan(block: CsvBlock) -> Iterator[ScannedBlock]:
    """Yield what a scan of a block finds, from reading it once."""
    with block.file.unchanged(), open(block.file.path, "rb") as file:
        file.seek(block.begin - block.header)
        header = file.read(block.header)
        text = file.read(block.end - block.begin)
    count_bytes(len(header) + len(text))
    ends = [_row_end(text, block.delimiter, state) for state in STATES]
    cuts = tuple((block.begin + first, count_line_ends(text[:first])) if first >= 0 else (-1, 0) for first, _ in ends)
    yield ScannedBlock(block, cuts, tuple(state for _, state in ends), count_line_ends(header) + count_line_ends(text))


def _row_end(text: bytes, delimiter: str, state: int) -> tuple[int, int]:
    """Return the position after the first row, or −1, and the state after the text; texts without quotes are fast."""
    if b'"' in text:
        from atfnb._kernels.tables import row_end

        return row_end(np.frombuffer(text, dtype=np.uint8), ord(delimiter), state)
    if state == 2 or not text:
        return -1, state
    found = [position for sign in (b"\n", b"\r") if (position := text.find(sign)) >= 0]
    return min(found) + 1 if found else -1, 0 if text[-1] in _LINE_ENDS + delimiter.encode() else 1


def stretches(blocks: Iterable[ScannedBlock]) -> Iterator[Stretch]:
    """Yield stretches of whole rows from the scanned blocks of a file, in order.

    A block in which no row begins becomes part of the stretch before it.
    """
    begin, line, lines, state, end = 0, 1, 1, 0, 0
    for scanned in blocks:
        cut, above = scanned.cuts[state]
        if cut >= 0 and not scanned.block.header:
            yield Stretch(begin, cut, line)
            begin, line = cut, lines + above
        lines, state, end = lines + scanned.lines, scanned.states[state], scanned.block.end
    if begin < end:
        yield Stretch(begin, end, line)


def csv_parts(files: Sequence[CsvHead], part_bytes: int, pieces: Any) -> list[CsvPart]:
    """Return the files as parts of about ``part_bytes`` bytes; a pass over the larger files finds where rows begin."""
    blocks = [block for file in files if len(own := file.blocks(part_bytes)) > 1 for block in own]
    scanned: defaultdict[str, list[ScannedBlock]] = defaultdict(list)
    if blocks:
        found: Pieces[ScannedBlock] = pieces(blocks, scan)
        for each in found.sum("line ends", list, append):
            scanned[each.block.file.path].append(each)
    return [CsvPart(head.file, head.reader, stretch) for head in files for stretch in _stretches(head, scanned)]


def append(into: list[Any], one: Any) -> list[Any]:
    """Return a list with one more element; it fills the sum of a pass that gathers one thing from each part."""
    return [*into, one]


def _stretches(head: CsvHead, scanned: dict[str, list[ScannedBlock]]) -> list[Stretch | None]:
    if head.first_row is None:
        return [None]
    return [*stretches(scanned[head.file.path])] if head.file.path in scanned else [Stretch(0, head.size, 1)]


# --- What columns hold -----------------------------------------------------------------------------

Types = dict[str, Any]
"""The type that each column would have in a table read whole, or the form of its numbers."""


@dataclass(frozen=True)
class ColumnTypes:
    """What the columns of all files hold."""

    kinds: tuple[tuple[str, Kind], ...]
    """The name and the kind of each column."""
    dates: dict[str, str]
    """The columns with dates or times, and for each a file in which it has them."""
    notes: tuple[str, ...]
    """A sentence for each column that holds different kinds of values in different files."""
    forms: dict[str, ColumnForm]
    """How the cells of columns are written that hold other than plain numbers, ISO dates or text."""
    words: dict[str, frozenset[str]]
    """How the values are spelled in columns of booleans, and in those that are kept as they are written."""
    zones: tuple[tuple[str, str], ...]
    """The name and the time zone of each column of dates that has one."""


def column_types(
    parts: Sequence[TextPart],
    names: Sequence[str],
    as_text: Collection[str],
    as_written: Collection[str],
    pieces: Any,
) -> ColumnTypes:
    """Return what the columns of all parts hold, from one pass over every cell."""
    batches: Pieces[Batch] = pieces(parts, _batches)
    seen = batches.sum("types of columns", _TypesOfFiles, partial(_note_types, as_text, as_written))
    files: dict[str, Types] = seen
    words = {name: _all_words(files, name) for name in names if name not in as_text}
    words = {name: found for name, found in words.items() if found or name in as_written}
    files = {path: {name: _without_words(kind) for name, kind in types.items()} for path, types in files.items()}
    both: Types = dict.fromkeys(names, pa.null())
    for types in files.values():
        both |= {name: merge_types(both[name], kind) for name, kind in types.items()}
    both |= dict.fromkeys(as_text, pa.string())
    found = {name: form for name, form in both.items() if not isinstance(form, pa.DataType)}
    forms = {name: form for name, form in found.items() if settled(form) is not None}
    both |= {name: _plain_type(forms.get(name)) for name in found}
    kinds = kinds_of(pa.schema(both.items()).empty_table())
    empty: dict[str, Kind] = {name: "number" for name in names if pa.types.is_null(both[name])}
    dates = {name: _where(name, "dates", files) for name in names if _word(both[name]) == "dates"}
    mixed = [name for name in names if _word(both[name]) == "text" and name not in as_text]
    notes = tuple(note for name in mixed for note in _taken_as_text(name, files))
    zones = tuple((name, kind.tz) for name, kind in both.items() if pa.types.is_timestamp(kind) and kind.tz)
    return ColumnTypes(tuple((kinds | empty).items()), dates, (*seen.on_rows(), *notes), forms, words, zones)


def _plain_type(form: ColumnForm | None) -> Any:
    """Return the type of a column with a form; text for None."""
    kind = form.kind if isinstance(form, Marked) else form
    if kind is None or isinstance(kind, pa.DataType):
        return kind or pa.string()
    return pa.float64() if isinstance(kind, Form) else MOMENT


def _batches(part: TextPart) -> Iterator[Batch]:
    return part.batches(FRAME_ROWS)


class _TypesOfFiles(dict[str, Types]):
    """For each file, the type of each column in the rows so far, and the rows that were left out."""

    left_out: Mapping[str, LeftOut] = MappingProxyType({})

    def on_rows(self) -> list[str]:
        """Return notes on the rows that were left out, with the name of the file if there are several."""
        of = {path: f"{path}: " if len(self) > 1 else "" for path in self.left_out}
        return [of[path] + note for path, rows in self.left_out.items() for note in rows.described()]

    def __add__(self, other: dict[str, Types]) -> _TypesOfFiles:
        both = _TypesOfFiles(self)
        more = other.left_out if isinstance(other, _TypesOfFiles) else {}
        both.left_out = {**self.left_out, **{path: self.left_out.get(path, LeftOut()) + more[path] for path in more}}
        for path, types in other.items():
            known = both.get(path, {})
            both[path] = {name: _merge_spelled(known.get(name, pa.null()), kind) for name, kind in types.items()}
        return both


def _note_types(
    as_text: Collection[str], as_written: Collection[str], into: _TypesOfFiles, batch: Batch
) -> _TypesOfFiles:
    def type_of(name: str) -> Any:
        text = pa.chunked_array([pc.unique(batch.table.column(name))])  # has the same type with fewer cells to parse
        if not pa.types.is_string(text.type):
            return text.type
        if name in as_written:
            return SpelledType(parse_plain(text, batch.rules).type, words_of(text, batch.rules))
        column, form = parse(text, batch.rules)
        if pa.types.is_boolean(column.type):
            return SpelledType(column.type, words_of(text, batch.rules))
        return column.type if form is None else form

    types = {name: type_of(name) for name in batch.table.column_names if name not in as_text}
    found = _TypesOfFiles({batch.name: types})
    found.left_out = {batch.name: batch.left_out} if batch.left_out.times else {}
    return into + found


def _all_words(files: dict[str, Types], name: str) -> frozenset[str]:
    """Return how the values of a column are spelled in all files."""
    types = (types.get(name) for types in files.values())
    return frozenset().union(*(kind.words for kind in types if isinstance(kind, SpelledType)))


def _without_words(kind: Any) -> Any:
    return kind.kind if isinstance(kind, SpelledType) else kind


def _merge_spelled(known: Any, kind: Any) -> Any:
    both = merge_types(_without_words(known), _without_words(kind))
    spelled = [each for each in (kind, known) if isinstance(each, SpelledType)]
    return SpelledType(both, spelled[0].words).with_words_of(spelled[-1]) if spelled else both


def _word(kind: Any) -> str:
    """Return what a column of a type or form holds, in words for a message."""
    kind = kind.kind if isinstance(kind, Marked) else kind
    if isinstance(kind, Form):
        return f"numbers with {kind.sign}" if kind.sign else "numbers"
    if isinstance(kind, DateForm):
        return "dates"
    known = kinds_of(pa.schema([("x", kind)]).empty_table()).get("x")
    return "nothing" if known is None else WORDS[known]


def _where(name: str, word: str, files: dict[str, Types]) -> str:
    """Return the first file in which a column holds what ``word`` says."""
    return next(path for path, types in files.items() if _word(types[name]) == word)


def _taken_as_text(name: str, files: dict[str, Types]) -> Iterator[str]:
    """Yield a sentence on a column that is read as text only because its files hold different kinds of values."""
    words = {path: _word(types[name]) for path, types in files.items() if types[name] != pa.null()}
    (first, one), *others = words.items()
    for path, word in others:
        if word != one:
            yield f"column {name!r} holds {one} in {first} and {word} in {path}: it is read as text."
            return


def formats(files: Iterable[Format]) -> list[Format]:
    """Return the formats of files, one for all files of the same format, which names the first and counts the rest."""
    alike: defaultdict[Format, list[Format]] = defaultdict(list)
    for each in files:
        alike[replace(each, name="", line_end="\n")].append(each)
    return [replace(same[0], name=same[0].name + and_more(len(same), 1)) for same in alike.values()]
