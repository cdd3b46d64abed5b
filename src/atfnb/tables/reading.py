"""The door: open a table file, whatever it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Generator, Iterator
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa

from atfnb.tables.formats import Dialect, Format
from atfnb.tables.forms import Form
from atfnb.tables.kinds import Batch
from atfnb.tables.sources import open_source

ROWS = 1 << 16
"""A batch has no more rows than that."""


class TableFile(ABC):
    """An open table file, to be read once: whole, or in batches.

    Attributes
    ----------
    name : str
        The file as the user named it, or "standard input".
    path : Path or None
        Where it is; None for standard input.
    format : Format
        What it turned out to be.
    columns : list of str
        The names of its columns.
    forms : dict of str to Form
        The columns that were read as numbers without a sign, a unit or thousands separators; known after ``read``.
    words : dict of str to set of str
        How the values of the columns in ``as_written`` are spelled, if they are few; known after ``read``.
    """

    name: str
    path: Path | None
    format: Format
    columns: list[str]
    forms: dict[str, Form]
    words: dict[str, frozenset[str]]
    _given: Generator[Batch] | None = None

    @abstractmethod
    def _whole(self, as_text: Collection[str], as_written: Collection[str]) -> Any:
        """All rows, typed, but for the columns that are to be text."""

    @abstractmethod
    def _batches(self) -> Generator[Batch]:
        """The rows in order, in pieces."""

    def close(self) -> None:
        """Close the file; batches that were asked for end here."""
        if self._given is not None:
            self._given.close()

    def read(self, as_text: Collection[str] = (), as_written: Collection[str] = ()) -> Any:
        """Everything, as a pyarrow.Table: numbers, truth values, dates and text; missing cells are null.

        The columns in ``as_text`` hold text, even if it looks like numbers; in those of ``as_written``, numbers with a
        sign, a unit or thousands separators are text, as names of classes.
        """
        self.forms, self.words = {}, {}
        return self._with_rows(self._whole(as_text, as_written))

    def batches(self) -> Iterator[Batch]:
        """The rows in order, some at a time, in little memory; the cells of a CSV file are the text that they are."""
        self._given = self._numbered()
        return self._given

    def _numbered(self) -> Generator[Batch]:
        """Give the batches with the number of their first rows."""
        first = 1
        with closing(self._batches()) as found:
            for batch in found:
                for start in range(0, batch.table.num_rows, ROWS):
                    part = batch.table.slice(start, ROWS)
                    yield Batch(part, first, batch.name, batch.cells)
                    first += part.num_rows
        if first == 1:
            self._with_rows(pa.table({}))

    def _with_rows(self, table: Any) -> Any:
        if not table.num_rows:
            raise ValueError(f"{self.name} has a header and no rows: give a table with rows.")
        return table

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_table(path: str, dialect: Dialect | None = None) -> TableFile:
    r"""Open a table file: CSV, Parquet or Arrow, compressed or not.

    Parameters
    ----------
    path : str
        The file; ``-`` is standard input.
    dialect : Dialect, optional
        What is known about a CSV file; the rest is found out.

    Raises
    ------
    ValueError, OSError
        If there is no such file, or it cannot be read as a table: one sentence says why, and what to do.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = Path(folder.name, "few.csv").write_text("size;city\n1,5;Köln\n?;Ulm\n", encoding="cp1252")
    >>> with open_table(f"{folder.name}/few.csv") as file:
    ...     table = file.read()
    >>> print(file.format)
    few.csv: CSV, CP1252, separated by semicolons, decimal comma
    >>> table.to_pydict()
    {'size': [1.5, None], 'city': ['Köln', 'Ulm']}
    >>> folder.cleanup()
    """
    from atfnb.tables.arrow_files import ArrowFile
    from atfnb.tables.csv_files import CsvFile

    dialect = dialect or Dialect()
    source = open_source(path)
    try:
        return CsvFile(source, dialect) if source.kind == "CSV" else ArrowFile(source, dialect)
    except BaseException:
        source.stream.close()
        raise
