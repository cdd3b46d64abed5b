"""Rows of a file that are no rows of its table, in CSV files and workbooks alike: totals, repeated headers, empty rows.

They are left out, and said. What is usual in a table is found from its first rows (:class:`RowFilter`); whether another
row is a total then depends on that row alone, so that a file gives the same rows whole and in parts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from atfnb._errors import NAMED, Message, Setting, and_more, shortened
from atfnb._typing import BoolArray
from atfnb.tables.headers import Row, has_no_value, is_number

Reason = Literal["total", "header", "empty", "note"]
"""Why a row is left out."""
_REASONS: dict[Reason, tuple[str, str]] = {
    "total": ("row with totals", "rows with totals"),
    "header": ("row that repeats the names of the columns", "rows that repeat the names of the columns"),
    "empty": ("empty row", "empty rows"),
    "note": ("row that is a note", "rows that are notes"),
}
_WORDS = (
    "(grand |sub[ -]?|over|sum )?totals?|overall|sums?|gesamt(summe|ergebnis)?|insgesamt|(zwischen|end)?summe|ergebnis|"
    "(sub|eind)?totaal|(sous-|sub)?totale?( g[ée]n[ée]rale?| geral| complessivo)?|somme|somma|suma|summa|totalt|i alt|"
    "yhteensä|razem|celkem|итого|всего|合計|小計|総計|合计|小计|总计"
)
_PREFIX = r"(\S.{0,40}[\s:-])?"
_LABEL = rf"(?i)^\s*{_PREFIX}({_WORDS})\s*:?\s*$"
"""The pattern of a cell that names a total, such as "Total", "Grand total:" and "North Total"."""
_TOTAL, _BARE_TOTAL = re.compile(_LABEL), re.compile(_LABEL.replace(_PREFIX, ""))


def names_total(value: Any) -> bool:
    """Return whether a value is text that may name a total.

    >>> names_total("Grand total"), names_total("Ulm")
    (True, False)
    """
    return isinstance(value, str) and _TOTAL.match(value) is not None


@dataclass(frozen=True)
class LeftOut:
    """Rows that were left out: how many for each reason, and where the first of them are."""

    times: Counter[Reason] = field(default_factory=Counter)
    places: tuple[tuple[Reason, str], ...] = ()

    def __add__(self, other: LeftOut) -> LeftOut:
        places = self.places + other.places
        kept = [each for reason in _REASONS for each in [p for p in places if p[0] == reason][:NAMED]]
        return LeftOut(self.times + other.times, tuple(kept))

    @classmethod
    def of(cls, reason: Reason, place: str, cell: str = "") -> LeftOut:
        """Return one row that is left out, where it is, and the cell that shows why."""
        return cls(Counter([reason]), ((reason, f"{place} ({shortened(cell.strip())!r})" if cell else place),))

    def described(self) -> list[str]:
        """Return a note for each reason for which rows were left out.

        Examples
        --------
        >>> LeftOut.of("total", "row 7", "Total").described()
        ["1 row with totals left out: row 7 ('Total'); if it is a row of the table, give Dialect(keep_totals=True)."]
        """
        notes = list[str]()
        for reason, words in _REASONS.items():
            if number := self.times[reason]:
                found = [place for why, place in self.places if why == reason]
                which = f": {', '.join(found)}{and_more(number, len(found))}" if found else ""
                they = "they are rows" if number > 1 else "it is a row"
                keep = (f"; if {they} of the table, give ", Setting("Dialect.keep_totals", True))
                note = f"{number:,} {words[number > 1]} left out{which}"
                notes.append(Message(note, *(keep if reason == "total" else ()), "."))
        return notes


@dataclass(frozen=True)
class RowFilter:
    """What is usual in a table, by its header and its first rows: it shows which rows are none."""

    headers: tuple[Row, ...] = ()
    """The rows of the header, as they are written."""
    texts: frozenset[int] = frozenset()
    """The columns that hold text."""
    words: frozenset[int] = frozenset()
    """The columns in which a word such as "total" is a value."""
    marks: frozenset[str] = frozenset([""])
    """The marks of a missing value."""

    @classmethod
    def of(
        cls, headers: Sequence[Row], rows: Sequence[Row], marks: Collection[str], *, keep_totals: bool = False
    ) -> RowFilter:
        """Return what is usual in a table with this header and first rows; ``keep_totals``: none of them is a total."""
        known = frozenset(marks)
        columns = [[cell for cell in column if not has_no_value(cell, known)] for column in zip(*rows, strict=False)]
        texts = frozenset(j for j, cells in enumerate(columns) if 2 * sum(map(is_number, cells)) < len(cells))
        totals, usual = Counter[int](), set[int]()
        for row in rows:
            found = list(_texts_of(row, known))
            named = [j for j in found if _TOTAL.match(row[j])]
            totals.update(named)
            usual.update(named if len(found) > 1 else ())
        usual.update(j for j, times in totals.items() if texts == {j} and times > 1)
        usual.update(range(max(map(len, (*headers, *rows)), default=0)) if keep_totals else ())
        return cls(tuple(list(row) for row in headers if len(row) > 1), texts, frozenset(usual), known)

    def reason(self, row: Row) -> tuple[Reason, str] | None:
        """Return why a row is none, and the cell that shows it, or None if it is a row of the table."""
        if any(list(row) == header for header in self.headers):
            return "header", ""
        return None if (total := self.total_in(row)) is None else ("total", total)

    def total_in(self, row: Row) -> str | None:
        """Return the cell that makes a row a total, or None.

        It is the only text in the row, beside at least one number, and no value that its column has in other rows.

        Examples
        --------
        >>> row_filter = RowFilter.of([], [["Ulm", "yes", "5"], ["Bonn", "no", "7"]], [""])
        >>> row_filter.total_in(["Total", "", "12"]), row_filter.total_in(["Total", "yes", "12"])
        ('Total', None)
        """
        found = list(islice(_texts_of(row, self.marks), 2))
        if len(found) != 1 or found[0] in self.words or not any(map(is_number, row)):
            return None
        cell: str = row[found[0]]
        is_total = (_BARE_TOTAL if self.texts == {*found} else _TOTAL).match(cell)
        return cell if is_total and sum(row[j] == "" for j in self.texts) >= self._least_empty else None

    @property
    def _least_empty(self) -> int:
        """The number of columns of text that are empty in a row of totals; others may hold a count."""
        return max(len(self.texts) - 3, (len(self.texts) - 1) // 2, 0)

    def passed(self, rows: Any, above: int) -> tuple[Any, LeftOut]:
        """Return the rows of a batch that are rows of the table, and what was left out.

        Parameters
        ----------
        rows : pyarrow.RecordBatch
            The rows; every column is text.
        above : int
            The number of rows that were read before these.
        """
        suspects = ((i, [column[i].as_py() for column in rows.columns]) for i in self._suspects(rows))
        totals = {i: cell for i, row in suspects if (cell := self.total_in(row)) is not None}
        again = [i for header in self.headers for i in _where_all(rows, [partial(pc.equal, name) for name in header])]
        # the only cell of a row, "", is a missing value; the parser skips empty lines
        empty = _where_all(rows, [_is_blank] * rows.num_columns) if rows.num_columns > 1 else []
        found = LeftOut(Counter({"empty": len(empty)}) if empty else Counter())
        for i in (*totals, *again):
            reason: Reason = "total" if i in totals else "header"
            found += LeftOut.of(reason, f"row {above + i + 1:,} below the header", totals.get(i, ""))
        kept = np.ones(len(rows), dtype=bool)
        kept[[*totals, *again, *empty]] = False
        return (rows if kept.all() else rows.filter(pa.array(kept))), found

    def _suspects(self, rows: Any) -> Iterator[int]:
        """Generate the rows that may be totals: most of the other cells of text are empty, and a cell names a total."""
        texts = sorted(self.texts)
        among = np.arange(len(rows))
        if least := self._least_empty:
            empty = sum(_flags(pc.equal(pc.binary_length(rows.column(j)), 0)).astype(int) for j in texts)
            among = np.flatnonzero(empty >= least)
        chosen = rows.take(pa.array(among)) if least else rows
        named = np.zeros(len(among), dtype=bool)
        for j in {0, *texts} - self.words:
            named |= _flags(pc.match_substring_regex(chosen.column(j), _LABEL))
        yield from among[named].tolist()


def _texts_of(row: Row, marks: Collection[str]) -> Iterator[int]:
    """Generate the positions of the cells that are text, and no mark of a missing value."""
    return (j for j, cell in enumerate(row) if cell != "" and not is_number(cell) and not has_no_value(cell, marks))


def _where_all(rows: Any, tests: Sequence[Callable[[Any], Any]]) -> list[int]:
    """Return the positions of the rows that pass the test of every column; most fail that of the first."""
    left = np.arange(len(rows))
    for column, test in zip(rows.columns, tests, strict=False):
        left = left[_flags(test(column if len(left) == len(rows) else column.take(pa.array(left))))]
    return left.tolist()


_is_blank = partial(pc.match_substring_regex, pattern=r"^\s*$")


def _flags(flags: Any) -> BoolArray:
    return np.asarray(flags.to_numpy(zero_copy_only=False), dtype=bool)
