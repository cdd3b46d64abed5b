from importlib.resources import files

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from sklearn.datasets import load_iris

from atfnb import ATFNB, NB, FusionNB, plot_beta, plot_effects, plot_pair, plot_weights
from atfnb.report import BLUE, RED

IRIS = load_iris(return_X_y=True)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_plot_beta_shows_the_curve_the_interval_and_the_grid():
    model = ATFNB().fit(*IRIS)
    ax = plot_beta(model)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    low, high = model.beta_interval_
    assert f"best interval, {low:.4f} to {high:.4f}" in labels
    assert "grid, step 0.01" in labels
    grid = ax.lines[0].get_xydata()
    assert len(grid) == 101
    assert grid[:, 1].max() == pytest.approx(model.beta_accuracy_)


def test_plots_draw_on_the_axes_they_are_given():
    _, (left, right) = plt.subplots(1, 2)
    model = ATFNB().fit(*IRIS)
    assert plot_beta(model, ax=left, step=0.1) is left
    assert plot_weights(model, ax=right) is right
    assert len(plt.get_fignums()) == 1


def test_plot_weights_shows_every_attribute_in_order():
    model = NB().fit(pd.DataFrame(IRIS[0], columns=["a", "b", "$c$", "d" * 50]), IRIS[1])
    ax = plot_weights(model)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b", r"\$c\$", "d" * 27 + "…"]
    assert [bar.get_width() for bar in ax.patches] == [1.0] * 4


def test_plot_weights_shows_the_top_of_many():
    X = np.random.default_rng(0).integers(0, 3, (80, 50))
    ax = plot_weights(ATFNB(categorical_features="all").fit(X, np.arange(80) % 3))
    assert len(ax.get_yticklabels()) == 30
    assert "30 attributes of 50" in ax.get_xlabel()


def test_plot_beta_needs_a_switching_factor():
    with pytest.raises(TypeError, match="not NB"):
        plot_beta(NB().fit(*IRIS))


def test_plot_effects_draws_steps_along_a_number_and_points_for_categories():
    y = np.arange(60) % 3
    frame = pd.DataFrame({"size": y + np.linspace(0, 1, 60), "colour": np.array(["red", "blue", "green"])[y]})
    frame.loc[::9, "size"] = np.nan
    model = FusionNB(missing="value").fit(frame, y)
    steps = plot_effects(model, "size")
    assert steps.get_xlabel() == "size"
    assert len(steps.patches) == 6  # a line and a band for each class
    assert [text.get_text() for text in steps.texts] == ["missing"]
    points = plot_effects(model, 1, ax=plt.subplots()[1])
    assert [label.get_text() for label in points.get_yticklabels()] == ["red", "green", "blue"]
    assert points.get_title() == "colour"
    constant = plot_effects(NB().fit([[1.0], [1.0]], [0, 1]), 0)
    assert len(constant.patches) == 4
    with pytest.raises(ValueError, match="attribute 'weight' is not in the model"):
        plot_effects(model, "weight")


def test_plot_effects_marks_whole_numbers_only():
    frame = pd.DataFrame({"male": [0, 1] * 20, "year": [2000, 2000, 2003, 2003] * 10})
    model = NB().fit(frame, [0, 1] * 20)
    ax = plot_effects(model, "male")
    assert ax.patches[0].get_data().edges.tolist() == [-0.5, 0.5, 1.5]
    for name in frame:
        ticks = plot_effects(model, name, ax=plt.subplots()[1]).get_xticks()
        assert all(float(tick).is_integer() for tick in ticks), ticks


