"""Under which names values and classes are learned: spellings that differ by case only, and classes with few rows.

Spaces around text never count; upper and lower case count unless the user says otherwise. Rare classes count as one, or
their rows are left out, in training and in later files. Predictions are written as the training file spelled classes
(TRUE, +1, 2,50).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from atfnb._errors import AdvisedError, Message, Setting, and_more, counted, shortened
from atfnb._typing import BoolArray, ClassArray
from atfnb.tables.cells import CellRules, ColumnForm, parse, parse_plain, without_missing
from atfnb.tables.policy import Policy, one_class
from atfnb.tables.target import ClassTotals

NAMED_CLASSES, NAMED_COLUMNS = 5, 6
"""The number of rare classes, and of columns, that a sentence names."""

# --- Spelling --------------------------------------------------------------------------------------


def folded(text: str) -> str:
    """Return text as it is compared if neither case nor spaces around it count.

    >>> folded(" Yes") == folded("YES")
    True
    """
    return text.strip().casefold()


def case_variants(weights: Mapping[Any, Any]) -> dict[str, str]:
    """Return the texts that differ from another one by case only, and the most frequent of these, for each.

    Parameters
    ----------
    weights : mapping of value to weight
        The different values and the weight of the rows with each. Of equal weights, the first in order counts as the
        more frequent one. Values that are no text are left out.

    Examples
    --------
    >>> case_variants({"yes": 3, "Yes": 5, "no": 1, "YES": 5})
    {'yes': 'YES', 'Yes': 'YES'}
    """
    alike = _alike(weights)
    chosen = {name: min(texts, key=lambda text: (-weights[text], text)) for name, texts in alike.items()}
    return {text: chosen[name] for name, texts in alike.items() for text in texts if text != chosen[name]}


def taken_for(values: Iterable[Any], known: Iterable[Any]) -> dict[str, str]:
    """Return the texts that are not known, but differ from exactly one known text by case only, and that text.

    >>> taken_for(["YES", "no", "Perhaps", "NO"], ["Yes", "no", "No"])
    {'YES': 'Yes'}
    """
    new = sorted(value for value in set(values) - set(known) if isinstance(value, str))
    alike = _alike(known) if new else {}
    return {value: alike[folded(value)][0] for value in new if len(alike.get(folded(value), ())) == 1}


def _alike(values: Iterable[Any]) -> dict[str, list[str]]:
    """Return the texts among some values that are the same but for their case, by how they are compared."""
    alike = defaultdict[str, list[str]](list)
    for value in values:
        if isinstance(value, str):
            alike[folded(value)].append(value)
    return alike


def on_case(target: str, classes: Iterable[Any], values: Mapping[str, Iterable[Any]], *, merged: bool) -> Iterator[str]:
    """Yield a sentence on values and classes that differ by case only, if there are any.

    Parameters
    ----------
    target : str
        The name of the target.
    classes : iterable
        The classes.
    values : mapping of str to values
        The different values of each column.
    merged : bool
        Whether they are merged.

    Examples
    --------
    >>> values = {"port": ["Cork", "CORK", "cork"], "size": ["L", "M"]}
    >>> print(*on_case("paid", ["no", "yes", "Yes"], values, merged=True))
    Merged, as case does not count: the 3 classes of 'paid' are 2, and the 3 values of 'port' are 1.
    """
    each = list[str]()
    for of, known in [(f"classes of {target!r}", classes), *((f"values of {name!r}", values[name]) for name in values)]:
        texts = [value for value in known if isinstance(value, str)]
        if (left := len({*map(folded, texts)})) < len(texts):
            each.append(f"the {len(texts):,} {of} are {left:,}")
    if each:
        *others, last = each[:NAMED_COLUMNS]
        named = f"{', '.join(others)}{', and ' if others else ''}{last}{and_more(len(each), NAMED_COLUMNS)}"
        if merged:
            yield f"Merged, as case does not count: {named}."
        else:
            yield Message(f"If case does not count, {named}: ", Setting("merge_case", True), " merges them.")


def taken_in_words(column: str, found: Mapping[str, str]) -> str:
    """Return a sentence on values that are taken for a known one.

    >>> print(taken_in_words("sex", {"MALE": "Male", "male": "Male"}))
    'sex': 'MALE' is taken for 'Male', and 1 more likewise, as they differ by case only.
    """
    (value, known), *others = found.items()
    more = f", and {len(others):,} more likewise" if others else ""
    return f"{column!r}: {shortened(value)!r} is taken for {shortened(known)!r}{more}, as they differ by case only."


# --- As a file spells them ---------------------------------------------------------------------------

MOST_WORDS = 1000
"""A column with more different values than this cannot hold classes."""


def words_of(text: Any, rules: CellRules) -> frozenset[str]:
    """Return the different cells of a column of text, without missing values; an empty set if they are too many.

    Examples
    --------
    >>> sorted(words_of(pa.chunked_array([["True", "?", "False ", "True"]]), CellRules()))
    ['False', 'True']
    """
    words = pc.unique(without_missing(pc.unique(text), rules.missing).drop_null())
    return frozenset(words.to_pylist()) if len(words) <= MOST_WORDS else frozenset()


def parse_spelled(
    text: Any, rules: CellRules, *, as_written: bool
) -> tuple[Any, ColumnForm | None, frozenset[str] | None]:
    """Return a column of text with its type, its form, and how its values are spelled: booleans, or ``as_written``.

    A column that is kept as it is written has no form.
    """
    column, form = (parse_plain(text, rules), None) if as_written else parse(text, rules)
    return column, form, words_of(text, rules) if as_written or pa.types.is_boolean(column.type) else None


def spelled_classes(words: Iterable[str], classes: NDArray[Any], decimal: str = ".") -> list[str] | None:
    """Return the classes as a file spells them, or None if Python spells them the same way.

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
    >>> spelled_classes(["TRUE", "FALSE"], np.array([False, True])), spelled_classes(["+1", "-1"], np.array([-1, 1]))
    (['FALSE', 'TRUE'], ['-1', '+1'])
    >>> spelled_classes(["True", "False"], np.array([False, True]))
    """
    known = sorted(words)
    if not known:
        return None
    values = parse_plain(pa.chunked_array([pa.array(known, pa.string())]), CellRules(decimal=decimal)).to_pylist()
    spelled: dict[Any, str] = {}
    for word, value in zip(known, values, strict=True):
        spelled.setdefault(value, word)
        spelled.setdefault(str(value), word)  # numbers with fractions are classes as text
    found = [spelled.get(one, str(one)) for one in classes.tolist()]
    return None if found == [*map(str, classes.tolist())] else found


# --- Rare classes ----------------------------------------------------------------------------------

Rare = Literal["pool", "drop"]
"""What becomes of the rows of rare classes: they get one class, or are left out."""
POOLS = ("other", "rare")
"""The name of the pooled class: the first of these that no other class has."""


@dataclass(frozen=True)
class RareClasses:
    """The classes that have few rows in training, and the class that their rows have instead.

    Examples
    --------
    >>> found = RareClasses.of({"cat": 9, "newt": 1, "fish": 2}, fewest=5, how="pool", target="kind")
    >>> found
    RareClasses(names=('fish', 'newt'), into='other')
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
        names = tuple(sorted(name for name, number in rows.items() if number < fewest))
        kept = [name for name in rows if name not in names]
        if not names:
            return None
        if len(kept) + (how == "pool") < 2:
            few = f"only class {kept[0]!r}" if kept else "no class"
            fault = f"{few} of the target {target!r} has {fewest:,} rows or more: use a lower "
            raise AdvisedError(fault, Setting("min_class_rows"), ".")
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

    def in_words(self, rows: Mapping[Any, int], fewest: int) -> str:
        """Return what was done with the rare classes, from the number of rows of each class.

        >>> RareClasses(("fish", "newt"), "other").in_words({"cat": 9, "newt": 1, "fish": 2}, 5)
        "2 classes with fewer than 5 rows count as one, 'other' (3 rows): 'fish' (2), 'newt' (1)."
        """
        each = (f"{shortened(str(name))!r} ({rows[name]:,})" for name in self.names[:NAMED_CLASSES])
        named = f"{', '.join(each)}{and_more(len(self.names), NAMED_CLASSES)}"
        total = counted(sum(rows[name] for name in self.names), "row")
        few = f"{counted(len(self.names), 'class')} with fewer than {fewest:,} rows"
        if self.into is None:
            return f"{few} left out ({total}): {named}."
        return f"{few} {'counts' if len(self.names) == 1 else 'count'} as one, {self.into!r} ({total}): {named}."


