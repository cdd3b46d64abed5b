"""The paper's second experiment: groups of leaf species, drawn from one table of attributes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from atfnb.paper import published
from atfnb.paper.datasets.frames import import_pandas, typed
from atfnb.paper.sets import Printed
from atfnb.paper.text_table import Cell, TextTable

N_GROUPS = 15
LARGEST_GROUP = 15


DEMONSTRATION = Printed(
    title="Drawn leaves, a demonstration: attribute-weighted naive Bayes on eight imaginary species",
    accuracy="Accuracy",
    t_tests="T-tests",
    ranks="Ranks",
    signs="Signs",
    unit="groups",
    theirs="",
    comparable=False,
    beside=False,
    overlapping=True,
    remark="drawn leaves, a demonstration",
)


@dataclass(frozen=True)
class Flavia:
    """15 groups of 15 species each, drawn from one seed; of half of the species, if there are not 30.

    Parameters
    ----------
    features : str
        A CSV table as ``atfnb leaf extract`` writes it: numbers, the last column is ``class``, a column ``file`` is
        passed over.
    seed : int
        Another seed, other groups.
    drawn : bool
        Whether the leaves are drawn: the study is then a demonstration, and nothing in it is compared with the paper.
    """

    features: str
    seed: int = 0
    drawn: bool = False

    @property
    def printed(self) -> Printed:
        """T9 to T12; for drawn leaves our own names, and nothing of the paper."""
        if self.drawn:
            return DEMONSTRATION
        return Printed(
            title="The paper, run again: attribute-weighted naive Bayes on leaves",
            accuracy="T9",
            t_tests="T10",
            ranks="T11",
            signs="T12",
            unit="groups",
            theirs="its own 15 groups, of species it does not name: only averages compare",
            comparable=False,
            overlapping=True,
        )

    def names(self) -> list[str]:
        """The groups, as the paper names them; those of drawn leaves have names of their own."""
        names = [str(row["group"]) for row in published.table("T3")]
        return [f"drawn-{number}" for number, _ in enumerate(names, 1)] if self.drawn else names

    def species(self, name: str) -> list[str]:
        """The species of a group."""
        if name not in self.names():
            raise ValueError(f"there is no group {name!r}; there are {', '.join(self.names())}.")
        return _groups(self.features, _mark(self.features), self.seed)[self.names().index(name)]

    def load(self, name: str) -> tuple[Any, Any]:
        """The attributes and the species of each leaf of a group."""
        frame = _table(self.features, _mark(self.features))
        chosen = frame[frame["class"].isin(self.species(name))].reset_index(drop=True)
        return chosen.drop(columns="class"), chosen["class"]

    def origin(self, name: str) -> str:
        """The table's name; what is in it is marked by its content."""
        leaves = f"{self.printed.remark}, " if self.drawn else ""
        return f"{leaves}{Path(self.features).name}, {len(self.species(name))} species"

    def cells(self, name: str) -> int:
        """How large it is."""
        return int(self.load(name)[0].size)

    def table(self, names: tuple[str, ...]) -> TextTable:
        """T3: what each group is, here and in the paper."""
        printed = {str(row["group"]): row for row in published.table("T3")}
        rows: list[tuple[Cell, ...]] = []
        for name in names:
            X, y = self.load(name)
            theirs: tuple[Cell, ...] = ()
            if not self.drawn:
                theirs = ("/".join(str(printed[name][count]) for count in ("instances", "attributes", "classes")),)
            rows.append((name, len(X), X.shape[1], y.nunique(), *theirs, ", ".join(self.species(name))))
        beside = () if self.drawn else ("leaves/attributes/species, paper",)
        header = ("group", "leaves", "attributes", "species", *beside, "which species")
        note = "The species of each group are chosen at random, from the seed."
        if not self.drawn:
            note += " The paper does not say which species are in its groups."
        return TextTable("Groups" if self.drawn else "T3", "the groups of species", header, tuple(rows), note)

    def dependence(self, names: tuple[str, ...]) -> str:
        """Return the sentence that groups of species overlap."""
        return (
            "The groups overlap: they share species and leaves. Tests over the groups do not allow for that, so their "
            "p-values are too small and prove nothing."
        )


def _mark(features: str) -> tuple[int, int]:
    """Another mark, another content: a table that has changed is read again."""
    told = Path(features).stat()
    return told.st_size, told.st_mtime_ns


@lru_cache(maxsize=2)
def _table(features: str, mark: tuple[int, int]) -> Any:
    pd = import_pandas()
    try:
        frame = pd.read_csv(features, dtype={"class": str, "file": str}, encoding="utf-8-sig")
    except ValueError as error:
        raise ValueError(f"{features} cannot be read as CSV: {str(error).strip()}") from error
    if list(frame.columns[-1:]) != ["class"]:
        raise ValueError(f"the last column of {features} should be named 'class'.")
    frame = frame.drop(columns="file", errors="ignore")
    if frame.shape[1] < 2 or frame["class"].isna().any():
        raise ValueError(f"{features} should have columns of attributes, and a class in every row.")
    return typed(frame, [], features)


@lru_cache(maxsize=2)
def _groups(features: str, mark: tuple[int, int], seed: int) -> list[list[str]]:
    """The species of each group, no two groups the same."""
    species = sorted(_table(features, mark)["class"].unique())
    size = min(LARGEST_GROUP, len(species) // 2)
    if comb(len(species), size) < N_GROUPS:
        raise ValueError(f"{N_GROUPS} groups need at least 6 species; {features} has {len(species)}.")
    rng = np.random.default_rng([seed, N_GROUPS])
    groups: list[list[str]] = []
    while len(groups) < N_GROUPS:
        drawn = sorted(rng.choice(species, size, replace=False).tolist())
        if drawn not in groups:
            groups.append(drawn)
    return groups
