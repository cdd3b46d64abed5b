"""What a person reads on the terminal: results as tables and sentences, notes, and errors as one sentence."""

from __future__ import annotations

import json
import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from atfnb._errors import Message, Setting, counted, message_of
from atfnb._stops import exit_code, word
from atfnb._streams import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from atfnb.classifiers import BaseNB
    from atfnb.cli.options import ResultOptions
    from atfnb.training import TableInMemory

    Figures = Mapping[str, Any]
    """Figures by their names, as plain numbers and texts."""
    Cells = Sequence[str | Text]
    """The cells of a row, in words."""

NOTHING_WRITTEN = "nothing was written."
"""What follows "interrupted;" where a verb writes its output at the end."""

OUT_OF_MEMORY = (
    "there is not enough memory for a table of this size: leave columns out with --ignore, or use a classifier that "
    "looks at one column at a time, --classifier nb or wnb."
)


_OPTIONS = {
    "as_text": "--categorical",
    "categorical_features": "--categorical",
    "class_weight='balanced'": "--balance",
    "Dialect.date_formats": "--date-format",
    "Dialect(header_rows=0)": "--no-header",
    "Dialect.missing": "--missing-mark",
    "double": "--double-odds",  # of a scorecard
    "double=True": "--double",
    "orders": "--order",
    "sample_weight": "the weight",
    "shapes": "a shape",
    "y": "the target",
}
"""The option for a parameter, or for one value of it, if its name is not that of the parameter."""


def in_command(sentence: str) -> str:
    """Return a sentence in the words of the command: its options in place of Python's parameters.

    >>> print(in_command(Message(Setting("ignore", ["full name", "id"], act="leave them out"), ".")))
    leave them out (--ignore 'full name' --ignore id).
    >>> print(in_command(Message(Setting("orders", {"how big": ["S", "M", "L"], "fee": ["none", "1,5 %"]}), ".")))
    --order 'how big=S,M,L' --order 'fee=none,"1,5 %"'.
    """
    return sentence.worded(_option) if isinstance(sentence, Message) else sentence


def _option(setting: Setting) -> str:
    """Return the option for a setting, once for each of its values, of which the first three are shown."""
    if (known := _OPTIONS.get(str(setting))) is not None:
        return known
    name = setting.parameter.rpartition(".")[2].replace("_", "-")
    option, value = _OPTIONS.get(setting.parameter, f"--{name}"), setting.value
    if isinstance(value, Mapping):  # of columns and their values
        return " ".join(f"{option} {shell_word(_of_column(*each))}" for each in value.items())
    values = [] if value is None or value is True else value if isinstance(value, (list, tuple)) else [value]
    written = " ".join(f"{option} {shell_word(str(each))}" for each in values[:3]) or option
    written += " …" * (len(values) > 3)
    return f"{setting.act} ({written})" if setting.act else written


def _of_column(column: str, values: Iterable[str]) -> str:
    return f"{column}=" + ",".join(f'"{each}"' if "," in each else each for each in values)


def shell_word(word: str) -> str:
    r"""Return a word quoted for the shell; a tab, another invisible character or a byte that is not UTF-8 is escaped.

    >>> print(shell_word("it's"), shell_word("a\tb"), shell_word("\udcff.csv"))
    'it'"'"'s' $'a\U00000009b' $'\xff.csv'
    """
    if word.isprintable():
        return shlex.quote(word)
    return f"$'{''.join(map(_shell_character, word))}'"


def _shell_character(each: str) -> str:
    if "\udc80" <= each <= "\udcff":  # how Python reads a byte of a name that is not UTF-8
        return f"\\x{ord(each) - 0xDC00:02x}"
    return each if each.isprintable() and each not in "\\'" else f"\\U{ord(each):08x}"


class UsageError(ValueError):
    """A command line that makes no sense, whatever the files contain: exit code 2 instead of 1."""


@contextmanager
def one_sentence(kept: str = NOTHING_WRITTEN) -> Iterator[None]:
    """Report an error of the block inside as one sentence on standard error, and end the command.

    The exit code is 1; 2 for a :class:`UsageError`; 130 if interrupted; 143 if the system ends the process.

    Parameters
    ----------
    kept : str
        What is left on disk after an interruption.
    """
    try:
        yield
    except KeyboardInterrupt as stop:
        typer.secho(printable(f"\n{word(stop)}; {kept}"), err=True)
        raise typer.Exit(exit_code(stop)) from None
    except BrokenPipeError:  # the reader of our output, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    except Exception as error:
        if (sentence := _sentence(error, kept)) is None:
            raise
        complain(sentence)
        raise typer.Exit(2 if isinstance(error, UsageError) else 1) from None


def complain(sentence: str) -> None:
    """Print what is wrong on standard error, in red on a terminal."""
    typer.secho(f"atfnb: {printable(sentence)}", err=True, fg="red")


