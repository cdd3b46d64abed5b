"""Facts → one HTML file that needs nothing else."""

from __future__ import annotations

import json
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from atfnb.report.facts import Facts, facts_of
from atfnb.report.fitted import Fitted
from atfnb.report.payload import payload
from atfnb.report.text import Name, joined

SCRIPTS = ("dom", "charts", "weights", "beta", "nomogram", "row", "attribute", "trial", "page")
"""The parts of the page's script, in the order they are read."""


def model_page(model: Fitted, X: Any, y: Any, **options: Any) -> str:
    """Make the page of a fitted model: see :func:`~atfnb.report.facts.facts_of` for the options.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from atfnb import ATFNB, NB
    >>> X, y = load_iris(return_X_y=True)
    >>> page = model_page(ATFNB().fit(X, y), X, y, naive=NB(), switching=ATFNB(), target="species")
    >>> page[page.index("<h1>") :][:34]
    '<h1><bdi>species: what was learned'
    """
    return page(facts_of(model, X, y, **options))


def page(facts: Facts) -> str:
    """The facts as a page: one file, everything in it, everything escaped."""
    from jinja2 import Environment
    from markupsafe import Markup

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.tests["name"] = lambda part: isinstance(part, Name)
    return environment.from_string(_template("model.html.j2")).render(
        facts=facts,
        description=joined(facts.sentences[0]),
        css=Markup(_template("model.css")),  # noqa: S704 - our own files
        js=Markup("\n".join(_template(f"{name}.js") for name in SCRIPTS)),  # noqa: S704
        data=Markup(as_json(payload(facts))),  # noqa: S704 - escaped in its own way
        made=f"atfnb {version('atfnb')}",
    )


def as_json(data: Any) -> str:
    r"""JSON that can stand inside a script element, whatever its strings hold.

    >>> as_json({"name": "</script>&"})
    '{"name":"\\u003c/script\\u003e\\u0026"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def _template(name: str) -> str:
    return files("atfnb.report").joinpath("templates", name).read_text(encoding="utf-8")
