"""The verbs ``report``, ``page`` and ``export``: a model becomes a page, or a file that runs elsewhere."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from atfnb.cli.options import SEED, FoldedTable, ModelFile, Quiet, check_output, option, with_options
from atfnb.cli.terminal import found_in, in_command, loaded, say, standard_error, warnings_noted

about_sql = partial(option, panel="model.sql")
about_cards = partial(option, panel="Scorecards")


@with_options
def report(
    *,
    out: Path = option("HTML file to write.", Path("report.html"), "-o"),
    table: FoldedTable,
    test: str | None = option(
        "A second table with actual classes, on which the model is scored as well.", metavar="DATA"
    ),
    folds: int = option("Number of folds of the cross-validation.", 5, min=2),
    seed: int = option(SEED, 0, min=0, show_default=True),
    quiet: Quiet = False,
) -> None:
    """Write an HTML page that explains a model and shows how good it is.

    Use it to look at a model, or to show it to others: the page is one file that opens in any browser. DATA is usually
    the table that the model was trained on; models like it are then cross-validated on it. On any other table, and on
    that of [bold]--test[/], the model itself is scored. The page says which.

    Example: [bold]atfnb report model.json bank.csv -o report.html[/]

    Example: [bold]atfnb report model.json train.csv --test test.csv -o report.html[/]
    """
    from atfnb.cli.rows import rows_for
    from atfnb.console import progress_bar
    from atfnb.report import PageOptions, model_page

    check_output(out, table.model, *table.data, *filter(None, [test]))
    console = standard_error(quiet)
    model = loaded(table.model, console)
    rows, *held_out = (rows_for(model, table, data) for data in (None, *filter(None, [test])))
    say(console, found_in(rows, *held_out))
    title, notes = f"{rows.record.source}: what was learned", list[str]()
    shown: Any = {"notes": [*map(in_command, rows.record.notes)], "groups": rows.groups, "time": rows.time}
    options = PageOptions(folds, seed, title, rows.record.target, class_order=table.classes_in_order, **shown)
    for other in held_out:
        options = replace(options, test=(other.X, other.y), test_name=str(other.record.source))
    with progress_bar(console, "cross-validating") as progress, warnings_noted(notes):
        model_page(model, rows.X, rows.y, replace(options, progress=progress)).save(out)
    say(console, [*notes, f"Report saved to {out}."])


@with_options
def page(
    *,
    model: ModelFile,
    out: Path = option("HTML file to write.", Path("page.html"), "-o"),
    title: str | None = option("Title of the page. Default: what the model predicts."),
    quiet: Quiet = False,
) -> None:
    """Write an HTML page in which anybody can try values and see what a model predicts, and why.

    Use it to hand a model to a colleague: the page is one file that opens in any browser, without Python and without a
    network. It holds the model and no rows of any table; [bold]atfnb report[/] shows the rows too.

    Example: [bold]atfnb page model.json -o page.html[/]
    """
    from atfnb.report import calculator_page

    check_output(out, model)
    console = standard_error(quiet)
    calculator_page(loaded(model, console), title=title).save(out)
    say(console, [f"Page saved to {out}."])


@dataclass(frozen=True)
class TargetOptions:
    """The options of some targets, with the names and the defaults of :class:`atfnb.export.Options`."""

    explain: bool = option("Add the three largest contributions to each class (.sql, .py, .js).", False)
    table: str = about_sql("Table to query.", "data", metavar="NAME")
    schema: str | None = about_sql("Schema of the table.", metavar="NAME")
    dialect: Literal["duckdb", "postgres", "spark", "sqlite"] = about_sql("Dialect of SQL.", "duckdb")
    keep: list[str] | None = about_sql(
        "Column of the table to put into the result, such as an identifier. May be repeated.", metavar="COLUMN"
    )
    with_tables: bool = about_sql(
        "Create look-up tables for categories and scores instead of writing them into the query; for models with very "
        "many values.",
        False,
    )
    double: bool = option("Take and return 64-bit floats, not 32-bit ones.", False, panel="model.onnx")
    positive: str | None = about_cards("Class that more points stand for. Default: the second one.", metavar="CLASS")
    score: float = about_cards("Points at --odds.", 600.0, metavar="POINTS")
    odds: float = about_cards("Odds of a row with --score points.", 50.0, metavar="NUMBER")
    double_odds: float = about_cards("Points that double the odds.", 20.0, metavar="POINTS")


@with_options
def export(
    *,
    model: ModelFile,
    out: Path = option(
        "File to write. Its end says what it is: .sql (a query), .onnx, .py or .js (one file without dependencies), "
        ".pmml, or a scorecard as .csv, .md or .html.",
        MISSING,
        "-o",
    ),
    settings: TargetOptions,
    quiet: Quiet = False,
) -> None:
    """Write a model as a file that runs elsewhere: in a database, a browser, a service, a spreadsheet.

    Use it where the rows are and Python is not. The file predicts the same classes and probabilities as
    [bold]atfnb predict[/].

    Example: [bold]atfnb export model.json -o model.sql --dialect postgres --table customers --keep id[/]

    Example: [bold]atfnb export model.json -o model.js --explain[/]
    """
    from atfnb.export import Options, write

    check_output(out, model)
    given = {**vars(settings), "keep": tuple(settings.keep or ())}
    schema = given.pop("schema")
    table = settings.table if schema is None else (schema, settings.table)
    console = standard_error(quiet)
    write(loaded(model, console), out, Options(**{**given, "table": table}))
    say(console, [f"Model written to {out}."])
