"""Trying values on the page: the numbers are those of predict_proba, and an address holds them; the curve of β."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import quote, unquote

import numpy as np
import pandas as pd
import pytest

from atfnb import ATFNB, CFW, DFW, KLNB, NB, WNB, CFWBeta, FusionNB, WeightedNB, save
from atfnb.export import plan_of
from atfnb.report import calculator_page, model_page
from atfnb.report.whatif import MOST_STEPS, STOPS, curve_of, what_if_of
from atfnb.switching import accuracy_at
from atfnb.tables import read_table
from helpers.browsers import answers_on_page

CLASSIFIERS = [NB(), WNB(), KLNB(), DFW(), CFW(), CFWBeta(), ATFNB(), WeightedNB(weights="gain_ratio")]
CLASSIFIERS += [FusionNB(refine=None), FusionNB(refine="attribute"), FusionNB(pairs=3, shrinkage=1.0)]
ROWS = 1000


def drawn(n, seed, classes=3):
    """Numbers, categories of text, numbers and booleans, dates and times of day, with missing values."""
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, n)
    frame = pd.DataFrame(
        {
            "size": y + random.normal(size=n),
            "count": random.integers(0, 9, n) + y,
            "colour": np.array(["red", "green", "blue", "grey", "odd"])[np.minimum(random.poisson(1 + y), 4)],
            "sold": random.random(n) < (y + 1) / (classes + 1),
            "day": pd.Timestamp("2024-01-01")
            + pd.to_timedelta(random.integers(0, 500_000, n) + 90_000 * y, unit="min"),
            "postcode": random.choice([101, 205, 309], n),
        }
    )
    frame["postcode"] = frame["postcode"].astype("category")
    frame.loc[random.random(n) < 0.1, "size"] = np.nan
    frame.loc[random.random(n) < 0.1, ["colour", "day"]] = None
    return frame, np.array([f"class {c}" for c in y])


@pytest.fixture(scope="module")
def table():
    return drawn(600, 1)


@pytest.mark.parametrize(
    "model",
    [pytest.param(each, marks=[] if type(each) in (NB, FusionNB) else [pytest.mark.slow]) for each in CLASSIFIERS],
    ids=lambda model: str(model).replace("\n", ""),
)
def test_the_page_computes_what_predict_proba_does(model, table, visit, monkeypatch):
    monkeypatch.setattr("atfnb.report.whatif.MOST_ROWS", ROWS)
    monkeypatch.setattr("atfnb.report.whatif.MOST_ROW_CELLS", 10**6)
    model.fit(*table)
    X, y = drawn(ROWS, 2)
    X.loc[::7, "colour"] = "never seen"
    X.loc[::5, "size"] *= 1e6
    X["postcode"] = X["postcode"].cat.add_categories([7]).where(np.arange(ROWS) % 11 > 0, 7)
    tab = visit(str(model_page(model, X, y)))
    found, predicted = answers_on_page(tab, list(range(1, ROWS + 1)))
    assert np.abs(found - model.predict_proba(X)).max() <= 1e-12
    np.testing.assert_array_equal(model.classes_[predicted], model.predict(X))


@pytest.fixture(scope="module")
def fusion(table):
    model = FusionNB(pairs=2, shrinkage=1.0).fit(*table)
    return model, str(calculator_page(model, target="kind"))


def probabilities(tab):
    return np.array(json.loads(tab.get_attribute("#answer", "data-probabilities")))


def row_of(model, table, **values):
    """Return a row of the page's typical values, but for these."""
    fields = what_if_of(model, plan_of(model), np.ones(len(model.weights_)))["fields"]
    names = model.feature_names_in_.tolist()
    row = {}
    for name, field in zip(names, fields, strict=True):
        attribute = model.encoder_.attributes[field["attributes"][0]]
        row[name] = attribute.categories[field["typical"]] if field["kind"] == "menu" else field["typical"]
    frame = pd.DataFrame([row | values])
    frame["day"] = pd.to_datetime(frame["day"])
    return frame


