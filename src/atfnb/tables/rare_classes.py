"""Classes with few rows: they count as one class, or their rows are left out, in training and in later files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from atfnb._errors import AdvisedError, and_more, counted, shortened
from atfnb._typing import BoolArray, ClassArray
from atfnb.tables.target import ClassTotals

Rare = Literal["pool", "drop"]
"""What becomes of the rows of rare classes: they get one class, or are left out."""
POOLS = ("other", "rare")
"""The name of the pooled class: the first of these that no other class has."""
NAMED = 5
"""The number of classes that a sentence names with their rows."""


@dataclass(frozen=True)
class RareClasses:
    """The classes that have few rows in training, and the class that their rows have instead.

    Examples
    --------
    >>> found = RareClasses.of({"cat": 9, "newt": 1, "fish": 2}, fewest=5, how="pool", target="kind")
    >>> found
    RareClasses(names=('fish', 'newt'), into='other')
    >>> found.relabelled(np.array(["cat", "newt"]), np.array([0, 1, 0]))[0]
    array(['cat', 'other'], dtype='<U5')
    """

    names: tuple[Any, ...]
    """The rare classes, sorted."""
    into: str | None
    """The class that they count as; None if their rows are left out."""

    @classmethod
    def of(cls, rows: Mapping[Any, int], fewest: int, how: Rare, target: str) -> RareClasses | None:
        """Return the classes with fewer rows than ``fewest``, from the number of rows of each; None if there are none.

        Raises
        ------
        ValueError
            If fewer than two classes would be left.
        """
        plain = {_plain(name): count for name, count in rows.items()}
        names = tuple(sorted(name for name, count in plain.items() if count < fewest))
        kept = [name for name in plain if name not in names]
        if not names:
            return None
        if len(kept) + (how == "pool") < 2:
            fault = f"{_few_classes(kept)} of the target {target!r} has {fewest:,} rows or more"
            raise AdvisedError(fault, "use a lower min_class_rows", "use a lower --min-class-rows")
        return cls(names, _pool_name({str(name) for name in kept}) if how == "pool" else None)

    @classmethod
    def recorded(cls, training: Mapping[str, Any]) -> RareClasses | None:
        """Return what the record of a model's training says of rare classes, if anything."""
        record = training.get("rare_classes")
        return None if record is None else cls(tuple(record["names"]), record["into"])

    @property
    def record(self) -> dict[str, Any]:
        """What a model file says of them."""
        return {"names": list(self.names), "into": self.into}

    def relabelled(self, classes: NDArray[Any], y: ClassArray) -> tuple[NDArray[Any], ClassArray, BoolArray]:
        """Return the classes and their positions as a model learns them, and which rows are kept.

        If rare classes count as one, all classes are text.
        """
        plain = [_plain(name) for name in classes.tolist()]
        rare = np.array([name in self.names for name in plain], dtype=bool)
        if self.into is None:
            return classes, y, ~rare[y]
        renamed, position = np.unique([self._renamed(name) for name in plain], return_inverse=True)
        return renamed, position.astype(np.int32)[y], np.ones(len(y), dtype=bool)

    def regrouped(self, totals: ClassTotals) -> ClassTotals:
        """Return the totals of the classes as a model learns them."""
        found = ClassTotals()
        for name, total in totals.items():
            if self.into is not None:
                found = found + ClassTotals({self._renamed(_plain(name)): total})
            elif _plain(name) not in self.names:
                found[name] = total
        return found

    def _renamed(self, name: Any) -> str:
        return self.into if name in self.names and self.into is not None else str(name)

    def in_words(self, rows: Mapping[Any, int], fewest: int) -> str:
        """Return what was done with the rare classes, from the number of rows of each class.

        >>> RareClasses(("fish", "newt"), "other").in_words({"cat": 9, "newt": 1, "fish": 2}, 5)
        "2 classes with fewer than 5 rows count as one, 'other' (3 rows): 'fish' (2), 'newt' (1)."
        """
        plain = {_plain(name): count for name, count in rows.items()}
        each = (f"{shortened(str(name))!r} ({plain[name]:,})" for name in self.names[:NAMED])
        named = f"{', '.join(each)}{and_more(len(self.names), NAMED)}"
        total = counted(sum(plain[name] for name in self.names), "row")
        few = f"{counted(len(self.names), 'class')} with fewer than {fewest:,} rows"
        if self.into is None:
            return f"{few} left out ({total}): {named}."
        return f"{few} {'counts' if len(self.names) == 1 else 'count'} as one, {self.into!r} ({total}): {named}."


def _plain(name: Any) -> Any:
    """Return the name of a class; a float that is whole as a whole number."""
    return int(name) if isinstance(name, float) and name.is_integer() else name


def _few_classes(kept: list[Any]) -> str:
    return f"only class {kept[0]!r}" if kept else "no class"


def _pool_name(taken: set[str]) -> str:
    """Return the name of the pooled class, which no other class has.

    >>> _pool_name({"other"}), _pool_name({"other", "rare"})
    ('rare', 'other_')
    """
    for name in POOLS:
        if name not in taken:
            return name
    name = POOLS[0]
    while name in taken:
        name += "_"
    return name
