"""The command: ``atfnb``, or ``python -m atfnb``. Ctrl-C is handled before anything large is imported."""

from atfnb._stops import handle_stops


def main() -> None:
    """Run the command ``atfnb`` with the arguments of this process."""
    handle_stops()
    from atfnb.cli import app

    app(prog_name="atfnb")


if __name__ == "__main__":
    main()
