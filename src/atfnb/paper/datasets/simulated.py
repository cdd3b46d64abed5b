"""Data sets drawn from their published generators: the same distributions as the files, not the same rows.

The seed is fixed, so that everybody draws the same rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from atfnb.paper.datasets.frames import import_pandas

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

SEED = 1999


def twonorm(rows: int = 7400) -> pd.DataFrame:
    """Draw x ~ N(±a, I) in 20 dimensions, a = 2/√20: plus for class 0, minus for class 1, equally likely.

    References
    ----------
    L. Breiman, "Bias, variance, and arcing classifiers", technical report 460, University of California, 1996.

    Examples
    --------
    >>> twonorm(4).shape
    (4, 21)
    """
    random = np.random.default_rng(SEED)
    y = random.integers(2, size=rows)
    mean = np.where(y == 0, 1, -1) * 2 / np.sqrt(20)
    x = random.normal(mean[:, None], size=(rows, 20))  # (rows, attributes)
    return _frame("x", x.round(4), y)


def waveform(rows: int = 5000) -> pd.DataFrame:
    """Draw x_i = u h(i) + (1 - u) h'(i) + ε_i, i = 1..21, with u uniform on [0, 1] and ε standard normal.

    The waves are triangles max(6 - |i - c|, 0) around c = 7, 11 and 15; a class is two of them.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees", 1984, section 2.6.

    Examples
    --------
    >>> waveform(4).shape
    (4, 22)
    """
    random = np.random.default_rng(SEED)
    y = random.integers(3, size=rows)
    waves = np.maximum(6 - np.abs(np.arange(1, 22) - np.array([[7], [11], [15]])), 0)  # (waves, attributes)
    first, second = np.array([(0, 2), (0, 1), (1, 2)])[y].T
    u = random.uniform(size=(rows, 1))
    x = u * waves[first] + (1 - u) * waves[second] + random.normal(size=(rows, 21))
    return _frame("x", x.round(2), y)


def synthetic_control(rows: int = 100) -> pd.DataFrame:
    """Draw control charts y_t = 30 + 2 r_t, t = 0..59, r uniform on [-3, 3], and add what makes each of six kinds.

    Cyclic: a sin(2πt/T), a and T from [10, 15]. Trend: ± g t, g from [0.2, 0.5]. Shift: ± x from time s on,
    x from [7.5, 20], s from 20..39. Time starts at 0, as UCI's file shows, not at 1 as in print.

    Parameters
    ----------
    rows : int
        How many of each kind.

    References
    ----------
    R. J. Alcock and Y. Manolopoulos, "Time-series similarity queries employing a feature-based approach", 7th
    Hellenic Conference on Informatics, 1999.

    Examples
    --------
    >>> synthetic_control(1)["class"].tolist()
    ['normal', 'cyclic', 'increasing', 'decreasing', 'upward_shift', 'downward_shift']
    """
    random = np.random.default_rng(SEED)
    t = np.arange(60)

    def some(low: float, high: float) -> NDArray[np.float64]:
        return random.uniform(low, high, size=(rows, 1))

    def shift() -> NDArray[np.float64]:
        return np.where(t >= random.integers(20, 40, size=(rows, 1)), some(7.5, 20), 0)

    added: dict[str, Any] = {
        "normal": 0 * t,
        "cyclic": some(10, 15) * np.sin(2 * np.pi * t / some(10, 15)),
        "increasing": some(0.2, 0.5) * t,
        "decreasing": -some(0.2, 0.5) * t,
        "upward_shift": shift(),
        "downward_shift": -shift(),
    }
    x = np.concatenate([30 + 2 * random.uniform(-3, 3, size=(rows, 60)) + kind for kind in added.values()])
    return _frame("t", x.round(4), np.repeat(list(added), rows))


def _frame(letter: str, x: NDArray[np.float64], y: NDArray[Any]) -> pd.DataFrame:
    columns = [f"{letter}{i}" for i in range(1, x.shape[1] + 1)]
    return import_pandas().DataFrame(x, columns=columns).assign(**{"class": y})
