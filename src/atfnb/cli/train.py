"""The verb ``train``: a table becomes a model in a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from atfnb._errors import Message, Setting, classes_named, counted
from atfnb._streams import legible
from atfnb.cli.options import Quiet, TrainingTable, about_classifiers, check_output, option, with_options
from atfnb.cli.terminal import UsageError, found_in, in_command, say, standard_error, warnings_noted

if TYPE_CHECKING:
    from rich.console import Console

    from atfnb.classifiers import BaseNB
    from atfnb.training import TableInMemory, TableInParts, TrainingRows

LARGEST_WEIGHTS = 5
"""How many columns are named as those with the largest weights."""
PRINTED = 0.005
"""A weight or an effect from here on is printed as 0.01 or more."""

about_parts = partial(option, panel="Tables larger than memory")


def _pairs(text: str) -> str | int:
    """Return how many pairs of columns to learn, or "auto"."""
    if text == "auto" or text.isdecimal():
        return text if text == "auto" else int(text)
    raise typer.BadParameter(f"{text!r} is neither 'auto' nor a number from 0 on.")


@with_options
def train(
    *,
    classifier: str = about_classifiers(
        "Classifier to train: fusion (the most accurate), atfnb (the method of the paper), nb (plain naive Bayes), or "
        "cfw-beta, cfw, dfw, wnb, klnb.",
        "fusion",
        "-c",
        metavar="NAME",
    ),
    relevance: list[str] | None = about_classifiers(
        "Index of how much an attribute says about the class: information_gain, gain_ratio, symmetric_uncertainty, "
        "pearson or uniform. For atfnb; for fusion it may be repeated.",
        metavar="INDEX",
    ),
    redundancy: list[str] | None = about_classifiers(
        "Index of how much an attribute repeats the others: pearson, mutual_information, symmetric_uncertainty or "
        "zero. For atfnb; for fusion it may be repeated.",
        metavar="INDEX",
    ),
    pairs: Any = about_classifiers(
        "Number of pairs of columns to learn that act together, 0 for none, or auto to let cross-validation choose. "
        "For fusion.",
        metavar="N",
        parser=_pairs,
        show_default="auto",
    ),
    table: TrainingTable,
    out: Path = option("Model file to write.", Path("model.json"), "-o"),
    edits: Path | None = option(
        "Edits to replay on the model that was learned: a file that the report page saved, or an earlier edited model. "
        "It is said which no longer apply."
    ),
    scheduler: str | None = about_parts(
        "Train on this Dask cluster, for example tcp://10.0.0.1:8786.", metavar="ADDRESS"
    ),
    memory: str | None = about_parts(
        "Start one process per core, or --jobs of them, and limit each to this much memory, for example 2GB.",
        metavar="SIZE",
    ),
    quiet: Quiet = False,
) -> None:
    """Train a classifier on a table and save it as a JSON file that a person can read.

    Use it once you know which classifier to train; [bold]atfnb evaluate[/] recommends one. Several files
    are read in parts, and may be larger than memory.

    Example: [bold]atfnb train bank.csv --target class -o model.json[/]

    Example: [bold]atfnb train bank.csv --target class --classifier atfnb --relevance gain_ratio --redundancy pearson[/]

    Example: [bold]atfnb train 'data/*.parquet' --target class -o model.json[/]
    """
    from atfnb.classifiers import edits_in_words
    from atfnb.model_file import read_edits, save
    from atfnb.tables import table_paths

    check_output(out, *table.data, *filter(None, [edits]))
    to_replay = [] if edits is None else read_edits(edits).edits
    scheme = {"relevance": relevance, "redundancy": redundancy, "pairs": pairs}
    model = make_classifier(classifier, **scheme, **table.parameters())
    console, notes = standard_error(quiet), list[str]()
    where = {"scheduler": scheduler, "memory": memory}
    with warnings_noted(notes):
        if any(where.values()) or len(table_paths(table.data)) > 1:
            train_in_parts(model, table, where, console)
        else:
            train_in_memory(model, table, console)
        model = model.edit(to_replay, skip=True)
    save(model, out, missing_marks=table.missing_mark)
    notes += edits_in_words(model)[:1]
    about = (*rare_classes(model), *pooled_values(model), *doubts_about(model, table), *described(model, table.target))
    say(console, [*notes, *about, f"Model saved to {out}."])


def classifiers_by_name() -> dict[str, type[BaseNB]]:
    """Return the classifiers by their names on the command line, the most accurate first."""
    from atfnb.classifiers import ROSTER

    return {each.declaration.command: each for each in ROSTER if each.declaration.command is not None}


def make_classifier(name: str, **parameters: Any) -> BaseNB:
    """Return a new classifier by its name on the command line, with the parameters that are not None.

    >>> make_classifier("atfnb", relevance=["gain_ratio"], max_bins=None)
    ATFNB(relevance='gain_ratio')
    """
    from atfnb.indexes import REDUNDANCY, RELEVANCE

    known = classifiers_by_name()
    if name not in known:
        raise UsageError(f"--classifier {name!r} is not known. Known: {', '.join(known)}.")
    model, indexes = known[name](), {"relevance": RELEVANCE, "redundancy": REDUNDANCY}
    defaults = model.get_params()
    for parameter, value in parameters.items():
        if value is None:
            continue
        flag = in_command(Message(Setting(parameter)))
        if parameter not in defaults:
            raise UsageError(f"{flag} does not go with --classifier {name}.")
        if unknown := [each for each in value if each not in indexes[parameter]] if parameter in indexes else []:
            raise UsageError(f"{flag} {unknown[0]!r} is not known. Known: {', '.join(indexes[parameter])}.")
        if isinstance(value, list) and not isinstance(defaults[parameter], tuple):
            if len(value) > 1:
                raise UsageError(f"--classifier {name} takes one {flag}, and {' and '.join(value)} were given.")
            (value,) = value
        model.set_params(**{parameter: value})
    model.check_parameters()
    return model


def train_on(model: BaseNB, table: TableInMemory | TableInParts, class_order: Any = None) -> TrainingRows:
    """Train a model on a table, and record in it how well it does there; return the rows that it learned from.

    The order of the classes is kept for those who score the model.
    """
    from atfnb.evaluation import measure_fit, ranks_of
    from atfnb.tables import plain_classes
    from atfnb.training import training_rows

    rows = training_rows(table, model.row_options)
    rank = ranks_of(class_order, rows.classes)
    model.learn(replace(rows, classes=plain_classes(rows.classes)))
    model.training_["fit"] = asdict(measure_fit(model, rows))
    if rank is not None:
        model.training_["class_order"] = [str(rows.classes[c]) for c in rank.argsort()]
    return rows


def train_in_memory(model: BaseNB, table: TrainingTable, console: Console) -> None:
    """Train a model on a file that is read whole."""
    from atfnb.console import progress_bar

    read = table.read()
    say(console, found_in(read))
    with progress_bar(console, "training"):
        train_on(model, read, table.classes_in_order)


def train_in_parts(model: BaseNB, table: TrainingTable, where: Mapping[str, Any], console: Console) -> None:
    """Train a model on files that are read in parts, here or on a cluster."""
    if table.groups is not None:
        raise UsageError("--groups needs a table that is read whole: give one file, without --scheduler and --memory.")
    if "-" in table.data:
        raise UsageError(
            "standard input cannot be read in parts, which takes several passes: write it to a file first."
        )
    from atfnb.console import progress_bar
    from atfnb.scale import files_in_parts

    with progress_bar(console, "reading") as progress:
        asked = {**table.asked, **where, "progress": progress}
        with files_in_parts(table.data, table.target, **asked) as (files, runner):
            rows = train_on(model, files, table.classes_in_order)
            summary = runner.summary(rows, len(files.plan.parts))
    model.training_["source"] = legible(", ".join(table.data))
    say(console, [*summary.notes, summary.text])


def rare_classes(model: BaseNB) -> Iterator[str]:
    """Generate a sentence on the classes with one row only, if there are any."""
    rows = () if model.counts_.rows is None else model.counts_.rows.tolist()
    if alone := [name for name, n in zip(model.class_labels, rows, strict=False) if n == 1]:
        out = "leave such rows out with --min-class-rows 2 --rare-classes drop"
        yield f"{classes_named(alone)}: one row only; check the spelling, or {out}."


def pooled_values(model: BaseNB) -> Iterator[str]:
    """Generate a sentence on each column whose rare values count as one."""
    from atfnb.encoding import pooled_in_words

    for each in model.encoder_.attributes:
        if each.pooled:
            values, gaps = len(each.categories) + each.pooled, each.n_values > each.n_known
            yield pooled_in_words(each.name, values, each.pooled, model.row_options.pooling, gaps=gaps)


def doubts_about(model: BaseNB, table: TrainingTable) -> tuple[str, ...]:
    """Return a sentence on each kind of column that may mislead the model, except columns given with ``--keep``."""
    from atfnb.evaluation import doubts_in_words, doubts_of

    return tuple(doubts_in_words(doubts_of(model, keep=table.keep or ()), repr(table.target)))


def described(model: BaseNB, target: str) -> Iterator[str]:
    """Generate a few sentences that describe a model that was just trained."""
    import numpy as np

    from atfnb.encoding import zones_in_words
    from atfnb.evaluation import acting_together, quoted

    names = [attribute.name for attribute in model.encoder_.attributes]
    yield (
        f"{model.declaration.name} trained to predict {target!r} ({counted(len(model.classes_), 'class')}) from "
        f"{counted(model.n_rows_, 'row')} and {counted(len(model.encoder_.sources), 'column')}."
    )
    yield from zones_in_words(model.encoder_)
    if model.declaration.has("beta_"):
        yield _switching(model)
    if np.ptp(model.weights_) == 0 and len(names) > 1:
        yield "All columns have the same weight."
    else:
        varied = model.encoder_.n_values > 1  # a column with one value has no effect, whatever its weight
        size = np.where(varied | ~varied.any(), np.abs(model.weights_), -1.0)
        largest = [j for j in np.argsort(-size, kind="stable")[:LARGEST_WEIGHTS] if size[j] >= PRINTED]
        named = ", ".join(f"{names[j]!r} ({model.weights_[j]:.2f})" for j in largest)
        yield f"Largest weights: {named}." if largest else "No column has a weight of 0.01 or more."
    if model.pairs_:
        little = "an effect below 0.01"
        yield quoted(acting_together(model.pairs_, model.pair_weights_, "columns", "{:.2f}".format, little))
    yield from model.shape_sentences()


def _switching(model: Any) -> str:
    """Return a sentence on the switching factor of a model that has one."""
    low, high = model.beta_interval_
    digits = 4 if high - low >= 0.001 else 6
    accuracy = "weighted training accuracy" if model.counts_.weighted else "training accuracy"
    return (
        f"Switching factor β = {model.beta_:.{digits}f}: the {accuracy} is highest, {model.beta_accuracy_:.4f}, for β "
        f"from {low:.{digits}f} to {high:.{digits}f}."
    )
