"""``python -m atfnb``: the command."""

from atfnb.cli import app

if __name__ == "__main__":
    app(prog_name="atfnb")
