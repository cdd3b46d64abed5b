"""The record of a training run: rows, passes, time and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from atfnb._errors import counted

RankErrors = tuple[tuple[str, float], ...]
"""Each number that was cut at approximate quantiles, with the largest error of these, as a share of the rows."""

LONG_READ = 100_000_000
"""The number of bytes read from which on a person may want to know which pass took how long."""


@dataclass(frozen=True)
class PassRecord:
    """One pass over the parts: what it added up, the seconds that it took, and the number of bytes that it read."""

    what: str
    seconds: float
    bytes_read: int


@dataclass(frozen=True)
class ScaleSummary:
    """The summary of a training run on a table in parts.

    Parameters
    ----------
    rows, parts : int
        The number of rows with a weight above 0, and the number of parts.
    passes : tuple of PassRecord
        The passes, in order.
    rank_errors : tuple of (str, float)
        Each number that was cut at approximate quantiles, with the largest error of these, as a share of the rows (of
        their weights, if they have any). The errors are counted, not estimated.
    notes : tuple of str
        A sentence on each thing that was found in the files, and what was done about it.
    identifiers : tuple of str
        Columns that were left out because they hold identifiers of the rows.

    Examples
    --------
    >>> print(ScaleSummary(2_000_000, 4, (PassRecord("counts", 5.0, 800_000_000),)).text)
    2,000,000 rows in 4 parts, 1 pass, 5.0 s, 800.0 MB read
         5.0 s     800.0 MB  counts
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
        """The number of seconds that all passes took."""
        return sum(each.seconds for each in self.passes)

    @property
    def bytes_read(self) -> int:
        """The number of bytes that all passes read."""
        return sum(each.bytes_read for each in self.passes)

    @property
    def text(self) -> str:
        """The summary as text: a line on the run, one on each pass if much was read, one on the error of quantiles."""
        whole = (
            f"{self.rows:,} rows in {counted(self.parts, 'part')}, {counted(len(self.passes), 'pass')}, "
            f"{self.seconds:.1f} s, {self.bytes_read / 1e6:,.1f} MB read"
        )
        passes = self.passes if self.bytes_read >= LONG_READ else ()
        lines = (_line(what, list(alike)) for what, alike in groupby(passes, lambda each: each.what))
        if not self.rank_errors:
            return "\n".join([whole, *lines])
        cut, most = counted(len(self.rank_errors), "column"), 100 * max(error for _, error in self.rank_errors)
        return "\n".join([whole, *lines, f"candidate cuts of {cut} are off by at most {most:.2g} % of the rows"])


def _line(what: str, alike: list[PassRecord]) -> str:
    """Return the line on one pass, or on several passes of the same kind that follow each other."""
    seconds, read = sum(each.seconds for each in alike), sum(each.bytes_read for each in alike)
    times = f", {len(alike)} times" if len(alike) > 1 else ""
    return f"{seconds:8.1f} s {read / 1e6:9,.1f} MB  {what}{times}"
