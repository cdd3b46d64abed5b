"""Rows in pieces: what is learned of them is a sum over the pieces, whoever runs them.

A pass over rows is a declaration: ``empty`` makes a sum of nothing, ``fill`` puts a piece into a sum that nobody else
holds yet, and ``+`` combines two sums. In memory the pieces are blocks of arrays, and threads run them; in
:mod:`atfnb.scale` they are parts of files, and Dask runs them. The code that declares the pass does not know.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Generic, TypeVar

import joblib

from atfnb._typing import ClassArray, CodeArray, FloatArray

Item = TypeVar("Item")
Result = TypeVar("Result")
Piece = TypeVar("Piece")
Made = TypeVar("Made")
Sum = TypeVar("Sum", bound=Any)

BLOCK = 1 << 14
"""Rows of a block: few enough for its codes and scores to stay in the cache."""
SPAN = 1 << 17
"""Rows that one table is made of before it is added to the others."""


_HERE = threading.local()


@contextmanager
def on_one_core() -> Iterator[None]:
    """In this thread nothing is shared out any further: others like it keep the other cores busy."""
    before, _HERE.alone = getattr(_HERE, "alone", False), True
    try:
        yield
    finally:
        _HERE.alone = before


def row_blocks(n_rows: int, size: int = BLOCK, *, first: int = 0) -> list[slice]:
    """Cut ``range(first, n_rows)`` into slices of ``size`` rows.

    >>> row_blocks(5, size=2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + size, n_rows)) for start in range(first, n_rows, size)]


def on_all_cores(
    function: Callable[[Item], Result], items: Sequence[Item], *, worth: bool = True, small: bool = False
) -> Iterator[Result]:
    """Call ``function`` on each item, in threads, and give the results in the items' order.

    No more than a few results wait at a time, unless they are ``small``, or kept anyway: then one item that takes long
    holds up no other. Without ``worth``, no threads are started.

    >>> list(on_all_cores(len, ["a", "bb", "ccc"]))
    [1, 2, 3]
    """
    shared = worth and len(items) > 1 and not getattr(_HERE, "alone", False)
    cores = min(joblib.cpu_count(), len(items)) if shared else 1
    if cores < 2:
        yield from map(function, items)
        return
    together = len(items) if small else 4 * cores
    with ThreadPoolExecutor(cores) as pool:
        for first in range(0, len(items), together):
            yield from pool.map(function, items[first : first + together])


def for_each_block(function: Callable[[slice], None], n_rows: int) -> None:
    """Call ``function`` on every block of rows, for what it writes."""
    for _ in on_all_cores(function, row_blocks(n_rows)):
        pass


@dataclass(frozen=True)
class CodedRows:
    """A block of rows, encoded: the code of each value, the class of each row and its weight."""

    codes: CodeArray
    """(rows, attributes)"""
    y: ClassArray
    weight: FloatArray

    def __sizeof__(self) -> int:
        return self.codes.nbytes + self.y.nbytes + self.weight.nbytes  # for Dask, which moves to disk what is too much


class Pieces(ABC, Generic[Piece]):
    """Pieces of something that no one place may be large enough for."""

    n_rows: int
    """How many rows all pieces have together."""
    kept: bool
    """Whether what ``map`` makes stays in memory; otherwise each pass makes it again."""

    @abstractmethod
    def sum(self, what: str, empty: Callable[[], Sum], fill: Callable[[Sum, Piece], Sum]) -> Sum:
        """Fill sums with the pieces, and add them up, in the order of the pieces. ``what`` is for the progress bar."""

    @abstractmethod
    def map(self, function: Callable[[Piece], Made]) -> Pieces[Made]:
        """Make something else of each piece."""

    @abstractmethod
    def keep(self, row_bytes: int) -> Pieces[Piece]:
        """The same, for many passes: made once and kept, if there is room for so many bytes a row."""


class KeptPieces(Pieces[Piece]):
    """Pieces in memory, on every core.

    Examples
    --------
    >>> pieces = KeptPieces([[1, 2], [3], []], n_rows=3)
    >>> pieces.map(len).sum("how many", int, lambda total, n: total + n)
    3
    """

    kept = True

    def __init__(self, pieces: Sequence[Piece], n_rows: int, together: int = SPAN // BLOCK) -> None:
        self._pieces, self.n_rows, self._together = pieces, n_rows, together

    def __iter__(self) -> Iterator[Piece]:
        return iter(self._pieces)

    def sum(self, what: str, empty: Callable[[], Sum], fill: Callable[[Sum, Piece], Sum]) -> Sum:
        """One sum for so many pieces ``together``, whatever the number of threads: the same to the bit on any."""

        def some(group: slice) -> Sum:
            return reduce(fill, self._pieces[group], empty())

        groups = row_blocks(len(self._pieces), self._together) or [slice(0)]
        return reduce(add, on_all_cores(some, groups))

    def map(self, function: Callable[[Piece], Made]) -> KeptPieces[Made]:
        """Make something else of each piece, now."""
        return KeptPieces(list(on_all_cores(function, self._pieces)), self.n_rows, self._together)

    def keep(self, row_bytes: int) -> KeptPieces[Piece]:
        """They are."""
        return self


def in_blocks(codes: CodeArray, y: ClassArray, weight: FloatArray, cells: int = 0) -> KeptPieces[CodedRows]:
    """Cut coded rows into blocks that stay in the cache; no more sums than there is something to put into.

    >>> import numpy as np
    >>> in_blocks(np.zeros((5, 2), np.uint8), np.zeros(5, np.int32), np.ones(5)).n_rows
    5
    """
    blocks = [CodedRows(codes[rows], y[rows], weight[rows]) for rows in row_blocks(len(y))]
    return KeptPieces(blocks, len(y), max(SPAN, cells) // BLOCK)
