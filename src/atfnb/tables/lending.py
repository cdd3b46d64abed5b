"""Functions that a library's threads call, and the wait until these threads are done with them."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 5.0
"""So many seconds are waited for a thread, which may itself wait for standard input."""


class Lent:
    """A function for a library to call, as a file's ``read`` or by itself."""

    closed = False

    def __init__(self, function: Callable[..., Any]) -> None:
        self.read = self._function = function

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        return self._function(*arguments)


@contextmanager
def lending(*functions: Callable[..., Any]) -> Iterator[list[Lent]]:
    """Lend functions to a library, and wait at the end until no thread holds them any more.

    pyarrow reads ahead in a thread of its own and lets go of a file there, even after it refused its content. If the
    program ends while that thread is in Python, the process is aborted.

    Parameters
    ----------
    *functions : callable
        What the library calls.

    Examples
    --------
    >>> with lending(len, max) as lent:
    ...     lent[0]("abc"), lent[1](1, 2)
    (3, 2)
    """
    lent = [Lent(function) for function in functions]
    returned = [_returned(one) for one in lent]
    try:
        yield lent
    finally:
        lent.clear()
        for given_back in returned:
            given_back.wait(PATIENCE)


def _returned(one: Lent) -> threading.Event:
    """Return an event that is set when nobody holds ``one`` any more."""
    event = threading.Event()
    weakref.finalize(one, event.set).atexit = False
    return event
