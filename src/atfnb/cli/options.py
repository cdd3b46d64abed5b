"""The options that several verbs share: each is declared once, and becomes a value or a part of a command line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum, StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from atfnb._errors import shell_word
from atfnb._files import check_writable
from atfnb.cli.terminal import UsageError

if TYPE_CHECKING:
    from atfnb.tables import Dialect, Policy

COLUMNS_PANEL = "Columns"
CLASSIFIER_PANEL = "Classifier"
FILE_PANEL = "Reading files, where detection fails"

DataFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA...",
        help="The table: CSV, TSV, Parquet, Arrow, ARFF or JSON lines, compressed or not, or an Excel or .ods "
        "workbook; several files, a folder or a quoted pattern, such as 'months/*.csv', are one table; - reads "
        "standard input.",
        show_default=False,
    ),
]
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="The model file that atfnb train wrote.", show_default=False)
]
TargetColumn = Annotated[
    str, typer.Option("--target", "-t", metavar="COLUMN", help="Column with the class to predict.", show_default=False)
]
ModelTarget = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="Column with the actual class. Default: the column that the model was trained to predict.",
        show_default=False,
    ),
]
RowWeight = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Column with the weight of each row. Default: 1 for every row.", show_default=False
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Random seed: the same seed gives the same folds.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
QuietSummary = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print nothing but errors and, unless -o is given, the conclusion."),
]


class Missing(StrEnum):
    """The ways to treat missing values, as ``--missing`` names them."""

    impute = "impute"
    skip = "skip"
    value = "value"


class Dates(StrEnum):
    """What is learned from columns of dates, as ``--dates`` names it."""

    expand = "expand"
    number = "number"
    ignore = "ignore"


@dataclass(frozen=True)
class ColumnOptions:
    """The columns that a classifier is trained on, and what they are."""

    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Leave this column out. May be repeated.",
            show_default=False,
            rich_help_panel=COLUMNS_PANEL,
        ),
    ] = None
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Use this column although it looks like a row number or an identifier. May be repeated.",
            show_default=False,
            rich_help_panel=COLUMNS_PANEL,
        ),
    ] = None
    categorical: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Treat the numbers or dates of this column as categories, for example postcodes. May be repeated.",
            show_default=False,
            rich_help_panel=COLUMNS_PANEL,
        ),
    ] = None
    dates: Annotated[
        Dates | None,
        typer.Option(
            help="What to learn from columns of dates: the date, the month, the weekday and the hour (expand), the "
            "date as a number only (number), or nothing (ignore). Default: expand.",
            show_default=False,
            rich_help_panel=COLUMNS_PANEL,
        ),
    ] = None
    weight: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column with the weight of each row. Default: 1 for every row.",
            show_default=False,
            rich_help_panel=COLUMNS_PANEL,
        ),
    ] = None
    merge_case: Annotated[
        bool,
        typer.Option(
            "--merge-case",
            help="Merge values, and classes, that differ by upper and lower case only, such as Yes and yes.",
            rich_help_panel=COLUMNS_PANEL,
        ),
    ] = False

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of a classifier that say what columns are; None where its default is to be used."""
        return {"dates": None if self.dates is None else self.dates.value, "merge_case": self.merge_case or None}


class RareClasses(StrEnum):
    """What becomes of classes with few rows, as ``--rare-classes`` names it."""

    pool = "pool"
    drop = "drop"


@dataclass(frozen=True)
class ClassOptions:
    """What is done with classes that have few rows; None stands for nothing."""

    min_class_rows: Annotated[
        int | None,
        typer.Option(
            min=2,
            metavar="N",
            help="Classes with fewer rows than this count as one class, named other. Default: every class is kept.",
            show_default=False,
            rich_help_panel=COLUMNS_PANEL,
        ),
    ] = None
    rare_classes: Annotated[
        RareClasses | None,
        typer.Option(
            help="With --min-class-rows: whether such classes count as one (pool) or their rows are left out (drop). "
            "Default: pool.",
            show_default=False,
            rich_help_panel=COLUMNS_PANEL,
        ),
    ] = None


