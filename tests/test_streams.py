"""Nothing that is printed commands a terminal, and no state of the standard streams is a traceback."""

import os
import pty
import subprocess
import sys

import pytest

from atfnb._streams import legible, printable

SAID = "import os, sys; from atfnb._streams import prepare_streams; prepare_streams(); "
CLIPBOARD, CLEAR, REVERSED = "\x1b]52;c;aGk=\x07", "\x1bc\x9b2J", "\u202etxt.exe"


def run(program, shell="", **options):
    """Run a few lines of Python with a redirection of the shell: exit code, output, errors."""
    command = f'exec "$0" -c "$1" {shell}'
    done = subprocess.run(["/bin/sh", "-c", command, sys.executable, SAID + program], capture_output=True, **options)
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def on_a_terminal(program):
    """Return what a terminal gets of what a few lines of Python print."""
    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", SAID + program], stdout=theirs, stderr=theirs, check=True)
    os.close(theirs)
    got = b""
    while piece := _next(ours):
        got += piece
    os.close(ours)
    return got.decode()


def _next(terminal):
    try:
        return os.read(terminal, 10_000)
    except OSError:  # the other side is closed, and everything was read
        return b""


def test_what_a_terminal_obeys_is_shown_as_an_escape():
    assert printable(f"a{CLIPBOARD}\r") == r"a\x1b]52;c;aGk=\x07\r"
    assert printable(CLEAR + REVERSED) == r"\x1bc\x9b2J\u202etxt.exe"
    assert printable("Ärger, 猫\t\n 👩‍💻") == "Ärger, 猫\t\n 👩‍💻"
    assert printable("b\udcff") == legible("b\udcff") == r"b\xff"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_terminal_gets_text_and_colours_and_nothing_else(stream):
    bar = "\x1b[?25l\x1b[2K\x1b[1A\x1b[1;31mred\x1b[0m"
    got = on_a_terminal(f"sys.{stream}.write({CLIPBOARD + CLEAR + REVERSED + bar!r})")
    assert got == r"\x1b]52;c;aGk=\x07\x1bc\x9b2J\u202etxt.exe" + bar


def test_a_file_gets_what_is_printed_and_escapes_for_what_its_encoding_lacks():
    assert run(f"print({CLIPBOARD!r})") == (0, CLIPBOARD.encode() + b"\n", b"")
    assert run("print('\u2265')", env={**os.environ, "PYTHONIOENCODING": "ascii"})[1] == b"\\u2265\n"


READ = "sys.stderr.write(repr(sys.stdin.read()))"
PRINT = """
try:
    print(1, flush=True)
except OSError as error:
    print(f'{error.filename}: {error.strerror}', file=sys.stderr)
os._exit(3)
"""


@pytest.mark.parametrize(
    ("program", "shell", "code", "said"),
    [
        (READ, "<&-", 0, b"''"),
        (READ, "<&- >&-", 0, b"''"),
        (PRINT, ">&-", 3, b"standard output: Bad file descriptor\n"),
        (PRINT, ">/dev/full", 3, b"standard output: No space left on device\n"),
        ("print('lost', file=sys.stderr); os._exit(3)", "2>/dev/full", 3, b""),
        ("print('lost', file=sys.stderr); os._exit(3)", "2>&-", 3, b""),
        ("sys.stderr.write(str(open('/dev/null').fileno() > 2))", "<&- >&-", 0, b"True"),
    ],
)
def test_a_closed_or_full_stream_is_empty_or_an_error_that_names_it_or_lost(program, shell, code, said):
    assert run(program, shell) == (code, b"", said)
