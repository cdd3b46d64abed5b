"""A small table to try: who survived the Titanic."""

from __future__ import annotations

COLUMNS = ["passenger_class", "age", "sex", "class"]
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
"""The number of people saved and lost, by class, age and sex."""


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
    rows = [
        (*group, answer)
        for group, counts in ON_BOARD.items()
        for answer, count in zip(("yes", "no"), counts, strict=True)
        for _ in range(count)
    ]
    return {name: list(column) for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True)}
