"""The page of a model, in a real browser where there is one."""

import copy
import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine

from atfnb import ATFNB, NB, FusionNB
from atfnb.report import model_page
from atfnb.report.facts import PageOptions, facts_of
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
    policy = unescape(re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1])
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert policy.endswith("img-src data:; form-action 'none'; base-uri 'none'")
    assert "unsafe" not in policy
    assert not re.search(r"""(src|href)=["'](https?:)?//""", page)
    assert "@import" not in page
    assert "innerHTML" not in page
    assert "cultivar: what was learned" in page


@pytest.mark.parametrize(
    "added",
    ["<script>ran = 1</script>", "<img src=x onerror='ran = 1'>", "<b style='color:red'>", "<style>b{}</style>"],
)
def test_no_script_and_no_style_runs_but_those_of_the_page(two, browser, tmp_path, added):
    (tmp_path / "page.html").write_text(two[3].replace("<main>", f"<main>{added}"), encoding="utf-8")
    tab, said = browser.new_page(), []
    tab.on("console", lambda message: said.append(message.text))
    tab.goto((tmp_path / "page.html").as_uri())
    tab.wait_for_selector("html[data-ready]")
    assert tab.evaluate("typeof ran") == "undefined"
    assert any("Content Security Policy" in each for each in said)
    tab.close()


def test_the_marks_of_the_verdict_stand_at_their_shares(two, visit):
    tab = visit(two[3])
    mark = tab.locator("#against-others .mark.own").first
    said = mark.locator(".track").get_attribute("aria-label").replace("95 % interval", "")
    percents = [float(each) for each in re.findall(r"[\d.]+(?= %)", said)]
    low, high = (
        float(text.split()[0]) for text in tab.locator("#against-others .ends").first.inner_text().split("\n")[::2]
    )
    track, dot, line = (mark.locator(each).bounding_box() for each in (".track", ".track circle", ".track rect"))
    place = lambda x: low + (high - low) * (x - track["x"]) / track["width"]  # noqa: E731
    middle = place(dot["x"] + dot["width"] / 2)
    assert [middle, place(line["x"]), place(line["x"] + line["width"])] == pytest.approx(percents, abs=1.0)


def test_everything_strange_is_escaped_in_the_file(awful):
    assert awful.count("<script") == 2
    assert awful.count("</script>") == 2
    assert "<img" not in awful
    assert "alert(1)\\u003c/script" in awful
    assert len(awful) < 320_000


# --- the verdict -----------------------------------------------------------------------------------


def test_the_verdict_says_how_good_with_intervals_and_what_the_rows_are(wine, visit):
    tab = visit(wine[3])
    said = tab.locator("#verdict .said li").all_inner_texts()
    assert len(said) == 2
    assert said[0].startswith(
        "A model trained like this one, cross-validated on the 178 rows that this one was trained on,"
    )
    marks = tab.locator("#against-others .mark:not(.scale)")
    assert marks.count() == 3
    words = marks.locator("[role=img]").first.get_attribute("aria-label")
    assert re.fullmatch(r"the model: \d+\.\d %, 95 % interval \d+\.\d % to \d+\.\d %", words)
    assert tab.locator("#classes .line").count() == 3
    assert "71 (39.9 %)" in tab.inner_text("#classes")
    assert "No value is missing." in tab.inner_text("#rows-of")


def test_the_words_are_those_of_the_field(wine, two, together, visit):
    for page in (wine[3], two[3], together[3]):
        shown = visit(page).inner_text("body")
        assert not re.search(r"\btells\b|\bmovement\b|such as the model gets wrong", shown)
        assert {"predicts", "actual", "predicted", "missing", "share"} <= set(re.findall(r"\w+", shown))


