"""What goes wrong, in one sentence."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager

import typer


@contextmanager
def one_sentence(kept: str = "") -> Iterator[None]:
    """What goes wrong is told in one sentence on standard error: exit code 1, or 130 if interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        typer.secho(f"\ninterrupted; {kept}", err=True)
        raise typer.Exit(130) from None
    except BrokenPipeError:  # whoever read our output, as head does, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    except BrokenExecutor:
        typer.secho(f"atfnb: a worker process was killed; {kept}", err=True, fg="red")
        raise typer.Exit(1) from None
    except (ValueError, OSError, ImportError) as error:
        typer.secho(f"atfnb: {error}", err=True, fg="red")
        raise typer.Exit(1) from None
