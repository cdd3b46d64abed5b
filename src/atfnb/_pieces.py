"""Rows in pieces: what is learned of them is a sum over the pieces, whoever runs them.

A pass over rows is a declaration: ``empty`` makes a sum of nothing, ``fill`` puts a piece into a sum that nobody else
holds yet, and ``+`` combines two sums. In memory the pieces are blocks of arrays, and threads run them; in
:mod:`atfnb.scale` they are parts of files, and Dask runs them. The code that declares the pass does not know.

Blocks do not depend on the number of threads, and their results come back in order: whatever is added up from them is
the same to the bit on one core and on many.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, Generic, TypeVar

import joblib
import numpy as np
from joblib.parallel import get_active_backend
from numpy.typing import NDArray
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

from atfnb._typing import BoolArray, ClassArray, CodeArray, FloatArray, IntArray

Item = TypeVar("Item")
Result = TypeVar("Result")
Piece = TypeVar("Piece")
Made = TypeVar("Made")
Sum = TypeVar("Sum", bound=Any)

BLOCK = 1 << 14
"""The number of rows in a block: few enough for their codes and log-likelihoods to stay in the cache."""
SPAN = 1 << 17
"""The number of rows that are summed into one table before it is added to the others."""


# --- How many threads -------------------------------------------------------------------------------

_THREAD = threading.local()
"""``most`` is the number of threads that the code which a thread runs may use, where :func:`on_cores` has set it."""


def n_threads(n_jobs: int | None = None) -> int:
    """Return how many threads may work at a time: ``n_jobs``, or as many as joblib's ``parallel_config`` says, or all.

    They are never more than the context of :func:`on_cores` allows; outside of one, never more than there are cores for
    this process, or than OpenMP may use, which ``OMP_NUM_THREADS`` and threadpoolctl limit. A worker of joblib is one
    thread, unless it is a process for which ``OMP_NUM_THREADS`` says how many, as joblib does for its own.

    >>> n_threads(1)
    1
    """
    most: int | None = getattr(_THREAD, "most", None)
    if most is None:
        backend, configured = get_active_backend()
        n_jobs = configured if n_jobs is None else n_jobs
        told = threading.current_thread() is threading.main_thread() and "OMP_NUM_THREADS" in os.environ
        alone = backend.nesting_level > 0 and not told
        most = 1 if alone else min(joblib.cpu_count(), _openmp_effective_n_threads(only_physical_cores=False))
    if n_jobs is not None and n_jobs < 0:
        n_jobs = max(joblib.cpu_count() + 1 + n_jobs, 1)
    return most if n_jobs is None else min(most, n_jobs)


@contextmanager
def on_cores(n_jobs: int | None) -> Iterator[None]:
    """Let :func:`n_threads` return no more in this context than it returns for ``n_jobs`` now; None changes nothing."""
    before = getattr(_THREAD, "most", None)
    _THREAD.most = before if n_jobs is None else n_threads(n_jobs)
    try:
        yield
    finally:
        _THREAD.most = before


# --- Blocks of rows, on every core ------------------------------------------------------------------


def row_blocks(n_rows: int, size: int = BLOCK) -> list[slice]:
    """Return slices of ``size`` rows each that cover ``range(n_rows)``.

    >>> row_blocks(5, size=2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def on_all_cores(
    function: Callable[[Item], Result], items: Sequence[Item], *, worth: bool = True, small: bool = False
) -> Iterator[Result]:
    """Call a function on each item, in :func:`n_threads` threads, and yield the results in the order of the items.

    Threads that these start in turn share the same cores.

    Parameters
    ----------
    function : callable
        It should spend its time in compiled code that releases Python's lock.
    items : sequence
        What to call it on.
    worth : bool, default=True
        Whether the calls take long enough for threads to pay; if False, none is started.
    small : bool, default=False
        Whether all results may wait at once, because they are small or kept anyway. Then one item that takes long holds
        up no other; otherwise no more than a few results wait at a time.

    Examples
    --------
    >>> list(on_all_cores(len, ["a", "bb", "ccc"]))
    [1, 2, 3]
    """
    most = n_threads() if worth and len(items) > 1 else 1
    if most < 2:
        yield from map(function, items)
        return
    cores = min(most, len(items))
    together = len(items) if small else 4 * cores
    with ThreadPoolExecutor(cores, initializer=setattr, initargs=(_THREAD, "most", most // cores)) as pool:
        for first in range(0, len(items), together):
            yield from pool.map(function, items[first : first + together])


def for_each_block(function: Callable[[slice], None], n_rows: int) -> None:
    """Call a function on each block of ``range(n_rows)``, in threads, for its side effects."""
    for _ in on_all_cores(function, row_blocks(n_rows)):
        pass


# --- Pieces -----------------------------------------------------------------------------------------


class Pieces(ABC, Generic[Piece]):
    """Pieces of a table, or of something made from it, that may be too large for any one machine."""

    n_rows: int
    """The number of rows of all pieces together."""
    kept: bool
    """Whether what ``map`` makes stays in memory; otherwise each pass makes it again."""

    @abstractmethod
    def sum(self, what: str, empty: Callable[[], Sum], fill: Callable[[Sum, Piece], Sum]) -> Sum:
        """Return the sum of what ``fill`` makes of the pieces, added in their order.

        Parameters
        ----------
        what : str
            A name for the pass, for the progress bar.
        empty : callable
            Makes the sum of no pieces.
        fill : callable
            Adds a piece to a sum, which it may change, and returns the sum.
        """

    def listed(self, what: str) -> list[Piece]:
        """Return all pieces in their order, from one pass with the given name."""
        return self.sum(what, list, appended)

    @abstractmethod
    def map(self, function: Callable[[Piece], Made]) -> Pieces[Made]:
        """Return what a function makes of each piece, as pieces."""

    @abstractmethod
    def flat_map(
        self, function: Callable[[Piece], Iterator[Made]], n_rows: int | None = None, cells: int = 0
    ) -> Pieces[Made]:
        """Return the pieces that a function makes of each piece, none or several, one after the other.

        Parameters
        ----------
        function : callable
            Yields the new pieces of a piece.
        n_rows : int, optional
            The number of rows of the new pieces together, if it is another one.
        cells : int
            The number of cells of the table that the new pieces will be summed into.
        """

    @abstractmethod
    def keep(self, row_bytes: int) -> Pieces[Piece]:
        """Return these pieces for many passes: kept in memory, if there is room for ``row_bytes`` bytes a row."""


def appended(into: list[Piece], piece: Piece) -> list[Piece]:
    """Return a list with one more piece."""
    return [*into, piece]


class KeptPieces(Pieces[Piece]):
    """Pieces in memory, which threads run on every core.

    Parameters
    ----------
    pieces : sequence
        The pieces, in order.
    n_rows : int
        The number of rows of all of them together.
    together : int, optional
        The number of pieces that are summed into one table before it is added to the others.

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
        """Return the sum over the pieces; it is the same to the bit for any number of threads.

        The pieces are summed in groups of a fixed number, one group per thread at a time, and the groups are added up
        in order.
        """

        def sum_of_group(group: slice) -> Sum:
            return reduce(fill, self._pieces[group], empty())

        groups = row_blocks(len(self._pieces), self._together) or [slice(0)]
        return reduce(add, on_all_cores(sum_of_group, groups))

    def map(self, function: Callable[[Piece], Made]) -> KeptPieces[Made]:
        """Return what a function makes of each piece; it is called now."""
        return KeptPieces(list(on_all_cores(function, self._pieces)), self.n_rows, self._together)

    def flat_map(
        self, function: Callable[[Piece], Iterator[Made]], n_rows: int | None = None, cells: int = 0
    ) -> KeptPieces[Made]:
        """Return the pieces that a function makes of each piece; it is called now.

        The larger the table that they will be summed into, the more pieces are summed into one, so that adding up
        tables does not take longer than filling them.
        """
        made = [new for piece in self._pieces for new in function(piece)]
        return KeptPieces(made, self.n_rows if n_rows is None else n_rows, max(SPAN, cells) // BLOCK)

    def keep(self, row_bytes: int) -> KeptPieces[Piece]:
        """Return self: the pieces are already in memory."""
        return self


# --- Coded rows -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CodedRows:
    """Encoded rows: the code of each value, and the class and weight of each row."""

    codes: CodeArray
    """(rows, attributes)"""
    y: ClassArray
    """(rows,)"""
    weight: FloatArray
    """(rows,)"""
    term: FloatArray | None = None
    """(rows, classes) a given term of the joint log-likelihoods, where a classifier has one beside the values."""
    groups: NDArray[np.uint64] | None = None
    """(rows,) a number for the group of each row, where rows have groups."""

    @classmethod
    def joined(cls, pieces: Pieces[CodedRows]) -> CodedRows:
        """Return the rows of all pieces at once, without given terms."""
        return cls.concatenated(pieces.listed("coded rows"))

    @classmethod
    def concatenated(cls, parts: Sequence[CodedRows]) -> CodedRows:
        """Return the rows of some parts, one after the other, without given terms."""
        names = ["codes", "y", "weight", *([] if parts[0].groups is None else ["groups"])]
        return cls(**{name: np.concatenate([getattr(rows, name) for rows in parts]) for name in names})

    def __sizeof__(self) -> int:
        """Return the number of bytes of the arrays; Dask asks for it, to move rows to disk when memory runs out."""
        given = 0 if self.term is None else self.term.nbytes
        return self.codes.nbytes + self.y.nbytes + self.weight.nbytes + given

    def take(self, rows: BoolArray | IntArray | slice, weight: FloatArray | None = None) -> CodedRows:
        """Return the rows that a mask, positions or a slice select; ``weight`` (all rows) replaces their weights."""
        weight = self.weight if weight is None else weight
        given = None if self.term is None else self.term[rows]
        groups = None if self.groups is None else self.groups[rows]
        return CodedRows(self.codes[rows], self.y[rows], weight[rows], given, groups)

    def of(self, attributes: IntArray) -> CodedRows:
        """Return the rows with the codes of some attributes only."""
        return replace(self, codes=np.ascontiguousarray(self.codes[:, attributes]))

    def in_blocks(self, cells: int = 0) -> KeptPieces[CodedRows]:
        """Return the rows in blocks that fit into the processor's cache.

        ``cells`` is the number of cells of the table that the rows will be summed into: the larger the table, the more
        blocks are summed into one, so that adding up tables does not take longer than filling them.

        >>> import numpy as np
        >>> CodedRows(np.zeros((5, 2), np.uint8), np.zeros(5, np.int32), np.ones(5)).in_blocks().n_rows
        5
        """
        blocks = [self.take(rows) for rows in row_blocks(len(self.y))]
        return KeptPieces(blocks, len(self.y), max(SPAN, cells) // BLOCK)
