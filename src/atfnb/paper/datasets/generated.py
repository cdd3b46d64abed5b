"""Data sets that follow from a rule or a printed table, and so are rebuilt to the row."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from atfnb.paper.datasets.frames import import_pandas

if TYPE_CHECKING:
    import pandas as pd

SQUARES = [f"{row}_{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")]
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

ON_BOARD = {
    ("1st", "adult", "male"): (57, 118),
    ("1st", "adult", "female"): (140, 4),
    ("1st", "child", "male"): (5, 0),
    ("1st", "child", "female"): (1, 0),
    ("2nd", "adult", "male"): (14, 154),
    ("2nd", "adult", "female"): (80, 13),
    ("2nd", "child", "male"): (11, 0),
    ("2nd", "child", "female"): (13, 0),
    ("3rd", "adult", "male"): (75, 387),
    ("3rd", "adult", "female"): (76, 89),
    ("3rd", "child", "male"): (13, 35),
    ("3rd", "child", "female"): (14, 17),
    ("crew", "adult", "male"): (192, 670),
    ("crew", "adult", "female"): (20, 3),
}
"""How many were saved and how many were lost, by class, age and sex."""


def balance_scale() -> pd.DataFrame:
    """Weigh all pairs of weights and distances from 1 to 5: the greater torque, weight × distance, wins.

    Examples
    --------
    >>> balance_scale()["class"].value_counts().to_dict()
    {'R': 288, 'L': 288, 'B': 49}
    """
    rows = [(*cell, "BLR"[_sign(cell[0] * cell[1] - cell[2] * cell[3])]) for cell in product(range(1, 6), repeat=4)]
    columns = ["left_weight", "left_distance", "right_weight", "right_distance", "class"]
    return import_pandas().DataFrame(rows, columns=columns)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def tic_tac_toe() -> pd.DataFrame:
    """List every board at which a game that x began can end; positive where x has won.

    Examples
    --------
    >>> tic_tac_toe()["class"].value_counts().to_dict()
    {'positive': 626, 'negative': 332}
    """
    boards = sorted(final_boards(), key=lambda board: (not has_won(board, "x"), board.translate({ord("b"): "~"})))
    rows = [(*board, "positive" if has_won(board, "x") else "negative") for board in boards]
    return import_pandas().DataFrame(rows, columns=[*SQUARES, "class"])


def final_boards() -> set[str]:
    """Play all games at once, move by move; a board is nine letters, b for blank.

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
    """Whether the player holds a whole line.

    Examples
    --------
    >>> has_won("xxxoobbbb", "x")
    True
    """
    return any(all(board[square] == player for square in line) for line in LINES)


def titanic() -> pd.DataFrame:
    """Write out the table of who was on board, one row per person.

    References
    ----------
    R. J. M. Dawson, "The 'unusual episode' data revisited", Journal of Statistics Education 3(3), 1995.

    Examples
    --------
    >>> titanic()["class"].value_counts().to_dict()
    {'no': 1490, 'yes': 711}
    """
    rows = [
        (*group, answer)
        for group, counts in ON_BOARD.items()
        for answer, count in zip(("yes", "no"), counts, strict=True)
        for _ in range(count)
    ]
    return import_pandas().DataFrame(rows, columns=["passenger_class", "age", "sex", "class"])
