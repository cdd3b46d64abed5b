"""One fit of one classifier, timed on one core."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from threadpoolctl import threadpool_limits


@dataclass(frozen=True)
class FitTask:
    """What a classifier is trained and tested on."""

    make: Callable[[], Any]
    train: Any
    labels: Any
    test: Any
    quiet: bool = False
    """Whether warnings are dropped: those of other libraries on small sets are not for our users."""


@dataclass(frozen=True)
class Fitted:
    """What a fit gave: its seconds of processor time, the classes it saw, and its predictions of the test rows."""

    seconds: float
    classes: Any
    predicted: Any
    probability: Any
    """(rows, classes)"""


def run(fit: FitTask) -> Fitted:
    """Train on one core, and predict the test rows."""
    with warnings.catch_warnings(), threadpool_limits(1):
        if fit.quiet:
            warnings.simplefilter("ignore")
        model = fit.make()
        started = time.process_time()
        model.fit(fit.train, fit.labels)
        seconds = time.process_time() - started
        return Fitted(seconds, model.classes_, model.predict(fit.test), model.predict_proba(fit.test))