def test_a_model_alone_makes_a_calculator(fusion, table, visit):
    model, page = fusion
    tab = visit(page)
    assert tab.inner_text("h1") == "kind: what if"
    assert tab.locator("#counts, #mistakes, #verdict").count() == 0
    assert tab.locator("#fields .field").count() == 6
    assert tab.locator("#row-number").count() == 0
    np.testing.assert_allclose(probabilities(tab), model.predict_proba(row_of(model, table))[0], atol=1e-12)
    assert "red" not in re.sub(r"predicted", "", json.dumps(tab.evaluate("JSON.parse(data.textContent).rows ?? null")))


@pytest.mark.parametrize("name", ["__proto__", "constructor"])
def test_a_column_of_any_name_has_a_field_and_is_in_the_address(name, table, visit):
    X = table[0][["size", "colour"]].rename(columns={"colour": name})
    model = NB().fit(X, table[1])
    tab = visit(str(calculator_page(model)))
    assert tab.locator("#fields .field").count() == 2
    tab.locator("#fields select").select_option("blue")
    tab.locator("#fields input[type=number]").fill("1.5")
    wanted = model.predict_proba(pd.DataFrame({"size": [1.5], name: ["blue"]}))[0]
    np.testing.assert_allclose(probabilities(tab), wanted, atol=1e-12)
    tab.click("#link")
    assert name in tab.evaluate("location.hash")


def test_sliders_menus_dates_and_missing_values_follow_at_once(fusion, table, visit):
    model, page = fusion
    tab = visit(page)
    field = lambda name: tab.locator(".field", has=tab.get_by_text(name, exact=True))  # noqa: E731

    def agrees(**values):
        wanted = model.predict_proba(row_of(model, table, **values))[0]
        np.testing.assert_allclose(probabilities(tab), wanted, atol=1e-12)
        chances = tab.eval_on_selector_all(
            "#chances .line", "a => a.map((e) => [e.dataset.class, e.dataset.probability])"
        )
        for c, p in chances:
            assert float(p) == pytest.approx(wanted[int(c)], abs=1e-12)

    field("count").locator("input[type=number]").fill("7")
    agrees(count=7)
    assert field("count").locator("input[type=range]").input_value() == "7"
    field("size").locator("input[type=range]").evaluate(
        "(s) => { s.value = s.max; s.dispatchEvent(new Event('input')); }"
    )
    size = float(field("size").locator("input[type=number]").input_value())
    agrees(count=7, size=size)
    field("size").locator("input[type=checkbox]").check()
    agrees(count=7, size=np.nan)
    assert field("size").locator("input[type=range]").is_disabled()
    field("size").locator("input[type=checkbox]").uncheck()
    agrees(count=7, size=size)
    field("colour").locator("select").select_option("blue")
    agrees(count=7, size=size, colour="blue")
    field("colour").locator("select").select_option("another value, not seen in training")
    agrees(count=7, size=size, colour="never")
    field("colour").locator("select").select_option("missing")
    agrees(count=7, size=size, colour=None)
    field("day").locator("input").first.fill("2024-05-06T13:00")
    agrees(count=7, size=size, colour=None, day="2024-05-06T13:00")
    tab.click("#typical")
    agrees()


def test_an_address_holds_the_values_and_can_be_shared(fusion, table, visit, tmp_path):
    model, page = fusion
    tab = visit(page)
    tab.locator(".field select").first.select_option("missing")
    tab.locator(".field input[type=number]").first.fill("3")
    tab.wait_for_url("**#row=*%2C*")  # both values, which it writes a moment later
    other = visit(page, fragment=f"#{tab.url.split('#')[1]}")
    np.testing.assert_array_equal(probabilities(other), probabilities(tab))
    values = {"size": -0.5, "colour": {"unseen": True}, "day": "2024-03-03", "nothing": 1}
    # the page's own listener was added first, so it is done when this one is called
    follow = "(to) => new Promise((done) => { addEventListener('hashchange', () => done()); location.hash = to; })"
    other.evaluate(follow, f"row={quote(json.dumps(values))}")
    wanted = model.predict_proba(row_of(model, table, size=-0.5, colour="never", day="2024-03-03"))[0]
    np.testing.assert_allclose(probabilities(other), wanted, atol=1e-12)
    for bad in ("{", "[]", "%", quote('{"size": "text"}'), quote('{"size": {"whole": "x"}}')):
        fresh = visit(page, fragment=f"#row={bad}")
        assert re.search("no values that can be read|value of size that cannot be read", fresh.inner_text("#link-said"))
        np.testing.assert_allclose(probabilities(fresh), model.predict_proba(row_of(model, table))[0], atol=1e-12)