def _sentence(error: Exception, kept: str) -> str | None:
    """Return what is wrong in words, with the name of the file if the system says it; None for a fault of our own."""
    match error:
        case BrokenExecutor():
            return f"a worker process was killed; {kept}"
        case MemoryError():
            return OUT_OF_MEMORY
        case RuntimeError() if "start new thread" in str(error):
            return "the system allows no more threads: end other programs, or raise the limit (ulimit -u)."
        case OSError(strerror=str(why), filename=file):
            return f"{file}: {why}." if file else f"{why}."
        case ValueError() | OSError() | ImportError() | EOFError():
            return in_command(message_of(error))
    return None


@contextmanager
def warnings_noted(notes: list[str]) -> Iterator[None]:
    """Replace warnings on convergence, pairs, columns, spellings and edits in the block by sentences in ``notes``."""
    from sklearn.exceptions import ConvergenceWarning

    from atfnb.classifiers import PairsSkippedWarning
    from atfnb.editing import EditSkippedWarning
    from atfnb.encoding import EmptyColumnWarning, SpellingWarning, UnusedColumnWarning

    named = (EmptyColumnWarning, SpellingWarning, EditSkippedWarning)
    ours = (*named, PairsSkippedWarning, ConvergenceWarning, UnusedColumnWarning)
    with warnings.catch_warnings(record=True) as caught:
        for category in ours:
            warnings.simplefilter("always", category)
        yield

    def said(*categories: type[Warning]) -> list[str]:
        return [str(each.message) for each in caught if issubclass(each.category, categories)]

    notes += dict.fromkeys(said(*named))
    if said(PairsSkippedWarning):
        notes.append("There are too many classes to look for pairs that act together, so none is learned.")
    if times := len(said(ConvergenceWarning)):
        notes.append(
            f"{counted(times, 'fit')} stopped before converging, so probabilities may be slightly off: leave out "
            "columns that almost determine the class with --ignore, or use another classifier with --classifier."
        )
    for each in caught:
        if not issubclass(each.category, ours):
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def standard_error(quiet: bool) -> Console:
    """Return the console for notes and progress bars; on a terminal it also says when loops are being compiled."""
    from atfnb._progress import when_compiling
    from atfnb.console import Screen

    console = Screen(stderr=True, quiet=quiet)
    if console.is_terminal:
        when_compiling(lambda sentence: say(console, [sentence]))
    return console


def say(console: Console, sentences: Iterable[str]) -> None:
    """Print each sentence on a line of its own; square brackets in the names of columns are not taken for markup."""
    from rich.text import Text

    for sentence in sentences:
        console.print(Text(in_command(sentence)), soft_wrap=True)


def loaded(path: Path, console: Console) -> BaseNB:
    """Return the model in a file, and say so if it was edited."""
    from atfnb.classifiers import edits_in_words
    from atfnb.model_file import load

    model = load(path)
    say(console, edits_in_words(model)[:1])
    return model


def found_in(*tables: TableInMemory) -> list[str]:
    """Return how the files of tables are written, and what was found in them and done about it."""
    return [note for each in tables for note in (each.record.format, *each.record.notes)]


# --- What a verb has measured --------------------------------------------------------------------------


def show(
    result: ResultOptions,
    print_tables: Callable[[Console], None],
    sentences: Iterable[str],
    document: Figures,
    lines: Sequence[Figures],
) -> None:
    """Print tables and sentences, and write the figures if there is a file for them.

    Parameters
    ----------
    result : ResultOptions
        Where they go.
    print_tables : callable
        Prints the tables on a console.
    sentences : iterable of str
    document : mapping
        All figures as plain numbers and texts, for JSON; None where one is not known.
    lines : sequence of mappings
        The lines of a CSV file, which have the same columns.
    """
    from atfnb._files import csv_text, write_whole
    from atfnb.console import Screen

    console = Screen()
    if not result.quiet:
        print_tables(console)
    if not result.quiet or result.out is None:
        say(console, sentences)
    if result.out is not None:
        if result.out.suffix.lower() == ".json":
            text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        else:
            text = csv_text([lines[0], *(line.values() for line in lines)])
        write_whole(result.out, text)


def table_of(
    title: str, headings: Sequence[str], rows: Iterable[Cells], *, words: Sequence[str] = (), caption: str | None = None
) -> Table:
    """Return a table of figures; the first column, and those with the headings ``words``, hold text."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, caption=caption)
    for heading in headings:
        is_text = heading in (headings[0], *words)
        table.add_column(Text(heading), overflow="fold", justify="left" if is_text else "right", no_wrap=not is_text)
    for row in rows:
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return table


def fits(console: Console, table: Table) -> bool:
    """Return whether a console is wide enough to print a table without cutting anything off."""
    unlimited = console.options.update(max_width=10_000)
    return console.measure(table, options=unlimited).maximum <= console.width
