"""Work over rows, a block at a time, on every core.

The blocks do not depend on the number of threads, and the results come back in order: whatever is
added up from them is the same to the bit on one core and on many.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import joblib

Item = TypeVar("Item")
Result = TypeVar("Result")

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
