"""The verbs ``report`` and ``page``: a model becomes an HTML page, with a table or alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from atfnb.cli.options import SEED, LabelledTable, ModelFile, Quiet, check_output, option, with_options
from atfnb.cli.terminal import found_in, in_command, say, standard_error, warnings_noted


@with_options
def report(
    *,
    out: Path = option("HTML file to write.", Path("report.html"), "-o"),
    table: LabelledTable,
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
    from atfnb.model_file import load
    from atfnb.report import PageOptions, model_page

    check_output(out, table.model, *table.data, *filter(None, [test]))
    console, loaded = standard_error(quiet), load(table.model)
    rows, *held_out = (rows_for(loaded, table, data) for data in (table.data, test) if data)
    say(console, found_in(rows, *held_out))
    title, notes = f"{rows.record.source}: what was learned", list[str]()
    options = PageOptions(folds, seed, title, rows.record.target, notes=[*map(in_command, rows.record.notes)])
    for other in held_out:
        options = replace(options, test=(other.X, other.y), test_name=str(other.record.source))
    with progress_bar(console, "cross-validating") as progress, warnings_noted(notes):
        model_page(loaded, rows.X, rows.y, replace(options, progress=progress)).save(out)
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
    from atfnb.model_file import load
    from atfnb.report import calculator_page

    check_output(out, model)
    calculator_page(load(model), title=title).save(out)
    say(standard_error(quiet), [f"Page saved to {out}."])
