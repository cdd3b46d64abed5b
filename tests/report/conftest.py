"""The facts of a page; and a real browser, started once for each worker, that reports whatever goes wrong in one."""

import shutil

import pytest

from atfnb.report.facts import facts_of

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


@pytest.fixture
def facts_for():
    """Fit a model to a table and gather the facts of its page."""

    def fit_and_gather(model, X, y, **options):
        return facts_of(model.fit(X, y), X, y, **{"folds": 3} | options)

    return fit_and_gather


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
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

    def open_page(text, *, width=1200, height=900, scheme="light"):
        file = tmp_path / f"page{len(contexts)}.html"
        file.write_text(text, encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        tab = context.new_page()
        watch(tab)
        tab.goto(file.as_uri())
        tab.wait_for_selector("html[data-ready]", timeout=60_000)
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []


def _local(url):
    return url.startswith(("file://", "data:"))


@pytest.fixture
def run_page():
    """Run ``atfnb page`` and return its exit code."""
    from typer.testing import CliRunner

    from atfnb.cli import app

    return lambda *words: CliRunner().invoke(app, ["page", *words]).exit_code
