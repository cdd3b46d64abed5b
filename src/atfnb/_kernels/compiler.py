"""How loops are compiled and kept on disk, and the notice that the first compilation takes time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

import numba
from numba.core import event
from numba.core.caching import FunctionCache

from atfnb._progress import announce_compiling

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


class _Cache(FunctionCache):
    """The machine code of a loop on disk; if it is damaged or the disk is full, the loop is compiled and not kept."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # a damaged file may raise any error
            with suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]  # so that the loop can be kept again
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(Exception):
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Return a compiled loop; its machine code is kept on disk if there is a folder to write to.

    Numba compiles a loop again when its own file changes, not when a loop that it calls from another file does. So a
    loop calls only loops of its own file.
    """
    loop: Any = numba.njit(nogil=True)(function)
    try:
        # what cache=True does, with a cache that never fails
        loop._cache = _Cache(function)  # type: ignore[no-untyped-call]
    except RuntimeError:  # Numba found no folder that can be written to: compile in each process
        _NOTICE.sentence = EACH_TIME
    kept: Callable[P, R] = loop
    return kept


def reordered(function: Callable[P, R]) -> Callable[P, R]:
    """Return a compiled sum whose terms may be added in any order, for a loop that calls it."""
    loop: Callable[P, R] = numba.njit(nogil=True, fastmath={"reassoc"})(function)
    return loop
