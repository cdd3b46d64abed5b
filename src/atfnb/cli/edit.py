"""The verb ``edit``: what a person knows changes a model, with a record."""

from __future__ import annotations

from pathlib import Path

import typer

from atfnb.cli.options import ModelFile, Quiet, check_output, option, with_options
from atfnb.cli.terminal import UsageError, say, standard_error


@with_options
def edit(
    *,
    model: ModelFile,
    edits: Path | None = typer.Argument(
        None,
        metavar="EDITS",
        help="A file of edits, which the report page saves, or an edited model. Without it, the edits of MODEL are "
        "listed.",
        show_default=False,
    ),
    undo: int | None = option("Take back the edit of this number; the others are replayed on what was learned.", min=1),
    out: Path | None = option("Model file to write; it may be MODEL itself.", None, "-o"),
    quiet: Quiet = False,
) -> None:
    """Change what a model learned, with reasons, take a change back, or list the changes.

    Use it for what people know and the data do not say: an effect is an artefact, a column may not count, a longer
    delay never lowers the risk. The model file keeps what was learned, every edit with its reason, and the result.
    Edits are replayed on a model that is trained again with [bold]atfnb train --edits[/].

    Example: [bold]atfnb edit model.json edits.json -o edited.json[/]

    Example: [bold]atfnb edit edited.json --undo 2 -o edited.json[/]

    Example: [bold]atfnb edit edited.json[/]
    """
    from atfnb._files import changing
    from atfnb.classifiers import edits_in_words
    from atfnb.console import Screen
    from atfnb.model_file import load, read_edits, save

    if edits is None and undo is None:
        if out is not None:
            raise UsageError("-o needs something to do: give a file of edits, or --undo.")
        say(Screen(), edits_in_words(load(model)) or ["This model was not edited."])
        return
    if out is None:
        raise UsageError("the edited model needs a file: name it with -o.")
    check_output(out, *filter(None, [edits]))
    notes: list[str] = []
    with changing(model):
        changed = load(model)
        if undo is not None:
            changed = changed.undo(undo)
        if edits is not None:
            given = read_edits(edits)
            if given.model not in (None, changed.fingerprint_):
                notes.append(f"{edits} was made for a model of other training rows.")
            changed = changed.edit(given.edits)
        save(changed, out)
    notes += edits_in_words(changed) or ["The model has no edits now: it is as it was learned."]
    say(standard_error(quiet), [*notes, f"Model saved to {out}."])