@pytest.mark.parametrize("bad", ["{", "[]", "%", quote('{"size": "text"}')])
def test_an_address_that_cannot_be_read_stays_even_if_another_was_about_to_be_written(bad, fusion, table, visit):
    page = fusion[1]
    tab = visit(page)
    typical = probabilities(tab)
    tab.locator(".field input[type=number]").first.fill("3")  # the page writes this into the address a moment later
    # timers run in order, so those that the page has started before are over when this one ends
    after = "(to) => new Promise((done) => { location.hash = to; setTimeout(done, 900); })"
    tab.evaluate(after, f"row={bad}")
    said = tab.inner_text("#link-said")
    assert "cannot be read" in said or "no values that can be read" in said
    assert unquote(tab.url).endswith(unquote(f"#row={bad}"))
    tab.reload()
    tab.wait_for_selector("html[data-ready]")
    assert tab.inner_text("#link-said") == said
    np.testing.assert_array_equal(probabilities(tab), typical)
    tab.locator(".field input[type=number]").first.fill("4")
    assert tab.inner_text("#link-said") == ""


def test_the_smallest_change_changes_the_class_and_can_be_tried(fusion, visit):
    _, page = fusion
    tab = visit(page)
    before = tab.get_attribute("#answer", "data-predicted")
    offers = tab.locator("#changes li").all_inner_texts()
    assert offers
    assert all(re.match(r"If \w+ were .+: class \d \d+\.\d % try it", words) for words in offers)
    promised = re.search(r"(class \d) (\d+\.\d %)", offers[0])
    tab.locator("#changes button").first.click()
    assert tab.get_attribute("#answer", "data-predicted") != before
    assert tab.inner_text("#predicted") == f"predicts {promised[1]} {promised[2]}"


def test_the_smallest_change_is_the_smallest(visit):
    X = pd.DataFrame({"size": np.arange(100), "noise": np.arange(100) % 7})
    y = np.where(X["size"] >= 60, "yes", "no")
    tab = visit(str(calculator_page(NB().fit(X, y))))
    tab.locator(".field", has=tab.get_by_text("size", exact=True)).locator("input[type=number]").fill("50")
    assert tab.inner_text("#changes li").startswith("If size were 60 or more: yes")
    tab.locator("#changes button").first.click()
    assert tab.locator(".field input[type=number]").first.input_value() == "60"
    assert tab.inner_text("#changes li").startswith("If size were below 60: no")


def cheapest(model, X):
    """Return the cost of the smallest change of each column of numbers or categories of a row, by trying all values."""
    codes = model.encoder_.encode(X)
    now, costs = model.model_.classify(codes)[0], {}
    for j, attribute in enumerate(model.encoder_.attributes):
        rows = model.counts_.of_attribute(j).sum(axis=1)
        at = (np.cumsum(rows) - rows / 2) / rows.sum()
        for code in range(attribute.n_known):
            other = codes.copy()
            other[0, j] = code
            if model.model_.classify(other)[0] != now:
                is_number = attribute.is_numeric
                cost = abs(at[code] - at[codes[0, j]]) if is_number else 1 - rows[code] / rows.sum()
                costs[attribute.name] = min(cost, costs.get(attribute.name, np.inf))
    return costs


