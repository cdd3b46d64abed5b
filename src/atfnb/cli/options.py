"""The options that several verbs share: each is declared once, and becomes a value or a part of a command line."""

from __future__ import annotations

import csv
import inspect
import re
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_type_hints

import typer

from atfnb._files import check_writable
from atfnb.cli.terminal import UsageError, one_sentence, shell_word

if TYPE_CHECKING:
    from atfnb.tables import Dialect
    from atfnb.training import TableInMemory

CLASSIFIER_PANEL = "Classifier"
SEED = "Random seed: the same seed gives the same folds."
WEIGHT = "Column with the weight of each row. Default: 1 for every row."

GROUPS = (
    "Column with the group of each row, such as a patient or a customer: all rows of a group are in one fold, so that "
    "the scores are those on new groups. It is no attribute."
)
TIME = (
    "Column with the time of each row, a date or a number: models are trained on earlier rows and scored on later "
    "ones, in --folds steps, once. It is no attribute unless --keep names it."
)

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
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


def option(text: str, default: Any = None, *flags: str, panel: str | None = None, **more: Any) -> Any:
    """Return what :func:`with_options` makes an option of: a field of a dataclass, or the default of a parameter.

    Parameters
    ----------
    text : str
        The help, which says the default too if that is None.
    default : default=None
        ``MISSING`` if the option must be given.
    *flags : str
        A short name such as "-o", or other names than that of the field.
    panel : str, optional
        The heading that the option stands under.
    **more
        Parameters of ``typer.Option``.
    """
    shown = not (default in (None, MISSING) or default is False)
    about = {"flags": flags, "help": text, "rich_help_panel": panel, "show_default": shown, **more}
    return field(default=default, metadata=about)


about_columns = partial(option, panel="Columns")
column = partial(about_columns, metavar="COLUMN")
about_classifiers = partial(option, panel=CLASSIFIER_PANEL)
about_files = partial(option, panel="Reading files, where detection fails")
METAVARS: dict[Any, str] = {int: "N", float: "NUMBER", Path: "FILE", str: "TEXT", list[str]: "TEXT"}
"""What stands for the value of an option in the help, by its type, if the option does not say it."""


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """The format of a file, None for what is detected, and how many threads read it and do the rest of the work."""

    jobs: int | None = option("Number of threads. Default: one per core.", min=1)
    encoding: str | None = about_files(
        "Character encoding of a CSV file, for example latin-1 or utf-16. Default: detected.", metavar="NAME"
    )
    delimiter: str | None = about_files("Character between the values of a CSV file. Default: detected.")
    missing_mark: list[str] | None = about_files(
        "Text that marks a missing value, besides nothing, NA, NaN, null, ? and the like. May be repeated."
    )
    sheet: str | None = about_files(
        "Sheet of a workbook, by its name or its number. Default: the first.", metavar="NAME"
    )
    skip_rows: int | None = about_files(
        "Number of lines at the top of the file to leave out. Default: titles are detected.", min=0
    )
    header_rows: int | None = about_files(
        "Number of rows that the header has; the first one has the names of the columns. Default: detected.", min=1
    )
    no_header: bool = about_files(
        "The first row is not a header: the columns are named column 1, column 2 and so on.", False
    )
    keep_totals: bool = about_files(
        "Keep rows that look like totals, for example if Total is the name of a class.", False
    )
    date_format: list[str] | None = about_files(
        "How dates are written, for example %d/%m/%Y or %m/%d/%y. May be repeated. Default: detected."
    )

    def dialect(self) -> Dialect:
        """Return the format as the reader of tables takes it."""
        from atfnb.tables import Dialect

        if self.no_header and self.header_rows is not None:
            raise UsageError("--no-header and --header-rows contradict each other: give one of them.")
        given = {each.name: getattr(self, each.name, None) for each in fields(Dialect)}
        given["missing"] = None if self.missing_mark is None else tuple(self.missing_mark)
        given["date_formats"] = tuple(self.date_format or ())
        given["header_rows"] = 0 if self.no_header else self.header_rows
        try:
            return Dialect(**{name: value for name, value in given.items() if value is not None})
        except ValueError as error:
            raise UsageError(*error.args) from None


@dataclass(frozen=True, kw_only=True)
class NewTable(FileOptions):
    """A model, and a table that is read as the model learned to read its columns."""

    model: ModelFile
    data: DataFiles
    lenient: bool = about_files(
        "Take a cell that cannot be read, such as text among numbers, as a missing value.", False
    )