@dataclass(frozen=True)
class ModelOptions:
    """The parameters of a classifier; None stands for the classifier's own default."""

    missing: Annotated[
        Missing | None,
        typer.Option(
            help="How to treat missing values: replace them by the mean or the most frequent value (impute), ignore "
            "them (skip), or use them as a value of their own (value). Default: value for fusion, impute for the "
            "other classifiers.",
            show_default=False,
            rich_help_panel=CLASSIFIER_PANEL,
        ),
    ] = None
    max_bins: Annotated[
        int | None,
        typer.Option(
            min=2,
            metavar="N",
            help="Largest number of intervals that a numeric column is cut into by ChiMerge. Default: the number of "
            "classes, up to 256. For fusion these are where it starts: it cuts them further, at up to 31 quantiles of "
            "the column, so a lower number does not make its intervals fewer.",
            show_default=False,
            rich_help_panel=CLASSIFIER_PANEL,
        ),
    ] = None
    min_category_rows: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Values of a text column with fewer rows than this count as one; 1 keeps all apart. Default: 10 for "
            "fusion, 50 for the other classifiers, in columns with more than 50 values only; such a column is not used "
            "if its values do not help to predict the class.",
            show_default=False,
            rich_help_panel=CLASSIFIER_PANEL,
        ),
    ] = None
    alpha: Annotated[
        float | None,
        typer.Option(
            min=1e-6,
            max=1e99,
            metavar="NUMBER",
            help="Smoothing: the amount added to every count. Default: 1.",
            show_default=False,
            rich_help_panel=CLASSIFIER_PANEL,
        ),
    ] = None
    balance: Annotated[
        bool,
        typer.Option(
            "--balance",
            help="Give every class the same total weight, so that rare classes are predicted more often.",
            rich_help_panel=CLASSIFIER_PANEL,
        ),
    ] = False

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of a classifier by name; None where its default is to be used."""
        missing = None if self.missing is None else self.missing.value
        balanced = "balanced" if self.balance else None
        return {
            "missing": missing,
            "max_bins": self.max_bins,
            "min_category_rows": self.min_category_rows,
            "alpha": self.alpha,
            "class_weight": balanced,
        }


@dataclass(frozen=True)
class FileOptions:
    """The format of a file; None stands for what is detected."""

    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Character encoding of a CSV file, for example latin-1 or utf-16. Default: detected.",
            show_default=False,
            rich_help_panel=FILE_PANEL,
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Character between the values of a CSV file. Default: detected.",
            show_default=False,
            rich_help_panel=FILE_PANEL,
        ),
    ] = None
    missing_mark: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="Text that marks a missing value, besides nothing, NA, NaN, null, ? and the like. May be repeated.",
            show_default=False,
            rich_help_panel=FILE_PANEL,
        ),
    ] = None
    sheet: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Sheet of a workbook, by its name or its number. Default: the first.",
            show_default=False,
            rich_help_panel=FILE_PANEL,
        ),
    ] = None
    skip_rows: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Number of lines at the top of the file to leave out. Default: titles are detected.",
            show_default=False,
            rich_help_panel=FILE_PANEL,
        ),
    ] = None
    header_rows: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Number of rows that the header has; the first one has the names of the columns. Default: detected.",
            show_default=False,
            rich_help_panel=FILE_PANEL,
        ),
    ] = None
    no_header: Annotated[
        bool,
        typer.Option(
            "--no-header",
            help="The first row is not a header: the columns are named column 1, column 2 and so on.",
            rich_help_panel=FILE_PANEL,
        ),
    ] = False
    keep_totals: Annotated[
        bool,
        typer.Option(
            "--keep-totals",
            help="Keep rows that look like totals, for example if Total is the name of a class.",
            rich_help_panel=FILE_PANEL,
        ),
    ] = False
    date_format: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="How dates are written, for example %d/%m/%Y or %m/%d/%y. May be repeated. Default: detected.",
            show_default=False,
            rich_help_panel=FILE_PANEL,
        ),
    ] = None

    def dialect(self) -> Dialect:
        """Return the format as the reader of tables takes it."""
        from atfnb.tables import Dialect

        marks = None if self.missing_mark is None else tuple(self.missing_mark)
        if self.no_header and self.header_rows is not None:
            raise UsageError("--no-header and --header-rows contradict each other: give one of them.")
        header_rows = 0 if self.no_header else self.header_rows
        try:
            return Dialect(
                self.encoding,
                self.delimiter,
                marks,
                tuple(self.date_format or ()),
                self.sheet,
                skip_rows=self.skip_rows or 0,
                header_rows=header_rows,
                keep_totals=self.keep_totals,
            )
        except ValueError as error:
            raise UsageError(str(error)) from None


@dataclass(frozen=True)
class NewFileOptions(FileOptions):
    """The format of a file that is read as a model learned to read its columns."""

    lenient: Annotated[
        bool,
        typer.Option(
            "--lenient",
            help="Take a cell that cannot be read, such as text among numbers, as a missing value.",
            rich_help_panel=FILE_PANEL,
        ),
    ] = False

    def dialect(self) -> Dialect:
        """Return the format as the reader of tables takes it."""
        return replace(super().dialect(), lenient=self.lenient)


@dataclass(frozen=True)
class TrainingFile:
    """A table to train on, as the command line names it: its files, its target, its other columns, its format."""

    data: list[str]
    target: str
    columns: ColumnOptions
    dialect: Dialect
    classes: ClassOptions = ClassOptions()

    def __post_init__(self) -> None:
        """Raise an error if a column is to be two things at once, or it is not said which classes are rare."""
        if self.classes.rare_classes is not None and self.classes.min_class_rows is None:
            raise UsageError("--rare-classes needs --min-class-rows, which says which classes are rare.")
        others = (self.columns.weight, *(self.columns.ignore or ()))
        if self.target in others:
            raise UsageError(f"{self.target!r} is the target: it cannot be left out, or be the weight, too.")
        for name in self.columns.keep or ():
            if name in (self.target, *others):
                raise UsageError(f"--keep {shell_word(name)}: this column is the target, the weight or ignored, too.")

    @property
    def named_columns(self) -> list[str]:
        """The columns that the command line names, which the file must have."""
        columns = self.columns
        lists = (columns.ignore, columns.keep, columns.categorical)
        weight = [] if columns.weight is None else [columns.weight]
        return [self.target, *(name for each in lists for name in each or ()), *weight]

    @property
    def policy(self) -> Policy:
        """What is done with rows and columns that a model cannot learn from: they are left out, with a note."""
        from atfnb.tables import Policy

        fewest, how = self.classes.min_class_rows or 1, self.classes.rare_classes or RareClasses.pool
        return Policy(
            leave_out=True,
            keep=tuple(self.columns.keep or ()),
            min_class_rows=fewest,
            rare_classes=how.value,
            merge_case=self.columns.merge_case,
        )


def check_output(out: Path, *inputs: str) -> None:
    """Raise an error, before any work is done, if the output cannot be written or would replace an input."""
    if str(out) == "-":
        raise UsageError("only atfnb predict writes to standard output: give the name of a file.")
    from atfnb.tables import table_paths

    for file in table_paths(inputs) if out.exists() else []:
        if file.path != "-" and Path(file.path).exists() and out.samefile(file.path):
            raise ValueError(f"the output would replace the input {file.path}: give the output another name.")
    check_writable(out)


def with_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Return a function that typer can register, with an option for every field of the verb's dataclass parameters.

    The lines of each paragraph of its docstring are joined, because typer would show the line breaks.
    """
    hints = get_type_hints(verb, include_extras=True)
    groups = {name: hints[name] for name in inspect.signature(verb).parameters if is_dataclass(hints[name])}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(verb).parameters.items():
        if name in groups:
            kinds = get_type_hints(groups[name], include_extras=True)
            parameters += [_keyword(each.name, each.default, kinds[each.name]) for each in fields(groups[name])]
        else:
            parameters.append(_keyword(name, parameter.default, hints[name]))

    @wraps(verb)
    def call(**given: Any) -> None:
        made = {
            name: kind(**{each.name: given.pop(each.name) for each in fields(kind)}) for name, kind in groups.items()
        }
        verb(**given, **made)

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    paragraphs = inspect.cleandoc(verb.__doc__ or "").split("\n\n")
    call.__doc__ = "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
    return call


def _keyword(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def train_command(data: list[str], target: str, classifier: str, *groups: Any) -> str:
    """Return the command line that trains a classifier with these options, quoted for the shell.

    >>> train_command(["my data.csv"], "class", "nb", ColumnOptions(ignore=["id"]), ModelOptions(balance=True))
    "atfnb train 'my data.csv' --target class --classifier nb --ignore id --balance -o model.json"
    """
    paths = [f"./{path}" if path.startswith("-") and path != "-" else path for path in data]
    words = ["atfnb", "train", *paths, "--target", target, "--classifier", classifier]
    for group in groups:
        words += _words(group)
    return " ".join(map(shell_word, [*words, "-o", "model.json"]))


def _words(group: Any) -> Iterator[str]:
    """Generate the words of a command line that give the options of a group, except those at their default."""
    for each in fields(group):
        option, value = f"--{each.name.replace('_', '-')}", getattr(group, each.name)
        if value is None or value is False:
            continue
        if value is True:
            yield option
            continue
        for one in value if isinstance(value, list) else [value]:
            yield from (option, str(one.value if isinstance(one, Enum) else one))
