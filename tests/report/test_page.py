"""The page of a model, in a real browser where there is one."""

import datetime
import re
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine

from atfnb import ATFNB, NB, FusionNB
from atfnb.report import model_page
from atfnb.switching import accuracy_at

AWFUL = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    "{{ 7 * 7 }}{% raw %}",
    "\u202eright to left \u05d0\u05d1\u05d2",
    "\U0001f34e'\"`&amp;\\u003c",
    "W" * 10_000,
    "a b " * 500,
    "toString",
]


def page_of(model, X, y, **options):
    return str(model_page(model, X, y, **{"folds": 2} | options))


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = ATFNB().fit(X, y)
    return model, X, y, page_of(model, X, y, target="cultivar")


@pytest.fixture(scope="module")
def two():
    random = np.random.default_rng(1)
    y = np.arange(160) % 2
    X = pd.DataFrame(
        {
            "size": y + random.normal(size=160),
            "colour": np.array(["red", "green", "blue"])[(y + random.integers(0, 2, 160)) % 3],
            "noise": random.normal(size=160),
        }
    )
    X.loc[::9, ["size", "colour"]] = None
    labels = np.array(["no", "yes"])[y]
    model = FusionNB(missing="value").fit(X, labels)
    return model, X, labels, page_of(model, X, labels)


@pytest.fixture(scope="module")
def together():
    """A model with many more pairs than the explanation of a row names, of columns with names of strangers."""
    random = np.random.default_rng(2)
    X = pd.DataFrame(random.integers(0, 3, (240, 8)), columns=[*AWFUL[:3], *"abcde"]).astype(str)
    X.insert(0, "size", random.normal(size=240))
    y = (X.iloc[:, 1].astype(int) + X.iloc[:, 2].astype(int) + (X["size"] > 0)) % 3
    labels = np.array(["no", "so", "yes"])[y]
    model = FusionNB(pairs=20, shrinkage=1.0).fit(X, labels)
    return model, X, labels, page_of(model, X, labels)


@pytest.fixture(scope="module")
def awful():
    random = np.random.default_rng(0)
    y = np.arange(200) % len(AWFUL)
    X = pd.DataFrame({name: np.array(AWFUL, dtype=object)[(y + random.integers(0, 2, 200)) % 8] for name in AWFUL})
    X["size"] = y + random.normal(size=200)
    labels = np.array(AWFUL)[y]
    return page_of(ATFNB().fit(X, labels), X, labels, title=AWFUL[0], target=AWFUL[1])


def numbers(tab, selector):
    return [float(value) for value in tab.eval_on_selector_all(selector, "all => all.map((e) => e.dataset.value)")]


def slide(tab, beta):
    tab.eval_on_selector("#beta-slider", "(s, v) => { s.value = v; s.dispatchEvent(new Event('input')); }", beta)


