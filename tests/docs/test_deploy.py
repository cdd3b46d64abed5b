"""The browser page and the spreadsheet of docs/deploy.md, run for real; the rest of the page is run as a doctest."""

import csv
import functools
import html
import http.server
import re
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from sklearn.datasets import load_breast_cancer

from atfnb import NB
from atfnb.export import Options, plan_of, scorecard, write

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "deploy.md").read_text(encoding="utf-8")
COLUMNS = ["mean radius", "mean texture", "mean smoothness"]


@pytest.fixture(scope="module")
def fitted():
    frame = load_breast_cancer(as_frame=True).frame
    return NB().fit(frame[COLUMNS], frame["target"].map({0: "malignant", 1: "benign"})), frame[COLUMNS]


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def served(tmp_path):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Silent, directory=tmp_path))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield tmp_path, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_page_in_a_browser_shows_what_is_said(fitted, browser, served):
    folder, address = served
    write(fitted[0], folder / "model.js", Options(explain=True))
    (folder / "index.html").write_text(re.search(r"```html\n(.*?)```", PAGE, re.S)[1], encoding="utf-8")
    tab, troubles = browser.new_page(), []
    tab.on("pageerror", lambda error: troubles.append(str(error)))
    tab.goto(f"{address}/index.html")
    tab.wait_for_function("document.querySelector('output').textContent !== '…'")
    assert tab.inner_text("output") == re.search(r"It shows `(.*?)`", PAGE)[1]
    assert troubles == []
    tab.close()


def sheet(name, rows):
    """A sheet of a flat OpenDocument spreadsheet; text that begins with = is a formula."""

    def cell(value):
        if isinstance(value, str) and value.startswith("="):
            return f'<table:table-cell table:formula="of:{html.escape(value)}"/>'
        if isinstance(value, (int, float)):
            return f'<table:table-cell office:value-type="float" office:value="{value!r}"/>'
        return f'<table:table-cell office:value-type="string"><text:p>{html.escape(value)}</text:p></table:table-cell>'

    lines = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    return f'<table:table table:name="{name}">{lines}</table:table>'


def as_open_formula(formula):
    """A formula as OpenDocument writes it: references in brackets, semicolons between arguments."""
    whole = re.sub(r"card!\$(\w):\$\w", r"[$card.$\g<1>$1:.$\g<1>$1000]", formula.replace("card!$E$2", "[$card.$E$2]"))
    return re.sub(r"(?<![\w$.\[])([A-C]\$?\d)", r"[.\1]", whole.replace(",", ";"))


@pytest.mark.slow
def test_the_formula_in_a_spreadsheet_adds_up_the_points(fitted, tmp_path):
    office = shutil.which("soffice") or pytest.skip("LibreOffice is not installed here")
    model, X = fitted
    rows = X[:5].to_numpy().tolist()
    write(model, tmp_path / "card.csv", Options(positive="benign"))
    lines = list(csv.reader((tmp_path / "card.csv").read_text(encoding="utf-8").splitlines()))
    card = [[*line[:2], *(float(each) if each else "" for each in line[2:])] for line in lines[1:]]
    formula = as_open_formula(re.search(r"^=card.*$", PAGE, re.M)[0])
    table = [[*row, re.sub(r"\[\.([A-C])2\]", rf"[.\g<1>{k}]", formula)] for k, row in enumerate(rows, start=2)]
    names = ("office", "table", "text")
    spaces = " ".join(f'xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for n in names)
    spaces += ' xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" office:version="1.3"'
    sheets = sheet("rows", [COLUMNS, *table]) + sheet("card", [lines[0], *card])
    text = f"<office:body><office:spreadsheet>{sheets}</office:spreadsheet></office:body>"
    kind = 'office:mimetype="application/vnd.oasis.opendocument.spreadsheet"'
    (tmp_path / "book.fods").write_text(
        f'<?xml version="1.0"?><office:document {spaces} {kind}>{text}</office:document>'
    )
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = [office, profile, "--headless", "--convert-to", "csv", "--outdir", tmp_path, tmp_path / "book.fods"]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    found = [float(line[3]) for line in list(csv.reader((tmp_path / "book.csv").read_text().splitlines()))[1:6]]
    made, codes = scorecard(plan_of(model), positive="benign"), model.encoder_.encode(X[:5])
    points = [made.base + sum(made.points[j][code] for j, code in enumerate(row)) for row in codes.tolist()]
    assert found == points
