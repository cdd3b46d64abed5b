"""When a column names its rows instead of describing them: a rule of counts, however the rows are read."""

from __future__ import annotations

import re
from typing import Literal

ENOUGH = 20
"""With fewer rows, all values of a column may differ by chance."""
FEW = 5
"""From here on a name that says so is enough, if all values differ."""
_NAMED = re.compile(
    r"(?i:(^|[\W_\d])(id|ids|key|uuid|guid|nr|number|rowid)$)"
    r"|[a-z]I[dD]$"
    r"|(?i:^(index|idx|row[ _.]?(names?|number)?|unnamed: \d+|\.\.\.\d+|column 1)$)"  # pandas, R, and our own readers
)


def is_identifier(name: str, kind: Literal["text", "whole"], rows: int, distinct: int, span: float = 0.0) -> bool:
    """Return whether a column of text or whole numbers names the rows: all of them have a value, and all differ.

    Of text, that is enough from 20 rows on. Whole numbers must also be dense, at least half of the numbers between the
    least and the greatest: measurements may happen to differ in every row. A column with a name that says so (id, key,
    number, …, or none at all) needs neither, but five rows.

    Parameters
    ----------
    name : str
        The name of the column.
    kind : {"text", "whole"}
        What it holds. Numbers with fractions are never identifiers.
    rows, distinct : int
        How many rows there are, and how many different values.
    span : float
        The greatest value less the least, of whole numbers.

    Examples
    --------
    >>> is_identifier("row", "whole", rows=100, distinct=100, span=99)
    True
    >>> is_identifier("income", "whole", rows=100, distinct=100, span=80_000)
    False
    """
    if distinct < rows or rows < FEW:
        return False
    return named_as_identifier(name) or (rows >= ENOUGH and (kind == "text" or span < 2 * rows))


def counts_rows(frames: int, rows: int, span: float) -> bool:
    """Return whether whole numbers that rise from row to row, in each of several frames, count these rows.

    Parameters
    ----------
    frames, rows : int
        How many frames and rows there are.
    span : float
        The sum over the frames of the last value less the first.

    Examples
    --------
    >>> counts_rows(frames=2, rows=100, span=98), counts_rows(frames=2, rows=100, span=5000)
    (True, False)
    """
    return rows - frames >= ENOUGH - 1 and span < 2 * rows


def named_as_identifier(name: str) -> bool:
    """Return whether a name says that a column holds identifiers.

    >>> [name for name in ("customer_id", "Unnamed: 0", "acid", "votes_no", "mass index") if named_as_identifier(name)]
    ['customer_id', 'Unnamed: 0']
    """
    return _NAMED.search(name) is not None
