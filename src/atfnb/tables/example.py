"""A small table to try: who survived the Titanic."""

from __future__ import annotations

from itertools import chain, product

COLUMNS = ["passenger_class", "age", "sex", "class"]
ON_BOARD = {
    "1st": [57, 118, 140, 4, 5, 0, 1, 0],
    "2nd": [14, 154, 80, 13, 11, 0, 13, 0],
    "3rd": [75, 387, 76, 89, 13, 35, 14, 17],
    "crew": [192, 670, 20, 3, 0, 0, 0, 0],
}
"""The number of people saved and lost in each class: men, women, boys and girls."""


def titanic() -> dict[str, list[str]]:
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
    return {name: list(column) for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True)}
