"""Options that several verbs share, each declared once: as an option, as a value, and as words of a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum, StrEnum
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from atfnb.cli.words import UsageError, shell_word

if TYPE_CHECKING:
    from atfnb.cli.rows import Wanted
    from atfnb.tables import Dialect

FILE = "How the file is written, if it is not found out right"


class Missing(StrEnum):
    """How missing cells are treated."""

    impute = "impute"
    skip = "skip"
    value = "value"


@dataclass(frozen=True)
class ColumnOptions:
    """Which columns a classifier learns from, and as what."""

    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Leave this column out; may be repeated.", show_default=False),
    ] = None
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Use this column even if it numbers the rows or differs in every row; may be repeated.",
            show_default=False,
        ),
    ] = None
    categorical: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="Numbers that are names, as a postcode; may be repeated.", show_default=False
        ),
    ] = None
    weight: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column that holds the weight of each row.", show_default=False),
    ] = None


@dataclass(frozen=True)
class ModelOptions:
    """How a classifier learns; None leaves it to the classifier."""

    missing: Annotated[
        Missing | None,
        typer.Option(
            help="How missing cells are treated: replaced by the mean or the most frequent value (impute), without "
            "any effect (skip), or as a value of their own (value); by default as suits the classifier.",
            show_default=False,
        ),
    ] = None
    max_bins: Annotated[
        int | None,
        typer.Option(min=2, help="Intervals of a number; as many as classes by default.", show_default=False),
    ] = None
    alpha: Annotated[float | None, typer.Option(min=1e-6, max=1e99, help="Smoothing; 1 by default.")] = None
    balance: Annotated[
        bool, typer.Option("--balance", help="Give every class the same total weight, however rare it is.")
    ] = False

    def settings(self) -> dict[str, Any]:
        """Return the parameters of a classifier; None where it decides."""
        missing = None if self.missing is None else self.missing.value
        balanced = "balanced" if self.balance else None
        return {"missing": missing, "max_bins": self.max_bins, "alpha": self.alpha, "class_weight": balanced}


@dataclass(frozen=True)
class FileOptions:
    """How a file is written; None leaves it to the file."""

    encoding: Annotated[
        str | None, typer.Option(help="As latin-1 or utf-16.", show_default=False, rich_help_panel=FILE)
    ] = None
    delimiter: Annotated[
        str | None, typer.Option(help="What stands between cells.", show_default=False, rich_help_panel=FILE)
    ] = None
    missing_mark: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="What a missing cell holds, instead of nothing, NA, ?, null and the like; may be repeated.",
            show_default=False,
            rich_help_panel=FILE,
        ),
    ] = None

    def dialect(self) -> Dialect:
        """Return what is known about the file."""
        from atfnb.tables import Dialect

        marks = None if self.missing_mark is None else tuple(self.missing_mark)
        try:
            return Dialect(self.encoding, self.delimiter, marks)
        except ValueError as error:
            raise UsageError(str(error)) from None


def wanted(target: str, columns: ColumnOptions, file: FileOptions) -> Wanted:
    """Return what is to be read from a file."""
    from atfnb.cli.rows import Wanted

    return Wanted(
        target,
        ignore=columns.ignore or (),
        keep=columns.keep or (),
        categorical=columns.categorical or (),
        weight=columns.weight,
        dialect=file.dialect(),
    )


def with_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Return a verb that takes the fields of its dataclass parameters as options, a field each."""
    hints = get_type_hints(verb, include_extras=True)
    groups = {name: hints[name] for name in inspect.signature(verb).parameters if is_dataclass(hints[name])}
    taken: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(verb).parameters.items():
        if name in groups:
            kinds = get_type_hints(groups[name], include_extras=True)
            taken += [_keyword(each.name, each.default, kinds[each.name]) for each in fields(groups[name])]
        else:
            taken.append(_keyword(name, parameter.default, hints[name]))

    @wraps(verb)
    def call(**given: Any) -> None:
        made = {
            name: kind(**{each.name: given.pop(each.name) for each in fields(kind)}) for name, kind in groups.items()
        }
        verb(**given, **made)

    call.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in taken}
    return call


def _keyword(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def train_command(data: str, target: str, classifier: str, *groups: Any) -> str:
    """Return the command line that trains a classifier with these options, quoted for the shell.

    >>> train_command("my data.csv", "class", "nb", ColumnOptions(ignore=["id"]), ModelOptions(balance=True))
    "atfnb train 'my data.csv' --target class --classifier nb --ignore id --balance -o model.json"
    """
    place = f"./{data}" if data.startswith("-") and data != "-" else data
    words = ["atfnb", "train", place, "--target", target, "--classifier", classifier]
    for group in groups:
        words += _words(group)
    return " ".join(map(shell_word, [*words, "-o", "model.json"]))


def _words(group: Any) -> Iterator[str]:
    """Generate the words that give the options of a group, those at their default left out."""
    for each in fields(group):
        option, value = f"--{each.name.replace('_', '-')}", getattr(group, each.name)
        if value is None or value is False:
            continue
        if value is True:
            yield option
            continue
        for one in value if isinstance(value, list) else [value]:
            yield from (option, str(one.value if isinstance(one, Enum) else one))
