"""From a path, a glob or a Dask data frame to parts: the first pass, over the files themselves."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from dask.delayed import delayed

from atfnb.scale.csv_planning import CsvLook, cut, formats, held
from atfnb.scale.parts import FramePart, ParquetPart
from atfnb.scale.running import Runner, Work, append
from atfnb.tables import Dialect, Form, Kind, open_table
from atfnb.tables.csv_files import SAMPLE, CsvFile
from atfnb.tables.dialects import refuse_duplicates

PART_ROWS = (1 << 18, 1 << 22)
"""A part has at least, and at most, as many row groups as make about so many rows."""
PARTS = 256
"""About so many parts keep any number of workers busy, and a scheduler idle."""
PART_BYTES = 1 << 24
"""A part of a CSV file is about so long."""
_TABLES = re.compile(r"(?i)\.(parquet|pq|(csv|tsv)(\.(gz|bz2|xz|zst|lz4|zip))?)$")
"""The names of table files, in a folder."""


@dataclass(frozen=True)
class Plan:
    """The parts of a table, and the names of its columns, in the order of the first file."""

    names: tuple[str, ...]
    parts: tuple[Any, ...]
    dates: dict[str, str] = field(default_factory=dict)
    """The columns of CSV files that hold dates, each with the file."""
    notes: tuple[str, ...] = ()
    """What was found, a sentence each."""
    forms: dict[str, Form] = field(default_factory=dict)
    """The columns of CSV files with numbers that have a sign, a unit or thousands separators."""
    words: dict[str, frozenset[str]] = field(default_factory=dict)
    """How the values of columns of CSV files are spelled that are kept as they are written."""


def plan(
    source: Any,
    runner: Runner,
    dialect: Dialect | None = None,
    as_text: Collection[str] = (),
    as_written: Collection[str] = (),
) -> Plan:
    """Find the parts of a Dask data frame, or of the files of a path or glob."""
    dialect = dialect or Dialect()
    if hasattr(source, "to_delayed"):
        return _plan_frame(source, dialect, as_text)
    files = _look_at(source, runner, dialect)
    for name in as_text:
        if name not in files[0].names:
            raise ValueError(f"column {name!r} is not in the data. Columns: {', '.join(files[0].names)}.")
    if isinstance(files[0], CsvLook):
        return _plan_csv(files, as_text, as_written, runner)
    return _plan_parquet(files, dialect, as_text)


def parts_as_learned(
    source: Any, runner: Runner, dialect: Dialect, kinds: dict[str, Kind], forms: dict[str, str]
) -> list[Any]:
    """The parts of files with new rows, whose columns hold what was learned, written in these forms."""
    files = _look_at(source, runner, dialect)
    lost = [name for name in kinds if name not in files[0].names]
    if lost:
        raise ValueError(f"{files[0].path} has no column {lost[0]!r}, which the model was fitted with.")
    if isinstance(files[0], CsvLook):
        learned, signs = tuple(kinds.items()), tuple(forms.items())
        return [replace(part, kinds=learned, forms=signs) for part in cut(files, PART_BYTES, runner)]
    as_text = [name for name, kind in kinds.items() if kind == "text"]
    return [*_plan_parquet(files, dialect, as_text).parts]


def _look_at(source: Any, runner: Runner, dialect: Dialect) -> list[Any]:
    """The beginnings of CSV files, or the ends of Parquet files; all must have the same columns."""
    files: list[Any] = runner.run("files", _paths(source), Work(partial(_look, dialect), list, append))
    if len({type(file) for file in files}) > 1:
        raise ValueError(f"{source} holds both CSV and Parquet files: name one kind.")
    _check_names([(file.path, file.names) for file in files])
    return files


def _plan_frame(frame: Any, dialect: Dialect, as_text: Collection[str]) -> Plan:
    if as_text or dialect != Dialect():
        raise ValueError("dialect and as_text are for files: convert the columns of a Dask data frame in it.")
    parts = (delayed(FramePart)(f"partition {i}", each) for i, each in enumerate(frame.to_delayed()))
    return Plan(tuple(map(str, frame.columns)), tuple(parts))


def _paths(source: Any) -> list[str]:
    if not isinstance(source, (str, Path)):
        raise TypeError(f"training data must be a Dask data frame, a path or a glob, not a {type(source).__name__}.")
    text = str(source)
    is_folder = Path(text).is_dir()
    found = glob.glob(os.path.join(glob.escape(text), "*") if is_folder else text, recursive=True)
    paths = sorted(path for path in found if not is_folder or _TABLES.search(path))
    if not paths and os.path.exists(text) and not is_folder:
        return [text]  # its name only looks like a pattern
    if not paths:
        raise FileNotFoundError(f"{text} names no file: check the path, and put a pattern with * into quotes.")
    return paths


def _look(dialect: Dialect, path: str) -> Iterator[tuple[Any, int]]:
    """What the beginning of a CSV file tells, or the end of a Parquet file."""
    if path.lower().endswith((".parquet", ".pq")):
        yield from _read_footer(path)
        return
    with open_table(path, dialect) as file:
        if isinstance(file, CsvFile):
            look = CsvLook.at(path, file)
            yield look, min(look.size, SAMPLE)
        elif file.format.kind == "Parquet" and file.format.compression is None:
            yield from _read_footer(path)
        else:
            raise ValueError(f"{path} can only be read whole: write it as Parquet without compression, or as CSV.")


# --- Parquet ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Footer:
    path: str
    names: tuple[str, ...]
    rows: tuple[int, ...]
    """Of each row group."""


def _read_footer(path: str) -> Iterator[tuple[_Footer, int]]:
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            meta = file.metadata
            rows = tuple(meta.row_group(group).num_rows for group in range(meta.num_row_groups))
            yield _Footer(path, tuple(file.schema_arrow.names), rows), meta.serialized_size
    except (pa.ArrowException, OSError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise ValueError(f"{path} is no readable Parquet file: {reason}. Write it again, or leave it out.") from None


def _plan_parquet(footers: Sequence[_Footer], dialect: Dialect, as_text: Collection[str]) -> Plan:
    for footer in footers:
        refuse_duplicates(footer.names, footer.path)
    fewest, most = PART_ROWS
    rows = min(max(sum(sum(footer.rows) for footer in footers) // PARTS, fewest), most)
    parts = [
        ParquetPart(footer.path, groups, tuple(as_text), dialect.missing)
        for footer in footers
        for groups in _grouped(footer.rows, rows)
    ]
    return Plan(footers[0].names, tuple(parts))


def _grouped(rows: Sequence[int], most: int) -> Iterator[tuple[int, ...]]:
    """Neighbouring row groups together, up to so many rows."""
    together: list[int] = []
    for group, n in enumerate(rows):
        if together and sum(rows[g] for g in together) + n > most:
            yield tuple(together)
            together = []
        together.append(group)
    if together:
        yield tuple(together)


def _check_names(files: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Refuse files whose columns are not those of the first; their order does not matter."""
    first, names = files[0]
    for path, others in files[1:]:
        for here, there, has, lacks in ((names, others, first, path), (others, names, path, first)):
            lost = [name for name in here if name not in there]
            if lost:
                raise ValueError(
                    f"{lacks} has no column {lost[0]!r}, which {has} has: every file needs the same columns."
                )


def _plan_csv(files: Sequence[CsvLook], as_text: Collection[str], as_written: Collection[str], runner: Runner) -> Plan:
    names = files[0].names
    parts = cut(files, PART_BYTES, runner)
    found = held(parts, names, as_text, as_written, runner)
    signs = tuple((name, form.sign) for name, form in found.forms.items())
    parts = [replace(part, kinds=found.kinds, forms=signs) for part in parts]
    return Plan(names, tuple(parts), found.dates, (*formats(files), *found.notes), found.forms, found.words)
