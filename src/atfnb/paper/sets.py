"""What a study is made on: named data sets, and the paper's tables that its own stand beside."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Protocol

from atfnb.paper import datasets, published
from atfnb.paper.text_table import Cell, TextTable


@dataclass(frozen=True)
class Printed:
    """Where the paper prints a study, and in which words."""

    title: str
    accuracy: str
    """The table of accuracies, as "T5"; it names its sets in the first column."""
    t_tests: str
    ranks: str
    signs: str
    unit: str
    """What it calls its data sets."""
    theirs: str
    """What the paper's figures beside ours are over."""
    comparable: bool
    """Whether its sets are ours, so that they compare one by one."""
    slip: str = ""
    """What is wrong with its table of signs."""
    beside: bool = True
    """Whether the paper's figures stand beside ours; if not, the names of its tables are our own."""
    overlapping: bool = False
    """Whether its sets share rows, so that a test over them proves nothing."""
    remark: str = ""
    """What every table and figure must say of the data."""


class Sets(Protocol):
    """The data sets of a study. Equal ones hold equal data, in whatever process."""

    def __hash__(self) -> int: ...

    @property
    def printed(self) -> Printed:
        """The paper's side of it."""

    def names(self) -> list[str]:
        """Those that can be had now."""

    def load(self, name: str) -> tuple[Any, Any]:
        """The attributes and the class of each row."""

    def origin(self, name: str) -> str:
        """Where a set comes from."""

    def cells(self, name: str) -> int:
        """How large it is, for the order of work."""

    def table(self, names: tuple[str, ...]) -> TextTable:
        """What each set is, here and in the paper."""

    def dependence(self, names: tuple[str, ...]) -> str:
        """Return a sentence on what these sets share, which tests over them do not allow for; empty if nothing."""


def source(name: str, sets: Sets) -> str:
    """Where a set comes from now, and a mark of its content, which is read for it.

    >>> source("iris", Uci()).split()[0]
    'scikit-learn'
    """
    X, y = sets.load(name)
    content = X.assign(**{"class": y}).to_csv(index=False).encode()
    return f"{sets.origin(name)} {hashlib.sha256(content).hexdigest()[:12]}"


@dataclass(frozen=True)
class Uci:
    """The 50 sets of the paper's first experiment, from a folder or without one.

    >>> Uci().printed.accuracy
    'T5'
    """

    data: str | None = None

    @property
    def printed(self) -> Printed:
        """T5 to T8."""
        return Printed(
            title="The paper, run again: attribute-weighted naive Bayes on its data sets",
            accuracy="T5",
            t_tests="T6",
            ranks="T7",
            signs="T8",
            unit="sets",
            theirs="its 50 sets",
            comparable=True,
            slip="The paper's signs between WNB and CFW and between WNB and NB are turned around: they contradict its "
            "own T7.",
        )

    def names(self) -> list[str]:
        """Those that can be had now."""
        return [name for name in datasets.catalogue() if datasets.where(name, self.data) != "not available"]

    def load(self, name: str) -> tuple[Any, Any]:
        """The attributes and the class of each row."""
        return datasets.load(name, self.data)

    def origin(self, name: str) -> str:
        """Where a set comes from."""
        return datasets.where(name, self.data)

    def cells(self, name: str) -> int:
        """How large it is, from its record."""
        record = datasets.catalogue()[name]
        return record.instances * record.attributes

    def table(self, names: tuple[str, ...]) -> TextTable:
        """T2: what each set is, here and in the paper."""
        printed = {str(row["set"]): row for row in published.table("T2")}
        records = datasets.catalogue()
        rows: list[tuple[Cell, ...]] = []
        for name in names:
            ours = records[name]
            theirs = "/".join(str(printed[name][count]) for count in ("instances", "attributes", "classes"))
            counts = (ours.instances, ours.attributes, ours.classes, ours.missing_cells)
            rows.append((name, *counts, theirs, _difference(ours)))
        header = ("set", "rows", "attributes", "classes", "gaps", "rows/attributes/classes, paper", "what differs")
        return TextTable("T2", "the data sets", header, tuple(rows))

    def dependence(self, names: tuple[str, ...]) -> str:
        """Name the sets that hold the same data under two names."""
        twins = {name: record.same_as for name, record in datasets.catalogue().items() if record.same_as}
        pairs = [f"{name} and {twins[name]}" for name in names if twins.get(name) in names]
        if not pairs:
            return ""
        return f"The same data are counted twice, which tests over the sets do not allow for: {', '.join(pairs)}."


def _difference(record: datasets.Record) -> str:
    """Describe in sentences how a set differs from the paper's, and which other set holds the same data."""
    same = f"The same data as {record.same_as}" if record.same_as else ""
    told = [record.paper_difference] if same in record.paper_difference else [record.paper_difference, f"{same}."]
    return " ".join(filter(None, told))
