"""What a user names as a table (a file, a folder, a pattern, or several of these) → its files, in order.

Folders named ``column=value`` above a file, as in ``sales/year=2024/rows.parquet``, are columns of the table.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from atfnb.tables.cells import CellRules, parse_plain

_TABLES = re.compile(
    r"(?i)^[^._].*\.(parquet|pq|arrow|feather|xls[xmb]|ods|(csv|tsv|arff|jsonl|ndjson)(\.(gz|bz2|xz|zst|lz4|zip))?)$"
)
"""The names of table files, in a folder."""
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""The value of a folder for rows in which it is missing."""


@dataclass(frozen=True)
class TablePath:
    """A file of a table, what its folders say about its rows, and the state in which it was found."""

    path: str
    """The name as the user gave it, or as it was found; ``-`` is standard input."""
    folders: tuple[tuple[str, Any], ...] = ()
    """The name of each column that the folders give, and an array of its one value."""
    stamp: tuple[int, int] | None = None
    """The size and the modification time; None for what is no file."""

    def names_with(self, own: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the columns of the file and of those that its folders give."""
        return tuple(dict.fromkeys([*own, *(name for name, _ in self.folders)]))

    def with_folders(self, table: Any) -> Any:
        """Return rows of the file with the columns that its folders give, in place of any that it has itself."""
        if not self.folders:
            return table
        columns = dict(zip(table.column_names, table.columns, strict=True))
        return pa.table(columns | {name: pa.repeat(value[0], table.num_rows) for name, value in self.folders})

    def own(self, columns: Sequence[str]) -> list[str]:
        """Return those of some columns that are in the file itself."""
        given = {name for name, _ in self.folders}
        return [name for name in columns if name not in given]

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Raise a ValueError if the file is not as it was found, before or after the block inside."""
        self._refuse_changed()
        try:
            yield
        except Exception:
            self._refuse_changed()  # which may be the reason for the error
            raise
        self._refuse_changed()

    def _refuse_changed(self) -> None:
        if self.stamp is not None and _stamp(self.path) != self.stamp:
            raise ValueError(
                f"{self.path} was changed while it was read, so its rows belong to no one table: wait until nothing "
                "writes to it, and try again."
            )


def table_paths(source: Any, needed: Collection[str] = ()) -> list[TablePath]:
    r"""Return the files of a table, in order.

    Parameters
    ----------
    source : str, Path or sequence of these
        Files, folders, or patterns such as ``"data/*.csv"``. A folder stands for its table files, and those in folders
        below it that are named ``column=value``.
    needed : names
        The columns that a model needs: a folder gives them even if it has the same value for all files.

    Raises
    ------
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for year in ("2024", "2025"):
    ...         Path(folder, f"year={year}").mkdir()
    ...         _ = Path(folder, f"year={year}", "few.csv").write_text("size,kind\n1.5,a\n")
    ...     [file.names_with(["size", "kind"]) for file in table_paths(folder)]
    [('size', 'kind', 'year'), ('size', 'kind', 'year')]
    """
    named = [source] if isinstance(source, (str, Path)) else source
    if not isinstance(named, (list, tuple)) or not all(isinstance(each, (str, Path)) for each in named):
        raise TypeError(f"a table must be a Dask data frame, a path or a pattern, not a {type(source).__name__}.")
    paths = list(dict.fromkeys(path for each in named for path in _found(str(each))))
    if "-" in paths and len(paths) > 1:
        raise ValueError("standard input cannot be read together with files: write it to a file first.")
    return _with_folders([TablePath(path, stamp=_stamp(path)) for path in paths], needed)


def _found(name: str) -> list[str]:
    """Return the files that a name stands for."""
    text = os.path.expanduser(name)
    if os.path.isdir(text):
        paths = [*_in_folder(text)]
        if not paths:
            raise FileNotFoundError(
                f"the folder {name} holds no table file: name its files, for example '{os.path.join(name, '*.txt')}'."
            )
        return paths
    if not glob.has_magic(name) or os.path.lexists(text):  # the name of a file may look like a pattern
        return [name]
    matched = sorted(glob.glob(text, recursive=True))
    paths = [path for each in matched for path in (_in_folder(each) if os.path.isdir(each) else [each])]
    if not paths:
        raise FileNotFoundError(f"{name} names no file: check the path, and put a pattern with * into quotes.")
    return paths


def _in_folder(folder: str) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if "=" in name)
        yield from (os.path.join(parent, name) for name in sorted(names) if _TABLES.search(name))


def _stamp(path: str) -> tuple[int, int] | None:
    with suppress(OSError, ValueError):  # opening the file says what is wrong
        found = os.stat(os.path.expanduser(path))
        return found.st_size, found.st_mtime_ns
    return None


def _with_folders(files: Sequence[TablePath], needed: Collection[str]) -> list[TablePath]:
    """Return the files with the columns that their folders give, if these differ between files or are needed."""
    of_files = [dict(_named_by(file.path)) for file in files]
    columns: dict[str, Any] = {}
    for name in dict.fromkeys(name for values in of_files for name in values):
        texts = [values.get(name) for values in of_files]
        if name in needed or len(set(texts)) > 1:
            text = pa.chunked_array([pa.array(texts, pa.string())])
            columns[name] = parse_plain(text, CellRules(()))
    return [
        replace(file, folders=tuple((name, column.slice(i, 1).combine_chunks()) for name, column in columns.items()))
        for i, file in enumerate(files)
    ]


def _named_by(path: str) -> Iterator[tuple[str, str | None]]:
    """Yield the columns that the folders of a path name, and their values."""
    for folder in Path(path).parent.parts:
        name, sign, value = folder.partition("=")
        if name and sign:
            yield unquote(name), None if value == _NO_VALUE else unquote(value)
