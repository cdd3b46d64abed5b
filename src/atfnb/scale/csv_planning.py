"""CSV files → parts, and what each column holds: as if all files were one, read whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from atfnb.scale.cuts import Block, Seen, Stretch, look, stretches
from atfnb.scale.parts import ROWS, CsvPart
from atfnb.scale.running import Runner, Work, append
from atfnb.tables import Batch, Format, Kind, kinds_of
from atfnb.tables.cells import typed
from atfnb.tables.csv_files import CsvFile
from atfnb.tables.csv_rows import CsvRows
from atfnb.tables.forms import Form, type_of_both, understood
from atfnb.tables.spellings import Spelled, joined, words_of

Types = dict[str, Any]
"""Of each column, the type that its cells would have in a table read whole, or the form of its numbers."""


@dataclass(frozen=True)
class CsvLook:
    """What the beginning of a CSV file tells."""

    path: str
    written: CsvRows
    format: Format
    size: int
    first_row: int | None
    """The place of the first row; None if the file cannot be cut."""

    @classmethod
    def at(cls, path: str, file: CsvFile) -> CsvLook:
        """Look at an open file."""
        return cls(path, file.rows, file.format, Path(path).stat().st_size, file.first_row())

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns."""
        return self.written.layout.columns

    def blocks(self, size: int) -> list[Block]:
        """Cut anywhere, into blocks of that size."""
        first, delimiter = self.first_row, self.written.layout.delimiter or ","
        begins = () if first is None else range(first, self.size, size)
        return [
            Block(self.path, begin, min(begin + size, self.size), delimiter, begin if begin == first else 0)
            for begin in begins
        ]


def cut(files: Sequence[CsvLook], part_bytes: int, runner: Runner) -> list[CsvPart]:
    """Parts of about so many bytes; one pass over the files that have more, to find their rows."""
    blocks = [block for file in files if len(own := file.blocks(part_bytes)) > 1 for block in own]
    seen: defaultdict[str, list[Seen]] = defaultdict(list)
    for each in runner.run("line ends", blocks, Work(look, list, append)) if blocks else []:
        seen[each.block.path].append(each)
    return [CsvPart(file.path, file.written, stretch) for file in files for stretch in _stretches(file, seen)]


def _stretches(file: CsvLook, seen: dict[str, list[Seen]]) -> list[Stretch | None]:
    if file.first_row is None:
        return [None]
    return [*stretches(seen[file.path])] if file.path in seen else [Stretch(0, file.size, 1)]


# --- What columns hold -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Held:
    """What the columns of all files hold."""

    kinds: tuple[tuple[str, Kind], ...]
    dates: dict[str, str]
    """The columns with dates or times, each with a file."""
    notes: tuple[str, ...]
    """Where files do not agree."""
    forms: dict[str, Form]
    """The columns of numbers with a sign, a unit or thousands separators."""
    words: dict[str, frozenset[str]]
    """How the values of the columns are spelled that are kept as they are written."""


def held(
    parts: Sequence[CsvPart],
    names: Sequence[str],
    as_text: Collection[str],
    as_written: Collection[str],
    runner: Runner,
) -> Held:
    """Look at every cell: one pass."""
    files: dict[str, Types] = runner.run(
        "types of columns", parts, Work(_batches, _TypesOfFiles, partial(_note_types, as_text, as_written))
    )
    words = {name: joined(files.values(), name) for name in as_written if name not in as_text}
    files = {path: {name: _plain(kind) for name, kind in types.items()} for path, types in files.items()}
    both: Types = dict.fromkeys(names, pa.null())
    for types in files.values():
        both |= {name: type_of_both(both[name], kind) for name, kind in types.items()}
    both |= dict.fromkeys(as_text, pa.string())
    forms = {name: form for name, form in both.items() if isinstance(form, Form)}
    both |= dict.fromkeys(forms, pa.float64())
    kinds = kinds_of(pa.schema(both.items()).empty_table())
    empty: dict[str, Kind] = {name: "number" for name in names if pa.types.is_null(both[name])}
    dates = {name: _where(name, "dates", files) for name in names if _word(both[name]) == "dates"}
    mixed = [name for name in names if _word(both[name]) == "text" and name not in as_text]
    notes = tuple(note for name in mixed for note in _taken_as_text(name, files))
    return Held(tuple((kinds | empty).items()), dates, notes, forms, words)


def _batches(part: CsvPart) -> Iterator[tuple[Batch, int]]:
    return part.batches(ROWS)


class _TypesOfFiles(dict[str, Types]):
    """Of each file, the type of each column so far."""

    def __add__(self, other: dict[str, Types]) -> _TypesOfFiles:
        both = _TypesOfFiles(self)
        for path, types in other.items():
            known = both.get(path, {})
            both[path] = {name: _added(known.get(name, pa.null()), kind) for name, kind in types.items()}
        return both


def _note_types(
    as_text: Collection[str], as_written: Collection[str], into: _TypesOfFiles, batch: Batch
) -> _TypesOfFiles:
    def type_of(name: str) -> Any:
        text = pc.unique(batch.table.column(name))  # the same type, from fewer cells
        if name in as_written:
            return Spelled(typed(text, batch.cells).type, words_of(text, batch.cells))
        column, form = understood(text, batch.cells)
        return column.type if form is None else form

    return into + {batch.name: {name: type_of(name) for name in batch.table.column_names if name not in as_text}}


def _plain(kind: Any) -> Any:
    return kind.kind if isinstance(kind, Spelled) else kind


def _added(known: Any, kind: Any) -> Any:
    both = type_of_both(_plain(known), _plain(kind))
    return Spelled(both, kind.words).with_words_of(known) if isinstance(kind, Spelled) else both


def _word(kind: Any) -> str:
    if isinstance(kind, Form):
        return f"numbers with {kind.sign}" if kind.sign else "numbers"
    if pa.types.is_temporal(kind):
        return "dates"
    known = kinds_of(pa.schema([("x", kind)]).empty_table()).get("x")
    return {"number": "numbers", "whole": "numbers", "truth": "truth values", "text": "text"}.get(
        known or "", "nothing"
    )


def _where(name: str, word: str, files: dict[str, Types]) -> str:
    return next(path for path, types in files.items() if _word(types[name]) == word)


def _taken_as_text(name: str, files: dict[str, Types]) -> Iterator[str]:
    """A sentence on a column that is text only because files do not agree."""
    words = {path: _word(types[name]) for path, types in files.items() if types[name] != pa.null()}
    (first, one), *others = words.items()
    for path, word in others:
        if word != one:
            yield f"column {name!r} holds {one} in {first} and {word} in {path}: it is taken as text."
            return


def formats(files: Sequence[CsvLook]) -> Iterator[str]:
    """How the files are written: a line for all that are written alike."""
    alike: defaultdict[Format, list[str]] = defaultdict(list)
    for file in files:
        alike[replace(file.format, name="", line_end="\n")].append(file.format.name)
    for form, (first, *others) in alike.items():
        yield str(replace(form, name=f"{first} and {len(others):,} more" if others else first))
