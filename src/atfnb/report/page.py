"""Facts → one HTML file that needs no other file and no network."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from math import isnan
from pathlib import Path
from typing import Any

from atfnb._files import write_whole
from atfnb._version import __version__
from atfnb.classifiers import BaseNB
from atfnb.evaluation import Name, joined, percent
from atfnb.report.facts import Facts, facts_of
from atfnb.report.payload import payload

SCRIPTS = ("dom", "charts", "weights", "beta", "nomogram", "row", "attribute", "performance", "page")
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
        See :func:`~atfnb.report.facts.facts_of`.

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


def page(facts: Facts) -> str:
    """Return the facts as the text of a page: one file, everything in it, everything escaped."""
    from jinja2 import Environment
    from markupsafe import Markup

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.tests["name"] = lambda part: isinstance(part, Name)
    environment.filters["percent"] = lambda share: "–" if isnan(share) else percent(share)
    environment.filters["figure"] = lambda value: "–" if isnan(value) else f"{value:.3f}"
    return environment.from_string(_template("model.html.j2")).render(
        facts=facts,
        description=joined(facts.sentences[0]),
        css=Markup(_template("model.css")),  # noqa: S704 - our own files
        script=Markup(joined_script()),  # noqa: S704
        data=Markup(as_json(payload(facts))),  # noqa: S704 - escaped in its own way
        made=f"atfnb {__version__}",
    )


def joined_script() -> str:
    """Return the page's whole script: its parts share one scope, which nothing outside can see."""
    parts = "\n".join(_template(f"{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();'


def as_json(data: Any) -> str:
    r"""Return JSON that can stand inside a script element, whatever its strings hold.

    >>> as_json({"name": "</script>&"})
    '{"name":"\\u003c/script\\u003e\\u0026"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def _template(name: str) -> str:
    return files("atfnb.report").joinpath("templates", name).read_text(encoding="utf-8")
