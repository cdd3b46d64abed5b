"""CSV files → parts of whole rows, and the kind of each column, the same as if one file with all rows was read whole.

A CSV file can be cut after a line end that is not inside a quoted cell, and whether it is depends on everything before
it: so a pass over each large file, from its beginning to its end, finds where parts of it may begin.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from atfnb._errors import and_more
from atfnb.tables.cells import ColumnForm, Marked, merge_types, parse, parse_plain, settled
from atfnb.tables.csv_rows import CsvReader, count_line_ends
from atfnb.tables.date_cells import MOMENT, DateForm
from atfnb.tables.kinds import KINDS, Batch, ColumnKind, kinds_of
from atfnb.tables.left_out import LeftOut
from atfnb.tables.naming import MOST_WORDS, words_of
from atfnb.tables.number_cells import Form
from atfnb.tables.parts import FRAME_ROWS, CsvPart, Stretch, TextPart, count_bytes
from atfnb.tables.paths import TablePath
from atfnb.tables.reading import CsvFile
from atfnb.tables.sources import Format

# --- Cuts ------------------------------------------------------------------------------------------


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


def csv_parts(heads: Sequence[CsvHead], part_bytes: int, each: Any) -> list[CsvPart]:
    """Return the files as parts of about ``part_bytes`` bytes; a pass over the larger files finds where rows begin."""
    large = [head for head in heads if head.first_row is not None and head.size - head.first_row > part_bytes]
    cuts = each("line ends", partial(stretches, size=part_bytes), large) if large else ()
    of_large: dict[str, list[Stretch | None]] = {head.file.path: found for head, found in zip(large, cuts, strict=True)}

    def stretches_of(head: CsvHead) -> list[Stretch | None]:
        whole = None if head.first_row is None else Stretch(0, head.size, 1)
        return of_large.get(head.file.path, [whole])

    return [CsvPart(head.file, head.reader, stretch) for head in heads for stretch in stretches_of(head)]


def stretches(head: CsvHead, size: int) -> list[Stretch]:
    """Return stretches of whole rows of a file; one begins where the first row does in each block of ``size`` bytes."""
    found, delimiter, first = list[Stretch](), head.reader.layout.delimiter or ",", head.first_row or 0
    with head.file.unchanged(), open(head.file.path, "rb") as file:
        lines, begin, line, position, state = 1 + count_line_ends(file.read(first)), 0, 1, first, 0
        while text := file.read(size):
            end, after = _row_end(text, delimiter, state)
            if end >= 0 and position > first:
                found.append(Stretch(begin, position + end, line))
                begin, line = position + end, lines + count_line_ends(text[:end])
            lines, position, state = lines + count_line_ends(text), position + len(text), after
    count_bytes(position)
    return [*found, Stretch(begin, position, line)] if begin < position else found


def _row_end(text: bytes, delimiter: str, state: int) -> tuple[int, int]:
    """Return the position after the first row, or −1, and the state after the text; texts without quotes are fast.

    :func:`atfnb._kernels.tables.row_end` describes the states.
    """
    if b'"' in text:
        from atfnb._kernels.tables import row_end

        return row_end(np.frombuffer(text, dtype=np.uint8), ord(delimiter), state)
    if state == 2:
        return -1, state
    found = [position for sign in (b"\n", b"\r") if (position := text.find(sign)) >= 0]
    return min(found) + 1 if found else -1, 0 if text.endswith((b"\n", b"\r", delimiter.encode())) else 1


# --- What columns hold -----------------------------------------------------------------------------

Types = dict[str, Any]
"""The type that each column would have in a table read whole, or the form of its numbers or dates."""


@dataclass(frozen=True)
class ColumnTypes:
    """What the columns of all files hold."""

    kinds: tuple[tuple[str, ColumnKind], ...]
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
    each: Any,
) -> ColumnTypes:
    """Return what the columns of all parts hold, from one pass over every cell."""
    files: dict[str, Types] = {}
    left_out: dict[str, LeftOut] = {}
    words: dict[str, frozenset[str]] = {}
    look = partial(_look, as_text=frozenset(as_text), as_written=frozenset(as_written))
    for path, seen in zip((part.file.path for part in parts), each("types of columns", look, parts), strict=True):
        files[path] = merged(files.get(path, {}), seen.types)
        left_out[path] = left_out.get(path, LeftOut()) + seen.left_out
        words = _joined(words, seen.words)
    both = dict.fromkeys(names, pa.null())
    for types in files.values():
        both = merged(both, types)
    both |= dict.fromkeys(as_text, pa.string())
    found = {name: form for name, form in both.items() if not isinstance(form, pa.DataType)}
    forms = {name: form for name, form in found.items() if settled(form) is not None}
    both |= {name: _plain_type(forms.get(name)) for name in found}
    kinds = kinds_of(pa.schema(both.items()).empty_table())
    empty: dict[str, ColumnKind] = {name: "number" for name in names if pa.types.is_null(both[name])}
    dates = {name: _where(name, "dates", files) for name in names if _word(both[name]) == "dates"}
    rows = [(f"{path}: " if len(files) > 1 else "") + note for path in files for note in left_out[path].described()]
    mixed = [name for name in names if _word(both[name]) == "text" and name not in as_text]
    notes = (*rows, *(note for name in mixed for note in _taken_as_text(name, files)))
    zones = tuple((name, kind.tz) for name, kind in both.items() if pa.types.is_timestamp(kind) and kind.tz)
    spelled = {name: few if len(few) <= MOST_WORDS else frozenset[str]() for name, few in words.items()}
    return ColumnTypes(tuple((kinds | empty).items()), dates, notes, forms, spelled, zones)


@dataclass
class _Seen:
    """What the rows of a part show: the types of columns, how their values are spelled, and what is no row."""

    types: Types
    words: dict[str, frozenset[str]]
    left_out: LeftOut


def _look(part: TextPart, as_text: Collection[str], as_written: Collection[str]) -> _Seen:
    """Return what all rows of a part show."""
    seen = _Seen({}, {}, LeftOut())
    for batch in part.batches(FRAME_ROWS):
        names = [name for name in batch.table.column_names if name not in as_text]
        found = {name: _type_of(batch, name, spelled=name in as_written) for name in names}
        seen.types = merged(seen.types, {name: kind for name, (kind, _) in found.items()})
        seen.words = _joined(seen.words, {name: words for name, (_, words) in found.items() if words is not None})
        seen.left_out += batch.left_out
    return seen


def _type_of(batch: Batch, name: str, *, spelled: bool) -> tuple[Any, frozenset[str] | None]:
    """Return the type or form of a column, and how its values are spelled if these are booleans or ``spelled``."""
    text = pa.chunked_array([pc.unique(batch.table.column(name))])  # has the same type with fewer cells to parse
    if not pa.types.is_string(text.type):
        return text.type, None
    column, form = (parse_plain(text, batch.rules), None) if spelled else parse(text, batch.rules)
    words = words_of(text, batch.rules) if spelled or pa.types.is_boolean(column.type) else None
    return (column.type if form is None else form), words


def merged(one: Types, other: Types) -> Types:
    """Return the types of columns from those of two parts of a table."""
    return one | {name: merge_types(one.get(name, pa.null()), kind) for name, kind in other.items()}


def _joined(one: dict[str, frozenset[str]], other: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    return one | {name: one.get(name, frozenset()) | words for name, words in other.items()}


def _plain_type(form: ColumnForm | None) -> Any:
    """Return the type of a column with a form; text for None."""
    kind = form.kind if isinstance(form, Marked) else form
    if kind is None or isinstance(kind, pa.DataType):
        return kind or pa.string()
    return pa.float64() if isinstance(kind, Form) else MOMENT


def _word(kind: Any) -> str:
    """Return what a column of a type or form holds, in words for a message."""
    kind = kind.kind if isinstance(kind, Marked) else kind
    if isinstance(kind, Form):
        return f"numbers with {kind.sign}" if kind.sign else "numbers"
    if isinstance(kind, DateForm):
        return "dates"
    known = kinds_of(pa.schema([("x", kind)]).empty_table()).get("x")
    return "nothing" if known is None else KINDS[known].words


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
