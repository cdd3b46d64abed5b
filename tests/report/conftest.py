"""The facts of a page, and the command that writes one."""

import json
from dataclasses import replace
from types import SimpleNamespace

import msgspec
import pytest

from atfnb.report.facts import PageOptions, facts_of


def as_read(payload):
    """Return what the page's script reads with the fields as attributes."""
    if isinstance(payload, dict):
        return SimpleNamespace(**{name: as_read(each) for name, each in payload.items()})
    return [as_read(each) for each in payload] if isinstance(payload, list) else payload


@pytest.fixture
def facts_for():
    """Fit a model to a table and gather the facts of its page, whose data can be written as JSON."""

    def fit_and_gather(model, X, y, **options):
        facts = facts_of(model.fit(X, y), X, y, PageOptions(**{"folds": 3} | options))
        json.dumps(msgspec.to_builtins(facts.data), allow_nan=False)
        return replace(facts, data=as_read(facts.data))

    return fit_and_gather


@pytest.fixture
def run_page():
    """Run ``atfnb page`` and return its exit code."""
    from typer.testing import CliRunner

    from atfnb.cli import app

    return lambda *words: CliRunner().invoke(app, ["page", *words]).exit_code
