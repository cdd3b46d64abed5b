"""The verb ``drift``: new rows compared with those that a model was trained on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from atfnb._errors import counted, listed_names, percent
from atfnb.cli.options import ResultOptions, WeightedTable, option, with_options
from atfnb.cli.terminal import complain, fits, found_in, loaded, say, show, standard_error, table_of, warnings_noted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from atfnb.evaluation import Drift, Fit, Shift

MOST_COLUMNS = 30
"""How many columns the table shows at most."""
CHANGED = {"some": "some change: above 0.1", "large": "large: above 0.25"}
"""The changes that a sentence names, in words."""
FIGURES = ("PSI", "by chance", "change", "unseen", "missing then", "now")
"""The headings of the table of columns."""
SHIFT = ("psi", "by_chance", "change", "unseen")
"""What a file says of how far a column or the classes have moved."""
LEGEND = (
    "PSI: population stability index, large above 0.25, some change above 0.1; by chance: what the PSI of a table of "
    "this size stays below in 19 of 20 cases if nothing has changed; unseen: rows with a value that did not occur in "
    "training"
)


@with_options
def drift(
    *,
    fail_above: float | None = option(
        "End with exit code 1 if the PSI of any column is above this, for example 0.25, and above what chance "
        "explains. Dates, months and columns that the model does not use do not count.",
        min=0.0,
        metavar="PSI",
    ),
    table: WeightedTable,
    result: ResultOptions,
) -> None:
    """Show whether a table has changed since a model was trained.

    Use it on new rows before you predict them, or when their classes have become known. It compares how often each
    value occurs now and in training (the population stability index), and counts unseen and missing values. If the
    rows have the column with the class, it also compares the classes and how good the model is.

    Example: [bold]atfnb drift model.json march.csv[/]

    Example: [bold]atfnb drift model.json march.csv -o drift.json --fail-above 0.25[/]
    """
    from atfnb.cli.rows import rows_for
    from atfnb.evaluation import drift_of

    result.check(table.model, *table.data)
    console, notes = standard_error(result.quiet), list[str]()
    model = loaded(table.model, console)
    rows = rows_for(model, table, may_lack_classes=True)
    with warnings_noted(notes):
        found = drift_of(model, rows.X, rows.y, rows.sample_weight)
    say(console, [*found_in(rows), *notes])
    figures = document(found)
    show(result, partial(print_drift, found), (*remarks(found), conclusion(found)), figures, figures["columns"])
    if fail_above is not None and (above := [shift.name for shift in found.above(fail_above)]):
        complain(f"the PSI is above {fail_above:g} in {listed_names(above)}.")
        raise typer.Exit(1)


# --- In words --------------------------------------------------------------------------------------


def remarks(found: Drift) -> Iterator[str]:
    """Generate what to know about the figures, a sentence each."""
    from atfnb.evaluation import unknown_in_words

    if found.training_rows:
        yield "These are the rows that the model was trained on."
    if on := [shift.name for shift in found.attributes if shift.moves_on and shift.change in CHANGED]:
        yield (
            f"{listed_names(on)}: the new rows are of another time, which is not counted as a change. Dates after "
            "those of training are treated like the last of them."
        )
    if unused := [shift.name for shift in found.attributes if not shift.used and shift.change in CHANGED]:
        yield f"Changed, which is not counted, as the model does not use these columns: {listed_names(unused)}."
    if unclear := [shift.name for shift in found.lasting if shift.change == "unclear"]:
        yield f"{counted(found.rows, 'row')} are too few to tell whether {listed_names(unclear)} changed."
    if found.classes is not None and found.classes.change in CHANGED:
        yield f"The classes have changed, with a PSI of {found.classes.psi:.2f} ({CHANGED[found.classes.change]})."
    if found.unknown:
        yield unknown_in_words(found.unknown)
    if found.training_rows or found.now is None:
        return
    if found.before is not None:
        yield (
            "The figures of training are those on the rows that the model learned from: on new rows, somewhat worse "
            "ones are expected even if nothing has changed."
        )
    else:
        yield (
            "The model file does not say how good the model was in training, because rows were added to it later, it "
            "was edited, or it was not written by atfnb train."
        )


def conclusion(found: Drift) -> str:
    """Return what changed most, or that nothing did, in a sentence."""
    lasting = found.lasting
    moved = [shift for shift in lasting if shift.change in CHANGED]
    if not lasting:
        return "The model uses no columns besides dates that could have changed."
    if not moved:
        of = f"{lasting[0].psi:.3f}, of {lasting[0].name!r}"
        if lasting[0].change == "unclear":
            return f"No column is known to have changed: the highest PSI, {of}, may be chance."
        return f"No column has changed much: the highest PSI is {of}."
    first = moved[0]
    of = f"{first.name!r} has changed most, with a PSI of {first.psi:.2f} ({CHANGED[first.change]})"
    others = listed_names([shift.name for shift in moved[1:]])
    return f"{of}; {others} {'has' if len(moved) == 2 else 'have'} changed too." if len(moved) > 1 else f"{of}."


# --- On the terminal -------------------------------------------------------------------------------


def print_drift(found: Drift, console: Console) -> None:
    """Print a table of the columns and, if the classes are known, one of how good the model is."""
    whole = _columns_table(found, FIGURES)
    console.print(whole if fits(console, whole) else _columns_table(found, ("PSI", "change")))
    say(console, [LEGEND])
    if found.now is not None:
        console.print(_scores_table(found))


def _columns_table(found: Drift, figures: Sequence[str]) -> Table:
    """Return a table of some figures of the columns, the column that moved most first."""
    rows = []
    for each in found.attributes[:MOST_COLUMNS]:
        then = "–" if each.missing_before is None else percent(each.missing_before)
        texts = (f"{each.psi:.3f}", f"{each.by_chance:.3f}", each.change, percent(each.unseen), then)
        of_all = dict(zip(FIGURES, (*texts, percent(each.missing)), strict=True))
        rows.append((each.name, *(of_all[heading] for heading in figures)))
    left_out = len(found.attributes) - MOST_COLUMNS
    return table_of(
        f"{counted(found.rows, 'new row')}, {counted(found.rows_before, 'row')} in training",
        ("column", *figures),
        rows,
        words=("change",),
        caption=f"{left_out} columns that moved less are left out; -o FILE writes them" if left_out > 0 else None,
    )


def _scores_table(found: Drift) -> Table:
    """Return a table of the classes and of the scores, in training and now."""

    def figures(fit: Fit | None) -> tuple[str, ...]:
        if fit is None:
            return ("–", "–", "–")
        return (percent(fit.accuracy), f"{fit.log_loss:.3f}", percent(fit.calibration_error))

    psi = "" if found.classes is None else f"{found.classes.psi:.3f}"
    names = ("accuracy ↑", "log-loss ↓", "calibration error ↓", "PSI of the classes")
    columns = (names, (*figures(found.before), ""), (*figures(found.now), psi))
    scored = counted(found.labelled - sum(found.unknown.values()), "row")
    title = f"{scored} with a class{' that the model knows' if found.unknown else ''}"
    return table_of(title, ("score", "training", "now"), zip(*columns, strict=True))


# --- As a file -------------------------------------------------------------------------------------


def document(found: Drift) -> dict[str, Any]:
    """Return the figures as plain numbers and texts; None where one is not known."""
    missing = ("missing_before", "missing")
    return {
        "rows_before": found.rows_before,
        "rows": found.rows,
        "training_rows": found.training_rows,
        "columns": [{"column": each.name} | _of(each, "used", *SHIFT, *missing) for each in found.attributes],
        "labelled_rows": found.labelled,
        "classes": found.classes and _of(found.classes, *SHIFT),
        "unknown_classes": found.unknown,
        "fit_before": found.before and asdict(found.before),
        "fit_now": found.now and asdict(found.now),
    }


def _of(shift: Shift, *names: str) -> dict[str, Any]:
    return {name: getattr(shift, name) for name in names}
