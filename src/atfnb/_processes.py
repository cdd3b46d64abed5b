"""Many tasks on several processes: results as they come, and no more tasks waiting than the processes need."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[[int, int, str], None]
"""Called with what is done, of how much, and what was done last."""


def in_processes(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Iterator[Result]:
    """Call ``function`` on each item and give the results in the order they come.

    Parameters
    ----------
    function : callable
        One that can be sent to another process.
    items : iterable
        Taken as the processes need them.
    jobs : int
        How many processes to use. With fewer than two, none is started, and the order is that of the items.

    Examples
    --------
    >>> list(in_processes(len, ["a", "bb", "ccc"], jobs=1))
    [1, 2, 3]
    """
    if jobs < 2:
        yield from map(function, items)
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting: set[Future[Result]] = set()
        remaining = iter(items)
        try:
            while True:
                for item in remaining:
                    waiting.add(pool.submit(function, item))
                    if len(waiting) >= 4 * jobs:
                        break
                if not waiting:
                    return
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)