def signs(rows=300, classes=2):
    """A number, a category with a missing value and one of many levels: the first two act together."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=rows), "side": rng.choice(["left", "right", None], rows)})
    X["town"] = rng.integers(0, 40, rows).astype(str)
    y = ((X["size"] > 0) == (X["side"] == "left")).astype(int) + (classes > 2) * (X["size"] > 1)
    return X, y.to_numpy()


def test_plot_pair_draws_a_map_for_each_class_and_only_one_of_two():
    X, y = signs()
    model = FusionNB(pairs=[("size", "side"), ("side", "town")]).fit(X, y)
    (ax,) = plot_pair(model, "size", "side")
    assert ax.get_title() == "for and against 1"
    assert [text.get_text() for text in ax.get_xticklabels()][-1] == "missing"
    drawn = ax.images[0].get_array()
    effects, rows = model.pair_effects_[0], model.model_.grids.rows_of(0)
    assert drawn.shape == effects.shape[:2]
    np.testing.assert_array_equal(drawn.filled(np.nan), np.where(rows > 0, effects[:, :, 1], np.nan))
    (turned,) = plot_pair(model, 1, 0)
    np.testing.assert_array_equal(turned.images[0].get_array().filled(np.nan), drawn.filled(np.nan).T)
    (towns,) = plot_pair(model, "side", "town")
    assert [text.get_text() for text in towns.get_xticklabels()][-1] == "28 others"
    X, y = signs(classes=3)
    three = FusionNB(pairs=[("size", "side")]).fit(X, y)
    assert [ax.get_title() for ax in three.plot_pair("size", "side")] == [f"for and against {c}" for c in range(3)]
    assert len(plot_pair(three, "size", "side", top=1)) == 1


def test_a_pair_that_does_not_act_together_is_refused_with_those_that_do():
    X, y = signs()
    model = FusionNB(pairs=[("size", "side")]).fit(X, y)
    with pytest.raises(ValueError, match=r"'size' and 'town' do not act together in this model\. Its pairs: size"):
        plot_pair(model, "size", "town")
    with pytest.raises(ValueError, match="Its pairs: none"):
        plot_pair(NB().fit(X, y), "size", "side")
    with pytest.raises(ValueError, match="attribute 'cide' is not in the model"):
        plot_pair(model, "size", "cide")


def test_plot_effects_marks_dates():
    X = pd.DataFrame({"day": pd.date_range("2021-01-01", periods=300)})
    ax = plot_effects(FusionNB().fit(X, np.arange(300) > 160), "day: date")
    ax.figure.canvas.draw()
    marks = [text.get_text() for text in ax.get_xticklabels()]
    assert 2 <= len(marks) <= 7
    assert all(mark.startswith("202") and len(mark) == 10 for mark in marks)


def test_plot_effects_marks_attributes_that_also_act_in_pairs():
    X, y = signs()
    model = FusionNB(pairs=[("size", "side")]).fit(X, y)
    assert "acts together with 'side' too" in plot_effects(model, "size").get_xlabel()
    assert "together" not in plot_effects(model, "town").get_xlabel()


def test_plot_pair_scales_its_colours_by_the_cells_that_have_rows():
    a = np.random.default_rng(0).integers(0, 5, 600)
    b = (a + np.random.default_rng(1).integers(0, 2, 600)) % 5
    X = pd.DataFrame({"a": a, "b": b}).astype(str)
    model = FusionNB(pairs=1).fit(X, (a + b) % 3)
    rows, table = model.model_.grids.rows_of(0), model.pair_effects_[0]
    seen = np.abs(table[rows > 0]).max()
    assert np.abs(table).max() > 1.1 * seen
    for axes in (plot_pair(model, "a", "b"), plot_pair(model, "b", "a")):
        assert len(axes) == 3
        assert axes[0].images[0].get_clim() == (-seen, seen)
        assert np.isnan(axes[0].images[0].get_array().filled(np.nan)).sum() == (rows == 0).sum()
    with pytest.raises(ValueError, match="top must be a whole number from 1 on, not 0"):
        plot_pair(model, "a", "b", top=0)
    with pytest.raises(ValueError, match=r"'a' and 'a' do not act together in this model\. Its pairs: a × b"):
        plot_pair(model, "a", "a")


def test_the_pooled_value_is_shown_however_small_its_effect():
    random = np.random.default_rng(0)
    towns = np.repeat([f"town {i}" for i in range(9)], 20)
    X = [[town] for town in [*towns, *(f"village {i}" for i in range(100))]]
    y = [*(random.random(180) < np.repeat(np.linspace(0.1, 0.9, 9), 20)), *([True, False] * 50)]
    labels = plot_effects(NB(min_category_rows=10).fit(X, y), 0, top=4).get_yticklabels()
    assert labels[0].get_text() == "any of 100 rare values"
    assert len(labels) == 4


def test_effects_have_bands_of_ninety_percent():
    X = pd.DataFrame({"size": np.arange(60.0), "colour": ["red", "blue", "grey"] * 20})
    y = (np.arange(60) >= 30).astype(int)
    model = NB().fit(X, y)
    axes = plot_effects(model, "size")
    bands = [patch for patch in axes.patches if patch.get_fill()]
    assert len(bands) == 2
    half = 1.6448536 * model.effect_errors_[0, 0]
    effect = model.table_[0, 0] - model.table_[0].mean()
    heights = bands[0].get_path().vertices[:, 1]
    assert heights.min() == pytest.approx(min(effect - half, model.table_[1, 0] - model.table_[1].mean() - half))
    assert len(plot_effects(model, "colour").collections) == 2


def test_what_speaks_for_a_class_is_blue_and_what_speaks_against_it_red_in_every_plot_and_on_the_page():
    style = files("atfnb.report").joinpath("templates", "model.css").read_text(encoding="utf-8")
    assert f"--for: light-dark({BLUE}," in style
    assert f"--no: light-dark({RED}," in style
    X, y = signs()
    model = FusionNB(pairs=[("size", "side")]).fit(X, y)
    (image,) = plot_pair(model, "size", "side")[0].images
    largest = image.get_clim()[1]
    assert [to_hex(image.to_rgba(value)) for value in (-largest, largest)] == [RED, BLUE]
    bars = model.plot_row(X[:1]).patches[1:]
    assert {to_hex(bar.get_facecolor()) for bar in bars if bar.get_width() > 0} == {BLUE}
    assert {to_hex(bar.get_facecolor()) for bar in bars if bar.get_width() < 0} <= {RED}


@pytest.mark.parametrize(("top", "said"), [(6, "6 of 8 classes, by the size of their effects"), (8, "")])
def test_plot_pair_says_if_it_leaves_out_classes_and_cuts_no_label(top, said):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 4, (400, 2)).astype(str), columns=["a" * 40, "b" * 40])
    y = (X.astype(int).sum(axis=1) + rng.integers(0, 2, 400)) % 8
    figure = plot_pair(FusionNB(pairs=1, shrinkage=1.0).fit(X, y), 0, 1, top=top)[0].figure
    assert figure.get_suptitle() == said
    model = FusionNB(pairs=[tuple(X)], shrinkage=1.0).fit(X, y > 3)
    for drawn in (figure, plot_pair(model, 0, 1)[0].figure):
        drawn.canvas.draw()
        inside, whole = drawn.get_tightbbox(), drawn.bbox_inches
        assert inside.x0 >= 0
        assert inside.y0 >= 0
        assert inside.x1 <= whole.x1
        assert inside.y1 <= whole.y1


def test_plot_effects_draws_the_classes_that_are_chosen_and_says_if_it_leaves_some_out():
    y = np.arange(260) % 13
    X = pd.DataFrame({"size": y + np.linspace(0, 1, 260), "kind": np.array(list("abcdefghijklm"))[y]})
    names = lambda ax: [text.get_text() for text in ax.get_legend().get_texts()]  # noqa: E731
    model = NB().fit(X, np.array([f"class {c}" for c in y]))
    for name in X:
        every = plot_effects(model, name)
        assert len(names(every)) == 10
        assert "10 of 13 classes, by the size of their effects" in every.get_xlabel()
        chosen = model.plot_effects(name, classes=["class 7", "class 2"])
        assert names(chosen) == ["class 7", "class 2"]
        assert "classes" not in chosen.get_xlabel()
        assert names(model.plot_effects(name, classes="class 7")) == ["class 7"]
    with pytest.raises(ValueError, match=r"class 'class 99' is not in the model\. It has 'class 0'"):
        plot_effects(model, "size", classes=["class 99"])
