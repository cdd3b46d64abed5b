"""Data sets that are made here: generated from a rule or a printed table, or simulated by a published generator.

Generated sets have exactly the rows of the original files. Simulated sets have their distribution but other rows; the
seed is fixed, so every machine draws the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import chain, product
from typing import TYPE_CHECKING, Any

import numpy as np

from atfnb_study.datasets.records import Columns, read_toml

if TYPE_CHECKING:
    from numpy.typing import NDArray

SQUARES = [f"{row}_{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")]
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def balance_scale() -> Columns:
    """Return all 625 states of a balance: weights and distances from 1 to 5, and the side with the greater torque.

    The torque is weight × distance; the class is L, B (balanced) or R.

    Examples
    --------
    >>> classes = balance_scale()["class"]
    >>> [classes.count(each) for each in "LBR"]
    [288, 49, 288]
    """
    rows = [
        (*cell, "BLR"[int(np.sign(cell[0] * cell[1] - cell[2] * cell[3]))]) for cell in product(range(1, 6), repeat=4)
    ]
    columns = ["left_weight", "left_distance", "right_weight", "right_distance", "class"]
    return _columns(columns, rows)


ON_BOARD = {
    "1st": [57, 118, 140, 4, 5, 0, 1, 0],
    "2nd": [14, 154, 80, 13, 11, 0, 13, 0],
    "3rd": [75, 387, 76, 89, 13, 35, 14, 17],
    "crew": [192, 670, 20, 3, 0, 0, 0, 0],
}
"""The number of people saved and lost in each class of the Titanic: men, women, boys and girls."""


def titanic() -> Columns:
    """Return one row per person on board of the Titanic, written out from the published table of counts.

    References
    ----------
    R. J. M. Dawson, "The 'unusual episode' data revisited", Journal of Statistics Education 3(3), 1995.

    Examples
    --------
    >>> titanic()["class"].count("yes")
    711
    """
    people = product(ON_BOARD, ("adult", "child"), ("male", "female"), ("yes", "no"))
    counts = chain.from_iterable(ON_BOARD.values())
    rows = [row for row, count in zip(people, counts, strict=True) for _ in range(count)]
    return _columns(["passenger_class", "age", "sex", "class"], rows)


def _columns(names: list[str], rows: list[tuple[Any, ...]]) -> Columns:
    return {name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)}


def tic_tac_toe() -> Columns:
    """Return every final board of tic-tac-toe when x begins; the class is positive where x has won.

    Examples
    --------
    >>> tic_tac_toe()["class"].count("positive")
    626
    """
    boards = sorted(final_boards(), key=lambda board: (not has_won(board, "x"), board.translate({ord("b"): "~"})))
    rows = [(*board, "positive" if has_won(board, "x") else "negative") for board in boards]
    return _columns([*SQUARES, "class"], rows)


def final_boards() -> set[str]:
    """Return all boards at which a game can end, each as nine letters: x, o, or b for blank.

    All games are played at once, move by move.

    Examples
    --------
    >>> len(final_boards())
    958
    """
    ended: set[str] = set()
    open_boards = {"b" * 9}
    for player in "xoxoxoxox":
        moves = product(open_boards, range(9))
        after = {board[:i] + player + board[i + 1 :] for board, i in moves if board[i] == "b"}
        won = {board for board in after if has_won(board, player)}
        ended |= won
        open_boards = after - won
    return ended | open_boards


def has_won(board: str, player: str) -> bool:
    """Return whether the player holds a whole line of the board.

    Examples
    --------
    >>> has_won("xxxoobbbb", "x")
    True
    """
    return any(all(board[square] == player for square in line) for line in LINES)


# --- decision models of the expert system DEX ---------------------------------------------------------


DECISION_MODELS = read_toml("decision_models.toml")
"""By the name of the set: the values of each ``attributes``, the ``concepts`` that grade them, and the ``classes``."""


def grade(name: str) -> Columns:
    """Return every combination of the values of a decision model with its class, the last attribute changing fastest.

    References
    ----------
    M. Bohanec and V. Rajkovič, "Expert system for decision making", Sistemica 1(1), 1990 (car);
    M. Olave, V. Rajkovič and M. Bohanec, "An application for admission in public school systems",
    Expert Systems in Public Administration, 1989 (nursery).

    Examples
    --------
    >>> grades = grade("car")["class"].tolist()
    >>> [grades.count(each) for each in ("unacc", "acc", "good", "vgood")]
    [1210, 384, 69, 65]
    """
    model = DECISION_MODELS[name]
    sizes = [len(values) for values in model["attributes"].values()]
    codes = dict(zip(model["attributes"], np.indices(sizes).reshape(len(sizes), -1), strict=True))
    for concept, graded in model["concepts"].items():
        inputs = tuple(codes[one] for one in graded["inputs"])
        grades = np.array([int(digit) for digit in graded["grades"] if digit != " "])
        levels = [one.max() + 1 for one in inputs]
        codes[concept] = grades.reshape(levels)[inputs]
    named = model["attributes"] | {"class": model["classes"]}
    return {column: np.array(values, dtype=object)[codes[column]] for column, values in named.items()}


# --- generators -------------------------------------------------------------------------------------

SEED = 1999


def twonorm(rows: int = 7400) -> Columns:
    """Return rows x ~ N(±a, I) in 20 dimensions, a = 2/√20: plus for class 0, minus for class 1, equally likely.

    References
    ----------
    L. Breiman, "Bias, variance, and arcing classifiers", technical report 460, University of California, 1996.

    Examples
    --------
    >>> len(twonorm(4))
    21
    """
    random = np.random.default_rng(SEED)
    y = random.integers(2, size=rows)
    mean = np.where(y == 0, 1, -1) * 2 / np.sqrt(20)
    x = random.normal(mean[:, None], size=(rows, 20))  # (rows, attributes)
    return _numbered("x", x.round(4), y)


def waveform(rows: int = 5000) -> Columns:
    """Return rows x_i = u h(i) + (1 - u) h'(i) + ε_i, i = 1..21, with u uniform on [0, 1] and ε standard normal.

    The waves are triangles max(6 - |i - c|, 0) around c = 7, 11 and 15; a class is two of them.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees", 1984, section 2.6.

    Examples
    --------
    >>> len(waveform(4))
    22
    """
    random = np.random.default_rng(SEED)
    y = random.integers(3, size=rows)
    waves = np.maximum(6 - np.abs(np.arange(1, 22) - np.array([[7], [11], [15]])), 0)  # (waves, attributes)
    first, second = np.array([(0, 2), (0, 1), (1, 2)])[y].T
    u = random.uniform(size=(rows, 1))
    x = u * waves[first] + (1 - u) * waves[second] + random.normal(size=(rows, 21))
    return _numbered("x", x.round(2), y)


def synthetic_control(rows: int = 100) -> Columns:
    """Return control charts of six kinds: y_t = 30 + 2 r_t, t = 0..59, r uniform on [-3, 3], plus the kind's own term.

    Cyclic: a sin(2πt/T), a and T from [10, 15]. Trend: ± g t, g from [0.2, 0.5]. Shift: ± x from time s on,
    x from [7.5, 20], s from 20..39. Time starts at 0, as UCI's file shows, not at 1 as in print.

    Parameters
    ----------
    rows : int
        The number of charts of each kind.

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
    return _numbered("t", x.round(4), np.repeat(list(added), rows))


def _numbered(letter: str, x: NDArray[np.float64], y: NDArray[Any]) -> Columns:
    return {f"{letter}{i}": column for i, column in enumerate(x.T, start=1)} | {"class": y}


GENERATED: Mapping[str, Callable[[], Columns]] = {
    "balance-scale": balance_scale,
    "tic-tac-toe": tic_tac_toe,
    "titanic": titanic,
    "car": partial(grade, "car"),
    "nursery": partial(grade, "nursery"),
}
"""The functions that make exactly the rows of a set, by the name of the set."""
SIMULATED: Mapping[str, Callable[[], Columns]] = {
    "twonorm": twonorm,
    "waveform": waveform,
    "synthetic-control": synthetic_control,
}
"""The functions that draw rows from the generator of a set, by the name of the set."""
