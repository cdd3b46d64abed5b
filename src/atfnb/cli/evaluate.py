"""The verb ``evaluate``: classifiers compared on a table by cross-validation."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from atfnb._errors import listed_names, message_of
from atfnb.cli.options import (
    SEED,
    TIME,
    ResultOptions,
    TrainingTable,
    about_classifiers,
    column,
    option,
    train_command,
    with_options,
)
from atfnb.cli.terminal import UsageError, found_in, in_command, say, show, standard_error, warnings_noted
from atfnb.cli.train import classifiers_by_name, doubts_about, make_classifier


@with_options
def evaluate(
    *,
    classifiers: list[str] | None = about_classifiers(
        "Compare this classifier only, by its name in atfnb train. May be repeated. Default: all of them.",
        None,
        "--classifier",
        "-c",
        metavar="NAME",
    ),
    others: list[str] | None = about_classifiers(
        "Show this classifier of scikit-learn beside them, on the same folds: LogisticRegression, RandomForest or "
        "HistGradientBoosting. May be repeated.",
        None,
        "--with",
        metavar="NAME",
    ),
    table: TrainingTable,
    time: str | None = column(TIME),
    folds: int = option("Number of folds: each in turn is held out and scored.", 5, min=2),
    repeats: int = option("Number of times the cross-validation is repeated, each with new folds.", 4, min=1),
    seed: int = option(SEED, 0, min=0, show_default=True),
    result: ResultOptions,
) -> None:
    """Compare classifiers on a table by cross-validation.

    Use it first: it shows how well the class can be predicted from the other columns, and recommends a classifier to
    train. Each classifier is trained on some of the rows and scored on the others, in turn; always guessing the most
    frequent class is shown for comparison.

    Example: [bold]atfnb evaluate bank.csv --target class[/]
    """
    from atfnb.cli.verdict import document, lines, print_comparison, recommended, verdict
    from atfnb.console import progress_bar
    from atfnb.encoding import zones_in_words
    from atfnb.evaluation import PEERS, Peer, evaluate_rows, hidden_order, orders_in_words

    result.check(*table.data)
    named = [name for name, each in classifiers_by_name().items() if each.declaration.alias_of is None]
    parameters, shapes = table.parameters(), table.shapes()
    of_all = parameters | {"shapes": None}
    obeys = {name: "shapes" in each().get_params() for name, each in classifiers_by_name().items()}
    if shapes and classifiers and not any(obeys.get(name) for name in classifiers):
        raise UsageError("--rising, --falling and --shape are for fusion: compare it too, with --classifier fusion.")
    made = [make_classifier(name, **(parameters if obeys.get(name) else of_all)) for name in classifiers or named]
    models = {model.declaration.name: model for model in made}
    if unknown := [name for name in others or () if name not in PEERS]:
        raise UsageError(f"--with {unknown[0]!r} is not known. Known: {', '.join(PEERS)}.")
    rows, console, notes = table.read(time), standard_error(result.quiet), list[str]()
    say(console, found_in(rows))
    with progress_bar(console, "evaluating") as progress, warnings_noted(notes):
        given: Any = {"folds": folds, "repeats": repeats, "random_state": seed, "progress": progress}
        given["class_order"] = table.classes_in_order
        given |= {"others": {name: Peer(name) for name in others or ()}, "groups": rows.groups, "time": rows.time}
        given["class_spelling"] = rows.record.class_spelling or ()
        found, plain, more = evaluate_rows(models, rows.X, rows.y, rows.sample_weight, **given)
    about = [f"{name} is left out: {in_command(message_of(refusal))}" for name, refusal in found.refused.items()]
    if shapes:
        about.append(f"Of the classifiers, FusionNB alone obeys the shapes of {listed_names([*shapes])}.")
    if table.weight is not None:
        about.append(f"Rows are weighted by {table.weight!r}, in training and in the scores.")
    hints = [*orders_in_words(plain), *(hidden_order(rows.X, rows.y) if found.folding == "rows" else ())]
    say(console, [*about, *more, *doubts_about(plain, table), *zones_in_words(plain.encoder_), *hints, *notes])
    sentences = verdict(found, weighted=table.balance)
    show(result, partial(print_comparison, found), sentences, document(found), lines(found))
    if time is not None and time not in (table.keep or ()):
        table = replace(table, ignore=[*(table.ignore or ()), time])
    if (best := recommended(found)) is not None:
        command = models[best].declaration.command or ""
        table = table if obeys[command] else replace(table, rising=None, falling=None, shape=None)
        say(console, [f"To train it: {train_command(command, table)}"])
