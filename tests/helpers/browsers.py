"""A real browser, started once for each worker, that reports whatever goes wrong in a page; and axe-core."""

import shutil
from pathlib import Path

import numpy as np
import pytest

AXE = Path(__file__).parents[2] / ".venv" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
"""Where ``make test`` installs axe-core with npm."""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

PATIENCE = 300_000
"""Milliseconds that nothing takes in a browser, on a machine of any load."""


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=PATIENCE)
        yield started
        started.close()


@pytest.fixture
def visit(browser, tmp_path):
    """Open a page given as text; at the end nothing may have been asked of the network, nor gone wrong."""
    troubles, contexts = [], []

    def watch(tab):
        tab.on("console", lambda message: troubles.append(f"{message.type}: {message.text}"))
        tab.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        tab.on("request", lambda request: troubles.append(request.url) if not _local(request.url) else None)
        tab.on("dialog", lambda dialog: (troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))

    def open_page(text, *, fragment="", width=1200, height=900, scheme="light"):
        file = tmp_path / f"page{len(contexts)}.html"
        file.write_text(text, encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        tab = context.new_page()
        watch(tab)
        tab.goto(file.as_uri() + fragment)
        tab.wait_for_selector("html[data-ready]")
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == [], troubles[:3]


def _local(url):
    return url.startswith(("file://", "data:", "blob:"))


@pytest.fixture
def violations():
    """Return what axe-core finds in a tab that WCAG 2.1 AA does not allow, with everything unfolded."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: make test installs it where there is npm")

    def found(tab):
        tab.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        tab.wait_for_timeout(200)
        tab.evaluate(AXE.read_text(encoding="utf-8"))
        result = tab.evaluate("rules => axe.run(document, { runOnly: rules })", RULES)
        return [(one["id"], node["html"][:200]) for one in result["violations"] for node in one["nodes"]]

    return found


def answers_on_page(tab, rows):
    """Go through rows by their numbers, and return the probabilities and classes that the page computes."""
    script = """(rows) => rows.map((row) => {
        const box = document.getElementById("row-number");
        box.value = row;
        box.dispatchEvent(new Event("change"));
        const { probabilities, predicted } = document.getElementById("answer").dataset;
        return [JSON.parse(probabilities), Number(predicted)];
    })"""
    found = tab.evaluate(script, rows)
    return np.array([one[0] for one in found]), np.array([one[1] for one in found])
