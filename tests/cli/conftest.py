"""The command, called in an empty folder."""

import pytest
from typer.testing import CliRunner

from atfnb.cli import app
from cli_tables import pets


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Call the command in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def call(*words, text=None):
        done = CliRunner().invoke(app, [str(word) for word in words], input=text)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert "Traceback" not in done.output
        return done.exit_code, done.stdout, done.stderr

    return call


@pytest.fixture
def folder(tmp_path):
    pets().to_csv(tmp_path / "pets.csv", index=False)
    pets(30, seed=1).drop(columns="kind").to_csv(tmp_path / "new.csv", index=False)
    return tmp_path
