"""How loops are compiled and kept on disk, and the notice that the first compilation takes time."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba
from numba.core import event

from atfnb._processes import announce_compiling

P = ParamSpec("P")
R = TypeVar("R")

ONCE = "compiling the numeric loops, once after installing: some ten seconds"
EACH_TIME = (
    "compiling the numeric loops, some ten seconds in each run, because there is no folder to keep them in: "
    "set NUMBA_CACHE_DIR to one that can be written to"
)


class _CompilingNotice(event.Listener):
    """Announces that a loop is being compiled; Numba does not call it for loops that it finds on disk."""

    sentence = ONCE

    def on_start(self, event: event.Event) -> None:
        announce_compiling(self.sentence)

    def on_end(self, event: event.Event) -> None:
        pass


_NOTICE = _CompilingNotice()
event.register("numba:compile", _NOTICE)  # type: ignore[no-untyped-call]


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Return a compiled loop; its machine code is kept on disk if there is a folder to write to.

    Numba compiles a loop again when its own file changes, not when a loop that it calls from another file does. So a
    loop calls only loops of its own file.
    """
    try:
        loop: Callable[P, R] = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # Numba found no folder that can be written to: compile in each process
        _NOTICE.sentence = EACH_TIME
        loop = numba.njit(nogil=True)(function)
    return loop


def reordered(function: Callable[P, R]) -> Callable[P, R]:
    """Return a compiled sum whose terms may be added in any order, for a loop that calls it."""
    loop: Callable[P, R] = numba.njit(nogil=True, fastmath={"reassoc"})(function)
    return loop
