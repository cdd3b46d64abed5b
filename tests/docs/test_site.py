"""The documentation site is built without a warning, has no broken link, and asks no host for anything."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.skipif(
    not (find_spec("sphinx") and find_spec("pydata_sphinx_theme") and find_spec("myst_parser")),
    reason="the site needs the extra: pip install 'atfnb[docs]'",
)
ROOT = Path(__file__).resolve().parents[2]
PUBLIC = (
    "atfnb",
    "atfnb.evaluation",
    "atfnb.scale",
    "atfnb.switching",
    "atfnb.indexes",
    "atfnb.export",
    "atfnb.report",
    "atfnb_study.datasets",
)


class Page(HTMLParser):
    """What a page links to, what it loads, and the anchors that it has."""

    def __init__(self, file):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif found.get("href") or found.get("src"):
            self.loads.append(found.get("href") or found["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built in a process of its own, as ``make docs`` does."""
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, str(ROOT / "docs" / "make_site.py"), str(out)]
    environment = {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return out


@pytest.fixture(scope="module")
def pages(site):
    return {file: Page(file) for file in site.rglob("*.html") if "_static" not in file.parts}


@pytest.mark.slow
def test_every_link_leads_somewhere(site, pages):
    broken = []
    for file, page in pages.items():
        for link in [*page.links, *page.loads]:
            address = urlsplit(link)
            if address.scheme in ("http", "https", "mailto", "data"):
                continue
            target = (file.parent / unquote(address.path)).resolve() if address.path else file
            if not target.is_file() or (
                target in pages and address.fragment and unquote(address.fragment) not in pages[target].anchors
            ):
                broken.append((file.name, link))
    assert broken == []


@pytest.mark.slow
def test_no_page_loads_anything_from_a_host(site, pages):
    assert [(file.name, each) for file, page in pages.items() for each in page.loads if urlsplit(each).netloc] == []
    for sheet in site.rglob("*.css"):
        imported = re.findall(r"(?:url\(|@import\s)[\s\"']*((?:https?:)?//[^)\"']+)", sheet.read_text(encoding="utf-8"))
        assert imported == [], sheet.name


@pytest.mark.slow
def test_every_page_of_the_guide_is_in_the_site(pages):
    names = {file.stem for file in pages}
    assert {page.stem for page in (ROOT / "docs").glob("*.md")} - {"README"} <= names
    assert {script.stem for script in (ROOT / "examples").glob("*.py")} <= names
    assert {"index", "changelog", "contributing", "search"} <= names


@pytest.mark.slow
def test_every_public_name_has_an_entry_in_the_reference(pages):
    anchors = set().union(*(page.anchors for file, page in pages.items() if file.parent.name == "api"))
    ends = {anchor.rsplit(".", 1)[-1] for anchor in anchors} | {anchor.removeprefix("module-") for anchor in anchors}
    for module in PUBLIC:
        names = {name for name in import_module(module).__all__ if f"{module}.{name}" not in PUBLIC}
        assert names <= ends, (module, names - ends)


@pytest.mark.slow
def test_formulas_are_written_as_mathml(site):
    assert (site / "concepts.html").read_text(encoding="utf-8").count("<math ") >= 4


@pytest.mark.slow
def test_search_works_from_disk_and_pages_fit_a_phone(site, browser):
    asked, errors = [], []
    tab = browser.new_page(viewport={"width": 390, "height": 844})
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("pageerror", lambda error: errors.append(str(error)))
    for name in ("index", "start", "concepts", "comparison", "api/FusionNB.class", "examples/credit"):
        tab.goto((site / f"{name}.html").as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390, name
    tab.goto((site / "search.html").as_uri() + "?q=redundancy")
    tab.wait_for_function("document.body.innerText.includes('Search finished')")
    found = tab.locator("ul.search li a").all_inner_texts()
    tab.close()
    assert any("Concepts" in title for title in found), found
    assert errors == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