@dataclass(frozen=True)
class Relabelling:
    """The names under which a model learns classes: spellings that are merged, and classes with few rows.

    Examples
    --------
    >>> names = Relabelling({"CAT": "cat"}, RareClasses(("newt",), "other"))
    >>> names(np.array(["CAT", "cat", "newt"]), np.array([0, 1, 2, 0], dtype=np.int32))[:2]
    (array(['cat', 'other'], dtype='<U5'), array([0, 0, 1, 0], dtype=int32))
    """

    spelling: Mapping[str, str] = field(default_factory=dict)
    """The classes that are spelled in another way than the one they are merged with, and that one."""
    rare: RareClasses | None = None
    """The classes that count as one, or whose rows are left out, if there are any."""
    notes: tuple[str, ...] = ()
    """A sentence on the rare classes, if there are any."""

    @classmethod
    def of(cls, totals: ClassTotals, policy: Policy, target: str) -> Relabelling:
        """Return what a policy does with classes, given the rows and the weight of each.

        Raises
        ------
        ValueError
            If fewer than two classes would be left.
        """
        spelling = case_variants({c: total.weight for c, total in totals.items()}) if policy.merge_case else {}
        rows = {_plain(c): total.rows for c, total in cls(spelling).of_totals(totals).items()}
        if spelling and len(rows) == 1:
            raise one_class(target, *rows)
        rare = RareClasses.of(rows, policy.min_class_rows, policy.rare_classes, target)
        notes = () if rare is None else (rare.in_words(rows, policy.min_class_rows),)
        return cls(spelling, rare, notes)

    def name(self, found: Any) -> Any:
        """Return the name of a class of the table, None if its rows are left out; if some are pooled, it is text."""
        spelled = self.spelling.get(found, found)
        if self.rare is None:
            return spelled
        if _plain(spelled) in self.rare.names:
            return self.rare.into
        return spelled if self.rare.into is None else str(_plain(spelled))

    def __call__(self, classes: NDArray[Any], y: ClassArray) -> tuple[NDArray[Any], ClassArray, BoolArray]:
        """Return classes under their names, sorted, the position of each row's class, and which rows are kept."""
        names = [self.name(found) for found in classes.tolist()]
        kept = np.array([name is not None for name in names], dtype=bool)[y]
        names = [found if name is None else name for found, name in zip(classes.tolist(), names, strict=True)]
        if names == classes.tolist():
            return classes, y, kept
        classes, position = np.unique(names, return_inverse=True)
        return classes, position.astype(np.int32)[y], kept

    def of_rows(self, y: NDArray[Any]) -> tuple[NDArray[Any], BoolArray]:
        """Return the class of each row that is kept, and which rows are; ``y`` (rows,) are the classes in the table."""
        found, position = np.unique(y, return_inverse=True)
        classes, codes, kept = self(found, position.astype(np.int32))
        return np.asarray(classes[codes[kept]]), kept

    def of_totals(self, totals: ClassTotals) -> ClassTotals:
        """Return the totals of classes under their names, without those that are left out."""
        named = ((self.name(found), total) for found, total in totals.items())
        return sum((ClassTotals({name: total}) for name, total in named if name is not None), ClassTotals())


def _plain(name: Any) -> Any:
    """Return the name of a class; a float that is whole as a whole number."""
    return int(name) if isinstance(name, float) and name.is_integer() else name


def _pool_name(taken: set[str]) -> str:
    """Return the name of the pooled class, which no other class has.

    >>> _pool_name({"other"}), _pool_name({"other", "rare"})
    ('rare', 'other_')
    """
    longer = (POOLS[0] + "_" * length for length in count(1))
    return next(name for name in chain(POOLS, longer) if name not in taken)
