"""The verb ``export``: a model becomes a file that runs without this library."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from atfnb.cli.options import ModelFile, Quiet, check_output, with_options
from atfnb.cli.terminal import one_sentence, say, standard_error

SQL, CARD = "model.sql", "Scorecards"


class Dialect(StrEnum):
    """The dialects of SQL, as ``--dialect`` names them."""

    duckdb = "duckdb"
    postgres = "postgres"
    spark = "spark"
    sqlite = "sqlite"


@with_options
def export(
    *,
    model: ModelFile,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="File to write. Its end says what it is: .sql (a query), .onnx, .py or .js (one file without "
            "dependencies), .pmml, or a scorecard as .csv, .md or .html.",
            show_default=False,
        ),
    ],
    explain: Annotated[
        bool, typer.Option("--explain", help="Add the three largest contributions to each class (.sql, .py, .js).")
    ] = False,
    table: Annotated[str, typer.Option(metavar="NAME", help="Table to query.", rich_help_panel=SQL)] = "data",
    schema: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Schema of the table.", show_default=False, rich_help_panel=SQL),
    ] = None,
    dialect: Annotated[Dialect, typer.Option(help="Dialect of SQL.", rich_help_panel=SQL)] = Dialect.duckdb,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of the table to put into the result, such as an identifier. May be repeated.",
            show_default=False,
            rich_help_panel=SQL,
        ),
    ] = None,
    with_tables: Annotated[
        bool,
        typer.Option(
            "--with-tables",
            help="Create look-up tables for categories and scores instead of writing them into the query; for models "
            "with very many values.",
            rich_help_panel=SQL,
        ),
    ] = False,
    double: Annotated[
        bool,
        typer.Option("--double", help="Take and return 64-bit floats, not 32-bit ones.", rich_help_panel="model.onnx"),
    ] = False,
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="Class that more points stand for. Default: the second one.",
            show_default=False,
            rich_help_panel=CARD,
        ),
    ] = None,
    score: Annotated[float, typer.Option(metavar="POINTS", help="Points at --odds.", rich_help_panel=CARD)] = 600.0,
    odds: Annotated[
        float, typer.Option(metavar="NUMBER", help="Odds of a row with --score points.", rich_help_panel=CARD)
    ] = 50.0,
    double_odds: Annotated[
        float, typer.Option(metavar="POINTS", help="Points that double the odds.", rich_help_panel=CARD)
    ] = 20.0,
    quiet: Quiet = False,
) -> None:
    """Write a model as a file that runs elsewhere: in a database, a browser, a service, a spreadsheet.

    Use it where the rows are and Python is not. The file predicts the same classes and probabilities as
    [bold]atfnb predict[/].

    Example: [bold]atfnb export model.json -o model.sql --dialect postgres --table customers --keep id[/]

    Example: [bold]atfnb export model.json -o model.js --explain[/]
    """
    with one_sentence():
        from atfnb.export import Options, write
        from atfnb.model_file import load

        check_output(out, str(model))
        options = Options(
            table=table if schema is None else (schema, table),
            dialect=dialect.value,
            keep=tuple(keep or ()),
            with_tables=with_tables,
            explain=explain,
            double=double,
            positive=positive,
            score=score,
            odds=odds,
            double_odds=double_odds,
        )
        write(load(model), out, options)
        say(standard_error(quiet), [f"Model written to {out}."])
