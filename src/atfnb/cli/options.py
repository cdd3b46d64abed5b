"""The options that several verbs share: each is declared once, and becomes a value or a part of a command line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from enum import Enum, StrEnum
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer

from atfnb._files import check_writable
from atfnb.cli.terminal import UsageError, shell_word

if TYPE_CHECKING:
    from atfnb.tables import Dialect, Policy
    from atfnb.training import TableInMemory

CLASSIFIER_PANEL = "Classifier"
WEIGHT = "Column with the weight of each row. Default: 1 for every row."

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
    typer.Option(metavar="COLUMN", help=WEIGHT, show_default=False),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Random seed: the same seed gives the same folds.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
QuietSummary = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print nothing but errors and, unless -o is given, the conclusion."),
]


def option(text: str, default: Any = None, *, panel: str | None = None, **more: Any) -> Any:
    """Return a field of a dataclass of options, which :func:`with_options` makes an option of; of a boolean, a flag.

    Parameters
    ----------
    text : str
        The help, which says the default too if that is None.
    default : default=None
    panel : str, optional
        The heading that the option stands under.
    **more
        Parameters of ``typer.Option``.
    """
    shown = default not in (None, False)
    return field(default=default, metadata={"help": text, "rich_help_panel": panel, "show_default": shown, **more})


about_columns = partial(option, panel="Columns")
about_classifiers = partial(option, panel=CLASSIFIER_PANEL)
about_files = partial(option, panel="Reading files, where detection fails")


@dataclass(frozen=True)
class ColumnOptions:
    """The columns that a classifier is trained on, and what they are."""

    ignore: list[str] | None = about_columns("Leave this column out. May be repeated.", metavar="COLUMN")
    keep: list[str] | None = about_columns(
        "Use this column although it looks like a row number or an identifier. May be repeated.", metavar="COLUMN"
    )
    categorical: list[str] | None = about_columns(
        "Treat the numbers or dates of this column as categories, for example postcodes. May be repeated.",
        metavar="COLUMN",
    )
    dates: Literal["expand", "number", "ignore"] | None = about_columns(
        "What to learn from columns of dates: the date, the month, the weekday and the hour (expand), the date as a "
        "number only (number), or nothing (ignore). Default: expand."
    )
    weight: str | None = about_columns(WEIGHT, metavar="COLUMN")
    merge_case: bool = about_columns(
        "Merge values, and classes, that differ by upper and lower case only, such as Yes and yes.", False
    )

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of a classifier that say what columns are; None where its default is to be used."""
        return {"dates": self.dates, "merge_case": self.merge_case or None}


@dataclass(frozen=True)
class ClassOptions:
    """What is done with classes that have few rows; None stands for nothing."""

    min_class_rows: int | None = about_columns(
        "Classes with fewer rows than this count as one class, named other. Default: every class is kept.",
        min=2,
        metavar="N",
    )
    rare_classes: Literal["pool", "drop"] | None = about_columns(
        "With --min-class-rows: whether such classes count as one (pool) or their rows are left out (drop). Default: "
        "pool.",
    )


