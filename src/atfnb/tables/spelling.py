"""Text that is spelled differently: spaces around it never count, upper and lower case if the user says so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atfnb._errors import and_more, shortened
from atfnb._typing import ClassArray


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
    alike = defaultdict[str, list[str]](list)
    for value in weights:
        if isinstance(value, str):
            alike[folded(value)].append(value)
    chosen = {name: min(texts, key=lambda text: (-weights[text], text)) for name, texts in alike.items()}
    return {text: chosen[name] for name, texts in alike.items() for text in texts if text != chosen[name]}


def taken_for(values: Iterable[Any], known: Iterable[Any]) -> dict[str, str]:
    """Return the texts that are not known, but differ from exactly one known text by case only, and that text.

    >>> taken_for(["YES", "no", "Perhaps", "NO"], ["Yes", "no", "No"])
    {'YES': 'Yes'}
    """
    new = set(values) - set(known)
    if not any(isinstance(value, str) for value in new):
        return {}
    alike = defaultdict[str, list[str]](list)
    for text in known:
        if isinstance(text, str):
            alike[folded(text)].append(text)
    found = {value: alike.get(folded(value), []) for value in sorted(v for v in new if isinstance(v, str))}
    return {value: texts[0] for value, texts in found.items() if len(texts) == 1}


def renamed(classes: NDArray[Any], y: ClassArray, names: Mapping[Any, Any]) -> tuple[NDArray[Any], ClassArray]:
    """Return the classes under other names, sorted, and the position of each row's class among them.

    >>> renamed(np.array(["YES", "no", "yes"]), np.array([0, 1, 2, 2], dtype=np.int32), {"YES": "yes"})
    (array(['no', 'yes'], dtype='<U3'), array([1, 0, 1, 1], dtype=int32))
    """
    if not names:
        return classes, y
    found, position = np.unique([names.get(name, name) for name in classes.tolist()], return_inverse=True)
    return found, position.astype(np.int32)[y]


# --- Sentences -------------------------------------------------------------------------------------


def on_case(target: str, values: Mapping[str | None, Iterable[Any]], *, merged: bool) -> Iterator[str]:
    """Yield a sentence on values and classes that differ by case only, if there are any.

    Parameters
    ----------
    target : str
        The name of the target.
    values : mapping of str or None to values
        The different values of each column, and the classes under None.
    merged : bool
        Whether they are merged.

    Examples
    --------
    >>> values = {None: ["no", "yes", "Yes"], "port": ["Cork", "CORK", "cork"], "size": ["L", "M"]}
    >>> print(*on_case("paid", values, merged=False))
    If case does not count, the 3 classes of 'paid' are 2, and the 3 values of 'port' are 1: --merge-case merges them.
    """
    each = list[str]()
    for name, known in values.items():
        texts = [value for value in known if isinstance(value, str)]
        if (left := len({*map(folded, texts)})) < len(texts):
            of = f"classes of {target!r}" if name is None else f"values of {name!r}"
            each.append(f"the {len(texts):,} {of} are {left:,}")
    if each:
        *others, last = each[:_NAMED]
        named = f"{', '.join(others)}{', and ' if others else ''}{last}{and_more(len(each), _NAMED)}"
        done = "Merged, as case does not count:" if merged else "If case does not count,"
        yield f"{done} {named}{'.' if merged else ': --merge-case merges them.'}"


_NAMED = 6
"""The number of columns that a sentence names."""


def taken_in_words(column: str, found: Mapping[str, str]) -> str:
    """Return a sentence on values that are taken for a known one.

    >>> print(taken_in_words("sex", {"MALE": "Male", "male": "Male"}))
    'sex': 'MALE' is taken for 'Male', and 1 more likewise, as they differ by case only.
    """
    (value, known), *others = found.items()
    more = f", and {len(others):,} more likewise" if others else ""
    return f"{column!r}: {shortened(value)!r} is taken for {shortened(known)!r}{more}, as they differ by case only."
