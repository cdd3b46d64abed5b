"""The record of a training run: rows, passes, time and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from atfnb._errors import counted

RankErrors = tuple[tuple[str, float], ...]
"""Each number that was cut at quantiles, with the share of the rows by which these are off at most."""


@dataclass(frozen=True)
class PassRecord:
    """One pass over the parts: what it added up, how long it took, and how much it read."""

    what: str
    seconds: float
    bytes_read: int


@dataclass(frozen=True)
class ScaleSummary:
    """What a training run on a table in parts did.

    Parameters
    ----------
    rows, parts : int
        The number of rows that count, and of parts.
    passes : tuple of PassRecord
        The passes, in order.
    rank_errors : tuple of (str, float)
        Each number that was cut at quantiles, with the share of the rows by which these are off at most; counted, not
        estimated, and with weights the share of their sum.
    notes : tuple of str
        What was found in the files and done about it, a sentence each.
    identifiers : tuple of str
        Columns that were left out because they number the rows or differ in every row.

    Examples
    --------
    >>> print(ScaleSummary(2_000_000, 4, (PassRecord("counts", 0.5, 80_000_000),)).text)
    2,000,000 rows in 4 parts, 1 pass, 0.5 s, 80.0 MB read
         0.5 s      80.0 MB  counts
    >>> print(ScaleSummary(2_000_000, 4, (), (("size", 0.00012),)).text.splitlines()[-1])
    candidate cuts of 1 column are off by at most 0.012 % of the rows
    """

    rows: int
    parts: int
    passes: tuple[PassRecord, ...]
    rank_errors: RankErrors = ()
    notes: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """The time of all passes."""
        return sum(each.seconds for each in self.passes)

    @property
    def bytes_read(self) -> int:
        """The number of bytes that all passes read."""
        return sum(each.bytes_read for each in self.passes)

    @property
    def text(self) -> str:
        """A line on the whole run, one on each pass, and one on the accuracy of candidate cuts, if there are any."""
        whole = (
            f"{self.rows:,} rows in {counted(self.parts, 'part')}, {counted(len(self.passes), 'pass')}, "
            f"{self.seconds:.1f} s, {self.bytes_read / 1e6:,.1f} MB read"
        )
        lines = (_line(what, list(alike)) for what, alike in groupby(self.passes, lambda each: each.what))
        return "\n".join([whole, *lines, *self._accuracy()])

    def _accuracy(self) -> list[str]:
        """Return a line on how far candidate cuts are from the quantiles that they stand for, if there are any."""
        if not self.rank_errors:
            return []
        most = 100 * max(error for _, error in self.rank_errors)
        return [
            f"candidate cuts of {counted(len(self.rank_errors), 'column')} are off by at most {most:.2g} % of the rows"
        ]


def _line(what: str, alike: list[PassRecord]) -> str:
    """Return the line on one pass, or on several of a kind in a row."""
    seconds, read = sum(each.seconds for each in alike), sum(each.bytes_read for each in alike)
    times = f", {len(alike)} times" if len(alike) > 1 else ""
    return f"{seconds:8.1f} s {read / 1e6:9,.1f} MB  {what}{times}"