@dataclass(frozen=True, kw_only=True)
class LabelledTable(NewTable):
    """A model, and a table with the actual classes of its rows."""

    target: str | None = option(
        "Column with the actual class. Default: the column that the model was trained to predict.",
        None,
        "-t",
        metavar="COLUMN",
    )


CLASS_ORDER = (
    "The order of the classes, for example low,medium,high, or sorted for numbers: the scores then say how far "
    "predictions are off along it."
)


@dataclass(frozen=True, kw_only=True)
class ScoredTable(LabelledTable):
    """A model, and a table that it is scored on."""

    class_order: str | None = option(f"{CLASS_ORDER} Default: the one that training was given.", metavar="CLASSES")

    @property
    def classes_in_order(self) -> Any:
        """The classes in their order, if it is given, or "sorted" for that of numbers."""
        return _in_order(self.class_order)


@dataclass(frozen=True, kw_only=True)
class WeightedTable(LabelledTable):
    """A model, and a table whose rows may have weights."""

    weight: str | None = option(WEIGHT, metavar="COLUMN")


@dataclass(frozen=True, kw_only=True)
class FoldedTable(ScoredTable):
    """A model, and a table with the actual classes, which is divided into folds."""

    groups: str | None = option(GROUPS, metavar="COLUMN")
    time: str | None = option(TIME.partition(" It is no")[0], metavar="COLUMN")

    def __post_init__(self) -> None:
        """Raise an error if the folds are of groups and in time, or would need a second look at standard input."""
        if (self.groups or self.time) and "-" in self.data:
            raise UsageError("--groups and --time need a file, not standard input.")


