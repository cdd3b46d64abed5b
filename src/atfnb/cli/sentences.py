"""What goes wrong, in one sentence."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager

import typer

from atfnb._errors import in_command
from atfnb._stops import exit_code, word
from atfnb.cli.words import UsageError

TOO_LARGE = (
    "there is not enough memory for a table of this size: leave columns out with --ignore, or take a classifier that "
    "looks at one column at a time, --classifier nb or wnb."
)


@contextmanager
def one_sentence(kept: str = "") -> Iterator[None]:
    """Report an error of the block inside in one sentence on standard error, and end the command.

    Exit code 1, 2 if the usage is wrong, 130 if interrupted, 143 if the system asks the process to end.
    """
    try:
        yield
    except KeyboardInterrupt as stop:
        typer.secho(f"\n{word(stop)}; {kept}", err=True)
        raise typer.Exit(exit_code(stop)) from None
    except BrokenPipeError:  # whoever read our output, as head does, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    except BrokenExecutor:
        typer.secho(f"atfnb: a worker process was killed; {kept}", err=True, fg="red")
        raise typer.Exit(1) from None
    except MemoryError:
        typer.secho(f"atfnb: {TOO_LARGE}", err=True, fg="red")
        raise typer.Exit(1) from None
    except (ValueError, OSError, ImportError) as error:
        typer.secho(f"atfnb: {_in_words(error)}", err=True, fg="red")
        raise typer.Exit(2 if isinstance(error, UsageError) else 1) from None


def _in_words(error: Exception) -> str:
    """The error's own sentence; what the system says, with the file it says it of."""
    if isinstance(error, OSError) and error.strerror:
        of = f"{error.filename}: " if error.filename else ""
        return f"{of}{error.strerror}."
    return in_command(error)


@contextmanager
def unsettled_fits(notes: list[str]) -> Iterator[None]:
    """Turn warnings of fits that stopped too early into one sentence for the terminal; other warnings pass."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        yield
    times = sum(issubclass(each.category, ConvergenceWarning) for each in caught)
    for each in caught:
        if not issubclass(each.category, ConvergenceWarning):
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    if times:
        notes.append(
            f"FusionNB stopped {'once' if times == 1 else f'{times} times'} before its fit had settled: its "
            "probabilities may be a little off. Leave out columns that predict the class alone with --ignore, or take "
            "another classifier with --classifier."
        )