def test_test_rows_have_a_section_of_their_own(visit):
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = NB().fit(X[::2], y[::2])
    strange = np.where(np.arange(len(y)) == 1, 7, y)
    tab = visit(page_of(model, X[::2], y[::2], test=(X[1::2], strange[1::2]), test_name=AWFUL[0]), width=390)
    assert len(tab.locator("#verdict .said li").all_inner_texts()) == 3
    assert tab.inner_text("#test h2") == f"Mistakes on {AWFUL[0]}"
    said = tab.inner_text("#test .dim >> nth=0")
    assert "1 row of classes that the model does not know, which are not in the scores: 1 of '7'." in said
    assert tab.locator("#test [data-part=confusion] tbody tr").count() == 3
    assert tab.locator("#mistakes [data-part=confusion] tbody tr").count() == 3
    assert tab.locator("#test .classes tbody tr").count() == 3
    assert tab.locator("#test svg, #mistakes svg").count() == 2
    assert overflow(tab) <= 0


def test_a_notebook_draws_the_page_in_its_frame(browser, tmp_path):
    X, y = load_wine(return_X_y=True, as_frame=True)
    shown = NB().fit(X, y).report(X, y, folds=2)._repr_html_()
    (tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8>{shown}", encoding="utf-8")
    tab = browser.new_page()
    troubles = []
    tab.on("console", lambda message: troubles.append(message.text))
    tab.goto((tmp_path / "notebook.html").as_uri())
    inside = tab.frame_locator("iframe")
    inside.locator("html[data-ready]").wait_for(state="attached")
    assert inside.locator("#counts-list .item").count() == 13
    inside.locator("#row-next").click()
    assert inside.locator("#row-says").inner_text().startswith("Row 1 is 0")
    tab.wait_for_timeout(400)  # after which another page would have changed its address
    assert troubles == []
    tab.close()


# --- what counts, what acts together ---------------------------------------------------------------


def test_search_and_show_all_find_every_attribute(visit):
    random = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = pd.DataFrame({f"column {j}": random.integers(0, 3, 90) + y * (j % 3) for j in range(45)})
    tab = visit(page_of(ATFNB().fit(X, y), X, y))
    items = tab.locator("#counts-list .item")
    assert items.count() == 15
    tab.click("#counts-all")
    assert items.count() == 45
    tab.click("#counts-all")
    tab.fill("#counts-search", "COLUMN 4")
    names = items.locator("summary .label").all_inner_texts()
    assert sorted(names) == ["column 4", *(f"column {k}" for k in range(40, 45))]
    tab.fill("#counts-search", "nothing of the kind")
    assert items.count() == 0
    assert "No attribute" in tab.inner_text("#counts-note")
    assert tab.locator("#fields .field").count() == 10
    tab.fill("#fields-search", "column 44")
    assert tab.locator("#fields .field").count() == 1
    tab.fill("#fields-search", "")
    tab.click("#fields-all")
    assert tab.locator("#fields .field").count() == len(tab.evaluate("JSON.parse(data.textContent).whatIf.fields"))


def test_shares_are_percentages_with_one_decimal_that_add_up(together, visit):
    model, _, _, page = together
    tab = visit(page)
    tab.click("#counts-all")
    shares = [float(text.removesuffix(" %")) for text in tab.locator("#counts-list .count .value").all_inner_texts()]
    assert len(shares) == len(model.weights_) + len(model.pairs_)
    assert sum(shares) == pytest.approx(100, abs=0.05 * len(shares) + 1e-9)
    assert shares == sorted(shares, reverse=True)
    tab.locator("#counts-list .item.pair button").first.click()
    assert tab.input_value("#pair-pick") == "0"


@pytest.mark.parametrize("c", [0, 1, 2])
def test_the_effects_of_an_attribute_are_those_of_the_model_with_their_bands(wine, visit, c):
    model, _, _, page = wine
    tab = visit(page)
    tab.select_option("#counts-class", str(c))
    item = tab.locator("#counts-list details.item[open]").first
    j = int(item.get_attribute("data-attribute"))
    item.locator("details summary").click()
    start, n = model.counts_.offsets[j], model.counts_.n_values[j]
    effects = model.table_[start : start + n]
    effects = effects[:, c] - effects.mean(axis=1)
    half = 1.6448536 * model.effect_errors_[start : start + n, c]
    lines = [line.split("\t") for line in item.locator("tbody tr").all_inner_texts()]
    plain = [
        [float(part.replace("−", "-")) for part in re.findall(r"[+−]?\d+\.?\d*", " ".join(line[2:]))] for line in lines
    ]
    np.testing.assert_allclose([line[0] for line in plain], effects, atol=0.0051)
    np.testing.assert_allclose([line[1] for line in plain], effects - half, atol=0.02)
    assert [line[0] for line in lines] == model.encoder_.attributes[j].labels
    words = item.locator("svg[role=img]").get_attribute("aria-label")
    assert re.search("from .*histogram", words)
    assert item.locator("svg path[fill-opacity]").count() == 1
    said = (
        "given the cuts, the weights or shrinkage, and the effects of the other columns; where columns are correlated"
    )
    assert said in tab.inner_text("#counts-words")


def test_a_model_without_errors_has_no_band(two, visit):
    model, X, y, _ = two
    bare = copy.deepcopy(model)
    bare.value_errors_ = None
    tab = visit(page_of(bare, X, y))
    assert tab.locator("#counts-list svg path[fill-opacity]").count() == 0
    assert "90 %" not in tab.inner_text("#counts")


def test_a_pair_is_a_table_of_each_class_with_a_sentence_and_cells_to_read(together, visit):
    model, _, _, page = together
    tab = visit(page)
    order = np.argsort(-model.pair_weights_, kind="stable")
    table, rows = model.pair_effects_[order[0]], model.model_.grids.rows_of(order[0])
    assert tab.locator("#pair-maps table").count() == 3
    for c in range(3):
        cells = tab.locator(f"#pair-maps figure >> nth={c} >> td.cell").all_inner_texts()
        shown = np.array([np.nan if text == "·" else float(text.replace("−", "-")) for text in cells])
        wanted = np.where(rows > 0, table[:, :, c] - table.mean(axis=2), np.nan).ravel()
        np.testing.assert_allclose(shown, wanted, atol=0.0051)
    assert "counts for more than the two alone" in tab.inner_text("#pair-words")
    first = tab.locator("#pair-maps td.cell").first
    first.focus()
    before = tab.inner_text("#pair-cell")
    tab.keyboard.press("ArrowRight")
    assert tab.inner_text("#pair-cell") != before
    tab.locator("#pair-maps td.cell >> nth=4").hover()
    assert re.search(r"with .*(no rows in training|beyond the two alone, \d+ rows?)", tab.inner_text("#pair-cell"))
    tab.click("#pair-next")
    assert tab.input_value("#pair-pick") == "1"


def test_whole_numbers_are_shown_as_whole_numbers_and_dates_as_dates(visit):
    random = np.random.default_rng(3)
    y = np.arange(200) % 2
    year = 2000 + 8 * y + random.integers(0, 12, 200)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(30 * y + random.integers(0, 60, 200), unit="D")
    X = pd.DataFrame({"year": year, "male": y ^ (random.random(200) < 0.2), "pay": 1_000_000.0 + 2 * year, "day": day})
    X.loc[::9, "male"] = None
    X["male"] = X["male"].astype(float)
    model = FusionNB().fit(X, y)
    tab = visit(page_of(model, X, y))
    half = re.compile(r"\d\.5\b(?! %)")
    for j, attribute in enumerate(model.encoder_.attributes):
        item = tab.locator(f"#counts-list details.item[data-attribute='{j}']")
        if item.get_attribute("open") is None:
            item.locator("summary").first.click()
        item.locator(".panel details summary").click()
        assert item.locator("tbody th").all_inner_texts() == attribute.labels
        titles = item.locator("rect title").all_text_contents()
        assert not any(half.search(words) for words in titles), titles
        if attribute.part == "date":
            axis = item.locator("svg text").all_text_contents()
            assert {"2024-02-01", "2024-03-01"} <= set(axis)
            assert all(re.match(r"2024-\d\d-\d\d", words) for words in titles)


# --- other values of β -----------------------------------------------------------------------------


def test_the_slider_moves_the_weights_and_the_accuracy_as_python_has_them(wine, visit):
    model, _, _, page = wine
    tab = visit(page)
    tab.click("#how summary")
    edges, accuracy = model.accuracy_curve()
    for beta in (0.0, 0.123, 0.5, 0.731, 1.0):
        slide(tab, beta)
        shown = float(tab.get_attribute("#beta-accuracy", "data-value"))
        assert shown == pytest.approx(accuracy_at(np.array([beta]), edges, accuracy)[0], abs=1e-8)
        assert f"{100 * shown:.2f} %" in tab.inner_text("#beta-accuracy")
        weights = beta * model.relevance_ - (1 - beta) * model.redundancy_
        places = tab.eval_on_selector_all(
            "#beta-weights .line:not(.head)", "all => all.map((e) => +e.dataset.attribute)"
        )
        np.testing.assert_allclose(numbers(tab, "#beta-weights .line:not(.head)"), weights[places], atol=1e-7)
        below = tab.locator("#beta-weights .line i.no").count()
        assert below == (weights[places] < 0).sum()


def test_the_best_beta_and_the_arrow_keys(wine, visit):
    model, _, _, page = wine
    tab = visit(page)
    tab.click("#how summary")
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


def test_only_a_model_with_a_switching_factor_has_the_slider_and_it_is_folded(two, wine, visit):
    assert visit(two[3]).locator("#how, #beta-slider").count() == 0
    tab = visit(wine[3])
    assert tab.is_hidden("#beta-slider")
    tab.click("#how summary")
    assert tab.is_visible("#beta-slider")
    assert tab.locator("#beta-chart svg").bounding_box()["width"] > 300


# --- mistakes --------------------------------------------------------------------------------------


def test_the_confusion_matrix_counts_every_row_and_cuts_no_name(visit):
    random = np.random.default_rng(0)
    shuffled = random.permutation(
        26
    )  # so that classes that are taken for each other are not next to each other by name
    long = "with a name that goes on and on, until it is of eighty characters or so"
    names = np.array([f"class {k} {long}" for k in shuffled])
    y = np.arange(520) % 26
    X = pd.DataFrame(y[:, None] // 2 + random.normal(size=(520, 3)))
    tab = visit(page_of(NB().fit(X.add_prefix("x"), names[y]), X.add_prefix("x"), names[y]))
    table = tab.locator("#mistakes [data-part=confusion] table")
    cells = [text for text in table.locator("td.cell").all_inner_texts() if text != "·"]
    assert sum(int(text.split()[0]) for text in cells) == 520
    heads = table.locator("tbody th").all_inner_texts()
    shown = [" ".join(name.split()) for name in names]
    assert sorted(heads) == sorted(shown)
    assert heads == table.locator("thead th bdi").all_inner_texts()
    cut = "e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1"
    assert not any(head.evaluate(cut) for head in table.locator("th").all())
    position = {name: k for k, name in enumerate(heads)}  # neighbours are taken for each other
    assert np.mean([abs(position[shown[2 * k]] - position[shown[2 * k + 1]]) for k in range(13)]) < 4


def test_wrong_rows_are_sorted_searched_and_opened_in_the_waterfall(two, visit):
    _, _, _, page = two
    tab = visit(page)
    facts = tab.evaluate("JSON.parse(data.textContent).rows")
    wrong = [n for n, t, p in zip(facts["numbers"], facts["truth"], facts["predicted"], strict=True) if t != p]
    rows = tab.locator("#wrong-table tbody tr")
    column = lambda k: [line.split("\t")[k] for line in rows.all_inner_texts()]  # noqa: E731
    assert sorted(map(int, column(0))) == wrong
    chances = [float(text.removesuffix(" %")) for text in column(3)]
    assert chances == sorted(chances, reverse=True)
    tab.click("#wrong-table th[data-key=number] button")
    assert list(map(int, column(0))) == wrong
    assert tab.get_attribute("#wrong-table th[data-key=number]", "aria-sort") == "ascending"
    tab.click("#wrong-table th[data-key=number] button")
    assert list(map(int, column(0))) == wrong[::-1]
    tab.fill("#wrong-search", str(wrong[0]))
    assert str(wrong[0]) in column(0)
    assert len(column(0)) < len(wrong)
    rows.first.locator("button").click()
    said = tab.inner_text("#row-says")
    assert said.startswith(f"Row {column(0)[0]} is ")
    assert "without this row, predicted" in said
    assert "✗ wrong" in said


def test_the_threshold_counts_as_numpy_does(two, visit):
    model, X, y, _ = two
    answers = facts_of(model, X, y, PageOptions(folds=2)).performances[0].answers
    p, own = answers.probability[:, 1], answers.truth == 1
    tab = visit(two[3])
    table = tab.locator("#mistakes [data-part=thresholds] table")
    slide_to = "(s, v) => { s.value = v; s.dispatchEvent(new Event('input')); }"
    for stop in (500, 0, 250, 801, 1000):
        tab.eval_on_selector("#mistakes-threshold", slide_to, stop)
        found, wrong = (int((p[rows] > stop / 1000).sum()) for rows in (own, ~own))
        assert [int(table.get_attribute(f"data-{name}")) for name in ("found", "wrong")] == [found, wrong]
        assert int(table.get_attribute("data-missed")) == own.sum() - found
    chart = tab.locator("#mistakes [data-part=thresholds] svg").first
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    tab.mouse.move(box["x"] + 0.15 * box["width"], box["y"] + 0.8 * box["height"])
    tab.mouse.down()
    low = int(table.get_attribute("data-found"))
    tab.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 0.1 * box["height"], steps=4)
    tab.mouse.up()
    assert low < own.sum() / 2 < int(table.get_attribute("data-found"))


# --- light and dark, small and printed -------------------------------------------------------------


def test_light_and_dark_are_two_and_both_can_be_read(wine, visit):
    light, dark = (visit(wine[3], scheme=scheme) for scheme in ("light", "dark"))
    assert colours(light)[1] == "rgb(255, 255, 255)"
    assert luminance(colours(dark)[1]) < 0.02
    for tab in (light, dark):
        for selector in ("body", ".dim", "nav a", "#counts-list summary", "svg text", ".marks-head"):
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
        tab.locator("#counts-list details.item:not([open]) > summary").first.click()
        assert overflow(tab) <= 0


def test_on_paper_there_are_no_controls_and_no_dark_ground(wine, visit):
    tab = visit(wine[3], scheme="dark")
    tab.click("#theme")
    tab.click("#theme")
    tab.emulate_media(media="print")
    assert colours(tab)[1] == "rgb(255, 255, 255)"
    assert contrast(*colours(tab)) > 7
    for hidden in ("nav", "#beta-slider", "#row-next", "#theme", "#counts-search"):
        assert tab.is_hidden(hidden), hidden
    for there in (
        "#verdict .said",
        "#against-others",
        "#fields",
        "#parts",
        "#counts-list svg",
        "#mistakes [data-part=confusion]",
    ):
        assert tab.is_visible(there), there
    assert len(tab.pdf(format="A4")) > 20_000


def test_names_of_strangers_are_text(awful, visit):
    tab = visit(awful)
    shown = tab.inner_text("body")
    assert AWFUL[0] in tab.inner_text("h1")
    assert AWFUL[0] in tab.inner_text("#counts-list")
    assert AWFUL[0] in tab.inner_text("#fields")
    assert AWFUL[0] in tab.inner_text("#mistakes [data-part=confusion]")
    assert "{{ 7 * 7 }}{% raw %}" in shown
    assert "49" not in tab.inner_text("h1")
    for name in ("alert(1)", "W" * 30):
        tab.fill("#counts-search", name)
        assert tab.locator("#counts-list .item").count() == 1
        item = tab.locator("#counts-list .item")
        if item.get_attribute("open") is None:
            item.locator("summary").first.click()
    tab.select_option("#fields select >> nth=0", index=1)
    for _ in range(3):
        tab.click("#row-next")
    for button in tab.locator("#changes button").all()[:1]:
        button.click()
    assert tab.locator("img, iframe, object").count() == 0
    assert tab.locator("script").count() == 2
    for c in range(len(AWFUL)):
        tab.select_option("#counts-class", str(c))


@pytest.mark.parametrize("model", [NB(), ATFNB(search="sls")], ids=["NB", "SLS"])
def test_small_tables_have_a_page_too(model, visit):
    X, y = np.array([[1.0], [1.0], [2.0], [2.0], [3.0], [3.0]]), np.array([0, 0, 0, 1, 1, 1])
    tab = visit(page_of(model.fit(X, y), X, y))
    assert "There is one attribute only" in tab.inner_text("#verdict")
    assert tab.locator("#counts-list .item").count() == 1


def test_constant_columns_have_a_page_too(visit):
    X, y = np.full((20, 2), 3.0), np.arange(20) % 2
    tab = visit(page_of(ATFNB().fit(X, y), X, y))
    assert "have one value only" in tab.inner_text("#verdict")
    assert "No single change of a value would change the class." in tab.inner_text("#changes")


@pytest.mark.filterwarnings("ignore::atfnb.encoding.UnusedColumnWarning")
def test_a_column_that_is_not_used_says_so(visit):
    X = pd.DataFrame({"size": np.arange(120) % 7, "town": [f"town {n % 60}" for n in range(120)]})
    y = (X["size"] > 3).to_numpy()
    tab = visit(page_of(NB().fit(X, y), X, y))
    tab.locator("#counts-list .item summary", has_text="town").click()
    panel = tab.locator("#counts-list .item", has_text="town").locator(".panel")  # waited for: it is drawn when opened
    assert panel.inner_text() == "60 values that do not help to predict the class, so it is not used."
    assert "1 column without any effect is left out." in tab.inner_text("#what-if")


# --- large -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large():
    """500 numbers, 50 classes: as many values as FusionNB cuts them into, with a model that is trained sooner."""
    random = np.random.default_rng(0)
    y = np.arange(2500) % 50
    X = random.normal(size=(2500, 500)) + (random.normal(size=(50, 500)) * 0.5)[y]
    model = ATFNB(max_bins=81).fit(X, y)
    return model, X, page_of(model, X, y)


def seconds_to_open(tab):
    """The processor's seconds that the process of a page has taken, which other programs do not lengthen."""
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable")
    measured = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return measured["ProcessTime"]


@pytest.mark.slow
def test_500_attributes_and_50_classes_fit_and_open_soon(large, visit):
    model, X, page = large
    assert model.table_.size >= 2_000_000
    assert len(page.encode()) < 5_000_000
    tab = visit(page)
    assert 0 < seconds_to_open(tab) < 10
    assert tab.locator("#counts-list .item").count() == 15
    tab.fill("#counts-search", "x499")
    assert tab.locator("#counts-list .item").count() == 1
    assert tab.evaluate("document.querySelectorAll('*').length") < 16_000
    assert "rounded to about 1 %" in tab.inner_text("#counts-note")
    assert "too large for this page" in tab.inner_text("#what-if .note")
    row = int(tab.input_value("#row-number")) - 1
    joint = np.sort(model.predict_joint_log_proba(X[[row]])[0])
    assert numbers(tab, "#parts .line.sum")[0] == pytest.approx(joint[-1] - joint[-2], rel=1e-9)
    honest = float(tab.get_attribute("#parts .list", "data-sum"))
    assert honest == pytest.approx(joint[-1] - joint[-2], rel=0.1), "some attributes have no room"


def test_iris_is_small():
    X, y = load_iris(return_X_y=True)
    assert len(page_of(ATFNB().fit(X, y), X, y)) < 170_000
