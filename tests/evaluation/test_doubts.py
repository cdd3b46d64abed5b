"""Which columns a page warns of."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from atfnb import ATFNB, NB, FusionNB
from atfnb.evaluation.tables import doubts_of, predicts_alone

pytestmark = pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")


def test_leaving_one_out_is_what_a_loop_over_the_rows_finds():
    random = np.random.default_rng(0)
    values, y = random.integers(0, 30, 200), random.integers(0, 3, 200)
    y[values < 12] = 1
    table = np.zeros((30, 3))
    np.add.at(table, (values, y), 1)
    right = 0
    for i in range(200):
        others = np.bincount(y[(values == values[i]) & (np.arange(200) != i)], minlength=3)
        right += others[y[i]] > np.delete(others, y[i]).max()
    assert predicts_alone(table) == right


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("model", [NB(), FusionNB()], ids=["NB", "FusionNB"])
def test_real_measurements_are_no_leaks(load, model):
    X, y = load(return_X_y=True, as_frame=True)
    found = doubts_of(model.fit(X, y))
    assert (found.rare_values, found.leaks) == ((), ())


def people(rows=300):
    random = np.random.default_rng(0)
    y = random.random(rows) < 0.1
    return y, pd.DataFrame(
        {
            "copy": np.where(y, "left", "stayed"),
            "threshold": random.random(rows) + y,
            "few": np.where(y, 1.0, 0.0),
            "nearly": np.where(random.random(rows) < 0.03, ~y, y).astype(int),
            "name": [f"person {i % 280}" for i in range(rows)],
            "city": [f"city {i % 60}" for i in range(rows)],
            "rare": ["usual"] * (rows - 3) + ["once", "twice", "thrice"],
            "gone": np.where(y, "moved", None),
        }
    )


def test_leaks_and_names_are_found_and_nothing_else():
    y, X = people()
    found = doubts_of(NB(missing="value").fit(X, y))
    assert [name for name, _ in found.leaks] == ["copy", "threshold", "few", "gone"]
    assert found.rare_values == ("name",)
    assert doubts_of(NB().fit(X[:19], np.arange(19) % 2)).rare_values == ()


@pytest.mark.parametrize("fewest", ["auto", 3, 1])
def test_names_are_found_although_they_count_as_one_and_towns_that_recur_are_not(fewest):
    y, X = people()
    X["town"] = [f"town {i % 90}" for i in range(len(X))]
    X["skewed"] = [f"town {max(i - 200, 0)}" for i in range(len(X))]  # most values once, in a third of the rows
    assert doubts_of(NB(min_category_rows=fewest).fit(X, y)).rare_values == ("name",)


def test_weights_do_not_change_what_is_found():
    y, X = people()
    for weight in (np.full(300, 0.001), np.full(300, 1000.0)):
        found = doubts_of(NB(missing="value").fit(X, y, weight))
        assert [name for name, _ in found.leaks] == ["copy", "threshold", "few", "gone"]
        assert found.rare_values == ("name",)


def notes(made):
    page = str(made)
    return page[page.index('id="notes"') : page.index("</section>")] if 'id="notes"' in page else ""


def test_a_page_made_in_python_warns_too():
    X, y = load_iris(return_X_y=True, as_frame=True)
    assert notes(ATFNB().fit(X, y).report(X, y, folds=2)) == ""
    odd = X.assign(number=np.arange(150), answer=y.map("abc".__getitem__))
    page = notes(ATFNB().fit(odd, y).report(odd, y, folds=2, notes=["I said <so>."]))
    assert page.index("I said &lt;so&gt;.") < page.index("number") < page.index("answer")
    assert "&#39;number&#39;: a different whole number in every row" in page
    assert "&#39;answer&#39; alone predicts the class in 100.0 % of the rows" in page