def luminance(colour):
    rgb = np.array([int(part) for part in re.findall(r"\d+", colour)[:3]]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def colours(tab, selector="body"):
    ink = tab.eval_on_selector(selector, "e => getComputedStyle(e).color")
    return ink, tab.eval_on_selector("body", "e => getComputedStyle(e).backgroundColor")


def overflow(tab):
    return tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


# --- what the file is ------------------------------------------------------------------------------


def test_the_file_asks_for_nothing_and_allows_nothing_from_outside(wine):
    page = wine[3]
    assert page.lstrip().startswith("<!doctype html>")
    assert "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:" in page
    assert not re.search(r"""(src|href)=["'](https?:)?//""", page)
    assert "@import" not in page
    assert "innerHTML" not in page
    assert "cultivar: what was learned" in page


def test_everything_strange_is_escaped_in_the_file(awful):
    assert awful.count("<script") == 2
    assert awful.count("</script>") == 2
    assert "<img" not in awful
    assert "alert(1)\\u003c/script" in awful
    assert len(awful) < 300_000


# --- reading ---------------------------------------------------------------------------------------


def test_the_three_sentences_and_the_comparison_are_there(wine, visit):
    tab = visit(wine[3])
    said = tab.locator("header ol li").all_inner_texts()
    assert len(said) == 3
    assert said[0].startswith(
        "A model trained like this one, cross-validated on the 178 rows that this one was trained on,"
    )
    assert tab.locator("#against .line:not(.head)").count() == 3
    assert tab.locator("#weights-list .line:not(.head)").count() == 13
    assert tab.locator("#weights-list .line .value.main").first.inner_text() == f"{wine[0].weights_.max():.3g}"


def test_dates_and_times_of_day_are_shown_as_such(visit):
    place = np.arange(300)
    days = pd.Series(pd.date_range("2021-01-01", periods=300, freq="D"))
    X = pd.DataFrame({"day": days, "opens": [datetime.time(hour, 30) for hour in place % 24]})
    model = FusionNB(pairs=0, dates="number").fit(X, np.where((place > 165) ^ (place % 24 > 11), "late", "early"))
    assert [attribute.part for attribute in model.encoder_.attributes] == ["date", "time"]
    tab = visit(page_of(model, X, model.predict(X)))
    labels = {label for attribute in model.encoder_.attributes for label in attribute.labels}
    shown = [text.strip("◂▸ ").rsplit(" (", 1)[0] for text in tab.locator("#nomogram").inner_text().splitlines()]
    assert len(labels & set(shown)) == 4  # both ends of both attributes
    row = " ".join(tab.locator("#row").inner_text().split())
    assert re.search(r"day: date = 2021-\d\d-\d\d ", row)
    assert re.search(r"opens: time = \d\d:30 ", row)
    assert "kind date" in " ".join(tab.locator("#attribute").inner_text().split())


def test_test_rows_have_a_section_of_their_own(visit):
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = NB().fit(X[::2], y[::2])
    strange = np.where(np.arange(len(y)) == 1, 7, y)
    tab = visit(page_of(model, X[::2], y[::2], test=(X[1::2], strange[1::2]), test_name=AWFUL[0]), width=390)
    assert len(tab.locator("header ol li").all_inner_texts()) == 4
    assert tab.inner_text("#test h2").startswith(f"On {AWFUL[0]}: where it is wrong")
    assert "Rows of a class that the model does not know, and so gets wrong: 1." in tab.inner_text(
        "#test .dim >> nth=0"
    )
    assert tab.locator("#test [data-part=confusion] tbody tr").count() == 4
    assert tab.locator("#performance [data-part=confusion] tbody tr").count() == 3
    assert tab.locator("#test .classes tbody tr").count() == 4
    assert tab.locator("#test svg, #performance svg").count() == 2
    assert overflow(tab) <= 0


def test_a_notebook_draws_the_page_in_its_frame(browser, tmp_path):
    X, y = load_wine(return_X_y=True, as_frame=True)
    shown = NB().fit(X, y).report(X, y, folds=2)._repr_html_()
    (tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8>{shown}", encoding="utf-8")
    tab = browser.new_page()
    tab.goto((tmp_path / "notebook.html").as_uri())
    inside = tab.frame_locator("iframe")
    inside.locator("html[data-ready]").wait_for(state="attached")
    assert inside.locator("#weights-list .line:not(.head)").count() == 13
    tab.close()


def test_search_and_show_all_find_every_attribute(visit):
    random = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = pd.DataFrame({f"column {j}": random.integers(0, 3, 90) + y * (j % 3) for j in range(45)})
    tab = visit(page_of(ATFNB().fit(X, y), X, y))
    lines = tab.locator("#weights-list .line:not(.head)")
    assert lines.count() == 20
    tab.click("#weights-all")
    assert lines.count() == 45
    tab.click("#weights-all")
    tab.fill("#weights-search", "COLUMN 4")
    assert sorted(lines.locator(".label").all_inner_texts()) == ["column 4", *(f"column {k}" for k in range(40, 45))]
    tab.fill("#weights-search", "nothing of the kind")
    assert lines.count() == 0
    assert "No attribute" in tab.inner_text("#weights-note")
    assert tab.locator("#nomogram-list .strip:not(.head)").count() == 12
    tab.click("#nomogram-all")
    assert tab.locator("#nomogram-list .strip:not(.head)").count() == 45
    tab.fill("#nomogram-search", "column 44")
    assert tab.locator("#nomogram-list .strip:not(.head)").count() == 1
    tab.fill("#weights-search", "column 44")
    tab.click("#weights-list .line:not(.head) button")
    assert tab.input_value("#attribute-pick") == "44"
    assert "column 44" in tab.inner_text("#attribute-facts")
    tab.click("#attribute-next")
    assert tab.input_value("#attribute-pick") != "44"
    tab.click("#attribute-previous")
    assert tab.input_value("#attribute-pick") == "44"


# --- other values of β -----------------------------------------------------------------------------


def test_the_slider_moves_the_weights_and_the_accuracy_as_python_has_them(wine, visit):
    model, _, _, page = wine
    tab = visit(page)
    edges, accuracy = model.accuracy_curve()
    for beta in (0.0, 0.123, 0.5, 0.731, 1.0):
        slide(tab, beta)
        shown = float(tab.get_attribute("#beta-accuracy", "data-value"))
        assert shown == pytest.approx(accuracy_at(np.array([beta]), edges, accuracy)[0], abs=1e-8)
        assert f"{100 * shown:.2f} %" in tab.inner_text("#beta-accuracy")
        weights = beta * model.relevance_ - (1 - beta) * model.redundancy_
        places = tab.eval_on_selector_all("#beta-weights .line", "all => all.map((e) => +e.dataset.attribute)")
        np.testing.assert_allclose(numbers(tab, "#beta-weights .line"), weights[places], atol=1e-7)
        below = tab.locator("#beta-weights .line i.no").count()
        assert below == (weights[places] < 0).sum()


def test_the_best_beta_and_the_arrow_keys(wine, visit):
    model, _, _, page = wine
    tab = visit(page)
    assert float(tab.get_attribute("#beta-value", "data-value")) == model.beta_
    slide(tab, 0.2)
    tab.focus("#beta-slider")
    tab.keyboard.press("ArrowRight")
    assert float(tab.get_attribute("#beta-value", "data-value")) == pytest.approx(0.201)
    assert "0.201" in tab.inner_text("#beta-value")
    assert tab.get_attribute("#beta-slider", "aria-valuetext").startswith("β 0.201, training accuracy")
    tab.click("#beta-best")
    assert float(tab.get_attribute("#beta-value", "data-value")) == model.beta_
    assert float(tab.get_attribute("#beta-accuracy", "data-value")) == pytest.approx(model.beta_accuracy_, abs=1e-8)
    assert "(the best)" in tab.inner_text("#beta-accuracy")
    tab.click("#beta-chart svg")  # in its middle, once it is in sight and at rest
    assert float(tab.get_attribute("#beta-value", "data-value")) == pytest.approx(0.5, abs=0.05)


def test_of_another_model_the_page_says_so(two, wine, visit):
    tab = visit(two[3])
    assert "This is ATFNB, trained on the rows of this page, not the model itself" in tab.inner_text("#beta-other")
    assert "those that ATFNB finds" in tab.inner_text("#weights-words")
    assert tab.is_hidden("#beta-other") is False
    assert visit(wine[3]).is_hidden("#beta-other")


# --- for and against, and one row ------------------------------------------------------------------


def test_the_nomogram_shows_what_each_value_adds(wine, visit):
    model, _, _, page = wine
    tab = visit(page)
    tab.select_option("#nomogram-class", "2")
    strip = tab.locator("#nomogram-list .strip:not(.head)").first
    j = int(strip.get_attribute("data-attribute"))
    start, n = model.counts_.offsets[j], model.counts_.n_values[j]
    effects = model.table_[start : start + n]
    effects = effects[:, 2] - effects.mean(axis=1)
    assert strip.locator("circle[data-value]").count() == n
    ends = strip.locator(".ends").inner_text().replace("−", "-").replace("+", "")
    assert f"({effects.min():.2f})" in ends
    assert f"({effects.max():.2f})" in ends
    strip.locator("[tabindex]").focus()
    tab.keyboard.press("ArrowRight")
    assert "row" in strip.locator("[role=status]").inner_text()
    strip.locator("[tabindex]").hover()


@pytest.mark.parametrize("which", ["wine", "two", "together"])
def test_the_sum_of_a_row_is_the_one_that_led_to_its_class(which, request, visit):
    model, X, y, page = request.getfixturevalue(which)
    tab = visit(page)
    joint, answers = model.predict_joint_log_proba(X), np.searchsorted(model.classes_, model.predict(X))
    probability = model.predict_proba(X)
    for _ in range(5):
        row = int(tab.input_value("#row-number")) - 1
        rival, winner = int(tab.input_value("#row-against")), answers[row]
        parts = numbers(tab, "#row-parts .line:not(.sum)")
        total = numbers(tab, "#row-parts .line.sum")[0]
        assert sum(parts) == pytest.approx(total, abs=1e-4)
        assert total == pytest.approx(joint[row, winner] - joint[row, rival], abs=1e-9)
        honest = float(tab.get_attribute("#row-parts .list", "data-sum"))
        assert honest == pytest.approx(total, abs=1e-3), "the parts alone, without what the others are made to be"
        shown = tab.eval_on_selector_all(
            "#row-classes .line", "a => a.map((e) => [e.dataset.class, e.dataset.probability])"
        )
        for c, p in shown:
            assert float(p) == pytest.approx(probability[row, int(c)], abs=1e-9)
        said = tab.inner_text("#row-says")
        assert f"the model predicts {model.classes_[winner]}" in said
        assert ("✓ right" in said) == (model.classes_[winner] == np.asarray(y)[row])
        tab.click("#row-next")


def test_pairs_that_act_together_are_named_in_a_sentence_and_among_the_parts_of_a_row(together, visit):
    model, _, _, page = together
    tab = visit(page)
    assert "20 pairs of attributes act together, beyond what each says alone: above all" in tab.inner_text("body")
    parts = tab.eval_on_selector_all("#row-parts .label", "all => all.map((e) => e.textContent)")
    assert any(part.endswith(" together") and " × " in part for part in parts)
    assert sum(" attributes and pairs together" in part for part in parts) == 1
    assert len(model.pairs_) == 20


def test_rows_are_picked_by_number_by_steps_and_the_wrong_ones_alone(two, visit):
    model, X, y, page = two
    tab = visit(page)
    wrong = np.flatnonzero(model.predict(X) != y)
    tab.fill("#row-number", "1")
    tab.press("#row-number", "Enter")
    assert tab.input_value("#row-number") == "1"
    assert tab.is_disabled("#row-previous")
    assert "missing" in tab.inner_text("#row-parts")
    tab.click("#row-next")
    assert tab.input_value("#row-number") == "2"
    tab.check("#row-wrong")
    seen = [int(tab.input_value("#row-number")) - 1]
    while not tab.is_disabled("#row-previous"):
        tab.click("#row-previous")
    seen = [int(tab.input_value("#row-number")) - 1]
    while not tab.is_disabled("#row-next"):
        tab.click("#row-next")
        seen.append(int(tab.input_value("#row-number")) - 1)
    assert seen == wrong.tolist()


def test_another_class_can_be_set_against_it(wine, visit):
    model, X, _, page = wine
    tab = visit(page)
    row = int(tab.input_value("#row-number")) - 1
    winner = int(np.searchsorted(model.classes_, model.predict(X.iloc[[row]]))[0])
    joint = model.predict_joint_log_proba(X.iloc[[row]])[0]
    for rival in {0, 1, 2} - {winner}:
        tab.select_option("#row-against", str(rival))
        assert numbers(tab, "#row-parts .line.sum")[0] == pytest.approx(joint[winner] - joint[rival], abs=1e-9)


def test_the_confusion_matrix_and_the_attribute_are_drawn(two, visit):
    tab = visit(two[3])
    cells = tab.locator("#performance [data-part=confusion] tbody td").all_inner_texts()
    assert sum(int(cell.split()[0].replace("·", "0")) for cell in cells) == 160
    assert "off by" in tab.inner_text("#performance [data-part=reliability-words]")
    tab.select_option("#attribute-pick", "0")
    assert tab.locator("#attribute-charts svg").count() == 3
    assert "ATFNB" in tab.inner_text("#attribute-charts")
    assert "A missing value adds" in tab.inner_text("#attribute-charts")
    tab.select_option("#attribute-pick", "1")
    assert "missing" in tab.inner_text("#attribute-charts")
    tab.click("#attribute-charts summary")
    assert tab.locator("#attribute-charts tbody tr").count() == 4


def test_whole_numbers_are_shown_as_whole_numbers(visit):
    random = np.random.default_rng(3)
    y = np.arange(200) % 2
    year = 2000 + 8 * y + random.integers(0, 12, 200)
    X = pd.DataFrame({"year": year, "male": y ^ (random.random(200) < 0.2), "pay": 1_000_000.0 + 2 * year})
    X.loc[::9, "male"] = None
    X["male"] = X["male"].astype(float)
    model = FusionNB().fit(X, y)
    tab = visit(page_of(model, X, y))
    half = re.compile(r"\d\.5\b(?! %)")
    for j, attribute in enumerate(model.encoder_.attributes):
        assert attribute.whole is not None
        tab.select_option("#attribute-pick", str(j))
        tab.click("#attribute-charts summary")
        bins = tab.locator("#attribute-charts tbody th").all_inner_texts()
        assert all(re.fullmatch(r"[=≤≥] \d+|\d+ to \d+|missing", label) for label in bins), bins
        titles = tab.locator("#attribute-charts title").all_text_contents()
        axes = [chart.locator("text").all_text_contents() for chart in tab.locator("#attribute-charts .chart").all()]
        assert not any(half.search(words) for words in [*bins, *titles, *axes[0]]), (bins, titles, axes)
    strips = tab.locator("#nomogram-list .strip .ends").all_inner_texts()
    assert {"= 0", "= 1"} <= {word for words in strips for word in re.findall(r"= \d\b", words)}
    assert not any(half.search(words) for words in strips), strips
    for j, attribute in enumerate(model.encoder_.attributes):
        strip, shown = tab.locator(f"#nomogram-list .strip[data-attribute='{j}']"), set()
        strip.locator("[tabindex]").focus()
        for _ in attribute.labels:
            tab.keyboard.press("ArrowRight")
            shown.add(strip.locator("[role=status] b").text_content().rsplit(" (", 1)[0].strip())
        assert shown == set(attribute.labels)


# --- light and dark, small and printed -------------------------------------------------------------


def test_light_and_dark_are_two_and_both_can_be_read(wine, visit):
    light, dark = (visit(wine[3], scheme=scheme) for scheme in ("light", "dark"))
    assert colours(light)[1] == "rgb(255, 255, 255)"
    assert luminance(colours(dark)[1]) < 0.02
    for tab in (light, dark):
        for selector in ("body", ".dim", "nav a", "#weights-list button.link", "svg text", ".line.head"):
            if selector == "svg text":
                ink = tab.eval_on_selector(selector, "e => getComputedStyle(e).fill")
                assert contrast(ink, colours(tab)[1]) >= 4.5
            else:
                assert contrast(*colours(tab, selector)) >= 4.5, selector
        for s in range(9):
            ink = tab.evaluate(
                "(s) => { const e = document.createElement('i'); e.style.color = `var(--c${s})`;"
                "document.body.append(e);"
                "const c = getComputedStyle(e).color; e.remove(); return c; }",
                s,
            )
            assert contrast(ink, colours(tab)[1]) >= (2.5 if s == 8 else 3.0), s


def test_the_button_goes_from_auto_to_light_to_dark(wine, visit):
    tab = visit(wine[3], scheme="dark")
    backgrounds = [colours(tab)[1]]
    for _ in range(3):
        tab.click("#theme")
        backgrounds.append(colours(tab)[1])
    assert backgrounds[1] == "rgb(255, 255, 255)"
    assert backgrounds[0] == backgrounds[2] == backgrounds[3] != backgrounds[1]
    assert "auto" in tab.inner_text("#theme")


@pytest.mark.parametrize("width", [320, 390, 800, 1600])
def test_nothing_overflows_at_any_width(wine, two, awful, visit, width):
    for page in (wine[3], two[3], awful):
        tab = visit(page, width=width)
        assert overflow(tab) <= 0
        tab.select_option("#attribute-pick", index=1)
        assert overflow(tab) <= 0


def test_on_paper_there_are_no_controls_and_no_dark_ground(wine, visit):
    tab = visit(wine[3], scheme="dark")
    tab.click("#theme")
    tab.click("#theme")
    tab.emulate_media(media="print")
    assert colours(tab)[1] == "rgb(255, 255, 255)"
    assert contrast(*colours(tab)) > 7
    for hidden in ("nav", "#beta-slider", "#row-next", "#theme", "#weights-search"):
        assert tab.is_hidden(hidden), hidden
    for there in (
        "header ol",
        "#weights-list",
        "#beta-chart svg",
        "#beta-value",
        "#nomogram-list",
        "#row-parts",
        "#performance [data-part=confusion]",
    ):
        assert tab.is_visible(there), there
    assert len(tab.pdf(format="A4")) > 20_000


def test_names_of_strangers_are_text(awful, visit):
    tab = visit(awful)
    shown = tab.inner_text("body")
    assert AWFUL[0] in tab.inner_text("h1")
    assert AWFUL[0] in tab.inner_text("#weights-list")
    assert AWFUL[0][:21] in tab.inner_text("#performance [data-part=confusion]")
    assert "{{ 7 * 7 }}{% raw %}" in shown
    assert "49" not in tab.inner_text("h1")
    for name in ("alert(1)", "W" * 30):
        tab.fill("#weights-search", name)
        assert tab.locator("#weights-list .line:not(.head)").count() == 1
        tab.click("#weights-list .line:not(.head) button")
    assert AWFUL[0] in tab.inner_text("#attribute-charts")
    assert tab.locator("img, iframe, object").count() == 0
    assert tab.locator("script").count() == 2
    for c in range(len(AWFUL)):
        tab.select_option("#nomogram-class", str(c))


@pytest.mark.parametrize("model", [NB(), ATFNB(search="sls")], ids=["NB", "SLS"])
def test_small_tables_have_a_page_too(model, visit):
    X, y = np.array([[1.0], [1.0], [2.0], [2.0], [3.0], [3.0]]), np.array([0, 0, 0, 1, 1, 1])
    tab = visit(page_of(model.fit(X, y), X, y))
    assert "There is one attribute only" in tab.inner_text("header")
    assert tab.locator("#weights-list .line:not(.head)").count() == 1


def test_constant_columns_have_a_page_too(visit):
    X, y = np.full((20, 2), 3.0), np.arange(20) % 2
    tab = visit(page_of(ATFNB().fit(X, y), X, y))
    assert "have one value only" in tab.inner_text("header")


# --- large -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large():
    """500 numbers, 50 classes: as many values as FusionNB cuts them into, with a model that is trained sooner."""
    random = np.random.default_rng(0)
    y = np.arange(2500) % 50
    X = random.normal(size=(2500, 500)) + (random.normal(size=(50, 500)) * 0.5)[y]
    model = ATFNB(max_bins=81).fit(X, y)
    return model, X, page_of(model, X, y)


def test_500_attributes_and_50_classes_fit_and_open_soon(large, visit):
    model, X, page = large
    assert model.table_.size >= 2_000_000
    assert len(page.encode()) < 5_000_000
    started = time.perf_counter()
    tab = visit(page)
    took = time.perf_counter() - started
    print(f"{len(page.encode()) / 1e6:.2f} MB, open after {took:.2f} s")  # noqa: T201
    assert took < 10
    assert tab.locator("#weights-list .line:not(.head)").count() == 20
    tab.fill("#weights-search", "x499")
    assert tab.locator("#weights-list .line:not(.head)").count() == 1
    assert tab.evaluate("document.querySelectorAll('*').length") < 12_000
    assert "rounded to about 1 %" in tab.inner_text("#nomogram-words")
    row = int(tab.input_value("#row-number")) - 1
    joint = np.sort(model.predict_joint_log_proba(X[[row]])[0])
    assert numbers(tab, "#row-parts .line.sum")[0] == pytest.approx(joint[-1] - joint[-2], rel=1e-9)
    honest = float(tab.get_attribute("#row-parts .list", "data-sum"))
    assert honest == pytest.approx(joint[-1] - joint[-2], rel=0.1), "some attributes have no room"


def test_iris_is_small():
    X, y = load_iris(return_X_y=True)
    assert len(page_of(ATFNB().fit(X, y), X, y)) < 150_000
