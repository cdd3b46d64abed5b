"""A table in parts, as it is read; and its rows, as the classifiers learn from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from atfnb._pieces import CodedRows, Pieces, row_blocks
from atfnb.counts import RowsInMemory
from atfnb.encoding import (
    CategoricalAttribute,
    Coding,
    Distribution,
    MaxBins,
    Missing,
    Survey,
    TableEncoder,
    coding_of,
    group_pass,
)
from atfnb.scale.running import DaskPieces, Runner
from atfnb.tables import Frame, LabelledRows, Reader, Reading, labelled_rows


@dataclass(frozen=True)
class TableInParts:
    """The parts of a table, which of its columns are read and as what, and who reads them."""

    parts: Sequence[Any]
    reading: Reading
    frame_rows: int
    runner: Runner

    @property
    def frames(self) -> DaskPieces[Frame]:
        """Some rows at a time, as they stand there."""
        return DaskPieces(self.parts, Reader(self.reading.columns, self.frame_rows), self.runner)

    @property
    def rows(self) -> DaskPieces[LabelledRows]:
        """The rows that count: their columns, classes and weights."""
        return self.frames.cut(partial(labelled_rows, self.reading))

    def of_surveyed(self, names: tuple[str, ...]) -> TableInParts:
        """Only these attributes; the survey has told what each holds."""
        return replace(self, reading=replace(self.reading, features=names, categorical_features="from_dtype"))

    def of_numbers(self, names: tuple[str, ...]) -> TableInParts:
        """Only these attributes, all of them numbers."""
        return replace(self, reading=replace(self.reading, features=names, categorical_features=None))

    def coding(self, surveyed: Survey, max_bins: MaxBins, missing: Missing) -> Coding:
        """Return how to code each column; one more pass counts the groups of numbers with very many values, if any."""
        counting, grouped = group_pass(surveyed), {}
        if counting is not None:
            names = tuple(counting.quantiles)
            groups = self.of_numbers(names).rows.sum("candidate cuts", counting.empty, counting.fill)
            grouped = dict(zip(names, groups, strict=True))
        return coding_of(surveyed, grouped, max_bins=max_bins, missing=missing)


@dataclass(frozen=True)
class RowsInParts:
    """The training rows, read and encoded anew in every pass."""

    table: TableInParts
    classes: NDArray[Any]
    encoder: TableEncoder
    over: tuple[Distribution | None, ...]
    n_rows: int

    @property
    def pieces(self) -> Pieces[CodedRows]:
        """The rows, encoded, in blocks."""
        return self.encoded_by(self.encoder)

    def distributions(self) -> Sequence[Distribution | None]:
        """How the rows are distributed over each number."""
        return self.over

    def encoded_by(self, encoder: TableEncoder) -> Pieces[CodedRows]:
        """The rows, encoded in another way."""
        return self.table.rows.cut(partial(coded, encoder, self.classes), self.n_rows)

    def in_memory(self) -> RowsInMemory:
        """All of them, where they are few."""
        categories = [j for j, each in enumerate(self.encoder.attributes) if isinstance(each, CategoricalAttribute)]
        reading = replace(self.table.reading, categorical_features=categories)
        frames = self.table.frames.sum("all rows", list, _gathered)
        (rows,) = labelled_rows(reading, Frame(_one_frame(frames), "the rows of all parts"))
        codes = self.encoder.encode_table(rows.table)
        return RowsInMemory(codes, rows.y, rows.weight, rows.table, int(self.encoder.n_values.sum()))


def coded(encoder: TableEncoder, classes: NDArray[Any], rows: LabelledRows) -> Iterator[CodedRows]:
    """Blocks of coded rows that stay in the cache."""
    if not len(rows.y):
        return
    codes, y = encoder.encode_table(rows.table), np.searchsorted(classes, rows.classes)[rows.y].astype(np.int32)
    for block in row_blocks(len(y)):
        yield CodedRows(codes[block], y[block], rows.weight[block])


def _gathered(into: list[Any], frame: Frame) -> list[Any]:
    return [*into, frame.native] if len(frame.native) else into


def _one_frame(frames: list[Any]) -> Any:
    if isinstance(frames[0], pa.Table):
        return pa.concat_tables(frames, promote_options="permissive").unify_dictionaries()
    import pandas as pd

    return pd.concat(frames, ignore_index=True)
