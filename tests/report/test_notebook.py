import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn import config_context

from atfnb import ATFNB, NB


@pytest.fixture(autouse=True)
def _no_figures_left():
    yield
    plt.close("all")


@pytest.fixture
def frame():
    random = np.random.default_rng(0)
    return pd.DataFrame(random.normal(size=(60, 12)), columns=["<script>alert(1)</script>", *map(str, range(11))])


def test_a_fitted_model_shows_weights_and_beta_below_the_diagram(frame):
    model = ATFNB().fit(frame, frame["0"] > 0)
    for html in (model._repr_mimebundle_()["text/html"], model._repr_html_()):
        assert f"β = {model.beta_:.4f}" in html
        assert html.count("height: .8em") == 10
        assert "and 2 more attributes" in html
        assert "&lt;script&gt;alert(1)" in html
        assert "<script>alert(1)" not in html


def test_before_the_fit_and_as_text_nothing_is_added(frame):
    assert "height: .8em" not in NB()._repr_html_()
    with config_context(display="text"):
        assert "text/html" not in NB().fit(frame, frame["0"] > 0)._repr_mimebundle_()
    assert "β" not in NB().fit(frame, frame["0"] > 0)._repr_html_()


def test_the_plots_are_methods_too(frame):
    model = ATFNB().fit(frame, frame["0"] > 0)
    assert model.plot_weights(top=3).get_xlabel() == "weight: the 3 attributes of 12 that count most"
    assert model.plot_effects("0").get_xlabel() == "0"
    assert model.plot_beta(step=0.5).get_xlabel() == "switching factor β"
