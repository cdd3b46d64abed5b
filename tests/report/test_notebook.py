import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn import config_context

from atfnb import ATFNB, NB
from atfnb.evaluation import cross_validate


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


def test_a_report_is_shown_in_a_frame_of_its_own_and_is_not_printed(frame, tmp_path):
    page = NB().fit(frame, frame["0"] > 0).report(frame, frame["0"] > 0, folds=2, title='a "title"')
    assert len(repr(page)) < 200
    assert "save(path)" in repr(page)
    assert str(page).lstrip().startswith("<!doctype html>")
    shown = page._repr_html_()
    assert shown.startswith('<iframe title="a &quot;title&quot;" sandbox="allow-scripts allow-downloads" ')
    assert shown.count("<") == 2
    assert page.save(tmp_path / "page.html").read_text(encoding="utf-8") == str(page)


def test_a_cross_validation_is_a_small_table(frame):
    found = cross_validate({"NB": NB(), "<b>": NB()}, frame, frame["0"] > 0, folds=2)
    assert repr(found).splitlines()[0] == "60 rows, 2 classes; 2 folds"
    assert len(repr(found).splitlines()) == 4
    assert found._repr_html_().count("<td>") == 8
    assert "<th>&lt;b&gt;</th>" in found._repr_html_()
