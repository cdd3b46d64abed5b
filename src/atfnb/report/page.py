"""Facts → one HTML file that needs no other file and no network."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from math import isnan
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from atfnb._errors import percent
from atfnb._files import write_whole
from atfnb._pieces import on_cores
from atfnb._version import __version__
from atfnb.classifiers import BaseNB
from atfnb.evaluation import Name, joined
from atfnb.export import runtime
from atfnb.report.facts import Facts, PageOptions, calculator_facts, facts_of
from atfnb.report.performance import ends_of
from atfnb.report.plots import BLUE, RED

NOTEBOOK_ROWS = 10
"""The largest number of attributes that a notebook shows."""
SCRIPTS = (
    *("dom", "charts", "waterfall", "fields", "changes", "whatif"),
    *("edits", "editor", "counts", "pairs", "mistakes", "beta", "page"),
)
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
        frame = 'sandbox="allow-scripts allow-downloads" style="width: 100%; height: 44rem; border: 1px solid #8886"'
        return f'<iframe title="{escape(self.title)}" {frame} srcdoc="{escape(self.html)}"></iframe>'


def model_page(model: BaseNB, X: Any, y: Any, options: PageOptions | None = None, **others: Any) -> Page:
    """Make the page of a fitted model.

    Parameters
    ----------
    model : classifier of this library
        A fitted one.
    X, y
        A table and the class of each row.
    options : PageOptions, optional
        What the page is made with.
    **others
        Fields of ``PageOptions`` to set one by one: those of the method ``report`` of a classifier, except ``path``.

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
    with on_cores(model.n_jobs):
        return _page("model.html.j2", facts_of(model, X, y, replace(options or PageOptions(), **others)))


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
    return _page("calculator.html.j2", calculator_facts(model, title, target))


def weights_html(model: BaseNB) -> str:
    """Return the attributes that count most as bars, and a sentence on β, as HTML; empty before the model is fitted.

    >>> from sklearn.datasets import load_iris
    >>> from atfnb import ATFNB
    >>> weights_html(ATFNB())
    ''
    >>> "β = 0.6141, best from 0.4929 to 0.7353" in weights_html(ATFNB().fit(*load_iris(return_X_y=True)))
    True
    """
    if not hasattr(model, "model_"):
        return ""
    weights, names = model.weights_, [attribute.name for attribute in model.encoder_.attributes]
    largest = np.argsort(-np.abs(weights), kind="stable")[:NOTEBOOK_ROWS]
    bars = [(names[j][:60], float(weights[j])) for j in largest]
    more, has_beta = len(names) - len(bars), model.declaration.has("beta_")
    return _filled_in("notebook.html.j2", model=model, bars=bars, more=more, has_beta=has_beta, blue=BLUE, red=RED)


def _page(template: str, facts: Facts) -> Page:
    """Return a template filled in, with the style, the script and the data of the page."""
    css, script = _bare(_template("model.css")), joined_script()
    html = _filled_in(
        template,
        facts=facts,
        policy=content_policy(script, css),
        css=css,
        script=script,
        data=as_json(msgspec.to_builtins(facts.data)),
        version=f"atfnb {__version__}",
    )
    return Page(html, facts.title)


def _filled_in(template: str, **values: Any) -> str:
    """Return a template with values in it, escaped as HTML."""
    from jinja2 import Environment, FunctionLoader

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=FunctionLoader(_template))
    environment.tests["name"] = lambda part: isinstance(part, Name)
    environment.filters |= {"joined": joined, "ends": ends_of, "percent": percent}
    environment.filters["figure"] = lambda value: "–" if isnan(value) else f"{value:.3f}"
    return environment.get_template(template).render(values).lstrip()


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
    looks = "'unsafe-inline'" if style is None else _hash(style)
    others = "img-src data:; form-action 'none'; base-uri 'none'"
    return f"default-src 'none'; script-src {_hash(script)}; style-src {looks}; {others}"


def _hash(text: str) -> str:
    """Return the hash by which a Content-Security-Policy knows an element."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def joined_script() -> str:
    """Return the page's whole script: its parts share one scope, which nothing outside can see."""
    scoring = runtime().replace("export function", "function")
    functions = ", ".join(re.findall(r"^export function (\w+)", runtime(), flags=re.MULTILINE))
    parts = "\n".join(_template(f"{name}.js") for name in SCRIPTS)
    scoped = f"const scoring = (() => {{\n{scoring}\nreturn {{ {functions} }};\n}})();"
    return f'(() => {{\n"use strict";\n{_bare(scoped)}\n{_bare(parts)}}})();'


def _bare(text: str) -> str:
    """Return a script or a style without indentation, blank lines and lines that are a comment."""
    return re.sub(r"^\s*(?://.*)?\n?", "", text, flags=re.MULTILINE)


def as_json(data: Any) -> str:
    r"""Return JSON that can stand inside a script element, whatever its strings hold.

    >>> as_json({"name": "</script>&"})
    '{"name":"\\u003c/script\\u003e\\u0026"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029\ud800-\udfff]", lambda mark: f"\\u{ord(mark[0]):04x}", text)


def _template(name: str) -> str:
    return files("atfnb.report").joinpath("templates", name).read_text(encoding="utf-8")
