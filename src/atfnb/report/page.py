"""Facts → one HTML file that needs no other file and no network."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from math import isnan
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from atfnb._files import write_whole
from atfnb._version import __version__
from atfnb.classifiers import BaseNB
from atfnb.evaluation import Name, joined, percent
from atfnb.export import runtime
from atfnb.report.attributes import series_of
from atfnb.report.facts import LONGEST_NOTE, Facts, facts_of, shares_of
from atfnb.report.payload import payload
from atfnb.report.performance import ends_of
from atfnb.report.sentences import one_line
from atfnb.report.whatif import what_if_of, what_if_payload

SCRIPTS = ("dom", "charts", "waterfall", "fields", "changes", "whatif", "counts", "pairs", "mistakes", "beta", "page")
"""The parts of the page's script, in the order in which they run."""


@dataclass(frozen=True, repr=False)
class Page:
    """A page of HTML: a notebook shows it, ``str`` gives its text, and ``save`` writes it.

    Examples
    --------
    >>> Page("<!doctype html><p>Hello", title="hello")
    <Page 'hello', 23 characters: save(path) writes it, str() gives its text>
    """

    html: str
    title: str

    def save(self, path: str | Path) -> Path:
        """Write the page to a file and return its path.

        Parameters
        ----------
        path : str or Path
            The file to write; one that exists is replaced.
        """
        write_whole(Path(path), self.html)
        return Path(path)

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        size = f"{len(self.html):,} characters"
        return f"<Page {self.title!r}, {size}: save(path) writes it, str() gives its text>"

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own: nothing in it can reach the notebook around it."""
        frame = 'sandbox="allow-scripts" style="width: 100%; height: 44rem; border: 1px solid #8886"'
        return f'<iframe title="{escape(self.title)}" {frame} srcdoc="{escape(self.html)}"></iframe>'


def model_page(model: BaseNB, X: Any, y: Any, **options: Any) -> Page:
    """Make the page of a fitted model.

    Parameters
    ----------
    model : classifier of this library
        A fitted one.
    X, y
        A table and the class of each row.
    **options
        Those of the method ``report`` of a classifier, except ``path``.

    Returns
    -------
    Page

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atfnb import ATFNB, NB
    >>> X, y = load_iris(return_X_y=True)
    >>> model_page(ATFNB().fit(X, y), X, y, target="species").title
    'species: what was learned'
    """
    facts = facts_of(model, X, y, **options)
    return Page(page(facts), facts.title)


def calculator_page(model: BaseNB, *, title: str | None = None, target: str | None = None) -> Page:
    """Make a page in which values can be tried, from a fitted model alone: it holds no rows of any table.

    Parameters
    ----------
    model : classifier of this library
        A fitted one.
    title : str, optional
        The title of the page.
    target : str, optional
        The name of what is predicted; that of the model file by default.

    Returns
    -------
    Page

    Raises
    ------
    ExportError
        If the model cannot be written into a page; the message says why.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atfnb import NB
    >>> calculator_page(NB().fit(*load_iris(return_X_y=True)), target="species").title
    'species: what if'
    """
    check_is_fitted(model)
    label = target if target is not None else model.training_record.get("target")
    name = None if label is None else one_line(label)
    shown = one_line(title) if title is not None else f"{name or type(model).__name__}: what if"
    what_if = what_if_of(model, shares_of(model)[: len(model.weights_)])
    data = {
        "classes": [one_line(each) for each in model.class_labels],
        "series": series_of(model.counts_.classes).tolist(),
        "whatIf": what_if_payload(what_if),
    }
    html = _rendered(
        "calculator.html.j2",
        data,
        title=shown,
        description=f"Set values and see which class {type(model).__name__} predicts.",
        target=name,
        n_rows=model.n_rows_,
        n_classes=len(model.classes_),
        made=type(model).__name__,
        settings=one_line(model, LONGEST_NOTE),
        version=f"atfnb {__version__}",
    )
    return Page(html, shown)


def page(facts: Facts) -> str:
    """Return the facts as the text of a page: one file, everything in it, everything escaped."""
    description = joined(facts.sentences[0])
    made = f"atfnb {__version__}"
    places = "\n".join(_places(facts))
    return _rendered("model.html.j2", payload(facts), places, facts=facts, description=description, made=made)


def _places(facts: Facts) -> Iterator[str]:
    """Generate the style of each mark of the verdict: its policy allows a page no style but that of its one element."""
    for k, performance in enumerate(facts.performances):
        for n, (_, marks) in enumerate(performance.marks):
            low, high = ends_of(marks)
            for m, mark in enumerate(marks):
                start, end = (100 * (each - low) / (high - low) for each in mark.interval or (low, low))
                yield f"#mark-{k}-{n}-{m} i {{ left: {start:.2f}%; width: {end - start:.2f}%; }}"
                yield f"#mark-{k}-{n}-{m} b {{ left: {100 * (mark.share - low) / (high - low):.2f}%; }}"


def content_policy(script: str, style: str | None) -> str:
    """Return the Content-Security-Policy of a page that needs no network: what runs is this script and nothing else.

    Parameters
    ----------
    script : str
        The text of the page's script element.
    style : str or None
        The text of its style element; None if elements have styles of their own.

    Examples
    --------
    >>> content_policy("", "")[:88]
    "default-src 'none'; script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; st"
    """
    runs, looks = (
        "'unsafe-inline'"
        if text is None
        else f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in (script, style)
    )
    return (
        f"default-src 'none'; script-src {runs}; style-src {looks}; img-src data:; form-action 'none'; base-uri 'none'"
    )


def _rendered(template: str, data: dict[str, Any], places: str = "", **values: Any) -> str:
    """Return a template filled in, with the style, the script and the data of the page."""
    from jinja2 import Environment, FunctionLoader
    from markupsafe import Markup

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=FunctionLoader(_template))
    environment.tests["name"] = lambda part: isinstance(part, Name)
    environment.filters["ends"] = ends_of
    environment.filters["percent"] = lambda share: "–" if isnan(share) else percent(share)
    environment.filters["figure"] = lambda value: "–" if isnan(value) else f"{value:.3f}"
    css, script = _template("model.css") + places, joined_script()
    html: str = environment.get_template(template).render(
        policy=content_policy(script, css),
        css=Markup(css),  # noqa: S704 - our own files and numbers
        script=Markup(script),  # noqa: S704
        data=Markup(as_json(data)),  # noqa: S704 - escaped in its own way
        **values,
    )
    return html.lstrip()


def joined_script() -> str:
    """Return the page's whole script: its parts share one scope, which nothing outside can see."""
    scoring = runtime().replace("export function", "function")
    functions = ", ".join(re.findall(r"^export function (\w+)", runtime(), flags=re.MULTILINE))
    parts = "\n".join(_template(f"{name}.js") for name in SCRIPTS)
    scoped = f"const scoring = (() => {{\n{scoring}\nreturn {{ {functions} }};\n}})();"
    return f'(() => {{\n"use strict";\n{scoped}\n{parts}}})();'


def as_json(data: Any) -> str:
    r"""Return JSON that can stand inside a script element, whatever its strings hold.

    >>> as_json({"name": "</script>&"})
    '{"name":"\\u003c/script\\u003e\\u0026"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029\ud800-\udfff]", lambda mark: f"\\u{ord(mark[0]):04x}", text)


def _template(name: str) -> str:
    return files("atfnb.report").joinpath("templates", name).read_text(encoding="utf-8")
