"""The facts of a page, and the command that writes one."""

import pytest

from atfnb.report.facts import PageOptions, facts_of


@pytest.fixture
def facts_for():
    """Fit a model to a table and gather the facts of its page."""

    def fit_and_gather(model, X, y, **options):
        return facts_of(model.fit(X, y), X, y, PageOptions(**{"folds": 3} | options))

    return fit_and_gather


@pytest.fixture
def run_page():
    """Run ``atfnb page`` and return its exit code."""
    from typer.testing import CliRunner

    from atfnb.cli import app

    return lambda *words: CliRunner().invoke(app, ["page", *words]).exit_code
