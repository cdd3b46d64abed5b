"""How loops are compiled, where the machine code is kept, and what is said while that takes its time."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba
from numba.core import event

from atfnb._processes import compiling

P = ParamSpec("P")
R = TypeVar("R")

ONCE = "compiling the numeric loops, once after installing: some ten seconds"
EACH_TIME = (
    "compiling the numeric loops, some ten seconds in each run, because there is no folder to keep them in: "
    "set NUMBA_CACHE_DIR to one that can be written to"
)


class _WhenCompiling(event.Listener):
    """Says so when a loop is compiled; loops that are found on disk are not."""

    sentence = ONCE

    def on_start(self, event: event.Event) -> None:
        compiling(self.sentence)

    def on_end(self, event: event.Event) -> None:
        pass


_LISTENER = _WhenCompiling()
event.register("numba:compile", _LISTENER)  # type: ignore[no-untyped-call]


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a loop, and keep the machine code on disk where there is a folder to write to."""
    try:
        loop: Callable[P, R] = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # Numba found no writable folder: compile in each process
        _LISTENER.sentence = EACH_TIME
        loop = numba.njit(nogil=True)(function)
    return loop


def reordered(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a sum that may be taken in another order; it is put into the loop that calls it."""
    loop: Callable[P, R] = numba.njit(nogil=True, fastmath={"reassoc"})(function)
    return loop
