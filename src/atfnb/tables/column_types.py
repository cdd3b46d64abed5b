"""What the columns of files in parts hold: the same as if one file with all their rows was read whole."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from operator import add, or_
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from atfnb._pieces import Pieces
from atfnb.tables.cells import ColumnForm, Marked, merge_types, parse, parse_plain, settled
from atfnb.tables.date_cells import MOMENT, DateForm
from atfnb.tables.kinds import KINDS, Batch, kinds_of
from atfnb.tables.left_out import LeftOut
from atfnb.tables.naming import MOST_WORDS, words_of
from atfnb.tables.number_cells import Form
from atfnb.tables.parts import FRAME_ROWS, TextPart

Value = TypeVar("Value")
Types = dict[str, Any]
"""The type that each column would have in a table read whole, or the form of its numbers or dates."""


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
            _merged(merged_types, self.types, other.types),
            _merged(or_, self.words, other.words),
            _merged(add, self.left_out, other.left_out),
        )


def _merged(
    both: Callable[[Value, Value], Value], one: Mapping[str, Value], other: Mapping[str, Value]
) -> dict[str, Value]:
    """Return the values of two mappings; ``both`` makes one of those under the same name."""
    return {**one, **{name: both(one[name], value) if name in one else value for name, value in other.items()}}


merged_types: Callable[[Types, Types], Types] = partial(_merged, merge_types)
"""Return the types of columns from those in two parts of a table."""


def typed_plan(
    parts: Sequence[TextPart],
    names: tuple[str, ...],
    as_text: Collection[str],
    as_written: Collection[str],
    pieces: Callable[[Sequence[TextPart]], Pieces[TextPart]],
) -> Plan:
    """Return the parts with the types of all columns, and notes on these, from one pass over every cell."""
    look = partial(_look, as_text=frozenset(as_text), as_written=frozenset(as_written))
    seen = pieces(parts).sum("types of columns", Seen, look)
    both = reduce(merged_types, seen.types.values(), dict.fromkeys(names, pa.null()))
    both |= dict.fromkeys(as_text, pa.string())
    found = {name: form for name, form in both.items() if not isinstance(form, pa.DataType)}
    forms = {name: form for name, form in found.items() if settled(form) is not None}
    both |= {name: _plain_type(forms.get(name)) for name in found}
    kinds = kinds_of(pa.schema(both.items()).empty_table())
    kinds |= {name: "number" for name in names if pa.types.is_null(both[name])}
    decided = {name: form.recorded for name, form in forms.items() if form.is_decided}
    signs = {name: sign for name, sign in decided.items() if sign is not None}
    zones = {name: kind.tz for name, kind in both.items() if pa.types.is_timestamp(kind) and kind.tz}
    words = {name: few if len(few) <= MOST_WORDS else frozenset[str]() for name, few in seen.words.items()}
    dates = {name: _where(name, "dates", seen.types) for name in names if _word(both[name]) == "dates"}
    mixed = [name for name in names if _word(both[name]) == "text" and name not in as_text]
    notes = (*_on_rows(seen.left_out), *(note for name in mixed for note in _taken_as_text(name, seen.types)))
    typed = tuple(replace(part, kinds=kinds, forms=signs, zones=zones) for part in parts)
    return Plan(names, typed, dates, notes, forms, words)


def _look(seen: Seen, part: TextPart, as_text: Collection[str], as_written: Collection[str]) -> Seen:
    """Return what all rows of a part show, together with what others did."""
    path = part.file.path
    seen += Seen(left_out={path: LeftOut()})
    for batch in part.batches(FRAME_ROWS):
        names = [name for name in batch.table.column_names if name not in as_text]
        found = {name: _type_of(batch, name, spelled=name in as_written) for name in names}
        types = {name: kind for name, (kind, _) in found.items()}
        words = {name: words for name, (_, words) in found.items() if words is not None}
        seen += Seen({path: types}, words, {path: batch.left_out})
    return seen


def _type_of(batch: Batch, name: str, *, spelled: bool) -> tuple[Any, frozenset[str] | None]:
    """Return the type or form of a column, and how its values are spelled if these are booleans or ``spelled``."""
    text = pa.chunked_array([pc.unique(batch.table.column(name))])  # has the same type with fewer cells to parse
    if not pa.types.is_string(text.type):
        return text.type, None
    column, form = (parse_plain(text, batch.rules), None) if spelled else parse(text, batch.rules)
    words = words_of(text, batch.rules) if spelled or pa.types.is_boolean(column.type) else None
    return (column.type if form is None else form), words


def _plain_type(form: ColumnForm | None) -> Any:
    """Return the type of a column with a form; text for None."""
    kind = form.kind if isinstance(form, Marked) else form
    if kind is None or isinstance(kind, pa.DataType):
        return kind or pa.string()
    return pa.float64() if isinstance(kind, Form) else MOMENT


# --- Notes -----------------------------------------------------------------------------------------


def _word(kind: Any) -> str:
    """Return what a column of a type or form holds, in words for a message."""
    kind = kind.kind if isinstance(kind, Marked) else kind
    if isinstance(kind, Form):
        return f"numbers with {kind.sign}" if kind.sign else "numbers"
    if isinstance(kind, DateForm):
        return "dates"
    known = kinds_of(pa.schema([("x", kind)]).empty_table()).get("x")
    return "nothing" if known is None else KINDS[known].words


def _where(name: str, word: str, files: Mapping[str, Types]) -> str:
    """Return the first file in which a column holds what ``word`` says."""
    return next(path for path, types in files.items() if _word(types[name]) == word)


def _on_rows(files: Mapping[str, LeftOut]) -> Iterator[str]:
    """Yield a sentence on the rows of each file that are left out."""
    for path, left_out in files.items():
        yield from ((f"{path}: " if len(files) > 1 else "") + note for note in left_out.described())


def _taken_as_text(name: str, files: Mapping[str, Types]) -> Iterator[str]:
    """Yield a sentence on a column that is read as text only because its files hold different kinds of values."""
    words = {path: _word(types[name]) for path, types in files.items() if types[name] != pa.null()}
    (first, one), *others = words.items()
    for path, word in others:
        if word != one:
            yield f"column {name!r} holds {one} in {first} and {word} in {path}: it is read as text."
            return
