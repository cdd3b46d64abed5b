"""Long work: how far it is, the steps of a fit, and the notice that loops are being compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Progress = Callable[[int, int, str], None]
"""Called with the number of tasks done, the number of all tasks, and the name of the last one."""
Listener = Callable[[str], None]
"""Called with a sentence, such as the step that a long computation is at."""


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
