"""Pages that everybody can read: axe-core finds no violation of WCAG 2.1 AA, and every picture says what it shows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from atfnb import ATFNB, NB, FusionNB
from atfnb.report import calculator_page, model_page


def two_classes():
    random = np.random.default_rng(1)
    y = np.arange(300) % 2
    X = pd.DataFrame(
        {
            "size": y + random.normal(size=300),
            "colour": np.array(["red", "green", "blue"])[(y + random.integers(0, 2, 300)) % 3],
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(90 * y + random.integers(0, 200, 300), unit="D"),
        }
    )
    X.loc[::9, ["size", "colour"]] = None
    return FusionNB(pairs=1, shrinkage=1.0).fit(X, np.array(["no", "yes"])[y]), X, np.array(["no", "yes"])[y]


def many_classes():
    random = np.random.default_rng(2)
    y = np.arange(1300) % 26
    X = pd.DataFrame(random.normal(size=(1300, 12)) + y[:, None] % 5, columns=[f"column {k}" for k in range(12)])
    return NB().fit(X, y), X, y


def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return ATFNB().fit(X, y), X, y


PAGES = {
    "two": lambda: str(model_page(*two_classes(), folds=2, notes=["A note."])),
    "wine": lambda: str(model_page(*wine(), folds=2, test=wine()[1:])),
    "many": lambda: str(model_page(*many_classes(), folds=2)),
    "calculator": lambda: str(calculator_page(two_classes()[0])),
}


@pytest.fixture(scope="module", params=PAGES)
def page(request):
    return PAGES[request.param]()


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1280, "light"),
        (390, "dark"),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in [(390, "light"), (1280, "dark")]),
    ],
)
def test_axe_finds_no_violation(page, scheme, width, visit, violations):
    tab = visit(page, scheme=scheme, width=width)
    assert violations(tab) == []


def test_axe_would_find_one(visit, violations):
    page = PAGES["calculator"]().replace('aria-label="Start from"', 'aria-label="Start from" aria-hidden="true"')
    assert {rule for rule, _ in violations(visit(page))} == {"aria-hidden-focus"}


def test_every_picture_has_a_text_that_says_what_it_shows(page, visit):
    tab = visit(page)
    pictures = tab.eval_on_selector_all(
        "svg:not([aria-hidden]), .track",
        "all => all.map((e) => [e.getAttribute('role'), e.getAttribute('aria-label')])",
    )
    assert all(role == "img" and len(words) > 5 for role, words in pictures)