@dataclass(frozen=True)
class ModelOptions:
    """The parameters of a classifier; None stands for the classifier's own default."""

    missing: Literal["impute", "skip", "value"] | None = about_classifiers(
        "How to treat missing values: replace them by the mean or the most frequent value (impute), ignore them "
        "(skip), or use them as a value of their own (value). Default: value for fusion, impute for the other "
        "classifiers.",
    )
    max_bins: int | None = about_classifiers(
        "Largest number of intervals that a numeric column is cut into by ChiMerge. Default: the number of classes, up "
        "to 256. For fusion these are where it starts: it cuts them further, at up to 31 quantiles of the column, so a "
        "lower number does not make its intervals fewer.",
        min=2,
        metavar="N",
    )
    min_category_rows: int | None = about_classifiers(
        "Values of a text column with fewer rows than this count as one; 1 keeps all apart. Default: 10 for fusion, 50 "
        "for the other classifiers, in columns with more than 50 values only; such a column is not used if its values "
        "do not help to predict the class.",
        min=1,
        metavar="N",
    )
    alpha: float | None = about_classifiers(
        "Smoothing: the amount added to every count. Default: 1.", min=1e-6, max=1e99, metavar="NUMBER"
    )
    balance: bool = about_classifiers(
        "Give every class the same total weight, so that rare classes are predicted more often.", False
    )

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of a classifier by name; None where its default is to be used."""
        own = {name: value for name, value in vars(self).items() if name != "balance"}
        return {**own, "class_weight": "balanced" if self.balance else None}


@dataclass(frozen=True)
class FileOptions:
    """The format of a file; None stands for what is detected."""

    encoding: str | None = about_files(
        "Character encoding of a CSV file, for example latin-1 or utf-16. Default: detected.", metavar="NAME"
    )
    delimiter: str | None = about_files(
        "Character between the values of a CSV file. Default: detected.", metavar="TEXT"
    )
    missing_mark: list[str] | None = about_files(
        "Text that marks a missing value, besides nothing, NA, NaN, null, ? and the like. May be repeated.",
        metavar="TEXT",
    )
    sheet: str | None = about_files(
        "Sheet of a workbook, by its name or its number. Default: the first.", metavar="NAME"
    )
    skip_rows: int | None = about_files(
        "Number of lines at the top of the file to leave out. Default: titles are detected.", min=0, metavar="N"
    )
    header_rows: int | None = about_files(
        "Number of rows that the header has; the first one has the names of the columns. Default: detected.",
        min=1,
        metavar="N",
    )
    no_header: bool = about_files(
        "The first row is not a header: the columns are named column 1, column 2 and so on.", False
    )
    keep_totals: bool = about_files(
        "Keep rows that look like totals, for example if Total is the name of a class.", False
    )
    date_format: list[str] | None = about_files(
        "How dates are written, for example %d/%m/%Y or %m/%d/%y. May be repeated. Default: detected.", metavar="TEXT"
    )

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
            raise UsageError(*error.args) from None


@dataclass(frozen=True)
class NewFileOptions(FileOptions):
    """The format of a file that is read as a model learned to read its columns."""

    lenient: bool = about_files(
        "Take a cell that cannot be read, such as text among numbers, as a missing value.", False
    )

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

    def read(self) -> TableInMemory:
        """Return the table, read whole, without what a model cannot learn from."""
        from atfnb.tables import read_training_table

        return read_training_table(self.data, self.target, dates=self.columns.dates or "expand", **self.asked)

    @property
    def asked(self) -> dict[str, Any]:
        """What a reader of the table is asked for, beside its files and its target."""
        columns = self.columns
        return {
            "ignore": columns.ignore or (),
            "weight": columns.weight,
            "as_text": columns.categorical or (),
            "dialect": self.dialect,
            "policy": self.policy,
        }

    @property
    def policy(self) -> Policy:
        """What is done with rows and columns that a model cannot learn from: they are left out, with a note."""
        from atfnb.tables import Policy

        return Policy(
            leave_out=True,
            keep=tuple(self.columns.keep or ()),
            min_class_rows=self.classes.min_class_rows or 1,
            rare_classes=self.classes.rare_classes or "pool",
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
            parameters += [_keyword(each.name, each.default, _kind(each, kinds)) for each in fields(groups[name])]
        else:
            parameters.append(_keyword(name, parameter.default, hints[name]))

    @wraps(verb)
    def call(**given: Any) -> None:
        made = {
            name: kind(**{each.name: _plain(given.pop(each.name)) for each in fields(kind)})
            for name, kind in groups.items()
        }
        verb(**given, **made)

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    paragraphs = inspect.cleandoc(verb.__doc__ or "").split("\n\n")
    call.__doc__ = "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
    return call


def _keyword(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _kind(each: Field[Any], kinds: Mapping[str, Any]) -> Any:
    """Return the type of a field with what typer needs to know about its option."""
    kind = kinds[each.name]
    if not each.metadata:  # the type says it itself
        return kind
    flag = [_flag(each.name)] if kind is bool else []
    choices = [value for part in (kind, *get_args(kind)) if get_origin(part) is Literal for value in get_args(part)]
    make: Any = StrEnum  # typer takes no Literal before version 0.19
    return Annotated[make(each.name, choices) | None if choices else kind, typer.Option(*flag, **each.metadata)]


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


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
        flag, value = _flag(each.name), getattr(group, each.name)
        if value is None or value is False:
            continue
        if value is True:
            yield flag
            continue
        for one in value if isinstance(value, list) else [value]:
            yield from (flag, str(one))
