"""The verb ``export``: a model becomes a file that runs without this library."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from atfnb.cli.options import ModelFile, Quiet, check_output, option, with_options
from atfnb.cli.terminal import say, standard_error

about_sql = partial(option, panel="model.sql")
about_cards = partial(option, panel="Scorecards")


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
    from atfnb.model_file import load

    check_output(out, model)
    given = {**vars(settings), "keep": tuple(settings.keep or ())}
    schema = given.pop("schema")
    table = settings.table if schema is None else (schema, settings.table)
    write(load(model), out, Options(**{**given, "table": table}))
    say(standard_error(quiet), [f"Model written to {out}."])
