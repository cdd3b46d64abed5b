"""Long work: tasks on several processes, the steps of a fit, and the notice that loops are being compiled."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[[int, int, str], None]
"""Called with the number of tasks done, the number of all tasks, and the name of the last one."""
Listener = Callable[[str], None]
"""Called with a sentence, such as the step that a long computation is at."""


# --- Tasks on several processes ---------------------------------------------------------------------


def in_processes(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Iterator[Result]:
    """Call a function on each item, on several processes, and yield the results as they come.

    joblib's ``return_as="generator_unordered"`` does nearly that, and is not used because of how it ends: when it is
    interrupted, or the caller stops asking for results, it warns, prints a traceback of its own thread or complains of
    leaked semaphores (joblib 1.6), where a person should see one sentence.

    Parameters
    ----------
    function : callable
        It is sent to other processes, so it must be importable there.
    items : iterable
        What to call it on. Items are taken as the processes need them, so no more than a few wait.
    jobs : int
        The number of processes. With fewer than two, none is started, and the results have the order of the items.

    Examples
    --------
    >>> list(in_processes(len, ["a", "bb", "ccc"], jobs=1))
    [1, 2, 3]
    """
    if jobs < 2:
        yield from map(function, items)
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        remaining, waiting = iter(items), set[Future[Result]]()
        try:
            while waiting := waiting | {pool.submit(function, i) for i in islice(remaining, 4 * jobs - len(waiting))}:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        finally:
            pool.shutdown(cancel_futures=True)


# --- Steps of a long computation --------------------------------------------------------------------

_STEP_LISTENER: ContextVar[Listener | None] = ContextVar("step_listener", default=None)


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Call ``listener`` with the name of each :func:`step` that begins in this context, in this thread."""
    token = _STEP_LISTENER.set(listener)
    try:
        yield
    finally:
        _STEP_LISTENER.reset(token)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Report a step of a long computation to the listener, if there is one, after the names of the steps around it.

    Examples
    --------
    >>> with listening(print), step("NB"), step("fold 2 of 3"):
    ...     pass
    NB
    NB, fold 2 of 3
    """
    listener = _STEP_LISTENER.get()
    if listener is None:
        yield
        return
    listener(name)
    with listening(lambda inner: listener(f"{name}, {inner}")):
        yield


# --- The first compilation --------------------------------------------------------------------------

_COMPILING_LISTENER: list[Listener] = []


def when_compiling(listener: Listener) -> None:
    """Call ``listener`` with a sentence when loops are first compiled in this process, in any thread.

    It replaces an earlier listener.
    """
    _COMPILING_LISTENER[:] = [listener]


def announce_compiling(sentence: str) -> None:
    """Call the listener of :func:`when_compiling` with a sentence, the first time only."""
    while _COMPILING_LISTENER:
        _COMPILING_LISTENER.pop()(sentence)
