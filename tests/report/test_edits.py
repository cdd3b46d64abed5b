"""Edits on the page: what it computes is what model.edit makes of the file that it saves, whatever was pressed."""

import json

import numpy as np
import pandas as pd
import pytest

from atfnb import NB, FusionNB
from atfnb.report import calculator_page, model_page
from atfnb.report.trial import trial_of
from helpers.browsers import answers_on_page
from helpers.export_rows import training

MOVES = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "]
TOOLS = [*3 * ["Flatten", "Smooth", "Rising", "Falling", "Merge"], "Remove", "Undo"]
PRESS = """(presses) => {
    for (const [key, shiftKey] of presses) {
        const tools = [...document.querySelectorAll(".panel button:not(:disabled)")];
        const tool = tools.filter((each) => each.textContent === key).at(-1);
        const event = new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true });
        if (tool) tool.click();
        else document.querySelector(".editing").dispatchEvent(event);
    }
}"""
ASKS = """() => {
    const event = new Event("beforeunload", { cancelable: true });
    window.dispatchEvent(event);
    return event.defaultPrevented;
}"""


def open_editor(tab, attribute):
    """Open the editor of an attribute, given by its position; one that is open closes."""
    box = tab.locator(f'details[data-attribute="{attribute}"]')
    if box.get_attribute("open") is None:
        box.locator("summary").first.click()
    box.locator(".edit").click()
    tab.wait_for_selector(f'details[data-attribute="{attribute}"] .editing')
    return box


def press(tab, *keys):
    """Press keys in the open editor; those that begin with + together with Shift."""
    tab.evaluate(PRESS, [(key.removeprefix("+"), key.startswith("+")) for key in keys])


def saved(tab):
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Save").click()
    assert download.value.suggested_filename == "edits.json"
    return json.loads(download.value.path().read_text(encoding="utf-8"))


def figures(tab):
    return json.loads(tab.get_attribute(".editor", "data-figures"))


def assert_figures(found, model, X, y):
    """The figures are those of a model on rows."""
    p, right = model.predict_proba(X), model.predict(X) == y
    of = np.searchsorted(model.classes_, y)
    assert found["accuracy"] == pytest.approx(right.mean(), abs=1e-12)
    assert found["logLoss"] == pytest.approx(-np.log(p[np.arange(len(y)), of]).mean(), abs=1e-9)
    for c, one in enumerate(found["classes"]):
        assert one["recall"] == pytest.approx(right[of == c].mean(), abs=1e-12)
        assert one["predicted"] == pytest.approx(p[:, c].mean(), abs=1e-9)
        assert one["actual"] == pytest.approx((of == c).mean(), abs=1e-12)


# --- the arithmetic --------------------------------------------------------------------------------

MODELS = {
    "NB": NB(),
    "NB, weights": NB(class_weight="balanced"),
    "FusionNB": FusionNB(pairs=3, shrinkage=1.0),
}
QUICK = [("NB, weights", 2), ("FusionNB", 3)]


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        pytest.param(name, classes, marks=[] if (name, classes) in QUICK else [pytest.mark.slow])
        for name in MODELS
        for classes in (2, 3)
    ],
)
def test_random_edits_are_those_of_python(name, classes, visit, monkeypatch):
    monkeypatch.setattr("atfnb.report.whatif.MOST_ROWS", 200)
    X, y = training(200, classes)
    model = MODELS[name].fit(X, y)
    random = np.random.default_rng(classes)
    tab = visit(str(model_page(model, X, y, folds=2)))
    if tab.is_visible("#counts-all"):
        tab.click("#counts-all")
    for j in random.permutation(len(model.weights_)):
        open_editor(tab, j)
        for _ in range(4):
            keys = [*random.choice(MOVES, 5), random.choice(TOOLS)]
            press(tab, *("+" * random.integers(2) + key for key in keys))
    file = saved(tab)
    assert (file["format"], file["version"], file["model"]) == ("atfnb-edits", 1, model.fingerprint_)
    assert {each["do"] for each in file["edits"]} >= {"set", "smooth", "rising", "falling", "merge"}
    edited = model.edit(file["edits"])
    assert_figures(figures(tab), edited, X, y)
    found, predicted = answers_on_page(tab, list(range(1, len(y) + 1)))
    assert np.abs(found - edited.predict_proba(X)).max() <= 1e-9
    np.testing.assert_array_equal(model.classes_[predicted], edited.predict(X))