def test_of_all_changes_the_smallest_is_offered_first(table, visit):
    X, y = table[0][["size", "count", "colour"]], table[1]
    model = FusionNB(pairs=1, shrinkage=1.0, missing="skip").fit(X, y)
    tab = visit(str(model_page(model, X, y, folds=2)))
    several = 0
    for _ in range(12):
        tab.click("#row-next")
        row = int(tab.input_value("#row-number")) - 1
        if X.iloc[row].isna().any():
            continue
        costs = cheapest(model, X.iloc[[row]])
        offered = [words.split()[1] for words in tab.locator("#changes li").all_inner_texts()]
        assert offered == sorted(costs, key=costs.get)[:3]
        several += len(offered) > 1
    assert several > 3


def test_the_waterfall_sums_to_the_difference_of_two_classes(table, visit):
    model = FusionNB(pairs=2, shrinkage=1.0).fit(*table)
    X, y = table
    tab = visit(str(model_page(model, X, y, folds=2)))
    joint = model.predict_joint_log_proba(X)
    for _ in range(4):
        tab.click("#row-next")
        row = int(tab.input_value("#row-number")) - 1
        winner = int(tab.get_attribute("#answer", "data-predicted"))
        for rival in {0, 1, 2} - {winner}:
            tab.select_option("#against", str(rival))
            parts = tab.eval_on_selector_all("#parts .line", "all => all.map((e) => [e.className, +e.dataset.value])")
            total = next(value for name, value in parts if "sum" in name)
            assert total == pytest.approx(joint[row, winner] - joint[row, rival], abs=1e-10)
            assert sum(value for name, value in parts if "sum" not in name) == pytest.approx(total, abs=1e-10)
            assert float(tab.get_attribute("#parts .list", "data-sum")) == pytest.approx(total, abs=1e-10)


def test_rows_are_picked_by_number_by_steps_and_the_wrong_ones_alone(table, visit):
    X, y = table[0][:150], table[1][:150]
    tab = visit(str(model_page(NB().fit(X, y), X, y, folds=2)))
    rows = tab.evaluate("JSON.parse(data.textContent).rows")
    wrong = [n for n, t, p in zip(rows["numbers"], rows["truth"], rows["predicted"], strict=True) if t != p]
    tab.fill("#row-number", "1")
    tab.press("#row-number", "Enter")
    assert tab.input_value("#row-number") == "1"
    assert tab.is_disabled("#row-previous")
    tab.check("#row-wrong")
    while not tab.is_disabled("#row-previous"):
        tab.click("#row-previous")
    seen = [int(tab.input_value("#row-number"))]
    while not tab.is_disabled("#row-next"):
        tab.click("#row-next")
        seen.append(int(tab.input_value("#row-number")))
    assert seen == wrong


def test_many_categories_are_typed_and_large_whole_numbers_are_exact(visit):
    names = [f"town {k % 600}" for k in range(1800)]
    X = pd.DataFrame({"town": names, "id": [2**60 + k % 3 for k in range(1800)]})
    X["id"] = X["id"].astype("category")
    y = np.arange(1800) % 3
    model = NB(min_category_rows=None).fit(X, y)
    tab = visit(str(calculator_page(model)))
    tab.fill(".field input[list]", "town 7")
    last = tab.locator(".field select option").all_inner_texts()
    assert str(2**60 + 2) in last
    tab.select_option(".field select", str(2**60 + 2))
    row = X.iloc[[2]].assign(town="town 7")
    np.testing.assert_allclose(probabilities(tab), model.predict_proba(row)[0], atol=1e-12)
    tab.fill(".field input[list]", "")
    np.testing.assert_allclose(probabilities(tab), model.predict_proba(row.assign(town=None))[0], atol=1e-12)


