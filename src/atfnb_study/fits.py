"""One fit of one classifier, timed: in this process, or in one of its own that is ended after a time limit."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, cast

from threadpoolctl import threadpool_limits

from atfnb._errors import located
from atfnb._pieces import on_one_core


@dataclass(frozen=True)
class FitTask:
    """What a classifier is trained and tested on. It can be sent to another process if ``make`` can."""

    name: str
    make: Callable[[], Any]
    train: Any
    labels: Any
    test: Any
    quiet: bool = False
    """Whether warnings are dropped: those of other libraries on small sets are not for our users."""


@dataclass(frozen=True)
class Fitted:
    """What a fit gave: its seconds, the classes it saw, and its predictions of the test rows."""

    seconds: float
    classes: Any
    predicted: Any
    probability: Any
    """(rows, classes)"""


def run(fit: FitTask) -> Fitted:
    """Train in this process, on one core, and predict the test rows."""
    *_, fitted = _steps(fit)
    return cast(Fitted, fitted)


def run_within(limit: float, fit: FitTask) -> Fitted | None:
    """Train in a process of its own; return None if the training took longer than ``limit`` seconds and was stopped.

    The limit holds for the training alone: neither the start of the process nor its imports count.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send_steps, args=(theirs, fit), daemon=True)
    process.start()
    theirs.close()  # so that reading from ours ends if the process dies
    try:
        _received(ours)
        if not ours.poll(limit):
            return None
        _received(ours)
        return cast(Fitted, _received(ours))
    except EOFError:
        raise BrokenExecutor(f"the process that trained {fit.name} was killed.") from None
    finally:
        process.kill()
        process.join()
        ours.close()


def _steps(fit: FitTask) -> Iterator[Any]:
    """Yield when the classifier is made, when it is trained, and what it predicts, which is a :class:`Fitted`."""
    with warnings.catch_warnings(), threadpool_limits(1), on_one_core():
        if fit.quiet:
            warnings.simplefilter("ignore")
        model = fit.make()
        yield "made"
        started = time.process_time()
        model.fit(fit.train, fit.labels)
        seconds = time.process_time() - started
        yield "trained"
        yield Fitted(seconds, model.classes_, model.predict(fit.test), model.predict_proba(fit.test))


# --- in a process of its own -------------------------------------------------------------------------


def _send_steps(connection: Connection, fit: FitTask) -> None:
    """Send the steps of a fit, or the error that ended it; called in the process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        for step in _steps(fit):
            connection.send(step)
    except Exception as error:
        connection.send(located(error, fit.name))


def _end_with_parent() -> None:
    """End this process when its parent ends in any way, however long the training would still take."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _received(connection: Connection) -> Any:
    message = connection.recv()
    if isinstance(message, Exception):
        raise message
    return message
