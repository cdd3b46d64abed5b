"""A table in parts as it is read, and its rows as the classifiers learn from them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
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
    Pooling,
    Survey,
    TableEncoder,
    coding_of,
    group_pass,
)
from atfnb.scale.running import DaskPieces, Runner
from atfnb.tables import ColumnRoles, Frame, FrameReader, LabelledRows, labelled_rows


@dataclass(frozen=True)
class TableInParts:
    """The parts of a table, the roles of its columns, and the runner of passes over it."""

    parts: Sequence[Any]
    """The parts; each opens into frames of some rows."""
    roles: ColumnRoles
    """Which columns are attributes, target and weights."""
    frame_rows: int
    """The largest number of rows in a frame."""
    runner: Runner
    """Runs the passes, in threads or on a cluster."""

    @property
    def frames(self) -> DaskPieces[Frame]:
        """The rows as they are read, in frames."""
        return DaskPieces(self.parts, FrameReader(self.roles.columns, self.frame_rows), self.runner)

    @property
    def rows(self) -> DaskPieces[LabelledRows]:
        """The columns, classes and weights of the rows whose weight is above 0, in pieces."""
        return self.frames.cut(partial(labelled_rows, self.roles))

    def of_surveyed(self, surveyed: Survey) -> TableInParts:
        """Return the table with only the attributes of a survey, whose dtypes agree with it."""
        return self._with({column.name: column.source for column in surveyed.columns}, "from_dtype")

    def of_numbers(self, surveyed: Survey, names: Collection[str]) -> TableInParts:
        """Return the table with only the attributes of these names, all of them read as numbers."""
        return self._with({each.name: each.source for each in surveyed.columns if each.name in names}, None)

    def _with(self, sources: dict[str, str], categorical: Any) -> TableInParts:
        """Return the table with only some attributes, name → name of the column that each is made from."""
        features, attributes = tuple(dict.fromkeys(sources.values())), frozenset(sources)
        roles = replace(self.roles, features=features, attributes=attributes, categorical_features=categorical)
        return replace(self, roles=roles)

    def coding(self, surveyed: Survey, max_bins: MaxBins, missing: Missing, pooling: Pooling) -> Coding:
        """Return how to code each column; numbers with very many values need one more pass over the rows."""
        counting, grouped = group_pass(surveyed), {}
        if counting is not None:
            names = tuple(counting.quantiles)
            groups = self.of_numbers(surveyed, names).rows.sum("candidate cuts", counting.empty, counting.fill)
            grouped = dict(zip(names, groups, strict=True))
        return coding_of(surveyed, grouped, max_bins=max_bins, missing=missing, pooling=pooling)


@dataclass(frozen=True)
class RowsInParts:
    """Training rows in parts, read and encoded again in every pass."""

    table: TableInParts
    """The table that holds the rows."""
    classes: NDArray[Any]
    """(classes,) all classes, sorted."""
    encoder: TableEncoder
    """How the values are coded."""
    over: tuple[Distribution | None, ...]
    """(attributes,) how the rows are distributed over each numeric attribute; None for a categorical one."""
    n_rows: int
    """The number of rows."""

    @property
    def pieces(self) -> Pieces[CodedRows]:
        """The coded rows, in blocks."""
        return self.encoded_by(self.encoder)

    def distributions(self) -> Sequence[Distribution | None]:
        """Return how the rows are distributed over each numeric attribute; None for a categorical one."""
        return self.over

    def encoded_by(self, encoder: TableEncoder) -> Pieces[CodedRows]:
        """Return the rows coded by another encoder, in blocks."""
        return self.table.rows.cut(partial(code_rows, encoder, self.classes), self.n_rows)

    def in_memory(self) -> RowsInMemory:
        """Return all rows at once, from one pass; for tables that fit into memory."""
        categories = [
            each.source
            for each in self.encoder.attributes
            if isinstance(each, CategoricalAttribute) and each.part is None
        ]
        roles = replace(self.table.roles, categorical_features=categories)
        frames = self.table.frames.sum("all rows", list, _gathered)
        (rows,) = labelled_rows(roles, Frame(_one_frame(frames), "the rows of all parts"))
        codes = self.encoder.encode_table(rows.table)
        return RowsInMemory(codes, rows.y, rows.weight, rows.table, int(self.encoder.n_values.sum()))


def code_rows(encoder: TableEncoder, classes: NDArray[Any], rows: LabelledRows) -> Iterator[CodedRows]:
    """Yield the coded rows in blocks that fit into the processor's cache."""
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