@dataclass(frozen=True, kw_only=True)
class LearningOptions:
    """What a classifier is trained on, and its parameters; None stands for the classifier's own default."""

    data: DataFiles
    target: str = option("Column with the class to predict.", MISSING, "-t", metavar="COLUMN")

    ignore: list[str] | None = column("Leave this column out. May be repeated.")
    keep: list[str] | None = column(
        "Use this column although it looks like a row number or an identifier. May be repeated."
    )
    categorical: list[str] | None = column(
        "Treat the numbers or dates of this column as categories, for example postcodes. May be repeated."
    )
    dates: Literal["expand", "number", "ignore"] | None = about_columns(
        "What to learn from columns of dates: the date, the month, the weekday and the hour (expand), the date as a "
        "number only (number), or nothing (ignore). Default: expand."
    )
    cuts: list[str] | None = about_columns(
        "Cut a column of numbers or dates here and nowhere else, for example 'age=18,65'; 18 itself lies above. "
        "May be repeated.",
        metavar="COLUMN=VALUES",
    )
    order: list[str] | None = about_columns(
        "The order of the values of a column, for example 'size=S,M,L': fusion smooths along it. May be repeated.",
        metavar="COLUMN=VALUES",
    )
    class_order: str | None = about_columns(f"{CLASS_ORDER} The model stays the same.", metavar="CLASSES")
    weight: str | None = column(WEIGHT)
    groups: str | None = column(GROUPS)
    merge_case: bool = about_columns(
        "Merge values, and classes, that differ by upper and lower case only, such as Yes and yes.", False
    )
    min_class_rows: int | None = about_columns(
        "Classes with fewer rows than this count as one class, named other. Default: every class is kept.", min=2
    )
    rare_classes: Literal["pool", "drop"] | None = about_columns(
        "With --min-class-rows: whether such classes count as one (pool) or their rows are left out (drop). Default: "
        "pool."
    )
    missing: Literal["impute", "skip", "value"] | None = about_classifiers(
        "How to treat missing values: replace them by the mean or the most frequent value (impute), ignore them "
        "(skip), or use them as a value of their own (value). Default: value for fusion, impute for the other "
        "classifiers."
    )
    max_bins: int | None = about_classifiers(
        "Largest number of intervals that a numeric column is cut into: by ChiMerge, or for fusion where they follow "
        "finer effects best. Default: the number of classes, up to 32; for fusion no limit but that of its cuts, "
        "ChiMerge's and up to 31 quantiles of the column.",
        min=2,
    )
    min_category_rows: int | None = about_classifiers(
        "Values of a text column with fewer rows than this count as one; 1 keeps all apart. Default: 10 for fusion, 50 "
        "for the other classifiers, in columns with more than 50 values only; such a column is not used if its values "
        "do not help to predict the class.",
        min=1,
    )
    alpha: float | None = about_classifiers(
        "Smoothing: the amount added to every count. Default: 1.", min=1e-6, max=1e99
    )
    rising: list[str] | None = about_classifiers(
        "The log-odds of the class that is last in alphabetical order, or the larger number, never fall as this column "
        "of numbers or dates rises, on any row. For fusion and two classes. May be repeated.",
        metavar="COLUMN",
    )
    falling: list[str] | None = about_classifiers(
        "They never rise as this column rises. For fusion and two classes. May be repeated.", metavar="COLUMN"
    )
    shape: list[str] | None = about_classifiers(
        "The log-odds of a class along a column are rising, falling, convex or concave, for example dose=rising:toxic "
        "against all other classes, or dose=rising:toxic:harmless against one. For fusion. May be repeated.",
        metavar="COLUMN=SHAPE",
    )
    balance: bool = about_classifiers(
        "Give every class the same total weight, so that rare classes are predicted more often.", False
    )

    @property
    def classes_in_order(self) -> Any:
        """The classes in their order, if it is given, or "sorted" for that of numbers."""
        return _in_order(self.class_order)

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of a classifier by name; None where its default is to be used."""
        names = ("dates", "missing", "max_bins", "min_category_rows", "alpha")
        flags = {"merge_case": self.merge_case or None, "class_weight": "balanced" if self.balance else None}
        known = {
            "cuts": _by_column("--cuts 'age=18,65'", self.cuts, _number),
            "orders": _by_column("--order 'size=S,M,L'", self.order),
            "shapes": self.shapes() or None,
        }
        return {name: getattr(self, name) for name in names} | flags | known

    def shapes(self) -> dict[str, list[tuple[str, ...]]]:
        """Return the shapes that columns must have, as FusionNB takes them."""
        found = dict[str, list[tuple[str, ...]]]()
        for kind, columns in (("rising", self.rising), ("falling", self.falling)):
            for name in columns or ():
                found.setdefault(name, []).append((kind,))
        for given in self.shape or ():
            if (parts := re.fullmatch("(.+)=(rising|falling|convex|concave)((?::[^:]+){0,2})", given)) is None:
                wrong = "--shape is a column, =, and rising, falling, convex or concave, such as dose=rising:toxic"
                raise UsageError(f"{wrong}, not {given!r}.")
            name, kind, classes = parts.groups()
            found.setdefault(name, []).append((kind, *classes.split(":")[1:]))
        return found


def _by_column(example: str, given: list[str] | None, value: Callable[[str], Any] = str) -> dict[str, list[Any]] | None:
    """Return the values that an option gives for each column, as "COLUMN=VALUE,VALUE"; a comma may be in quotes.

    >>> _by_column("--cuts 'age=18,65'", ["age=18, 65.5", "since=2020-01-31"], _number)
    {'age': [18, 65.5], 'since': ['2020-01-31']}
    """
    found = dict[str, list[Any]]()
    for each in given or ():
        name, equals, values = each.partition("=")
        if not (name and equals and values):
            raise UsageError(f"{example.split()[0]} takes a column and its values, as in {example}, not {each!r}.")
        found[name.strip()] = [value(one) for one in _listed(values)]
    return found or None


def _listed(text: str) -> list[str]:
    """Return values with commas between them; a comma may be in quotes."""
    return [each.strip() for each in next(csv.reader([text], skipinitialspace=True))]


def _in_order(given: str | None) -> list[str] | str | None:
    """Return the classes that an option gives in their order, or "sorted" for that of numbers.

    >>> _in_order("low, medium,high"), _in_order("sorted")
    (['low', 'medium', 'high'], 'sorted')
    """
    return given if given in (None, "sorted") else _listed(given)


def _number(text: str) -> Any:
    """Return a number, whole if it is written so; a date stays text."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


@dataclass(frozen=True, kw_only=True)
class TrainingTable(FileOptions, LearningOptions):
    """A table to train on; its options are listed before those of its files."""

    def __post_init__(self) -> None:
        """Raise an error if a column is to be two things at once, or it is not said which classes are rare."""
        if self.rare_classes is not None and self.min_class_rows is None:
            raise UsageError("--rare-classes needs --min-class-rows, which says which classes are rare.")
        others = (self.weight, self.groups, *(self.ignore or ()))
        if self.target in others:
            raise UsageError(
                f"{self.target!r} is the target: it cannot be left out, or be the weight or the group, too."
            )
        for name in self.keep or ():
            if name in (self.target, *others):
                raise UsageError(
                    f"--keep {shell_word(name)}: this column is the target, the weight, the group or ignored, too."
                )

    def read(self, time: str | None = None) -> TableInMemory:
        """Return the table, read whole, without what a model cannot learn from; ``time`` is the column with times."""
        from atfnb.tables import read_training_table

        beside: Any = {"dates": self.dates or "expand", "groups": self.groups, "time": time}
        return read_training_table(self.data, self.target, **beside, **self.asked)

    @property
    def asked(self) -> dict[str, Any]:
        """What a reader is asked for, beside the files and the target; what a model cannot learn from is left out."""
        from atfnb.tables import Policy

        rare = (self.min_class_rows or 1, self.rare_classes or "pool")
        policy = Policy(True, tuple(self.keep or ()), *rare, self.merge_case)
        columns = {"ignore": self.ignore or (), "weight": self.weight, "as_text": self.categorical or ()}
        return {**columns, "dialect": self.dialect(), "policy": policy}


