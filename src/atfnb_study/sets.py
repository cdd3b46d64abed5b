"""The data of the paper's two experiments: the 50 UCI sets, and 15 groups of leaf species."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from atfnb_study import datasets, published
from atfnb_study.datasets.records import read_frame, with_column_types
from atfnb_study.text_table import Cell, TextTable


class TableNames(NamedTuple):
    """The names of the tables of accuracies, t-tests, Wilcoxon's rank sums and his signs, as T5 to T8."""

    accuracy: str
    t_tests: str
    ranks: str
    signs: str


@dataclass(frozen=True)
class StudyProfile:
    """How a study is presented: its title, the names of its tables, and how it compares with the paper."""

    title: str
    tables: TableNames
    unit: str
    """The word for the data sets: "sets" or "groups"."""
    theirs: str
    """What the paper's figures are taken over, as "its 50 sets"."""
    comparable: bool
    """Whether the sets are those of the paper, which are in the catalogue and can be compared one by one. If not, they
    are groups of species, which share rows, so that a test over them proves nothing."""
    slip: str = ""
    """What is wrong with the paper's table of signs."""
    shows_paper: bool = True
    """Whether the paper's figures are shown next to ours; if not, the names of the tables are our own."""
    remark: str = ""
    """A remark on the data that stands in every table and figure."""

    @property
    def single(self) -> str:
        """The word for one data set: "set" or "group"."""
        return self.unit.removesuffix("s")


def source(name: str, sets: Sets) -> str:
    """Return where a set comes from, with a hash of its content; the set is loaded for it.

    >>> source("iris", Uci()).split()[0]
    'scikit-learn'
    """
    X, y = sets.load(name)
    content = X.assign(**{"class": y}).to_csv(index=False).encode()
    return f"{sets.origin(name)} {hashlib.sha256(content).hexdigest()[:12]}"


# --- the 50 sets ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Uci:
    """The 50 sets of the paper's first experiment.

    Parameters
    ----------
    data : str, optional
        The folder of CSV files; without one, only the sets that need no file are available.

    Examples
    --------
    >>> Uci().profile.tables.accuracy
    'T5'
    """

    data: str | None = None

    @property
    def profile(self) -> StudyProfile:
        """How the study is presented: next to the paper's tables T5 to T8."""
        return StudyProfile(
            title="The paper, run again: attribute-weighted naive Bayes on its data sets",
            tables=TableNames("T5", "T6", "T7", "T8"),
            unit="sets",
            theirs="its 50 sets",
            comparable=True,
            slip="The paper's signs between WNB and CFW and between WNB and NB are reversed: they contradict its "
            "own T7.",
        )

    def names(self) -> list[str]:
        """Return the names of the sets that are available now, in the order of the paper."""
        return [name for name in datasets.catalogue() if datasets.where(name, self.data) != "not available"]

    def load(self, name: str) -> tuple[Any, Any]:
        """Return the attributes of a set and the class of each row."""
        return datasets.load(name, self.data)

    def origin(self, name: str) -> str:
        """Return where a set comes from, as "folder" or "scikit-learn"."""
        return datasets.where(name, self.data)

    def cells(self, name: str) -> int:
        """Return the number of cells of a set, from its record."""
        record = datasets.catalogue()[name]
        return record.instances * record.attributes

    def table(self, names: tuple[str, ...]) -> TextTable:
        """Return T2: the size of each set here and in the paper, and how the data differ."""
        printed = published.by_name("T2")
        records = datasets.catalogue()
        rows: list[tuple[Cell, ...]] = []
        for name in names:
            ours = records[name]
            counts = (ours.instances, ours.attributes, ours.classes, ours.missing_cells)
            rows.append((name, *counts, _printed_size(printed[name]), _difference(ours)))
        ours_and_theirs = ("rows", "attributes", "classes", "missing values", "rows/attributes/classes, paper")
        return TextTable("T2", "the data sets", ("set", *ours_and_theirs, "what differs"), tuple(rows))

    def dependence(self, names: tuple[str, ...]) -> str:
        """Return a sentence that names the sets that hold the same data under two names; empty if none."""
        twins = {name: record.same_as for name, record in datasets.catalogue().items() if record.same_as}
        pairs = [f"{name} and {twins[name]}" for name in names if twins.get(name) in names]
        if not pairs:
            return ""
        return f"The same data are counted twice, which tests over the sets do not allow for: {', '.join(pairs)}."


def _printed_size(row: published.PrintedRow) -> str:
    return "/".join(str(row[count]) for count in ("instances", "attributes", "classes"))


def _difference(record: datasets.Record) -> str:
    """Describe in sentences how a set differs from the paper's, and which other set holds the same data."""
    same = f"The same data as {record.same_as}" if record.same_as else ""
    known = record.paper_difference
    return " ".join(filter(None, [known] if same in known else [known, f"{same}."]))


# --- groups of leaf species -------------------------------------------------------------------------

N_GROUPS = 15
"""The number of groups of species in the study of leaves."""
LARGEST_GROUP = 15
"""The largest number of species in a group."""

