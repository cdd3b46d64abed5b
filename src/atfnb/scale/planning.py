"""From a path, a glob or a Dask data frame to parts: the first pass, over the files themselves."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from dask.delayed import delayed

from atfnb.scale.parts import CsvPart, Frame, FramePart, ParquetPart, Reader, header_of
from atfnb.scale.running import DaskPieces, Runner, Work

PART_ROWS = (1 << 18, 1 << 22)
"""A part has at least, and at most, as many row groups as make about so many rows."""
PARTS = 256
"""About so many parts keep any number of workers busy, and a scheduler idle."""
PART_BYTES = 1 << 24
"""A part of a CSV file is about so long."""

Types = dict[str, dict[str, str]]
"""Of each file, what each column holds."""


@dataclass(frozen=True)
class Plan:
    """The parts of a table, and the names of its columns, in the order of the first file."""

    names: tuple[str, ...]
    parts: tuple[Any, ...]


def plan(source: Any, runner: Runner) -> Plan:
    """Find the parts of a Dask data frame, or of the files of a path or glob."""
    if hasattr(source, "to_delayed"):
        parts = enumerate(source.to_delayed())
        return Plan(
            tuple(map(str, source.columns)), tuple(delayed(FramePart)(f"partition {i}", each) for i, each in parts)
        )
    paths = _paths(source)
    suffixes = {_suffix(path) for path in paths}
    if len(suffixes) > 1:
        raise ValueError(f"{source} holds both {' and '.join(sorted(suffixes))} files: name one kind.")
    return _PLANS[suffixes.pop()](paths, runner)


def _paths(source: Any) -> list[str]:
    if not isinstance(source, (str, Path)):
        raise TypeError(f"training data must be a Dask data frame, a path or a glob, not a {type(source).__name__}.")
    text = str(source)
    inside = [str(Path(text) / f"*{suffix}") for suffix in _PLANS] if Path(text).is_dir() else [text]
    paths = sorted({path for pattern in inside for path in glob.glob(pattern, recursive=True)})
    if not paths:
        raise FileNotFoundError(f"{text} names no file: check the path, and put a pattern with * into quotes.")
    return paths


def _suffix(path: str) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in _PLANS:
        raise ValueError(f"{path} is neither a .parquet nor a .csv file: convert it.")
    return suffix


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


def _append(into: list[Any], one: Any) -> list[Any]:
    return [*into, one]


def _plan_parquet(paths: Sequence[str], runner: Runner) -> Plan:
    footers: list[_Footer] = runner.run("files", paths, Work(_read_footer, list, _append))
    _check_names([(footer.path, footer.names) for footer in footers])
    fewest, most = PART_ROWS
    rows = min(max(sum(sum(footer.rows) for footer in footers) // PARTS, fewest), most)
    parts = [ParquetPart(footer.path, groups) for footer in footers for groups in _grouped(footer.rows, rows)]
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


# --- CSV -------------------------------------------------------------------------------------------


def _plan_csv(paths: Sequence[str], runner: Runner) -> Plan:
    headers = [header_of(path) for path in paths]
    _check_names([(path, names) for path, (names, _) in zip(paths, headers, strict=True)])
    parts = [
        CsvPart(path, begin, min(begin + PART_BYTES, size), *header)
        for path, header in zip(paths, headers, strict=True)
        for size in [Path(path).stat().st_size]
        for begin in range(0, size, PART_BYTES)
    ]
    names = headers[0][0]
    frames: DaskPieces[Frame] = DaskPieces(parts, Reader(names), runner)
    noted: _TypesSoFar = frames.sum("types of columns", _TypesSoFar, _note_types)
    types = _agreed(noted)
    return Plan(names, tuple(replace(part, types=types) for part in parts))


def _type_of(kind: pa.DataType) -> str:
    if pa.types.is_null(kind):
        return "null"
    if pa.types.is_boolean(kind):
        return "bool"
    return "int64" if pa.types.is_integer(kind) else "double" if pa.types.is_floating(kind) else "string"


def _wider(one: str, other: str) -> str:
    """The type that holds the values of both."""
    if "null" in (one, other) or one == other:
        return other if one == "null" else one
    return "double" if {one, other} == {"int64", "double"} else "string"


class _TypesSoFar(dict[str, dict[str, str]]):
    """Of each file, the type of each column so far."""

    def __add__(self, other: Types) -> _TypesSoFar:
        both = _TypesSoFar(self)
        for path, types in other.items():
            known = both.get(path, {})
            both[path] = {name: _wider(known.get(name, "null"), kind) for name, kind in types.items()}
        return both


def _note_types(into: _TypesSoFar, frame: Frame) -> _TypesSoFar:
    return into + {frame.part: {column.name: _type_of(column.type) for column in frame.native.schema}}


def _agreed(files: Types) -> tuple[tuple[str, str], ...]:
    """One type of each column for all files: text in one and numbers in another is a mistake in one of them."""
    agreed: dict[str, tuple[str, str]] = {}
    for path, types in sorted(files.items()):
        for name, kind in types.items():
            known, where = agreed.get(name, ("null", path))
            both = _wider(known, kind)
            if both == "string" and "null" not in (known, kind) and known != kind:
                text, other = (path, where) if kind == "string" else (where, path)
                raise ValueError(f"column {name!r} holds text in {text} and none in {other}: convert one of them.")
            agreed[name] = both, where if known != "null" else path
    return tuple((name, kind) for name, (kind, _) in agreed.items())


_PLANS = {".parquet": _plan_parquet, ".csv": _plan_csv}
