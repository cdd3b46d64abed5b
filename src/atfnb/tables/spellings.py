"""How a file spells the values of a column, so that they can be written again as they were: TRUE, +1, 2,50."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from atfnb.tables.cells import Cells, typed, without_missing

_MOST = 1000
"""A column with more different values than that holds no classes."""


@dataclass(frozen=True)
class Spelled:
    """The type of a column and how its values are spelled."""

    kind: Any
    words: frozenset[str]

    def with_words_of(self, other: Any) -> Spelled:
        """Return the same type with the words of both, if they are few."""
        words = self.words | other.words if isinstance(other, Spelled) else self.words
        return Spelled(self.kind, words if len(words) <= _MOST else frozenset())


def words_of(text: Any, cells: Cells) -> frozenset[str]:
    """Return the different cells of a column of text, missing ones left out; none if there are too many for classes.

    Examples
    --------
    >>> sorted(words_of(pa.chunked_array([["True", "?", "False ", "True"]]), Cells()))
    ['False', 'True']
    """
    words = pc.utf8_trim_whitespace(without_missing(pc.unique(text), cells).drop_null())
    return frozenset(words.to_pylist()) if len(words) <= _MOST else frozenset()


def joined(files: Iterable[Mapping[str, Any]], column: str) -> frozenset[str]:
    """Return the words of a column in all files."""
    return frozenset().union(*(types[column].words for types in files if isinstance(types.get(column), Spelled)))


def spelled_classes(words: Iterable[str], classes: NDArray[Any], decimal: str = ".") -> list[str] | None:
    """Return the classes as a file spells them, or None if that is how Python does.

    Parameters
    ----------
    words : iterable of str
        The different cells of the column with the classes.
    classes : array
        The classes.
    decimal : {".", ","}
        The decimal sign of the file.

    Examples
    --------
    >>> import numpy as np
    >>> spelled_classes(["TRUE", "FALSE"], np.array([False, True])), spelled_classes(["+1", "-1"], np.array([-1, 1]))
    (['FALSE', 'TRUE'], ['-1', '+1'])
    >>> spelled_classes(["True", "False"], np.array([False, True]))
    """
    known = sorted(words)
    if not known:
        return None
    values = typed(pa.chunked_array([pa.array(known, pa.string())]), Cells(decimal=decimal)).to_pylist()
    spelled: dict[Any, str] = {}
    for word, value in zip(known, values, strict=True):
        spelled.setdefault(value, word)
        spelled.setdefault(str(value), word)  # numbers with fractions are classes as text
    found = [spelled.get(one, str(one)) for one in classes.tolist()]
    return None if found == [*map(str, classes.tolist())] else found
