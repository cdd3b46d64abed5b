"""The verb ``test``: how good a trained model is on the rows of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from atfnb.cli.options import FileOptions, with_options
from atfnb.cli.sentences import one_sentence
from atfnb.cli.tables import NOTHING, ModelFile, ModelTarget, QuietAnswer, Table, check_output


@with_options
def score_file(
    *,
    model: ModelFile,
    data: Table,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the numbers here too: JSON or CSV, by its ending.", show_default=False),
    ] = None,
    target: ModelTarget = None,
    file: FileOptions,
    quiet: QuietAnswer = False,
) -> None:
    """Score a model on rows whose classes are known, best on rows that it was not trained on.

    Accuracy, balanced accuracy, log-loss and ROC AUC beside always guessing the most frequent class of training; recall
    and precision of each class; and which classes are predicted as which.

    Example: [bold]atfnb test model.json test.csv[/]
    """
    with one_sentence(NOTHING):
        from atfnb.cli.report import rows_for
        from atfnb.cli.scored import check_ending, remarks, verdict, write_scores
        from atfnb.cli.shown import console, say
        from atfnb.cli.tested import show_scores
        from atfnb.evaluation import score_on
        from atfnb.model_file import load

        if out is not None:
            check_ending(out)
            check_output(out, data, str(model))
        loaded = load(model)
        rows = rows_for(loaded, data, target, file.dialect())
        found = score_on(loaded, rows.X, rows.y)
        say(console(quiet), [str(rows.format), *rows.notes])
        if not quiet:
            show_scores(found)
        if not (quiet and out is not None):
            for sentence in (*remarks(found, loaded.n_rows_), *verdict(found, rows.format.name)):
                typer.echo(sentence)
        if out is not None:
            write_scores(out, found)
