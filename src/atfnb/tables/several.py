"""Several files as one table: their rows one after the other, with the columns that their folders give."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import pyarrow as pa

from atfnb._errors import and_more, first_line
from atfnb._pieces import Piece, Sum, on_all_cores
from atfnb.tables.csv_planning import formats
from atfnb.tables.kinds import Batch
from atfnb.tables.parts import FRAME_ROWS
from atfnb.tables.paths import TablePath
from atfnb.tables.planning import look_at, notes_of, paths_of, planned
from atfnb.tables.reading import TableFile, open_file
from atfnb.tables.sources import Dialect


@dataclass(frozen=True)
class OpenedPieces:
    """Pieces of items, such as files, that are opened again in every pass, on every core."""

    items: Sequence[Any]
    opener: Callable[[Any], Iterator[Any]]

    def sum(self, what: str, empty: Callable[[], Sum], fill: Callable[[Sum, Piece], Sum]) -> Sum:
        """Return the sum over all pieces, added in their order."""

        def sum_of_item(item: Any) -> Sum:
            return reduce(fill, self.opener(item), empty())

        return reduce(add, on_all_cores(sum_of_item, self.items), empty())


class SeveralFiles(TableFile):
    """Several files of one kind with the same columns, as one table."""

    def __init__(self, files: Sequence[TablePath], dialect: Dialect) -> None:
        self._dialect, self._heads = dialect, look_at(files, OpenedPieces, dialect)
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
        plan = planned(self._heads, OpenedPieces, as_text, as_written)
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
            self.notes += tuple(f"{head.format.name}: {note}" if len(self.files) > 1 else note for note in later)

    def _batches(self) -> Generator[Batch]:
        with closing(self._numbered()) as found:
            yield from found