LEAVES = StudyProfile(
    title="The paper, run again: attribute-weighted naive Bayes on leaves",
    tables=TableNames("T9", "T10", "T11", "T12"),
    unit="groups",
    theirs="its own 15 groups, of species it does not name: only averages compare",
    comparable=False,
)
"""The profile of a study of photographs, next to the paper's tables."""
DRAWN_LEAVES = replace(
    LEAVES,
    title="Drawn leaves, a demonstration: attribute-weighted naive Bayes on eight imaginary species",
    tables=TableNames("Accuracy", "T-tests", "Ranks", "Signs"),
    theirs="",
    shows_paper=False,
    remark="drawn leaves, a demonstration",
)
"""The profile of a study of drawn leaves: tables with our own names, and nothing of the paper."""


@dataclass(frozen=True)
class Flavia:
    """The groups of the paper's second experiment: 15 groups of 15 leaf species each, drawn at random from one table.

    With fewer than 30 species a group has half of them.

    Parameters
    ----------
    features : str
        A CSV table as ``atfnb leaf extract`` writes it: numbers, and the last column is ``class``. A column ``file``
        is ignored.
    seed : int, default=0
        Another seed draws other groups.
    drawn : bool, default=False
        Whether the leaves are drawn: the study is then a demonstration, and nothing in it is compared with the paper.
    """

    features: str
    seed: int = 0
    drawn: bool = False

    @property
    def profile(self) -> StudyProfile:
        """How the study is presented: next to the paper's tables T9 to T12, or as a demonstration of drawn leaves."""
        return DRAWN_LEAVES if self.drawn else LEAVES

    def names(self) -> list[str]:
        """Return the names of the groups: those of the paper, or "drawn-1" to "drawn-15" for drawn leaves."""
        names = list(published.by_name("T3"))
        return [f"drawn-{number}" for number, _ in enumerate(names, 1)] if self.drawn else names

    def species(self, name: str) -> list[str]:
        """Return the species of a group, sorted."""
        if name not in self.names():
            raise ValueError(f"there is no group {name!r}; there are {', '.join(self.names())}.")
        return _groups(self.features, _file_mark(self.features), self.seed)[self.names().index(name)]

    def load(self, name: str) -> tuple[Any, Any]:
        """Return the attributes and the species of each leaf of a group."""
        frame = _read_features(self.features, _file_mark(self.features))
        chosen = frame[frame["class"].isin(self.species(name))].reset_index(drop=True)
        return chosen.drop(columns="class"), chosen["class"]

    def origin(self, name: str) -> str:
        """Return the file name of the table and the number of species in the group."""
        leaves = f"{self.profile.remark}, " if self.drawn else ""
        return f"{leaves}{Path(self.features).name}, {len(self.species(name))} species"

    def cells(self, name: str) -> int:
        """Return the number of cells of a group."""
        return int(self.load(name)[0].size)

    def table(self, names: tuple[str, ...]) -> TextTable:
        """Return T3: the size of each group, here and in the paper, and its species."""
        printed = published.by_name("T3")
        rows: list[tuple[Cell, ...]] = []
        for name in names:
            X, y = self.load(name)
            theirs = () if self.drawn else (_printed_size(printed[name]),)
            rows.append((name, len(X), X.shape[1], y.nunique(), *theirs, ", ".join(self.species(name))))
        printed_size = () if self.drawn else ("leaves/attributes/species, paper",)
        header = ("group", "leaves", "attributes", "species", *printed_size, "which species")
        note = "The species of each group are chosen at random, from the seed."
        if not self.drawn:
            note += " The paper does not say which species are in its groups."
        return TextTable("Groups" if self.drawn else "T3", "the groups of species", header, tuple(rows), note)

    def dependence(self, names: tuple[str, ...]) -> str:
        """Return the sentence that the groups share species and leaves."""
        return (
            "The groups overlap: they share species and leaves. Tests over the groups do not allow for that, so their "
            "p-values are too small and prove nothing."
        )


def _file_mark(features: str) -> tuple[int, int]:
    """Return the size and the time of the last change of a file: part of the key under which its content is cached."""
    status = Path(features).stat()
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=2)
def _read_features(features: str, mark: tuple[int, int]) -> Any:
    """Return the table of attributes as a frame, the class in the last column."""
    frame = read_frame(Path(features), "", dtype={"class": str, "file": str}).drop(columns="file", errors="ignore")
    if frame.shape[1] < 2 or frame["class"].isna().any():
        raise ValueError(f"{features} should have columns of attributes, and a class in every row.")
    return with_column_types(frame, [], features)


@lru_cache(maxsize=2)
def _groups(features: str, mark: tuple[int, int], seed: int) -> list[list[str]]:
    """Return the species of each group; no two groups are equal."""
    species = sorted(_read_features(features, mark)["class"].unique())
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


Sets = Uci | Flavia
"""The data sets of a study. Two equal objects give the same data, in any process."""
