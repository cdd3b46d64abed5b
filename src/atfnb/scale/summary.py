"""What a training run did: rows, passes, time and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True)
class PassRecord:
    """One pass over the parts."""

    what: str
    seconds: float
    bytes_read: int


@dataclass(frozen=True)
class ScaleSummary:
    """What a training run did.

    Examples
    --------
    >>> print(ScaleSummary(2_000_000, 4, (PassRecord("counts", 0.5, 80_000_000),)).text)
    2,000,000 rows in 4 parts, 1 pass, 0.5 s, 80.0 MB read
         0.5 s      80.0 MB  counts
    """

    rows: int
    parts: int
    passes: tuple[PassRecord, ...]
    notes: tuple[str, ...] = ()
    """What was found in the files and done about it, a sentence each."""

    @property
    def seconds(self) -> float:
        """The time of all passes."""
        return sum(each.seconds for each in self.passes)

    @property
    def bytes_read(self) -> int:
        """What all passes read."""
        return sum(each.bytes_read for each in self.passes)

    @property
    def text(self) -> str:
        """A line on the whole, and one on each pass."""
        n = len(self.passes)
        whole = (
            f"{self.rows:,} rows in {self.parts:,} part{'s' * (self.parts != 1)}, {n} pass{'es' * (n != 1)}, "
            f"{self.seconds:.1f} s, {self.bytes_read / 1e6:,.1f} MB read"
        )
        return "\n".join([whole, *(_line(what, list(alike)) for what, alike in groupby(self.passes, lambda p: p.what))])


def _line(what: str, alike: list[PassRecord]) -> str:
    """One pass, or several of a kind that followed each other."""
    seconds, read = sum(each.seconds for each in alike), sum(each.bytes_read for each in alike)
    times = f", {len(alike)} times" if len(alike) > 1 else ""
    return f"{seconds:8.1f} s {read / 1e6:9,.1f} MB  {what}{times}"