def test_the_command_writes_the_calculator(run_page, table, visit, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(NB().fit(*table), "model.json", target="kind")
    assert run_page("model.json", "-o", "page.html") == 0
    tab = visit((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert tab.inner_text("h1") == "kind: what if"
    assert run_page("model.json", "-o", "model.json") == 1


def test_pooled_values_are_one_entry_of_a_menu_and_days_have_a_field_of_days(visit):
    towns = np.array(["Bonn", "Ulm", "Zug"])[np.arange(120) % 3]
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(120), unit="D")
    y = (np.arange(120) % 3 == 2) | (np.arange(120) > 90)
    X = pd.DataFrame({"town": towns, "day": day})
    model = NB().fit(X, y)
    first, *rest = model.encoder_.attributes
    pooled = replace(first, categories=first.categories[:2], pooled=4812)  # the third code is now that of rare values
    model.encoder_ = replace(model.encoder_, attributes=(pooled, *rest))
    tab = visit(str(calculator_page(model)))
    tab.select_option(".field select", "any of 4,812 rare values")
    tab.fill(".field input[type=date]", "2024-04-20")
    row = pd.DataFrame({"town": ["Basel"], "day": [pd.Timestamp("2024-04-20")]})
    np.testing.assert_allclose(probabilities(tab), model.predict_proba(row)[0], atol=1e-12)
    assert "day: month = April" in tab.inner_text("#parts")
    assert "day: date = 2024-04-20" in tab.inner_text("#parts")


def test_a_typical_row_has_the_medians_and_the_most_frequent_categories_of_the_rows_whatever_their_weights(visit):
    random = np.random.default_rng(0)
    rare = random.random(401) < 0.1
    X = pd.DataFrame(
        {
            "price": np.where(rare, 54321.0, 12345.0) + random.normal(size=401).round(3),
            "kind": np.where(rare, "odd", "usual"),
            "count": random.integers(0, 9, 401),
        }
    )
    model = NB(class_weight={False: 1, True: 99}).fit(X, rare)
    cells = {"price": np.median(X["price"]), "kind": "usual", "count": np.median(X["count"])}
    tab = visit(str(model_page(model, X, rare, folds=2)))
    np.testing.assert_allclose(probabilities(tab), model.predict_proba(pd.DataFrame([cells]))[0], atol=1e-12)
    assert str(cells["price"]) in [box.input_value() for box in tab.locator("#fields input[type=number]").all()]


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
def test_without_rows_a_typical_number_is_in_the_interval_of_the_median(scale):
    random = np.random.default_rng(0)
    for _ in range(20):
        x = (100.0 + random.normal(size=301) * 0.01) * scale
        model = NB(max_bins=5).fit(x[:, None], random.random(301) < (x > np.median(x)) * 0.5 + 0.2)
        (field,) = what_if_of(model, plan_of(model), np.ones(1))["fields"]
        codes = [
            model.encoder_.attributes[0].encode(read_table([[each]]).columns[0])[0]
            for each in (field["typical"], np.median(x))
        ]
        assert codes[0] == codes[1]


# --- other values of β -----------------------------------------------------------------------------


class Stepping:
    """A model with as many steps as one likes."""

    def __init__(self, edges, accuracy, beta, interval):
        self.curve = edges, accuracy
        self.beta_, self.beta_interval_, self.beta_accuracy_ = beta, interval, accuracy.max()
        self.beta_intervals_ = np.array([interval])
        self.relevance_ = self.redundancy_ = np.ones(1)
        self.counts_ = SimpleNamespace(weighted=False)

    def accuracy_curve(self):
        return self.curve


@pytest.mark.parametrize("n", [50, 60_000])
def test_the_best_step_stays_exact_however_many_and_narrow_the_steps_are(n):
    random = np.random.default_rng(n)
    edges = np.concatenate([[0.0], np.sort(random.random(n - 1)), [1.0]])
    edges[20:25] = edges[20] + np.arange(5) * 1e-11
    edges = np.sort(edges)
    accuracy = random.random(n)
    accuracy[21] = 2.0
    low, high = edges[21], edges[22]
    curve = curve_of(Stepping(edges, accuracy, (low + high) / 2, (low, high)))
    found = np.frombuffer(curve["edges"]), np.frombuffer(curve["accuracy"])
    assert len(found[1]) == min(n, MOST_STEPS)
    assert curve["allSteps"] == n
    at = np.array([low, (low + high) / 2, np.nextafter(high, 0), np.nextafter(low, 0), high])
    assert accuracy_at(at, *found).tolist() == accuracy_at(at, edges, accuracy).tolist()
    np.testing.assert_array_equal(accuracy_at(STOPS, *found), accuracy_at(STOPS, edges, accuracy))
    assert (np.diff(found[0]) >= 0).all()
