"""The command, called in an empty folder."""

from contextlib import chdir
from shutil import copytree

import pytest
from typer.testing import CliRunner

from atfnb.cli import app
from helpers.cli_tables import pets


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


@pytest.fixture(scope="session")
def train_once(tmp_path_factory):
    """Return a folder with tables and the models that commands train on them; each is made once, and not changed."""
    made = {}

    def folder_of(tables, *commands):
        if commands not in made:
            made[commands] = tmp_path_factory.mktemp("trained")
            for name, table in tables.items():
                table.to_csv(made[commands] / name, index=False)
            with chdir(made[commands]):
                for words in commands:
                    done = CliRunner().invoke(app, ["train", *words.split(), "-q"])
                    assert done.exit_code == 0, done.output
        return made[commands]

    return folder_of


@pytest.fixture
def trained_on(train_once, tmp_path):
    """Copy such a folder to where the command is called."""
    return lambda tables, *commands: copytree(train_once(tables, *commands), tmp_path, dirs_exist_ok=True)
