"""Results of an evaluation as sentences, used by the command, the page and the studies alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from atfnb._errors import NAMED, and_more, classes_named, counted, percent, shortened
from atfnb._typing import FloatArray

if TYPE_CHECKING:
    from atfnb.evaluation.metrics import Difference, Measured

ALL = 4
"""A sentence names all classes if there are no more than this."""
LOWEST = 3
"""With more classes than ``ALL``, a sentence names this number of them: those with the lowest recall."""
LARGEST_PAIRS = 3
"""A sentence names at most this number of pairs."""
MISSED = 0.2
"""A class is mostly missed if less than this share of its rows is found."""
ALL_ROWS = 0.9995
"""A recall from here on is printed as 100.0 %."""


class Name(str):
    """A part of a sentence that comes from the data: a column, a value, a class."""

    __slots__ = ()


Sentence = tuple[str, ...]
"""The parts of a sentence; those that are a :class:`Name` are set apart where the sentence is shown."""


def joined(sentence: Sentence) -> str:
    """Return a sentence as plain text.

    >>> joined(("The class is ", Name("yes"), "."))
    'The class is yes.'
    """
    return "".join(sentence)


def quoted(sentence: Sentence) -> str:
    """Return a sentence as plain text, with names in quotation marks.

    >>> quoted(("The class is ", Name("yes"), "."))
    "The class is 'yes'."
    """
    return "".join(repr(str(part)) if isinstance(part, Name) else part for part in sentence)


def in_a_row(items: Iterable[Sentence], last: str = ", ") -> Sentence:
    """Return parts of sentences with commas between them, and ``last`` before the last one.

    >>> joined(in_a_row([(Name("a"), " (1)"), (Name("b"), " (2)"), (Name("c"), " (3)")], " and "))
    'a (1), b (2) and c (3)'
    """
    items = list(items)
    between = [", "] * (len(items) - 2) + [last]
    return tuple(part for k, item in enumerate(items) for part in (*between[k - 1 : k], *item))


def listed(names: Sequence[str], most: int = NAMED) -> Sentence:
    """Return names with commas between them; of more than ``most``, the first ones and how many more there are.

    >>> joined(listed(["a", "b"], 2)), joined(listed(["a", "b", "c", "d"], 2))
    ('a and b', 'a, b and 2 more')
    """
    last = " and " if len(names) <= most else ", "
    return (*in_a_row([(Name(name),) for name in names[:most]], last), and_more(len(names), most))


def acting_together(
    pairs: Sequence[tuple[str, str]], sizes: FloatArray, noun: str, figure: Callable[[float], str], little: str
) -> Sentence:
    """Return which pairs act together, the largest first, each with its size as a ``figure``.

    Those whose figure is that of 0 are counted: ``little`` says what they have.

    >>> pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    >>> little = "an effect below 0.01"
    >>> quoted(acting_together(pairs, np.array([0.2, 0.31, 0.001]), "columns", "{:.2f}".format, little))
    "2 pairs of columns act together: 'a' × 'c' (0.31), 'a' × 'b' (0.20); 1 more with an effect below 0.01."
    """
    acting = [p for p in np.argsort(-sizes, kind="stable").tolist() if figure(sizes[p]) != figure(0.0)]
    small = len(pairs) - len(acting)
    if not acting:
        return (f"{counted(small, 'pair')} of {noun} learned, each with {little}.",)
    verb, most = "acts" if len(acting) == 1 else "act", ":" if len(acting) <= LARGEST_PAIRS else ", above all"
    named = [(Name(a), " × ", Name(b), f" ({figure(sizes[p])})") for p in acting[:LARGEST_PAIRS] for a, b in [pairs[p]]]
    more = f"; {small} more{', each' if small > 1 else ''} with {little}" if small else ""
    return (f"{counted(len(acting), 'pair')} of {noun} {verb} together{most} ", *in_a_row(named), f"{more}.")


def difference_in_words(difference: Difference, than: Sentence, value: float) -> Sentence:
    """Return how much higher a share of rows is than another, and whether that may be chance.

    >>> from atfnb.evaluation import Difference
    >>> joined(difference_in_words(Difference(0.105, -0.021, 0.231, 0.09), ("guessing",), 0.733))
    '10.5 points higher than guessing (73.3 %), which may be chance (95 % interval −2.1 to 23.1)'
    """
    low, high = (f"{100 * end:.1f}".replace("-", "−") for end in (difference.low, difference.high))
    evidence = f"95 % interval {low} to {high}" if difference.low < difference.high else ""
    return compared(difference.mean, than, percent(value), sure=difference.verdict != 0, evidence=evidence)


def compared(mean: float, than: Sentence, value: str, *, sure: bool, evidence: str) -> Sentence:
    """Return how much higher or lower a share is than another, and on what evidence.

    Where a difference is not shown, the sentence says so; it never claims that there is none.

    Parameters
    ----------
    mean : float
        The difference.
    than : Sentence
        What the other share is of.
    value : str
        The other share.
    sure : bool
        Whether chance is ruled out.
    evidence : str
        An interval, or a test with its p-value.

    Examples
    --------
    >>> joined(compared(-0.02, ("naive Bayes",), "84.0 %", sure=True, evidence="p = 0.01"))
    '2.0 points (p = 0.01) lower than naive Bayes (84.0 %)'
    """
    shown = f" ({evidence})" if evidence else ""
    after = f" ({value})" if sure or not evidence else f" ({value}), which may be chance{shown}"
    if mean == 0:
        return ("the same as ", *than, f" ({value}; difference: {evidence})" if evidence else after)
    size = f"{100 * abs(mean):.1f} points" if abs(mean) >= 0.0005 else "less than 0.1 points"
    return (f"{size}{shown if sure else ''} {'higher' if mean > 0 else 'lower'} than ", *than, after)


def how_right(found: Measured) -> Sentence:
    """Return how good a classifier is, compared with guessing: the part of a sentence that follows "the model ".

    Where the classes are uneven, guessing has a high accuracy too, so the balanced accuracy comes first.
    """
    guess = ("always guessing ", Name(found.guess))
    if not _has_recalls(found):
        more = difference_in_words(found.over_guessing, guess, found.guess_accuracy)
        return (f"is right for {percent(found.accuracy)} of the rows, ", *more)
    more = difference_in_words(found.balanced_over_guessing, guess, found.guess_balanced)
    accuracies = f"{percent(found.accuracy)} (guessing: {percent(found.guess_accuracy)})"
    return (f"has a balanced accuracy of {percent(found.balanced)}, ", *more, f", and an accuracy of {accuracies}")


def _has_recalls(found: Measured) -> bool:
    """Return whether the recalls of classes are to be said; of one class, the balanced accuracy is the accuracy."""
    return found.uneven and int((found.rows > 0).sum()) > 1


def how_many_found(found: Measured, subject: str = "It", *, weighted: bool = False) -> Sentence:
    """Return the share of each class's rows that is found, with advice if one is mostly missed; empty for even classes.

    Of many classes, it names those with the lowest recall, unless all their rows are found. ``weighted`` says that the
    model has weights of classes: the advice is to give some.
    """
    if not _has_recalls(found):
        return ()
    there = np.flatnonzero(found.rows)
    lowest = there[np.lexsort((found.rows[there], found.recall[there]))][:LOWEST]
    named = lowest[found.recall[lowest] < ALL_ROWS]
    if len(there) <= ALL:
        named = there[np.argsort(found.rows[there], kind="stable")]
    left = len(there) - len(named)
    rows = [counted(int(each), "row") for each in found.rows]
    shares = [(f"{percent(found.recall[c])} of ", Name(found.classes[c]), f" ({rows[c]})") for c in named]
    parts = list(in_a_row(shares, ", " if left and len(named) < LOWEST else " and "))
    if left and len(named) == LOWEST:
        parts.append(f", the lowest of {len(there)} classes")
    elif left:
        parts.append(f"{' and ' if len(named) else ''}all rows of {'the other ' if len(named) else ''}{left} classes")
    if not weighted and (found.recall[there] < MISSED).any():
        parts.append(
            ". Try --balance (class_weight='balanced' in Python), which finds more rows of rare classes, if the "
            "columns allow it, and fewer of the others"
        )
    return (f"{subject} finds ", *parts, ".")


def how_far_off(found: Measured) -> str:
    """Return how far predictions are off along the order of the classes; nothing if they have none."""
    of_model, of_guess = found.along_order, found.guess_along_order
    if not of_model:
        return ""
    (distance, off), (kappa, agreement), *beyond = of_model.items()
    wrong = ", ".join(f"{percent(share)} {name.removeprefix('wrong ')}" for name, share in beyond[1:])
    return (
        f"Along the order of the classes, it is off by {off:.2f} ranks on average (guessing: {of_guess[distance]:.2f})"
        f"{f', {wrong}' if wrong else ''}; the {kappa} is {agreement:.2f}."
    )


def doubtful_probabilities(found: Measured) -> str:
    """Return that the probabilities are no better than the frequencies of the classes, or nothing if they are."""
    if found.log_loss < found.guess_log_loss:
        return ""
    return (
        "But its probabilities are no better than the frequencies of the classes (log-loss "
        f"{found.log_loss:.3f}, guessing {found.guess_log_loss:.3f}): use the classes that it predicts, not these."
    )


def not_judged_in_words(classes: Sequence[str]) -> str:
    """Return that classes with one row are trained on and not scored, or nothing if there are none.

    >>> not_judged_in_words(["lynx"])
    "Class 'lynx': one row only, so trained on, but not judged and not in the scores."
    """
    if not classes:
        return ""
    return f"{classes_named(classes)}: one row only, so trained on, but not judged and not in the scores."


def copies_in_words(copies: int, folding: str = "rows") -> Iterator[str]:
    """Yield a note on rows that are copies of others, if there are any.

    >>> list(copies_in_words(450))
    ['450 rows are exact copies of earlier ones: all copies of a row are in one fold.']
    """
    if copies and folding != "groups":
        are = "is an exact copy of an earlier one" if copies == 1 else "are exact copies of earlier ones"
        done = "all copies of a row are in one fold" if folding == "rows" else "no copy of a scored row is trained on"
        yield f"{counted(copies, 'row')} {are}: {done}."


def unknown_in_words(unknown: Mapping[str, int]) -> str:
    """Return how many rows have a class that the model does not know, by class; nothing if there are none.

    >>> unknown_in_words({"bird": 1, "fish": 4})
    "5 rows of classes that the model does not know, which are not in the scores: 4 of 'fish', 1 of 'bird'."
    """
    if not unknown:
        return ""
    rows, largest = sum(unknown.values()), sorted(unknown, key=lambda name: -unknown[name])
    named = ", ".join(f"{unknown[name]:,} of {shortened(name)!r}" for name in largest[:NAMED])
    of = f"{counted(rows, 'row')} of classes that the model does not know, which are not in the scores"
    return f"{of}: {named}{and_more(len(largest))}."
