"""Row numbers in parts: whole numbers that rise from row to row in every frame. What is known of frames adds up."""

from __future__ import annotations

from dataclasses import dataclass

from atfnb.tables import Column, counts_rows


@dataclass(frozen=True)
class Rising:
    """Whether whole numbers rise from row to row in every frame, as row numbers do, and by how much in all."""

    holds: bool
    frames: int = 0
    rows: int = 0
    span: float = 0.0
    """The sum over the frames of the last value less the first."""

    @classmethod
    def of(cls, column: Column) -> Rising:
        """Look at the rows of one frame."""
        values = column.values
        if values.dtype.kind not in "iu" or not column.is_complete or not (values[1:] > values[:-1]).all():
            return cls(False)
        return cls(True, 1, len(values), float(values[-1]) - float(values[0]))

    @property
    def counts_rows(self) -> bool:
        """Whether these are row numbers."""
        return self.holds and counts_rows(self.frames, self.rows, self.span)

    def __add__(self, other: Rising) -> Rising:
        if not (self.holds and other.holds):
            return Rising(False)
        return Rising(True, self.frames + other.frames, self.rows + other.rows, self.span + other.span)


NOT_RISING = Rising(False)