def check_output(out: Path, *inputs: object) -> None:
    """Raise an error, before any work is done, if the output cannot be written or would replace an input."""
    if str(out) == "-":
        raise UsageError("only atfnb predict writes to standard output: give the name of a file.")
    from atfnb.tables import table_paths

    for file in table_paths([*map(str, inputs)]) if out.exists() else []:
        if file.path != "-" and Path(file.path).exists() and out.samefile(file.path):
            raise ValueError(f"the output would replace the input {file.path}: give the output another name.")
    check_writable(out)


@dataclass(frozen=True, kw_only=True)
class ResultOptions:
    """Where the result of a verb goes."""

    out: Path | None = option("Also write the figures to this file: JSON or CSV, by its ending.", None, "-o")
    quiet: bool = option("Print nothing but errors and, unless -o is given, the conclusion.", False, "-q")

    def check(self, *inputs: object) -> None:
        """Raise an error, before any work is done, if the figures cannot be written to a file."""
        if self.out is None:
            return
        if self.out.suffix.lower() not in (".json", ".csv"):
            end = f"name a file that ends in .json or .csv, not {self.out}."
            raise UsageError(f"figures are written as JSON or CSV: {end}")
        check_output(self.out, *inputs)


def with_options(verb: Callable[..., None]) -> Callable[..., None]:
    """Return a function that typer can register, with an option for every field of the verb's dataclass parameters.

    An error is reported as one sentence. The lines of each paragraph of its docstring are joined, because typer would
    show the line breaks.
    """
    hints = get_type_hints(verb, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(verb).parameters.items():
        if name in groups:
            kinds = get_type_hints(groups[name], include_extras=True)
            parameters += [_parameter(each.name, kinds[each.name], each) for each in fields(groups[name])]
        else:
            parameters.append(_parameter(name, hints[name], parameter.default))

    @wraps(verb)
    def call(**given: Any) -> None:
        with one_sentence(), ExitStack() as stack:
            made = {
                name: kind(**{each.name: given.pop(each.name) for each in fields(kind)})
                for name, kind in groups.items()
            }
            if jobs := next((each.jobs for each in made.values() if isinstance(each, FileOptions)), None):
                from atfnb._pieces import on_cores

                stack.enter_context(on_cores(jobs))
            verb(**given, **made)

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    paragraphs = inspect.cleandoc(verb.__doc__ or "").split("\n\n")
    call.__doc__ = "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
    return call


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    """Return a parameter that typer makes an option of; ``default`` may be a field with what is known about it."""
    about, default = (dict(default.metadata), default.default) if isinstance(default, Field) else ({}, default)
    if about:
        flags = about.pop("flags")
        value = kind if kind in METAVARS else next(iter(get_args(kind)), None)  # of an optional one
        about = {"metavar": METAVARS.get(value), **about}
        long = [] if any(flag.startswith("--") for flag in flags) else [_flag(name)]
        kind = Annotated[kind, typer.Option(*long, *flags, **about)]
    default = inspect.Parameter.empty if default is MISSING else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def train_command(classifier: str, table: TrainingTable) -> str:
    """Return the command line that trains a classifier with these options, quoted for the shell.

    >>> train_command("nb", TrainingTable(data=["my data.csv"], target="class", ignore=["id"], balance=True))
    "atfnb train 'my data.csv' --target class --classifier nb --ignore id --balance -o model.json"
    """
    options = {"target": table.target, "classifier": classifier, **vars(table)}
    words = [f"./{path}" if path.startswith("-") and path != "-" else path for path in options.pop("data")]
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            if one is not None and one is not False:
                words += [_flag(name)] if one is True else [_flag(name), str(one)]
    return " ".join(map(shell_word, ["atfnb", "train", *words, "-o", "model.json"]))