# --- one editor ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two():
    """A model of a number, categories and one pair of them, its rows and its page."""
    random = np.random.default_rng(1)
    y = np.arange(400) % 2
    colour = np.array(["red", "green", "blue", "grey"])[
        (y * (random.random(400) < 0.6) + random.integers(0, 3, 400)) % 4
    ]
    X = pd.DataFrame({"size": y + random.normal(size=400), "colour": colour})
    X.loc[::9, "size"] = np.nan
    names = np.array(["no", "yes"])[y]
    model = FusionNB(pairs=1, shrinkage=1.0).fit(X, names)
    return model, X, names, str(model_page(model, X, names, folds=2))


SIZE, COLOUR = 0, 1


def drag(tab, box, start, end):
    """Drag from one place to another, given as shares of a box."""
    at = tab.locator(box).bounding_box()
    (x, y), *others = [
        (at["x"] + share[0] * at["width"], at["y"] + share[1] * at["height"])
        for share in (start, *np.linspace(start, end, 6))
    ]
    tab.mouse.move(x, y)
    tab.mouse.down()
    for place in others:
        tab.mouse.move(*place)
    tab.mouse.up()


def test_before_edit_is_pressed_there_is_nothing_but_a_small_button(two, visit):
    tab = visit(two[-1])
    assert tab.locator(".editing, .editor, .edits").count() == 0
    assert not tab.is_visible(".edits-note")
    assert tab.locator("#counts details .edit").all_inner_texts() == ["Edit"]
    assert not tab.evaluate(ASKS)
    tab.emulate_media(media="print")
    assert not tab.is_visible("#counts details .edit")


def test_a_point_is_dragged_up_and_a_range_along_the_axis_is_flattened(two, visit):
    model, X, y, page = two
    tab = visit(page)
    panel = open_editor(tab, SIZE)
    assert_figures(figures(tab), model, X, y)
    tab.locator(".chart.editing").scroll_into_view_if_needed()
    drag(tab, ".chart.editing", (0.5, 0.45), (0.5, 0.2))
    drag(tab, ".chart.editing", (0.6, 0.85), (0.8, 0.85))
    assert "values)" in panel.locator("[role=status]").inner_text()
    tab.click("text=Flatten")
    raised, flat = saved(tab)["edits"]
    assert raised["do"] == "set"
    assert raised["effect"] > 0
    assert flat["do"] == "flatten"
    assert flat["from"] >= raised["from"]
    assert_figures(figures(tab), model.edit([raised, flat]), X, y)
    assert panel.locator(".learned").count() == 1


def test_categories_are_dragged_ticked_and_merged(two, visit):
    model, X, y, page = two
    tab = visit(page)
    open_editor(tab, COLOUR)
    tab.locator(".list.editing").scroll_into_view_if_needed()
    drag(tab, ".value-line:nth-child(2) .track", (0.5, 0.5), (0.9, 0.5))
    for line in (2, 4):
        tab.click(f".value-line:nth-child({line}) .label")
    tab.click("text=Merge")
    moved, merged = saved(tab)["edits"]
    assert (moved["do"], len(moved["values"])) == ("set", 1)
    assert (merged["do"], len(merged["values"])) == ("merge", 2)
    assert_figures(figures(tab), model.edit([moved, merged]), X, y)


def test_a_pair_is_removed(two, visit):
    model, X, y, page = two
    tab = visit(page)
    tab.click("#pair-edit .edit")
    tab.click("#pair-edit >> text=Remove")
    assert tab.get_by_role("button", name="Remove", exact=True).is_disabled()
    assert set(tab.locator("#pair-maps .cell:not(.none)").all_inner_texts()) == {"0"}
    (edit,) = saved(tab)["edits"]
    assert {edit["column"], edit["with"]} == {"size", "colour"}
    assert_figures(figures(tab), model.edit([edit]), X, y)


def test_each_edit_has_a_reason_and_can_be_undone(two, visit):
    model, X, y, page = two
    tab = visit(page)
    open_editor(tab, SIZE)
    press(tab, "ArrowUp", "ArrowUp", "Rising", "Remove")
    assert [line.split("\n")[0] for line in tab.locator(".edits li").all_inner_texts()][1:] == [
        "size: all values made rising for yes",
        "size: removed",
    ]
    tab.get_by_label("Reason: size: removed").fill("not known in time")
    assert "2 edits without a reason" in tab.inner_text(".edits")
    tab.get_by_role("button", name="Undo: size: all values made rising").click()
    first, last = saved(tab)["edits"]
    assert (first["reason"], last["reason"]) == ("no reason given", "not known in time")
    assert_figures(figures(tab), model.edit([first, last]), X, y)
    for _ in range(2):
        tab.locator(".editing").press("Control+z")
    assert_figures(figures(tab), model, X, y)
    assert tab.locator(".edits li").count() == 0


