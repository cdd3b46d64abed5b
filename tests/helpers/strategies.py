"""Small random inputs, many of them with ties."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays


def examples(n):
    """Let a test run n examples in ``make test-all``; elsewhere, the share of them that the profile in use has."""
    return settings(max_examples=max(5, n * settings.default.max_examples // 100))


@st.composite
def coded_rows(draw, max_rows=30, max_attributes=4, max_values=4, max_classes=4):
    """Codes, classes and integer weights; every class occurs, and some values go with a class."""
    classes = draw(st.integers(2, max_classes))
    rows = draw(st.integers(classes, max_rows))
    attributes, values = draw(st.integers(1, max_attributes)), draw(st.integers(2, max_values))
    others = draw(st.lists(st.integers(0, classes - 1), min_size=rows - classes, max_size=rows - classes))
    y = np.concatenate([np.arange(classes), np.array(others, int)])
    free = draw(arrays(int, (rows, attributes), elements=st.integers(-1, values - 1)))  # -1: that of the class
    codes = np.where(free < 0, y[:, None] % values, free)
    return codes, y, draw(arrays(int, rows, elements=st.integers(1, 3)))


@st.composite
def mixed_table(draw):
    """A list of rows with a number, a number that is sometimes missing and a text; classes and integer weights."""
    codes, y, weights = draw(coded_rows(max_rows=40, max_attributes=1))
    whole = st.integers(0, 4)
    tenths = draw(arrays(int, len(y), elements=st.integers(-12, 12)))
    number = draw(arrays(int, len(y), elements=whole)) + y
    is_missing = draw(arrays(bool, len(y), elements=st.booleans()))
    is_missing[0] = False
    text = np.array(["red", "green", "blue"], dtype=object)[draw(arrays(int, len(y), elements=st.integers(0, 2)))]
    first, second = codes[:, 0] + tenths / 10, np.where(is_missing, np.nan, number)
    return [[float(a), float(b), c] for a, b, c in zip(first, second, text, strict=True)], y, weights


@st.composite
def tied_lines(draw):
    """Slopes, intercepts, classes and weights of lines with small whole numbers: many tie, many are parallel."""
    rows, classes = draw(st.integers(1, 8)), draw(st.integers(2, 4))
    size = draw(st.sampled_from([1, 2, 4, 40]))
    small = arrays(float, (rows, classes), elements=st.integers(-size, size).map(float))
    y = arrays(int, rows, elements=st.integers(0, classes - 1))
    weight = arrays(float, rows, elements=st.integers(1, 3).map(float))
    return draw(small), draw(small), draw(y), draw(weight)


@st.composite
def row_intervals(draw, max_rows=60):
    """The ends of rows' intervals of β, whole multiples of 2⁻⁴⁰, and weights; some rows have no interval."""
    anywhere = st.integers(0, 2**40)
    crowded = st.integers(0, 40).map(lambda few: 2**39 + few)
    end = st.one_of(st.sampled_from([0, 2**40]), anywhere, crowded)
    interval = st.one_of(st.tuples(end, end).filter(lambda ends: ends[0] != ends[1]).map(sorted), st.just([2**40, 0]))
    ends = draw(st.lists(interval, min_size=1, max_size=max_rows))
    weight = draw(st.lists(st.integers(1, 3), min_size=len(ends), max_size=len(ends)))
    return np.array(ends) / 2.0**40, np.array(weight, float)


@st.composite
def accuracy_tables(draw, fewest=2):
    """Accuracies (sets, classifiers) to two decimals, so that ties and equal differences are many."""
    shape = draw(st.integers(1, 20)), draw(st.integers(fewest, 5))
    return draw(arrays(np.int64, shape, elements=st.integers(40, 60))) / 100


@st.composite
def edits_of(draw, model, most=5):
    """Edits of a fitted model that apply to it: of any kind, as a file of edits holds them."""
    numbers = [one for one in model.encoder_.attributes if one.is_numeric and one.n_known]
    texts = [one for one in model.encoder_.attributes if not one.is_numeric and one.categories]

    def cells():
        if texts and (not numbers or draw(st.booleans())):
            one = draw(st.sampled_from(texts))
            few = st.lists(st.sampled_from(one.categories), min_size=1, unique=True)
            return {"column": one.name, "values": [*draw(few)]}
        one = draw(st.sampled_from(numbers))
        if one.n_values > one.n_known and draw(st.booleans()):
            return {"column": one.name, "values": [{"missing": True}]}
        ends = [None, *one.cuts.tolist(), None]
        low = draw(st.integers(0, len(ends) - 2))
        return {"column": one.name, "from": ends[low], "to": ends[draw(st.integers(low + 1, len(ends) - 1))]}

    def edit():
        what = draw(st.sampled_from(["remove", "flatten", "set", "smooth", "rising", "falling", "merge", "pair"]))
        of_class = {"class": draw(st.sampled_from(model.classes_.tolist()))}
        if what == "pair" and model.pairs_:
            a, b = draw(st.sampled_from(model.pairs_))
            return {"do": "remove", "column": b, "with": a}
        if what == "set":
            return {"do": "set", "effect": draw(st.integers(-8, 8)) / 4, **of_class, **cells()}
        if what == "flatten":
            return {"do": "flatten", **cells()}
        if what == "merge" and (many := [one for one in texts if len(one.categories) > 1]):
            one = draw(st.sampled_from(many))
            few = st.lists(st.sampled_from(one.categories), min_size=2, unique=True)
            return {"do": "merge", "column": one.name, "values": [*draw(few)]}
        if what in ("smooth", "rising", "falling") and numbers:
            one = draw(st.sampled_from(numbers))
            return {"do": what, "column": one.name} | ({} if what == "smooth" else of_class)
        return {"do": "remove", "column": draw(st.sampled_from([one.name for one in model.encoder_.attributes]))}

    return [
        edit() | {"reason": draw(st.sampled_from(["an artefact", "'; --\n</script>\u2028*/"]))} for _ in range(most)
    ]
