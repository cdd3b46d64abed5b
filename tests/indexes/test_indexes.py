"""Every index against an independent oracle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import entropy
from sklearn.metrics import mutual_info_score

from atfnb import ATFNB, WeightedNB
from atfnb.counts import count
from atfnb.indexes import (
    REDUNDANCY,
    RELEVANCE,
    find_redundancy,
    find_relevance,
    mean_redundancy,
    normalized,
    registry,
)
from helpers.strategies import coded_rows

EXACT = {"rtol": 1e-9, "atol": 1e-12}


def rows_and_counts(case, needs=("pairs", "moments")):
    """Rows repeated by their weights, for the oracles; the largest code of each attribute is "unknown" now and then."""
    codes, y, weights = case
    codes = codes.astype(np.uint8)
    n_values = codes.max(axis=0).astype(np.int64) + (np.arange(codes.shape[1]) % 2)
    counts = count(codes, y.astype(np.int32), weights.astype(float), n_values, int(y.max()) + 1, frozenset(needs))
    known = codes < n_values
    repeat = np.repeat(np.arange(len(y)), weights)
    return codes[repeat], y[repeat], known[repeat], counts


def h(labels):
    return entropy(np.unique(labels, return_counts=True)[1]) if len(labels) else 0.0


def information_gain(a, c):
    """Eq. 22, as printed."""
    return h(c) - sum((a == v).mean() * h(c[a == v]) for v in np.unique(a))


def kullback_leibler(a, c):
    """Eq. 6, as printed, before Z."""
    classes = np.unique(c)
    prior = np.array([(c == k).mean() for k in classes])
    divergence = sum((a == v).mean() * entropy([(c[a == v] == k).mean() for k in classes], prior) for v in np.unique(a))
    return divergence / h(a) if h(a) > 0 else 0.0


def correlation(a, b):
    return abs(np.corrcoef(a, b)[0, 1]) if len(np.unique(a)) > 1 and len(np.unique(b)) > 1 else 0.0


def su(a, b):
    return 2 * mutual_info_score(a, b) / (h(a) + h(b)) if h(a) + h(b) > 0 else 0.0


TO_CLASS = {
    "information_gain": information_gain,
    "mutual_information": mutual_info_score,
    "gain_ratio": lambda a, c: mutual_info_score(a, c) / h(a) if h(a) > 0 else 0.0,
    "kullback_leibler": kullback_leibler,
    "symmetric_uncertainty": su,
    "pearson": correlation,
    "uniform": lambda a, c: 1.0,
}
TO_OTHERS = {
    "mutual_information": mutual_info_score,
    "symmetric_uncertainty": su,
    "pearson": correlation,
    "zero": lambda a, b: 0.0,
}


def test_every_registered_index_has_an_oracle():
    assert set(TO_CLASS) == set(RELEVANCE)
    assert set(TO_OTHERS) == set(REDUNDANCY)


@pytest.mark.parametrize("name", sorted(TO_CLASS))
@given(case=coded_rows())
def test_7_relevance_agrees_with_its_oracle(name, case):
    codes, y, known, counts = rows_and_counts(case)
    for j, ours in enumerate(find_relevance(name)(counts)):
        rows = known[:, j]
        if rows.any():
            assert_allclose(ours, TO_CLASS[name](codes[rows, j], y[rows]), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", sorted(TO_OTHERS))
@given(case=coded_rows())
def test_7_redundancy_agrees_with_its_oracle(name, case):
    codes, _, known, counts = rows_and_counts(case)
    matrix = find_redundancy(name)(counts)
    assert_allclose(matrix, matrix.T, **EXACT)
    for i in range(codes.shape[1]):
        for j in range(i):
            rows = known[:, i] & known[:, j]
            if rows.any():
                assert_allclose(matrix[i, j], TO_OTHERS[name](codes[rows, i], codes[rows, j]), rtol=1e-7, atol=1e-9)


@given(coded_rows())
def test_the_two_names_of_one_index_agree(case):
    _, _, _, counts = rows_and_counts(case)
    assert_allclose(RELEVANCE["information_gain"](counts), RELEVANCE["mutual_information"](counts), **EXACT)
    assert_allclose(RELEVANCE["gain_ratio"](counts), RELEVANCE["kullback_leibler"](counts), **EXACT)


@given(st.lists(st.floats(0, 1e3), min_size=1, max_size=8))
def test_normalisations(values):
    index = np.array(values)
    assert_allclose(normalized(index, None), index)
    if index.max() > 1e-300:
        assert normalized(index, "max").max() == pytest.approx(1)
        assert normalized(index, "mean").mean() == pytest.approx(1)
        assert normalized(index, "sum").sum() == pytest.approx(1)
    scaled = normalized(index, "minmax")
    assert scaled.min() == 0
    assert scaled.max() in (0, pytest.approx(1))


def test_mean_redundancy_leaves_out_the_attribute_itself():
    matrix = np.array([[99.0, 1.0, 3.0], [1.0, 99.0, 2.0], [3.0, 2.0, 99.0]])
    assert_allclose(mean_redundancy(matrix, None), [2.0, 1.5, 2.5])
    assert_allclose(mean_redundancy(matrix, "max"), np.array([2.0, 1.5, 2.5]) / 3)
    assert_allclose(mean_redundancy(matrix, "mean"), np.array([2.0, 1.5, 2.5]) / 2)
    assert_allclose(mean_redundancy(np.array([[5.0]]), "max"), [0.0])


def test_an_unknown_name_lists_the_known_ones():
    X, y = [[1.0], [2.0]], [0, 1]
    with pytest.raises(ValueError, match=r"relevance 'nonesuch' is not known. Known: .*gain_ratio, .*information_gain"):
        ATFNB(relevance="nonesuch").fit(X, y)
    with pytest.raises(ValueError, match=r"redundancy 'nonesuch' is not known. Known: .*mutual_information, .*pearson"):
        ATFNB(redundancy="nonesuch").fit(X, y)
    with pytest.raises(ValueError, match="relevance 'nonesuch' is not known"):
        WeightedNB(weights="nonesuch").fit(X, y)
    with pytest.raises(ValueError, match="normalize must be one of 'max', 'mean'"):
        ATFNB(normalize="l2").fit(X, y)


def test_functions_of_the_counts_serve_as_indexes():
    X, y = np.random.default_rng(0).integers(0, 3, (60, 4)), np.arange(60) % 2
    named = ATFNB(relevance="gain_ratio", redundancy="mutual_information").fit(X, y)
    called = ATFNB(relevance=RELEVANCE["gain_ratio"].function, redundancy=REDUNDANCY["mutual_information"].function)
    assert_allclose(called.fit(X, y).weights_, named.weights_)


@pytest.mark.parametrize("answer", [None, np.nan, [1.0, 2.0], np.full(3, np.inf), np.ones((3, 3, 3)), ["a", "b", "c"]])
def test_an_index_that_gives_nonsense_is_named(answer):
    def odd(counts):
        return np.full(3, answer) if answer is np.nan else answer

    X, y = np.random.default_rng(0).random((20, 3)), np.arange(20) % 2
    for parameter, wanted in (("relevance", "3 numbers"), ("redundancy", "3 × 3 matrix")):
        with pytest.raises(ValueError, match=f"the index 'odd' must give .*{wanted}"):
            ATFNB(**{parameter: odd}).fit(X, y)


def test_a_registered_function_is_known_by_itself():
    for known in REDUNDANCY.values():
        assert find_redundancy(known) is known
        assert find_redundancy(known.function).needs == known.needs


def test_a_function_may_say_what_it_needs():
    def by_pairs(counts):
        return np.ones(len(counts.n_values)) * (counts.pairs is not None)

    by_pairs.needs = {"pairs"}
    X, y = np.random.default_rng(0).random((20, 3)), np.arange(20) % 2
    assert_allclose(WeightedNB(weights=by_pairs).fit(X, y).weights_, 1)
    assert_allclose(ATFNB(relevance=by_pairs).fit(X, y).relevance_, 1)


@pytest.mark.parametrize("declared", [True, False])
def test_a_registered_relevance_gets_the_counts_that_it_needs(monkeypatch, declared):
    def by_pairs(counts):
        return np.ones(len(counts.n_values)) * (counts.pairs is not None)

    monkeypatch.setitem(RELEVANCE, "by_pairs", None)
    del RELEVANCE["by_pairs"]
    if declared:
        registry.relevance("by_pairs", needs="pairs")(by_pairs)
    else:
        by_pairs.needs = {"pairs"}
        registry.relevance("by_pairs")(by_pairs)
    X, y = np.random.default_rng(0).random((20, 3)), np.arange(20) % 2
    assert_allclose(WeightedNB(weights="by_pairs").fit(X, y).weights_, 1)
    assert_allclose(ATFNB(relevance="by_pairs").fit(X, y).relevance_, 1)


def test_what_rounding_leaves_of_independence_is_nothing():
    rng = np.random.default_rng(0)
    for _ in range(100):
        a, b, c = rng.integers(1, 6, 3), rng.integers(1, 4, 2), rng.integers(1, 6, 2)
        rows = [(i, j, k) for i in range(3) for j in range(2) for k in range(2) for _ in range(a[i] * b[j] * c[k])]
        X, y = np.array(rows)[:, :2], np.array(rows)[:, 2]
        for index in ("information_gain", "pearson"):
            model = ATFNB(relevance=index, redundancy="mutual_information", categorical_features="all").fit(X, y)
            assert not model.relevance_.any()
            assert not model.redundancy_.any()


@pytest.mark.parametrize(("name", "need"), [("pearson", "moments"), ("mutual_information", "pairs")])
def test_an_index_without_its_counts_says_so(name, need):
    counts = count(np.zeros((2, 1), np.uint8), np.zeros(2, np.int32), np.ones(2), np.array([1]), 2)
    with pytest.raises(ValueError, match=f"needs='{need}'"):
        REDUNDANCY[name](counts)


@pytest.mark.parametrize(
    ("register", "known", "name", "kind"),
    [(registry.relevance, RELEVANCE, "pearson", "relevance"), (registry.redundancy, REDUNDANCY, "zero", "redundancy")],
)
def test_a_name_that_is_taken_is_replaced_only_on_purpose(monkeypatch, register, known, name, kind):
    built_in = known[name]
    monkeypatch.setitem(known, name, built_in)

    def other(counts):
        return built_in(counts)

    with pytest.raises(ValueError, match=f"there is a {kind} named '{name}' already: .* replace=True"):
        register(name)(other)
    assert known[name] is built_in
    register(name)(built_in.function)
    register(name, replace=True)(other)
    assert known[name].function is other


def test_a_notebook_cell_can_be_run_again(monkeypatch):
    cell = "@relevance('of_a_notebook')\ndef of_a_notebook(counts):\n    return counts.n_values + {}"
    monkeypatch.setitem(RELEVANCE, "of_a_notebook", None)
    del RELEVANCE["of_a_notebook"]
    for version in (1, 2):
        exec(cell.format(version), {"__name__": "__main__", "relevance": registry.relevance})  # noqa: S102
    assert "of_a_notebook" in RELEVANCE
    with pytest.raises(ValueError, match="already"):
        exec(cell.replace("def of_a", "def of_b").format(3), {"__name__": "__main__", "relevance": registry.relevance})  # noqa: S102
