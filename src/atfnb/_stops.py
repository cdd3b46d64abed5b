"""Ctrl-C and the system's request to end: one sentence and an exit code, at any moment.

Outside of :class:`Undoing`, a stop ends the process at once, so that the imports, which take most of the first second,
show no traceback. Inside it, where bars, processes or clusters have to be ended in order, a stop raises
KeyboardInterrupt instead.
"""

# The command imports this first of all: it must need nothing that takes time.
import os
import signal
import sys

WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
if hasattr(signal, "SIGHUP"):  # the terminal was closed; Windows has none
    WORDS[signal.SIGHUP] = "terminated"
"""The word for a stop, by its signal."""

unfinished: set[str] = set()
"""The paths of temporary files that are being written; a stop removes them."""
_state = {"undoing": 0, "stopped": 0, "written": 0}


class Terminated(KeyboardInterrupt):
    """Raised where the system asks the process to end; its argument is the number of the signal."""


def exit_code(stop: KeyboardInterrupt) -> int:
    """Return the exit code of a process that was stopped: 128 plus the number of the signal.

    Examples
    --------
    >>> exit_code(KeyboardInterrupt()), exit_code(Terminated())
    (130, 143)
    """
    return 128 + _signal_of(stop)


def word(stop: KeyboardInterrupt) -> str:
    """Return the word for a stop: "interrupted" or "terminated".

    Examples
    --------
    >>> word(KeyboardInterrupt()), word(Terminated())
    ('interrupted', 'terminated')
    """
    return WORDS[_signal_of(stop)]


def handle_stops() -> None:
    """Install handlers, for the command only, that end the process with one sentence on Ctrl-C, SIGTERM and SIGHUP."""
    for number in WORDS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup and shells ask for in the background
            signal.signal(number, _stop)


class Undoing:
    """A context in which a stop raises KeyboardInterrupt, so that bars, processes and clusters are ended in order."""

    def __enter__(self) -> None:
        _state["undoing"] += 1

    def __exit__(self, *_: object) -> None:
        _state["undoing"] -= 1


def note_written() -> None:
    """Note that this process has written a file that stays, for the sentence about a later stop."""
    _state["written"] += 1


def _signal_of(stop: KeyboardInterrupt) -> signal.Signals:
    if not isinstance(stop, Terminated):
        return signal.SIGINT
    return signal.Signals(stop.args[0]) if stop.args else signal.SIGTERM


def _stop(number: int, _: object) -> None:
    """Handle a signal: raise KeyboardInterrupt once where work is undone in order; otherwise clean up and exit."""
    _state["stopped"] += 1
    if _state["undoing"] and _state["stopped"] == 1:
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)
    for path in list(unfinished):
        try:
            os.unlink(path)
        except OSError:  # another process may have removed it
            continue
    if sys.stderr is not None:
        kept = "." if _state["written"] else "; nothing was written."
        os.write(2, f"\n{WORDS[signal.Signals(number)]}{kept}\n".encode())
    os._exit(128 + number)
