"""The command: ``atfnb``, or ``python -m atfnb``. Ctrl-C is handled before anything large is imported."""

import atexit
import os
import sys
from contextlib import suppress
from typing import NoReturn

from atfnb._stops import handle_stops
from atfnb._streams import prepare_streams


def main() -> None:
    """Run the command ``atfnb`` with the arguments of this process, and end the process."""
    handle_stops()
    prepare_streams()
    from atfnb.cli import run

    _end(run())


def _end(code: int) -> NoReturn:
    """End the process at once.

    Were Python to clean up first, a thread of pyarrow that read ahead in a file that was refused, and lets go of its
    bytes at that moment, would abort the process.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # run has said it already
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