def test_leaving_with_edits_that_are_not_saved_asks(two, visit):
    tab = visit(two[-1])
    open_editor(tab, SIZE)
    press(tab, "ArrowUp")
    assert tab.evaluate(ASKS)
    saved(tab)
    assert not tab.evaluate(ASKS)
    tab.locator(".edits input").fill("because")
    assert tab.evaluate(ASKS)
    press(tab, "Undo")
    assert not tab.evaluate(ASKS)


def test_what_is_drawn_and_computed_outside_the_editor_says_that_it_is_edited(two, visit):
    model, X, _, page = two
    tab = visit(page)
    open_editor(tab, SIZE)
    press(tab, "Remove")
    (edit,) = saved(tab)["edits"]
    tab.click("text=Done")
    assert tab.locator(".edits-note").all_inner_texts() == [tab.inner_text("#counts .edits-note")] * 2
    assert "1 edit;" in tab.inner_text("#counts .edits-note")
    found, _ = answers_on_page(tab, [1, 2, 3])
    np.testing.assert_allclose(found, model.edit([edit]).predict_proba(X[:3]), atol=1e-9)


def test_words_say_what_each_key_did(two, visit):
    tab = visit(two[-1])
    open_editor(tab, SIZE)
    press(tab, "Home", "+ArrowRight")
    assert "(2 values)" in tab.inner_text(".panel [role=status]")
    assert "2 values" in tab.get_attribute(".editing", "aria-valuetext")
    press(tab, "ArrowUp")
    assert "Accuracy" in tab.inner_text(".panel [role=status]")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
@pytest.mark.parametrize("attribute", [SIZE, COLOUR])
def test_axe_finds_nothing_in_an_open_editor(attribute, width, scheme, two, visit, violations):
    tab = visit(two[-1], width=width, scheme=scheme)
    open_editor(tab, attribute)
    press(tab, "+ArrowRight", "+ArrowDown", "Rising", "ArrowUp", "ArrowRight")
    assert violations(tab) == []
    assert tab.evaluate("document.documentElement.scrollWidth") == width


def test_whole_numbers_are_named_so_that_no_neighbour_is_meant_too(visit):
    random = np.random.default_rng(0)
    age = random.integers(10, 90, 500)
    y = np.where(random.random(500) < np.where(age == 19, 0.9, age / 100), "yes", "no")
    X = pd.DataFrame({"age": age})
    model = NB().fit(X, y)
    model.encoder_.attributes[0].cuts[:] = np.round(model.encoder_.attributes[0].cuts)
    tab = visit(str(model_page(model, X, y, folds=2)))
    open_editor(tab, 0)
    press(tab, "Home", "ArrowUp")
    (edit,) = saved(tab)["edits"]
    assert_figures(figures(tab), model.edit([edit]), X, y)


def test_a_calculator_and_a_model_that_the_page_cannot_compute_have_no_editor(two, visit, monkeypatch):
    model, X, y, _ = two
    assert visit(str(calculator_page(model))).locator(".edit").count() == 0
    monkeypatch.setattr("atfnb.report.facts.MOST_PLAN_BYTES", 0)
    assert visit(str(model_page(model, X, y, folds=2))).locator(".edit").count() == 0


def test_of_a_large_table_there_is_a_sample_and_the_page_says_so(two, visit, monkeypatch):
    model, X, y, _ = two
    monkeypatch.setattr("atfnb.report.trial.MOST_ROWS", 100)
    tab = visit(str(model_page(model, X, y, folds=2)))
    open_editor(tab, SIZE)
    assert "a random sample of 100 of the 400 rows" in tab.inner_text(".editor")
    assert len(figures(tab)["predicted"]) == 100


def test_the_sample_is_small_and_drawn_by_the_seed(two):
    model, X, _, _ = two
    codes, truth = np.repeat(model.encode(X), 50, axis=0), np.zeros(20_000, dtype=np.int64)
    first, again, other = (trial_of(model, codes, truth, seed) for seed in (0, 0, 1))
    assert first == again != other
    assert first["rows"] == 5000
    assert len(first["codes"]) < 5000
