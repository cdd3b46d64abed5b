"""The stopwatch, the record of one comparison, and the data that comparisons run on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._typing import CodeArray, FloatArray, IntArray

Task = Callable[[], object]


@dataclass(frozen=True)
class Comparison:
    """One row of the table: our figure against that of a peer, or against a limit.

    ``theirs`` is None if the peer is not installed.
    """

    what: str
    against: str
    ours: float
    theirs: float | None
    aim: float | None
    """The ratio to reach, or None if there is no aim."""
    note: str = ""
    """A text to show in place of the seconds."""

    @property
    def ratio(self) -> float | None:
        """Our figure divided by theirs, or None without a peer."""
        return None if self.theirs is None else self.ours / self.theirs


def race(ours: Task, theirs: Task, repeats: int = 5) -> tuple[float, float]:
    """Return the best time of each of two tasks, in seconds; they run in turn."""
    times = np.min([[seconds(ours), seconds(theirs)] for _ in range(repeats)], axis=0)
    return float(times[0]), float(times[1])


def seconds(task: Task) -> float:
    """Return how many seconds one run of a task takes."""
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def slope(sizes: list[int], times: list[float]) -> float:
    """Return the slope of time against size in log-log: 1 is linear."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


# --- data -------------------------------------------------------------------------------------------


def coded(rows: int, attributes: int, values: int, classes: int, seed: int = 0) -> tuple[CodeArray, IntArray]:
    """Return codes (rows, attributes), of which three in ten follow the class, and the classes (rows,)."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows, dtype=np.uint8)
    X = rng.integers(0, values, (rows, attributes), dtype=np.uint8)
    for j in range(attributes):
        follows = rng.random(rows, dtype=np.float32) < 0.3
        X[:, j] = np.where(follows, (X[:, j] + y) % values, X[:, j])
    return X, y.astype(np.int64)


def floats(rows: int, attributes: int, classes: int, seed: int = 0) -> tuple[FloatArray, IntArray]:
    """Return normal numbers (rows, attributes) whose mean depends on the class, the last most, and the classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    return rng.normal(size=(rows, attributes)) + y[:, None] * np.linspace(0, 0.6, attributes), y


def acting_together(rows: int, attributes: int, seed: int = 0) -> tuple[FloatArray, IntArray]:
    """Return normal numbers (rows, attributes), of which two pairs act together, and three classes (rows,)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, attributes))
    sums = X[:, 0] * X[:, 1] + X[:, 2] + np.abs(X[:, 3]) * X[:, 4] + 0.5 * rng.normal(size=rows)
    return X, np.digitize(sums, [-1.0, 1.0])


def scattered(rows: int, attributes: int, classes: int, seed: int = 0) -> tuple[FloatArray, IntArray]:
    """Return whole numbers from 0 to 15 around a centre for each class: (rows, attributes), and the classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    centre = rng.uniform(3, 12, (classes, attributes))
    return np.clip(np.rint(rng.normal(centre[y], 2.0)), 0, 15), y


def worded(rows: int, n_values: Sequence[int], classes: int, seed: int = 0) -> tuple[NDArray[Any], IntArray]:
    """Return columns of words, half of which follow the class, and the classes, from frequent to rare."""
    rng = np.random.default_rng(seed)
    y = np.minimum(rng.geometric(3 / classes, rows) - 1, classes - 1)
    columns = [
        np.where(rng.random(rows) < 0.5, rng.permutation(classes)[y] % n, rng.integers(0, n, rows)) for n in n_values
    ]
    return np.array([[f"word {v}" for v in column] for column in columns], dtype=object).T, y
