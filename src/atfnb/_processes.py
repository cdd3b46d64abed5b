"""Many tasks on several processes: results as they come, and no more tasks waiting than the processes need."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[[int, int, str], None]
"""Called with what is done, of how much, and what was done last."""
Listener = Callable[[str], None]
"""Called with the step that a long computation is at."""

_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Call ``listener`` with the name of each step that begins in this context, in this thread."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Report a step of a long computation, if somebody listens; steps inside it are reported after its name.

    Examples
    --------
    >>> with listening(print), step("NB"), step("fold 2 of 3"):
    ...     pass
    NB
    NB, fold 2 of 3
    """
    listener = _LISTENER.get()
    if listener is None:
        yield
        return
    listener(name)
    with listening(lambda inner: listener(f"{name}, {inner}")):
        yield


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


_TOLD_OF_COMPILING: list[Listener] = []


def when_compiling(tell: Listener) -> None:
    """Call ``tell`` with a sentence when the loops are first compiled in this process, in whatever thread.

    It takes the place of what was to be called before.
    """
    _TOLD_OF_COMPILING[:] = [tell]


def compiling(sentence: str) -> None:
    """Say, once, that the loops are being compiled."""
    while _TOLD_OF_COMPILING:
        _TOLD_OF_COMPILING.pop()(sentence)
